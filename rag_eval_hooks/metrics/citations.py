"""CitationPrecision, CitationRecall, CitationCoverage: whether the citations hold, and whether there are enough."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import Need, register
from rag_eval_hooks.metrics.claims import backed_by
from rag_eval_hooks.metrics.share import ShareMetric
from rag_eval_hooks.record import Attribution, Claim, RagRun

__all__ = ["CitationCoverage", "CitationPrecision", "CitationRecall"]

NEEDS: frozenset[Need] = frozenset({"context", "claims", "citations"})


@register
@dataclass(frozen=True, kw_only=True)
class CitationPrecision(ShareMetric):
    """Share of the citations whose target backs what they stand behind.

    CitationPrecision = citations with `supported` / citations

    Backing part of the statement is enough. A dangling citation counts among all and never as supported. An answer
    without citations has no value (`no_citations`).

    With `rule="alce"` a citation counts when its claim is wholly backed by its citations together (its recall is 1),
    and the citation is not irrelevant; it is irrelevant when it alone does not back the claim while the others without
    it do. Source of that rule: ALCE, arXiv 2305.14627, section 3.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "-"], citations=[(0, 1), (0, 2, False), (1, None), (0, 2)])
    >>> CitationPrecision().score(run, found).value
    0.5
    >>> CitationPrecision(rule="alce").score(run, found).value  # claim 0 is backed by a; b is irrelevant, twice
    0.25
    """

    needs: ClassVar[frozenset[Need]] = NEEDS
    nothing: ClassVar[str] = "no_citations"
    use_when: ClassVar[str] = "A reader who follows a citation must find what it stands behind."
    avoid_when: ClassVar[str] = "Alone: one good citation in a long answer scores 1; `CitationRecall` counts the rest."

    rule: Literal["part", "alce"] = "part"
    """What makes a citation good: it backs part of its statement, or it is one that ALCE calls relevant."""

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float]:
        """Returns the citations that are good by the rule, and all."""
        if self.rule == "part":
            good = [citation.supported for citation in attribution.citations]
        else:
            good = self._by_alce(run, attribution)
        return sum(good), len(good)

    def _by_alce(self, run: RagRun, attribution: Attribution) -> list[bool]:
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
class CitationRecall(ShareMetric):
    """Share of the claims that are backed by their own citations.

    CitationRecall = claims backed by their own citations / claims that need a citation

    A claim is backed by its own citations when its verdict is `supported` and one cited chunk backs it alone, or all
    the chunks that back it together are cited; further citations of the claim that dangle or do not back it cost
    precision, not recall (the rule of ALCE, arXiv 2305.14627, section 3: recall is 1 for a statement that its cited
    passages, read together, entail). An answer that cites nothing scores a true 0. `over="all"` divides by all claims,
    as ALCE does.

    What needs a citation is what needs evidence, apart from restatements of the question, summaries of cited
    sentences, transitions and headings that carry none (`Claim.needs_citation`).

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "+1,2", "~"], citations=[(0, 1), (1, 1)])
    >>> CitationRecall().score(run, found).value, CitationRecall(over="all").score(run, found).value == 1 / 3
    (0.5, True)
    """

    needs: ClassVar[frozenset[Need]] = NEEDS
    version: ClassVar[int] = 2
    use_when: ClassVar[str] = "Every statement must be covered by its own citations, as in a report."
    avoid_when: ClassVar[str] = "Alone: citing everything scores 1; `CitationPrecision` counts what is too much."

    over: Literal["evidence", "all"] = "evidence"
    """Which claims count: those that need a citation (`evidence`), or all."""

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float]:
        """Returns the claims that are backed by their own citations, and those that count."""
        cited = _cited_ranks(attribution)
        judged = (claim for claim in attribution.claims if claim.probability is not None)
        claims = [claim for claim in judged if self.over == "all" or _is_expected(claim)]
        return sum(backed_by(run, claim, cited.get(claim.index, set())) for claim in claims), len(claims)


@register
@dataclass(frozen=True, kw_only=True)
class CitationCoverage(ShareMetric):
    """Share of the claims that carry a citation, whether it holds or not.

    CitationCoverage = claims that need a citation and carry one / claims that need a citation

    An answer that cites nothing scores a true 0. `CitationRecall` says what needs a citation.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("ab")
    >>> found = make_attribution(run, claims=["+1", "-", "~", "+2", "+2"], citations=[(0, 1), (1, None)])
    >>> CitationCoverage().score(run, found).value
    0.5
    """

    needs: ClassVar[frozenset[Need]] = NEEDS
    version: ClassVar[int] = 2
    use_when: ClassVar[str] = "You want to see whether the prompt makes the model cite at all."
    avoid_when: ClassVar[str] = "The question is whether citations hold: this one does not look."

    def judge(self, run: RagRun, attribution: Attribution) -> tuple[float, float]:  # noqa: ARG002
        """Returns the claims that carry a citation, and those that need one."""
        claims = [claim for claim in attribution.claims if _is_expected(claim)]
        return sum(bool(claim.citations) for claim in claims), len(claims)


def _is_expected(claim: Claim) -> bool:
    """Whether the claim should carry a citation."""
    return claim.needs_evidence and claim.needs_citation


def _cited_ranks(attribution: Attribution) -> dict[int, set[int]]:
    """The ranks that each claim cites; dangling citations cite none."""
    cited: dict[int, set[int]] = {}
    for citation in attribution.citations:
        if citation.claim is not None and citation.target_rank is not None:
            cited.setdefault(citation.claim, set()).add(citation.target_rank)
    return cited
