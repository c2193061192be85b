"""Findings about use: the answer follows chunks that are no evidence, or leaves it unused. Both need labels."""

from rag_eval_hooks.diagnosis.found import Found
from rag_eval_hooks.diagnosis.situation import Situation, count, listed
from rag_eval_hooks.metrics.labels import used_ids
from rag_eval_hooks.record import ChunkVerdict

__all__ = ["distracted", "unused_evidence"]

UNANSWERABLE = 0.9
"""Labels say that there is nothing to answer from, and an answer is told from a refusal by its words."""
FOLLOWED = 0.85
"""Chunks that labels call no evidence back the claim, and the evidence alone, which is in the prompt, does not."""
MAY_DO_WITHOUT = 0.45
"""Factor where the answer is right, or where another relevant chunk was used: relevance does not say that both are
needed."""


def distracted(seen: Situation) -> Found | None:
    """The answer follows chunks that are no evidence: although the evidence is there, or where there is none."""
    if not seen.answered or not seen.checkable:
        return None
    return _answers_the_unanswerable(seen) if seen.is_unanswerable else _follows_another(seen)


def _answers_the_unanswerable(seen: Situation) -> Found:
    used, _ = used_ids(seen.run, seen.attribution)
    ranks = tuple(one.rank for one in seen.attribution.chunks if one.in_prompt and one.id in used)
    rests = f", from the chunks at ranks {listed(ranks)}" if ranks else ""
    return Found(
        seen.trust * UNANSWERABLE,
        f"The answer makes {count(len(seen.checkable), 'claim')}{rests}, although {seen.labeller} says that the "
        "question cannot be answered.",
        claims=tuple(claim.index for claim in seen.checkable),
        chunks=ranks,
    )


def _follows_another(seen: Situation) -> Found | None:
    """The evidence is in the prompt and does not back a claim, while other chunks do."""
    if not seen.set_in(seen.packed):
        return None
    claims = seen.against_evidence
    if not claims:
        return None
    ranks = tuple(sorted({one.rank for claim in claims for one in claim.supported_by if one.id not in seen.relevant}))
    return Found(
        seen.trust * FOLLOWED,
        f"The prompt held the evidence, but {count(len(claims), 'claim')} of the answer "
        f"{'follows' if len(claims) == 1 else 'follow'} other chunks (ranks {listed(ranks)}), and the evidence alone "
        "does not back it.",
        claims=tuple(claim.index for claim in claims),
        chunks=ranks,
    )


def unused_evidence(seen: Situation) -> Found | None:
    """Relevant chunks in the prompt that the answer did not use.

    Not where the used chunks hold a whole evidence set: then the answer did without the rest. A refusal is no use of
    anything; the answer's rules judge it.
    """
    if not seen.answered or not seen.relevant:
        return None
    used, reason = used_ids(seen.run, seen.attribution)
    if reason is not None or seen.set_in(used):
        return None
    by_person = seen.run.gold is not None and seen.run.gold.used is not None
    idle = [
        verdict
        for verdict in seen.attribution.chunks
        if verdict.in_prompt and verdict.id in seen.relevant and verdict.id not in used
    ]
    if not by_person:
        idle = [verdict for verdict in idle if verdict.use == "unused"]
    if not idle:
        return None
    confidence = 1.0 if by_person else max(map(_unused, idle))
    if seen.is_right or (used & seen.relevant and not seen.sets_are_given):
        confidence *= MAY_DO_WITHOUT
    ranks = tuple(verdict.rank for verdict in idle)
    return Found(
        seen.trust * confidence,
        f"The generator got relevant chunks that the answer does not use: {len(ranks)} (ranks {listed(ranks)}).",
        chunks=ranks,
    )


def _unused(verdict: ChunkVerdict) -> float:
    return 0.5 if verdict.use_probability is None else 1 - verdict.use_probability
