"""`Hooks` without a framework: every question is accounted for, whatever fails."""

import asyncio
import threading
from typing import Any

import pytest

from rag_eval_hooks.capture import Items, Message, Reply
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Captured, Hooks
from rag_eval_hooks.record import Chunk, chunk_id
from rag_eval_hooks.sinks import MemorySink

DOCS = Items([("d1", "First text.", {"page": 1}, None)])


def ask(hooks: Hooks, number: int, docs: Items = DOCS) -> None:
    collector = hooks.collector("test 1")
    root = f"q{number}"
    collector.start(root, None, "chain", "chain", f"Question {number}?")
    collector.start(root + "r", root, "retriever", "search", f"Question {number}?")
    collector.end(root + "r", docs)
    collector.start(root + "m", root, "model", "model", (Message("user", "First text. Q?"),))
    collector.end(root + "m", Reply("Answer."))
    collector.end(root, "Answer.")


def test_records_are_kept_up_to_the_limit() -> None:
    with Hooks(keep=2) as hooks:
        assert (hooks.last, hooks.records) == (None, ())
        for number in range(3):
            ask(hooks, number)
        assert hooks.flush() == 0
        assert [record.run.question for record in hooks.records] == ["Question 1?", "Question 2?"]
        assert isinstance(hooks.last, Captured)
        assert hooks.last.run.chunks == (Chunk(id="d1", text="First text.", metadata={"page": 1}, page="1"),)
        assert hooks.last.run.captured_by == "test 1"


def test_the_counts_add_up_whatever_fails(caught: list[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    from rag_eval_hooks import hooks as module

    assemble, evaluate = module.assemble, module.evaluate
    entered, release = threading.Event(), threading.Event()

    def assemble_some(trace: Any, keys: Any) -> Any:
        entered.set()
        assert release.wait(20)
        if trace.root.run_id == "q1":
            raise ValueError
        return assemble(trace, keys)

    def evaluate_some(run: Any, metrics: Any, attributor: Any) -> Any:
        if run.run_id == "q2":
            raise ValueError
        return evaluate(run, metrics, attributor)

    monkeypatch.setattr(module, "assemble", assemble_some)
    monkeypatch.setattr(module, "evaluate", evaluate_some)
    hooks = Hooks(queue_items=5, linger_s=0)
    ask(hooks, 0)
    assert entered.wait(20)
    for number in range(1, 8):
        ask(hooks, number)
    hooks.collector("test 1").start("chat", None, "chain", "chain", "no retrieval, no model")
    hooks.collector("test 1").end("chat", "x")
    hooks.collector("test 1").start("open", None, "chain", "chain", "still open")
    during = hooks.stats()
    assert (during["opened"], during["open"], during["discarded"], during["submitted"]) == (10, 1, 1, 8)
    assert (during["queued"], during["queue_full"]) == (5, 3)
    release.set()
    assert hooks.close() == 0
    ask(hooks, 9)
    stats = hooks.stats()
    assert stats["opened"] == stats["open"] + stats["discarded"] + stats["submitted"] == 11
    losses = ("queue_full", "closed", "failed_record", "failed_evaluation")
    assert [stats[word] for word in losses] == [3, 1, 1, 1]
    assert stats["submitted"] == stats["evaluated"] + sum(stats[word] for word in losses) + stats["queued"]
    caught.clear()


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, asyncio.CancelledError, GeneratorExit])
@pytest.mark.parametrize("where", ["sink", "gold", "flush", "close"])
def test_a_user_function_that_exits_is_a_failure_like_any_other(
    where: str, error: type[BaseException], caught: list[BaseException]
) -> None:
    exits = [True]

    def leave(place: str) -> None:
        if place == where and exits:
            exits.clear()
            raise error

    class Leaving(MemorySink):
        def write(self, run: Any, evaluation: Any) -> None:
            leave("sink")
            super().write(run, evaluation)

        def flush(self) -> None:
            leave("flush")

        def close(self) -> None:
            leave("close")

    after = MemorySink()
    with Hooks([Leaving(), after], gold=lambda _: leave("gold")) as hooks:
        for number in range(2):
            ask(hooks, number)
            assert hooks.flush() == 0
        assert [run.run_id for run, _ in after.records] == ["q0", "q1"]
    stats = hooks.stats()
    assert (stats["evaluated"], stats["sink_error"] + stats["gold_error"]) == (2, 1)
    assert stats["caught_in_process"] >= 1
    assert (stats["sink_error"], stats["gold_error"]) == ((0, 1) if where == "gold" else (1, 0))
    assert [type(one) for one in caught] == [error]
    caught.clear()


