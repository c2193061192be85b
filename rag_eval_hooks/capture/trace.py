"""What the collector keeps of one question while it runs: steps and snapshots, no models, no text work."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, NamedTuple

__all__ = ["Forced", "Item", "Items", "Kind", "Message", "Opaque", "Reply", "Step", "Trace"]

Kind = Literal["chain", "model", "retriever", "tool"]
Forced = Literal["timeout", "evicted"]

Item = tuple[Any, Any, Mapping[str, Any], float | None]
"""Snapshot of one retrieved item: id, text, a copy of its metadata, score (None: look into the metadata)."""


class Items(tuple[Item, ...]):
    """A list of retrieved items, in the order returned."""

    __slots__ = ()


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


class Step:
    """One run of the framework: a chain, model, retriever or tool call."""

    __slots__ = (
        "ended",
        "error",
        "first_token",
        "input",
        "kind",
        "lists",
        "marked",
        "name",
        "output",
        "parent_id",
        "run_id",
        "started",
        "tokens",
    )

    def __init__(
        self, run_id: Hashable, parent_id: Hashable | None, kind: Kind, name: str | None, value: Any, now: float
    ) -> None:
        self.run_id = run_id
        self.parent_id = parent_id
        self.kind: Kind = kind
        self.name = name
        self.input = value
        self.output: Any = None
        self.started = now
        self.ended: float | None = None
        self.error: tuple[str, ...] | None = None
        """Names of the error's class and its bases; never its message, which may quote anything."""
        self.first_token: float | None = None
        self.tokens: list[Any] | None = None
        self.lists: tuple[Items, ...] = ()
        """Lists of retrieved items in the output of a chain or tool."""
        self.marked = False
        """Whether the run carries the tag that opens a record."""


class Trace:
    """One question's steps, from the run that opened it."""

    __slots__ = (
        "captured_by",
        "forced",
        "id_text",
        "is_rag",
        "left_early",
        "metadata",
        "parent_unknown",
        "root",
        "root_ended",
        "size",
        "started_at",
        "steps",
        "streamed",
        "tags",
        "touched",
    )

    def __init__(
        self, root: Step, started_at: float, captured_by: str, id_text: Callable[[Any], str], *, parent_unknown: bool
    ) -> None:
        self.root = root
        self.steps: tuple[Step, ...] = (root,)
        """All steps in order of start; complete once the trace is delivered."""
        self.started_at = started_at
        self.captured_by = captured_by
        self.id_text = id_text
        self.parent_unknown = parent_unknown
        self.tags: tuple[str, ...] = ()
        self.metadata: Mapping[str, Any] = {}
        self.root_ended: float | None = None
        self.left_early = False
        """Whether the root ended normally while work below it went on: the consumer stopped reading."""
        self.streamed = False
        """Whether the root got its input at the end, as streaming runs do."""
        self.is_rag = False
        self.forced: Forced | None = None
        self.touched = root.started
        self.size = 2_000
        """Estimate of the bytes kept."""
