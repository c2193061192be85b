"""Comparing two versions: pairs by question, gaps by reason, tests corrected for their number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks import evaluate
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import RR, Metric, P, R, base, parse_metric, register
from rag_eval_hooks.record import Attribution, Evaluation, MadeBy, MetricResult, RagRun
from rag_eval_hooks.summary import Comparison, compare
from rag_eval_hooks.summary.pairs import question_key
from rag_eval_hooks.testing import make_run

Pair = tuple[RagRun | None, Evaluation]


def judged(
    question: str | None,
    value: float | str | None,
    metric: str = "RR",
    run_id: str = "r",
    attributor: str = "1",
    **more: Any,
) -> Pair:
    """One run with one stored result: a value, or a text as the reason why there is none."""
    run = make_run(question=question, run_id=run_id, **more)
    given = value if isinstance(value, float) else None
    result = MetricResult(metric=metric, value=given, reason=value if isinstance(value, str) else None, labels="gold")
    made = MadeBy(package="p", attributor="a", attributor_version=attributor, metrics={metric: 1})
    return run, evaluate(run, []).model_copy(update={"results": (result,), "made_by": made})


def side(values: Sequence[float | str], metric: str = "RR", **more: Any) -> list[Pair]:
    return [judged(f"question {number}", value, metric, **more) for number, value in enumerate(values)]


def only(found: Comparison) -> Any:
    (one,) = found.measures
    return one


def stored(pairs: Sequence[Pair]) -> list[Pair]:
    return [(None, evaluation) for _, evaluation in pairs]


def test_a_change_by_hand() -> None:
    """0.5 -> 1 twice, 1 -> 0.5 once, one tie: mean 0.625 -> 0.75; any signs of three halves add up to 0.5 or more."""
    one = only(compare(stored(side([0.5, 0.5, 1.0, 0.5])), stored(side([1.0, 1.0, 0.5, 0.5]))))
    assert (one.pairs, one.mean_a, one.mean_b, one.difference) == (4, 0.625, 0.75, 0.125)
    assert (one.wins, one.ties, one.losses) == (2, 1, 1)
    assert (one.p_value, one.p_method, one.p_holm, one.verdict) == (1.0, "exact", 1.0, "unclear")
    assert one.interval.method == "anderson"
    assert [(moved.question, moved.a, moved.b) for moved in one.moved] == [
        ("question 0", 0.5, 1.0),
        ("question 1", 0.5, 1.0),
        ("question 2", 1.0, 0.5),
    ]
    assert one.concentration.gini == pytest.approx((-1 + 1 + 3) * 0.5 / (4 * 1.5))


def test_pairs_with_a_gap_are_left_out_and_counted_by_reason() -> None:
    before = side([1.0, "no_gold", 0.5, "refusal", "no_gold"])
    after = side([1.0, 0.5, "refusal", "refusal", "no_context"])
    one = only(compare(stored(before), stored(after)))
    assert (one.pairs, one.mean_a, one.mean_b) == (1, 1.0, 1.0)
    assert one.left_out == {"a:no_gold": 1, "b:refusal": 1, "both:refusal": 1, "a:no_gold+b:no_context": 1}


def test_nothing_to_pair_is_said_and_no_number_is_made_up() -> None:
    found = compare([judged("one", 1.0)], [judged("two", 1.0)])
    assert (found.paired, found.a.unpaired, found.b.unpaired, found.tests) == (0, 1, 1, 0)
    assert found.measures == ()
    assert "no question is in both versions" in found.notes[0]


def test_runs_pair_by_question_whatever_its_case_spaces_and_letter_width() -> None:
    found = compare([judged("How  tall?", 0.0)], [judged(" how TALL？", 1.0)])
    assert (found.paired, only(found).difference) == (1, 1.0)


@given(st.text())
def test_a_question_key_stays_what_it_is(text: str) -> None:
    key = question_key(text)
    assert question_key(key) == key


def test_runs_pair_by_id_where_asked() -> None:
    before = [judged("asked so", 0.0, run_id="r1"), judged("same", 1.0, run_id="r2")]
    after = [judged("asked otherwise", 1.0, run_id="r1"), judged("same", 1.0, run_id="r3")]
    found = compare(before, after, pair_by="run_id")
    assert (found.paired, only(found).mean_a, only(found).mean_b) == (1, 0.0, 1.0)


def test_a_repeated_question_counts_once_with_the_mean_of_its_runs() -> None:
    """A: 0, 1, 0.5 and a refusal -> 0.5."""
    before = [judged("q", value, run_id=str(number)) for number, value in enumerate((0.0, 1.0, "refusal", 0.5))]
    found = compare(before, [judged("q", 1.0)])
    assert (found.a.runs, found.a.questions, found.a.repeated, found.paired) == (4, 1, 3, 1)
    assert (only(found).mean_a, only(found).mean_b) == (0.5, 1.0)
    assert any("asked several times" in note for note in found.notes)


def test_a_value_after_a_gap_counts_when_a_question_is_repeated() -> None:
    before = [judged("q", "refusal"), judged("q", 0.25), judged("q", 0.75)]
    assert only(compare(before, [judged("q", 1.0)])).mean_a == 0.5


def test_runs_without_a_question_are_counted() -> None:
    found = compare([judged(None, 1.0), judged("q", 1.0), judged("  ", 1.0)], [judged("q", 1.0)])
    assert (found.a.runs, found.a.without_key, found.paired) == (3, 2, 1)


def test_weights_are_inverse_inclusion_probabilities() -> None:
    """The first pair stands for 2 x 5 = 10: A = (10 x 0 + 1) / 11, B = (10 x 1 + 1) / 11."""
    before = [judged("q0", 0.0, inclusion_probability=0.5), judged("q1", 1.0)]
    after = [judged("q0", 1.0, inclusion_probability=0.2), judged("q1", 1.0)]
    one = only(compare(before, after))
    assert (one.mean_a, one.mean_b, one.difference) == pytest.approx((1 / 11, 1.0, 10 / 11))
    assert one.interval.reason == "too_few"


def test_lower_is_better_where_it_is() -> None:
    one = only(compare(side([3.0] * 12, "FirstUse"), side([1.0] * 11 + [4.0], "FirstUse")))
    assert one.lower_is_better
    assert (one.wins, one.ties, one.losses, one.verdict) == (11, 0, 1, "better")


def test_a_measure_of_ones_own_says_which_way_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cost within [0, 5] that rises from 1 to 4 is worse, and its few values have an interval."""
    monkeypatch.setattr(base, "_registry", dict(base._registry))

    @register
    @dataclass(frozen=True, kw_only=True)
    class Cost(Metric):
        """Cents per question.

        Cost = cents
        """

        bounds: ClassVar[tuple[float, float]] = (0.0, 5.0)
        lower_is_better: ClassVar[bool] = True

        def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
            return self.scored(len(run.answer or ""))

    one = only(compare(side([1.0] * 8, "Cost"), side([4.0] * 8, "Cost")))
    assert (one.lower_is_better, one.difference, one.losses, one.verdict) == (True, 3.0, 8, "worse")
    assert one.interval.method == "anderson"
    assert -5 <= one.interval.low <= 3 <= one.interval.high <= 5


