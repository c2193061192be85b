"""The measures of an evaluation where none are named."""

from functools import lru_cache

from rag_eval_hooks.metrics.average_precision import AP
from rag_eval_hooks.metrics.base import Metric
from rag_eval_hooks.metrics.citations import CitationCoverage, CitationPrecision, CitationRecall
from rag_eval_hooks.metrics.claims import EvidenceCompleteness, Groundedness
from rag_eval_hooks.metrics.context_precision import ContextPrecision
from rag_eval_hooks.metrics.context_use import ContextUse
from rag_eval_hooks.metrics.evidence import AnyEvidence, CompleteEvidence, EvidenceRecall
from rag_eval_hooks.metrics.ndcg import NDCG
from rag_eval_hooks.metrics.precision import P
from rag_eval_hooks.metrics.recall import R
from rag_eval_hooks.metrics.reciprocal_rank import RR

__all__ = ["default_metrics"]


@lru_cache(maxsize=64)
def default_metrics(k: int | None = None) -> tuple[Metric, ...]:
    """Returns the measures of an evaluation where none are named.

    Args:
        k: The cut-off of those that take one; None takes the whole list.

    Raises:
        MetricSpecError: If `k` is no whole number from 1.

    >>> [str(metric) for metric in default_metrics(5)][:4]
    ['ContextPrecision@5', 'ContextUse@5', 'EvidenceCompleteness@5', 'Groundedness']
    """
    return (
        ContextPrecision(k=k),
        ContextUse(k=k),
        EvidenceCompleteness(k=k),
        Groundedness(),
        CitationPrecision(),
        CitationRecall(),
        CitationCoverage(),
        P(k=k),
        R(k=k),
        RR(k=k),
        AP(k=k),
        NDCG(k=k),
        AnyEvidence(k=k),
        CompleteEvidence(k=k),
        EvidenceRecall(k=k),
    )
