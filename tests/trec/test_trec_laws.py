"""What holds for every list: bounds, cut-offs, repeats, tails nobody judged; and the shared list changes no value."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric
from rag_eval_hooks.testing import make_attribution, make_run
from rag_eval_hooks.trec import JudgedList, Tally, score_lists, trec_metrics
from rag_eval_hooks.trec.pairs import in_order

FAMILY = ["P", "P(denominator=returned)", "R", "RR", "AP", "AP(norm=min)", "nDCG", "nDCG(gain=linear)", "Hit", "Judged"]
FAMILY += ["nDCG(ideal=pool)", "nDCG(gain=linear,ideal=pool)"]
CUTOFFS = ["", "@1", "@3", "@10", "@1000"]
NAMES = [name + cutoff for name in FAMILY for cutoff in CUTOFFS]

ids = st.one_of(st.integers(0, 12).map(str), st.sampled_from(["a", "b", "é", "a#1", "10", "010"]))
lists = st.lists(ids, max_size=15)
grades = st.dictionaries(ids, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 1e308, 5e-324]), max_size=12)
levels = st.sampled_from([None, 0.5, 1.0, 2.0])


def values(names: Sequence[str], ranked: Sequence[str], graded: Mapping[str, float], min_rel: float | None = None):
    metrics = trec_metrics(names)
    (scores,) = score_lists([JudgedList("q", list(ranked), dict(graded))], metrics, min_rel=min_rel)
    return dict(zip(names, scores.values, strict=True))


@given(lists, grades, levels)
def test_every_value_is_a_share(ranked: list[str], graded: dict[str, float], min_rel: float | None) -> None:
    for name, value in values(NAMES, ranked, graded, min_rel).items():
        assert isinstance(value, float), name
        assert isfinite(value), name
        assert 0 <= value <= 1, name


@given(lists, grades)
def test_deeper_cutoffs_find_no_less(ranked: list[str], graded: dict[str, float]) -> None:
    for family in ("R", "Hit", "RR", "AP"):
        found = list(values([f"{family}@{k}" for k in (1, 2, 3, 5, 10, 20)], ranked, graded).values())
        assert found == sorted(found), family


@given(lists, grades, st.lists(st.integers(100, 120).map(str), max_size=5))
def test_a_tail_nobody_judged_changes_nothing(ranked: list[str], graded: dict[str, float], tail: list[str]) -> None:
    """Except the shares of the list's own length: P and Judged without a cut-off."""
    names = [name for name in NAMES if "@" in name or not name.startswith(("P", "Judged"))]
    names = [name for name in names if not name.startswith("P(denominator=returned)")]
    assert values(names, ranked + tail, graded) == values(names, ranked, graded)


@given(lists, grades)
def test_a_repeat_is_a_wasted_rank(ranked: list[str], graded: dict[str, float]) -> None:
    """It scores as an id that nobody judged would in its place."""
    seen: set[str] = set()
    replaced = []
    for place, name in enumerate(ranked):
        replaced.append(f"unjudged {place}" if name in seen else name)
        seen.add(name)
    assert values(NAMES, ranked, graded) == values(NAMES, replaced, graded)


@given(lists, grades)
def test_cutoffs_beyond_the_list(ranked: list[str], graded: dict[str, float]) -> None:
    """R, RR, AP, nDCG and Hit at a cut-off past the end are those of the whole list."""
    deep = max(len(ranked), len(graded)) + 1
    for family in ("R", "RR", "AP", "nDCG", "nDCG(gain=linear)", "Hit"):
        found = values([family, f"{family}@{deep}"], ranked, graded)
        assert found[family] == found[f"{family}@{deep}"], family


@given(grades)
def test_an_empty_list_is_zero(graded: dict[str, float]) -> None:
    assert set(values(NAMES, [], graded).values()) == {0.0}


@given(lists, grades)
def test_all_relevant_first_is_perfect(ranked: list[str], graded: dict[str, float]) -> None:
    best = sorted((name for name, grade in graded.items() if grade > 0), key=lambda name: -graded[name])
    if graded and max(graded.values()) > 1e-9:
        found = values(["R", "RR", "AP", "nDCG(gain=linear)", "nDCG", "AP(norm=min)@3"], best + ranked, graded)
        assert found == pytest.approx(dict.fromkeys(found, 1.0))


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, inf, -inf, -0.0]), ids), max_size=15))
def test_order_is_total_and_its_own(rows: list[tuple[float, str]]) -> None:
    """The order does not depend on the order of the lines, and nothing is lost."""
    ranked = in_order(rows, "trec")
    assert ranked == in_order(rows[::-1], "trec")
    assert sorted(ranked) == sorted(name for _, name in rows)
    assert in_order(rows, "file") == [name for _, name in rows]


@given(lists, grades, grades)
def test_the_shared_list_changes_no_value(
    ranked: list[str], graded: dict[str, float], others: dict[str, float]
) -> None:
    """Measures of two runs in turn, as threads of a service see them, and each alone."""
    metrics = [parse_metric(name) for name in NAMES]
    runs = [make_run(ranked, relevance=graded), make_run(ranked, relevance=others), make_run(ranked)]
    found = [make_attribution(run) for run in runs]
    shared = [[metric.score(run, one).value for metric in metrics] for run, one in zip(runs, found, strict=True)]
    mixed = [[metric.score(run, one).value for run, one in zip(runs, found, strict=True)] for metric in metrics]
    assert [list(column) for column in zip(*mixed, strict=True)] == shared
    for run, row in zip(runs[:2], shared, strict=False):
        assert run.gold is not None
        listed = RankedList(run.retrieved_ids, run.gold.relevance or {})
        for metric, value in zip(metrics, row, strict=True):
            assert isinstance(metric, RankingMetric)
            assert value == (metric.value_of(listed) if metric.has_value(listed) else None)


def test_an_attribution_that_is_gone_is_not_taken_for_none() -> None:
    """The list kept for the next measure is that of the attribution it was made from."""
    run = make_run("ab")
    metric = parse_metric("P(labels=used)@2")
    assert metric.score(run, make_attribution(run, used=[1])).value == 1 / 2
    assert metric.score(run, None).reason == "no_attribution"
    assert metric.score(run, make_attribution(run, used=[1, 2])).value == 2 / 2


def test_the_mean_of_many_equal_values_is_that_value() -> None:
    """1/10 is no binary fraction: a plain sum of 50,000 of them is off in the twelfth digit."""
    metrics = trec_metrics(["P@10"])
    tally = Tally(metrics)
    one = JudgedList("q", ["a"], {"a": 1.0})
    for scores in score_lists([one] * 50_000, metrics):
        tally.add(scores)
    (average,) = tally.averages()
    assert average.mean == pytest.approx(1 / 10, abs=1e-16)
