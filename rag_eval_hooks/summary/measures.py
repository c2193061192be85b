"""One measure over many runs: which results count, and the tally that keeps its values, gaps and worst runs."""

from collections.abc import Mapping, Sequence
from heapq import heappush, heapreplace
from math import isfinite

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import Metric, measure, metric_classes, parse_metric
from rag_eval_hooks.metrics.average import Reasons
from rag_eval_hooks.record import Attribution, Evaluation, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels
from rag_eval_hooks.record.reasons import FAILED
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.summary.distribution import KEPT, Bounds, Distribution
from rag_eval_hooks.summary.models import MeasureSummary, RunRef

__all__ = ["MeasureTally", "bounds_of", "family", "lower_is_better", "results_of", "run_ref"]

WORST = 5
LARGEST = 1e30


def family(metric: str) -> str:
    """Returns a measure's name without parameters and cut-off.

    >>> family("P(labels=used)@5"), family("nDCG@10"), family("RR")
    ('P', 'nDCG', 'RR')
    """
    return metric.partition("@")[0].partition("(")[0].strip()


def lower_is_better(metric: str) -> bool:
    """Whether a small value of this measure is good; False for one that is not registered."""
    kind = metric_classes().get(family(metric))
    return kind is not None and kind.lower_is_better


def bounds_of(metric: str) -> Bounds | None:
    """Returns a measure's smallest and largest possible value; None for ranks and for one that is not registered.

    >>> bounds_of("P@5"), bounds_of("FirstUse"), bounds_of("no such measure")
    ((0.0, 1.0), None, None)
    """
    try:
        bounds = parse_metric(metric).bounds
    except MetricSpecError:
        return None
    return bounds if all(map(isfinite, bounds)) else None


def run_ref(evaluation: Evaluation, value: float | None = None) -> RunRef:
    """Returns how to name a run in a list."""
    question = one_line(evaluation.question, 200) if evaluation.question is not None else None
    return RunRef(run_id=one_line(evaluation.run_id, 200), question=question, value=value)


def results_of(run: RagRun | None, evaluation: Evaluation, wanted: Sequence[Metric]) -> Mapping[str, MetricResult]:
    """Returns the stored results by name, the first of each, and with them what else is wanted.

    A wanted measure that is not stored is computed from the run and the stored attribution; where the run is not
    there, its result is null with the reason `not_stored`.
    """
    found: dict[str, MetricResult] = {}
    for result in evaluation.results:
        found.setdefault(result.metric, result)
    missing = [metric for metric in wanted if str(metric) not in found]
    if not missing:
        return found
    if run is None:
        computed = tuple(metric.not_scored("not_stored") for metric in missing)
    else:
        attribution = Attribution(
            answer_kind=evaluation.answer_kind,
            chunks=evaluation.chunks,
            claims=evaluation.claims,
            citations=evaluation.citations,
        )
        computed = measure(run, attribution, missing)
    return found | {result.metric: result for result in computed}


class MeasureTally:
    """Counts one measure's results as they pass by.

    >>> tally = MeasureTally("RR")
    >>> for value, reason in ((1.0, None), (None, "no_context"), (0.5, None), (None, "refusal")):
    ...     tally.add(MetricResult(metric="RR", value=value, reason=reason), 1.0, None)
    >>> found = tally.summary()
    >>> found.mean, found.scored, found.not_scored, found.failed
    (0.75, 2, {'no_context': 1, 'refusal': 1}, 0)
    """

    def __init__(self, metric: str, *, kept: int = KEPT) -> None:
        self.metric = metric
        self.values = Distribution(bounds_of(metric), kept=kept)
        self.reasons = Reasons()
        self.failed = 0
        self.labels: set[Labels] = set()
        self._lower_is_better = lower_is_better(metric)
        self._worst: list[tuple[float, int, RunRef]] = []
        self._seen = 0

    def add(self, result: MetricResult, weight: float, evaluation: Evaluation | None) -> None:
        """Counts one run's result; `evaluation` is what to name among the worst, None to name none."""
        self._seen += 1
        if result.labels is not None:
            self.labels.add(result.labels)
        value = result.value
        if value is not None and abs(value) <= LARGEST:
            self.values.add(value, weight)
            if evaluation is not None:
                self._note(value, evaluation)
            return
        reason = "out_of_range" if value is not None else result.reason or "unknown"
        if reason.startswith(FAILED):
            self.failed += 1
        else:
            self.reasons.add(reason)

    def _note(self, value: float, evaluation: Evaluation) -> None:
        badness = value if self._lower_is_better else -value
        # The number breaks ties: earlier runs first.
        if len(self._worst) < WORST:
            heappush(self._worst, (badness, -self._seen, run_ref(evaluation, value)))
        elif badness > self._worst[0][0]:
            heapreplace(self._worst, (badness, -self._seen, run_ref(evaluation, value)))

    def summary(self) -> MeasureSummary:
        """Returns what the results say."""
        sign = 1 if self._lower_is_better else -1
        level = sign * (self.values.mean or 0.0) + 1e-12  # what is no worse than the mean is no bad case
        worst = sorted((one for one in self._worst if one[0] > level), key=lambda one: one[:2], reverse=True)
        return MeasureSummary(
            metric=self.metric,
            labels=tuple(sorted(self.labels)),
            not_scored=self.reasons.counts(),
            failed=self.failed,
            at_zero=self.values.share_at(0.0),
            at_one=self.values.share_at(1.0),
            lower_is_better=self._lower_is_better,
            worst=tuple(run for _, _, run in worst),
            **dict(self.values.summary()),
        )
