"""Evaluates one run so that its failure costs only this run."""

from collections.abc import Sequence

from rag_eval_hooks.attribution import Attributor
from rag_eval_hooks.errors import RagEvalHooksError
from rag_eval_hooks.metrics import Metric
from rag_eval_hooks.pipeline import evaluate
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.replay.lines import Problem
from rag_eval_hooks.reports.plain import one_line

__all__ = ["safely_evaluated"]


def safely_evaluated(
    run: RagRun, metrics: Sequence[Metric] | None = None, attributor: Attributor | None = None
) -> Evaluation | Problem:
    """Returns the run's evaluation, or a problem of kind `failed` where evaluating raises."""
    try:
        return evaluate(run, metrics, attributor)
    except RagEvalHooksError as error:
        return Problem("failed", one_line(str(error), 200), one_line(run.run_id))
    except Exception as error:  # noqa: BLE001  whatever one run's texts bring about, the next line is read
        return Problem("failed", f"the evaluation failed with {type(error).__name__}", one_line(run.run_id))
