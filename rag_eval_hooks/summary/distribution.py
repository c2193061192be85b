"""`Distribution`: the values of one measure as they pass by, in bounded memory."""

import random
from collections import Counter
from itertools import accumulate
from math import isfinite

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics.average import Squares, Total
from rag_eval_hooks.summary.bootstrap import NORMAL, bca_limits
from rag_eval_hooks.summary.bounds import anderson_limits, identical_limits
from rag_eval_hooks.summary.models import Interval, NumberSummary

__all__ = ["FEW", "Bounds", "Distribution"]

Bounds = tuple[float, float]

FEW = 10
"""Below this (effective) number of values the bootstrap is too optimistic."""
KEPT = 4_096
CONFIDENCE = 0.95


class Distribution:
    """Mean, interval, quantiles and shares over a stream of weighted values.

    Means, shares and counts are exact whatever the number of values. Up to `kept` different pairs of value and weight
    are counted exactly, however often each occurs; beyond that the quantiles rest on a seeded reservoir of `kept`
    values, and the interval on the exact second moments (`normal`). Not thread-safe.

    Args:
        bounds: The smallest and largest possible value; None where there are none.
        kept: How many different values to keep.

    >>> values = Distribution((0, 1))
    >>> for value in [1.0] * 3 + [0.0]:
    ...     values.add(value)
    >>> values.mean, values.quantile(0.5), values.share_at(0.0)
    (0.75, 1.0, 0.25)
    """

    def __init__(self, bounds: Bounds | None = None, *, kept: int = KEPT) -> None:
        self.bounds = bounds
        self.scored = 0
        self._kept = kept
        self._sum, self._weight = Total(), Total()
        self._squares = Squares()
        self._at = {0.0: Total(), 1.0: Total()}
        self._counts: Counter[tuple[float, float]] = Counter()
        self._sample: list[tuple[float, float]] | None = None
        self._random = random.Random(0)  # noqa: S311  a sample of values, no secret

    def add(self, value: float, weight: float = 1.0) -> None:
        """Counts one run's value.

        Raises:
            ConfigError: If the value is not finite, or the weight is not a finite number above 0.
        """
        if not (isfinite(value) and isfinite(weight) and weight > 0):
            raise ConfigError(f"expected a finite value and a weight above 0, got {value!r} and {weight!r}")
        value += 0.0  # -0.0 and 0.0 are one value
        self.scored += 1
        self._sum.add(weight * value)
        self._weight.add(weight)
        self._squares.add(value, weight)
        if value in self._at:
            self._at[value].add(weight)
        if self.bounds is not None and not self.bounds[0] - 1e-9 <= value <= self.bounds[1] + 1e-9:
            self.bounds = None  # whoever said so was wrong
        self._keep((value, weight))

    def _keep(self, pair: tuple[float, float]) -> None:
        if self._sample is None:
            self._counts[pair] += 1
            if len(self._counts) > self._kept:
                pairs = list(self._counts)
                self._sample = self._random.sample(pairs, self._kept, counts=[self._counts[one] for one in pairs])
                self._counts.clear()
            return
        place = self._random.randrange(self.scored)
        if place < self._kept:
            self._sample[place] = pair

    @property
    def mean(self) -> float | None:
        """The weighted mean; None without values, or where it is too large for a number."""
        if not self.scored:
            return None
        mean = self._sum.sum / self._weight.sum
        return mean if isfinite(mean) else None

    @property
    def effective(self) -> float:
        """How many equally weighted values say as much."""
        return self._squares.effective

    @property
    def sampled(self) -> bool:
        """Whether quantiles rest on a sample of the values."""
        return self._sample is not None

    def share_at(self, value: float) -> float | None:
        """Returns the weighted share of values at exactly 0 or at exactly 1; None without values."""
        return min(self._at[value].sum / self._weight.sum, 1.0) if self.scored else None

    def quantile(self, share: float) -> float | None:
        """Returns the smallest value seen that at least this weighted share of the values does not exceed."""
        pairs = Counter(self._sample) if self._sample is not None else self._counts
        if not pairs:
            return None
        ordered = sorted(pairs)
        sums = list(accumulate(pair[1] * pairs[pair] for pair in ordered))
        wanted = share * sums[-1] * (1 - 1e-12)  # 0.1 x 10 values is the first, whatever the rounding
        return next(pair[0] for pair, reached in zip(ordered, sums, strict=True) if reached >= wanted)

    def interval(self) -> Interval:
        """Returns the mean's 95 % interval, by the method that is honest for these values."""
        mean = self.mean
        if mean is None:
            return Interval(low=None, high=None, method=None, reason="no_values")
        if self._sample is not None:
            error = self._squares.standard_error(mean)
            if error is None:
                return Interval(low=None, high=None, method=None, reason="no_values")
            reach = NORMAL.inv_cdf((1 + CONFIDENCE) / 2) * error
            return self._clipped(mean - reach, mean + reach, "normal")
        rows = [(value, weight, count) for (value, weight), count in sorted(self._counts.items())]
        if self.effective < FEW - 1e-6:
            if self.bounds is None or len({weight for _, weight, _ in rows}) > 1:
                return Interval(low=None, high=None, method=None, reason="too_few")
            values = [value for value, _, count in rows for _ in range(count)]
            return self._clipped(*anderson_limits(values, *self.bounds, CONFIDENCE), "anderson")
        if rows[0][0] == rows[-1][0]:
            if self.bounds is None:
                return Interval(low=None, high=None, method=None, reason="all_equal")
            return self._clipped(*identical_limits(rows, *self.bounds, CONFIDENCE), "identical")
        return self._clipped(*bca_limits(rows, CONFIDENCE), "bca")

    def _clipped(self, low: float, high: float, method: str) -> Interval:
        if self.bounds is not None:
            low, high = max(low, self.bounds[0]), min(high, self.bounds[1])
        if not (isfinite(low) and isfinite(high)):
            return Interval(low=None, high=None, method=None, reason="no_values")
        return Interval.model_validate({"low": low, "high": high, "confidence": CONFIDENCE, "method": method})

    def summary(self) -> NumberSummary:
        """Returns what the values say."""
        return NumberSummary(
            scored=self.scored,
            effective=self.effective,
            mean=self.mean,
            interval=self.interval(),
            p10=self.quantile(0.1),
            p50=self.quantile(0.5),
            p90=self.quantile(0.9),
            sampled=self.sampled,
        )
