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

    With `rule="alce"` a citation counts when its claim is wholly backed by its citations together, and the citation is
    not irrelevant; it is irrelevant when it alone does not back the claim while the others without it do. Source of
    that rule: ALCE, arXiv 2305.14627, section 3.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "-"], citations=[(0, 1), (0, 2, False), (1, None), (0, 2)])
    >>> CitationPrecision().score(run, found).value
    0.5
    >>> CitationPrecision(rule="alce").score(run, found).value  # claim 0 is backed by a; b is irrelevant, twice
    0.25
    """

    nothing: ClassVar[str] = "no_citations"
    use_when: ClassVar[str] = "A reader who follows a citation must find what it stands behind."
    avoid_when: ClassVar[str] = "Alone: one good citation in a long answer scores 1; `CitationRecall` counts the rest."

    rule: Literal["part", "alce"] = "part"
    """What makes a citation good: it backs part of its statement, or it is one that ALCE calls relevant."""

    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:
        """Returns whether each citation is good by the rule."""
        if self.rule == "part":
            return [citation.supported for citation in attribution.citations]
        cited = _cited_ranks(attribution)
        claims = {claim.index: claim for claim in attribution.claims}
        good: list[bool] = []
        for citation in attribution.citations:
            claim, rank = claims.get(-1 if citation.claim is None else citation.claim), citation.target_rank
            if claim is None or rank is None or not backed_by(run, claim, cited[claim.index]):
                good.append(False)
            else:
                alone = backed_by(run, claim, {rank})
                good.append(alone or not backed_by(run, claim, cited[claim.index] - {rank}))
        return good


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

    use_when: ClassVar[str] = "Every statement must be covered by its own citations, as in a report."
    avoid_when: ClassVar[str] = "Alone: citing everything scores 1; `CitationPrecision` counts what is too much."

    over: Literal["evidence", "all"] = "evidence"
    """Which claims count: those that need evidence, or all."""

    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:
        """Returns whether each claim that counts is backed by its own citations."""
        cited = _cited_ranks(attribution)
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

    use_when: ClassVar[str] = "You want to see whether the prompt makes the model cite at all."
    avoid_when: ClassVar[str] = "The question is whether citations hold: this one does not look."

    def judge(self, run: RagRun, attribution: Attribution) -> list[bool]:  # noqa: ARG002
        """Returns whether each claim that needs evidence carries a citation."""
        return [bool(claim.citations) for claim in attribution.claims if claim.needs_evidence]


def _cited_ranks(attribution: Attribution) -> dict[int, set[int]]:
    """The ranks that each claim cites; dangling citations cite none."""
    cited: dict[int, set[int]] = {}
    for citation in attribution.citations:
        if citation.claim is not None and citation.target_rank is not None:
            cited.setdefault(citation.claim, set()).add(citation.target_rank)
    return cited
