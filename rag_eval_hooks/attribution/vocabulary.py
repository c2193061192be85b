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
    """The terms that are looked for, and the words of texts that stand for them.

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
        self._held: dict[str, Sequence[str]] = {}
        """For each word that holds terms: which."""
        self._learnt: set[str] = set()

    def find(self, text: str, spans: Sequence[Span]) -> Iterator[tuple[int, str]]:
        """Yields the terms and words alike that a folded text holds, each with the number of the span it stands in.

        The numbers do not fall, but for scripts without blanks, which come last. A term may be there twice.
        """
        said = plain_words(text, spans)
        words = set().union(*said)
        self._learn(words - self._learnt, quoted="'" in text)
        held = self._held
        here = words.intersection(held)
        if here:
            is_here = here.__contains__
            for number, words_said in enumerate(said):
                for word in filter(is_here, words_said):
                    for term in held[word]:
                        yield number, term
        if not text.isascii():
            yield from self._find_spaceless(text, spans)

    def alike(self, term: str) -> list[str]:
        """Returns the words found so far that begin as a term does, in order."""
        return sorted(self._alike.get(term[:ALIKE], ()))

    def _learn(self, words: set[str], *, quoted: bool) -> None:
        """Takes in words that were not seen before; most are no relatives of any term, as their first letters show.

        Args:
            words: The words.
            quoted: Whether quotation marks may hang on to them.
        """
        self._learnt |= words
        known = self._openings
        related = [word for word in words if word[:OPENING] in known]
        if quoted:
            related += [word for word in words if "'" in word and word[:OPENING] not in known]
        for word in related:
            held: list[str] = []
            for stem in stems_of_word(word):
                if stem in TRIGGERS:
                    held.append(NUMBER_WORD)
                if stem in self._stems:
                    held.append(stem)
                elif stem[:ALIKE] in self._beginnings:
                    self._alike.setdefault(stem[:ALIKE], set()).add(stem)
                    held.append(stem)
            if held:
                self._held[word] = held

    def _find_spaceless(self, text: str, spans: Sequence[Span]) -> list[tuple[int, str]]:
        """Returns the terms of scripts without blanks, each with the number of the span it stands in, in order."""
        found: list[tuple[int, str]] = []
        starts = [start for start, _ in spans]
        # Characters as numbers, neighbours as one number: comparing text this short costs several times as much.
        coded = memoryview(text.encode(CODEC, "surrogatepass"))
        for begin in (0, 1) if self._pairs else ():
            end = len(coded) - (len(coded) - 4 * begin) % 8
            pairs = coded[4 * begin : end].cast("Q").tolist()
            for number, term in [
                (number, self._pairs[pair]) for number, pair in enumerate(pairs) if pair in self._pairs
            ]:
                found.append((bisect_right(starts, begin + 2 * number) - 1, term))
        if self._singles:
            found += [
                (bisect_right(starts, at) - 1, text[at])
                for at, char in enumerate(coded.cast("I").tolist())
                if char in self._singles and text[at] in single_characters(text[max(0, at - 1) : at + 2])
            ]
        return sorted(found)
