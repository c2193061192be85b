"""Averages that say what they rest on: how many runs were scored, how many were not and why, how many failed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, sqrt

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels
from rag_eval_hooks.record.reasons import FAILED

__all__ = ["Average", "AverageAccumulator", "Reasons", "Squares", "Total", "averages", "weight_of"]

MAX_REASONS = 50
"""Reasons kept apart; stored results are read from files, so the rest is counted as `other`."""
SMALLEST_PROBABILITY = 1e-12
"""What a smaller inclusion probability counts as: 1 / 5e-324 is infinite."""


@dataclass(frozen=True)
class Average:
    """The weighted mean of one measure, and what it rests on. `str()` gives the line to print.

    >>> str(Average("R@5", "gold", 0.5, 41, {"no_gold": 3}, 1))
    'R@5 0.5000 (41 scored, 3 not scored: no_gold 3; 1 failed)'
    """

    metric: str
    """The measure's name with its parameters."""
    labels: Labels | None
    """Which labels the values rest on; None where on none, or not on the same."""
    mean: float | None
    """Weighted mean over the scored runs; None where no run was scored."""
    scored: int
    """Runs with a value."""
    not_scored: Mapping[str, int] = field(default_factory=dict)
    """Runs without a value by reason, most frequent first; failures are not among them."""
    failed: int = 0
    """Runs in which the measure raised."""
    standard_error: float | None = field(default=None, compare=False)
    """How far the mean is likely to be from that of all runs: sqrt(sum of (w (x - mean))^2) / sum of w, w the weights;
    None below two scored runs. `rag_eval_hooks.summary` gives intervals that also hold for few runs."""

    def __str__(self) -> str:
        parts = [f"{self.scored} scored"]
        if self.not_scored:
            reasons = ", ".join(f"{reason} {count}" for reason, count in self.not_scored.items())
            parts.append(f"{sum(self.not_scored.values())} not scored: {reasons}")
        line = ", ".join(parts)
        if self.failed:
            line += f"{';' if self.not_scored else ','} {self.failed} failed"
        return f"{self.metric} {'null' if self.mean is None else f'{self.mean:.4f}'} ({line})"


class AverageAccumulator:
    """Averages over a stream of runs, in memory that does not grow with their number.

    Not thread-safe: add from one thread.

    >>> sums = AverageAccumulator()
    >>> sums.add([MetricResult(metric="RR", value=1.0)])
    >>> sums.add([MetricResult(metric="RR", value=0.0)], weight=3.0)
    >>> [str(average) for average in sums.result()]
    ['RR 0.2500 (2 scored)']
    """

    def __init__(self) -> None:
        self._sums: dict[str, _Sum] = {}

    def add(self, results: Iterable[MetricResult], weight: float = 1.0) -> None:
        """Counts one run's results.

        Args:
            results: The results of one run.
            weight: How many runs this one stands for; see `weight_of`.

        Raises:
            ConfigError: If the weight is not a finite number above 0.
        """
        if not (isfinite(weight) and weight > 0):
            raise ConfigError(f"a weight must be a finite number above 0, got {weight!r}")
        for result in results:
            known = self._sums.get(result.metric)
            if known is None:
                known = self._sums[result.metric] = _Sum(result.metric)
            known.add(result, weight)

    def result(self) -> tuple[Average, ...]:
        """Returns the averages so far, in the order in which the measures were first seen."""
        return tuple(one.average() for one in self._sums.values())


def averages(items: Iterable[tuple[Sequence[MetricResult], float]]) -> tuple[Average, ...]:
    """Returns the average of each measure over many runs.

    Args:
        items: For each run its results and its weight, as `weight_of` gives it; consumed one by one.

    Raises:
        ConfigError: If a weight is not a finite number above 0.
    """
    sums = AverageAccumulator()
    for results, weight in items:
        sums.add(results, weight)
    return sums.result()


def weight_of(run: RagRun | None) -> float:
    """Returns how many runs this one stands for: 1 / its inclusion probability, at most 1e12; 1 without a run.

    >>> weight_of(RagRun(run_id="r", inclusion_probability=0.25)), weight_of(None)
    (4.0, 1.0)
    """
    return 1.0 if run is None else 1 / max(run.inclusion_probability, SMALLEST_PROBABILITY)


