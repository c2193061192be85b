"""The table of open questions: what belongs to which record, and when a record is finished. Used under a lock."""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final
from uuid import UUID

from rag_eval_hooks.capture.guard import guarded
from rag_eval_hooks.capture.size import size_of
from rag_eval_hooks.capture.trace import Delivered, Forced, Items, Kind, Resume, Start, StreamsOn, Trace, stops

__all__ = ["UNSET", "About", "Limits", "OpenRecords", "Record"]

UNSET: Final[Any] = object()
"""Stands for an argument that was not given, where None is a value."""

About = tuple[tuple[str, ...], Mapping[str, Any], float, bool, bool]
"""Of a run that opens a record: tags, metadata, time since 1970, whether it names a parent nobody knows, and whether it
is kept even if nothing was retrieved or generated."""


_Thread = tuple[str | None, str]
"""A conversation: the name of the runs that it consists of, and its id."""


class Limits:
    """Bounds on what is kept for questions that still run.

    Args:
        max_open: Open records; one more evicts the oldest.
        ttl_s: Seconds without any event after which a record that never ended is delivered as `timeout`.
        grace_s: Seconds that a record waits, after its root ended, for work below it that is still open.
        max_steps: Runs kept of one question; further ones are counted as `too_many_steps`.
        tombstones: Ids of delivered or dropped runs that are remembered, so that what runs below them is recognised.
        resume_s: Seconds that an interrupted question waits for the run that goes on with it, so that both are one
            record; None records each as it ends.
    """

    __slots__ = ("grace_s", "max_open", "max_steps", "resume_s", "tombstones", "ttl_s")

    def __init__(
        self,
        max_open: int = 1_000,
        ttl_s: float = 300.0,
        grace_s: float = 5.0,
        max_steps: int = 5_000,
        tombstones: int = 20_000,
        resume_s: float | None = None,
    ) -> None:
        self.max_open = max_open
        self.ttl_s = ttl_s
        self.grace_s = grace_s
        self.max_steps = max_steps
        self.tombstones = tombstones
        self.resume_s = resume_s


