"""AP: whether the relevant chunks come first."""

from dataclasses import dataclass
from math import fsum
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric

__all__ = ["AP"]


@register
@dataclass(frozen=True, kw_only=True)
class AP(RankingMetric):
    """Average precision of the first `k` retrieved; its mean over questions is MAP.

    AP@k = sum of P@i over the ranks i of the hits among the first k / |relevant|

    `norm="min"` divides by min(|relevant|, k), so that a full top `k` reaches 1 although more is relevant.

    >>> from rag_eval_hooks.testing import make_run
    >>> AP().score(make_run("axb", relevant={"a", "b"})).value == (1 / 1 + 2 / 3) / 2
    True
    """

    name: ClassVar[str] = "AP"
    use_when: ClassVar[str] = "Several items are relevant, all alike, and they should come first."
    avoid_when: ClassVar[str] = "Relevance is graded (`nDCG`), one item suffices (`RR`), or the total is unknown (`T`)."

    norm: Literal["all", "min"] = "all"
    """Whether to divide by the number of relevant ids, or by that number and at most `k`."""

    def value_of(self, listed: RankedList) -> float:
        """Returns the average precision."""
        ranks = listed.hits[: listed.hits_among(self.k)]
        possible = listed.relevant
        if self.norm == "min":
            possible = min(possible, self.depth(possible))
        return fsum(hits / rank for hits, rank in enumerate(ranks, 1)) / possible
