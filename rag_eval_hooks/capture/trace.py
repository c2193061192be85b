"""What the collector keeps of one question while it runs: steps and snapshots, no models, no text work."""

from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

__all__ = ["Forced", "Item", "Items", "Kind", "Message", "Opaque", "Reply", "Step", "Trace"]

Kind = Literal["chain", "model", "relay", "retriever", "tool"]
"""What a run is; a relay is a step of the framework's own that hands on what another has returned."""
Forced = Literal["timeout", "evicted"]

Item = tuple[Any, Any, Mapping[str, Any], float | None]
"""Snapshot of one retrieved item: id, text, a copy of its metadata, score (None: look into the metadata)."""


class Items(tuple[Item, ...]):
    """A list of retrieved items, in the order returned."""

    malformed: int = 0
    """How many of them were not as the framework promises, and stand here with what could be read of them."""


class Opaque(str):
    """Stands for an object that was not looked into; its text names the type."""

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
        self.parent_id, self.kind, self.name, self.input, self.started = start
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


Start = tuple[Hashable | None, Kind, str | None, Any, float]
"""Parent's id, kind, name, input, and time."""

End = tuple[float, Any, tuple[Items, ...], tuple[str, ...] | None]
"""Time, output, lists of retrieved items in it, and the names of the error's class and its bases."""


class Trace:
    """One question's runs, from the run that opened it.

    The collector fills it under its lock, so it is plain tuples by run id; `steps` puts them together.
    """

    parent_unknown: bool = False
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = MappingProxyType({})
    root_ended: float | None = None
    left_early: bool = False
    """Whether the root ended normally while work below it went on: the consumer stopped reading."""
    streamed: bool = False
    """Whether the root got its input at the end, as streaming runs do."""
    is_rag: bool = False
    """Whether anything was retrieved or generated."""
    forced: Forced | None = None
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
        self.captured_by = captured_by
        self.id_text = id_text
        self.touched = start[4]

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
        """The run that opened the record."""
        return self.steps[0]
