"""EvidenceConflict: how much of the answer the context contradicts."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import answer_gap
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["EvidenceConflict"]


@register
@dataclass(frozen=True, kw_only=True)
class EvidenceConflict(Metric):
    """Share of the answer's claims that the context contradicts; smaller is better.

    EvidenceConflict = claims with verdict `conflict` / claims

    A claim is in conflict when the context says another value in the same place; one that nothing in the context is
    about is unsupported, not in conflict.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> EvidenceConflict().score(run, make_attribution(run, claims=["+1", "!", "-", "~"])).value
    0.25
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims"})
    labels: ClassVar[Labels] = "used"
    lower_is_better: ClassVar[bool] = True
    use_when: ClassVar[str] = "Wrong figures do harm: it counts what the context says otherwise, live and without gold."
    avoid_when: ClassVar[str] = "The worry is what has no source at all; `Groundedness` counts that, too."

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        gap = answer_gap(run, attribution)
        if gap is not None or attribution is None:
            return self.not_scored(gap or "no_attribution")
        if not attribution.claims:
            return self.not_scored("no_claims")
        conflicts = sum(claim.verdict == "conflict" for claim in attribution.claims)
        return self.scored(conflicts / len(attribution.claims))
