"""Findings about citations: they point nowhere, to the wrong place, or are missing."""

from collections.abc import Iterator

from rag_eval_hooks.diagnosis.situation import UNSUPPORTED_AT_MOST, Situation, count, refs
from rag_eval_hooks.record import Citation, Claim, Finding
from rag_eval_hooks.record.evaluation import CitationProblem, FindingKind

__all__ = ["citation_findings"]

POINTS_NOWHERE = 0.95
"""Counted, not inferred; what is left is a number in brackets that is no citation."""
STYLE_MAY_EXPLAIN = 0.6
"""Factor for a missing citation: one mark at a paragraph's end often means the whole paragraph."""

KINDS: dict[CitationProblem, FindingKind] = {
    "dangling": "dangling_citation",
    "unsupported": "unsupported_citation",
    "misplaced": "misplaced_citation",
}
WORDS: dict[CitationProblem, str] = {
    "dangling": "to no item the generator got",
    "unsupported": "to an item that does not back the statement, and no other does",
    "misplaced": "to an item that does not back the statement, while another does",
}


def citation_findings(seen: Situation) -> Iterator[Finding]:
    """Yields one finding per kind of problem that any citation has, and `missing_citation`."""
    if not seen.answered or not seen.attribution.citations:
        return
    citations = seen.attribution.citations
    claims: dict[int | None, Claim] = {claim.index: claim for claim in seen.attribution.claims}
    for problem, kind in KINDS.items():
        bad = [citation for citation in citations if citation.problem == problem]
        if bad:
            indices = tuple(citation.index for citation in bad)
            yield Finding(
                kind=kind,
                stage="citation",
                confidence=max(_confidence(problem, claims.get(citation.claim), citation) for citation in bad),
                why=f"Of {count(len(citations), 'citation')}, {_pointing(len(bad))} {WORDS[problem]}.",
                refs=refs(
                    citations=indices,
                    claims=tuple(sorted({one.claim for one in bad if one.claim is not None})),
                    chunks=tuple(sorted({one.target_rank for one in bad if one.target_rank is not None})),
                ),
            )
    yield from _missing(seen)


def _missing(seen: Situation) -> Iterator[Finding]:
    """Backed claims without a citation, in an answer that cites elsewhere."""
    bare = [claim for claim in seen.checkable if claim.verdict == "supported" and not claim.citations]
    if bare:
        indices = tuple(claim.index for claim in bare)
        yield Finding(
            kind="missing_citation",
            stage="citation",
            confidence=STYLE_MAY_EXPLAIN * max(_backed(claim) for claim in bare),
            why=(
                f"The answer cites elsewhere, but {len(bare)} of {count(len(seen.checkable), 'claim')} "
                f"are backed by the context and carry no citation."
            ),
            refs=refs(claims=indices),
        )


def _pointing(number: int) -> str:
    return "1 points" if number == 1 else f"{number} point"


def _backed(claim: Claim | None) -> float:
    return 0.5 if claim is None or claim.probability is None else claim.probability


def _confidence(problem: CitationProblem, claim: Claim | None, citation: Citation) -> float:
    """How sure one citation's problem is: that nothing backs the claim, or that something else does."""
    if problem == "dangling":
        return POINTS_NOWHERE
    if problem == "unsupported":
        return UNSUPPORTED_AT_MOST * (1 - _backed(claim))
    supports = claim.supported_by if claim is not None else ()
    return max((one.probability for one in supports if one.rank != citation.target_rank), default=0.5)
