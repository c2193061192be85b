"""The background worker: bounds, order, timeouts, and what happens when work fails or blocks."""

import asyncio
import math
import threading
import time
import weakref
from typing import Any

import pytest

from rag_eval_hooks.capture import Collector, Reply, Worker

WAIT = 20.0


class Blocker:
    """Work that waits until it is let go."""

    def __init__(self) -> None:
        self.entered, self.release = threading.Event(), threading.Event()

    def __call__(self, _: Any) -> None:
        self.entered.set()
        assert self.release.wait(WAIT)


def blocked(**options: Any) -> tuple[Worker, Blocker]:
    worker, blocker = Worker(linger_s=0, **options), Blocker()
    assert worker.submit(blocker, None, 10)
    assert blocker.entered.wait(WAIT)
    return worker, blocker


def test_work_is_done_in_order_and_flush_waits_for_it() -> None:
    worker, done = Worker(), []
    for number in range(100):
        assert worker.submit(done.append, number, 1)
    assert worker.flush(WAIT) == 0
    assert done == list(range(100))
    assert worker.stats() == {"submitted": 100, "queue_full": 0, "closed": 0, "processed": 100, "queued": 0}
    assert worker.close(WAIT) == 0


def test_no_thread_before_the_first_use() -> None:
    before = threading.active_count()
    worker = Worker()
    assert (worker.flush(WAIT), worker.close(WAIT)) == (0, 0)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("bounds", "sizes", "taken"),
    [
        pytest.param({"max_items": 3}, [1, 1, 1, 1], [True, True, False, False], id="items, with the one under way"),
        pytest.param({"max_bytes": 100}, [50, 50, 40, 1], [True, False, True, False], id="bytes, with 10 under way"),
    ],
)
def test_the_queue_is_bounded_and_the_newest_is_refused(bounds: Any, sizes: list[int], taken: list[bool]) -> None:
    worker, blocker = blocked(**bounds)
    assert [worker.submit(lambda _: None, None, size) for size in sizes] == taken
    assert worker.stats()["queue_full"] == taken.count(False)
    blocker.release.set()
    assert worker.close(WAIT) == 0


def test_flush_and_close_keep_their_timeout_and_say_what_is_left() -> None:
    worker, blocker = blocked()
    worker.submit(lambda _: None, None, 1)
    assert worker.flush(0) == 2
    assert worker.close(0) == 2
    assert not worker.submit(lambda _: None, None, 1)
    assert worker.stats()["closed"] == 1
    blocker.release.set()
    assert worker.close(WAIT) == 0


def test_an_errand_runs_on_the_worker_after_the_work() -> None:
    worker, done = Worker(), []
    worker.submit(done.append, "work", 1)
    assert worker.flush(WAIT, lambda: done.append(threading.current_thread().name)) == 0
    assert worker.close(WAIT, lambda: done.append("last")) == 0
    assert done == ["work", "rag-eval-hooks", "last"]


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, asyncio.CancelledError])
def test_a_failing_piece_of_work_does_not_end_the_thread(
    error: type[BaseException], caught: list[BaseException]
) -> None:
    worker, threads = Worker(), []

    def fail(_: Any) -> None:
        threads.append(threading.get_ident())
        raise error

    worker.submit(fail, None, 1)
    worker.submit(lambda _: threads.append(threading.get_ident()), None, 1)
    assert worker.close(WAIT) == 0
    assert len(threads) == 2
    assert threads[0] == threads[1]
    assert worker.stats()["processed"] == 2
    assert [type(one) for one in caught] == [error]
    caught.clear()


def test_a_thread_that_ends_all_the_same_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    worker, done, turn = Worker(), [], Worker._turn
    ended: list[threading.Thread] = []

    def end_once(self: Worker, task: Any) -> None:
        if not ended:
            ended.append(threading.current_thread())
            raise SystemExit  # ends a thread without a word
        turn(self, task)

    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    monkeypatch.setattr(Worker, "_turn", end_once)
    worker.submit(done.append, "lost", 1)
    for thread in threading.enumerate():
        if thread.name == "rag-eval-hooks":
            thread.join(WAIT)
    worker.submit(done.append, "done", 1)
    worker.flush(WAIT)
    assert done == ["done"]
    worker.close(WAIT)


