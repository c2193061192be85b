"""Answers that a root hands on as a stream: when the question ends, how, and what of it the reader got."""

from typing import Any

import pytest
from capture_bench import DOCS, PROMPT, Bench

from rag_eval_hooks.capture import Delivered, Reply


def asked(streams_on: Any = "written", **limits: Any) -> Bench:
    """A question that was searched for, and whose root has ended without its answer."""
    bench = Bench(grace_s=5, ttl_s=300, **limits)
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.end("r", DOCS)
    bench.end("root", None, streams_on=streams_on)
    return bench


def test_a_writer_that_begins_after_the_root_has_ended() -> None:
    bench = asked()
    bench.start("writer", "root")
    bench.start("m", "writer", "model", PROMPT)
    bench.later(250)  # longer than the grace time: it is still written
    bench.collector.token("m", "Ans")
    bench.later(250)
    bench.collector.token("m", "wer.")
    bench.end("m", Reply("Answer."))
    assert bench.delivered == []
    bench.end("writer", None)
    run = bench.only()
    assert (run.status, run.answer, run.flags) == ("ok", "Answer.", ())
    assert run.duration_ms == pytest.approx(500_000, rel=0.01)  # until the last of it was written


def test_a_writer_that_was_quicker_than_the_root() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("m", "root", "model", PROMPT)
    bench.end("m", Reply("Answer."))
    bench.start("writer", "root")
    bench.end("root", None, streams_on="written")
    bench.end("writer", None)
    assert bench.only().answer == "Answer."


def test_a_writer_that_nobody_hears_of_any_more() -> None:
    bench = asked("written")
    bench.collector.sweep(orphans=True)  # who looks at the results now does not cut it off
    bench.later(4.9)
    assert bench.delivered == []
    bench.later(0.2)
    run = bench.only()
    assert (run.status, run.answer) == ("ok", None)


def test_a_reader_may_begin_as_late_as_the_time_to_live() -> None:
    bench = asked("read")
    bench.later(299)
    assert bench.delivered == []
    bench.start("m", "root", "model", PROMPT)
    bench.end("m", Reply("Answer."))
    run = bench.only()
    assert (run.status, run.answer) == ("ok", "Answer.")


def test_a_reader_who_never_comes() -> None:
    bench = asked("read")
    bench.later(301)
    run = bench.only()
    assert (run.status, run.answer, len(run.stages)) == ("timeout", None, 1)


def test_a_stream_that_breaks_is_the_questions_error() -> None:
    bench = asked()
    bench.start("writer", "root")
    bench.start("m", "writer", "model", PROMPT)
    bench.collector.token("m", "Ans")
    bench.fail("m", ConnectionResetError())
    bench.fail("writer", ConnectionResetError())
    run = bench.only()
    assert (run.status, run.error, run.answer, run.attempts) == ("error", "ConnectionResetError", "Ans", ())


def test_what_its_reader_got_counts_to_the_letter() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("m", "root", "model", PROMPT)
    for token in ("An", "sw", "er."):
        bench.collector.token("m", token)
    bench.end("m", Reply("Answer."))
    bench.end("root", Delivered("An"), error=("GeneratorExit", "BaseException"))
    run = bench.only()
    assert (run.status, run.answer, run.llm_text, run.llm_complete) == ("abandoned", "An", "Answer.", True)


def test_nothing_was_read() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.end("r", DOCS)
    bench.end("root", Delivered(""), error=("GeneratorExit", "BaseException"))
    run = bench.only()
    assert (run.status, run.answer) == ("abandoned", None)


def test_an_empty_answer_was_read_to_its_end() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("m", "root", "model", PROMPT)
    bench.end("m", Reply(""))
    bench.end("root", Delivered(""))
    run = bench.only()
    assert (run.status, run.answer) == ("ok", "")


def test_a_stream_read_to_its_end_was_not_left_although_the_models_end_was_not_seen() -> None:
    bench = Bench(grace_s=5)
    bench.start("root")
    bench.start("m", "root", "model", PROMPT)
    bench.collector.token("m", "Answer.")
    bench.end("root", Delivered("Answer."))
    bench.later(5.1)
    run = bench.only()
    assert (run.status, run.answer, run.flags) == ("ok", "Answer.", ("open_children",))


def test_all_are_closed_but_those_to_be_kept() -> None:
    bench = Bench()
    for root in ("one", "two"):
        bench.start(root)
        bench.start(f"{root}.r", root, "retriever")
        bench.end(f"{root}.r", DOCS)
    bench.collector.close_all(keep=lambda root: root == "two")
    assert [(run.run_id, run.status) for run in bench.delivered] == [("one", "evicted")]
    assert bench.collector.is_undelivered("two")
    assert not bench.collector.is_undelivered("one")
    assert bench.collector.knows("one")  # what still comes below it is late, and no question of its own
    bench.end("two", "Answer.")
    assert [(run.run_id, run.status) for run in bench.delivered] == [("one", "evicted"), ("two", "ok")]
