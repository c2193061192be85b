"""Which retrieved items reached the prompt, and in which order."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rag_eval_hooks.capture.forms import SHINGLE, ItemForms, PromptForms
from rag_eval_hooks.capture.parts import Parts

__all__ = ["Hit", "Packing", "find_in_prompt", "in_word"]

MIN_SHINGLE_SHARE = 0.5
SHORT = 12
"""Texts below this length must stand alone in the prompt: they also occur by chance inside words."""


class Hit(NamedTuple):
    """One item found in a prompt."""

    item: int
    """Index of the item in the list that was looked for."""
    position: int
    """Where in the prompt, as a character offset that orders hits of the same prompt."""
    match: Literal["exact", "head", "shingle"]
    """How it was found."""
    coverage: float
    """Share of the item's characters in the prompt, in (0, 1]."""


class _Claims:
    """Stretches of the prompt that are already explained by an item; sorted, never overlapping."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def free(self, start: int, end: int) -> bool:
        place = bisect_right(self.starts, start)
        if place and self.ends[place - 1] > start:
            return False
        return place == len(self.starts) or self.starts[place] >= end

    def skip(self, start: int) -> int:
        """Returns the end of the stretch that covers `start`, or `start` + 1."""
        place = bisect_right(self.starts, start)
        return self.ends[place - 1] if place and self.ends[place - 1] > start else start + 1

    def add(self, start: int, end: int) -> None:
        place = bisect_left(self.starts, start)
        self.starts.insert(place, start)
        self.ends.insert(place, end)


def find_in_prompt(texts: Sequence[str], prompt: str) -> list[Hit]:
    """Returns the items of `texts` that are in `prompt`, in prompt order; see `Packing.find`.

    >>> [(hit.item, hit.match) for hit in find_in_prompt(["b b", "a a"], "Context: a a / b b")]
    [(1, 'exact'), (0, 'exact')]
    """
    return Packing(texts).find(prompt)


class Packing:
    """Items to be looked for in prompts; each item is made ready once, however many prompts there are.

    Args:
        texts: The items, in retrieval order; an item may be given twice. Blank texts are never found.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._items = [ItemForms(text) for text in texts]
        self._longest_first = sorted(
            (index for index, text in enumerate(texts) if text.strip()), key=lambda index: -len(texts[index])
        )
        self._by_shingle: dict[int, list[int]] = {}
        """The items that hold a shingle, of those that were looked for by shingles: with many prompts, most items are
        not in most of them, and comparing each with each takes longest."""
        self._indexed: set[int] = set()
        self._found: dict[str, list[Hit]] = {}
        """By prompt: what was found; several rules ask for the same."""

    def find(self, prompt: str) -> list[Hit]:
        """Returns the items that are in a prompt, in prompt order.

        An item is looked for as it is, then with white space levelled, then by its longest beginning (cut off by a
        budget), then by shingles of 8 words, or of 8 characters of scripts without spaces (re-formatted; at least half
        of them), then by whole sentences (picked out of it). Longer texts go first and claim their stretch, so that a
        text inside another is not counted twice, and equal texts take successive occurrences.

        Args:
            prompt: All text the generator got, except its own earlier turns.
        """
        if not prompt:
            return []
        if prompt not in self._found:
            self._found[prompt] = self._find(prompt)
        return self._found[prompt]

    def _find(self, prompt: str) -> list[Hit]:
        claims = _Claims()
        hits: list[Hit] = []
        missing: list[int] = []
        for index in self._longest_first:
            found = _claim_first(self._items[index].as_written, prompt, claims)
            if found is None:
                missing.append(index)
            else:
                hits.append(Hit(index, found, "exact", 1.0))
        if missing:
            hits.extend(self._find_altered(missing, PromptForms(prompt), claims))
        return sorted(hits, key=lambda hit: (hit.position, hit.item))

    def shares(self, indexes: Sequence[int], prompts: Sequence[str]) -> list[tuple[float, int]]:
        """Returns how much of some items stands in any of these prompts, and in which of them each begins.

        Args:
            indexes: The items, as given to the constructor.
            prompts: The prompts.

        Returns:
            For each item, the share of its characters in [0, 1], and the prompt's place.
        """
        parts = Parts(prompts)
        return [(parts.share(self._items[index]), parts.first(self._items[index])) for index in indexes]

    def _find_altered(self, missing: Sequence[int], prompt: PromptForms, raw: _Claims) -> list[Hit]:
        """Looks for items whose text was changed on the way; works on the prompt with white space levelled."""
        claims = _Claims()
        for start, end in zip(raw.starts, raw.ends, strict=True):
            first, last = prompt.at(start), prompt.at(end)
            if last > first:
                claims.add(first, last)
        hits: list[Hit] = []
        left: list[int] = []
        absent: list[tuple[int, int]] = []
        for index in missing:
            item = self._items[index]
            if item.level[: item.least_head] not in prompt.text:
                absent.append((0, index))
                continue
            found = _claim(item.level, prompt.text, claims)
            if found is None:
                left.append(index)
            else:
                hits.append(Hit(index, prompt.back(found), "exact", 1.0))
        rest: list[int] = []
        heads = [*absent, *((_longest_head(self._items[index], prompt.text), index) for index in left)]
        for size, index in sorted(heads, key=lambda head: (-head[0], head[1])):
            text = self._items[index].level
            found = _claim(text[:size].rstrip(), prompt.text, claims) if size else None
            if found is None:
                rest.append(index)
            else:
                hits.append(Hit(index, prompt.back(found), "head", size / len(text)))
        if rest:
            shingled, in_part = self._find_shingled(rest, prompt, claims)
            hits += [*shingled, *self._find_sentences(in_part, prompt, claims)]
        return hits

    def _find_shingled(self, rest: Sequence[int], prompt: PromptForms, claims: _Claims) -> tuple[list[Hit], list[int]]:
        """Looks for items that were re-formatted; also returns those of which too little is there, but maybe a part."""
        hits: list[Hit] = []
        in_part: list[int] = []
        likely = self._sharing(rest, prompt)
        if not likely:
            return hits, in_part
        free = [claims.free(piece.start(), piece.end()) for piece in prompt.pieces]
        unexplained: dict[int, int] = {}
        """By shingle, the first place that no other item explains."""
        for shingle, places in prompt.shingles.items():
            place = next((place for place in places if free[place] and free[place + SHINGLE - 1]), None)
            if place is not None:
                unexplained[shingle] = place
        for index in likely:
            item = self._items[index]
            found = {
                own: unexplained[shingle]
                for shingle, owns in item.shingles.items()
                if shingle in unexplained
                for own in owns
            }
            if len(found) < max(MIN_SHINGLE_SHARE * item.shingle_count, 1):
                in_part.append(index)
                continue
            seen = {piece for own in found for piece in range(own, own + SHINGLE)}
            coverage = sum(len(item.pieces[piece]) for piece in seen) / sum(map(len, item.pieces))
            start = prompt.pieces[min(found.values())].start()
            hits.append(Hit(index, prompt.back(start), "shingle", min(coverage, 1.0)))
        return hits, in_part

    def _sharing(self, rest: Sequence[int], prompt: PromptForms) -> list[int]:
        """Returns those of the items that share a shingle with a prompt."""
        for index in rest:
            if index not in self._indexed:
                self._indexed.add(index)
                for shingle in self._items[index].shingles:
                    self._by_shingle.setdefault(shingle, []).append(index)
        known = self._by_shingle.keys() & prompt.shingles.keys()
        near = {index for shingle in known for index in self._by_shingle[shingle]}
        return [index for index in rest if index in near]

    def _find_sentences(self, rest: Sequence[int], prompt: PromptForms, claims: _Claims) -> list[Hit]:
        """Looks for items of which code picked sentences; each stretch of the prompt explains one item."""
        hits: list[Hit] = []
        for index in sorted(rest):
            item = self._items[index]
            places = [(_claim(sentence, prompt.text, claims), len(sentence)) for sentence in item.sentences]
            found = [(place, size) for place, size in places if place is not None]
            if found:
                coverage = sum(size for _, size in found) / len(item.level)
                hits.append(Hit(index, prompt.back(min(found)[0]), "shingle", min(coverage, 1.0)))
        return hits


