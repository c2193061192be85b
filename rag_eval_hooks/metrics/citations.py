"""CitationPrecision, CitationRecall, CitationCoverage: whether the citations hold, and whether there are enough."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.claims import backed_by
from rag_eval_hooks.metrics.labels import answer_gap
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["CitationCoverage", "CitationMetric", "CitationPrecision", "CitationRecall"]


@dataclass(frozen=True, kw_only=True)
class CitationMetric(Metric):
    """Base of the citation measures: a share of the answer's claims or citations."""

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "claims", "citations"})
    labels: ClassVar[Labels] = "used"
    nothing: ClassVar[str] = "no_claims"
    """The reason where the share has nothing to divide by."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        gap = answer_gap(run, attribution)
        if gap is not None or attribution is None:
            return self.not_scored(gap or "no_attribution")
        good = self.judge(run, attribution)
        return self.scored(sum(good) / len(good)) if good else self.not_scored(self.nothing)

    @abstractmethod
    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:
        """Returns, for each claim or citation that counts, whether it is good."""


@register
@dataclass(frozen=True, kw_only=True)
class CitationPrecision(CitationMetric):
    """Share of the citations whose target backs what they stand behind.

    CitationPrecision = citations with `supported` / citations

    Backing part of the statement is enough. A dangling citation counts among all and never as supported. An answer
    without citations has no value (`no_citations`).

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "-"], citations=[(0, 1), (0, 2, False), (1, None), (0, 2)])
    >>> CitationPrecision().score(run, found).value
    0.5
    """

    nothing: ClassVar[str] = "no_citations"

    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:  # noqa: ARG002
        """Returns whether each citation is supported."""
        return [citation.supported for citation in attribution.citations]


@register
@dataclass(frozen=True, kw_only=True)
class CitationRecall(CitationMetric):
    """Share of the claims that are backed by their own citations.

    CitationRecall = claims backed by their own citations / claims that need evidence

    A claim is backed by its own citations when its verdict is `supported` and one cited chunk backs it alone, or all
    the chunks that back it together are cited; further citations of the claim that dangle or do not back it cost
    precision, not recall (the rule of ALCE, arXiv 2305.14627, section 3). An answer that cites nothing scores a true
    0. `over="all"` divides by all claims.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "+1,2", "~"], citations=[(0, 1), (1, 1)])
    >>> CitationRecall().score(run, found).value, CitationRecall(over="all").score(run, found).value == 1 / 3
    (0.5, True)
    """

    over: Literal["evidence", "all"] = "evidence"
    """Which claims count: those that need evidence, or all."""

    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:
        """Returns whether each claim that counts is backed by its own citations."""
        cited: dict[int, set[int]] = {}
        for citation in attribution.citations:
            if citation.claim is not None and citation.target_rank is not None:
                cited.setdefault(citation.claim, set()).add(citation.target_rank)
        return [
            backed_by(run, claim, cited.get(claim.index, set()))
            for claim in attribution.claims
            if claim.needs_evidence or self.over == "all"
        ]


@register
@dataclass(frozen=True, kw_only=True)
class CitationCoverage(CitationMetric):
    """Share of the claims that carry a citation, whether it holds or not.

    CitationCoverage = claims that need evidence and carry a citation / claims that need evidence

    An answer that cites nothing scores a true 0.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "-", "~", "+2", "+2"], citations=[(0, 1), (1, None)])
    >>> CitationCoverage().score(run, found).value
    0.5
    """

    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:  # noqa: ARG002
        """Returns whether each claim that needs evidence carries a citation."""
        return [bool(claim.citations) for claim in attribution.claims if claim.needs_evidence]
