"""The one background thread on which everything heavy happens, and the bounded queue in front of it."""

import atexit
import logging
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rag_eval_hooks._give_way import PAUSE
from rag_eval_hooks.capture.guard import guarded, guarded_work
from rag_eval_hooks.capture.scope import SCOPE, Scope

__all__ = ["Worker"]

EXIT_TIMEOUT_S = 5.0
"""How long the end of the process may be held up, for all workers together."""

IDLE_S = 0.01
"""Without any event for so long, the host waits for something else (a model, the next question)."""

PAUSE_S = 0.000_05
"""Rest between two pieces of one evaluation: long enough for a thread that waits for the interpreter to get it."""

_log = logging.getLogger(__name__)
_workers: "weakref.WeakSet[Worker]" = weakref.WeakSet()
_exit_registered = False


class _Task:
    """One thing to do on the worker's thread; `size` None marks our own errands, which are never refused."""

    __slots__ = ("argument", "due", "function", "size")

    def __init__(self, function: Callable[[Any], None], argument: Any, size: int | None, due: float = 0.0) -> None:
        self.function = function
        self.argument = argument
        self.size = size
        self.due = due
        """When it is done even if the host is busy, on the monotonic clock."""


def _nothing(_: Any) -> None:
    """The function of a nudge, whose argument is the owner's timer."""


