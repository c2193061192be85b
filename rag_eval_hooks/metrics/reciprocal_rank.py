"""RR: how far down the first relevant chunk is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranking import RankingMetric, hit_ranks

__all__ = ["RR"]


@register
@dataclass(frozen=True, kw_only=True)
class RR(RankingMetric):
    """Reciprocal rank of the first relevant id among the first `k`; its mean over questions is MRR.

    RR@k = 1 / rank of the first hit, 0 where there is none

    >>> from rag_eval_hooks.testing import make_run
    >>> RR().score(make_run("xyza", relevant={"a"})).value
    0.25
    """

    name: ClassVar[str] = "RR"

    def value(self, ranked: Sequence[str], graded: Mapping[str, float]) -> float:
        """Returns the reciprocal rank."""
        ranks = hit_ranks(ranked, graded, self.k)
        return 1 / ranks[0] if ranks else 0.0
