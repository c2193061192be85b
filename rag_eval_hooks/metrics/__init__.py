"""The measures (being built)."""

from collections.abc import Sequence

from rag_eval_hooks.metrics.base import Metric
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["Metric", "default_metrics", "measure"]


def default_metrics(k: int | None = None) -> tuple[Metric, ...]:
    """Returns the measures of an evaluation where none are named."""
    return ()


def measure(run: RagRun, attribution: Attribution, metrics: Sequence[Metric]) -> tuple[MetricResult, ...]:
    """Returns each measure's result; one that raises becomes `failed:<Type>`."""
    return tuple(metric.score(run, attribution) for metric in metrics)