class OpenRecords:
    """Open records by run id, and the ids of those delivered lately.

    Args:
        limits: Bounds on what is kept.
        captured_by: What goes into each trace.
        id_text: Makes the text of a run id.
        tokens: What open model runs have streamed so far, by run id; runs that are delivered are taken out.
    """

    def __init__(
        self,
        limits: Limits,
        captured_by: str,
        id_text: Callable[[Any], str],
        tokens: dict[Hashable, list[Any]],
    ) -> None:
        self._tokens = tokens
        self._limits = limits
        self._captured_by = captured_by
        self._id_text = id_text
        self._runs: dict[Hashable, Record] = {}
        """By run id: the record it belongs to, open or (for a while) delivered; also of runs that were dropped."""
        self._open: OrderedDict[int, Record] = OrderedDict()
        """The open records, oldest first."""
        self._interrupted: dict[_Thread, list[Record]] = {}
        """Open records that wait for the run that goes on with them, by the conversation they belong to."""
        self._tombstones: deque[tuple[Hashable, ...]] = deque()
        """The ids in `_runs` that stand for nothing any more, oldest first: of delivered records, and dropped ones."""
        self.remembered = 0
        """How many ids those are."""
        self.forgotten: list[Hashable] = []
        """Ids that are in no table any more; the owner clears the list."""
        self.closed: list[Hashable] = []
        """Ids that open no record any more: roots that are through, and runs that were dropped; the owner clears it."""
        self.counts = dict.fromkeys(
            (
                "opened",
                "finished",
                "discarded",
                "late",
                "suppressed",
                "resumed",
                "evicted",
                "timeout",
                "too_many_steps",
                "malformed_item",
            ),
            0,
        )

    def __len__(self) -> int:
        return len(self._open)

    @property
    def ids(self) -> int:
        """Run ids of open records."""
        return len(self._runs) - self.remembered

    def is_open(self, run_id: Hashable) -> bool:
        """Whether a run has started and not ended; False for one that was dropped."""
        record = self._runs.get(run_id)
        trace = None if record is None else record.trace
        return trace is not None and run_id in trace.starts and run_id not in trace.ends

    def all(self) -> list[tuple["Record", Trace]]:
        """Returns the open records, oldest first."""
        return [(record, record.trace) for record in self._open.values() if record.trace is not None]

    def due(self, now: float, *, orphans: bool = False) -> list[tuple["Record", Forced | None]]:
        """Returns the records whose waiting time is over, with the reason if they did not end by themselves.

        With `orphans`, a record whose root has ended waits no longer for what is open below it.
        """
        found: list[tuple[Record, Forced | None]] = []
        for record, trace in self.all():
            is_open = len(trace.ends) < len(trace.starts)
            goes_on = trace.streams_on is not None and (is_open or trace.streams_on == "read")
            if trace.root_ended is not None and not goes_on:
                if trace.waits_to_resume and not trace.shares_thread:
                    is_due = now - trace.root_ended >= (self._limits.resume_s or 0.0)
                else:
                    is_due = (orphans and trace.streams_on is None) or now - trace.root_ended >= self._limits.grace_s
                if is_due:
                    found.append((record, None))
                continue
            # Tokens come without a time of their own: that there are more than last time shows that the run lives.
            streamed = sum(len(self._tokens.get(run_id, ())) for run_id in trace.starts.keys() - trace.ends.keys())
            if streamed != trace.streamed_so_far:
                trace.streamed_so_far = streamed
                trace.touched = now
            elif now - trace.touched >= self._limits.ttl_s:
                found.append((record, "timeout"))
        return found

    def start(
        self,
        now: float,
        run_id: Hashable,
        parent_id: Hashable | None,
        kind: Kind,
        name: str | None,
        value: Any,
        about: About | None,
    ) -> Trace | None:
        """Adds a run to its record, or opens one (`about` is given); returns the trace that had to go for it."""
        evicted: Trace | None = None
        start = (parent_id, kind, name, value, now)
        is_rag = kind == "retriever" or kind == "model"
        record = None if parent_id is None else self._runs.get(parent_id)
        if about is None or (record is not None and record.trace is None):
            trace = None if record is None else record.trace
            if record is None or trace is None:
                self.counts["suppressed" if record is not None and record.is_suppressed else "late"] += 1
                self._drop(run_id, record or Record(None))
                return None
            trace.touched = now
            if len(trace.starts) >= self._limits.max_steps:
                self.counts["too_many_steps"] += 1
                trace.is_cut = True
                self._drop(run_id, record)
                return None
            trace.starts[run_id] = (parent_id, kind, name, value, trace.next_moment(now))
            trace.is_rag = trace.is_rag or is_rag
            self._runs[run_id] = record
            return None
        tags, metadata, started_at, unknown, is_kept = about
        before = self._waiting_in(_thread_of(name, metadata))
        if before is not None:
            if _goes_on(value):
                self._resume(before, run_id, start)
                return None
            evicted = self.close(before, None)  # the conversation went on with another question
        trace = Trace(run_id, start, started_at, self._captured_by, self._id_text)
        trace.tags, trace.metadata, trace.parent_unknown = tags, metadata, unknown
        trace.is_rag = is_rag or is_kept
        if len(self._open) >= self._limits.max_open:
            oldest = next(iter(self._open.values()))
            evicted = self.close(oldest, None if oldest.trace and oldest.trace.waits_to_resume else "evicted")
        record = Record(trace)
        self._open[id(record)] = record
        self._runs[run_id] = record
        self.counts["opened"] += 1
        return evicted

    def end(
        self,
        now: float,
        run_id: Hashable,
        value: Any,
        lists: tuple[Items, ...],
        error: tuple[str, ...] | None,
        inputs: Any,
        tokens: list[Any] | None,
        read: Mapping[Hashable, int] | None,
        streams_on: StreamsOn | None,
    ) -> Trace | None:
        """Ends a run; returns its record's trace if that is finished now."""
        record = self._runs.get(run_id)
        trace = None if record is None else record.trace
        if record is None or trace is None:
            if record is not None and run_id in record.cut_off:
                record.cut_off = record.cut_off - {run_id}
                self.counts["late"] += 1
            return None
        trace.touched = now
        if run_id in trace.ends or run_id not in trace.starts:
            return None
        now = trace.next_moment(now)
        trace.ends[run_id] = (now, value, lists, error)
        # A root's output is in its lists as well, and passes on what a search below it has shown.
        if type(value) is Items and trace.starts[run_id][1] == "retriever":
            self.counts["malformed_item"] += value.malformed
        if tokens:
            trace.tokens[run_id] = tokens
        if lists:
            trace.is_rag = True
        if streams_on is not None and run_id != trace.last_root:
            trace.writer = run_id
        if run_id == trace.last_root:
            trace.root_ended = now
            if read:
                trace.read = {model: count for model, count in read.items() if model in trace.starts}
            if inputs is not UNSET:
                trace.streamed = True
                parent_id, kind, name, _, started = trace.starts[run_id]
                trace.starts[run_id] = (parent_id, kind, name, inputs, started)
            trace.streams_on = streams_on
            if streams_on is not None and trace.writer is None:
                return None  # who goes on with the stream has begun or is about to
            # Who got a stream to its end did not leave it, although nobody told of the model's end.
            is_cut = error is None and type(value) is not Delivered and len(trace.ends) < len(trace.starts)
            if is_cut and streams_on is None:
                trace.left_early = any(
                    other not in trace.ends and (trace.streamed or start[1] == "model")
                    for other, start in trace.starts.items()
                )
        if trace.root_ended is not None and len(trace.ends) == len(trace.starts):
            if trace.streams_on is not None:
                _end_with_stream(trace, now)
            if self._hold(record, trace):
                return None
            return self.close(record, None)
        return None

    def _hold(self, record: "Record", trace: Trace) -> bool:
        """Lets an interrupted question wait for the run that goes on with it, if it is to wait and can be found."""
        if self._limits.resume_s is None or not trace.is_interrupted:
            return False
        thread = _thread_of(trace.starts[trace.root_id][2], trace.metadata)
        if thread is None:
            return False
        waiting = self._interrupted.setdefault(thread, [])
        waiting.append(record)
        trace.waits_to_resume = True
        if len(waiting) > 1:
            for one in waiting:
                if one.trace is not None:
                    one.trace.shares_thread = True
        return True

    def _waiting_in(self, thread: "_Thread | None") -> "Record | None":
        """Returns the record that waits in a conversation; of several, none can be told to be the one meant."""
        waiting = self._interrupted.get(thread) if self._interrupted and thread is not None else None
        if not waiting or waiting[0].trace is None or waiting[0].trace.shares_thread:
            return None
        return waiting[0]

    def _resume(self, record: "Record", run_id: Hashable, start: Start) -> None:
        """Lets a run go on with an interrupted question, as if its root had not ended."""
        trace = record.trace
        if trace is None:
            return
        self._stop_waiting(record, trace)
        self._runs[run_id] = record
        trace.starts[run_id] = (trace.root_id, *start[1:])
        trace.resumes = (*trace.resumes, run_id)
        trace.resumed_at = trace.touched = start[4]
        trace.root_ended = None
        self.counts["resumed"] += 1

    def _stop_waiting(self, record: "Record", trace: Trace) -> None:
        trace.waits_to_resume = False
        thread = _thread_of(trace.starts[trace.root_id][2], trace.metadata)
        waiting = None if thread is None else self._interrupted.get(thread)
        if thread is not None and waiting is not None:
            waiting.remove(record)
            if not waiting:
                del self._interrupted[thread]

    def close(self, record: "Record", forced: Forced | None) -> Trace | None:
        """Ends a record; returns its trace if it is worth delivering."""
        trace = record.trace
        if trace is None or self._open.pop(id(record), None) is None:
            return None
        if trace.waits_to_resume:
            self._stop_waiting(record, trace)
        trace.forced = forced
        ids = tuple(trace.starts)
        if len(trace.ends) < len(ids):
            record.cut_off = frozenset(ids).difference(trace.ends)
            for run_id in record.cut_off:
                tokens = self._tokens.pop(run_id, None)
                if tokens:
                    trace.tokens[run_id] = tokens
        # The ids stay, and now say "delivered"; what they belonged to goes.
        record.trace = None
        self.closed.extend((trace.root_id, *trace.resumes))
        self._remember(ids)
        if forced is not None:
            self.counts[forced] += 1
        if not trace.is_rag:
            self.counts["discarded"] += 1
            return None
        self.counts["finished"] += 1
        with guarded("capture.size"):  # the values of metadata are the host's own, and may change while we look
            trace.size = size_of(trace)
        return trace

    def suppress(self, run_id: Hashable) -> None:
        """Counts a run that is not to be captured, and remembers its id."""
        self.counts["suppressed"] += 1
        self._drop(run_id, Record(None, is_suppressed=True))

    def _drop(self, run_id: Hashable, record: "Record") -> None:
        """Keeps nothing of a run but the record it belongs to: what runs below it is no question of its own."""
        self._runs[run_id] = record
        self._tokens.pop(run_id, None)
        self.closed.append(run_id)
        self._remember((run_id,))

    def _remember(self, ids: tuple[Hashable, ...]) -> None:
        """Counts ids among those kept only so that later events are recognised, and forgets the oldest of them."""
        self._tombstones.append(ids)
        self.remembered += len(ids)
        while self.remembered > self._limits.tombstones:
            oldest = self._tombstones.popleft()
            self.remembered -= len(oldest)
            for old in oldest:
                self._runs.pop(old, None)
            self.forgotten.extend(oldest)


