"""Which run opens a record, what belongs to it, and when it is finished; all on an injected clock."""

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from capture_bench import DOCS, PROMPT, Bench

from rag_eval_hooks.capture import Collector, Items, Limits, Message, Reply
from rag_eval_hooks.capture.collector import BATCH


def whole(bench: Bench, root: str = "root", parent: str | None = None) -> None:
    bench.start(root, parent)
    bench.start(root + ".r", root, "retriever")
    bench.end(root + ".r", DOCS)
    bench.start(root + ".m", root, "model", PROMPT)
    bench.end(root + ".m", Reply("Answer."))
    bench.end(root, "Answer.")


def test_a_question_is_delivered_when_its_root_ends() -> None:
    bench = Bench()
    whole(bench)
    run = bench.only()
    assert (run.run_id, run.status, run.question, run.answer) == ("root", "ok", "Q?", "Answer.")
    assert run.duration_ms == pytest.approx(5.0)  # six events, one millisecond apart
    assert run.started_at == pytest.approx(1_000.001)
    assert run.stages[0].duration_ms == pytest.approx(1.0)


def test_an_id_that_is_open_is_a_second_delivery() -> None:
    bench = Bench()
    bench.start("root")
    whole(bench)
    bench.end("root", "Answer.")
    bench.only()
    assert bench.collector.stats()["opened"] == 1
    assert bench.collector.stats()["late"] == 0


def test_work_below_a_root_that_ended_is_waited_for() -> None:
    bench = Bench(grace_s=5)
    bench.start("root")
    bench.start("task", "root")
    bench.end("root", None)
    bench.start("r", "task", "retriever")
    bench.end("r", DOCS)
    bench.later(4.9)
    assert bench.delivered == []
    bench.start("m", "task", "model", PROMPT)
    bench.end("m", Reply("Answer."))
    bench.end("task", "Answer.")
    run = bench.only()
    assert (run.status, run.answer, len(run.context)) == ("ok", "Answer.", 2)


def test_what_stays_open_is_delivered_after_the_grace_time_and_late_events_are_counted() -> None:
    bench = Bench(grace_s=5)
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.fail("root", TimeoutError())
    bench.later(4.9)
    assert bench.delivered == []
    bench.later(0.2)
    run = bench.only()
    assert (run.status, run.error, run.flags) == ("error", "TimeoutError", ("open_children",))
    bench.end("r", DOCS)
    bench.end("r", DOCS)
    bench.start("x", "root", "model", PROMPT)
    bench.end("x", Reply("late"))
    assert bench.collector.stats()["late"] == 2  # the end of r, the start of x
    assert len(bench.delivered) == 1


def test_a_root_that_never_ends_is_a_timeout_after_its_last_event() -> None:
    bench = Bench(ttl_s=300)
    bench.start("root")
    bench.later(299)
    bench.start("m", "root", "model", PROMPT)
    bench.later(299)
    bench.collector.token("m", "An")
    bench.later(1)  # the timer comes about once a second, and sees that there are new tokens
    bench.later(298)
    bench.collector.token("m", "swer")
    bench.later(1)
    bench.later(299)
    assert bench.delivered == []
    bench.later(2)
    run = bench.only()
    assert (run.status, run.answer, run.llm_complete, run.duration_ms) == ("timeout", "Answer", False, None)
    assert bench.collector.stats()["timeout"] == 1


def test_a_full_table_evicts_the_oldest() -> None:
    bench = Bench(max_open=2)
    for root in "abc":
        bench.start(root, kind="retriever", value=root)
    assert [(run.run_id, run.status) for run in bench.delivered] == [("a", "evicted")]
    bench.end("b", DOCS)
    assert [(run.run_id, run.status) for run in bench.delivered[1:]] == [("b", "ok")]


