"""What holds for all runs that start in a context: they belong to an explicit question, or are not captured at all."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from rag_eval_hooks.capture.guard import guarded
from rag_eval_hooks.capture.trace import Items, Message, Reply

if TYPE_CHECKING:
    from rag_eval_hooks.capture.collector import Collector

__all__ = ["SCOPE", "SUPPRESSED", "ExplicitQuestion", "suppress_capture"]


class _Suppressed:
    """Marks a context in which nothing is captured."""


SUPPRESSED = _Suppressed()
SCOPE: "ContextVar[ExplicitQuestion | _Suppressed | None]" = ContextVar("rag_eval_hooks_scope", default=None)
"""What holds in this context; tasks and `asyncio.to_thread` take it along, plain threads do not."""


@contextmanager
def suppress_capture() -> Iterator[None]:
    """Leaves the runs of its block out of every record: model calls of judges, warm-ups, health checks.

    They are counted as `suppressed`. Holds for this task or thread and what is started from it with its context.
    """
    token = SCOPE.set(SUPPRESSED)
    try:
        yield
    finally:
        SCOPE.reset(token)


class ExplicitQuestion:
    """One question of hand-written code: what starts in its `with` block belongs to one record.

    For code that calls a retriever and a model without a chain around them, which otherwise are two records. Like a
    chain, it ends with the block; an exception passes through and is the record's error. Work that is still running
    then gets the grace time. Never raises for anything of its own.

    Args:
        collector: What takes the events.
        text: The question.
        name: The name of the record's root.
        tags: Tags of the record.
        metadata: Metadata of the record.
        around: Id of the run that the block stands in, if any: what would run directly below it belongs here.
    """

    def __init__(
        self,
        collector: "Collector",
        text: Any,
        *,
        name: str = "question",
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        around: Hashable | None = None,
    ) -> None:
        self.collector = collector
        self.run_id: Hashable = uuid4().int
        self.around = around
        self.is_open = False
        self.answer: Any = None
        """What the user got; where it is not set, the text of the answering model call counts."""
        self._opening = (text, name, tuple(tags), dict(metadata or {}))
        self._token: Token[Any] | None = None

    def retrieved(self, items: Items, query: str | None = None, name: str = "search") -> None:
        """Notes a search that no retriever of the framework shows.

        Args:
            items: What was found, best first.
            query: What was searched for; by default, the question.
            name: The search's name in the record.
        """
        with guarded("question.retrieved"):
            self._step("retriever", name, self._opening[0] if query is None else query, items)

    def generated(self, text: str, prompt: str | None = None, name: str = "model") -> None:
        """Notes a model call that no model of the framework shows.

        Args:
            text: What the model said.
            prompt: All it was given; without it, the context cannot be read from the prompt.
            name: The model's name in the record.
        """
        with guarded("question.generated"):
            given = () if prompt is None else (Message("user", prompt),)
            self._step("model", name, given, Reply(text))

    def _step(self, kind: Any, name: str, value: Any, output: Any) -> None:
        if self.is_open:
            run_id = uuid4().int
            self.collector.start(run_id, self.run_id, kind, name, value)
            self.collector.end(run_id, output)

    def __enter__(self) -> Self:
        with guarded("question.start"):
            text, name, tags, metadata = self._opening
            self.collector.open(self.run_id, name, text, tags, metadata)
            self.is_open = True
            self._token = SCOPE.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with guarded("question.end"):
            self.is_open = False
            if self._token is not None:
                self._leave(self._token)
            if error is None:
                self.collector.end(self.run_id, self.answer)
            else:
                self.collector.fail(self.run_id, error)

    def _leave(self, token: Token[Any]) -> None:
        try:
            SCOPE.reset(token)
        except ValueError:  # a generator that is closed in another context than the one it was begun in
            if SCOPE.get() is self:
                SCOPE.set(None)