def test_a_drop_is_significant_only_after_correction_for_all_tests() -> None:
    """Six of six worse: p = 2/64 = 0.031. Alone it is a drop; beside two measures that stay, 3 x 0.031 is none."""
    before, after = side([1.0] * 6), side([0.5] * 6)
    alone = compare(before, after)
    assert (only(alone).p_value, only(alone).verdict) == (2 / 64, "worse")
    assert alone.dropped == alone.measures
    wide = [
        (run, evaluation.model_copy(update={"results": (*evaluation.results, *extra())})) for run, evaluation in before
    ]
    wider = [
        (run, evaluation.model_copy(update={"results": (*evaluation.results, *extra())})) for run, evaluation in after
    ]
    found = compare(wide, wider)
    assert (found.tests, found.measures[0].p_holm, found.measures[0].verdict) == (3, pytest.approx(6 / 64), "unclear")
    assert found.dropped == ()


def extra() -> list[MetricResult]:
    return [MetricResult(metric=name, value=1.0, labels="gold") for name in ("P@5", "R@5")]


def test_slices_are_tested_and_corrected_too() -> None:
    before = [judged(f"q{n}", 1.0, metadata={"topic": "tables" if n % 2 else "text"}) for n in range(16)]
    after = [judged(f"q{n}", 0.0 if n % 2 else 1.0, metadata={}) for n in range(16)]
    found = compare(before, after, by=["metadata.topic"])
    tables, text = found.slices
    assert (str(tables.slice), str(text.slice)) == ("metadata.topic=tables", "metadata.topic=text")
    assert found.tests == 3
    assert (tables.pairs, tables.difference, tables.p_value) == (8, -1.0, 2 / 2**8)
    assert (tables.p_holm, tables.verdict) == (3 * 2 / 2**8, "worse")
    assert (text.difference, text.verdict) == (0.0, "unclear")


