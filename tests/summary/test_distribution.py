"""Distributions over streams: exact counts, quantiles by weight, and bounded memory."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.record import MetricResult
from rag_eval_hooks.summary import Distribution, MeasureTally
from rag_eval_hooks.summary.distinct import Distinct
from rag_eval_hooks.summary.measures import bounds_of, lower_is_better


def filled(items: list[tuple[float, float]], kept: int = 4_096) -> Distribution:
    found = Distribution((0, 1), kept=kept)
    for value, weight in items:
        found.add(value, weight)
    return found


@pytest.mark.parametrize(
    ("items", "quantiles"),
    [
        pytest.param([(v / 10, 1) for v in range(1, 11)], (0.1, 0.5, 0.9), id="ten values: the 1st, 5th, 9th"),
        pytest.param([(0.0, 1), (1.0, 9)], (0.0, 1.0, 1.0), id="one tenth of the weight at 0"),
        pytest.param([(0.0, 9), (1.0, 1)], (0.0, 0.0, 0.0), id="nine tenths of the weight at 0"),
        pytest.param([(0.3, 1)], (0.3, 0.3, 0.3), id="one value"),
        pytest.param([], (None, None, None), id="none"),
    ],
)
def test_quantiles_are_values_that_were_seen(
    items: list[tuple[float, float]], quantiles: tuple[float | None, ...]
) -> None:
    found = filled(items).summary()
    assert (found.p10, found.p50, found.p90) == quantiles


def test_shares_at_the_ends_are_weighted() -> None:
    """Weights 2 at 0, 3 at 1, 5 between."""
    found = filled([(0.0, 2), (1.0, 3), (0.5, 5)])
    assert (found.share_at(0.0), found.share_at(1.0)) == (2 / 10, 3 / 10)


def test_many_different_values_are_sampled_and_the_mean_stays_exact() -> None:
    numbers = random.Random(1)  # noqa: S311  seeded, no secret
    values = [numbers.random() for _ in range(20_000)]
    found = filled([(value, 1.0) for value in values], kept=1_000)
    summary = found.summary()
    assert summary.sampled
    assert summary.mean == pytest.approx(sum(values) / len(values), abs=1e-12)
    assert summary.interval.method == "normal"
    # Uniform values: standard error sqrt(1/12 / 20,000) = 0.00204, twice 1.96 of it.
    assert summary.interval.high - summary.interval.low == pytest.approx(2 * 1.96 * 0.00204, rel=0.02)  # type: ignore[operator]
    assert summary.p50 == pytest.approx(0.5, abs=4 * 0.5 / 1_000**0.5)
    assert found.summary() == filled([(value, 1.0) for value in values], kept=1_000).summary()


def test_few_different_values_are_never_sampled() -> None:
    found = filled([(step % 6 / 5, 1.0) for step in range(60_000)], kept=10)
    assert not found.sampled
    assert found.summary().p50 == 2 / 5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=80))
def test_sampling_starts_from_all_values(values: list[float]) -> None:
    """Every value of the reservoir was seen, and it is full."""
    found = filled([(value, 1.0) for value in values], kept=5)
    if found.sampled:
        assert found.quantile(0.0) in values
        assert found.quantile(1.0) in values
        assert len(set(values)) > 5


def result(value: float | None, reason: str | None = None) -> MetricResult:
    return MetricResult(metric="RR", value=value, reason=reason, labels="gold")


def test_a_tally_says_what_its_mean_rests_on() -> None:
    """Scenario operation-08, with a failure and a value no measure gives."""
    tally = MeasureTally("RR")
    gaps = [
        result(None, "no_context"),
        result(None, "refusal"),
        result(None, "refusal"),
        result(None, "failed:KeyError"),
    ]
    for one in (result(1.0), *gaps, result(0.5), result(1e300)):
        tally.add(one, 1.0, None)
    found = tally.summary()
    assert (found.mean, found.scored, found.failed) == (0.75, 2, 1)
    assert list(found.not_scored.items()) == [("refusal", 2), ("no_context", 1), ("out_of_range", 1)]
    assert found.labels == ("gold",)
    assert found.interval.method == "anderson"
    assert (found.at_zero, found.at_one) == (0, 1 / 2)


def test_reasons_from_a_file_cannot_grow_without_bound() -> None:
    tally = MeasureTally("RR")
    for number in range(1_000):
        tally.add(result(None, f"reason-{number}"), 1.0, None)
    found = tally.summary().not_scored
    assert len(found) == 51
    assert sum(found.values()) == 1_000


@pytest.mark.parametrize(
    ("metric", "bounds"),
    [
        ("nDCG@10", (0, 1)),
        ("T(alpha=0.3)@5", (-0.3, 0.7)),
        ("T", (-0.5, 0.5)),
        ("FirstUse", None),
        ("unheard of", None),
    ],
)
def test_a_measure_says_its_own_bounds(metric: str, bounds: tuple[float, float] | None) -> None:
    assert bounds_of(metric) == bounds


def test_which_way_is_better() -> None:
    assert [lower_is_better(name) for name in ("FirstUse", "EvidenceConflict", "P@5")] == [True, True, False]


@pytest.mark.parametrize("size", [0, 1, 4_096])
def test_distinct_texts_are_counted_exactly_while_few(size: int) -> None:
    seen = Distinct()
    for number in [*range(size), *range(size)]:
        seen.add(str(number))
    assert (seen.count, seen.exact) == (size, True)


def test_many_distinct_texts_are_estimated() -> None:
    seen = Distinct()
    for number in range(100_000):
        seen.add(f"text {number}")
    assert not seen.exact
    assert seen.count == pytest.approx(100_000, rel=4 * 0.016)
