"""Failures seen in other tools, as cases: invented texts, labels given, only the arithmetic is under test."""

from typing import Any

import pytest

from rag_eval_hooks.metrics import measure, parse_metric
from rag_eval_hooks.record import RagRun, read_run
from rag_eval_hooks.testing import make_attribution


def run_of(ids: list[Any], **more: Any) -> RagRun:
    """A run read from the short input form, with scores falling from 0.93 as a retriever would give them."""
    contexts = [
        {"id": identifier, "text": f"Passage {identifier}.", "score": 0.93 - 0.07 * place, "metadata": {}}
        for place, identifier in enumerate(ids)
    ]
    return read_run({"id": "case", "question": "labels given", "answer": "labels given", "contexts": contexts} | more)


def ids(count: int) -> list[str]:
    return [f"c{number}" for number in range(1, count + 1)]


@pytest.mark.parametrize(
    ("count", "used", "k", "expected"),
    [
        pytest.param(2, ["c2"], None, (1 / 2) / 1, id="precision at an unused rank 1 adds 0, and K does not divide"),
        pytest.param(4, ["c4"], None, (1 / 4) / 1, id="last of four"),
        pytest.param(3, ["c1", "c3"], 10, (1 / 1 + 2 / 3) / 2, id="k above the list's length"),
        pytest.param(100, ["c100"], None, 1 / 100, id="a long list"),
    ],
)
def test_context_precision(count: int, used: list[str], k: int | None, expected: float) -> None:
    run = run_of(ids(count), gold={"used": used}, k=k)
    name = "ContextPrecision" if k is None else f"ContextPrecision@{k}"
    assert parse_metric(name).score(run).value == pytest.approx(expected, abs=1e-12)


def test_a_perfect_ranking_is_exactly_one() -> None:
    """No tiny constant in the denominator: (1/1 + 2/2 + 3/3) / 3."""
    assert parse_metric("ContextPrecision").score(run_of(ids(3), gold={"used": ids(3)})).value == 1.0


def test_equal_scores_do_not_re_sort_by_id() -> None:
    """P@3 = 1/3; sorting ties by id descending would give 1."""
    contexts = [{"id": name, "text": name, "score": 0.8} for name in ("doc-a", "doc-b", "doc-z")]
    run = run_of([], contexts=contexts, gold={"used": ["doc-z"]})
    assert parse_metric("ContextPrecision").score(run).value == pytest.approx(1 / 3)


def test_missing_scores_leave_the_order_known() -> None:
    contexts = [{"id": name, "text": name, "score": None} for name in ids(3)]
    run = run_of([], contexts=contexts, gold={"used": ["c2", "c3"]})
    assert parse_metric("ContextPrecision").score(run).value == pytest.approx((1 / 2 + 2 / 3) / 2)


@pytest.mark.parametrize("name", ["ContextPrecision", "ContextUse", "Groundedness", "CitationPrecision"])
def test_an_empty_context_has_no_score(name: str) -> None:
    run = run_of([], answer="The ferry leaves at 10:15.")
    (result,) = measure(run, make_attribution(run, claims=["-"]), [parse_metric(name)])
    assert (result.value, result.reason) == (None, "no_context")


def test_nothing_used_is_neither_zero_nor_one() -> None:
    run = run_of(ids(2), answer="A ferry ticket costs 9 euros.")
    found = make_attribution(run, claims=["-"])
    assert parse_metric("ContextPrecision").score(run, found).reason == "nothing_used"
    assert parse_metric("Groundedness").score(run, found).value == 0


@pytest.mark.parametrize("used", [[1], [1, 2]])
def test_a_copy_under_another_id_cannot_pass_the_bound(used: list[int]) -> None:
    """Crediting one copy: 1/1. Crediting both: (1/1 + 2/2) / 2."""
    text = "The guarantee runs for 36 months."
    contexts = [{"id": "c1", "text": text}, {"id": "c2", "text": text}, {"id": "c3", "text": "Shops open at nine."}]
    run = run_of([], contexts=contexts, answer=text)
    assert parse_metric("ContextPrecision").score(run, make_attribution(run, used=used)).value == 1.0


@pytest.mark.parametrize(
    ("retrieved", "relevant", "expected"),
    [
        pytest.param(["A", "A"], ["A", "B"], 1 / 2, id="two copies of A are not A and B"),
        pytest.param(["d7", "d9"], ["d7", "d7"], 1 / 1, id="a gold id named twice is one"),
        pytest.param([101, 102], ["102"], 1 / 1, id="numbers and texts are one id"),
    ],
)
def test_recall(retrieved: list[Any], relevant: list[str], expected: float) -> None:
    assert parse_metric("R").score(run_of(retrieved, gold={"relevant_ids": relevant})).value == expected


def test_two_chunks_of_one_file_are_two_positions() -> None:
    """Only the second was used: P@2 = 1/2."""
    contexts = [
        {"id": "handbook.pdf", "text": "The building was painted in 2011.", "metadata": {"chunk": 0}},
        {"id": "handbook.pdf", "text": "The building has six lifts.", "metadata": {"chunk": 1}},
    ]
    run = run_of([], contexts=contexts, answer="There are six lifts.")
    assert parse_metric("ContextPrecision").score(run, make_attribution(run, used=[2])).value == 1 / 2