class WriteOnly:
    def write(self, run: Any, evaluation: Any) -> None: ...


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({name: 2.5}, f"{name}: expected a whole number from ") for name in ("keep", "max_open", "queue_items")),
        ({"keep": float("inf")}, "keep: expected a whole number from 0, got inf"),
        ({"keep": -1}, "keep: expected a whole number from 0, got -1"),
        ({"keep": True}, "keep: expected a whole number from 0, got True"),
        ({"max_open": 0}, "max_open: expected a whole number from 1, got 0"),
        ({"queue_bytes": "1 MB"}, "queue_bytes: expected a whole number from 1, got '1 MB'"),
        ({"k": 0}, "k: expected a whole number from 1, got 0"),
        ({"k": 10**10}, "k: expected a whole number from 1 to 1000000000, got 10000000000"),
        *(
            (
                {name: 10**30},
                f"{name}: expected a whole number from {least} to {most}, got a number of more than 18 digits",
            )
            for name, least, most in (
                ("k", 1, 10**9),
                ("keep", 0, 10**12),
                ("max_open", 1, 10**12),
                ("queue_items", 1, 10**12),
                ("queue_bytes", 1, 10**12),
            )
        ),
        ({"keep": 10**5000}, "keep: expected a whole number from 0 to 1000000000000, got a number of more than 18"),
        *(
            ({name: value}, f"{name}: expected seconds from 0 to 1000000000, got ")
            for name in ("ttl_s", "grace_s", "linger_s", "patience_s")
            for value in (float("inf"), 1e10, 10**400)
        ),
        *(({"share": value}, "share: expected a number above 0 ") for value in (float("nan"), float("inf"), 10**400)),
        *(
            ({name: float("nan")}, f"{name}: expected seconds from 0 ")
            for name in ("ttl_s", "grace_s", "linger_s", "patience_s")
        ),
        ({"ttl_s": float("inf")}, "ttl_s: expected seconds from 0 to 1000000000, got inf"),
        ({"grace_s": -1}, "grace_s: expected seconds from 0 to 1000000000, got -1"),
        ({"share": 0}, "share: expected a number above 0 and up to 1, got 0"),
        ({"share": "half"}, "share: expected a number above 0 and up to 1, got 'half'"),
        ({"gold": 3}, "gold: expected a function that takes a RagRun and returns a Gold or None, got 3"),
        ({"metrics": [3]}, 'metrics: expected measures or their names, such as P(k=5) or "P@5", got 3'),
        ({"metrics": ["Q@5"]}, "metrics: unknown m"),
        ({"metrics": "P@5"}, "metrics: expected a list such as [P(k=5), \"R@10\"], got 'P@5'"),
        ({"sinks": "runs.db"}, "sinks: expected a list such as [SqlSink('runs.db')], got 'runs.db'"),
        ({"sinks": 3}, "sinks: expected a list such as [SqlSink(...)], got 3"),
        ({"sinks": [MemorySink]}, "sinks: expected a sink, got the class MemorySink; build one: MemorySink(...)"),
        ({"sinks": [WriteOnly()]}, "without flush; derive it from rag_eval_hooks.sinks.Sink"),
        ({"sinks": WriteOnly()}, "without flush; derive it from rag_eval_hooks.sinks.Sink"),
        ({"sinks": [print]}, "without write; derive it from rag_eval_hooks.sinks.Sink, or wrap a function"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_everything_is_checked_when_it_is_built(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Hooks(**options)
    assert message in str(raised.value)


def test_hostile_texts_and_values_become_a_record() -> None:
    docs = Items(
        [
            (7, "lone \ud83d surrogate", {"score": float("nan"), "x": object()}, None),
            (None, "", {}, float("inf")),
            (None, "", {"relevance_score": "0.25"}, None),
            ("", "text \x00 zero", {}, 1),
        ]
    )
    with Hooks() as hooks:
        ask(hooks, 1, docs)
        hooks.flush()
        run = hooks.last.run
    assert [chunk.id for chunk in run.chunks] == ["7", chunk_id(""), chunk_id("text \x00 zero")]
    assert [item.score for item in run.stages[0].items] == [None, None, 0.25, 1.0]
    assert [item.chunk for item in run.stages[0].items] == [0, 1, 1, 2]


def test_the_largest_options_work() -> None:
    most = 10**12
    with Hooks(keep=most, max_open=most, queue_items=most, queue_bytes=most, k=10**9, ttl_s=1e9, share=5e-324) as hooks:
        ask(hooks, 1)
        assert hooks.flush() == 0
        assert hooks.last is not None


def test_the_counts_add_up_while_a_record_is_written() -> None:
    seen: list[dict[str, int]] = []

    class Watching(MemorySink):
        def write(self, run: Any, evaluation: Any) -> None:
            seen.append(hooks.stats())

    with Hooks(Watching()) as hooks:
        ask(hooks, 0)
        hooks.flush()
    (during,) = seen
    assert (during["submitted"], during["queued"], during["evaluated"]) == (1, 1, 0)
    assert (hooks.stats()["queued"], hooks.stats()["evaluated"]) == (0, 1)


BIG = "w" * 100_000


@pytest.mark.parametrize(
    ("docs", "prompt", "metadata", "taken"),
    [
        pytest.param(DOCS, "First text.", {"a": "b"}, 1, id="small"),
        pytest.param(Items([("d1", "First text.", {"window": BIG}, None)]), "", {}, 0, id="metadata of a document"),
        pytest.param(DOCS, [{"type": "text", "text": BIG}], {}, 0, id="a prompt in blocks"),
        pytest.param(DOCS, "", {"state": {"notes": [BIG]}}, 0, id="metadata of the question"),
    ],
)
def test_whatever_is_kept_counts_as_bytes(docs: Items, prompt: Any, metadata: Any, taken: int) -> None:
    with Hooks(queue_bytes=50_000) as hooks:
        collector = hooks.collector("test 1")
        collector.start("q", None, "chain", "chain", "Q?", metadata=metadata)
        collector.start("r", "q", "retriever", "search", "Q?")
        collector.end("r", docs)
        collector.start("m", "q", "model", "model", (Message("user", prompt),))
        collector.end("m", Reply("Answer."))
        collector.end("q", "Answer.")
        hooks.flush()
        stats = hooks.stats()
        assert (stats["evaluated"], stats["queue_full"]) == (taken, 1 - taken)
