"""Indexes the chunks by sentence, so that a statement finds its evidence in time linear in the text."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.abbreviations import ABBREVIATIONS
from rag_eval_hooks.attribution.anchors import Anchor, find_anchors, fits
from rag_eval_hooks.attribution.fold import Folded, fold
from rag_eval_hooks.attribution.support import Source
from rag_eval_hooks.attribution.terms import SPACELESS_FROM, plain_terms
from rag_eval_hooks.attribution.worded import TRIGGERS, worded_anchors

__all__ = ["Evidence", "Sentence", "anchors_of", "fold_text", "word_stream"]

MAX_TEXT = 200_000
MAX_SENTENCE = 400
MAX_POSTINGS = 512
QUOTE_WORDS = 4
ALIKE = 5
QUOTE_CHARACTERS = 10
WRAPPED_FROM = 45
# Possessive, and only at the start of a run: a long run of stops must not be tried from each of its places.
SENTENCE_BREAK = re.compile(r"(?<![.!?])[.!?]++[\"')\]]*+\s++(?=\S)|[。！？；][\"')\]」』]*+|\n\s*+")
LINE_START = re.compile(r"[-*+•|#>]|\(?\d{1,3}[.)]|[a-z]\)")
NAME = re.compile(r"(?<=\s)[^\W\d_a-z][\w'-]+")
WORDS = re.compile(r"\w+")
LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")


class Sentence(NamedTuple):
    """One sentence, line or table row of a chunk."""

    chunk: int
    """Index of the distinct text it belongs to."""
    start: int
    """Where it begins in the chunk's folded text."""
    end: int
    """Where it ends in the chunk's folded text."""
    is_question: bool
    """A question states nothing."""


def fold_text(text: str) -> Folded:
    """Returns the folded text of a chunk; what lies behind `MAX_TEXT` characters is not looked at."""
    return fold(text[:MAX_TEXT])


def anchors_of(text: str, spans: Iterable[tuple[int, int]] | None = None) -> list[Anchor]:
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


def word_stream(text: str) -> str:
    """Returns the words of a folded text, one blank between them."""
    return " ".join(WORDS.findall(text))


