"""Ties a framework's events to questions: which run opens a record, what belongs to it, and when it is finished."""

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rag_eval_hooks.capture.guard import caught, guarded
from rag_eval_hooks.capture.open_records import UNSET, About, Limits, OpenRecords, Record
from rag_eval_hooks.capture.scope import IN_USE, SCOPE, Belonging
from rag_eval_hooks.capture.trace import Forced, Items, Kind, Reply, Trace

__all__ = ["BOUNDARY_TAG", "Collector"]

BOUNDARY_TAG = "rag_eval:question"
"""Tag of a run that opens a record of its own although it runs inside another."""

MAPPING = "RunnableEach"
"""Beginning of the name of a root that asks a chain many questions. Below a question's root the same component maps
over documents or sub-questions of the one question."""

BATCH = 512
"""Events that may wait for the worker; then the host's thread puts them away itself."""

_START, _END, _DROP = 0, 1, 2
_Event = tuple[Any, ...]
"""What happened (`_START`, ...), when, to which run, and the arguments of the method that applies it."""

_collectors: "weakref.WeakSet[Collector]" = weakref.WeakSet()


class Collector:
    """Keeps the open questions of one framework, and delivers each once, when it is finished.

    `start`, `token`, `end` and `fail` run on the host's thread, at every event: they note the event with its time and
    its snapshots, without a lock, and leave the rest to `drain`, which the worker calls. They may be called from any
    thread and from finalizers. State is keyed by run id alone: there is no "current" question.

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
        self._clock = clock
        self._wall = wall
        self._id_text = id_text
        self._wake = wake
        self._reset()
        _collectors.add(self)

    def _reset(self) -> None:
        # What the host's thread touches; each operation on these is atomic by itself.
        self._events: deque[_Event] = deque()
        self._seen: set[Hashable] = set()
        """Ids of runs that are open or remembered."""
        self._roots: set[Hashable] = set()
        """Ids of runs that opened a record which is not delivered yet."""
        self._mapping: set[Hashable] = set()
        """Those of them that map over questions: each run directly below is a question of its own."""
        self._marked: set[Hashable] = set()
        """Ids of runs that carry the tag that opens a record."""
        self._tokens: dict[Hashable, list[Any]] = {}
        """Of model runs that are open: the time of the first token, then the tokens."""
        self._by_parts: set[Hashable] = set()
        """Ids of those whose tokens come as parts of blocks only; see `part`."""
        self._said: dict[Hashable, Reply] = {}
        """What model runs have said whose end is still to come; see `said`."""
        # What `drain` keeps, under the lock. Re-entrant, because the garbage collector may run a finalizer of the
        # host, and so call us, while we hold it.
        self._lock = threading.RLock()
        self._draining = False
        self._table = OpenRecords(self._limits, self._captured_by, self._id_text, self._tokens)

    # Events ------------------------------------------------------------------------------------------------------

    def start(
        self,
        run_id: Hashable,
        parent_id: Hashable | None,
        kind: Kind,
        name: str | None,
        value: Any,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        snapshot: Callable[[Any], Any] | None = None,
    ) -> None:
        """Notes the start of a run; a run whose parent is not known opens a record.

        Args:
            run_id: The framework's id of the run. An id that is already open is a second delivery and is ignored.
            parent_id: The id of the run around it, if any.
            kind: What runs.
            name: The component's name.
            value: The input: a snapshot, or the live object if `snapshot` is given.
            tags: The run's tags; kept for the run that opens a record.
            metadata: The run's metadata; copied for the run that opens a record.
            snapshot: Takes what must be kept of `value`; called at once, and only for the run that opens a record.
        """
        seen = self._seen
        if run_id in seen:
            return
        # Most runs are inside a question and carry no tag of ours: they go first, by as few look-ups as can be.
        if parent_id in seen and not self._mapping and not IN_USE and (not tags or BOUNDARY_TAG not in tags):
            seen.add(run_id)
            kept = value if snapshot is None else None
            self._events.append((_START, self._clock(), run_id, parent_id, kind, name, kept, None))
        else:
            self._start_at_boundary(run_id, parent_id, kind, name, value, tags, metadata, snapshot)
        if kind == "model":
            self._tokens[run_id] = []

    def _start_at_boundary(
        self,
        run_id: Hashable,
        parent_id: Hashable | None,
        kind: Kind,
        name: str | None,
        value: Any,
        tags: Sequence[str] | None,
        metadata: Mapping[str, Any] | None,
        snapshot: Callable[[Any], Any] | None,
    ) -> None:
        """Notes the start of a run that may open a record: by its parent, its tags, or the context it starts in."""
        scope = SCOPE.get()
        if scope is not None:
            if not isinstance(scope, Belonging):
                self.suppress(run_id)
                return
            is_ours = scope.collector is self and scope.is_open
            if is_ours and (parent_id == scope.around or parent_id not in self._seen):
                parent_id = scope.run_id
        marked = isinstance(tags, (list, tuple)) and BOUNDARY_TAG in tags
        unknown = parent_id not in self._seen
        self._seen.add(run_id)
        if unknown or (marked and parent_id not in self._marked) or parent_id in self._mapping:
            if isinstance(name, str) and name.startswith(MAPPING):
                self._mapping.add(run_id)
            kept = value if snapshot is None else _take(snapshot, value)
            about = (
                tuple(tags) if isinstance(tags, (list, tuple)) else (),
                # The first question is a quick one; the second asks an abstract class.
                dict(metadata) if type(metadata) is dict or isinstance(metadata, Mapping) else {},
                self._wall(),
                unknown and parent_id is not None,
                False,
            )
            self._start_record(run_id, parent_id, kind, name, kept, about)
        else:
            kept = value if snapshot is None else None
            self._events.append((_START, self._clock(), run_id, parent_id, kind, name, kept, None))
        if marked:
            self._marked.add(run_id)

    def _start_record(
        self, run_id: Hashable, parent_id: Hashable | None, kind: Kind, name: str | None, kept: Any, about: About
    ) -> None:
        self._roots.add(run_id)
        self._events.append((_START, self._clock(), run_id, parent_id, kind, name, kept, about))
        if self._wake is not None:
            self._wake()
        if len(self._events) >= BATCH:
            self._drain_backlog()

    def open(
        self,
        run_id: Hashable,
        name: str | None,
        value: Any,
        tags: Sequence[str],
        metadata: Mapping[str, Any],
        snapshot: Callable[[Any], Any] | None = None,
    ) -> None:
        """Opens a record by hand, wherever it is called; see `rag_eval_hooks.capture.question`."""
        self._seen.add(run_id)
        kept = value if snapshot is None else _take(snapshot, value)
        self._start_record(run_id, None, "chain", name, kept, (tuple(tags), dict(metadata), self._wall(), False, True))

    def suppress(self, run_id: Hashable) -> None:
        """Notes a run only so that its end, and what runs below it elsewhere, is recognised."""
        self._seen.add(run_id)
        self._events.append((_DROP, run_id))
        if len(self._events) >= BATCH:
            self._drain_backlog()

    def token(self, run_id: Hashable, token: Any) -> None:
        """Notes one streamed token (text or a list of blocks) of a model run; empty tokens do not count."""
        tokens = self._tokens.get(run_id)
        if tokens is None or not token:
            return
        if not tokens:
            tokens.append(self._clock())
        tokens.append(token)

    def part(self, run_id: Hashable, text: str) -> None:
        """Notes a part of a streamed block, which most models report as a token, too; then it does not count twice."""
        tokens = self._tokens.get(run_id)
        if tokens is not None and (not tokens or run_id in self._by_parts):
            self._by_parts.add(run_id)
            self.token(run_id, text)

    def said(self, run_id: Hashable, usage: Mapping[str, Any] | None) -> None:
        """Notes that a model run has said all, whatever ends it: its end may come when the host's loop is closed."""
        tokens = self._tokens.get(run_id)
        if tokens:
            self._said[run_id] = Reply(tokens[1:], False, usage)

    def end(
        self,
        run_id: Hashable,
        value: Any,
        lists: tuple[Items, ...] = (),
        inputs: Any = UNSET,
        snapshot: Callable[[Any], Any] | None = None,
        error: tuple[str, ...] | None = None,
    ) -> None:
        """Notes the end of a run.

        Args:
            run_id: The framework's id of the run.
            value: The output: a snapshot, or the live object if `snapshot` is given.
            lists: Lists of retrieved items seen in the output.
            inputs: The input, where the framework reports it only now.
            snapshot: Takes what must be kept of `value` and `inputs`; called only for the run that opened the record.
            error: Names of the error's class and its bases, if the run failed; see `fail`.
        """
        tokens = self._tokens.pop(run_id, None) if self._tokens else None
        if tokens and (self._said or self._by_parts):
            self._by_parts.discard(run_id)
            said = self._said.pop(run_id, None)
            if said is not None and error is not None:
                value, error = said, None
        if run_id in self._roots:
            kept = value if snapshot is None else _take(snapshot, value)
            asked = inputs if inputs is UNSET or snapshot is None else _take(snapshot, inputs)
            # A stream closed by its reader ends at the root first, and LangChain then reads the model to its end.
            read = self._streamed() if error is not None or inputs is not UNSET else None
            self._events.append((_END, self._clock(), run_id, kept, lists, error, asked, tokens, read))
            if self._wake is not None:
                self._wake()
        else:
            kept = value if snapshot is None else None
            self._events.append((_END, self._clock(), run_id, kept, lists, error, UNSET, tokens, None))
        if len(self._events) >= BATCH:
            self._drain_backlog()

    def fail(
        self,
        run_id: Hashable,
        error: BaseException,
        inputs: Any = UNSET,
        snapshot: Callable[[Any], Any] | None = None,
    ) -> None:
        """Notes that a run ended with an error, was cancelled, or was closed by its consumer."""
        names = tuple(kind.__name__ for kind in type(error).__mro__)
        self.end(run_id, None, inputs=inputs, snapshot=snapshot, error=names)

    def is_open(self, run_id: Hashable) -> bool:
        """Whether a run has started and not ended."""
        self.drain()
        return self._table.is_open(run_id)

    def _streamed(self) -> dict[Hashable, int] | None:
        """Returns how many tokens each open model run has delivered; there are as many as streams read at once."""
        tokens = self._tokens
        return {run_id: len(said) - 1 for run_id, said in list(tokens.items()) if said} if tokens else None

    def _drain_backlog(self) -> None:
        """Keeps the events bounded where the worker does not come: it is blocked, or the host gives it no time."""
        if len(self._events) >= 8 * BATCH:
            self.drain()
        elif self._lock.acquire(blocking=False):
            try:
                self.drain()
            finally:
                self._lock.release()

    # Records -----------------------------------------------------------------------------------------------------

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

    def close_all(self) -> None:
        """Delivers every open record as it stands: those whose root has not ended as `evicted`."""
        with self._alone() as free:
            if free:
                self._apply_all()
                self._close(
                    [(record, "evicted" if trace.root_ended is None else None) for record, trace in self._table.all()]
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
    def activity(self) -> tuple[int, int, int]:
        """Changes whenever the host starts or ends a run or streams a token; costs the host nothing."""
        return len(self._seen), len(self._events), sum([len(said) for said in list(self._tokens.values())])

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
                if kind == _DROP:
                    table.suppress(*what)
                    continue
                trace = table.start(*what) if kind == _START else table.end(*what)
                if trace is not None or table.closed:
                    self._hand_over(trace)
            except BaseException as error:  # noqa: BLE001  `caught` raises what is meant for the host
                caught("capture.event", error)
        self._forget()

    def _close(self, due: Sequence[tuple[Record, Forced | None]]) -> None:
        for record, forced in due:
            with guarded("capture.event"):
                self._hand_over(self._table.close(record, forced))
        self._forget()

    def _hand_over(self, trace: Trace | None) -> None:
        """Delivers a finished trace, under the lock: who waits for the lock must find it delivered."""
        closed = self._table.closed
        self._roots.difference_update(closed)
        self._mapping.difference_update(closed)
        closed.clear()
        if trace is not None:
            self._deliver(trace)

    def _forget(self) -> None:
        forgotten = self._table.forgotten
        if forgotten:
            for ids in (self._seen, self._roots, self._mapping, self._marked):
                ids.difference_update(forgotten)
            self._by_parts.difference_update(forgotten)
            for run_id in forgotten:
                self._tokens.pop(run_id, None)
                self._said.pop(run_id, None)
            forgotten.clear()


def _take(snapshot: Callable[[Any], Any], value: Any) -> Any:
    """Takes a snapshot of a root's input or output; a foreign object that cannot be read does not cost the record."""
    if type(value) is str:
        return value
    try:
        return snapshot(value)
    except BaseException as error:  # noqa: BLE001  `caught` raises what is meant for the host
        caught("snapshot", error)
        return None


def _after_fork() -> None:
    """A child process starts clean: what was open belongs to the parent, and its locks may be held for ever."""
    for collector in list(_collectors):
        collector._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
