"""The base of measures that are a share of what the answer states or cites."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric
from rag_eval_hooks.metrics.labels import judged_attribution
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["ShareMetric"]


@dataclass(frozen=True, kw_only=True)
class ShareMetric(Metric):
    """Base of measures of a whole answer that is no refusal; a subclass says which part of which whole is good."""

    labels: ClassVar[Labels] = "used"
    nothing: ClassVar[str] = "no_claims"
    """The reason where the whole is 0."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        found = judged_attribution(run, attribution)
        if isinstance(found, str):
            return self.not_scored(found)
        share = self.judge(run, found)
        if isinstance(share, str):
            return self.not_scored(share)
        part, whole = share
        return self.scored(part / whole) if whole > 0 else self.not_scored(self.nothing)

    @abstractmethod
    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float] | str:
        """Returns how much is good and of how much, or why that is unknown."""
