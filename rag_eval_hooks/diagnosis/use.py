"""Findings about use: the generator had the evidence and did not use it. Needs gold labels."""

from collections.abc import Iterator

from rag_eval_hooks.diagnosis.situation import Situation, listed, refs
from rag_eval_hooks.metrics.labels import used_ids
from rag_eval_hooks.record import ChunkVerdict, Finding

__all__ = ["use_findings"]

OTHER_RELEVANT_USED = 0.5
"""Factor where another relevant chunk was used: labels by relevance do not say that both were needed."""


def use_findings(seen: Situation) -> Iterator[Finding]:
    """Yields `unused_evidence`: relevant chunks in the prompt that the answer did not use.

    Not where the used chunks hold a whole evidence set: then the answer did without the rest. A refusal is no use of
    anything; the answer's rules judge it.
    """
    if not seen.relevant or not seen.answered:
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
        confidence=confidence,
        why=f"The generator got relevant chunks that the answer does not use: {len(ranks)} (ranks {listed(ranks)}).",
        refs=refs(chunks=ranks),
    )


def _unused(verdict: ChunkVerdict) -> float:
    return 0.5 if verdict.use_probability is None else 1 - verdict.use_probability