def test_events_without_ends_do_not_pile_up() -> None:
    delivered = [0]

    def count(_: Any) -> None:
        delivered[0] += 1

    collector = Collector(count, limits=Limits(max_open=1_000, tombstones=3_000))
    largest = 0
    for number in range(30_000):
        collector.start(number, None, "retriever", "r", "q")
        largest = max(largest, len(collector._seen))
    assert collector.open_records == 1_000
    assert delivered[0] == collector.stats()["evicted"] == 29_000
    assert (collector.open_ids, collector.remembered_ids) == (1_000, 4_000)
    assert largest <= 4_000 + BATCH


def test_one_question_cannot_grow_without_bound() -> None:
    bench = Bench(max_steps=10)
    bench.start("root")
    for number in range(50):
        bench.start(f"m{number}", "root", "model", PROMPT)
        bench.end(f"m{number}", Reply("x"))
    bench.end("root", "x")
    run = bench.only()
    assert (run.usage.model_calls, run.flags) == (9, ("too_many_steps",))  # ten steps, one of them the root
    assert bench.collector.stats()["too_many_steps"] == 41


def test_an_answer_by_a_call_that_was_not_kept_is_none_of_the_others() -> None:
    bench = Bench(max_steps=4)
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.end("r", DOCS)
    for number in range(3):
        bench.start(f"m{number}", "root", "model", (Message("user", "Relevant? Something else."),))
        bench.end(f"m{number}", Reply("yes"))
    bench.start("writer", "root", "model", PROMPT)
    bench.end("writer", Reply("It is so."))
    bench.end("root", "It is so.")
    run = bench.only()
    assert (run.answer, run.llm_text, run.answer_usage) == ("It is so.", None, None)
    assert (run.context_source, [item.chunk for item in run.context]) == ("last_stage", [0, 1])


def test_what_runs_below_a_run_too_many_is_no_question_of_its_own() -> None:
    bench = Bench(max_steps=2)
    bench.start("root", kind="retriever")
    bench.start("r", "root", "retriever")
    bench.start("child", "root", "model", PROMPT)
    bench.collector.drain()
    bench.collector.token("child", "not kept")
    bench.start("grandchild", "child", "model", PROMPT)
    bench.collector.drain()
    bench.collector.token("grandchild", "not kept")
    assert (bench.collector.is_open("r"), bench.collector.is_open("child")) == (True, False)
    assert bench.collector._tokens == {}
    bench.end("grandchild", Reply("x"))
    bench.end("child", Reply("x"))
    bench.end("r", DOCS)
    assert bench.delivered == []  # the two ends that were dropped do not count as ends of what is open
    bench.end("root", DOCS)
    run = bench.only()
    assert (run.run_id, run.flags, run.usage.model_calls) == ("root", ("too_many_steps",), 0)
    stats = bench.collector.stats()
    assert (stats["opened"], stats["too_many_steps"]) == (1, 2)


def test_what_runs_below_a_late_run_is_late() -> None:
    bench = Bench()
    whole(bench)
    bench.start("child", "root")
    bench.start("grandchild", "child", "model", PROMPT)
    bench.collector.drain()
    bench.start("great-grandchild", "grandchild", "model", PROMPT)
    for run in ("great-grandchild", "grandchild", "child"):
        bench.end(run, Reply("late"))
    assert bench.only().run_id == "root"
    stats = bench.collector.stats()
    assert (stats["opened"], stats["late"]) == (1, 3)


def test_dropped_ids_are_remembered_up_to_the_limit() -> None:
    bench = Bench(max_steps=1, tombstones=10)
    bench.start("root")
    for number in range(50):
        bench.start(f"m{number}", "root", "model", PROMPT)
    bench.collector.drain()
    assert (bench.collector.open_ids, bench.collector.remembered_ids) == (1, 11)
    bench.collector.close_all()
    assert (bench.collector.open_ids, bench.collector.remembered_ids) == (0, 10)


@pytest.mark.parametrize(
    ("kind", "value", "output", "status"),
    [
        pytest.param("model", PROMPT, Reply("Answer."), "partial", id="model"),
        pytest.param("retriever", "Q?", DOCS, "partial", id="retriever"),
    ],
)
def test_a_part_whose_parent_is_unknown_is_partial(kind: Any, value: Any, output: Any, status: str) -> None:
    bench = Bench()
    bench.start("x", "never seen", kind, value)
    bench.end("x", output)
    assert bench.only().status == status