def _claim_first(forms: Sequence[str], prompt: str, claims: _Claims) -> int | None:
    for form in forms:
        found = _claim(form, prompt, claims)
        if found is not None:
            return found
    return None


def _claim(text: str, prompt: str, claims: _Claims) -> int | None:
    """Returns where a text stands that no other item explains, and marks the place as explained."""
    size = len(text)
    start = prompt.find(text)
    while start >= 0:
        end = start + size
        if claims.free(start, end) and (size >= SHORT or _stands_alone(prompt, start, end)):
            claims.add(start, end)
            return start
        start = prompt.find(text, claims.skip(start))
    return None


def _stands_alone(prompt: str, start: int, end: int) -> bool:
    inside_left = start > 0 and in_word(prompt[start - 1]) and in_word(prompt[start])
    inside_right = end < len(prompt) and in_word(prompt[end]) and in_word(prompt[end - 1])
    return not inside_left and not inside_right


def in_word(character: str) -> bool:
    """Returns whether a character is part of a word that goes on until a space or sign.

    >>> in_word("a"), in_word("7"), in_word("-"), in_word("文"), in_word("")
    (True, True, False, False, False)
    """
    return character.isalnum() and character < "\u2e80"  # from there on scripts do not put spaces between words


def _longest_head(item: ItemForms, prompt: str) -> int:
    """Returns how many of the item's first characters stand together in the prompt; 0 if too few."""
    text, least = item.level, item.least_head
    low, high = least, len(text) - 1
    if high < least or text[:least] not in prompt:
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        if text[:middle] in prompt:
            low = middle
        else:
            high = middle - 1
    return low
