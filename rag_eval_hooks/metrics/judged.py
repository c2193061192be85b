"""Judged: how much of the list the gold labels say anything about."""

from bisect import bisect_right
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric

__all__ = ["Judged"]


@register
@dataclass(frozen=True, kw_only=True)
class Judged(RankingMetric):
    """Share of the first `k` retrieved that has a grade, be it 0: how far to trust the other measures.

    Judged@k = ids with a grade among the first k / k

    Without `k`, divides by the number retrieved.

    >>> from rag_eval_hooks.testing import make_run
    >>> Judged(k=4).score(make_run("abcd", relevance={"a": 2, "b": 0})).value
    0.5
    """

    name: ClassVar[str] = "Judged"
    use_when: ClassVar[str] = "Beside every measure with gold labels: it says how far to trust them."
    avoid_when: ClassVar[str] = "As a goal of its own: a list of items judged irrelevant scores 1."

    def has_value(self, listed: RankedList) -> bool:
        """Whether any id has a grade."""
        return bool(listed.grades)

    def value_of(self, listed: RankedList) -> float:
        """Returns the share with a grade."""
        depth = self.depth(len(listed.ids))
        judged = listed.judged
        return bisect_right(judged, (depth, inf)) / depth if depth else 0.0
