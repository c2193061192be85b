"""Intervals for bounded means that hold for any sample size and any distribution."""

import math
from collections.abc import Sequence
from functools import lru_cache

from rag_eval_hooks.summary.bootstrap import Row, weighted_mean

__all__ = ["anderson_limits", "identical_limits", "kolmogorov_critical"]


def anderson_limits(values: Sequence[float], low: float, high: float, confidence: float = 0.95) -> tuple[float, float]:
    """Returns Anderson's interval (1969) for the mean of a distribution within [low, high].

    The true distribution function lies within a band of width d around the observed one; the lowest mean within the
    band moves the share d from the highest values to `low`, the highest mean moves it from the lowest to `high`.
    d is the exact one-sided Kolmogorov-Smirnov bound, so the interval holds for every n from 1. It is never wider
    than Hoeffding's.

    >>> [round(limit, 3) for limit in anderson_limits([1.0] * 5, 0, 1)]
    [0.437, 1.0]
    """
    d = kolmogorov_critical(len(values), (1 - confidence) / 2)
    ordered = sorted(values)
    size = len(ordered)

    def kept(descending: Sequence[float], filler: float) -> float:
        left, total = d, d * filler
        for value in descending:
            gone = min(left, 1 / size)
            left -= gone
            total += (1 / size - gone) * value
        return min(max(total, low), high)

    return kept(ordered[::-1], low), kept(ordered, high)


def identical_limits(rows: Sequence[Row], low: float, high: float, confidence: float = 0.95) -> tuple[float, float]:
    """Returns an interval for the mean within [low, high] where every value seen is the same.

    No resampling of equal values shows any spread, yet others may exist: a share q of other values stays unseen in n
    runs with probability (1 - q)^n. The interval takes the largest q for which that is at least 1 - confidence, and
    puts that share at either end. For 20 runs at 1: q = 1 - 0.05^(1/20) = 0.139.

    >>> [round(limit, 3) for limit in identical_limits([(1.0, 1.0, 20)], 0, 1)]
    [0.861, 1.0]
    """
    value = rows[0][0]
    squares = math.fsum(count * weight**2 for _, weight, count in rows)
    size = math.fsum(count * weight for _, weight, count in rows) ** 2 / squares
    hidden = 1 - (1 - confidence) ** (1 / size)
    mean = weighted_mean(rows)
    return min(value - hidden * (value - low), mean), max(value + hidden * (high - value), mean)


@lru_cache(maxsize=256)
def kolmogorov_critical(size: int, tail: float) -> float:
    """Returns d with P(D+ >= d) = tail, D+ the one-sided Kolmogorov-Smirnov distance of `size` values.

    By Birnbaum and Tingey's formula (1951), which is exact.

    >>> round(kolmogorov_critical(1, 0.025), 4), round(kolmogorov_critical(5, 0.025), 4)
    (0.975, 0.5633)
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _beyond(size, middle) > tail:
            low = middle
        else:
            high = middle
    return high


def _beyond(size: int, d: float) -> float:
    terms = (
        math.comb(size, j) * max(1 - d - j / size, 0.0) ** (size - j) * (d + j / size) ** (j - 1)
        for j in range(math.floor(size * (1 - d)) + 1)
    )
    return d * math.fsum(terms) if d > 0 else 1.0
