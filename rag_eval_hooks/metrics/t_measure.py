"""T: what the relevant items of a list gain, less what the harmful ones cost; needs no total."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.labels import use_grades
from rag_eval_hooks.metrics.levels import ranked_units
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["T"]


@register
@dataclass(frozen=True, kw_only=True)
class T(RankingMetric):
    """Positives less negatives among the first `k` retrieved; neither recall nor a total is needed.

    T@k = ((1 - alpha) * positives - alpha * negatives) / K, with K = min(k, n)

    An item is positive, negative or unknown; unknown ones count in K alone. With `labels="gold"` or `"judge"` each
    judged id is labelled: positive with a grade above 0, else negative. With `labels="used"` what the answer used is
    positive, what it did not use and what states another value than the answer is negative, and the rest is unknown.
    Where every item is labelled, T = P - alpha: it ranks as `P(denominator=returned)` does, so print that beside it.
    From -alpha to 1 - alpha; an empty list is 0. Source: arXiv 2512.20854.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("abcde", relevance={"a": 1, "b": 0, "c": 1, "d": 0, "e": 0})
    >>> T(k=5).score(run).value == (0.5 * 2 - 0.5 * 3) / 5 == -0.1
    True
    >>> found = make_attribution(run, used=[1, 3], conflict=[2])
    >>> T(k=5, labels="used").score(run, found).value == (0.5 * 2 - 0.5 * 1) / 5
    True
    """

    name: ClassVar[str] = "T"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"alpha": (0.0, 1.0)}
    use_when: ClassVar[str] = (
        "The number of relevant items is unknown, as it is live: what was used, what distracted, what is neither."
    )
    avoid_when: ClassVar[str] = "Every item is labelled: then it says no more than `P`."

    alpha: float = 0.5
    """What a negative costs; a positive gains 1 - alpha."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # Those of the class hold for every alpha; outside the fields they take no part in equality.
        object.__setattr__(self, "bounds", (-self.alpha, 1 - self.alpha))

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the value over the retrieved list, or null with the reason."""
        if self.labels != "used":
            return super().score(run, attribution)
        graded, reason = use_grades(run, attribution, self.level)
        if reason is not None:
            return self.not_scored(reason)
        return self.scored(self.value_of(RankedList(ranked_units(run, self.level), graded)))

    def has_value(self, listed: RankedList) -> bool:
        """Whether any id is labelled, be it as negative."""
        return bool(listed.grades)

    def value_of(self, listed: RankedList) -> float:
        """Returns the balance of the labelled ids, per item."""
        size = len(listed.ids)
        depth = size if self.k is None else min(self.k, size)
        if not depth:
            return 0.0
        labelled = [grade > 0 for rank, grade in listed.judged if rank <= depth]
        positives = sum(labelled)
        negatives = len(labelled) - positives
        value = ((1 - self.alpha) * positives - self.alpha * negatives) / depth
        return min(max(value, -self.alpha), 1 - self.alpha)  # rounding may pass a bound by a hair
