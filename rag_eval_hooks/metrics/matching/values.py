"""Compares an answer with a right one by its values: numbers, dates, times, codes."""

import re
from bisect import bisect_right
from functools import cached_property

from rag_eval_hooks.attribution.anchor_index import anchors_of
from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.anchors.han import han_or_digits
from rag_eval_hooks.attribution.claims import blank
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.slots import is_year, same_slot
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.attribution.units import CN_NUMERALS

__all__ = ["Valued", "same_value"]

MAX_VALUES = 100
"""Values of a right answer that are compared one by one; a longer one is a text, and compared by words."""
MAX_STATED = 1_000
"""Values of an answer that are looked at."""
NUMERAL = re.compile(f"[{CN_NUMERALS}]{{1,12}}")
CLAUSE = re.compile(r"(?<!\d)[.,](?!\d)|[.,](?=\s)|[;!?\n。]|\b(?:but|while|whereas|aber|während|mais|pero)\b|而|但")
OR = re.compile(
    r"[\s,]*(?:or|oder|ou|o|u|或者|或|还是|/)"
    r"(?: (?:maybe|perhaps|possibly|even|about|vielleicht|auch|peut-être|quizás))?\s*"
)
NOT = re.compile(
    r"(?:\bnot|n't|\bnever|\bnicht|\bpas|\bno|\bkeine?n?|不是|并非|而非|非)\s*(?:(?:in|at|on|de|the|la|le|um|bei) )?$"
)
NOT_WITHIN = 16
"""Characters before a value within which a negation is of it."""
MOST_RIVALS = 9
"""Other values for one thing that are counted: so many make a tenth of a match."""
ALIKE = 0.6
"""Share of their words from which two clauses tell of the same thing."""


class Valued:
    """A text with its values, and the stems of the words beside them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text).text
        self.values = anchors_of(self.folded)[:MAX_STATED]
        self._clauses: dict[int, frozenset[str]] = {}
        bare = self.folded.strip(" 。.")
        if not self.values and NUMERAL.fullmatch(bare):
            value = han_or_digits(bare)
            if value is not None:
                self.values = [Anchor(0, len(self.folded), None, (float(value),), raw=str(value))]

    def terms(self, *, without_values: bool) -> frozenset[str]:
        """Returns the stems of its words, with or without those that are part of a value."""
        return frozenset(term for term, _, _ in terms(self._bare if without_values else self.folded))

    def states(self, right: "Valued") -> bool | None:
        """Whether it states all values of the right answer; None where that has none or too many."""
        if not 0 < len(right.values) <= MAX_VALUES:
            return None
        return all(self._places(value) for value in right.values)

    def contradictions(self, right: "Valued") -> int:
        """Returns in how many values it says what the right answer gives one value for; 1 where it keeps to one.

        `31 m or 45 m`, and `It is 31 m tall. It is 45 m tall.`, say two.
        """
        most = 1
        for value in right.values:
            places = self._places(value)
            rivals: list[Anchor] = []
            for other in self.values:
                if len(rivals) >= MOST_RIVALS:
                    break
                if any(same_value(other, one) for one in (*right.values, *rivals)) or not _same_kind(other, value):
                    continue
                if any(self._is_instead(other, mine) for mine in (*places[:MOST_RIVALS], *rivals)):
                    rivals.append(other)
            most = max(most, 1 + len(rivals))
        return most

    def _places(self, value: Anchor) -> list[Anchor]:
        """Returns where it states a value, without the places where it denies it."""
        return [
            mine
            for mine in self.values
            if same_value(mine, value) and not NOT.search(self.folded[max(0, mine.start - NOT_WITHIN) : mine.start])
        ]

    def _is_instead(self, other: Anchor, mine: Anchor) -> bool:
        """Whether another value stands for the same thing as one: joined by `or`, or in a clause of the same words."""
        first, second = (other, mine) if other.start < mine.start else (mine, other)
        if NOT.search(self.folded[max(0, other.start - NOT_WITHIN) : other.start]):
            return False
        if OR.fullmatch(self.folded, first.end, second.start):
            return True
        one, two = self._clause(first), self._clause(second)
        if one == two:
            return False
        words, others = self._words(one), self._words(two)
        return bool(words | others) and len(words & others) >= ALIKE * len(words | others)

    def _clause(self, anchor: Anchor) -> int:
        """Returns the number of the clause a value stands in."""
        return bisect_right(self._cuts, anchor.start)

    @cached_property
    def _cuts(self) -> list[int]:
        return [match.start() for match in CLAUSE.finditer(self.folded)]

    @cached_property
    def _bare(self) -> str:
        """The text with its values blanked out."""
        return blank(self.folded, [(value.start, value.end) for value in self.values])

    def _words(self, clause: int) -> frozenset[str]:
        """Returns the stems of a clause's words, values left out."""
        if clause not in self._clauses:
            start = self._cuts[clause - 1] if clause else 0
            end = self._cuts[clause] if clause < len(self._cuts) else len(self.folded)
            self._clauses[clause] = frozenset(term for term, _, _ in terms(self._bare[start:end]))
        return self._clauses[clause]


def same_value(mine: Anchor, right: Anchor) -> bool:
    """Whether two values agree, rounded as either of them is written."""
    return fits(mine, right) or fits(right, mine)


def _same_kind(one: Anchor, other: Anchor) -> bool:
    if same_slot(one, other):
        return True
    return (
        one.key is None
        and other.key is None
        and (one.dimension is None or other.dimension is None)
        and is_year(one) == is_year(other)
    )
