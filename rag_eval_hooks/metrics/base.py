"""What a measure is: a value with a name you can type."""

from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["Metric"]


class Metric:
    """Base of all measures (interface; being built)."""

    version: int = 1

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the measure's value for one run, or null with the reason."""
        raise NotImplementedError
