"""The vocabulary: what happened (`RagRun`) and what we concluded (`Evaluation`). Knows no other stage."""

from rag_eval_hooks.record.evaluation import (
    Attribution,
    ChunkVerdict,
    Citation,
    Claim,
    Evaluation,
    Finding,
    MadeBy,
    MetricResult,
    Support,
)
from rag_eval_hooks.record.read import message_text, read_run
from rag_eval_hooks.record.run import (
    Chunk,
    CitationStyle,
    ContextItem,
    Gold,
    GoldSpan,
    RagRun,
    Stage,
    StageItem,
    Usage,
    chunk_id,
    pool_chunks,
)

__all__ = [
    "Attribution",
    "Chunk",
    "ChunkVerdict",
    "Citation",
    "CitationStyle",
    "Claim",
    "ContextItem",
    "Evaluation",
    "Finding",
    "Gold",
    "GoldSpan",
    "MadeBy",
    "MetricResult",
    "RagRun",
    "Stage",
    "StageItem",
    "Support",
    "Usage",
    "chunk_id",
    "message_text",
    "pool_chunks",
    "read_run",
]
