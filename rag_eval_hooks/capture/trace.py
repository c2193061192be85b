"""What the collector keeps of one question while it runs: steps and snapshots, no models, no text work."""

from collections.abc import Callable, Hashable, Mapping
from math import inf, nextafter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from rag_eval_hooks.capture.framework_names import INTERRUPTS, PARENT_COMMAND
from rag_eval_hooks.record.run import StepKind

__all__ = [
    "Delivered",
    "Forced",
    "Item",
    "Items",
    "Kind",
    "Message",
    "Opaque",
    "Reply",
    "Resume",
    "Start",
    "Step",
    "StreamsOn",
    "Trace",
    "stops",
]

Kind = StepKind
Forced = Literal["timeout", "evicted"]
StreamsOn = Literal["written", "read"]
"""Who goes on with an answer that was handed on as a stream: a writer that has begun or begins at once, or its reader
when he likes."""

Item = tuple[Any, Any, Mapping[str, Any], float | None]
"""Snapshot of one retrieved item: id, text, a copy of its metadata, score (None: look into the metadata)."""


class Items(tuple[Item, ...]):
    """A list of retrieved items, in the order returned."""

    malformed: int = 0
    """How many of them were not as the framework promises, and stand here with what could be read of them."""


class Opaque(str):
    """Stands for an object that was not looked into; its text names the type."""

    __slots__ = ()


class Delivered(str):
    """What of a streamed answer its reader got, to the letter."""

    __slots__ = ()


class Message(NamedTuple):
    """Snapshot of one chat message."""

    role: str
    """`user`, `assistant`, `system` or `tool`; other words are read as `user`."""
    content: Any
    """Text or a list of blocks."""
    calls_tools: bool = False
    """Whether the message asks for tool calls."""


class Reply(NamedTuple):
    """Snapshot of what a model call returned."""

    content: Any
    """Text or a list of blocks."""
    calls_tools: bool = False
    """Whether the model asked for tool calls instead of answering."""
    usage: Mapping[str, Any] | None = None
    """Token counts as the provider named them."""
    citations: Any = None
    """The provider's list of citations beside the content, where it gave one."""
    cost: Any = None
    """What the call cost, where the provider says so apart from the token counts."""


class Resume(NamedTuple):
    """Snapshot of an input that lets an interrupted run go on."""

    value: Any
    """What the run was waiting for."""


class Step:
    """One run of the framework: a chain, model, retriever or tool call. Made on the worker."""

    __slots__ = (
        "ended",
        "error",
        "first_token",
        "input",
        "kind",
        "lists",
        "name",
        "output",
        "parent_id",
        "run_id",
        "started",
        "tokens",
    )

    def __init__(self, run_id: Hashable, start: "Start", end: "End | None", tokens: list[Any] | None) -> None:
        self.run_id = run_id
        self.parent_id, self.kind, name, self.input, self.started = start
        self.name = name if isinstance(name, str) else None
        self.ended: float | None = None
        self.output: Any = None
        self.lists: tuple[Items, ...] = ()
        """Lists of retrieved items in the output of a chain or tool."""
        self.error: tuple[str, ...] | None = None
        """Names of the error's class and its bases; never its message, which may quote anything."""
        if end is not None:
            self.ended, self.output, self.lists, self.error = end
        self.first_token: float | None = tokens[0] if tokens else None
        self.tokens: list[Any] = tokens[1:] if tokens else []

    @property
    def duration_ms(self) -> float | None:
        """How long it took, in milliseconds; None if it did not end."""
        return None if self.ended is None else max((self.ended - self.started) * 1_000, 0.0)


Start = tuple[Hashable | None, Kind, str | None, Any, float]
"""Parent's id, kind, name, input, and time."""

End = tuple[float, Any, tuple[Items, ...], tuple[str, ...] | None]
"""Time, output, lists of retrieved items in it, and the names of the error's class and its bases."""


def stops(error: tuple[str, ...] | None) -> bool:
    """Whether a step ended to wait for somebody; a hand-over to the graph around it has the same base class."""
    return error is not None and bool(INTERRUPTS.intersection(error)) and PARENT_COMMAND not in error