def test_a_chain_whose_parent_is_unknown_is_a_whole_question() -> None:
    bench = Bench()
    whole(bench, parent="a run of another tracer")
    assert (bench.only().status, bench.only().flags) == ("ok", ("parent_unknown",))


def test_a_run_without_retrieval_documents_and_model_is_discarded() -> None:
    bench = Bench()
    bench.start("root")
    bench.end("root", "x")
    bench.start("t", kind="tool")
    bench.end("t", "x")
    stats = bench.collector.stats()
    assert (stats["opened"], stats["discarded"], stats["finished"], stats["open"]) == (2, 2, 0, 0)
    assert bench.delivered == []


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (GeneratorExit(), "abandoned"),
        (KeyError("x"), "error"),
        (type("GraphInterrupt", (Exception,), {})(), "interrupted"),
        (type("NodeInterrupt", (type("GraphInterrupt", (Exception,), {}),), {})(), "interrupted"),
        (asyncio.CancelledError(), "cancelled"),
    ],
)
def test_the_status_follows_the_roots_error(error: BaseException, status: str) -> None:
    bench = Bench()
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.end("r", DOCS)
    bench.fail("root", error)
    assert bench.only().status == status


def test_a_search_given_up_inside_a_whole_answer_is_not_an_abandoned_answer() -> None:
    bench = Bench(grace_s=5)
    bench.start("root")
    bench.start("slow", "root", "retriever")
    bench.start("m", "root", "model", (Message("user", "Q?"),))
    bench.end("m", Reply("Answer."))
    bench.end("root", "Answer.")
    bench.later(5.1)
    assert (bench.only().status, bench.only().flags) == ("ok", ("open_children",))


def test_an_answer_without_model_events_is_the_roots_output() -> None:
    bench = Bench()
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.end("r", DOCS)
    bench.end("root", {"answer": "From a cache."})
    run = bench.only()
    assert (run.status, run.answer, run.flags) == ("ok", "From a cache.", ("no_model_events",))
    assert (run.context_source, len(run.context)) == ("last_stage", 2)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_events_leaves_nothing_open_and_every_question_apart(seed: int) -> None:
    """Interleaved at random, with lost ends: one record per question, its own documents, empty tables."""
    choice = random.Random(seed)  # noqa: S311  reproducible, not secret
    bench = Bench(grace_s=1, ttl_s=10)
    scripts: list[list[Any]] = []
    for number in range(30):
        root, docs = f"q{number}", Items([(f"d{number}", f"Text number {number}.", {}, None)])
        prompt = (Message("user", f"Text number {number}. And the question."),)
        scripts.append(
            [
                ("start", root, None, "chain", f"Question {number}?"),
                ("start", f"{root}.r", root, "retriever", f"Question {number}?"),
                ("end", f"{root}.r", docs),
                ("start", f"{root}.m", root, "model", prompt),
                *([] if choice.random() < 0.2 else [("end", f"{root}.m", Reply(f"Answer {number}."))]),
                *([] if choice.random() < 0.2 else [("end", root, f"Answer {number}.")]),
            ]
        )
    while scripts:
        script = choice.choice(scripts)
        action, *arguments = script.pop(0)
        getattr(bench, action)(*arguments)
        if not script:
            scripts.remove(script)
    bench.later(11)
    assert (bench.collector.open_ids, bench.collector.open_records) == (0, 0)
    assert sorted(run.run_id for run in bench.delivered) == sorted(f"q{number}" for number in range(30))
    for run in bench.delivered:
        number = run.run_id[1:]
        assert (run.question, [chunk.id for chunk in run.chunks]) == (f"Question {number}?", [f"d{number}"])
        assert run.answer in (None, f"Answer {number}.")
    stats = bench.collector.stats()
    assert stats["opened"] == stats["finished"] + stats["discarded"] + stats["open"] == 30


