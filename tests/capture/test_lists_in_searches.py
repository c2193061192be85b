"""Lists inside searches, scores that are passed on, answers that are checked, and calls of one synthesizer."""

import pytest
from capture_bench import Bench
from test_handed_lists import FOUND, RETRIEVED, TEXTS, answered, item, post, search, stages

from rag_eval_hooks.capture import Items, Message, Reply


def test_a_search_inside_another_and_what_was_made_of_it() -> None:
    """An engine that a search asks: its postprocessor's list is tied to the search, and counts no more than that."""
    bench = Bench()
    bench.start("root")
    bench.start("outer", "root", "retriever")
    search(bench, "inner", "outer")
    made = Items([item("c", 5.0), item("a", 4.0)])
    post(bench, made, parent="outer")
    bench.start("s1", "outer", value={"query": "Q?", "nodes": made})
    bench.end("s1", None)
    answer = Items([item("answer", 0.5, "An answer of its own.")])
    bench.end("outer", answer)
    run = answered(bench, answer)
    assert stages(run) == [
        "refine Retriever: answer=0.5",
        RETRIEVED,
        "rerank Postprocessor: c=5 a=4 (inner)",
    ]
    assert {stage.round for stage in run.stages} == {1}


def test_a_search_that_only_chose_another() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("outer", "root", "retriever")
    search(bench, "inner", "outer")
    bench.end("outer", FOUND)
    assert stages(answered(bench, FOUND)) == ["retrieve Retriever: a b c", RETRIEVED]


def test_a_score_belongs_to_the_step_that_gave_it() -> None:
    """Two steps pass it on; it is not theirs."""
    bench = Bench()
    bench.start("root")
    search(bench)
    scored = Items([item("b", 3.0), item("a", 2.0)])
    post(bench, scored, "p1")
    post(bench, Items([scored[0]]), "p2")
    post(bench, Items([scored[0]]), "p3")
    assert stages(answered(bench, Items([scored[0]]))) == [
        RETRIEVED,
        "rerank Postprocessor: b=3 a=2 (inner)",
        "postprocess Postprocessor: b (inner)",
        "postprocess Postprocessor: b",
    ]


def test_new_scores_in_the_same_order_are_inferred() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    rescored = Items([item("a", 3.0), item("b", 2.0), item("c", 1.0)])
    assert stages(answered(bench, rescored)) == [RETRIEVED, "inferred Chain: a=3 b=2 c=1"]


def test_scores_that_are_left_away_are_no_change() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    bare = Items([item("a"), item("b"), item("c")])
    assert stages(answered(bench, bare)) == ["retrieve Retriever: a=0.9 b=0.8 c=0.7"]


def test_a_postprocessor_tells_what_it_was_given() -> None:
    """What code found by itself is known by what came next."""
    bench = Bench()
    bench.start("root")
    bench.start("p", "root", "postprocessor", {"nodes": FOUND})
    made = Items([FOUND[0]])
    bench.end("p", None, lists=(made,))
    assert stages(answered(bench, made)) == [
        "inferred Chain: a=0.9 b=0.8 c=0.7 (inner)",
        "postprocess Postprocessor: a",
    ]


def checked(bench: Bench, number: int, verdict: str, items: Items, query: str) -> None:
    """Looks for an answer in copies of what was found."""
    bench.start(f"q{number}", "root")
    bench.start(f"cr{number}", f"q{number}", "retriever", query)
    bench.end(f"cr{number}", items)
    bench.start(f"cs{number}", f"q{number}", value={"query": query, "nodes": items})
    bench.start(f"cm{number}", f"cs{number}", "model", (Message("user", query),))
    bench.end(f"cm{number}", Reply(verdict))
    bench.end(f"cs{number}", None)
    bench.end(f"q{number}", verdict)


COPIES = Items([item("x1", None, TEXTS["a"]), item("x2", None, TEXTS["b"][:10])])
"""Under other ids, and cut."""


@pytest.mark.parametrize(
    ("items", "query", "is_search"),
    [
        pytest.param(COPIES, "Is it so? First answer it is.", False, id="copies, for the answer"),
        pytest.param(COPIES, "Q?", True, id="copies, for another query"),
        pytest.param(Items([item("a")]), "Is it so? First answer it is.", True, id="the same, for the answer"),
        pytest.param(
            Items([item("y", None, "Dora keeps hens.")]),
            "Is it so? First answer it is.",
            True,
            id="others, for the answer",
        ),
    ],
)
def test_the_search_with_which_an_answer_is_checked(items: Items, query: str, is_search: bool) -> None:
    """A search in copies of what was found, for what was answered, is none."""
    bench = Bench()
    bench.start("root")
    search(bench)
    bench.start("m", "root", "model", (Message("user", " ".join(TEXTS.values())),))
    bench.end("m", Reply("First answer it is."))
    checked(bench, 1, "YES", items, query)
    bench.end("root", "First answer it is.")
    run = bench.only()
    assert len(run.stages) == 1 + is_search
    assert (run.answer, run.usage.model_calls, run.stages[0].final) == ("First answer it is.", 2, True)
    assert [run.chunks[one.chunk].id for one in run.context] == ["a", "b", "c"]


def test_all_calls_of_a_step_that_was_handed_items_count() -> None:
    """Nothing of what the first two said stands in the third's prompt, nor in the answer: an object was made of it."""
    bench = Bench()
    bench.start("root")
    search(bench)
    bench.start("s", "root", value={"query": "Q?", "nodes": FOUND})
    for key in "abc":
        bench.start(f"m{key}", "s", "model", (Message("user", TEXTS[key]),))
        bench.end(f"m{key}", Reply(f'{{"name": "{key}"}}'))
    bench.end("s", None)
    bench.end("root", {"names": ["a", "b", "c"], "count": 3})
    run = bench.only()
    assert ([run.chunks[one.chunk].id for one in run.context], run.flags) == (["a", "b", "c"], ("several_prompts",))


def test_what_an_earlier_call_said_is_no_answer_if_the_last_one_failed() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    bench.start("m1", "root", "model", (Message("user", TEXTS["a"]),))
    bench.end("m1", Reply("So far, so good."))
    bench.start("m2", "root", "model", (Message("user", TEXTS["b"]),))
    bench.fail("m2", ConnectionError())
    bench.fail("root", ConnectionError())
    run = bench.only()
    assert (run.status, run.answer, run.llm_text, run.llm_complete) == ("error", None, None, False)


def test_what_a_call_said_counts_if_something_else_failed_after_it() -> None:
    bench = Bench()
    bench.start("root")
    search(bench)
    bench.start("m1", "root", "model", (Message("user", TEXTS["a"]),))
    bench.end("m1", Reply("All of it."))
    bench.fail("root", ValueError())
    run = bench.only()
    assert (run.status, run.answer, run.llm_text, run.llm_complete) == ("error", None, "All of it.", True)


def test_a_clock_that_stands_still() -> None:
    """What was there when a step began is told by the order of the events."""
    bench = Bench()
    bench.collector._clock = lambda: 7.0
    bench.start("root")
    search(bench)
    for name, keys in (("p1", "ab"), ("p2", "b")):
        made = Items([one for one in FOUND if one[0] in keys])
        bench.start(name, "root", "postprocessor", {"nodes": FOUND if name == "p1" else Items(FOUND[:2])})
        bench.end(name, None, lists=(made,))
    run = answered(bench, Items([FOUND[1]]))
    assert stages(run) == [
        RETRIEVED,
        "postprocess Postprocessor: a b (inner)",
        "postprocess Postprocessor: b",
    ]
    assert run.duration_ms == pytest.approx(0, abs=1e-6)
