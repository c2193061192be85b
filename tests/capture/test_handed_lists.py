"""What postprocessors made of what was found, and what a synthesizer was handed that nobody returned so."""

from typing import Any

import pytest
from capture_bench import Bench

from rag_eval_hooks.capture import Item, Items, Message, Reply
from rag_eval_hooks.record import RagRun

TEXTS = {"a": "Ada keeps bees in Bern.", "b": "Bert keeps cats in Basel.", "c": "Carl keeps dogs in Chur."}


def item(key: str, score: float | None = None, text: str | None = None) -> Item:
    return (key, TEXTS.get(key, "") if text is None else text, {}, score)


FOUND = Items([item("a", 0.9), item("b", 0.8), item("c", 0.7)])


def search(bench: Bench, name: str = "r", parent: str = "root", items: Items = FOUND) -> None:
    bench.start(name, parent, "retriever")
    bench.end(name, items)


def post(bench: Bench, items: Any, name: str = "p", parent: str = "root") -> None:
    bench.start(name, parent, "postprocessor")
    bench.end(name, None, lists=(items,))


def answered(bench: Bench, handed: Items, prompt: str = "") -> RagRun:
    """Lets a synthesizer with these items answer, and the question end."""
    bench.start("s", "root", value={"query": "Q?", "nodes": handed})
    bench.start("m", "s", "model", (Message("user", prompt or " ".join(str(one[1]) for one in handed)),))
    bench.end("m", Reply("Answer."))
    bench.end("s", None)
    bench.end("root", "Answer.")
    return bench.only()


def stages(run: RagRun) -> list[str]:
    """`kind name: id=score ...`, with `(inner)` where the list does not count as retrieved."""
    ids = [chunk.id for chunk in run.chunks]
    return [
        f"{stage.kind} {stage.name}: "
        + " ".join(ids[one.chunk] + ("" if one.score is None else f"={one.score:g}") for one in stage.items)
        + ("" if stage.final else " (inner)")
        for stage in run.stages
    ]


RETRIEVED = "retrieve Retriever: a=0.9 b=0.8 c=0.7 (inner)"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param([item("a", 0.9), item("c", 0.7)], "postprocess Postprocessor: a c", id="left one out"),
        pytest.param([item("c", 0.7), item("a", 0.9)], "rerank Postprocessor: c a", id="another order"),
        pytest.param([item("a", 0.2), item("b", 0.1)], "rerank Postprocessor: a=0.2 b=0.1", id="scored anew"),
        pytest.param([item("a", 0.9, "Ada keeps bees.")], "refine Postprocessor: a", id="rewrote one"),
        pytest.param([], "postprocess Postprocessor: ", id="left out all"),
    ],
)
def test_what_a_postprocessor_did(made: list[Item], expected: str) -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    post(bench, Items(made))
    assert stages(answered(bench, Items(made), "prompt")) == [RETRIEVED, expected]


def test_a_postprocessor_that_changed_nothing_is_a_stage_all_the_same() -> None:
    """So that the stages of a pipeline do not depend on the question."""
    bench = Bench()
    bench.start("root")
    search(bench)
    post(bench, FOUND)
    assert stages(answered(bench, FOUND)) == [RETRIEVED, "postprocess Postprocessor: a b c"]


def test_scores_given_anew_in_the_same_order_are_a_stage() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    made = Items([item("a", 3.0), item("b", 2.0), item("c", 1.0)])
    post(bench, made)
    assert stages(answered(bench, made)) == [RETRIEVED, "rerank Postprocessor: a=3 b=2 c=1"]


def test_model_calls_in_a_postprocessor_are_not_the_answer() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    bench.start("p", "root", "postprocessor")
    bench.start("judge", "p", "model", (Message("user", TEXTS["a"]),))
    bench.end("judge", Reply("Answer."))
    made = Items([item("b", 9.0)])
    bench.end("p", None, lists=(made,))
    run = answered(bench, made)
    assert [run.chunks[one.chunk].id for one in run.context] == ["b"]
    assert (run.usage.model_calls, run.flags) == (2, ())


