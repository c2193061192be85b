"""Ties a framework's events to questions: which run opens a record, what belongs to it, and when it is finished."""

import os
import threading
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

from rag_eval_hooks.capture.guard import guarded
from rag_eval_hooks.capture.trace import Forced, Items, Kind, Reply, Trace

__all__ = ["BOUNDARY_TAG", "UNSET", "Collector", "Limits"]

BOUNDARY_TAG = "rag_eval:question"
"""Tag of a run that opens a record of its own although it runs inside another."""

UNSET: Final[Any] = object()
"""Stands for an argument that was not given, where None is a value."""

MAPPING = "RunnableEach"
"""Beginning of the name of a root that asks a chain many questions. Below a question's root the same component maps
over documents or sub-questions of the one question."""

_collectors: "weakref.WeakSet[Collector]" = weakref.WeakSet()


class Limits:
    """Bounds on what is kept for questions that still run.

    Args:
        max_open: Open records; one more evicts the oldest.
        ttl_s: Seconds without any event after which a record that never ended is delivered as `timeout`.
        grace_s: Seconds that a record waits, after its root ended, for work below it that is still open.
        max_steps: Runs kept of one question; further ones are counted as `too_many_steps`.
        tombstones: Ids of delivered runs that are remembered, so that late events are recognised.
    """

    __slots__ = ("grace_s", "max_open", "max_steps", "tombstones", "ttl_s")

    def __init__(
        self,
        max_open: int = 1_000,
        ttl_s: float = 300.0,
        grace_s: float = 5.0,
        max_steps: int = 5_000,
        tombstones: int = 20_000,
    ) -> None:
        self.max_open = max_open
        self.ttl_s = ttl_s
        self.grace_s = grace_s
        self.max_steps = max_steps
        self.tombstones = tombstones