class Evidence:
    """The sentences of several distinct texts, found by term or by anchor.

    Only what the answer says is indexed, so that the work grows with the texts' length but hardly with their number of
    distinct words.

    Args:
        texts: Folded texts, each once.
        originals: The same texts as they were, for letter case at sentence ends.
        vocabulary: The terms that will be looked for.
    """

    def __init__(self, texts: Sequence[Folded], originals: Sequence[str], vocabulary: Collection[str]) -> None:
        self.texts = texts
        self.sentences: list[Sentence] = []
        self.postings: dict[str, list[int]] = {}
        self.frequency: dict[str, int] = {}
        self.anchors: list[list[Anchor]] = []
        self._vocabulary = frozenset(vocabulary)
        self._beginnings = {term[:ALIKE] for term in vocabulary if len(term) >= ALIKE and term[0] < SPACELESS_FROM}
        self._alike: dict[str, set[str]] = {}
        self._streams: dict[int, str] = {}
        self._words: dict[int, list[str]] = {}
        self._originals = originals
        self._keys: dict[str, list[int]] = {}
        self._numbers: list[tuple[float, int, int]] = []
        for chunk, (folded, original) in enumerate(zip(texts, originals, strict=True)):
            self._add(chunk, folded, original)
        self._numbers.sort()
        self._values = [value for value, _, _ in self._numbers]

    def text_of(self, place: int) -> str:
        """Returns a sentence's folded text."""
        sentence = self.sentences[place]
        return self.texts[sentence.chunk].text[sentence.start : sentence.end]

    def context_of(self, place: int) -> str:
        """Returns the whole folded text a sentence stands in."""
        return self.texts[self.sentences[place].chunk].text

    def source(self, places: Sequence[int]) -> Source:
        """Returns some sentences as one source to weigh a statement against."""
        tokens: list[str] = []
        anchors: list[Anchor] = []
        names = 0
        for place in places:
            tokens += self._words_of(place)
            anchors += self.anchors[place]
            names += self._names_of(place)
        return Source(tuple(tokens), tuple(anchors), " ".join(map(self.text_of, places)), names)

    def _words_of(self, place: int) -> list[str]:
        if place not in self._words:
            chunk, start, end, _ = self.sentences[place]
            self._words[place] = plain_terms(self.texts[chunk].text, start, end)
        return self._words[place]

    def _names_of(self, place: int) -> int:
        chunk, start, end, _ = self.sentences[place]
        start, end = self.texts[chunk].span(start, end)
        return sum(1 for _ in NAME.finditer(self._originals[chunk], start, end))

    def is_quoted(self, stream: str, chunk: int) -> bool:
        """Whether a text holds a passage word for word, whatever the punctuation and line breaks.

        Args:
            stream: The passage, as `word_stream` gives it.
            chunk: Index of the text.
        """
        if stream.count(" ") < QUOTE_WORDS and (stream.isascii() or len(stream) < QUOTE_CHARACTERS):
            return False
        if chunk not in self._streams:
            self._streams[chunk] = f" {word_stream(self.texts[chunk].text)} "
        return f" {stream} " in self._streams[chunk]

    def find_term(self, term: str) -> list[int]:
        """Returns the sentences that hold a term, at most `MAX_POSTINGS`."""
        return self.postings.get(term, [])[:MAX_POSTINGS]

    def find_alike(self, term: str) -> list[int]:
        """Returns sentences with a word of the same beginning, for a term that none holds (`founder`: `founded`)."""
        return [place for other in sorted(self._alike.get(term[:ALIKE], ()))[:8] for place in self.find_term(other)]

    def find_anchor(self, anchor: Anchor) -> list[int]:
        """Returns the sentences that state an anchor's value."""
        found: list[int] = []
        if anchor.key is not None:
            for key in filter(None, (anchor.key, anchor.also)):
                found.extend(self._keys.get(key, [])[:MAX_POSTINGS])
            return sorted(set(found))
        if anchor.raw:
            found.extend(self._keys.get(f"version:{anchor.raw}", [])[:MAX_POSTINGS])
        targets = {value * factor for value in anchor.values for factor in {1.0, anchor.factor, 0.01}}
        for target in targets:
            margin = anchor.slack * max(1.0, anchor.factor) + 1e-9 * abs(target) + 1e-12
            first, last = bisect_left(self._values, target - margin), bisect_right(self._values, target + margin)
            for _, sentence, number in self._numbers[first : min(last, first + MAX_POSTINGS)]:
                if fits(anchor, self.anchors[sentence][number]):
                    found.append(sentence)
        return sorted(set(found))

    def _add(self, chunk: int, folded: Folded, original: str) -> None:
        text = folded.text
        bounds = list(_sentence_bounds(folded, original))
        spoken = [plain_terms(text, start, end) for start, end in bounds]
        words = set().union(*spoken)
        worded = [span for span, said in zip(bounds, spoken, strict=True) if not TRIGGERS.isdisjoint(said)]
        anchors = anchors_of(text, worded)
        known = self._vocabulary & words
        for word in words - known:
            if word[:ALIKE] in self._beginnings and len(word) >= ALIKE:
                known |= {word}
                self._alike.setdefault(word[:ALIKE], set()).add(word)
        for term in known:
            self.frequency[term] = self.frequency.get(term, 0) + 1
        at = 0
        for (start, end), said in zip(bounds, spoken, strict=True):
            place = len(self.sentences)
            self.sentences.append(Sentence(chunk, start, end, text[start:end].rstrip(" \n\"'*_)")[-1:] in ("?", "？")))
            mine: list[Anchor] = []
            while at < len(anchors) and anchors[at].start < end:
                self._add_anchor(anchors[at], place, len(mine))
                mine.append(anchors[at])
                at += 1
            self.anchors.append(mine)
            for term in known.intersection(said):
                self.postings.setdefault(term, []).append(place)

    def _add_anchor(self, anchor: Anchor, place: int, number: int) -> None:
        for key in filter(None, (anchor.key, anchor.also)):
            self._keys.setdefault(key, []).append(place)
        if anchor.key is None and "." in anchor.raw:  # a version may be written without its word
            self._keys.setdefault(f"version:{anchor.raw}", []).append(place)
        for value in anchor.values:
            self._numbers.append((value, place, number))
            if anchor.factor != 1.0:
                self._numbers.append((value * anchor.factor, place, number))


def _sentence_bounds(folded: Folded, original: str) -> Iterator[tuple[int, int]]:
    """Yields the sentences of a chunk as spans of its folded text; long ones are cut at blanks."""
    text = folded.text
    last = 0
    for match in SENTENCE_BREAK.finditer(text):
        end = match.end()
        if end >= len(text):
            break
        first = text[match.start()]
        if first == "\n" and _is_wrapped(text, match):
            continue
        if first == ".":
            source = folded.span(end, end + 1)[0]
            word = LAST_WORD.search(text, max(last, match.start() - 12), match.start())
            if original[source : source + 1].islower() or (word and word.group() in ABBREVIATIONS):
                continue
        yield from _cut(text, last, end)
        last = end
    yield from _cut(text, last, len(text))


def _is_wrapped(text: str, match: re.Match[str]) -> bool:
    """Whether a line break only wraps a sentence: the line before is long and open, the next one starts nothing new."""
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].rstrip()
    opens_block = match.group().count("\n") > 1 or LINE_START.match(text, match.end()) is not None
    return len(line) >= WRAPPED_FROM and line[-1] not in ".!?:;|。！？；：" and not opens_block


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > MAX_SENTENCE:
        at = text.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
        at = at + 1 if at > 0 else start + MAX_SENTENCE
        yield (start, at)
        start = at
    if start < end:
        yield (start, end)
