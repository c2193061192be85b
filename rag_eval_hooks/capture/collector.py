"""Puts the events of a framework into the records of its questions, and delivers each record once."""

import os
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rag_eval_hooks.capture.guard import caught, guarded
from rag_eval_hooks.capture.notes import BATCH, DROP, START, Notes
from rag_eval_hooks.capture.open_records import Limits, OpenRecords, Record
from rag_eval_hooks.capture.trace import Forced, Trace

__all__ = ["Collector"]

_collectors: "weakref.WeakSet[Collector]" = weakref.WeakSet()


class Collector(Notes):
    """Keeps the open questions of one framework, and delivers each once, when it is finished.

    Events are noted on the host's thread (see `Notes`) and put into their records by `drain`, which the worker calls,
    or the host's thread where the worker does not come. State is keyed by run id alone: there is no "current" question.

    Args:
        deliver: Called with each finished trace, under the lock, on the thread that drained; it must not block.
        captured_by: What goes into `RagRun.captured_by`.
        limits: Bounds on open records.
        clock: Seconds of a monotonic clock.
        wall: Seconds since 1970-01-01 UTC.
        id_text: Makes the text of a run id, as the record shows it.
        wake: Called on the host's thread when a record opens or its root ends, so that the caller can see to it that
            `drain` and `sweep` get called.
    """

    def __init__(
        self,
        deliver: Callable[[Trace], None],
        *,
        captured_by: str = "capture",
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        id_text: Callable[[Any], str] = str,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self._deliver = deliver
        self._captured_by = captured_by
        self._limits = limits or Limits()
        self._id_text = id_text
        super().__init__(clock, wall, wake)
        _collectors.add(self)

    def _reset(self) -> None:
        super()._reset()
        # What `drain` keeps, under the lock. Re-entrant, because the garbage collector may run a finalizer of the
        # host, and so call us, while we hold it.
        self._lock = threading.RLock()
        self._draining = False
        self._table = OpenRecords(self._limits, self._captured_by, self._id_text, self._tokens)

    def is_open(self, run_id: Hashable) -> bool:
        """Whether a run has started and not ended."""
        self.drain()
        return self._table.is_open(run_id)

    def _drain_backlog(self) -> None:
        """Keeps the events bounded where the worker does not come: it is blocked, or the host gives it no time."""
        if len(self._events) >= 8 * BATCH:
            self.drain()
        elif self._lock.acquire(blocking=False):
            try:
                self.drain()
            finally:
                self._lock.release()

    def drain(self) -> None:
        """Puts the events noted so far into their records, and delivers the records that are finished.

        When it returns, every question that had ended by then has been delivered, by whichever thread.
        """
        with self._alone() as free:
            if free:
                self._apply_all()

    def sweep(self, now: float | None = None, *, orphans: bool = False) -> None:
        """Delivers the records whose waiting time is over; to be called by a timer, not by traffic.

        Args:
            now: The time on the collector's clock; by default, now.
            orphans: Whether to deliver also what waits for work below a root that has ended, without its grace time.
        """
        with self._alone() as free:
            if free:
                self._apply_all()
                self._close(self._table.due(self._clock() if now is None else now, orphans=orphans))

    def close_all(self, keep: Callable[[Hashable], bool] | None = None) -> None:
        """Delivers every open record as it stands: those whose root has not ended as `evicted`.

        Args:
            keep: Says of a root's id whether its record is to stay open all the same.
        """
        with self._alone() as free:
            if free:
                self._apply_all()
                self._close(
                    [
                        (record, "evicted" if trace.root_ended is None else None)
                        for record, trace in self._table.all()
                        if keep is None or not keep(trace.root_id)
                    ]
                )

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Holds the lock; False for a finalizer of the host in the middle of our work: who works will come to it."""
        with self._lock:
            if self._draining:
                yield False
                return
            self._draining = True
            try:
                yield True
            finally:
                self._draining = False

    def stats(self) -> dict[str, int]:
        """Returns counts by word; opened == finished + discarded + open."""
        self.drain()
        with self._lock:
            return {**self._table.counts, "open": len(self._table)}

    @property
    def open_records(self) -> int:
        """Records that have not been delivered yet."""
        self.drain()
        return len(self._table)

    @property
    def open_ids(self) -> int:
        """Run ids of open records."""
        self.drain()
        return self._table.ids

    @property
    def remembered_ids(self) -> int:
        """Ids that are kept in any table, of open records or of delivered ones."""
        self.drain()
        return len(
            self._seen
            | self._roots
            | self._mapping
            | self._marked
            | self._by_parts
            | self._tokens.keys()
            | self._said.keys()
        )

    def _apply_all(self) -> None:
        events, table = self._events, self._table
        while events:
            kind, *what = events.popleft()
            try:
                if kind == DROP:
                    table.suppress(*what)
                    continue
                trace = table.start(*what) if kind == START else table.end(*what)
                if trace is not None or table.closed:
                    self._hand_over(trace)
            except BaseException as error:  # noqa: BLE001  `caught` raises what is meant for the host
                caught("capture.event", error)
        self._forget_delivered()

    def _close(self, due: Sequence[tuple[Record, Forced | None]]) -> None:
        for record, forced in due:
            with guarded("capture.event"):
                self._hand_over(self._table.close(record, forced))
        self._forget_delivered()

    def _forget_delivered(self) -> None:
        if self._table.forgotten:
            self._forget(self._table.forgotten)
            self._table.forgotten.clear()

    def _hand_over(self, trace: Trace | None) -> None:
        """Delivers a finished trace, under the lock: who waits for the lock must find it delivered."""
        closed = self._table.closed
        self._roots.difference_update(closed)
        self._mapping.difference_update(closed)
        closed.clear()
        if trace is not None:
            self._deliver(trace)


def _after_fork() -> None:
    """A child process starts clean: what was open belongs to the parent, and its locks may be held for ever."""
    for collector in list(_collectors):
        collector._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
