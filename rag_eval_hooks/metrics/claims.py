"""Groundedness and EvidenceCompleteness: how much of what the answer states the context backs."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import answer_gap
from rag_eval_hooks.record import Attribution, Claim, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["EvidenceCompleteness", "Groundedness"]


@register
@dataclass(frozen=True, kw_only=True)
class Groundedness(Metric):
    """Share of the answer's claims that the context backs.

    Groundedness = claims with verdict `supported` / claims that need evidence

    An uncertain verdict does not count as backed. Greetings, questions and refusals need no evidence and are on
    neither side; an answer of these alone has no value (`no_claims`).

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> Groundedness().score(run, make_attribution(run, claims=["+1", "-", "+2", "~", "!"])).value
    0.5
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims"})
    labels: ClassVar[Labels] = "used"

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        gap = answer_gap(run, attribution)
        if gap is not None or attribution is None:
            return self.not_scored(gap or "no_attribution")
        claims = [claim for claim in attribution.claims if claim.needs_evidence]
        if not claims:
            return self.not_scored("no_claims")
        return self.scored(sum(claim.verdict == "supported" for claim in claims) / len(claims))


@register
@dataclass(frozen=True, kw_only=True)
class EvidenceCompleteness(Metric):
    """Share of the answer's claims whose evidence is among the first `k` items of the context; needs no gold.

    EvidenceCompleteness@k = claims backed by the first k items / claims that need evidence

    A claim is backed by the first `k` items when its verdict is `supported` and every chunk attribution names behind
    it has a rank of at most `k`. Attribution names the chunks that back a claim alone and those that do so together,
    without saying which, so a claim that one item backs at the top and another backs further down counts only from
    the further one on: with `k`, read it as a lower bound. Without `k` it equals `Groundedness`.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("abc")
    >>> found = make_attribution(run, claims=["+1", "+1,3", "-", "+2"])
    >>> [EvidenceCompleteness(k=k).score(run, found).value for k in (1, 2, None)]
    [0.25, 0.5, 0.75]
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims"})
    labels: ClassVar[Labels] = "used"

    k: int | None = None
    """How many items of the context to look at, from the top; None looks at all."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        gap = answer_gap(run, attribution)
        if gap is not None or attribution is None:
            return self.not_scored(gap or "no_attribution")
        claims = [claim for claim in attribution.claims if claim.needs_evidence]
        if not claims:
            return self.not_scored("no_claims")
        return self.scored(sum(map(self._backed, claims)) / len(claims))

    def _backed(self, claim: Claim) -> bool:
        if claim.verdict != "supported":
            return False
        return self.k is None or all(support.rank <= self.k for support in claim.supported_by)
