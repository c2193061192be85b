"""Finds the terms an answer says in the sentences of a chunk, without making terms of all the chunk's words."""

import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from rag_eval_hooks.attribution.terms import (
    SPACELESS_FROM,
    plain_words,
    single_characters,
    stems_of_word,
)
from rag_eval_hooks.attribution.worded import TRIGGERS

__all__ = ["NUMBER_WORD", "Vocabulary"]

ALIKE = 5
OPENING = 3
NUMBER_WORD = ""
"""Stands for any word without which there is no value in words."""
CODEC, FIRST, SECOND = ("utf-32-le", 0, 32) if sys.byteorder == "little" else ("utf-32-be", 32, 0)
MAX_REMEMBERED = 400_000
"""Characters of the words that are remembered: some 50,000 words."""
Span = tuple[int, int]


class _Words:
    """Words of all texts read lately, by stem: what a vocabulary looks for is told from it without stemming any word.

    Only ever added to, so that threads may share it. It is given up for a new one when it is full.
    """

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.by_stem: dict[str, list[str]] = {}
        self.by_beginning: dict[str, list[tuple[str, str]]] = {}
        """The words and their stems by `ALIKE` letters of the stem; not `people`, which its stem does not begin like."""
        self.numbers: list[str] = []
        """Words without which there is no value in words."""
        self.characters = 0

    def add(self, words: set[str]) -> list[str]:
        """Takes in the words that were not seen before, and returns them."""
        fresh = list(words - self.known)
        for word in fresh:
            for stem in stems_of_word(word):
                if stem in TRIGGERS:
                    self.numbers.append(word)
                self.by_stem.setdefault(stem, []).append(word)
                if len(stem) >= ALIKE and (word.startswith(stem[:OPENING]) or "'" in word):
                    self.by_beginning.setdefault(stem[:ALIKE], []).append((word, stem))
            self.characters += len(word)
            self.known.add(word)  # at last: whoever sees it here finds it above, too
        return fresh

    @staticmethod
    def latest() -> "_Words":
        """Returns the words that new vocabularies go by."""
        global _words  # noqa: PLW0603  replaced as a whole; who still uses the old one may go on
        if _words.characters > MAX_REMEMBERED:
            _words = _Words()
        return _words


class Vocabulary:
    """The terms that are looked for, and the words of texts that stand for them.

    Args:
        terms: The terms.
    """

    def __init__(self, terms: Collection[str]) -> None:
        spaceless = [term for term in terms if term[0] >= SPACELESS_FROM]
        self._pairs = {ord(term[0]) << FIRST | ord(term[1]) << SECOND: term for term in spaceless if len(term) == 2}
        self._singles = frozenset(ord(term) for term in spaceless if len(term) == 1)
        self._stems = frozenset(terms).difference(spaceless)
        self._beginnings = {term[:ALIKE] for term in self._stems if len(term) >= ALIKE}
        self._alike: dict[str, set[str]] = {}
        self._words = _Words.latest()
        self._held: dict[str, tuple[str, ...]] = {}
        """For each word that stands for terms or for words alike: which."""
        self._relate()

    def find(self, text: str, spans: Sequence[Span]) -> Iterator[list[str]]:
        """Yields, for each span of a folded text, the terms and words alike it holds; a term may be there twice."""
        said = plain_words(text, spans)
        words = set().union(*said)
        if self._words.add(words):
            self._relate()
        held = self._held
        here = words.intersection(held)
        for word in here:
            for term in held[word]:
                if term not in self._stems and term != NUMBER_WORD:
                    self._alike.setdefault(term[:ALIKE], set()).add(term)
        is_here = here.__contains__
        if text.isascii():
            for words_said in said:
                yield [term for word in filter(is_here, words_said) for term in held[word]]
            return
        for words_said, spaceless in zip(said, self._find_spaceless(text, spans), strict=True):
            yield [term for word in filter(is_here, words_said) for term in held[word]] + spaceless

    def alike(self, term: str) -> list[str]:
        """Returns the words found so far that begin as a term does, in order."""
        return sorted(self._alike.get(term[:ALIKE], ()))

    def _relate(self) -> None:
        """Finds the words that stand for the terms, and for words alike, among all that are known."""
        known, stems = self._words, self._stems
        held: dict[str, tuple[str, ...]] = dict.fromkeys(known.numbers, (NUMBER_WORD,))
        for stem in stems:
            for word in known.by_stem.get(stem, ()):
                held[word] = (*held.get(word, ()), stem)
        for beginning in self._beginnings:
            for word, stem in known.by_beginning.get(beginning, ()):
                if stem not in stems:
                    held[word] = (*held.get(word, ()), stem)
        self._held = held

    def _find_spaceless(self, text: str, spans: Sequence[Span]) -> list[list[str]]:
        """Returns, for each span, the terms of scripts without blanks it holds."""
        found: list[list[str]] = [[] for _ in spans]
        starts = [start for start, _ in spans]
        # Characters as numbers, neighbours as one number: comparing text this short costs several times as much.
        coded = memoryview(text.encode(CODEC, "surrogatepass"))
        for begin in (0, 1) if self._pairs else ():
            end = len(coded) - (len(coded) - 4 * begin) % 8
            pairs = coded[4 * begin : end].cast("Q").tolist()
            for number, term in [
                (number, self._pairs[pair]) for number, pair in enumerate(pairs) if pair in self._pairs
            ]:
                found[bisect_right(starts, begin + 2 * number) - 1].append(term)
        if self._singles:
            for at in [at for at, char in enumerate(coded.cast("I").tolist()) if char in self._singles]:
                if text[at] in single_characters(text[max(0, at - 1) : at + 2]):
                    found[bisect_right(starts, at) - 1].append(text[at])
        return found


_words = _Words()
