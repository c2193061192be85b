"""Findings about the answer: refusals, and claims that the context does not back or contradicts."""

from collections.abc import Iterator, Sequence

from rag_eval_hooks.diagnosis.situation import Situation, count, listed, refs
from rag_eval_hooks.record import Claim, Finding
from rag_eval_hooks.record.evaluation import FindingKind

__all__ = ["answer_findings"]

SAID_BY_GOLD = 0.95
"""Gold says it, and a refusal is told from an answer by its words, which may mislead."""
SEEN_IN_LABELS = 0.9
"""Gold judged chunks and found none relevant, or a complete evidence set was in the context."""


def answer_findings(seen: Situation) -> Iterator[Finding]:
    """Yields `wrong_refusal` or `right_refusal`, or else `unsupported_claim` and `conflicting_claim`."""
    if seen.refused:
        yield from _refusal(seen)
    if not seen.answered:
        return
    total = count(len(seen.checkable), "claim")
    bare = [claim for claim in seen.checkable if claim.verdict == "unsupported"]
    if bare:
        yield _claims("unsupported_claim", bare, f"The context does not back {len(bare)} of {total}")
    conflicting = [claim for claim in seen.checkable if claim.verdict == "conflict"]
    if conflicting:
        ranks = tuple(verdict.rank for verdict in seen.attribution.chunks if verdict.conflict)
        where = f" (chunks at ranks {listed(ranks)})" if ranks else ""
        yield _claims(
            "conflicting_claim", conflicting, f"The context{where} contradicts {len(conflicting)} of {total}", ranks
        )


def _refusal(seen: Situation) -> Iterator[Finding]:
    gold = seen.run.gold
    if gold is None:
        return
    if gold.answer is not None and not gold.answer.strip():
        yield Finding(
            kind="right_refusal",
            stage="answer",
            confidence=SAID_BY_GOLD,
            why="The answer declines, and gold says that the question cannot be answered.",
        )
    elif not seen.relevant and (gold.relevance is not None or gold.evidence_sets is not None) and not gold.answer:
        yield Finding(
            kind="right_refusal",
            stage="answer",
            confidence=SEEN_IN_LABELS,
            why="The answer declines, and gold names no relevant chunk.",
        )
    elif seen.set_in(seen.packed):
        complete = next(one for one in seen.sets if one <= seen.packed)
        yield Finding(
            kind="wrong_refusal",
            stage="answer",
            confidence=SEEN_IN_LABELS,
            why=f"The answer declines, although the context held a whole evidence set ({count(len(complete), 'id')}).",
            refs=refs(chunks=seen.ranks_of(complete)),
        )


def _claims(kind: FindingKind, claims: Sequence[Claim], why: str, ranks: tuple[int, ...] = ()) -> Finding:
    indices = tuple(claim.index for claim in claims)
    return Finding(
        kind=kind,
        stage="answer",
        confidence=max(0.5 if claim.probability is None else 1 - claim.probability for claim in claims),
        why=f"{why}.",
        refs=refs(claims=indices, chunks=ranks),
    )
