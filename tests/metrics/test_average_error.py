"""What an average rests on: its standard error, and scenario operation-08."""

import math
import random

import pytest

from rag_eval_hooks.metrics.average import Reasons, Squares, averages, weight_of
from rag_eval_hooks.record import MetricResult, RagRun


def result(value: float | None, reason: str | None = None) -> MetricResult:
    return MetricResult(metric="RR", value=value, reason=reason)


def test_gaps_are_no_zeros() -> None:
    """Scenario operation-08: 1.0, null(no_context), 0.5, null(refusal) have the mean 0.75 over 2."""
    runs = [result(1.0), result(None, "no_context"), result(0.5), result(None, "refusal")]
    (average,) = averages([([one], 1.0) for one in runs])
    assert (average.mean, average.scored) == (0.75, 2)
    assert average.not_scored == {"no_context": 1, "refusal": 1}
    assert average.failed == 0


@pytest.mark.parametrize(
    ("items", "error"),
    [
        pytest.param([(1.0, 1.0), (0.0, 1.0)], math.sqrt(0.25 + 0.25) / 2, id="two equal weights"),
        pytest.param(
            [(1.0, 1.0), (0.0, 3.0)], math.sqrt(0.75**2 + (3 * 0.25) ** 2) / 4, id="mean 0.25, weights 1 and 3"
        ),
        pytest.param([(0.4, 2.0), (0.4, 5.0)], 0.0, id="no spread"),
        pytest.param([(1e6 + 1, 1.0), (1e6 - 1, 1.0)], math.sqrt(2) / 2, id="a small spread at large values"),
    ],
)
def test_standard_error(items: list[tuple[float, float]], error: float) -> None:
    (average,) = averages([([result(value)], weight) for value, weight in items])
    assert average.standard_error == pytest.approx(error, abs=1e-9)


def test_one_value_has_no_standard_error() -> None:
    (average,) = averages([([result(0.5)], 1.0)])
    assert average.standard_error is None


def test_standard_error_equals_the_two_pass_formula() -> None:
    numbers = random.Random(11)  # noqa: S311  seeded, no secret
    items = [(numbers.random(), numbers.choice([1.0, 10.0, 1 / 0.3])) for _ in range(500)]
    total = sum(weight for _, weight in items)
    mean = sum(weight * value for value, weight in items) / total
    expected = math.sqrt(sum((weight * (value - mean)) ** 2 for value, weight in items)) / total
    (average,) = averages([([result(value)], weight) for value, weight in items])
    assert average.standard_error == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("weights", "effective"), [([1, 1, 1], 3.0), ([1, 3], 16 / 10), ([], 0.0)])
def test_effective_number(weights: list[float], effective: float) -> None:
    """(sum of w)^2 / sum of w^2."""
    squares = Squares()
    for weight in weights:
        squares.add(0.5, float(weight))
    assert squares.effective == pytest.approx(effective)


def test_values_too_large_for_a_number_leave_no_error() -> None:
    (average,) = averages([([result(value)], 1.0) for value in (1e300, -1e300)])
    assert average.standard_error is None


def test_weights_are_finite_however_small_the_probability() -> None:
    """1 / 5e-324 is infinite, which no average could take."""
    weights = [weight_of(RagRun(run_id="r", inclusion_probability=one)) for one in (1.0, 0.01, 5e-324)]
    assert weights == [1, 100, 1e12]
    (average,) = averages([([result(0.5)], weight) for weight in weights])
    assert average.mean == 0.5


def test_reasons_take_no_more_memory_however_many_there_are() -> None:
    reasons = Reasons()
    for number in range(1_000):
        reasons.add(f"reason {number}")
    assert len(reasons.counts()) == 51
    assert reasons.counts()["other"] == 950
