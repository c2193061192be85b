"""Scoring many measures, and averaging over many runs."""

import logging
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import (
    RR,
    Average,
    AverageAccumulator,
    Metric,
    R,
    averages,
    default_metrics,
    measure,
    scoring,
)
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.testing import make_attribution, make_run

SECRET = "the text of the run"


@dataclass(frozen=True, kw_only=True)
class Broken(Metric):
    """Raises, quoting the run. x = 1 / 0"""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        raise KeyError(SECRET)


@dataclass(frozen=True, kw_only=True)
class WrongType(Metric):
    """Returns a number. x = 1"""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        return cast("MetricResult", 1.0)


@dataclass(frozen=True, kw_only=True)
class NotANumber(Metric):
    """Returns what cannot be stored. x = 0 / 0"""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        return self.scored(float("nan"))


@pytest.fixture
def _nothing_logged_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_logged", set())


@pytest.mark.usefixtures("_nothing_logged_yet")
def test_a_measure_that_raises_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    run = make_run("ab", relevant={"b"})
    metrics: list[Metric] = [R(), Broken(), WrongType(), NotANumber(), RR()]
    results = measure(run, make_attribution(run), metrics)
    assert [(result.metric, result.value, result.reason) for result in results] == [
        ("R", 1.0, None),
        ("Broken", None, "failed:KeyError"),
        ("WrongType", None, "failed:TypeError"),
        ("NotANumber", None, "failed:ValidationError"),
        ("RR", 0.5, None),
    ]


@pytest.mark.usefixtures("_nothing_logged_yet")
def test_a_failure_is_logged_once_with_its_place_and_without_the_runs_text(caplog: pytest.LogCaptureFixture) -> None:
    run = make_run("ab")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            measure(run, make_attribution(run), [Broken()])
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "measure Broken failed with KeyError" in caplog.text
    assert "in score" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize("k", [None, 5])
def test_default_measures(k: int | None) -> None:
    at = "" if k is None else f"@{k}"
    assert [str(metric) for metric in default_metrics(k)] == [
        f"ContextPrecision{at}",
        f"ContextUse{at}",
        f"EvidenceCompleteness{at}",
        "Groundedness",
        "CitationPrecision",
        "CitationRecall",
        "CitationCoverage",
        f"P{at}",
        f"R{at}",
        f"RR{at}",
        f"AP{at}",
        f"nDCG{at}",
        f"AnyEvidence{at}",
        f"CompleteEvidence{at}",
        f"EvidenceRecall{at}",
    ]


def result(value: float | None, reason: str | None = None, metric: str = "RR", labels: str = "gold") -> MetricResult:
    return MetricResult(metric=metric, value=value, reason=reason, labels=labels)  # type: ignore[arg-type]


def test_an_average_says_what_it_rests_on() -> None:
    runs = [result(1.0), result(0.5), result(0.0)]
    runs += [
        result(None, "refusal"),
        result(None, "no_answer"),
        result(None, "refusal"),
        result(None, "failed:KeyError"),
    ]
    (average,) = averages([([one], 1.0) for one in runs])
    assert average == Average("RR", "gold", 1.5 / 3, 3, {"refusal": 2, "no_answer": 1}, 1)
    assert str(average) == "RR 0.5000 (3 scored, 3 not scored: refusal 2, no_answer 1; 1 failed)"


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ([result(0.83121)], "RR 0.8312 (1 scored)"),
        ([result(1.0), result(None, "failed:ValueError")], "RR 1.0000 (1 scored, 1 failed)"),
        ([result(None, "no_gold")], "RR null (0 scored, 1 not scored: no_gold 1)"),
        ([result(None, "failed:ValueError")], "RR null (0 scored, 1 failed)"),
    ],
)
def test_the_line_leaves_out_what_did_not_happen(runs: list[MetricResult], line: str) -> None:
    assert [str(average) for average in averages([(runs, 1.0)])] == [line]


def test_nothing_has_no_average() -> None:
    assert averages([]) == ()


def test_weights_are_inverse_inclusion_probabilities() -> None:
    """A run taken with probability 0.1 stands for ten: (10 * 0.2 + 1 * 0.8 + 1 * 0.6) / 12."""
    (average,) = averages([([result(0.2)], 1 / 0.1), ([result(0.8)], 1.0), ([result(0.6)], 1.0)])
    assert average.mean == pytest.approx((10 * 0.2 + 0.8 + 0.6) / 12)
    assert average.scored == 3


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_a_weight_that_cannot_be_one_is_refused(weight: float) -> None:
    with pytest.raises(ConfigError, match="a weight must be a finite number above 0"):
        AverageAccumulator().add([result(1.0)], weight)


def test_measures_keep_their_order_and_their_labels() -> None:
    first = [result(1.0, metric="RR"), result(0.5, metric="ContextPrecision@5", labels="used")]
    second = [result(None, "refusal", metric="ContextPrecision@5"), result(0.0, metric="AP")]
    found = averages([(first, 1.0), (second, 1.0)])
    assert [(one.metric, one.labels, one.mean) for one in found] == [
        ("RR", "gold", 1.0),
        ("ContextPrecision@5", "used", 0.5),
        ("AP", "gold", 0.0),
    ]
    mixed = averages([([result(1.0, labels="gold")], 1.0), ([result(0.0, labels="used")], 1.0)])
    assert mixed[0].labels is None


def test_reasons_from_a_file_cannot_grow_without_bound() -> None:
    (average,) = averages(([result(None, f"reason-{number}")], 1.0) for number in range(1_000))
    assert len(average.not_scored) == 51
    assert average.not_scored["other"] == 950
    assert sum(average.not_scored.values()) == 1_000


def test_a_long_stream_is_averaged_as_it_comes() -> None:
    """A hundred thousand thirds have the mean of one third; a plain sum drifts by 4e-13."""

    def stream() -> Iterator[tuple[list[MetricResult], float]]:
        one = [result(1 / 3)]
        for _ in range(100_000):
            yield one, 1.0

    (average,) = averages(stream())
    assert average.mean == pytest.approx(1 / 3, abs=1e-16)
    assert average.scored == 100_000


def test_small_values_survive_large_ones() -> None:
    """(1 + 1e16 - 1e16) / 3; a plain sum gives 0 or 2 thirds."""
    (average,) = averages([([result(value)], 1.0) for value in (1.0, 1e16, -1e16)])
    assert average.mean == pytest.approx(1 / 3)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([1.0, 10.0, 1 / 0.3])), min_size=1, max_size=50))
def test_a_mean_equals_the_exact_one_and_stays_within_bounds(items: list[tuple[float, float]]) -> None:
    exact = sum(Fraction(value) * Fraction(weight) for value, weight in items) / sum(Fraction(w) for _, w in items)
    (average,) = averages([([result(value)], weight) for value, weight in items])
    assert average.mean == pytest.approx(float(exact), abs=1e-15)
    assert 0 <= (average.mean or 0) <= 1


def test_a_rolling_result_equals_the_recomputed_one_after_every_step() -> None:
    numbers = random.Random(7)  # noqa: S311  a seeded walk, no secret
    seen: list[tuple[list[MetricResult], float]] = []
    rolling = AverageAccumulator()
    for _ in range(200):
        step = [result(numbers.random()) if numbers.random() < 0.7 else result(None, "refusal")]
        weight = numbers.choice([1.0, 2.0, 100.0])
        seen.append((step, weight))
        rolling.add(step, weight)
        assert rolling.result() == averages(seen)
