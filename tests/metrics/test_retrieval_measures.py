"""P, R, Hit, RR, AP, nDCG, Judged over the retrieved list."""

from math import log2

import pytest

from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.record import RagRun, Stage, StageItem
from rag_eval_hooks.testing import make_attribution, make_run


def value(name: str, run: RagRun) -> float | None:
    return parse_metric(name).score(run).value


@pytest.mark.parametrize(
    ("name", "retrieved", "relevant", "expected"),
    [
        pytest.param("P@5", "abxyc", "abc", 3 / 5, id="P: three hits in five"),
        pytest.param("P@5", "ab", "ab", 2 / 5, id="P: a short list still divides by k"),
        pytest.param("P(denominator=returned)@5", "ab", "ab", 2 / 2, id="P: or by what was returned"),
        pytest.param("P(denominator=returned)@2", "abx", "ab", 2 / 2, id="P: but by no more than k"),
        pytest.param("P", "abxx", "ab", 2 / 4, id="P: without k by the whole list"),
        pytest.param("P@2", "aa", "a", 1 / 2, id="P: a repeat keeps its rank and counts nothing"),
        pytest.param("P@5", "", "a", 0, id="P: nothing retrieved is a true zero"),
        pytest.param("P", "", "a", 0, id="P: nothing retrieved, no k"),
        pytest.param("R@10", "axbyc", "abcd", 3 / 4, id="R: three of four"),
        pytest.param("R", "aa", "ab", 1 / 2, id="R: two copies of a are not a and b"),
        pytest.param("R@1", "xa", "a", 0, id="R: below the cut-off"),
        pytest.param("R", "", "a", 0, id="R: nothing retrieved"),
        pytest.param("Hit@3", "xya", "a", 1, id="Hit"),
        pytest.param("Hit@2", "xya", "a", 0, id="Hit: below the cut-off"),
        pytest.param("RR", "xyza", "a", 1 / 4, id="RR: first hit at rank 4"),
        pytest.param("RR@3", "xyza", "a", 0, id="RR: below the cut-off"),
        pytest.param("RR", "xxa", "a", 1 / 3, id="RR: repeats keep their rank"),
        pytest.param("AP", "axb", "ab", (1 / 1 + 2 / 3) / 2, id="AP"),
        pytest.param("AP@1", "ab", "ab", (1 / 1) / 2, id="AP: divides by all relevant"),
        pytest.param("AP(norm=min)@1", "ab", "ab", (1 / 1) / 1, id="AP: or by what fits in k"),
        pytest.param("AP(norm=min)@5", "ab", "ab", (1 / 1 + 2 / 2) / 2, id="AP: and by no more than is relevant"),
        pytest.param("AP(norm=min)", "ab", "abcd", (1 / 1 + 2 / 2) / 4, id="AP: norm without k is the plain one"),
        pytest.param("AP", "aab", "ab", (1 / 1 + 2 / 3) / 2, id="AP: a repeat is a wasted rank"),
    ],
)
def test_value(name: str, retrieved: str, relevant: str, expected: float) -> None:
    assert value(name, make_run(retrieved, relevant=set(relevant))) == pytest.approx(expected, abs=1e-12)


GRADES = {"a": 3, "b": 1, "c": 2, "d": 0, "e": 2}
IDEAL = 7 + 3 / log2(3) + 3 / 2 + 1 / log2(5)  # grades 3, 2, 2, 1, 0 have gains 7, 3, 3, 1, 0
LINEAR_IDEAL = 3 + 2 / log2(3) + 2 / 2 + 1 / log2(5)


