"""Scores measures over a run; one that raises does not stop the others."""

import logging
import traceback
from collections.abc import Sequence

from rag_eval_hooks.metrics.base import Metric
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.reasons import FAILED

__all__ = ["measure"]

_log = logging.getLogger("rag_eval_hooks")

MAX_LOGGED = 1_000
_logged: set[tuple[str, str]] = set()


def measure(run: RagRun, attribution: Attribution, metrics: Sequence[Metric]) -> tuple[MetricResult, ...]:
    """Returns one result for each measure, in their order.

    A measure that raises gets `failed:<Type>` as its reason, and the others still run. Each pair of measure and error
    type is logged once per process, with the places in the code but without the error's message: that may quote the
    run.
    """
    return tuple([_score(metric, run, attribution) for metric in metrics])


def _score(metric: Metric, run: RagRun, attribution: Attribution) -> MetricResult:
    try:
        result = metric.score(run, attribution)
        if not isinstance(result, MetricResult):
            raise TypeError("score() returned no MetricResult")
    except Exception as error:  # noqa: BLE001  a user's measure may raise anything
        return _failed(metric, error)
    return result


def _failed(metric: Metric, error: Exception) -> MetricResult:
    kind = type(error).__name__
    try:
        name = str(metric)
    except Exception:  # noqa: BLE001  a user's class may break even this
        name = type(metric).__name__
    key = (type(metric).__name__, kind)
    if key not in _logged and len(_logged) < MAX_LOGGED:
        _logged.add(key)
        where = "".join(traceback.format_tb(error.__traceback__))
        _log.warning("measure %s failed with %s; it has no value for this run\n%s", name, kind, where)
    return MetricResult(metric=name, value=None, reason=f"{FAILED}{kind}")
