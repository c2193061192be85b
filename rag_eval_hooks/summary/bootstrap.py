"""The bootstrap distribution of a weighted mean without resampling: Davison and Hinkley's saddlepoint approximation."""

import math
from collections.abc import Sequence
from statistics import NormalDist

__all__ = ["Row", "bca_limits", "skewness", "standard_error", "student_quantile", "weighted_mean"]

Row = tuple[float, float, int]
"""A value, its weight (1 / inclusion probability), and how many runs have both."""

NORMAL = NormalDist()
STEP = 0.25
MAX_STEPS = 60
NEWTON_STEPS = 100
HALVINGS = 40


def weighted_mean(rows: Sequence[Row]) -> float:
    """Returns the Hajek mean, sum of weight x value / sum of weights.

    >>> weighted_mean([(1.0, 1.0, 1), (0.0, 3.0, 1)])
    0.25
    """
    total = math.fsum(count * weight for _, weight, count in rows)
    return math.fsum(count * weight * value for value, weight, count in rows) / total


def standard_error(rows: Sequence[Row]) -> float:
    """Returns the linearised standard error of the Hajek mean: sqrt(sum of (w (x - mean))^2) / sum of w.

    >>> round(standard_error([(1.0, 1.0, 1), (0.0, 1.0, 1)]), 4)  # sqrt(2 x 0.25) / 2
    0.3536
    """
    mean = weighted_mean(rows)
    total = math.fsum(count * weight for _, weight, count in rows)
    return math.sqrt(math.fsum(count * (weight * (value - mean)) ** 2 for value, weight, count in rows)) / total


def skewness(rows: Sequence[Row]) -> float:
    """Returns the skewness of weight x (value - mean) over the runs; 0 where they are all alike."""
    mean = weighted_mean(rows)
    size = sum(count for _, _, count in rows)
    second = math.fsum(count * (weight * (value - mean)) ** 2 for value, weight, count in rows) / size
    third = math.fsum(count * (weight * (value - mean)) ** 3 for value, weight, count in rows) / size
    return float(third / second**1.5) if second > 0 else 0.0


def bca_limits(rows: Sequence[Row], confidence: float = 0.95, *, expand: bool = True) -> tuple[float, float]:
    """Returns the bias-corrected and accelerated bootstrap interval (Efron 1987) of the weighted mean.

    The quantiles of the bootstrap distribution come from its saddlepoint approximation (Davison and Hinkley 1988), not
    from resampling: the same input gives the same interval, with no seed and no Monte Carlo error. Bias correction and
    acceleration of a mean are both skewness / (6 sqrt n).

    Args:
        rows: At least two different values.
        confidence: How often such intervals hold the true mean, in (0, 1).
        expand: Whether to widen the quantiles from z to sqrt(n / (n - 1)) t, which makes up for the bootstrap's
            narrowness in small samples (Hesterberg 2015, "What teachers should know about the bootstrap"); False is
            the plain interval, as `scipy.stats.bootstrap` gives it.
    """
    size = sum(count for _, _, count in rows)
    mean = weighted_mean(rows)
    shift = skewness(rows) / (6 * math.sqrt(size))
    tail = (1 - confidence) / 2
    far = -NORMAL.inv_cdf(tail)
    if expand:
        far = math.sqrt(size / (size - 1)) * student_quantile(1 - tail, size - 1)
    low, high = (_accelerated(sign * far, shift) for sign in (-1, 1))
    return min(_quantile(rows, low), mean), max(_quantile(rows, high), mean)


def _accelerated(z: float, shift: float) -> float:
    bent = 1 - shift * (shift + z)
    return shift + (shift + z) / bent if bent > 0.1 else math.copysign(10.0, shift + z)


def student_quantile(probability: float, freedom: float) -> float:
    """Returns a quantile of Student's t by its expansion around the normal's; good to 0.001 from 9 degrees on.

    >>> round(student_quantile(0.975, 9), 3), round(student_quantile(0.975, 29), 3)
    (2.262, 2.045)
    """
    z = NORMAL.inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom ** (power + 1) for power, term in enumerate(terms))


def _quantile(rows: Sequence[Row], z: float) -> float:
    """The value below which the bootstrap mean lies with probability Phi(z); walks outwards from the mean."""
    mean = weighted_mean(rows)
    edge = max(value for value, _, _ in rows) if z > 0 else min(value for value, _, _ in rows)
    step = math.copysign(STEP * standard_error(rows), z)
    near, at, tilt = mean, 0.0, 0.0
    for number in range(1, MAX_STEPS):
        far = mean + number * step
        if abs(far - mean) >= abs(edge - mean):
            return edge
        reached, tilt = _signed_root(rows, far, tilt)
        # Towards the edge of the data the approximation turns back: what lies beyond is the atom at the edge itself.
        if abs(reached) < abs(at):
            return edge
        if abs(reached) >= abs(z):
            return _between(rows, z, near, far, tilt)
        near, at = far, reached
    return near


def _between(rows: Sequence[Row], z: float, near: float, far: float, tilt: float) -> float:
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        reached, _ = _signed_root(rows, middle, tilt)
        if abs(reached) < abs(z):
            near = middle
        else:
            far = middle
        if abs(far - near) <= 1e-7 * max(abs(near), abs(far), 1e-9):
            break
    return (near + far) / 2


def _signed_root(rows: Sequence[Row], theta: float, start: float) -> tuple[float, float]:
    """Barndorff-Nielsen's r*: P(bootstrap mean <= theta) = Phi(r*); and the tilt, to start the next search from.

    The mean is at most theta when the resampled sum of w (x - theta) is at most 0, and that is a sum of independent
    terms, also for a ratio such as the Hajek mean.
    """
    terms = [(weight * (value - theta), count) for value, weight, count in rows]
    size = sum(count for _, count in terms)
    tilt, spread, log_mean = _tilt(terms, start)
    r = math.copysign(math.sqrt(max(-2 * size * log_mean, 0.0)), tilt)
    q = tilt * math.sqrt(size * spread)
    if r == 0 or q == 0 or q / r <= 0:
        return 0.0, tilt
    return r + math.log(q / r) / r, tilt


def _tilt(terms: Sequence[tuple[float, int]], start: float) -> tuple[float, float, float]:
    """Where the tilted mean of the terms is 0: the tilt, the tilted variance there, and the log of the mean factor."""
    size = sum(count for _, count in terms)
    scale = max(abs(term) for term, _ in terms)
    low, high = -math.inf, math.inf
    tilt = start
    for _ in range(NEWTON_STEPS):
        top = max(tilt * term for term, _ in terms)
        zeroth = first = second = 0.0
        for term, count in terms:
            factor = count * math.exp(tilt * term - top)
            zeroth += factor
            first += factor * term
            second += factor * term * term
        mean, square = first / zeroth, second / zeroth
        if abs(mean) <= 1e-10 * scale:
            break
        if mean > 0:
            high = tilt
        else:
            low = tilt
        variance = square - mean * mean
        move = tilt - mean / variance if variance > 1e-300 else math.nan
        if not low < move < high:
            move = (low + high) / 2 if math.isfinite(low + high) else tilt - math.copysign(abs(tilt) + 1 / scale, mean)
        tilt = move
    return tilt, square, math.log(zeroth / size) + top
