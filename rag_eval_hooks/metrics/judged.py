"""Judged: how much of the list the gold labels say anything about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranking import RankingMetric, first_ranks

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

    def _has_labels(self, graded: Mapping[str, float]) -> bool:
        return bool(graded)

    def value(self, ranked: Sequence[str], graded: Mapping[str, float]) -> float:
        """Returns the share with a grade."""
        depth = self.depth(len(ranked))
        return sum(identifier in graded for identifier in first_ranks(ranked, self.k)) / depth if depth else 0.0
