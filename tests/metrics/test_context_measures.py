"""ContextPrecision, ContextUse, FirstUse over the context in prompt order."""

import pytest

from rag_eval_hooks.metrics import ContextPrecision, ContextUse, FirstUse, Metric
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.testing import make_attribution, make_run

ALL: tuple[Metric, ...] = (ContextPrecision(), ContextUse(), FirstUse())


@pytest.mark.parametrize(
    ("context", "used", "k", "precision", "use"),
    [
        pytest.param("abcde", "ab", None, (1 / 1 + 2 / 2) / 2, 2 / 5, id="used at 1, 2"),
        pytest.param("abcde", "cd", None, (1 / 3 + 2 / 4) / 2, 2 / 5, id="used at 3, 4: 5/12"),
        pytest.param("abcde", "de", None, (1 / 4 + 2 / 5) / 2, 2 / 5, id="used at 4, 5: 0.325"),
        pytest.param("abcde", "ae", 2, 1 / 1, 1 / 2, id="only the first two"),
        pytest.param("abcde", "ae", 99, (1 / 1 + 2 / 5) / 2, 2 / 5, id="k above the length takes the whole list"),
        pytest.param("aab", "a", None, 1 / 1, 1 / 3, id="an exact repeat counts once and keeps its place"),
        pytest.param("abab", "ab", None, (1 / 1 + 2 / 2) / 2, 2 / 4, id="two repeats"),
        pytest.param("abc", "cx", None, 1 / 3, 1 / 3, id="a used id that is not in the context is ignored"),
    ],
)
def test_gold_use(context: str, used: str, k: int | None, precision: float, use: float) -> None:
    run = make_run(context, used=used)
    assert ContextPrecision(k=k).score(run).value == pytest.approx(precision, abs=1e-12)
    assert ContextUse(k=k).score(run).value == pytest.approx(use, abs=1e-12)


def test_attribution_decides_by_position() -> None:
    """Two items with one id but different text are two: only the second was used."""
    run = make_run([("handbook.pdf", "Painted in 2011."), ("handbook.pdf", "It has six lifts.")])
    found = make_attribution(run, used=[2])
    assert [metric.score(run, found).value for metric in ALL] == [1 / 2, 1 / 2, 2]


def test_an_exact_repeat_that_attribution_calls_used_counts_once() -> None:
    run = make_run("aba")
    found = make_attribution(run, used=[1, 3])
    assert [metric.score(run, found).value for metric in ALL] == [1, 1 / 3, 1]


def test_uncertain_is_not_used_and_what_was_left_out_is_no_position() -> None:
    run = make_run("abcd", context="db")
    found = make_attribution(run, used=[2, 3], uncertain=[1])  # rank 3 is `a`, not in the prompt
    assert [metric.score(run, found).value for metric in ALL] == [1 / 2, 1 / 2, 2]


def test_context_order_is_the_prompts() -> None:
    run = make_run("abc", context="cab", used="c")
    assert FirstUse().score(run).value == 1


@pytest.mark.parametrize(
    ("run", "kind", "reasons"),
    [
        (make_run("ab", status="error"), "answer", ["incomplete_run"] * 3),
        (make_run("ab", status="cancelled", answer=None, context=""), "empty", ["incomplete_run"] * 3),
        (make_run("ab", answer=None), "empty", ["no_answer"] * 3),
        (make_run("", answer=None), "empty", ["no_answer"] * 3),
        (make_run("ab"), "refusal", ["refusal"] * 3),
        (make_run(""), "refusal", ["refusal"] * 3),
        (make_run(""), "answer", ["no_context"] * 3),
        (make_run("ab"), "answer", ["nothing_used", None, "nothing_used"]),
    ],
)
def test_reasons_in_order(run: RagRun, kind: str, reasons: list[str | None]) -> None:
    found = make_attribution(run, kind=kind)  # type: ignore[arg-type]
    results = [metric.score(run, found) for metric in ALL]
    assert [result.reason for result in results] == reasons
    assert {result.labels for result in results} == {"used"}


def test_that_nothing_was_used_is_a_true_zero_of_context_use() -> None:
    run = make_run("ab")
    assert ContextUse().score(run, make_attribution(run)).value == 0


@pytest.mark.parametrize("kind", ["refusal", "empty", "answer"])
@pytest.mark.parametrize("status", ["ok", "error"])
def test_labels_that_are_given_hold_whatever_the_answer_is(kind: str, status: str) -> None:
    run = make_run("ab", used="b", answer=None, status=status)
    found = make_attribution(run, kind=kind)  # type: ignore[arg-type]
    assert [metric.score(run, found).value for metric in ALL] == [1 / 2, 1 / 2, 2]
    assert [metric.score(run).value for metric in ALL] == [1 / 2, 1 / 2, 2]


def test_labels_that_say_nothing_was_used() -> None:
    run = make_run("ab", used="")
    assert [metric.score(run).reason for metric in ALL] == ["nothing_used", None, "nothing_used"]
    assert make_run("", used="a").gold is not None
    assert ContextPrecision().score(make_run("", used="a")).reason == "no_context"


def test_without_attribution_the_caller_is_told() -> None:
    assert ContextPrecision().score(make_run("ab")).reason == "no_attribution"
    assert ContextPrecision().score(make_run("ab", answer=" \n")).reason == "no_answer"


def test_the_whole_model_text_of_a_stopped_stream_is_judged() -> None:
    run = make_run("ab", status="abandoned", answer="An", llm_text="An answer.", llm_complete=True)
    assert ContextPrecision().score(run, make_attribution(run, used=[1])).value == 1
