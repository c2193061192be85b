"""The reader takes what real logs hold, and says which part it cannot take."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks import evaluate
from rag_eval_hooks.errors import InputError
from rag_eval_hooks.metrics.base import MAX_K
from rag_eval_hooks.record import RagRun, chunk_id, message_text, read_run
from rag_eval_hooks.record.read import MAX_CUTOFF, nearest_key


def test_the_short_form_in_full() -> None:
    run = read_run(
        {
            "id": "r1",
            "question": "Q?",
            "contexts": [
                {"id": "c1", "text": "one", "score": 0.8, "metadata": {"page": 3}},
                {"id": "c2", "text": "two"},
            ],
            "answer": "A [1]",
            "citations": {"base": 0},
            "gold": {
                "relevance": {"c1": 3},
                "relevant_ids": ["c1", "c2"],
                "evidence_sets": [["c1", "c2"], ["c9"]],
                "used": ["c1"],
                "answer": "A",
            },
            "k": 5,
            "tags": ["t"],
            "metadata": {"topic": "tables"},
        }
    )
    assert run.model_dump(exclude_defaults=True) == {
        "run_id": "r1",
        "question": "Q?",
        "answer": "A [1]",
        "chunks": ({"id": "c1", "text": "one", "metadata": {"page": 3}}, {"id": "c2", "text": "two"}),
        "stages": ({"query": "Q?", "items": ({"chunk": 0, "score": 0.8}, {"chunk": 1})},),
        "context": ({"chunk": 0}, {"chunk": 1}),
        "citations": {"base": 0, "rule": "given"},
        "gold": {
            "relevance": {"c1": 3.0, "c2": 1.0},
            "evidence_sets": (("c1", "c2"), ("c9",)),
            "used": ("c1",),
            "answer": "A",
        },
        "k": 5,
        "tags": ("t",),
        "metadata": {"topic": "tables"},
    }


def test_ids_may_be_numbers_null_or_repeated() -> None:
    contexts = [
        {"id": 7, "text": "a"},
        {"id": None, "text": "b"},
        {"id": 7, "text": "c"},
        {"id": 7, "text": "a"},
        "plain",
        None,
    ]
    run = read_run({"id": 12, "contexts": contexts})
    assert run.run_id == "12"
    assert [(chunk.id, chunk.text) for chunk in run.chunks] == [
        ("7", "a"),
        (chunk_id("b"), "b"),
        ("7", "c"),
        (chunk_id("plain"), "plain"),
        (chunk_id(""), ""),
    ]
    assert [item.chunk for item in run.context] == [0, 1, 2, 0, 3, 4]


def test_numbers_that_are_none_are_null() -> None:
    run = read_run(
        {"contexts": [{"text": "a", "score": value} for value in (None, math.nan, math.inf, "0.5", "x", True)]}
    )
    assert [item.score for item in run.stages[0].items] == [None, None, None, 0.5, None, None]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, None),
        ("plain", "plain"),
        (5, "5"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"}, " you"], "Hi you"),
        ([{"type": "tool_use", "name": "x", "input": {}}], ""),
        ({"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}, "Hi"),
        ([{"type": "text", "text": {"value": "Hi", "annotations": []}}], "Hi"),
        ([], ""),
    ],
)
def test_message_text(content: Any, text: str | None) -> None:
    assert message_text(content) == text


def test_a_lone_surrogate_is_replaced_and_the_rest_stays() -> None:
    run = read_run({"id": "a\ud83d", "question": "\ud83d q", "answer": "\ud83d\ude00 ok", "contexts": ["\udc00 text"]})
    assert (run.run_id, run.question, run.answer, run.chunks[0].text) == (
        "a\ufffd",
        "\ufffd q",
        "\U0001f600 ok",
        "\ufffd text",
    )
    run.model_dump_json().encode("utf-8")


def test_a_run_without_an_id_is_known_by_its_content() -> None:
    first, again, other = ({"answer": answer} for answer in ("a", "a", "b"))
    assert read_run(first).run_id == read_run(again).run_id != read_run(other).run_id


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (42, "expected a JSON object, got a number"),
        ("text", "got a text"),
        ([], "got a list"),
        ({}, "none of question, contexts, answer"),
        ({"contexts": "not a list", "answer": "x"}, "contexts: expected a list"),
        ({"contexts": [5]}, "contexts[0]"),
        ({"answer": True}, "expected text"),
        ({"answer": "x", "k": 0}, "k: expected a whole number from 1"),
        ({"answer": "x", "citations": {"base": "one"}}, "citations"),
        ({"answer": "x", "gold": []}, "gold: expected an object"),
        ({"answer": "x", "gold": {"relevance": {"a": math.nan}}}, "gold.relevance['a']"),
        ({"answer": "x", "gold": {"relevant_ids": [None]}}, "gold.relevant_ids"),
        ({"schema_version": 2, "chunks": []}, "schema_version 2"),
        ({"schema_version": 1, "chunks": []}, "run_id"),
        ({"schema_version": 1, "run_id": "r", "chunks": [], "context": [{"chunk": 0}]}, "points past"),
    ],
)
def test_what_cannot_be_read_is_named(data: Any, part: str) -> None:
    with pytest.raises(InputError) as caught:
        read_run(data)
    assert part in str(caught.value)


def test_unknown_fields_are_ignored_in_both_forms() -> None:
    run = read_run({"answer": "x", "contexts": [{"text": "a", "embedding": [1, 2]}], "latency": 5})
    stored = json.loads(run.model_dump_json())
    stored["new_field"] = 1
    stored["chunks"][0]["new_field"] = {}
    assert read_run(stored) == run


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["id", "question", "contexts", "answer", "citations", "gold", "k", "tags", "metadata", "status"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_object_is_read_or_refused_and_what_is_read_survives_a_round_trip(data: dict[str, Any]) -> None:
    try:
        run = read_run(data)
    except InputError:
        return
    text = run.model_dump_json()
    assert RagRun.model_validate_json(text) == run
    assert read_run(json.loads(text, parse_constant=lambda name: pytest.fail(name))) == run


def test_gold_in_full_and_labels_of_a_judge() -> None:
    gold = {
        "spans": [{"document": "d1", "start": 10, "end": 30}],
        "utility": {"c1": 0.9, 2: 1},
        "sufficient": True,
        "answer": "5 km",
        "aliases": ["5,000 m"],
    }
    run = read_run({"answer": "x", "gold": gold, "judge": {"relevance": {"c1": 1}}})
    assert run.gold is not None
    assert run.judge is not None
    assert run.gold.model_dump(exclude_defaults=True) == {
        "spans": ({"document": "d1", "start": 10, "end": 30},),
        "utility": {"c1": 0.9, "2": 1.0},
        "sufficient": True,
        "answer": "5 km",
        "aliases": ("5,000 m",),
    }
    assert run.judge.relevance == {"c1": 1.0}


@pytest.mark.parametrize(
    ("gold", "part"),
    [
        ({"spans": [{"document": "d", "start": 5, "end": 5}]}, "is empty"),
        ({"spans": "d"}, "gold.spans"),
        ({"utility": {"a": 2}}, "gold.utility['a']"),
        ({"utility": []}, "gold.utility"),
    ],
)
def test_bad_gold_is_named(gold: dict[str, Any], part: str) -> None:
    with pytest.raises(InputError) as caught:
        read_run({"answer": "x", "gold": gold})
    assert part in str(caught.value)


def test_unknown_keys_are_flagged_and_the_rest_is_read() -> None:
    run = read_run(
        {
            "question": "Q?",
            "context": ["text"],
            "answer": "A",
            "gold": {"relevant": ["c1"], "answer": "A"},
            "judge": {"note": 1},
            "latency": 3,
        }
    )
    assert run.flags == ("ignored:context", "ignored:latency", "ignored:gold.relevant", "ignored:judge.note")
    assert (run.chunks, run.answer) == ((), "A")
    assert run.gold is not None
    assert (run.gold.relevance, run.gold.answer) == (None, "A")


def test_flags_for_unknown_keys_are_few_short_and_printable() -> None:
    run = read_run({"question": "Q?", "a\x1b[5m\n\u202e": 1, "b" * 1000: 1, **{f"c{n}": 1 for n in range(10)}})
    assert run.flags == ("ignored:a?[5m??", f"ignored:{'b' * 39}…", "ignored:c0", "ignored:c1", "ignored:c2")


def test_every_key_of_the_short_form_is_known() -> None:
    gold = {"relevance": {"c": 1}, "relevant_ids": ["c"], "evidence_sets": [["c"]], "used": ["c"], "answer": "A"}
    gold |= {"aliases": ["a"], "sufficient": True, "utility": {"c": 1}}
    gold |= {"spans": [{"document": "d", "start": 0, "end": 1}]}
    data = {"id": "r", "run_id": "r", "question": "Q?", "contexts": [], "answer": "A", "citations": {"base": 1}, "k": 3}
    data |= {"gold": gold, "judge": gold, "tags": ["t"], "metadata": {"x": 1}, "status": "ok", "schema_version": 1}
    assert read_run(data).flags == ()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("context", "contexts"),
        ("Contexts", "contexts"),
        ("chunks", "contexts"),
        ("response", "answer"),
        ("gold.relevant", "gold.relevant_ids"),
        ("gold.evidence_set", "gold.evidence_sets"),
        ("judge.relevances", "judge.relevance"),
        ("relevant_ids", "gold.relevant_ids"),
        ("ground_truth", "gold"),
        ("latency", None),
        ("embedding", None),
        ("user", None),
        ("gold.note", None),
    ],
)
def test_the_key_that_was_meant(name: str, meant: str | None) -> None:
    assert nearest_key(name) == meant


@pytest.mark.parametrize(
    "k", [MAX_K + 1, 10**10, pytest.param(10**5_000, id="huge"), pytest.param(-(10**5_000), id="far below")]
)
def test_a_cutoff_that_no_measure_takes_is_refused_at_the_door(k: int) -> None:
    short = {"question": "q", "contexts": ["text"], "answer": "a"}
    stored = read_run(short).model_dump(mode="json")
    for data in (short, stored) if k > 0 else (short,):
        with pytest.raises(InputError, match=f"k: expected a whole number from 1 to {MAX_K}, got ") as caught:
            read_run({**data, "k": k})
        assert len(str(caught.value)) < 150


def test_the_largest_cutoff_is_that_of_the_measures() -> None:
    run = read_run({"question": "q", "contexts": ["text"], "answer": "a", "k": MAX_K})
    assert evaluate(run).results
    assert read_run(run.model_dump(mode="json")).k == MAX_CUTOFF == MAX_K
