"""Findings about use: evidence that was not used, and an answer where there is none. Both need labels."""

from collections.abc import Iterator

from rag_eval_hooks.diagnosis.situation import Situation, count, listed, refs
from rag_eval_hooks.metrics.labels import used_ids
from rag_eval_hooks.record import ChunkVerdict, Finding

__all__ = ["use_findings"]

UNANSWERABLE = 0.9
"""Labels say that there is nothing to answer from, and an answer is told from a refusal by its words."""
OTHER_RELEVANT_USED = 0.5
"""Factor where another relevant chunk was used: labels by relevance do not say that both were needed."""


def use_findings(seen: Situation) -> Iterator[Finding]:
    """Yields `distracted` and `unused_evidence`."""
    if seen.answered:
        yield from _distracted(seen)
        yield from _unused_evidence(seen)


def _distracted(seen: Situation) -> Iterator[Finding]:
    """The answer states something although the labels say that the question cannot be answered."""
    if not seen.checkable or not _is_unanswerable(seen):
        return
    used, _ = used_ids(seen.run, seen.attribution)
    claims = tuple(claim.index for claim in seen.checkable)
    ranks = tuple(one.rank for one in seen.attribution.chunks if one.in_prompt and one.id in used)
    rests = f", from the chunks at ranks {listed(ranks)}" if ranks else ""
    yield Finding(
        kind="distracted",
        stage="use",
        confidence=seen.trust * UNANSWERABLE,
        why=(
            f"The answer makes {count(len(claims), 'claim')}{rests}, although {seen.labeller} says that the question "
            "cannot be answered."
        ),
        refs=refs(claims=claims, chunks=ranks),
    )


def _is_unanswerable(seen: Situation) -> bool:
    """Whether the labels say so: an empty right answer, a context that does not suffice, or nothing relevant."""
    labels = seen.labels
    if labels is None:
        return False
    if labels.sufficient is False or (labels.answer is not None and not labels.answer.strip()):
        return True
    return labels.relevance is not None and not seen.relevant and not labels.answer


def _unused_evidence(seen: Situation) -> Iterator[Finding]:
    """Relevant chunks in the prompt that the answer did not use.

    Not where the used chunks hold a whole evidence set: then the answer did without the rest. A refusal is no use of
    anything; the answer's rules judge it.
    """
    if not seen.relevant:
        return
    used, reason = used_ids(seen.run, seen.attribution)
    if reason is not None or seen.set_in(used):
        return
    by_person = seen.run.gold is not None and seen.run.gold.used is not None
    idle = [
        verdict
        for verdict in seen.attribution.chunks
        if verdict.in_prompt and verdict.id in seen.relevant and verdict.id not in used
    ]
    if not by_person:
        idle = [verdict for verdict in idle if verdict.use == "unused"]
    if not idle:
        return
    confidence = 1.0 if by_person else max(map(_unused, idle))
    if used & seen.relevant and not seen.sets_are_given:
        confidence *= OTHER_RELEVANT_USED
    ranks = tuple(verdict.rank for verdict in idle)
    yield Finding(
        kind="unused_evidence",
        stage="use",
        confidence=seen.trust * confidence,
        why=f"The generator got relevant chunks that the answer does not use: {len(ranks)} (ranks {listed(ranks)}).",
        refs=refs(chunks=ranks),
    )


def _unused(verdict: ChunkVerdict) -> float:
    return 0.5 if verdict.use_probability is None else 1 - verdict.use_probability