@pytest.mark.parametrize(
    ("handed", "expected"),
    [
        pytest.param([item("b", 0.8)], "inferred Chain: b", id="a choice"),
        pytest.param([item("new", 0.9, "Ada keeps bees")], "inferred Chain: new", id="cut from one"),
        pytest.param([], "inferred Chain: ", id="nothing"),
    ],
)
def test_code_between_changed_what_was_found(handed: list[Item], expected: str) -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    run = answered(bench, Items(handed), "prompt")
    assert stages(run) == [RETRIEVED, expected]
    assert [chunk.derived_from for chunk in run.chunks if chunk.id == "new"] == ["a"] * ("new" in expected)


def test_a_copy_with_a_new_id_is_what_it_is_a_copy_of() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    run = answered(bench, Items([item("x1", 0.9, TEXTS["a"]), item("x2", 0.8, f" {TEXTS['b']}\n")]))
    assert stages(run) == [RETRIEVED, "inferred Chain: a b"]
    assert [chunk.id for chunk in run.chunks] == ["a", "b", "c"]


def test_answers_to_sub_questions_are_nothing_found() -> None:
    bench = Bench()
    bench.start("root")
    for number, key in enumerate("ab"):
        bench.start(f"q{number}", "root")
        search(bench, f"r{number}", f"q{number}", Items([item(key, 0.9)]))
        bench.start(f"m{number}", f"q{number}", "model", (Message("user", TEXTS[key]),))
        bench.end(f"m{number}", Reply(f"Sub-answer {number} it is."))
        bench.end(f"q{number}", None)
    handed = Items([item(f"s{number}", None, f"Response: Sub-answer {number} it is.") for number in range(2)])
    run = answered(bench, handed)
    assert stages(run) == ["retrieve Retriever: a=0.9", "retrieve Retriever: b=0.9"]
    assert [run.chunks[one.chunk].id for one in run.context] == ["a", "b"]


def test_what_is_handed_counts_beside_the_search_of_its_own_query() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("first", "root")
    search(bench, "r1", "first", Items([item("a", 0.9), item("b", 0.8)]))
    bench.end("first", None)
    bench.start("second", "root")
    search(bench, "r2", "second", Items([item("b", 0.5), item("c", 0.4)]))
    bench.start("s", "second", value={"query": "Q?", "nodes": Items([item("b", 0.5)])})
    bench.end("s", None)
    bench.end("second", None)
    bench.end("root", "Answer.")
    assert stages(bench.only()) == [
        "retrieve Retriever: a=0.9 b=0.8",
        "retrieve Retriever: b=0.5 c=0.4 (inner)",
        "inferred Chain: b",
    ]


def test_what_nobody_was_seen_to_find_is_inferred_from_what_was_handed() -> None:
    bench = Bench()
    bench.start("root")
    assert stages(answered(bench, FOUND)) == ["inferred Chain: a=0.9 b=0.8 c=0.7"]


def test_an_item_that_was_split_over_several_prompts_counts_with_all_its_parts() -> None:
    text = " ".join(f"word{number}" for number in range(60))
    words = text.split()
    bench = Bench()
    bench.start("root")
    search(bench, items=Items([item("long", 0.9, text)]))
    said = ["First draft of it.", "Second draft of it.", "Answer."]
    for number, reply in enumerate(said):
        part = " ".join(words[20 * number : 20 * number + 20])
        bench.start(f"m{number}", "root", "model", (Message("user", f"{said[number - 1]} {part}"),))
        bench.end(f"m{number}", Reply(reply))
    bench.end("root", "Answer.")
    run = bench.only()
    (context,) = run.context
    assert (context.match, context.coverage, run.flags) == ("shingle", 1.0, ("several_prompts",))