class Reentrant:
    """A run id whose hash calls the collector: as a finalizer of the host may, in the middle of our work."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.armed = False

    def __hash__(self) -> int:
        if self.armed:
            self.armed = False
            close_stream(self.bench)
        return 1


def close_stream(bench: Bench) -> None:
    bench.collector.fail("stream.m", GeneratorExit())
    bench.collector.fail("stream", GeneratorExit())
    bench.collector.sweep()
    bench.collector.close_all()


def in_time(work: Callable[[], None]) -> None:
    """Runs `work`; a deadlock in it fails the test instead of hanging it."""
    done = threading.Event()
    threading.Thread(target=lambda: (work(), done.set()), daemon=True).start()
    assert done.wait(20)


@pytest.mark.parametrize("where", ["drain", "sweep", "close_all"])
def test_a_stream_that_is_closed_while_we_work_is_delivered_once(where: str) -> None:
    """The garbage collector may close a stream, and so call us, while we hold our lock and change the tables."""
    bench = Bench(ttl_s=10)
    bench.start("old", kind="model", value=PROMPT)
    bench.now += 9
    bench.start("stream")
    bench.start("stream.m", "stream", "model", PROMPT)
    odd = Reentrant(bench)
    bench.collector.start(odd, None, "model", "Model", PROMPT)
    bench.collector.drain()
    if where == "drain":
        bench.collector.end(odd, Reply("Answer."))
    bench.now += 2
    odd.armed = True
    in_time(getattr(bench.collector, where))
    assert not odd.armed
    bench.collector.close_all()
    bench.collector.close_all()
    assert sorted(run.run_id for run in bench.delivered)[1:] == ["old", "stream"]
    assert len(bench.delivered) == 3
    assert (bench.collector.open_ids, bench.collector.open_records) == (0, 0)


def test_deliver_may_call_the_collector() -> None:
    """What a delivery allocates may start the garbage collector."""
    delivered: list[Any] = []

    def deliver(trace: Any) -> None:
        collector.fail("stream", GeneratorExit())
        collector.sweep()
        delivered.append(trace.root_id)

    collector = Collector(deliver, limits=Limits(ttl_s=0))
    for run in ("a", "stream", "b"):
        collector.start(run, None, "model", "Model", PROMPT)
    in_time(collector.sweep)
    collector.drain()
    assert sorted(delivered) == ["a", "b", "stream"]


def test_who_drains_finds_delivered_what_another_thread_has_taken() -> None:
    """`flush` looks at the queue after `drain`, so a question must not be under way between the two."""
    order: list[str] = []
    entered = threading.Event()

    def deliver(_: Any) -> None:
        entered.set()
        other.join(0.2)  # as long as the other may take to overtake us; it must wait
        order.append("delivered")

    def drain() -> None:
        assert entered.wait(20)
        collector.drain()
        order.append("drained")

    other = threading.Thread(target=drain)
    collector = Collector(deliver)
    collector.start("root", None, "model", "Model", PROMPT)
    collector.end("root", Reply("Answer."))
    other.start()
    collector.drain()
    other.join(20)
    assert order == ["delivered", "drained"]


def test_every_way_out_takes_a_root_off_the_host_threads_tables() -> None:
    bench = Bench(ttl_s=10, max_open=3)
    bench.start("discarded")
    bench.end("discarded", "x")
    whole(bench, "ended")
    for root in ("evicted", "RunnableEach", "swept", "closed"):
        bench.collector.start(root, None, "model", root, PROMPT)
    bench.collector.end("swept", Reply("x"), lists=(DOCS,))
    bench.later(11)
    bench.start("closed late", kind="model", value=PROMPT)
    bench.collector.close_all()
    assert (bench.collector._roots, bench.collector._mapping) == (set(), set())


def test_who_waits_does_not_wait_for_the_grace_time() -> None:
    bench = Bench(grace_s=5)
    bench.start("root")
    bench.start("r", "root", "retriever")
    bench.start("running")
    bench.start("m", "running", "model", PROMPT)
    bench.fail("root", asyncio.CancelledError())
    bench.collector.sweep(orphans=True)
    assert [(run.run_id, run.status) for run in bench.delivered] == [("root", "cancelled")]
