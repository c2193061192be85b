"""Findings about packing: what was retrieved did not reach the generator, or not whole."""

from rag_eval_hooks.diagnosis.found import Found
from rag_eval_hooks.diagnosis.situation import Situation, count, listed
from rag_eval_hooks.record.run import Match

__all__ = ["lost_before_prompt", "truncated"]

WHOLE = 0.9
"""A chunk of which less than this share reached the prompt was truncated; above, it was reformatted."""
MATCH_CONFIDENCE: dict[Match, float] = {"exact": 1.0, "head": 0.95, "shingle": 0.7, "assumed": 0.5}
"""How sure each way of finding a chunk in the prompt is of the share it found."""
NO_PROMPT = 0.7
"""Factor where the prompt was not seen: the last step's list stands for it."""
NO_LABELS = 0.3
"""An unbacked claim and a chunk left out: the one may explain the other, no more."""
NO_HARM = 0.4
"""Factor for a truncated chunk where nothing else is wrong: what was cut may not have mattered."""


def lost_before_prompt(seen: Situation) -> Found | None:
    """A chunk was retrieved, is needed, and is not in the prompt."""
    if not seen.packing_is_known:
        return None
    return _lost_by_labels(seen) if seen.relevant else _lost_by_guess(seen)


def truncated(seen: Situation) -> Found | None:
    """A chunk reached the prompt in part; less sure to matter where every claim is backed."""
    if seen.run.context_source == "last_stage":
        return None
    short = [(rank, item) for rank, item in enumerate(seen.run.context, 1) if item.coverage < WHOLE]
    if not short:
        return None
    least = min(item.coverage for _, item in short)
    is_harmed = seen.refused or any(one.verdict != "supported" for one in seen.checkable) or not seen.answered
    return Found(
        max(MATCH_CONFIDENCE[item.match] for _, item in short) * (1.0 if is_harmed else NO_HARM),
        f"{len(short)} of {count(len(seen.run.context), 'context item')} reached the prompt in part "
        f"(ranks {listed([rank for rank, _ in short])}; the shortest {least:.0%}).",
        chunks=tuple(rank for rank, _ in short),
    )


def _lost_by_labels(seen: Situation) -> Found | None:
    """A relevant chunk was retrieved and is not in the prompt, nor is a set that does without it."""
    lost = (seen.relevant & seen.retrieved) - seen.packed
    if not lost or seen.set_in(seen.packed):
        return None
    return Found(
        seen.trust * (NO_PROMPT if seen.run.context_source == "last_stage" else 1.0),
        f"{len(lost)} of {count(len(seen.relevant & seen.retrieved), 'retrieved relevant id')} "
        "did not reach the generator.",
        chunks=seen.ranks_of(lost),
    )


def _lost_by_guess(seen: Situation) -> Found | None:
    """Without labels: chunks were left out of a prompt that we saw, and nothing in it backs a claim of the answer."""
    if seen.run.context_source == "last_stage" or not seen.answered:
        return None
    left_out = tuple(verdict.rank for verdict in seen.attribution.chunks if not verdict.in_prompt)
    bare = tuple(claim.index for claim in seen.unsupported)
    if not left_out or not bare:
        return None
    return Found(
        NO_LABELS,
        f"{count(len(left_out), 'retrieved chunk')} did not reach the generator, and the context does not "
        f"back {count(len(bare), 'claim')}; without labels this is a guess.",
        chunks=left_out,
        claims=bare,
    )