class Collector:
    """Keeps the open questions of one framework, and delivers each once, when it is finished.

    All methods may be called from any thread, in any order, and also from finalizers (the lock is re-entrant); they
    note ids, times and snapshots and do nothing else. State is keyed by run id alone: there is no "current" question.

    Args:
        deliver: Called with each finished trace, outside the lock, on the thread of the event that finished it.
        captured_by: What goes into `RagRun.captured_by`.
        limits: Bounds on open records.
        clock: Seconds of a monotonic clock.
        wall: Seconds since 1970-01-01 UTC.
        id_text: Makes the text of a run id, as the record shows it.
        on_open: Called when a record opens, so that the caller can see to it that `sweep` gets called.
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
        on_open: Callable[[], None] | None = None,
    ) -> None:
        self._deliver = deliver
        self._captured_by = captured_by
        self._limits = limits or Limits()
        self._clock = clock
        self._wall = wall
        self._id_text = id_text
        self._on_open = on_open
        self._reset()
        _collectors.add(self)

    def _reset(self) -> None:
        # Re-entrant, because the garbage collector may close a stream, and so call us, while we hold it.
        self._lock = threading.RLock()
        self._runs: dict[Hashable, _Record] = {}
        """By run id: the record it belongs to, open or (for a while) delivered."""
        self._records: OrderedDict[int, _Record] = OrderedDict()
        """The open records, oldest first."""
        self._delivered: deque[tuple[Hashable, ...]] = deque()
        """The ids of delivered records that are still in `_runs`, oldest first."""
        self._remembered = 0
        self._counts = dict.fromkeys(
            ("opened", "finished", "discarded", "late", "evicted", "timeout", "too_many_steps"), 0
        )

    # Events ------------------------------------------------------------------------------------------------------

    def start(
        self,
        run_id: Hashable,
        parent_id: Hashable | None,
        kind: Kind,
        name: str | None,
        value: Any,
        *,
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
        now = self._clock()
        evicted: Trace | None = None
        with self._lock:
            if run_id in self._runs:
                return
            record = None if parent_id is None else self._runs.get(parent_id)
            marked = bool(tags) and BOUNDARY_TAG in tags  # type: ignore[operator]  # bool(tags) says it is not None
            if record is not None:
                trace = record.trace
                if trace is None:
                    self._counts["late"] += 1
                    return
                if not (marked or record.maps) or not _opens_record(record, trace, parent_id, marked):
                    trace.touched = now
                    if len(trace.starts) >= self._limits.max_steps:
                        self._counts["too_many_steps"] += 1
                        return
                    trace.starts[run_id] = (parent_id, kind, name, value if snapshot is None else None, now, marked)
                    if kind == "retriever" or kind == "model":
                        trace.is_rag = True
                    self._runs[run_id] = record
                    return
            kept = value if snapshot is None else _take(snapshot, value)
            start = (parent_id, kind, name, kept, now, marked)
            trace = Trace(run_id, start, self._wall(), self._captured_by, self._id_text)
            trace.parent_unknown = parent_id is not None and record is None
            trace.is_rag = kind == "retriever" or kind == "model"
            if tags:
                trace.tags = tuple(tags)
            if metadata:
                trace.metadata = dict(metadata)
            if len(self._records) >= self._limits.max_open:
                evicted = self._close(next(iter(self._records.values())), "evicted")
            record = _Record(trace, name)
            self._records[id(record)] = record
            self._runs[run_id] = record
            self._counts["opened"] += 1
        if evicted is not None:
            self._deliver(evicted)
        if self._on_open is not None:
            self._on_open()

    def token(self, run_id: Hashable, token: Any) -> None:
        """Notes one streamed token (text or a list of blocks) of a model run; empty tokens do not count."""
        record = self._runs.get(run_id)
        trace = None if record is None else record.trace
        if trace is None or not token or run_id in trace.ends:
            return
        trace.touched = now = self._clock()
        if trace.tokens is None:
            trace.tokens = {}
        tokens = trace.tokens.get(run_id)
        if tokens is None:
            trace.tokens[run_id] = [now, token]
        else:
            tokens.append(token)

    def end(
        self,
        run_id: Hashable,
        value: Any,
        *,
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
        now = self._clock()
        finished: Trace | None = None
        with self._lock:
            record = self._runs.get(run_id)
            if record is None:
                return
            trace = record.trace
            if trace is None:
                if run_id in record.cut_off:
                    record.cut_off = record.cut_off - {run_id}
                    self._counts["late"] += 1
                return
            if run_id in trace.ends:
                return
            trace.touched = now
            if lists:
                trace.is_rag = True
            if run_id == trace.root_id:
                if inputs is not UNSET:
                    trace.streamed = True
                    parent_id, kind, name, _, started, marked = trace.starts[run_id]
                    kept = inputs if snapshot is None else _take(snapshot, inputs)
                    trace.starts[run_id] = (parent_id, kind, name, kept, started, marked)
                trace.root_ended = now
                kept = value if snapshot is None else _take(snapshot, value)
                trace.ends[run_id] = (now, kept, lists, error)
                if error is None and len(trace.ends) < len(trace.starts):
                    trace.left_early = any(
                        other not in trace.ends and (trace.streamed or start[1] == "model")
                        for other, start in trace.starts.items()
                    )
            else:
                trace.ends[run_id] = (now, value if snapshot is None else None, lists, error)
            if trace.root_ended is not None and len(trace.ends) == len(trace.starts):
                finished = self._close(record, None)
        if finished is not None:
            self._deliver(finished)

    def fail(
        self,
        run_id: Hashable,
        error: BaseException,
        *,
        inputs: Any = UNSET,
        snapshot: Callable[[Any], Any] | None = None,
    ) -> None:
        """Notes that a run ended with an error, was cancelled, or was closed by its consumer."""
        names = tuple(kind.__name__ for kind in type(error).__mro__)
        self.end(run_id, None, inputs=inputs, snapshot=snapshot, error=names)

    def is_open(self, run_id: Hashable) -> bool:
        """Whether a run has started and not ended."""
        record = self._runs.get(run_id)
        trace = None if record is None else record.trace
        return trace is not None and run_id not in trace.ends

    # Records -----------------------------------------------------------------------------------------------------

    def sweep(self, now: float | None = None) -> None:
        """Delivers the records whose waiting time is over; to be called by a timer, not by traffic.

        Args:
            now: The time on the collector's clock; by default, now.
        """
        moment = self._clock() if now is None else now
        with self._lock:
            closed = []
            for record in list(self._records.values()):
                trace = record.trace
                if trace is None:
                    continue
                ended = trace.root_ended
                since, wait = (trace.touched, self._limits.ttl_s) if ended is None else (ended, self._limits.grace_s)
                if moment - since >= wait:
                    closed.append(self._close(record, "timeout" if ended is None else None))
        for finished in closed:
            if finished is not None:
                self._deliver(finished)

    def close_all(self) -> None:
        """Delivers every open record as it stands: those whose root has not ended as `evicted`."""
        with self._lock:
            closed = []
            for record in list(self._records.values()):
                ended = record.trace is not None and record.trace.root_ended is not None
                closed.append(self._close(record, None if ended else "evicted"))
        for finished in closed:
            if finished is not None:
                self._deliver(finished)

    def stats(self) -> dict[str, int]:
        """Returns counts by word; opened == finished + discarded + open."""
        with self._lock:
            return {**self._counts, "open": len(self._records)}

    @property
    def open_records(self) -> int:
        """Records that have not been delivered yet."""
        return len(self._records)

    @property
    def open_ids(self) -> int:
        """Run ids of open records."""
        return len(self._runs) - self._remembered

    @property
    def remembered_ids(self) -> int:
        """Run ids of delivered records that are still remembered."""
        return self._remembered

    def _close(self, record: "_Record", forced: Forced | None) -> Trace | None:
        """Ends a record (the lock is held); returns its trace if it is worth delivering."""
        trace = record.trace
        if trace is None or self._records.pop(id(record), None) is None:
            return None
        trace.forced = forced
        ids = tuple(trace.starts)
        if len(trace.ends) < len(ids):
            record.cut_off = frozenset(ids).difference(trace.ends)
        # The ids stay, and now say "delivered"; what they belonged to goes.
        record.trace = None
        self._delivered.append(ids)
        self._remembered += len(ids)
        while self._remembered > self._limits.tombstones:
            oldest = self._delivered.popleft()
            self._remembered -= len(oldest)
            for old in oldest:
                self._runs.pop(old, None)
        if forced is not None:
            self._counts[forced] += 1
        if not trace.is_rag:
            self._counts["discarded"] += 1
            return None
        self._counts["finished"] += 1
        trace.size = _size(trace)
        return trace


class _Record:
    """What the tables hold of one question: its trace while it is open, an empty shell once delivered."""

    __slots__ = ("cut_off", "maps", "trace")

    def __init__(self, trace: Trace, name: str | None) -> None:
        self.trace: Trace | None = trace
        self.maps = name is not None and name.startswith(MAPPING)
        """Whether the root maps over questions: each run directly below it is a question of its own."""
        self.cut_off: frozenset[Hashable] = frozenset()
        """Runs that had not ended when the record was delivered."""


def _opens_record(record: _Record, trace: Trace, parent_id: Hashable, marked: bool) -> bool:
    """A child opens its own record where the user says so, or where its parent maps over questions."""
    if record.maps and parent_id == trace.root_id:
        return True
    return marked and not trace.starts[parent_id][5]  # tags are inherited: only the first with the tag counts


def _take(snapshot: Callable[[Any], Any], value: Any) -> Any:
    """Takes a snapshot of a root's input or output; a foreign object that cannot be read does not cost the record."""
    with guarded("snapshot"):
        return snapshot(value)
    return None


def _size(trace: Trace) -> int:
    """Estimates the bytes a finished trace holds; texts count whole although the host may share them."""
    size = 2_000 + 300 * len(trace.starts)
    for start in trace.starts.values():
        if start[1] == "model" and start[3]:
            for message in start[3]:
                size += len(message.content)
    for _, output, lists, _ in trace.ends.values():
        if output is not None:
            kind = type(output)
            if kind is Items:
                size += _items_size(output)
            elif kind is str:
                size += len(output)
            elif kind is Reply:
                size += len(output.content)
        for items in lists:
            size += _items_size(items)
    return size


def _items_size(items: Items) -> int:
    return 500 * len(items) + sum([len(item[1]) for item in items])


def _after_fork() -> None:
    """A child process starts clean: what was open belongs to the parent, and its locks may be held for ever."""
    for collector in list(_collectors):
        collector._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
