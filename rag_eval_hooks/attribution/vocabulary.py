"""Finds the terms an answer says in the sentences of a chunk, without making terms of all the chunk's words."""

from collections.abc import Collection, Iterator, Sequence
from operator import add

from rag_eval_hooks.attribution.terms import SPACELESS_FROM, plain_words, single_characters, stems_of_word
from rag_eval_hooks.attribution.worded import TRIGGERS

__all__ = ["ALIKE", "NUMBER_WORD", "Vocabulary"]

ALIKE = 5
"""How many letters at their beginning two words share to be alike."""
NUMBER_WORD = ""
"""Stands for any word without which there is no value in words."""


class Vocabulary:
    """The terms that are looked for. It learns which words of the texts stand for them, each word once.

    Args:
        terms: The terms.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self._terms = frozenset(terms)
        spaceless = [term for term in terms if term[0] >= SPACELESS_FROM]
        self._pairs = frozenset(term for term in spaceless if len(term) > 1)
        self._singles = frozenset(term for term in spaceless if len(term) == 1)
        self._beginnings = {term[:ALIKE] for term in terms if len(term) >= ALIKE and term[0] < SPACELESS_FROM}
        self._alike: dict[str, set[str]] = {}
        self._known: dict[str, tuple[str, ...]] = {}
        """For each word, or run of a script without blanks, that holds terms: which."""
        self._learnt: set[str] = set()

    def find(self, text: str, spans: Sequence[tuple[int, int]]) -> Iterator[list[str]]:
        """Yields, for each span of a folded text, the terms and words alike it holds; a term may be there twice."""
        said = plain_words(text, spans)
        fresh = set().union(*said) - self._learnt
        self._learnt |= fresh
        for word in fresh:
            held = self._held(word)
            if held:
                self._known[word] = held
        known, words_known = self._known, self._known.keys()
        for words in said:
            yield [term for word in words_known & words for term in known[word]]

    def alike(self, term: str) -> list[str]:
        """Returns the words found so far that begin as a term does, in order."""
        return sorted(self._alike.get(term[:ALIKE], ()))

    def _held(self, word: str) -> tuple[str, ...]:
        if word[0] >= SPACELESS_FROM:
            held = self._pairs.intersection(map(add, word, word[1:]))
            if not self._singles.isdisjoint(word):
                held |= self._singles.intersection(single_characters(word))
            return tuple(held)
        found: list[str] = []
        for stem in stems_of_word(word):
            if stem in TRIGGERS:
                found.append(NUMBER_WORD)
            if stem in self._terms:
                found.append(stem)
            elif stem[:ALIKE] in self._beginnings and len(stem) >= ALIKE:
                self._alike.setdefault(stem[:ALIKE], set()).add(stem)
                found.append(stem)
        return tuple(found)
