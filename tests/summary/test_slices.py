"""Which slices a run belongs to."""

from typing import Any

import pytest

from rag_eval_hooks import evaluate
from rag_eval_hooks.record import GoldSpan, RagRun
from rag_eval_hooks.summary import Slice, slices_of
from rag_eval_hooks.summary.slices import script
from rag_eval_hooks.testing import make_run

TABLE = "| year | mast |\n| --- | --- |\n| 2023 | 31 m |"


def names(key: str, run: RagRun | None) -> list[str]:
    return [str(one) for one in slices_of(key, run, evaluate(run or make_run()))]


def run(**more: Any) -> RagRun:
    return make_run("ab", **more)


@pytest.mark.parametrize(
    ("key", "made", "expected"),
    [
        pytest.param("metadata.topic", run(metadata={"topic": "tables"}), ["metadata.topic=tables"], id="metadata"),
        pytest.param("metadata.topic", run(), ["metadata.topic=(none)"], id="no such key"),
        pytest.param("metadata.a.b", run(metadata={"a": {"b": 3}}), ["metadata.a.b=3"], id="path into an object"),
        pytest.param(
            "metadata.a.b", run(metadata={"a.b": 1, "a": {"b": 3}}), ["metadata.a.b=1"], id="a key with a dot"
        ),
        pytest.param("metadata.on", run(metadata={"on": True}), ["metadata.on=true"], id="a truth value"),
        pytest.param("metadata.n", run(metadata={"n": 0.5}), ["metadata.n=0.5"], id="a number"),
        pytest.param("metadata.o", run(metadata={"o": {"x": 1}}), ["metadata.o=(none)"], id="an object is no value"),
        pytest.param("metadata.l", run(metadata={"l": ["a", "b", "a"]}), ["metadata.l=a", "metadata.l=b"], id="a list"),
        pytest.param("metadata.t", run(metadata={"t": ""}), ["metadata.t=(empty)"], id="an empty text"),
        pytest.param("metadata.t", run(metadata={"t": "a\x1b[31m\nb"}), ["metadata.t=a b"], id="control characters"),
        pytest.param("tag", run(tags=("x", "y")), ["tag=x", "tag=y"], id="tags"),
        pytest.param("tag", run(), ["tag=(none)"], id="no tags"),
        pytest.param("status", run(status="timeout"), ["status=timeout"], id="status"),
        pytest.param("answer_kind", run(answer=""), ["answer_kind=empty"], id="no answer"),
        pytest.param("answer_kind", run(answer="I don't know."), ["answer_kind=refusal"], id="refusal"),
        pytest.param("chunks", run(), ["chunks=2"], id="chunks in the prompt"),
        pytest.param("chunks", make_run("abcdefg"), ["chunks=6-10"], id="many chunks"),
        pytest.param("gold_items", run(), ["gold_items=(none)"], id="no gold"),
        pytest.param("gold_items", run(relevant={"a", "b"}), ["gold_items=2"], id="relevant ids"),
        pytest.param("gold_items", run(relevance={"a": 0}), ["gold_items=0"], id="nothing is relevant"),
        pytest.param(
            "gold_items", run(evidence_sets=["abc", "d"]), ["gold_items=1"], id="the smallest set that suffices"
        ),
        pytest.param("context_kind", make_run(), ["context_kind=no_context"], id="no context"),
        pytest.param("context_kind", run(), ["context_kind=text"], id="text"),
        pytest.param("context_kind", make_run([("a", TABLE)]), ["context_kind=table"], id="table"),
        pytest.param("context_kind", make_run([("a", TABLE), ("b", "x")]), ["context_kind=mixed"], id="both"),
        pytest.param("context_kind", make_run([("a", "1\t2\t3\n4\t5\t6")]), ["context_kind=table"], id="tabs"),
        pytest.param("script", run(question="Wie hoch?"), ["script=latin"], id="script"),
        pytest.param("metadata.topic", None, ["metadata.topic=(none)"], id="evaluation only"),
        pytest.param("tag", None, ["tag=(none)"], id="evaluation only, tags"),
        pytest.param("gold_items", None, ["gold_items=(none)"], id="evaluation only, gold"),
    ],
)
def test_slices(key: str, made: RagRun | None, expected: list[str]) -> None:
    assert names(key, made) == expected


def test_gold_spans_are_gold_items() -> None:
    made = run(relevant={"a"})
    assert made.gold is not None
    spans = tuple(GoldSpan(document="d", start=start, end=start + 5) for start in (0, 10, 20))
    made = made.model_copy(update={"gold": made.gold.model_copy(update={"relevance": None, "spans": spans})})
    assert names("gold_items", made) == ["gold_items=3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the height of 東京?", "latin"),
        ("東京タワーの高さ", "japanese"),
        ("塔的高度是多少？", "han"),
        ("탑의 높이는?", "hangul"),
        ("ما ارتفاع البرج؟", "arabic"),
        ("מה גובה המגדל?", "hebrew"),
        ("टावर की ऊंचाई?", "devanagari"),
        ("ＨＯＷ ＴＡＬＬ", "latin"),
        ("12 + 30 = ?", "(none)"),
        ("", "(none)"),
        (None, "(none)"),
    ],
)
def test_script(text: str | None, expected: str) -> None:
    assert script(text) == expected


def test_a_slice_is_a_value_with_a_name() -> None:
    assert Slice(key="tag", value="x") == Slice(key="tag", value="x")
    assert len({Slice(key="tag", value="x"), Slice(key="tag", value="x")}) == 1
