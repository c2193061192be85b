"""Findings about packing: what was retrieved did not reach the generator, or not whole."""

from collections.abc import Iterator

from rag_eval_hooks.diagnosis.situation import Situation, count, listed, refs
from rag_eval_hooks.record import Finding
from rag_eval_hooks.record.run import Match

__all__ = ["packing_findings"]

WHOLE = 0.9
"""A chunk of which less than this share reached the prompt was truncated; above, it was reformatted."""
MATCH_CONFIDENCE: dict[Match, float] = {"exact": 1.0, "head": 0.95, "shingle": 0.7, "assumed": 0.5}
"""How sure each way of finding a chunk in the prompt is of the share it found."""
NO_LABELS = 0.3
"""An unbacked claim and a chunk left out: the one may explain the other, no more."""


def packing_findings(seen: Situation) -> Iterator[Finding]:
    """Yields `lost_before_prompt` and `truncated`."""
    if seen.packing_is_known:
        yield from _lost_by_gold(seen) if seen.relevant else _lost_by_guess(seen)
    short = [
        (rank, item)
        for rank, item in enumerate(seen.run.context, 1)
        if item.coverage < WHOLE and seen.run.context_source != "last_stage"
    ]
    if short:
        least = min(item.coverage for _, item in short)
        yield Finding(
            kind="truncated",
            stage="packing",
            confidence=max(MATCH_CONFIDENCE[item.match] for _, item in short),
            why=(
                f"{len(short)} of {count(len(seen.run.context), 'context item')} reached the prompt in part "
                f"(ranks {listed([rank for rank, _ in short])}; the shortest {least:.0%})."
            ),
            refs=refs(chunks=tuple(rank for rank, _ in short)),
        )


def _lost_by_gold(seen: Situation) -> Iterator[Finding]:
    """A relevant chunk was retrieved and is not in the prompt, nor is a set that does without it."""
    lost = (seen.relevant & seen.retrieved) - seen.packed
    if not lost or seen.set_in(seen.packed):
        return
    yield Finding(
        kind="lost_before_prompt",
        stage="packing",
        confidence=seen.trust * (0.7 if seen.run.context_source == "last_stage" else 1.0),
        why=(
            f"{len(lost)} of {count(len(seen.relevant & seen.retrieved), 'retrieved relevant id')} "
            "did not reach the generator."
        ),
        refs=refs(chunks=seen.ranks_of(lost)),
    )


def _lost_by_guess(seen: Situation) -> Iterator[Finding]:
    """Without labels: chunks were left out of a prompt that we saw, and nothing in it backs a claim of the answer."""
    if seen.run.context_source == "last_stage" or not seen.answered:
        return
    left_out = tuple(verdict.rank for verdict in seen.attribution.chunks if not verdict.in_prompt)
    bare = tuple(claim.index for claim in seen.unsupported)
    if left_out and bare:
        yield Finding(
            kind="lost_before_prompt",
            stage="packing",
            confidence=NO_LABELS,
            why=(
                f"{count(len(left_out), 'retrieved chunk')} did not reach the generator, and the context does not "
                f"back {count(len(bare), 'claim')}; without labels this is a guess."
            ),
            refs=refs(chunks=left_out, claims=bare),
        )
