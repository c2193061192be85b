"""Intervals: small cases by hand, against scipy, against enumeration, and how often they hold the truth."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.summary import Distribution
from rag_eval_hooks.summary.bootstrap import Row, bca_limits, skewness, standard_error, student_quantile, weighted_mean
from rag_eval_hooks.summary.bounds import anderson_limits, identical_limits, kolmogorov_critical


def rows(values: list[float]) -> list[Row]:
    return [(value, 1.0, count) for value, count in sorted(Counter(values).items())]


def filled(
    values: list[float], bounds: tuple[float, float] | None = (0, 1), weights: list[float] | None = None
) -> Distribution:
    found = Distribution(bounds)
    for value, weight in zip(values, weights or [1.0] * len(values), strict=True):
        found.add(value, weight)
    return found


def test_moments_by_hand() -> None:
    """0, 0, 0, 4: mean 1, deviations -1 three times and 3, second moment 12/4 = 3, third (27 - 3)/4 = 6."""
    values = rows([0.0, 0.0, 0.0, 4.0])
    assert weighted_mean(values) == 1.0
    assert standard_error(values) == pytest.approx(math.sqrt(12) / 4)
    assert skewness(values) == pytest.approx(6 / 3**1.5)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(9, 2.2622), (14, 2.1448), (29, 2.0452), (99, 1.9842), (10_000, 1.9602)]
)
def test_student_quantiles_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=0.001)


@pytest.mark.parametrize("size", [5, 6])
def test_the_saddlepoint_is_the_bootstrap_distribution(size: int) -> None:
    """All size^size resamples are enumerated; the quantiles agree to a tenth of the standard error."""
    numbers = random.Random(size)  # noqa: S311  seeded, no secret
    values = [numbers.random() for _ in range(size)]
    means = sorted(sum(sample) / size for sample in itertools.product(values, repeat=size))
    shift = skewness(rows(values)) / (6 * math.sqrt(size))
    low, high = bca_limits(rows(values), 0.8, expand=False)
    for limit, z in ((low, -1.2816), (high, 1.2816)):
        level = 0.5 * math.erfc(-(shift + (shift + z) / (1 - shift * (shift + z))) / math.sqrt(2))
        exact = means[min(int(level * len(means)), len(means) - 1)]
        assert limit == pytest.approx(exact, abs=0.1 * standard_error(rows(values)))


DRAWS: dict[str, tuple[Callable[[random.Random], float], float]] = {
    "uniform": (lambda r: r.random(), 1 / 2),
    "skewed": (lambda r: r.betavariate(5, 1), 5 / 6),
    "reciprocal ranks": (
        lambda r: r.choice([1, 1, 1, 1, 1 / 2, 1 / 2, 1 / 3, 1 / 4, 0, 0]),
        (4 + 1 + 1 / 3 + 1 / 4) / 10,
    ),
    "fifths": (lambda r: sum(r.random() < 0.3 for _ in range(5)) / 5, 0.3),
    "exponential": (lambda r: r.expovariate(1), 1.0),
}


@pytest.mark.parametrize("size", [12, 40, 150])
@pytest.mark.parametrize("name", ["uniform", "skewed", "exponential"])
def test_bca_agrees_with_scipy(name: str, size: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    np = pytest.importorskip("numpy")
    numbers = random.Random(size)  # noqa: S311  seeded, no secret
    values = [DRAWS[name][0](numbers) for _ in range(size)]
    found = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, batch=5_000, method="BCa", random_state=np.random.default_rng(0)
    )
    low, high = bca_limits(rows(values), expand=False)
    error = standard_error(rows(values))
    assert low == pytest.approx(found.confidence_interval.low, abs=0.08 * error)
    assert high == pytest.approx(found.confidence_interval.high, abs=0.08 * error)


def test_equal_weights_do_not_change_an_interval_and_repeats_are_counts() -> None:
    values = [0.1, 0.2, 0.9, 0.9, 0.5, 0.4, 0.3, 0.9, 0.8, 0.2, 0.0, 1.0]
    one = filled(values).interval()
    ten = filled(values, weights=[10.0] * len(values)).interval()
    assert one.method == ten.method == "bca"
    assert (one.low, one.high) == pytest.approx((ten.low, ten.high), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([1.0, 2.0, 10.0])), min_size=1, max_size=60))
def test_any_interval_holds_its_mean_and_stays_within_bounds(items: list[tuple[float, float]]) -> None:
    found = filled([value for value, _ in items], weights=[weight for _, weight in items])
    interval, mean = found.interval(), found.mean
    assert mean is not None
    if interval.low is None or interval.high is None:
        assert interval.reason == "too_few"
        assert found.effective < 10
    else:
        assert 0 <= interval.low <= mean + 1e-9
        assert mean - 1e-9 <= interval.high <= 1


def test_the_order_of_the_runs_changes_nothing() -> None:
    values = [0.1, 0.7, 0.7, 0.3, 0.9, 1.0, 0.0, 0.2, 0.5, 0.6, 0.4]
    assert filled(values).interval() == filled(values[::-1]).interval()


@pytest.mark.parametrize(
    ("size", "d"),
    [
        pytest.param(1, 0.975, id="P(D+ >= d) = 1 - d"),
        pytest.param(2, 1 - math.sqrt(0.025), id="above one half: (1 - d)^2 + ... = 0.025"),
        pytest.param(5, 0.56328, id="tables of Birnbaum and Tingey"),
        pytest.param(9, 0.43001, id="tables of Birnbaum and Tingey, n = 9"),
    ],
)
def test_kolmogorov_bounds_are_those_of_the_tables(size: int, d: float) -> None:
    assert kolmogorov_critical(size, 0.025) == pytest.approx(d, abs=0.0001)


def test_anderson_moves_the_band_to_the_ends() -> None:
    """n = 2, d = 0.8419: of 0.4 and 0.8, low = (1 - d) x 0.4, high = d x 1 + (1 - d) x 0.8."""
    d = 1 - math.sqrt(0.025)
    assert anderson_limits([0.8, 0.4], 0, 1) == pytest.approx(((1 - d) * 0.4, d + (1 - d) * 0.8))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_anderson_is_never_wider_than_hoeffding(values: list[float]) -> None:
    low, high = anderson_limits(values, 0, 1)
    mean, reach = sum(values) / len(values), math.sqrt(math.log(2 / 0.05) / (2 * len(values)))
    assert low >= max(mean - reach, 0) - 1e-9
    assert high <= min(mean + reach, 1) + 1e-9


def test_equal_values_leave_room_for_what_was_not_seen() -> None:
    """q = 1 - 0.05^(1/30) = 0.0950: a share q at 0 stays unseen in 30 runs with probability 0.05."""
    q = 1 - 0.05 ** (1 / 30)
    assert identical_limits([(1.0, 1.0, 30)], 0, 1) == pytest.approx((1 - q, 1.0))
    assert identical_limits([(0.25, 1.0, 30)], 0, 1) == pytest.approx((0.25 - q * 0.25, 0.25 + q * 0.75))
    interval = filled([1.0] * 30).interval()
    assert (interval.method, interval.low, interval.high) == ("identical", pytest.approx(1 - q), 1.0)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        pytest.param(Distribution((0, 1)), "no_values", id="nothing"),
        pytest.param(filled([3.0, 4.0], None), "too_few", id="few values without bounds"),
        pytest.param(filled([3.0] * 20, None), "all_equal", id="equal values without bounds"),
        pytest.param(filled([0.2, 0.8, 1.0], weights=[1, 5, 9]), "too_few", id="few values of unequal weight"),
        pytest.param(filled([0.2, 1.5, 1.0]), "too_few", id="a value outside the bounds shows that there are none"),
    ],
)
def test_where_no_interval_is_honest_there_is_none(found: Distribution, reason: str) -> None:
    interval = found.interval()
    assert (interval.low, interval.high, interval.method, interval.reason) == (None, None, None, reason)


@pytest.mark.parametrize(("value", "weight"), [(math.nan, 1.0), (math.inf, 1.0), (0.5, 0.0), (0.5, math.inf)])
def test_what_is_no_value_is_refused(value: float, weight: float) -> None:
    with pytest.raises(ConfigError, match="expected a finite value and a weight above 0"):
        Distribution().add(value, weight)


def coverage(name: str, size: int, rounds: int) -> float:
    draw, truth = DRAWS[name]
    numbers = random.Random(f"{name} {size}")  # noqa: S311  seeded, no secret
    bounds = None if name == "exponential" else (0.0, 1.0)
    held = 0
    for _ in range(rounds):
        interval = filled([draw(numbers) for _ in range(size)], bounds).interval()
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
    return held / rounds


@pytest.mark.slow
@pytest.mark.parametrize(("size", "rounds"), [(30, 5_000), (100, 1_500)])
@pytest.mark.parametrize("name", ["uniform", "skewed", "reciprocal ranks", "fifths"])
def test_95_percent_intervals_hold_the_truth_in_93_to_97_percent(name: str, size: int, rounds: int) -> None:
    """Seeded samples; the standard error of a coverage of 0.95 is 0.003 and 0.006."""
    assert 0.93 <= coverage(name, size, rounds) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("name", ["uniform", "skewed", "reciprocal ranks", "fifths"])
def test_intervals_of_few_values_hold_the_truth_in_at_least_95_percent(name: str, size: int) -> None:
    assert coverage(name, size, 2_000) >= 0.95


def of_ones(size: int) -> list[tuple[float, float]]:
    """The interval for each possible number of ones among zeros and ones."""
    found = []
    for ones in range(size + 1):
        interval = filled([1.0] * ones + [0.0] * (size - ones)).interval()
        assert interval.low is not None
        assert interval.high is not None
        found.append((interval.low, interval.high))
    return found


def hit_chance(intervals: list[tuple[float, float]], share: float) -> float:
    size = len(intervals) - 1
    return math.fsum(
        math.comb(size, ones) * share**ones * (1 - share) ** (size - ones)
        for ones, (low, high) in enumerate(intervals)
        if low - 1e-12 <= share <= high + 1e-12
    )


@pytest.mark.parametrize(
    ("size", "floor", "mean"), [(5, 0.95, 1.0), (9, 0.95, 1.0), (30, 0.94, 0.98), (100, 0.93, 0.97)]
)
def test_shares_are_covered_exactly_as_promised(size: int, floor: float, mean: float) -> None:
    """For zeros and ones the coverage is a binomial sum, no simulation: never below the floor, on average near 0.95."""
    intervals = of_ones(size)
    chances = [hit_chance(intervals, place / 200) for place in range(1, 200)]
    assert min(chances) >= floor
    assert 0.95 <= sum(chances) / len(chances) <= mean


@pytest.mark.slow
def test_a_tail_rule_that_keeps_bad_runs_does_not_bias_mean_or_interval() -> None:
    """Values below 0.2 are always kept, others with probability 0.1; a plain mean would be far too low."""
    values = [1, 1, 1, 1, 1 / 2, 1 / 2, 1 / 3, 1 / 4, 0.1, 0]
    truth = sum(values) / len(values)
    numbers = random.Random(5)  # noqa: S311  seeded, no secret
    held = 0
    for _ in range(500):
        found = Distribution((0, 1))
        for _ in range(400):
            value = numbers.choice(values)
            chance = 1.0 if value < 0.2 else 0.1
            if numbers.random() < chance:
                found.add(value, 1 / chance)
        interval = found.interval()
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
    assert 0.92 <= held / 500 <= 0.98
