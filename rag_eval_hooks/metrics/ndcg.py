"""nDCG: whether the better chunks come before the good ones."""

from bisect import bisect_right
from dataclasses import dataclass
from math import inf, log2
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric

__all__ = ["NDCG"]

MAX_EXPONENT = 512.0
"""2 to the grade is a finite float up to here; above, all gains are scaled down, which leaves the ratio as it is."""
LARGE = 2.0**MAX_EXPONENT


@register
@dataclass(frozen=True, kw_only=True)
class NDCG(RankingMetric):
    """Discounted cumulative gain of the first `k`, divided by that of the best possible order.

    nDCG@k = DCG@k / ideal DCG@k, with DCG@k = sum over i <= k of gain(grade at rank i) / log2(i + 1)

    The gain is 2^grade - 1, or the grade itself with `gain="linear"` (trec_eval). The ideal order is that of **all**
    judged ids; `ideal="pool"` builds it from the retrieved ids alone, and then says nothing about what was missed.
    A grade of 0 or below gains nothing. Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the exponential gain is
    that of Burges et al., ICML 2005.

    >>> from rag_eval_hooks.testing import make_run
    >>> run = make_run("abcde", relevance={"a": 3, "b": 1, "c": 2, "d": 0, "e": 2})
    >>> round(NDCG(k=5).score(run).value, 4), round(NDCG(k=5, gain="linear").score(run).value, 3)
    (0.9508, 0.949)
    """

    name: ClassVar[str] = "nDCG"
    use_when: ClassVar[str] = "Relevance is graded, and better items should come before good ones."
    avoid_when: ClassVar[str] = (
        "The reader is a model that gets the whole prompt: the discount is that of a person who stops reading; "
        "`ContextPrecision` and `UDCG` are about what a model makes of it."
    )

    gain: Literal["exp", "linear"] = "exp"
    """How a grade turns into gain."""
    ideal: Literal["all", "pool"] = "all"
    """Which ids the best possible order may use: all judged ones, or only those retrieved."""

    def has_value(self, listed: RankedList) -> bool:
        """Whether any id has a grade above 0, whatever counts as relevant."""
        return bool(listed.ideal)

    def value_of(self, listed: RankedList) -> float:
        """Returns the normalised gain; 0 where nothing relevant was retrieved."""
        found = [(rank, grade) for rank, grade in listed.judged if grade > 0]
        if self.k is not None:
            found = found[: bisect_right(found, (self.k, inf))]
        if not found:
            return 0.0
        ideal = listed.ideal
        if self.ideal == "pool":
            ideal = sorted((grade for _, grade in listed.judged if grade > 0), reverse=True)
        best = ideal[: self.k]
        if self.gain == "exp":
            shift = max(0.0, listed.ideal[0] - MAX_EXPONENT)
            low = 2.0**-shift
            gains: dict[float, float] = {
                grade: 2.0 ** (grade - shift) - low for grade in {*best, *[grade for _, grade in found]}
            }
            reached = sum([gains[grade] / log2(rank + 1) for rank, grade in found])
            possible = sum([gains[grade] / log2(rank + 1) for rank, grade in enumerate(best, 1)])
        else:
            # A sum of the largest floats would overflow; the ratio is the same without them.
            scale = listed.ideal[0] if listed.ideal[0] > LARGE else 1.0
            reached = sum([grade / scale / log2(rank + 1) for rank, grade in found])
            possible = sum([grade / scale / log2(rank + 1) for rank, grade in enumerate(best, 1)])
        if reached == 0:  # the gain of the smallest floats is 0
            return 0.0
        # Equal sums taken in another order may differ in the last digit.
        return min(1.0, reached / possible)