class Trace:
    """One question's runs, from the run that opened it.

    The collector fills it under its lock, so it is plain tuples by run id; `steps` puts them together. Times are
    seconds on the collector's clock.
    """

    parent_unknown: bool = False
    """Whether the root names a parent that nobody saw start."""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = MappingProxyType({})
    root_ended: float | None = None
    """When the root ended; None while it runs, and again from when the question is resumed."""
    resumed_at: float | None = None
    """When the question went on after it had been interrupted."""
    resumes: "tuple[Hashable, ...]" = ()
    """Ids of the runs that went on with it, in order."""
    waits_to_resume: bool = False
    """Whether the root has ended only to wait for somebody, and the record waits with it."""
    shares_thread: bool = False
    """Whether another question waits in the same conversation, so that none can be told to be the one meant."""
    is_cut: bool = False
    """Whether it had more runs than are kept."""
    left_early: bool = False
    """Whether the root ended normally while work below it went on: the consumer stopped reading."""
    streamed: bool = False
    """Whether the root got its input at the end, as streaming runs do."""
    streams_on: "StreamsOn | None" = None
    """Whether the root has only handed its answer on as a stream, and who is to go on with it."""
    writer: Hashable | None = None
    """The run that wrote the stream on, once it has ended."""
    is_rag: bool = False
    """Whether anything was retrieved or generated."""
    forced: Forced | None = None
    """Why it was delivered before it had ended by itself."""
    streamed_so_far: int = 0
    """Tokens seen of open model runs when the timer last looked."""
    size: int = 0
    """Estimate of the bytes kept."""
    _steps: "tuple[Step, ...] | None" = None

    def __init__(
        self, root_id: Hashable, start: Start, started_at: float, captured_by: str, id_text: Callable[[Any], str]
    ) -> None:
        self.root_id = root_id
        self.starts: dict[Hashable, Start] = {root_id: start}
        self.ends: dict[Hashable, End] = {}
        self.tokens: dict[Hashable, list[Any]] = {}
        """Of model runs that stream: the time of the first token, then the tokens."""
        self.read: Mapping[Hashable, int] = {}
        """Of model runs that were open when the root ended: the tokens they had delivered by then."""
        self.started_at = started_at
        """Seconds since 1970-01-01 UTC."""
        self.captured_by = captured_by
        self.id_text = id_text
        self.touched = start[4]
        """When the last event came, or a token was last seen."""
        self._last = start[4]

    def next_moment(self, now: float) -> float:
        """Returns the time of the next event, which is later than that of the one before.

        What was there when a step began is told by the times, and clocks may stand still meanwhile: that of Windows
        goes on every 16 ms before Python 3.13.
        """
        self._last = now if now > self._last else nextafter(self._last, inf)
        return self._last

    @property
    def steps(self) -> tuple[Step, ...]:
        """All runs in order of start, the root first; to be read once the trace is finished."""
        if self._steps is None:
            self._steps = tuple(
                Step(run_id, start, self.ends.get(run_id), self.tokens.get(run_id))
                for run_id, start in self.starts.items()
            )
        return self._steps

    @property
    def root(self) -> Step:
        """The run that opened the record; where others went on with it, with the end of the last of them."""
        if not self.resumes:
            return self.steps[0]
        return Step(self.root_id, self.starts[self.root_id], self.ends.get(self.resumes[-1]), None)

    def is_root(self, step: Step) -> bool:
        """Whether a run is the one that opened the record, or one that went on with it."""
        return step.run_id == self.root_id or step.run_id in self.resumes

    @property
    def last_root(self) -> Hashable:
        """Id of the run whose end is the question's end."""
        return self.resumes[-1] if self.resumes else self.root_id

    @property
    def is_interrupted(self) -> bool:
        """Whether a graph stopped to wait for somebody, and has not gone on since."""
        since = self.resumed_at
        return any(
            stops(error) and (since is None or self.starts[run_id][4] >= since) and not self._ran_again(run_id)
            for run_id, (_, _, _, error) in self.ends.items()
        )

    def _ran_again(self, run_id: Hashable) -> bool:
        """Whether the graph around a run that stopped was called again: hand-written code asks somebody and goes on."""
        above: Hashable | None = run_id
        while above in self.starts:
            parent_id, kind, name, _, _ = self.starts[above]
            end = self.ends.get(above)
            if end is not None and not end[3] and parent_id is not None:
                again = (other[4] for other in self.starts.values() if other[:3] == (parent_id, kind, name))
                if any(started >= end[0] for started in again):
                    return True
            above = parent_id
        return False

    @property
    def seconds(self) -> float:
        """How long its roots ran, without the time in which it waited to be resumed."""
        spans = [(self.starts[one][4], self.ends[one][0]) for one in (self.root_id, *self.resumes) if one in self.ends]
        return sum(end - start for start, end in spans)
