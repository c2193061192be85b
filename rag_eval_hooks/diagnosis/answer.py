"""Findings about the answer: refusals, and claims that the context does not back or contradicts."""

from collections.abc import Iterator, Sequence

from rag_eval_hooks.diagnosis.situation import UNSUPPORTED_AT_MOST, Situation, count, items_in, listed, refs
from rag_eval_hooks.record import Claim, Finding
from rag_eval_hooks.record.evaluation import FindingKind

__all__ = ["answer_findings"]

SAID_BY_GOLD = 0.95
"""Gold says it, and a refusal is told from an answer by its words, which may mislead."""
SEEN_IN_LABELS = 0.9
"""Gold judged chunks and found none relevant, or a complete evidence set was in the context."""
CONFLICT_AT_MOST = 0.75
"""Of the contradictions that attribution finds in FEVER Symmetric, 73 % are contradictions."""


def answer_findings(seen: Situation) -> Iterator[Finding]:
    """Yields `wrong_refusal` or `right_refusal`, or else `unsupported_claim` and `conflicting_claim`."""
    if seen.refused:
        yield from _refusal(seen)
    if not seen.answered:
        return
    total = count(len(seen.checkable), "claim")
    bare = seen.unsupported
    if bare:
        why = f"The context does not back {len(bare)} of {total}"
        yield _claims("unsupported_claim", bare, UNSUPPORTED_AT_MOST, why)
    conflicting = [claim for claim in seen.checkable if claim.verdict == "conflict"]
    if conflicting:
        ranks = tuple(verdict.rank for verdict in seen.attribution.chunks if verdict.conflict)
        where = f" (chunks at ranks {listed(ranks)})" if ranks else ""
        why = f"The context{where} contradicts {len(conflicting)} of {total}"
        yield _claims("conflicting_claim", conflicting, CONFLICT_AT_MOST, why, ranks)


def _refusal(seen: Situation) -> Iterator[Finding]:
    labels = seen.labels
    if labels is None:
        return
    if labels.answer is not None and not labels.answer.strip():
        yield Finding(
            kind="right_refusal",
            stage="answer",
            confidence=seen.trust * SAID_BY_GOLD,
            why=f"The answer declines, and {seen.labeller} says that the question cannot be answered.",
        )
    elif not seen.relevant and (labels.relevance is not None or labels.evidence_sets is not None) and not labels.answer:
        yield Finding(
            kind="right_refusal",
            stage="answer",
            confidence=seen.trust * SEEN_IN_LABELS,
            why=f"The answer declines, and {seen.labeller} names no relevant chunk.",
        )
    elif seen.set_in(seen.packed):
        complete = next(one for one in seen.sets if len(items_in(one, seen.packed)) == len(one))
        yield Finding(
            kind="wrong_refusal",
            stage="answer",
            confidence=seen.trust * SEEN_IN_LABELS,
            why=f"The answer declines, although the context held a whole evidence set ({count(len(complete), 'id')}).",
            refs=refs(chunks=seen.ranks_of(frozenset().union(*complete))),
        )


def _claims(
    kind: FindingKind, claims: Sequence[Claim], at_most: float, why: str, ranks: tuple[int, ...] = ()
) -> Finding:
    indices = tuple(claim.index for claim in claims)
    return Finding(
        kind=kind,
        stage="answer",
        confidence=at_most * max(0.5 if claim.probability is None else 1 - claim.probability for claim in claims),
        why=f"{why}.",
        refs=refs(claims=indices, chunks=ranks),
    )