@pytest.mark.parametrize(
    ("name", "retrieved", "expected"),
    [
        pytest.param("nDCG@5", "abcde", (7 + 1 / log2(3) + 3 / 2 + 0 + 3 / log2(6)) / IDEAL, id="grades 3,1,2,0,2"),
        pytest.param("nDCG@5", "acbde", (7 + 3 / log2(3) + 1 / 2 + 0 + 3 / log2(6)) / IDEAL, id="ranks 2, 3 swapped"),
        pytest.param(
            "nDCG(gain=linear)@5", "abcde", (3 + 1 / log2(3) + 2 / 2 + 2 / log2(6)) / LINEAR_IDEAL, id="linear"
        ),
        pytest.param(
            "nDCG(gain=linear)@5", "acbde", (3 + 2 / log2(3) + 1 / 2 + 2 / log2(6)) / LINEAR_IDEAL, id="linear swapped"
        ),
        pytest.param("nDCG@1", "cabde", 3 / 7, id="the ideal is cut at k as well"),
        pytest.param("nDCG", "c", 3 / IDEAL, id="the ideal knows what was not retrieved"),
        pytest.param("nDCG(ideal=pool)", "c", 3 / 3, id="the pool does not"),
        pytest.param("nDCG(ideal=pool)@1", "ca", 3 / 7, id="the pool is the whole list, cut after sorting"),
        pytest.param("nDCG", "xyz", 0, id="nothing relevant retrieved"),
        pytest.param("nDCG(ideal=pool)", "xyz", 0, id="nothing relevant in the pool"),
        pytest.param("nDCG@5", "aacb", (7 + 3 / 2 + 1 / log2(5)) / IDEAL, id="a repeat gains nothing"),
    ],
)
def test_ndcg(name: str, retrieved: str, expected: float) -> None:
    assert value(name, make_run(retrieved, relevance=GRADES)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "retrieved", "printed"),
    [
        ("nDCG@5", "abcde", 0.9508),
        ("nDCG@5", "acbde", 0.9750),
        ("nDCG(gain=linear)@5", "abcde", 0.949),
        ("nDCG(gain=linear)@5", "acbde", 0.972),
    ],
)
def test_ndcg_as_printed_in_the_definitions(name: str, retrieved: str, printed: float) -> None:
    """DCG@5 = 10.2915, swapped 10.5533; ideal 10.8235."""
    found = value(name, make_run(retrieved, relevance=GRADES))
    assert found == pytest.approx(printed, abs=5e-4 if "linear" in name else 5e-5)


@pytest.mark.parametrize("gain", ["exp", "linear"])
@pytest.mark.parametrize(("high", "low"), [(1e6, 1e3), (1e308, 1.0), (5000.0, 4999.0), (3e-320, 1e-320)])
def test_ndcg_of_absurd_grades_is_a_number(gain: str, high: float, low: float) -> None:
    found = value(f"nDCG(gain={gain})", make_run("ba", relevance={"a": high, "b": low}))
    assert found is not None
    assert 0 <= found <= 1


def test_ndcg_scales_the_gains_of_large_grades_without_changing_the_ratio() -> None:
    """Gains 2^5000 and 2^4999 are as 2 to 1: (1 + 2/log2(3)) / (2 + 1/log2(3))."""
    found = value("nDCG", make_run("ba", relevance={"a": 5000.0, "b": 4999.0}))
    assert found == pytest.approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)))


def test_a_negative_grade_is_not_relevant_and_gains_nothing() -> None:
    run = make_run("ab", relevance={"a": -2, "b": 1})
    assert value("R", run) == 1
    assert value("nDCG", run) == pytest.approx((1 / log2(3)) / 1)


@pytest.mark.parametrize(
    ("name", "retrieved", "expected"),
    [
        ("Judged@4", "abxy", 2 / 4),
        ("Judged@4", "ab", 2 / 4),
        ("Judged", "ab", 2 / 2),
        ("Judged", "aab", 2 / 3),
        ("Judged", "", 0),
    ],
)
def test_judged_counts_grades_of_zero(name: str, retrieved: str, expected: float) -> None:
    assert value(name, make_run(retrieved, relevance={"a": 1, "b": 0})) == expected
    assert value(name, make_run(retrieved, relevance={"a": 0, "b": 0})) == expected