class Worker:
    """Runs submitted work one by one on a daemon thread that starts on first use.

    It shares the interpreter with the host: whenever the host passes work from one thread to another while a piece is
    being done, it may have to wait until the piece is through, some milliseconds. So the worker gives way. It lets
    `linger_s` pass after a nudge; it waits for a moment in which the host does nothing, but with no piece longer than
    `patience_s`; and after a piece during which the host was at work it rests so long that it uses at most `share` of
    one core. The price is that results come later, and that a host which is never idle and asks more than the share
    can do fills the queue. `flush` and `close` suspend all three.
    It survives forks (the child starts empty, with a thread of its own; what was queued stays the parent's), and ends
    when its owner is collected and nothing is left to do.

    Args:
        tick: Bound method called about every `interval_s` seconds and after a nudge; returns whether it still waits
            for something, in which case the owner is kept alive until it no longer does.
        at_exit: Bound method called when the process ends, with the seconds it may take; by default `close`.
        max_items: Pieces of work that may wait.
        max_bytes: Estimated bytes that may wait.
        interval_s: Seconds between ticks.
        linger_s: Seconds between a nudge and the tick it asks for.
        activity: Bound method that returns a value which changes whenever the host does something.
        patience_s: Seconds that a piece of work waits at most for an idle host.
        share: Largest share of one core to use while the host is at work, in (0, 1].
    """

    def __init__(
        self,
        *,
        tick: Callable[[], bool] | None = None,
        at_exit: Callable[[float], int] | None = None,
        max_items: int = 2_000,
        max_bytes: int = 64_000_000,
        interval_s: float = 1.0,
        linger_s: float = 0.05,
        activity: Callable[[], object] | None = None,
        patience_s: float = 2.0,
        share: float = 0.1,
    ) -> None:
        self._tick = None if tick is None else weakref.WeakMethod(tick)
        self._at_exit = None if at_exit is None else weakref.WeakMethod(at_exit)
        self._activity = None if activity is None else weakref.WeakMethod(activity)
        self._patience = patience_s
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._interval = interval_s
        self._linger = linger_s
        self._rest = min(1.0 / share - 1.0, 1e9)  # a tiny share is finite all the same
        self._reset()
        _workers.add(self)

    def _reset(self) -> None:
        # SimpleQueue and RLock are re-entrant: the garbage collector may close a stream, and so submit, at any moment.
        self._lock = threading.RLock()
        self._queue: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._hurry = threading.Event()
        self._hurrying = 0
        self._thread_id: int | None = None
        self._seen: object = None
        """The host's activity when we last looked."""
        self._started = False
        self._nudged = False
        self._closed = False
        self._last_errand: threading.Event | None = None
        self._items = 0
        self._bytes = 0
        self._counts = {"submitted": 0, "queue_full": 0, "closed": 0, "processed": 0}

    def submit(self, function: Callable[[Any], None], argument: Any, size: int) -> bool:
        """Queues `function(argument)`; never blocks.

        Args:
            function: What to do; exceptions are caught and counted.
            argument: Its argument.
            size: Estimated bytes kept until it is done.

        Returns:
            Whether the work was taken. Work beyond the bounds (`queue_full`) and after `close` (`closed`) is dropped.
        """
        with self._lock:
            self._counts["submitted"] += 1
            if self._closed:
                self._counts["closed"] += 1
                return False
            if self._items >= self._max_items or self._bytes + size > self._max_bytes:
                self._counts["queue_full"] += 1
                return False
            self._items += 1
            self._bytes += size
        self._queue.put(_Task(function, argument, size, time.monotonic() + self._patience))
        if not self._started:
            self.start()
        return True

    def nudge(self) -> None:
        """Lets the worker call `tick` soon: after `linger_s`, or at once if somebody waits. Costs next to nothing."""
        if self._nudged or self._closed:
            return
        self._nudged = True
        if not self._started and not self.start():
            self._nudged = False  # the next event tries again
            return
        # What was noted lies with the owner, so the owner has to live until the tick.
        self._queue.put(_Task(_nothing, None if self._tick is None else self._tick(), None))

    def start(self) -> bool:
        """Starts the thread if it is not running; returns whether it runs."""
        with self._lock:
            if self._started or self._closed:
                return self._started
            self._started = True
        waiting = self._queue
        # If the owner is collected, nothing is queued (work refers to its owner), and the thread must end.
        reference = weakref.ref(self, lambda _: waiting.put(None))
        runs = False
        try:
            with guarded("worker.start"):  # no more threads, or the interpreter is ending
                _register_exit()
                threading.Thread(
                    target=_loop, args=(waiting, reference, self._interval), name="rag-eval-hooks", daemon=True
                ).start()
                runs = True
        finally:
            if not runs:
                self._started = False
        return runs

    def flush(self, timeout: float, errand: Callable[[], None] | None = None) -> int:
        """Waits until what was submitted so far is done.

        Args:
            timeout: Seconds to wait at most.
            errand: Something to do on the worker's thread after that, within the same timeout.

        Returns:
            Pieces of work that are still waiting or under way; 0 if all is done.
        """
        if self._thread_id == threading.get_ident():  # a sink that flushes its own hooks must not wait for itself
            return self._items
        if self._items == 0 and (errand is None or self._last_errand is not None):
            return 0
        with self._in_a_hurry():
            # After `close` the thread takes no more errands: wait for the last one.
            done = self._last_errand or self._send(errand)
            if done is not None:
                done.wait(max(timeout, 0.0))
        return self._items

    def close(self, timeout: float, errand: Callable[[], None] | None = None) -> int:
        """Takes no more work, waits until what is there is done, and ends the thread.

        Args:
            timeout: Seconds to wait at most.
            errand: Something to do on the worker's thread at the end.

        Returns:
            Pieces of work that were not done in time.
        """
        with self._lock:
            if not self._closed:
                if self._started or errand is not None:
                    self._last_errand = self._send(errand)
                    self._queue.put(None)
                self._closed = True
        if self._last_errand is None or self._thread_id == threading.get_ident():
            return self._items
        with self._in_a_hurry():
            self._last_errand.wait(max(timeout, 0.0))
        return self._items

    def _send(self, errand: Callable[[], None] | None) -> threading.Event | None:
        """Queues an errand behind the work; returns what is set when it is done, None if no thread can be had."""
        if not self.start():
            return None
        done = threading.Event()

        def run(_: Any) -> None:
            try:
                if errand is not None:
                    errand()
            finally:
                done.set()

        self._queue.put(_Task(run, None, None))
        return done

    @property
    def is_closed(self) -> bool:
        """Whether no more work is taken."""
        return self._closed

    def stats(self) -> dict[str, int]:
        """Returns counts by word; submitted == processed + queue_full + closed + queued."""
        with self._lock:
            return {**self._counts, "queued": self._items}

    @contextmanager
    def _in_a_hurry(self) -> Iterator[None]:
        with self._lock:
            self._hurrying += 1
            self._hurry.set()
        try:
            yield
        finally:
            with self._lock:
                self._hurrying -= 1
                if self._hurrying == 0:
                    self._hurry.clear()

    def _turn(self, task: _Task | None) -> None:
        """Does one thing on the worker's thread, then rests."""
        self._thread_id = threading.get_ident()
        if task is None:
            return
        if task.size is None:
            with guarded_work("worker.errand"):
                task.function(task.argument)
            return
        self._await_idle_host(task.due)
        began = time.thread_time()
        try:
            with guarded_work("worker"):
                task.function(task.argument)
        finally:
            with self._lock:
                self._items -= 1
                self._bytes -= task.size
                self._counts["processed"] += 1
        if self._host_is_active():
            self._hurry.wait(min((time.thread_time() - began) * self._rest, self._interval))

    def _await_idle_host(self, due: float) -> None:
        """Returns when the host has been idle for `IDLE_S`, when the time is up, or when somebody waits for us."""
        while not self._hurry.is_set() and time.monotonic() < due and self._host_is_active():
            self._hurry.wait(IDLE_S)

    def _host_is_active(self) -> bool:
        """Whether the host has done something since we last looked; True where that cannot be told."""
        activity = None if self._activity is None else self._activity()
        if activity is None:
            return True
        before, self._seen = self._seen, activity()
        return before != self._seen

    def _linger_after_nudge(self) -> None:
        self._thread_id = threading.get_ident()
        self._hurry.wait(self._linger)
        self._nudged = False  # before the tick, so that what comes during it is not left lying

    def _call_tick(self) -> list[object]:
        """Calls the owner's timer; returns the owner if it must be kept alive until the next one."""
        tick = None if self._tick is None else self._tick()
        if tick is not None:
            with guarded_work("worker.tick"):
                if tick():
                    return [tick.__self__]  # type: ignore[attr-defined]  # WeakMethod holds bound methods only
        return []


