"""One list against its grades: what the measures of a ranking share, worked out once."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property

__all__ = ["RankedList"]


class RankedList:
    """One query's list and grades, prepared for any number of measures. Treat it as read-only.

    A repeated id counts at its first rank; the repeat keeps its rank and counts nothing. The list is never re-sorted.

    Args:
        ids: The list, best first.
        grades: The grade of each judged id.
        min_rel: The lowest grade that counts as relevant; None takes everything above 0. Gains do not depend on it.

    >>> listed = RankedList(["a", "x", "a", "b"], {"a": 1, "b": 2, "x": 0, "c": 1})
    >>> listed.hits, listed.hits_among(3), listed.relevant, listed.ideal
    ([1, 4], 1, 3, [2, 1, 1])
    """

    def __init__(self, ids: Sequence[str], grades: Mapping[str, float], min_rel: float | None = None) -> None:
        self.ids = ids
        self.grades = grades
        self.min_rel = min_rel

    @cached_property
    def judged(self) -> list[tuple[int, float]]:
        """First rank, from 1, and grade of each judged id in the list, ascending by rank."""
        grades = self.grades
        found = [(rank, identifier) for rank, identifier in enumerate(self.ids, 1) if identifier in grades]
        first: dict[str, int] = {}
        for rank, identifier in found:
            first.setdefault(identifier, rank)
        return [(rank, grades[identifier]) for identifier, rank in first.items()]

    @cached_property
    def hits(self) -> list[int]:
        """First ranks of the relevant ids in the list, ascending."""
        if self.min_rel is None:
            return [rank for rank, grade in self.judged if grade > 0]
        min_rel = self.min_rel
        return [rank for rank, grade in self.judged if grade >= min_rel]

    def hits_among(self, k: int | None) -> int:
        """Returns how many relevant ids are among the first `k`; None takes the whole list."""
        return len(self.hits) if k is None else bisect_right(self.hits, k)

    @cached_property
    def relevant(self) -> int:
        """How many ids are relevant, in the list or not."""
        if self.min_rel is None:
            return len(self.ideal)
        min_rel = self.min_rel
        return sum(1 for grade in self.grades.values() if grade >= min_rel)

    @cached_property
    def ideal(self) -> list[float]:
        """The grades above 0 of all judged ids, best first."""
        return sorted((grade for grade in self.grades.values() if grade > 0), reverse=True)

    def binary_grades(self) -> Mapping[str, float]:
        """Returns the grades with those that do not count as relevant set to 0."""
        if self.min_rel is None:
            return self.grades
        return {identifier: grade if grade >= self.min_rel else 0.0 for identifier, grade in self.grades.items()}