def test_a_pair_is_in_the_slice_of_the_version_that_knows_it() -> None:
    known = [judged("q", 1.0, metadata={"topic": "tables"})]
    found = compare(stored([judged("q", 1.0)]), known, by=["metadata.topic"])
    assert [str(one.slice) for one in found.slices] == ["metadata.topic=tables"]


def test_wanted_measures_are_computed_from_the_run_or_said_to_be_missing() -> None:
    run = make_run("ab", relevant={"b"}, question="q")
    pair = (run, evaluate(run, [P(k=1)]))
    found = compare([pair], [(None, pair[1])], metrics=[RR(), R(k=1)])
    assert [(one.metric, one.pairs, one.left_out) for one in found.measures] == [
        ("RR", 0, {"b:not_stored": 1}),
        ("R@1", 0, {"b:not_stored": 1}),
    ]
    both = compare([pair], [pair], metrics=[parse_metric("RR")])
    assert (only(both).mean_a, only(both).mean_b) == (0.5, 0.5)


def test_what_a_has_stored_is_computed_for_b() -> None:
    run = make_run("ab", relevant={"b"}, question="q")
    found = compare([(None, evaluate(run, [RR()]))], [(run, evaluate(run, []))])
    assert (only(found).pairs, only(found).difference) == (1, 0.0)


def test_what_makes_versions_incomparable_is_said() -> None:
    found = compare([judged("q", 1.0, attributor="1")], [judged("q", 1.0, attributor="2")])
    assert any("attribution a 1" in note and "attribution a 2" in note for note in found.notes)


def test_other_labels_are_said() -> None:
    run, evaluation = judged("q", 1.0)
    used = MetricResult(metric="RR", value=1.0, labels="used")
    found = compare([(run, evaluation)], [(run, evaluation.model_copy(update={"results": (used,)}))])
    assert any("rests on other labels" in note for note in found.notes)


@pytest.mark.parametrize(("before", "after"), [([], [judged("q", 1.0)]), ([judged("q", 1.0)], [])])
def test_an_empty_version_is_refused(before: list[Pair], after: list[Pair]) -> None:
    with pytest.raises(ConfigError, match="holds no run"):
        compare(before, after)


def test_an_unknown_slice_key_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"cannot cut by 'topic'; give metadata\.KEY, tag, answer_kind"):
        compare([judged("q", 1.0)], [judged("q", 1.0)], by=["topic"])


def test_a_key_with_many_values_keeps_fifty_apart() -> None:
    pairs = [judged(f"q{n}", 1.0, metadata={"user": f"u{n:03}"}) for n in range(120)]
    found = compare(pairs, pairs, by=["metadata.user"])
    assert len(found.slices) == 51
    assert [one.pairs for one in found.slices if one.slice is not None and one.slice.value == "(other)"] == [70]


def test_the_same_versions_give_the_same_bytes_and_the_json_reads_back() -> None:
    before, after = side([0.1, 0.5, 0.9, "refusal"] * 6), side([0.2, 0.4, 1.0, 0.3] * 6)
    found = compare(before, after)
    assert found.model_dump_json() == compare(before, after).model_dump_json()
    assert Comparison.model_validate_json(found.model_dump_json()) == found
    assert found.measures[0].interval.method == "bca"
