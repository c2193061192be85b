"""Findings about citations: they point nowhere, to the wrong place, or are missing."""

from collections.abc import Sequence

from rag_eval_hooks.diagnosis.found import Found
from rag_eval_hooks.diagnosis.situation import UNSUPPORTED_AT_MOST, Situation, count
from rag_eval_hooks.record import Citation, Claim
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM, CitationProblem

__all__ = ["dangling_citation", "misplaced_citation", "missing_citation", "unsupported_citation"]

POINTS_NOWHERE = 0.95
"""Counted, not inferred; what is left is a number in brackets that is no citation."""
PART_OF_IT = 0.6
"""A mark that belongs to a part of a claim, which takes several chunks; the part is judged by few words."""
BY_THE_PART = 0.45
"""Another chunk backs the part a mark belongs to, and none the whole claim: too little to be sure."""
IN_DOUBT = 0.6
"""Factor where it is uncertain whether anything backs the claim."""
ONE_TOO_MANY = 0.45
"""A mark beside another one that holds: its chunk may give a word or two of the part."""
STYLE = 0.8
"""A claim without a citation: whoever wrote the answer may cite what is not obvious only."""
ONE_MARK_FOR_SEVERAL = 0.4
"""Such a claim where the next mark of the answer points to a chunk that backs the claim, too: it may stand for both."""


def dangling_citation(seen: Situation) -> Found | None:
    """A mark points to no item the generator got; where no search was seen, what it got is not known."""
    if seen.run.retrieval_is_unseen:
        return None
    return _bad(seen, "dangling", "to no item the generator got")


def misplaced_citation(seen: Situation) -> Found | None:
    """Another item than the cited one backs the statement."""
    return _bad(seen, "misplaced", "to an item that does not back the statement, while another does")


def unsupported_citation(seen: Situation) -> Found | None:
    """Neither the cited item nor another backs the statement."""
    return _bad(seen, "unsupported", "to an item that does not back the statement, and no other does")


def missing_citation(seen: Situation) -> Found | None:
    """Backed claims without a citation, in an answer that cites elsewhere."""
    if not seen.answered or not seen.attribution.citations:
        return None
    bare = [claim for claim in seen.checkable if claim.lacks_citation]
    if not bare:
        return None
    return Found(
        max(ONE_MARK_FOR_SEVERAL if _next_speaks_for(claim, seen) else STYLE for claim in bare),
        f"The answer cites elsewhere, but {len(bare)} of {count(len(seen.checkable), 'claim')} "
        f"are backed by the context and carry no citation.",
        claims=tuple(claim.index for claim in bare),
    )


def _next_speaks_for(claim: Claim, seen: Situation) -> bool:
    """Whether the next mark of the answer points to a chunk that backs the claim as well."""
    after = [one for one in seen.attribution.citations if one.claim is not None and one.claim > claim.index]
    backing = {one.rank for one in claim.supported_by}
    return any(one.target_rank in backing for one in after if one.claim == after[0].claim)


def _bad(seen: Situation, problem: CitationProblem, words: str) -> Found | None:
    """All citations with a problem."""
    citations = seen.attribution.citations
    bad = [citation for citation in citations if citation.problem == problem]
    if not seen.answered or not bad:
        return None
    claims: dict[int | None, Claim] = {claim.index: claim for claim in seen.attribution.claims}
    return Found(
        max(_confidence(problem, claims.get(citation.claim), citation, citations) for citation in bad),
        f"Of {count(len(citations), 'citation')}, {'1 points' if len(bad) == 1 else f'{len(bad)} point'} {words}.",
        citations=tuple(citation.index for citation in bad),
        claims=tuple(sorted({one.claim for one in bad if one.claim is not None})),
        chunks=tuple(sorted({one.target_rank for one in bad if one.target_rank is not None})),
    )


def _backed(claim: Claim | None) -> float:
    return 0.5 if claim is None or claim.probability is None else claim.probability


def _confidence(
    problem: CitationProblem, claim: Claim | None, citation: Citation, citations: Sequence[Citation]
) -> float:
    """How sure one citation's problem is: that nothing backs the claim, or that something else does."""
    if problem == "dangling":
        return POINTS_NOWHERE
    if problem == "unsupported":
        doubt = IN_DOUBT if claim is not None and claim.verdict == "uncertain" else 1.0
        return UNSUPPORTED_AT_MOST * (1 - _backed(claim)) * doubt
    part = citation.part
    if part is not None and any(one.supported and one.part == part for one in citations):
        return ONE_TOO_MANY
    supports = claim.supported_by if claim is not None else ()
    if len(supports) > 1 and all(one.probability < SUPPORTED_FROM for one in supports):
        return PART_OF_IT  # they back the claim together, and one of them the part that the mark belongs to
    return max((one.probability for one in supports if one.rank != citation.target_rank), default=BY_THE_PART)
