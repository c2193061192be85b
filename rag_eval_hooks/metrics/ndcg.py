"""nDCG: whether the better chunks come before the good ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log2
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranking import RankingMetric, first_ranks

__all__ = ["NDCG"]

MAX_EXPONENT = 512.0
"""2 to the grade is a finite float up to here; above, all gains are scaled down, which leaves the ratio as it is."""


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

    gain: Literal["exp", "linear"] = "exp"
    """How a grade turns into gain."""
    ideal: Literal["all", "pool"] = "all"
    """Which ids the best possible order may use: all judged ones, or only those retrieved."""

    def value(self, ranked: Sequence[str], graded: Mapping[str, float]) -> float:
        """Returns the normalised gain; 0 where nothing relevant was retrieved."""
        gains = self._gains(graded)
        ranks = first_ranks(ranked, self.k)
        reached = sum(gains[identifier] / log2(rank + 1) for identifier, rank in ranks.items() if identifier in gains)
        if reached == 0:
            return 0.0
        if self.ideal == "pool":
            retrieved = frozenset(ranked)
            gains = {identifier: gain for identifier, gain in gains.items() if identifier in retrieved}
        best = sorted(gains.values(), reverse=True) if self.k is None else nlargest(self.k, gains.values())
        possible = sum(gain / log2(rank + 1) for rank, gain in enumerate(best, 1))
        # Equal sums taken in another order may differ in the last digit.
        return min(1.0, reached / possible)

    def _gains(self, graded: Mapping[str, float]) -> dict[str, float]:
        """The gain of each relevant id; scaled where a grade is too large for a float to hold its gain."""
        above = {identifier: grade for identifier, grade in graded.items() if grade > 0}
        top = max(above.values())
        if self.gain == "linear":
            return {identifier: grade / top for identifier, grade in above.items()} if top > 2**MAX_EXPONENT else above
        shift = max(0.0, top - MAX_EXPONENT)
        return {identifier: 2.0 ** (grade - shift) - 2.0**-shift for identifier, grade in above.items()}
