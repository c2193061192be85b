"""RR: how far down the first relevant chunk is."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric

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
    use_when: ClassVar[str] = "There is one right answer in one place, and how early it comes is what counts."
    avoid_when: ClassVar[str] = "Several items are needed: it is blind to all that follows the first hit; take `AP`."

    def value_of(self, listed: RankedList) -> float:
        """Returns the reciprocal rank."""
        return 1 / listed.hits[0] if listed.hits_among(self.k) else 0.0