def _loop(waiting: "queue.SimpleQueue[_Task | None]", reference: "weakref.ref[Worker]", interval: float) -> None:
    """The thread: whatever ends it, the next piece of work starts another.

    What the user's functions run here (a redaction that asks a model, a sink with a chain) is no question: with a
    handler attached to the process, each record would make the next.
    """
    PAUSE.set(_pause_for(reference))
    SCOPE.set(Scope())
    try:
        _serve(waiting, reference, interval)
    finally:
        worker = reference()
        if worker is not None:
            worker._started = worker._nudged = False


def _pause_for(reference: "weakref.ref[Worker]") -> Callable[[], None]:
    """Makes what the worker does between two pieces of one evaluation: it rests, unless somebody waits for it."""

    def pause() -> None:
        worker = reference()
        if worker is not None and not worker._hurry.is_set():
            time.sleep(PAUSE_S)

    return pause


def _serve(waiting: "queue.SimpleQueue[_Task | None]", reference: "weakref.ref[Worker]", interval: float) -> None:
    """Does the work; holds no reference to the worker while it waits, so that a forgotten one can be collected."""
    keep: list[object] = []
    next_tick = time.monotonic() + interval
    while True:
        task: _Task | None = None
        try:
            task = waiting.get(timeout=max(next_tick - time.monotonic(), 0.0))
            stop = task is None
        except queue.Empty:
            stop = False
        worker = reference()
        if worker is None or stop:
            return
        if task is not None and task.function is _nothing:
            worker._linger_after_nudge()
            next_tick = 0.0
        else:
            worker._turn(task)
        if time.monotonic() >= next_tick:
            keep[:] = worker._call_tick()
            next_tick = time.monotonic() + interval
        del worker, task


def _register_exit() -> None:
    """Sees to it that the process ends with a bounded flush, also in children of `multiprocessing`."""
    global _exit_registered
    if _exit_registered:
        return
    _exit_registered = True
    atexit.register(_at_exit)
    # Children of multiprocessing end without atexit, but run these finalizers.
    util = sys.modules.get("multiprocessing.util")
    process = sys.modules.get("multiprocessing.process")
    if util is not None and process is not None and process.parent_process() is not None:
        util.Finalize(None, _at_exit, exitpriority=100)


def _at_exit() -> None:
    deadline = time.monotonic() + EXIT_TIMEOUT_S
    lost = 0
    for worker in list(_workers):
        if not worker._started:
            continue
        with guarded("worker.exit"):
            closing = None if worker._at_exit is None else worker._at_exit()
            lost += (closing or worker.close)(max(deadline - time.monotonic(), 0.0))
    if lost:
        _log.warning("%d records were lost because they were not processed within %g s of exit", lost, EXIT_TIMEOUT_S)


def _after_fork() -> None:
    global _exit_registered
    _exit_registered = False
    for worker in list(_workers):
        worker._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
