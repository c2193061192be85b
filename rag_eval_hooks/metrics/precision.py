"""P: how much of what was retrieved is relevant."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric

__all__ = ["P"]


@register
@dataclass(frozen=True, kw_only=True)
class P(RankingMetric):
    """Share of the first `k` retrieved that is relevant.

    P@k = hits among the first k / k

    A list shorter than `k` still divides by `k`, as trec_eval's `P` does; `denominator="returned"` divides by what
    was returned, min(k, n). Without `k`, by n.

    >>> from rag_eval_hooks.testing import make_run
    >>> P(k=5).score(make_run("abcde", relevant={"a", "c", "d"})).value
    0.6
    """

    name: ClassVar[str] = "P"
    use_when: ClassVar[str] = "A fixed number of items goes into the prompt, and each irrelevant one costs room."
    avoid_when: ClassVar[str] = (
        "Questions differ in how many relevant items exist: with fewer than k of them a perfect list stays below 1."
    )

    denominator: Literal["k", "returned"] = "k"
    """Whether to divide by `k` or by the number of ids returned, at most `k`."""

    def value_of(self, listed: RankedList) -> float:
        """Returns hits over the denominator; 0 for an empty list."""
        size = len(listed.ids)
        depth = self.depth(size)
        if self.denominator == "returned":
            depth = min(depth, size)
        return listed.hits_among(self.k) / depth if depth else 0.0
