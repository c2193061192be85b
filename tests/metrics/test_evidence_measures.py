"""AnyEvidence, CompleteEvidence, EvidenceRecall, Packed."""

import pytest

from rag_eval_hooks.metrics import Packed, parse_metric
from rag_eval_hooks.record import Chunk, ContextItem
from rag_eval_hooks.testing import make_run

NAMES = ("AnyEvidence", "CompleteEvidence", "EvidenceRecall")


@pytest.mark.parametrize(
    ("retrieved", "sets", "k", "expected"),
    [
        pytest.param("ab", ["abc"], None, (1, 0, 2 / 3), id="two of three"),
        pytest.param("abc", ["abc"], None, (1, 1, 1), id="all"),
        pytest.param("abc", ["abc"], 2, (1, 0, 2 / 3), id="the third below the cut-off"),
        pytest.param("xy", ["ab", "c"], None, (0, 0, 0), id="none: true zeros"),
        pytest.param("xc", ["ab", "c"], None, (1, 1, 1), id="one alternative suffices"),
        pytest.param("ad", ["ab", "cde"], None, (1, 0, 1 / 2), id="the best alternative counts"),
        pytest.param("aaa", ["ab"], None, (1, 0, 1 / 2), id="a repeat finds nothing new"),
        pytest.param("a", ["aa"], None, (1, 1, 1), id="an id named twice is one"),
        pytest.param("a", ["", "ab"], None, (1, 0, 1 / 2), id="an empty set says nothing"),
        pytest.param("", ["ab"], None, (0, 0, 0), id="nothing retrieved"),
    ],
)
def test_sets(retrieved: str, sets: list[str], k: int | None, expected: tuple[float, ...]) -> None:
    run = make_run(retrieved, evidence_sets=sets)
    suffix = "" if k is None else f"@{k}"
    assert tuple(parse_metric(name + suffix).score(run).value for name in NAMES) == pytest.approx(expected)


def test_relevant_ids_are_the_one_set_where_none_are_given() -> None:
    run = make_run("ab", relevance={"a": 2, "b": 1, "c": 1, "d": 0})
    assert [parse_metric(name).score(run).value for name in NAMES] == [1, 0, 2 / 3]


@pytest.mark.parametrize("sets", [None, [], [""]])
def test_without_sets_and_relevant_ids_there_is_no_value(sets: list[str] | None) -> None:
    for name in NAMES:
        result = parse_metric(name).score(make_run("ab", evidence_sets=sets, relevance={"a": 0}))
        assert (result.value, result.reason, result.labels) == (None, "no_gold", "gold")


@pytest.mark.parametrize(
    ("retrieved", "context", "k", "expected"),
    [
        pytest.param("abcd", "ca", None, 2 / 4, id="two of four, reordered"),
        pytest.param("abcd", "ca", 1, 1 / 1, id="the first"),
        pytest.param("abcd", "", None, 0, id="none reached the prompt: a true zero"),
        pytest.param("aab", "ab", None, 2 / 2, id="dropping a repeat loses nothing"),
        pytest.param("ab", "xy", None, 0, id="other chunks"),
    ],
)
def test_packed(retrieved: str, context: str, k: int | None, expected: float) -> None:
    assert Packed(k=k).score(make_run(retrieved, context=context)).value == expected


def test_a_cut_chunk_reached_the_prompt() -> None:
    run = make_run("ab", context="")
    cut = Chunk(id="a-1", text="Pass", derived_from="a")
    packed = run.model_copy(update={"chunks": (*run.chunks, cut), "context": (ContextItem(chunk=2),)})
    assert Packed().score(packed).value == 1 / 2


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"context_source": "last_stage"}, "no_prompt"),
        ({"retrieved": ""}, "no_context"),
        ({"context": "", "status": "error"}, "incomplete_run"),
    ],
)
def test_packed_is_unknown(more: dict[str, str], reason: str) -> None:
    arguments = {"retrieved": "ab", **more}
    assert Packed().score(make_run(**arguments)).reason == reason  # type: ignore[arg-type]
