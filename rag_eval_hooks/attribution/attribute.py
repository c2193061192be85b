"""Tier-0 attribution (being built)."""

from rag_eval_hooks.record import Attribution, ChunkVerdict, RagRun

__all__ = ["ATTRIBUTOR", "ATTRIBUTOR_VERSION", "attribute"]

ATTRIBUTOR = "tier0"
ATTRIBUTOR_VERSION = "1"


def attribute(run: RagRun) -> Attribution:
    """Returns which chunks the answer used and which claims the context backs."""
    packed = len(run.context)
    return Attribution(
        answer_kind="answer" if run.judged_answer.strip() else "empty",
        chunks=tuple(
            ChunkVerdict(
                rank=rank,
                id=run.chunks[index].id,
                in_prompt=rank <= packed,
                cited=False,
                use="unknown",
                use_probability=None,
                conflict=False,
            )
            for rank, index in enumerate(run.ledger, 1)
        ),
    )
