"""EvidenceConflict: how much of the answer the context contradicts."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Need, register
from rag_eval_hooks.metrics.share import ShareMetric
from rag_eval_hooks.record import Attribution, RagRun

__all__ = ["EvidenceConflict"]


@register
@dataclass(frozen=True, kw_only=True)
class EvidenceConflict(ShareMetric):
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
    lower_is_better: ClassVar[bool] = True
    use_when: ClassVar[str] = "Wrong figures do harm: it counts what the context says otherwise, live and without gold."
    avoid_when: ClassVar[str] = "The worry is what has no source at all; `Groundedness` counts that, too."

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float]:  # noqa: ARG002
        """Returns the claims in conflict, and all."""
        return sum(claim.verdict == "conflict" for claim in attribution.claims), len(attribution.claims)