@pytest.mark.parametrize("how", ["nudge", "submit", "flush", "close"])
def test_where_no_thread_can_be_had_the_host_sees_nothing_and_the_next_call_tries_again(
    how: str, caught: list[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, done = Owner(), []
    worker = owner.worker

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        for _ in range(3):
            worker.nudge()
        assert worker._queue.qsize() == 0  # failed nudges do not pile up
        if how != "nudge":
            worker.submit(done.append, 1, 1)
        if how == "flush":
            assert worker.flush(WAIT, lambda: None) == 1
        if how == "close":
            assert worker.close(WAIT, lambda: None) == 1
    assert {str(error) for error in caught} == {"can't start new thread"}
    caught.clear()
    if how != "close":
        worker.nudge()
        assert owner.ticked.wait(WAIT)
        assert worker.flush(WAIT) == 0
        assert done == ([] if how == "nudge" else [1])
        worker.close(WAIT)


def test_flush_from_the_workers_own_thread_does_not_wait_for_itself() -> None:
    worker, left = Worker(), []
    worker.submit(lambda _: left.append(worker.flush(WAIT)), None, 1)
    assert worker.close(WAIT) == 0
    assert left == [1]


class Owner:
    """Owns a worker, is ticked by it, and waits for something as long as told."""

    def __init__(self) -> None:
        self.waits = True
        self.ticked = threading.Event()
        self.worker = Worker(tick=self.tick, interval_s=0.01)

    def tick(self) -> bool:
        self.ticked.set()
        return self.waits


def test_the_timer_needs_no_traffic() -> None:
    owner = Owner()
    owner.worker.start()
    for _ in range(2):
        assert owner.ticked.wait(WAIT)
        owner.ticked.clear()
    owner.worker.close(WAIT)


def test_an_owner_that_waits_is_kept_alive_until_it_no_longer_does() -> None:
    owner = Owner()
    gone = threading.Event()
    weakref.finalize(owner, gone.set)
    reference, ticked = weakref.ref(owner), owner.ticked
    owner.worker.start()
    assert ticked.wait(WAIT)
    ticked.clear()
    del owner
    assert ticked.wait(WAIT)  # ticked although nobody else holds it
    kept = reference()
    assert kept is not None
    kept.waits = False
    del kept
    assert gone.wait(WAIT)


class Host:
    """A host that is at work for the first `busy` looks at it, and idle from then on."""

    def __init__(self, busy: float) -> None:
        self.busy, self.looks = busy, 0

    def activity(self) -> object:
        self.looks += 1
        return min(self.looks, self.busy)


@pytest.mark.parametrize(
    ("busy", "patience_s", "hurry", "looks"),
    [
        pytest.param(5, 1_000, False, 6, id="the sixth look is the first that finds nothing new"),
        pytest.param(1, 1_000, False, 2, id="one look cannot tell"),
        pytest.param(math.inf, 0, False, 0, id="no patience"),
        pytest.param(math.inf, 1_000, True, None, id="somebody waits"),
    ],
)
def test_work_waits_for_an_idle_host(busy: float, patience_s: float, hurry: bool, looks: int | None) -> None:
    host, at_work, done = Host(busy), [], threading.Event()
    worker = Worker(activity=host.activity, patience_s=patience_s)
    worker.submit(lambda _: (at_work.append(host.looks), done.set()), None, 1)
    if hurry:
        assert worker.flush(WAIT) == 0
    assert done.wait(WAIT)
    assert looks is None or at_work == [looks]
    worker.close(WAIT)


def test_the_worker_does_not_rest_while_the_host_is_idle() -> None:
    host, done = Host(busy=1), threading.Event()
    worker = Worker(activity=host.activity, share=1e-9, interval_s=1_000)  # one rest would outlast the test
    worker.submit(lambda _: sum(range(1_000)), None, 1)
    worker.submit(lambda _: done.set(), None, 1)
    assert done.wait(WAIT)
    worker.close(WAIT)


def test_starts_ends_and_tokens_are_activity() -> None:
    collector = Collector(lambda _: None)
    seen = [collector.activity]
    for event in (
        lambda: collector.start("root", None, "model", "Model", ()),
        lambda: collector.token("root", "a"),
        lambda: collector.token("root", "b"),
        lambda: collector.end("root", Reply("ab")),
    ):
        event()
        seen.append(collector.activity)
    assert len(set(seen)) == 5
    assert collector.activity == seen[-1]


def test_an_evaluation_pauses_between_its_pieces_unless_somebody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event loop that wants the interpreter gets it there, and not only after Python's 5 ms."""
    from rag_eval_hooks._give_way import PAUSE, give_way
    from rag_eval_hooks.capture import worker as module

    rests: list[float] = []

    class Clock:
        monotonic, thread_time = staticmethod(time.monotonic), staticmethod(time.thread_time)

        @staticmethod
        def sleep(seconds: float) -> None:
            rests.append(seconds)

    monkeypatch.setattr(module, "time", Clock)
    done, hurried = threading.Event(), threading.Event()

    def two_pieces(event: threading.Event) -> None:
        give_way()
        give_way()
        event.set()

    worker = Worker(patience_s=0)
    worker.submit(two_pieces, done, 1)
    assert done.wait(20)
    assert rests == [module.PAUSE_S, module.PAUSE_S]
    worker._hurry.set()
    worker.submit(two_pieces, hurried, 1)
    assert hurried.wait(20)
    assert len(rests) == 2
    worker._hurry.clear()
    give_way()  # nobody asked this thread to pause
    assert PAUSE.get() is None
    assert len(rests) == 2
    assert worker.close(5) == 0


def test_evaluate_gives_way_often() -> None:
    from rag_eval_hooks import evaluate, read_run
    from rag_eval_hooks._give_way import PAUSE

    pauses: list[None] = []
    token = PAUSE.set(lambda: pauses.append(None))
    try:
        evaluate(read_run({"question": "Q?", "contexts": ["One thing."], "answer": "One thing. Two things. Three."}))
    finally:
        PAUSE.reset(token)
    assert len(pauses) >= 8
