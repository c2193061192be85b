"""F and Fe: precision and recall in one number, with the total known or estimated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric
from rag_eval_hooks.record import RagRun

__all__ = ["F", "Fe"]


@register
@dataclass(frozen=True, kw_only=True)
class F(RankingMetric):
    """Weighted harmonic mean of precision and recall among the first `k` retrieved.

    F@k = (1 + beta^2) * P@k * R@k / (beta^2 * P@k + R@k), 0 where both are 0

    P@k divides by `k`. With `beta` above 1 recall weighs more, below 1 precision. Source: van Rijsbergen, Information
    Retrieval, 2nd ed., 1979, chapter 7.

    >>> from rag_eval_hooks.testing import make_run
    >>> run = make_run("abxyc", relevant={"a", "b", "c", "d"})  # P = 3/5, R = 3/4
    >>> round(F(k=5).score(run).value, 4), round(F(k=5, beta=2).score(run).value, 4)
    (0.6667, 0.7143)
    """

    name: ClassVar[str] = "F"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"beta": (0.0, 1000.0)}
    use_when: ClassVar[str] = "One number has to stand for both misses and noise, and all relevant items are known."
    avoid_when: ClassVar[str] = "Order matters (`AP`, `nDCG`), or the total is unknown (`T`, `Fe`)."

    beta: float = 1.0
    """How many times as much recall weighs as precision."""

    def value_of(self, listed: RankedList) -> float:
        """Returns the mean; 0 where nothing was hit."""
        return self._mean(listed, listed.relevant)

    def _mean(self, listed: RankedList, total: int) -> float:
        hits = listed.hits_among(self.k)
        if not hits:
            return 0.0
        precision, recall = hits / self.depth(len(listed.ids)), hits / total
        weight = self.beta * self.beta
        return (1 + weight) * precision * recall / (weight * precision + recall)


@register
@dataclass(frozen=True, kw_only=True)
class Fe(F):
    """`F` where the number of relevant items is estimated by those among the first 2k: no total is needed.

    Fe@k = F@k with R@k = hits among the first k / hits among the first 2k

    The estimate is never above the true number, so Fe@k is never below F@k. Where fewer than 2k were returned, the
    estimate rests on what there was: the value stands, and `pool_truncated` says so. Without `k` the estimate is the
    list itself, and recall is 1. Source: arXiv 2512.20854.

    >>> from rag_eval_hooks.testing import make_run
    >>> run = make_run("abxcyz", relevant={"a", "b", "c", "d"})  # P = 2/3, estimated R = 2/3
    >>> round(Fe(k=3).score(run).value, 4), Fe(k=3).pool_truncated(run), Fe(k=4).pool_truncated(run)
    (0.6667, False, True)
    """

    name: ClassVar[str] = "Fe"
    use_when: ClassVar[str] = "The number of relevant items is unknown, and the retriever returns at least 2k of them."
    avoid_when: ClassVar[str] = "All relevant items are known (`F`), or fewer than 2k are returned (`T`)."

    def value_of(self, listed: RankedList) -> float:
        """Returns the mean with the estimated total; 0 where nothing was hit."""
        return self._mean(listed, listed.hits_among(2 * self.depth(len(listed.ids))))

    def pool_truncated(self, run: RagRun) -> bool:
        """Returns whether fewer than 2k were returned, so that the estimate rests on less than it should."""
        returned = len(run.retrieved_ids)
        return returned < 2 * max(1, self.depth(returned))
