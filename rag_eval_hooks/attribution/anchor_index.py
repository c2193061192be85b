"""Knows the anchors of texts by sentence, and the sentences that state an anchor; looks only when asked."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise

from rag_eval_hooks.attribution.anchors import Anchor, find_anchors, fits
from rag_eval_hooks.attribution.measured import Measures, measures_another
from rag_eval_hooks.attribution.slots import is_year
from rag_eval_hooks.attribution.worded import worded_anchors
from rag_eval_hooks.record.limits import MAX_POSTINGS

__all__ = ["AnchorIndex", "anchors_of"]

Span = tuple[int, int]
UP_TO = re.compile(
    r"\s{0,3}(?:to|-|and|up to|bis(?: unter| zu)?|und|à|et|a|y|hasta|jusqu'à|至|到|~|不满|未满|不足|から)\s{0,3}"
)
"""What stands between the ends of a range."""
LETTERS_OR_DIGITS = re.compile(r"[a-z]+|\d+")


def anchors_of(text: str, spans: Iterable[Span] | None = None) -> list[Anchor]:
    """Returns the anchors of a folded text, those in words included, in order.

    Args:
        text: The folded text.
        spans: Where values in words may stand; by default anywhere.
    """
    found = find_anchors(text)
    worded = worded_anchors(text, [(0, len(text))] if spans is None else spans)
    if not worded:
        return found
    taken = {place for anchor in found for place in range(anchor.start, anchor.end)}
    found += [one for one in worded if taken.isdisjoint(range(one.start, one.end))]
    found.sort(key=lambda anchor: anchor.start)
    return found


class AnchorIndex:
    """The anchors of the sentences of several texts: `index[place]` are those of one sentence.

    A text is searched when the anchors of one of its sentences are first asked for, all texts when sentences are first
    looked up by anchor: an answer without values needs few of them.
    """

    def __init__(self) -> None:
        self._texts: list[tuple[str, int, Sequence[Span], Sequence[Span]]] = []
        self._text_of: list[int] = []
        self._read: set[int] = set()
        self._measures: dict[int, Measures] = {}
        self._found: dict[int, list[Anchor]] = {}
        """The anchors of the sentences that have any, in texts that were searched."""

    def add(self, text: str, sentences: Sequence[Span], worded: Sequence[Span]) -> None:
        """Adds a text before the first look-up.

        Args:
            text: The folded text.
            sentences: Its sentences; their places go on from those of the text before.
            worded: The sentences where values in words may stand.
        """
        first = len(self._text_of)
        self._text_of += [len(self._texts)] * len(sentences)
        self._texts.append((text, first, sentences, worded))

    def __len__(self) -> int:
        return len(self._text_of)

    def __getitem__(self, place: int) -> list[Anchor]:
        number = self._text_of[place]
        if number not in self._read:
            self._search(number)
        return self._found.get(place, [])

    def __iter__(self) -> Iterator[list[Anchor]]:
        return (self[place] for place in range(len(self)))

    def find(self, anchor: Anchor, said: str = "") -> list[int]:
        """Returns the places of the sentences that state an anchor's value.

        Args:
            anchor: The value.
            said: The folded text it stands in; where it is given, what a word in a unit's place says counts, too.
        """
        found: list[int] = []
        by_key, by_value, values = self._lookup
        if anchor.key is not None:
            for key in filter(None, (anchor.key, anchor.also)):
                places = by_key.get(key, [])[:MAX_POSTINGS]
                found += [place for place in places if any(fits(anchor, other) for other in self._found[place])]
            if not found and anchor.key.startswith("code:"):
                return self._find_apart(anchor.key.removeprefix("code:"))
            if not anchor.values:
                return sorted(set(found))
        if anchor.raw:
            found.extend(by_key.get(f"version:{anchor.raw}", [])[:MAX_POSTINGS])
        targets = {value * factor for value in anchor.values for factor in {1.0, anchor.factor, 0.01}}
        for target in targets:
            margin = anchor.slack * max(1.0, anchor.factor) + 1e-9 * abs(target) + 1e-12
            first, last = bisect_left(values, target - margin), bisect_right(values, target + margin)
            for _, place, number in by_value[first : min(last, first + MAX_POSTINGS)]:
                other = self._found[place][number]
                if fits(anchor, other) and not (
                    said and measures_another(said, anchor, self._measures_at(place), other)
                ):
                    found.append(place)
        return sorted(set(found))

    def find_around(self, anchor: Anchor) -> list[int]:
        """Returns the places of the sentences that state a range with an anchor's value inside: `8 to 11 years`."""
        if anchor.key is not None or not anchor.values or is_year(anchor):
            return []
        value = anchor.values[0] * anchor.factor
        around = [place for place, first, last in self._ranges.get(anchor.dimension, ()) if first <= value <= last]
        return list(dict.fromkeys(around))

    def _find_apart(self, code: str) -> list[int]:
        """Returns the places of the sentences that have a code with gaps between its letters and digits: `K 350`."""
        parts = LETTERS_OR_DIGITS.findall(code)
        if len(parts) < 2:
            return []
        apart = re.compile(rf"(?<![a-z0-9]){'[ _-]?'.join(map(re.escape, parts))}(?![a-z0-9])")
        places: list[int] = []
        for text, first, sentences, _ in self._texts:
            ends = [end for _, end in sentences]
            found = (match.start() for match in islice(apart.finditer(text), MAX_POSTINGS))
            places += [first + min(bisect_right(ends, start), len(ends) - 1) for start in found]
        return sorted(set(places))

    def _measures_at(self, place: int) -> Measures:
        number = self._text_of[place]
        if number not in self._measures:
            self._measures[number] = Measures(self._texts[number][0])
        return self._measures[number]

    def _text_at(self, place: int) -> str:
        return self._texts[self._text_of[place]][0]

    def _search_all(self) -> None:
        for number in range(len(self._texts)):
            if number not in self._read:
                self._search(number)

    def _search(self, number: int) -> None:
        text, first, sentences, worded = self._texts[number]
        self._read.add(number)
        place, last = first, first + len(sentences) - 1
        for anchor in anchors_of(text, worded):
            while place < last and anchor.start >= sentences[place - first][1]:
                place += 1
            self._found.setdefault(place, []).append(anchor)

    @cached_property
    def _ranges(self) -> dict[str | None, list[tuple[int, float, float]]]:
        """By dimension, the sentences that state a range, with its ends."""
        self._search_all()
        ranges: dict[str | None, list[tuple[int, float, float]]] = {}
        for place, anchors in sorted(self._found.items()):
            text = self._text_at(place)
            for low, high in pairwise(anchors):
                if low.key or high.key or not low.values or not high.values:
                    continue
                if UP_TO.fullmatch(text, low.end, high.start):
                    first = low.values[0] * (low.factor if low.dimension else high.factor)
                    ranges.setdefault(high.dimension, []).append((place, first, high.values[0] * high.factor))
        return ranges

    @cached_property
    def _lookup(self) -> tuple[dict[str, list[int]], list[tuple[float, int, int]], list[float]]:
        """The sentences by key; by value, with the number of the anchor in the sentence; the values, in order."""
        self._search_all()
        by_key: dict[str, list[int]] = {}
        by_value: list[tuple[float, int, int]] = []
        for place, anchors in sorted(self._found.items()):
            for number, anchor in enumerate(anchors):
                for key in filter(None, (anchor.key, anchor.also)):
                    by_key.setdefault(key, []).append(place)
                if anchor.key is None and "." in anchor.raw:  # a version may be written without its word
                    by_key.setdefault(f"version:{anchor.raw}", []).append(place)
                for value in anchor.values:
                    by_value.append((value, place, number))
                    if anchor.factor != 1.0:
                        by_value.append((value * anchor.factor, place, number))
        by_value.sort()
        return by_key, by_value, [value for value, _, _ in by_value]