class _Sum:
    """The running sums of one measure."""

    __slots__ = ("failed", "labels", "metric", "reasons", "scored", "squares", "values", "weights")

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.labels: set[Labels | None] = set()
        self.values = Total()
        self.weights = Total()
        self.squares = Squares()
        self.scored = 0
        self.failed = 0
        self.reasons = Reasons()

    def add(self, result: MetricResult, weight: float) -> None:
        if result.value is not None:
            self.values.add(weight * result.value)
            self.weights.add(weight)
            self.squares.add(result.value, weight)
            self.scored += 1
            self.labels.add(result.labels)
            return
        reason = result.reason or "unknown"
        if reason.startswith(FAILED):
            self.failed += 1
        else:
            self.reasons.add(reason)

    def average(self) -> Average:
        mean = self.values.sum / self.weights.sum if self.scored else None
        return Average(
            metric=self.metric,
            labels=next(iter(self.labels)) if len(self.labels) == 1 else None,
            mean=mean if mean is not None and isfinite(mean) else None,
            scored=self.scored,
            not_scored=self.reasons.counts(),
            failed=self.failed,
            standard_error=self.squares.standard_error(mean) if mean is not None and self.scored > 1 else None,
        )


class Reasons:
    """Counts reasons in memory that does not grow: beyond 50 different ones the rest is `other`.

    >>> reasons = Reasons()
    >>> for reason in ("no_gold", "refusal", "no_answer", "refusal"):
    ...     reasons.add(reason)
    >>> reasons.counts()
    {'refusal': 2, 'no_answer': 1, 'no_gold': 1}
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, reason: str) -> None:
        """Counts one reason."""
        if reason not in self._counts and len(self._counts) >= MAX_REASONS:
            reason = "other"
        self._counts[reason] = self._counts.get(reason, 0) + 1

    def counts(self) -> dict[str, int]:
        """Returns how often each was counted, most frequent first."""
        return dict(sorted(self._counts.items(), key=lambda item: (-item[1], item[0])))


class Squares:
    """The second moments of a weighted mean's error, in memory that does not grow.

    >>> squares = Squares()
    >>> for value in (1.0, 0.0):
    ...     squares.add(value, 1.0)
    >>> round(squares.standard_error(0.5), 4), squares.effective  # sqrt(2 x 0.25) / 2
    (0.3536, 2.0)
    """

    __slots__ = ("_first", "_linear", "_none", "_square", "_weight")

    def __init__(self) -> None:
        self._first: float | None = None
        self._weight, self._none, self._linear, self._square = Total(), Total(), Total(), Total()

    def add(self, value: float, weight: float) -> None:
        """Counts one value."""
        if self._first is None:
            self._first = value  # squares around a value near the mean keep their digits
        shifted = value - self._first
        self._weight.add(weight)
        self._none.add(weight * weight)
        self._linear.add(weight * weight * shifted)
        self._square.add(weight * weight * shifted * shifted)

    def standard_error(self, mean: float) -> float | None:
        """Returns sqrt(sum of (w (x - mean))^2) / sum of w; None where it is too large for a number."""
        if self._first is None:
            return None
        centre = mean - self._first
        squares = self._square.sum - 2 * centre * self._linear.sum + centre * centre * self._none.sum
        error = sqrt(max(squares, 0.0)) / self._weight.sum if isfinite(squares) else squares
        return error if isfinite(error) else None

    @property
    def effective(self) -> float:
        """How many equally weighted values say as much (Kish): (sum of w)^2 / sum of w^2."""
        return self._weight.sum * self._weight.sum / self._none.sum if self._first is not None else 0.0


class Total:
    """A sum that does not lose small terms to a large one (Neumaier's compensation)."""

    __slots__ = ("_high", "_low")

    def __init__(self) -> None:
        self._high = 0.0
        self._low = 0.0

    def add(self, term: float) -> None:
        """Adds one term."""
        high = self._high + term
        if abs(self._high) >= abs(term):
            self._low += (self._high - high) + term
        else:
            self._low += (term - high) + self._high
        self._high = high

    @property
    def sum(self) -> float:
        """The sum so far."""
        return self._high + self._low