class Record:
    """What the tables hold of one question: its trace while it is open, an empty shell once delivered."""

    __slots__ = ("cut_off", "is_suppressed", "trace")

    def __init__(self, trace: Trace | None, *, is_suppressed: bool = False) -> None:
        self.trace = trace
        self.is_suppressed = is_suppressed
        """Whether it stands for a run that is not to be captured."""
        self.cut_off: frozenset[Hashable] = frozenset()
        """Runs that had not ended when the record was delivered."""


def _end_with_stream(trace: Trace, now: float) -> None:
    """Lets a root that handed its answer on as a stream end, and fail, as what wrote the stream did."""
    handed_on, output, lists, _ = trace.ends[trace.root_id]
    if trace.writer is not None:
        error = trace.ends[trace.writer][3]
    else:
        failed = (end[3] for end in trace.ends.values() if end[0] >= handed_on and end[3] and not stops(end[3]))
        error = next(failed, None)
    trace.ends[trace.root_id] = (now, output, lists, error)
    trace.root_ended = now


def _thread_of(name: Any, metadata: Mapping[str, Any]) -> _Thread | None:
    thread = metadata.get("thread_id")
    if isinstance(thread, (str, int, UUID)) and not isinstance(thread, bool):
        return name if isinstance(name, str) else None, str(thread)
    return None


def _goes_on(value: Any) -> bool:
    """Whether an input lets an interrupted run go on: what it waited for, or nothing at all."""
    return value is None or isinstance(value, Resume)
