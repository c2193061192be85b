"""What the host's thread does at each event: it notes it, with its time and its snapshots, and nothing else."""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from rag_eval_hooks.capture.framework_names import MAPPING
from rag_eval_hooks.capture.guard import caught
from rag_eval_hooks.capture.open_records import UNSET, About
from rag_eval_hooks.capture.scope import SCOPE, Belonging, scope_of
from rag_eval_hooks.capture.trace import Items, Kind, Reply, StreamsOn

__all__ = ["BATCH", "BOUNDARY_TAG", "DROP", "END", "START", "Event", "Notes"]

BOUNDARY_TAG = "rag_eval:question"
"""Tag of a run that opens a record of its own although it runs inside another."""

BATCH = 512
"""Events that may wait for the worker; then the host's thread puts them away itself."""

START, END, DROP = 0, 1, 2
Event = tuple[Any, ...]
"""What happened; when, but for `DROP`; to which run; and the arguments of the method that applies it."""


class Notes(ABC):
    """Takes events from any thread, and from finalizers, by operations that are atomic by themselves.

    Args:
        clock: Seconds of a monotonic clock.
        wall: Seconds since 1970-01-01 UTC.
        wake: Called when a record opens or its root ends.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self._clock = clock
        self._wall = wall
        self._wake = wake
        self._reset()

    def _reset(self) -> None:
        self._events: deque[Event] = deque()
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

    @abstractmethod
    def _drain_backlog(self) -> None:
        """Puts the events away when more than `BATCH` wait."""

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
        if parent_id in seen and not self._mapping and SCOPE.get() is None and (not tags or BOUNDARY_TAG not in tags):
            seen.add(run_id)
            kept = value if snapshot is None else None
            self._events.append((START, self._clock(), run_id, parent_id, kind, name, kept, None))
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
        scope = scope_of(self)
        if scope is not None:
            if not isinstance(scope, Belonging):
                self.suppress(run_id)
                return
            if parent_id == scope.around or parent_id not in self._seen:
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
            self._events.append((START, self._clock(), run_id, parent_id, kind, name, kept, None))
        if marked:
            self._marked.add(run_id)

    def _start_record(
        self, run_id: Hashable, parent_id: Hashable | None, kind: Kind, name: str | None, kept: Any, about: About
    ) -> None:
        self._roots.add(run_id)
        self._events.append((START, self._clock(), run_id, parent_id, kind, name, kept, about))
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

    def knows(self, run_id: Hashable) -> bool:
        """Whether a run is open or remembered: what runs below it belongs to its question."""
        return run_id in self._seen

    def is_undelivered(self, run_id: Hashable) -> bool:
        """Whether a run opened a record that is not delivered yet."""
        return run_id in self._roots

    def suppress(self, run_id: Hashable) -> None:
        """Notes a run only so that its end, and what runs below it elsewhere, is recognised."""
        self._seen.add(run_id)
        self._events.append((DROP, run_id))
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
        *,
        streams_on: StreamsOn | None = None,
    ) -> None:
        """Notes the end of a run.

        Args:
            run_id: The framework's id of the run.
            value: The output: a snapshot, or the live object if `snapshot` is given.
            lists: Lists of retrieved items seen in the output.
            inputs: The input, where the framework reports it only now.
            snapshot: Takes what must be kept of `value` and `inputs`; called only for the run that opened the record.
            error: Names of the error's class and its bases, if the run failed; see `fail`.
            streams_on: Of a root that has only handed its answer on as a stream, who goes on with it below the root:
                the question ends when that does. Of the writer itself, which may be through before the root is: that
                this was it.
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
            self._events.append((END, self._clock(), run_id, kept, lists, error, asked, tokens, read, streams_on))
            if self._wake is not None:
                self._wake()
        else:
            kept = value if snapshot is None else None
            self._events.append((END, self._clock(), run_id, kept, lists, error, UNSET, tokens, None, streams_on))
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

    def _streamed(self) -> dict[Hashable, int] | None:
        """Returns how many tokens each open model run has delivered; there are as many as streams read at once."""
        tokens = self._tokens
        return {run_id: len(said) - 1 for run_id, said in list(tokens.items()) if said} if tokens else None

    @property
    def activity(self) -> tuple[int, int, int]:
        """Changes whenever the host starts or ends a run or streams a token; costs the host nothing."""
        return len(self._seen), len(self._events), sum([len(said) for said in list(self._tokens.values())])

    def _forget(self, forgotten: Sequence[Hashable]) -> None:
        """Takes ids out of every table."""
        for ids in (self._seen, self._roots, self._mapping, self._marked, self._by_parts):
            ids.difference_update(forgotten)
        for run_id in forgotten:
            self._tokens.pop(run_id, None)
            self._said.pop(run_id, None)


def _take(snapshot: Callable[[Any], Any], value: Any) -> Any:
    """Takes a snapshot of a root's input or output; a foreign object that cannot be read does not cost the record."""
    if type(value) is str:
        return value
    try:
        return snapshot(value)
    except BaseException as error:  # noqa: BLE001  `caught` raises what is meant for the host
        caught("snapshot", error)
        return None
