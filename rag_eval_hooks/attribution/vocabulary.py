"""Finds the terms an answer says in the sentences of a chunk, without making terms of all the chunk's words."""

import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from rag_eval_hooks.attribution.terms import (
    OPENING,
    SPACELESS_FROM,
    openings,
    plain_words,
    single_characters,
    stems_of_word,
)
from rag_eval_hooks.attribution.worded import TRIGGERS

__all__ = ["NUMBER_WORD", "Vocabulary"]

ALIKE = 5
NUMBER_WORD = ""
"""Stands for any word without which there is no value in words."""
CODEC, FIRST, SECOND = ("utf-32-le", 0, 32) if sys.byteorder == "little" else ("utf-32-be", 32, 0)
TRIGGER_OPENINGS = openings(TRIGGERS)
Span = tuple[int, int]


class Vocabulary:
    """The terms that are looked for. It learns which words of the texts stand for them, each word once.

    Args:
        terms: The terms.
    """

    def __init__(self, terms: Collection[str]) -> None:
        spaceless = [term for term in terms if term[0] >= SPACELESS_FROM]
        self._pairs = {ord(term[0]) << FIRST | ord(term[1]) << SECOND: term for term in spaceless if len(term) == 2}
        self._singles = frozenset(ord(term) for term in spaceless if len(term) == 1)
        self._stems = frozenset(terms).difference(spaceless)
        self._openings = TRIGGER_OPENINGS | openings(self._stems)
        self._beginnings = {term[:ALIKE] for term in self._stems if len(term) >= ALIKE}
        self._alike: dict[str, set[str]] = {}
        self._known: dict[str, tuple[str, ...]] = {}
        """For each word that holds terms: which."""
        self._learnt: set[str] = set()

    def find(self, text: str, spans: Sequence[Span]) -> Iterator[Sequence[str]]:
        """Yields, for each span of a folded text, the terms and words alike it holds; a term may be there twice."""
        said = plain_words(text, spans)
        words = set().union(*said)
        self._learn(words - self._learnt)
        known = self._known
        here = words & known.keys()
        spaceless = self._find_spaceless(text, spans) if not text.isascii() else None
        for number, words_said in enumerate(said):
            held: list[str] = []
            if not here.isdisjoint(words_said):
                for word in here.intersection(words_said):
                    held += known[word]
            if spaceless is not None:
                held += spaceless[number]
            yield held

    def alike(self, term: str) -> list[str]:
        """Returns the words found so far that begin as a term does, in order."""
        return sorted(self._alike.get(term[:ALIKE], ()))

    def _learn(self, words: set[str]) -> None:
        """Takes in words that were not seen before; most are no relatives of any term, as their first letters show."""
        self._learnt |= words
        known = self._openings
        for word in [word for word in words if word[:OPENING] in known or "'" in word]:
            for stem in stems_of_word(word):
                held: list[str] = []
                if stem in TRIGGERS:
                    held.append(NUMBER_WORD)
                if stem in self._stems:
                    held.append(stem)
                elif stem[:ALIKE] in self._beginnings:
                    self._alike.setdefault(stem[:ALIKE], set()).add(stem)
                    held.append(stem)
                if held:
                    self._known[word] = (*self._known.get(word, ()), *held)

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