RETRIEVAL = ["P@5", "R@5", "Hit@5", "RR@5", "AP@5", "nDCG@5"]


@pytest.mark.parametrize("name", RETRIEVAL)
def test_without_a_relevant_id_there_is_no_value(name: str) -> None:
    for run in (make_run("ab"), make_run("ab", relevance={}), make_run("ab", relevance={"a": 0})):
        result = parse_metric(name).score(run)
        assert (result.value, result.reason, result.labels) == (None, "no_gold", "gold")


@pytest.mark.parametrize("name", RETRIEVAL)
def test_or_the_value_trec_eval_gives(name: str) -> None:
    metric = parse_metric(name.replace("@", "(empty=zero)@"))
    assert metric.score(make_run("ab", relevance={"a": 0})).value == 0
    assert metric.score(make_run("ab")).reason == "no_gold"


@pytest.mark.parametrize("name", RETRIEVAL)
def test_where_only_evidence_sets_are_given_their_union_is_relevant(name: str) -> None:
    by_sets = make_run("axb", evidence_sets=["ab", "c"], relevance={})
    by_ids = make_run("axb", relevant=set("abc"))
    assert value(name, by_sets) == value(name, by_ids) is not None


def test_ids_compare_as_text_and_scores_do_not_sort() -> None:
    run = make_run(["101", "102"], relevant={"102"})
    stage = Stage(items=(StageItem(chunk=0, score=0.1), StageItem(chunk=1, score=0.9)))
    assert value("RR", run.model_copy(update={"stages": (stage,)})) == 1 / 2


def test_several_rounds_are_one_list_and_inner_steps_do_not_count() -> None:
    run = make_run("abc", relevant={"c"})
    inner = Stage(items=(StageItem(chunk=2),), final=False)
    first = Stage(items=(StageItem(chunk=0), StageItem(chunk=1)))
    second = Stage(items=(StageItem(chunk=2),), round=2)
    assert value("RR", run.model_copy(update={"stages": (inner, first, second)})) == 1 / 3


class TestLabelsUsed:
    """The same formulas with what the answer used as relevant."""

    def test_gold_use_goes_first(self) -> None:
        run = make_run("abc", used="c")
        result = parse_metric("RR(labels=used)").score(run)
        assert (result.value, result.labels, result.metric) == (1 / 3, "used", "RR(labels=used)")

    def test_attribution_says_it_otherwise(self) -> None:
        run = make_run("abcd")
        found = make_attribution(run, used=[2, 4], uncertain=[1])
        assert parse_metric("P(labels=used)").score(run, found).value == 2 / 4

    @pytest.mark.parametrize(
        ("more", "kind", "reason"),
        [
            ({"status": "error"}, "answer", "incomplete_run"),
            ({}, "empty", "no_answer"),
            ({}, "refusal", "refusal"),
            ({"context": ""}, "answer", "no_context"),
            ({}, "answer", "nothing_used"),
        ],
    )
    def test_or_why_it_is_unknown(self, more: dict[str, str], kind: str, reason: str) -> None:
        run = make_run("ab", **more)  # type: ignore[arg-type]
        found = make_attribution(run, kind=kind)  # type: ignore[arg-type]
        assert parse_metric("R(labels=used)").score(run, found).reason == reason

    def test_without_attribution_the_caller_is_told(self) -> None:
        assert parse_metric("R(labels=used)").score(make_run("ab")).reason == "no_attribution"


def test_no_record_holds_a_judges_labels_yet() -> None:
    assert parse_metric("P(labels=judge)@5").score(make_run("ab", relevant={"a"})).reason == "no_judge"


@pytest.mark.parametrize("status", ["error", "abandoned", "cancelled", "evicted"])
def test_retrieval_is_scored_however_the_run_ended(status: str) -> None:
    run = make_run("ab", relevant={"b"}, status=status, answer=None)
    assert value("RR", run) == 1 / 2
