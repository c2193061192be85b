"""A question that hand-written code opens and ends itself."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from rag_eval_hooks.capture.collector import Collector
from rag_eval_hooks.capture.guard import guarded
from rag_eval_hooks.capture.scope import SCOPE, Belonging
from rag_eval_hooks.capture.trace import Items, Message, Reply

__all__ = ["ExplicitQuestion"]


class ExplicitQuestion:
    """One question of hand-written code: what starts in its `with` block belongs to one record.

    For code that calls a retriever and a model without a chain around them, which otherwise are two records. Like a
    chain, it ends with the block; an exception passes through and is the record's error. Work that is still running
    then gets the grace time. Inside `suppress_capture` it is no question either. Its methods never raise.

    Args:
        collector: What takes the events.
        text: The question.
        name: The name of the record's root.
        tags: Tags of the record.
        metadata: Metadata of the record.
        around: Id of the run that the block stands in, if any: what would run directly below it belongs here.
        owner: What the adapter wants to find again in the context; see `Belonging`.
        snapshot: Takes what must be kept of the framework's objects; called at once.
    """

    # An attribute that is misspelt must not be lost.
    __slots__ = ("_around", "_collector", "_opening", "_owner", "_run_id", "_scope", "_snapshot", "answer")

    def __init__(
        self,
        collector: Collector,
        text: Any,
        *,
        name: str = "question",
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        around: Hashable | None = None,
        owner: object = None,
        snapshot: Callable[[Any], Any] | None = None,
    ) -> None:
        self._collector = collector
        self._run_id: Hashable = uuid4().int
        self._around = around
        self._owner = owner
        self._snapshot = snapshot
        self._scope: Belonging | None = None
        self.answer: Any = None
        """What the user got; where it is not set, the text of the answering model call counts."""
        self._opening = (text, name, tuple(tags), dict(metadata or {}))

    def retrieved(self, items: Items, query: str | None = None, name: str = "search") -> None:
        """Notes a search that no retriever of the framework shows.

        Args:
            items: What was found, best first.
            query: What was searched for; by default, the question.
            name: The search's name in the record.
        """
        with guarded("question.retrieved"):
            self._step("retriever", name, self._opening[0] if query is None else query, items)

    def replied(self, reply: Reply, prompt: tuple[Message, ...] | None = None, name: str = "model") -> None:
        """Notes a model call that no model of the framework shows.

        Args:
            reply: What the model said.
            prompt: All it was given; without it, the list of the last search counts as the context.
            name: The model's name in the record.
        """
        with guarded("question.replied"):
            self._step("model", name, prompt, reply)

    def _step(self, kind: Any, name: str, value: Any, output: Any) -> None:
        if self._scope is not None and self._scope.is_open:
            run_id = uuid4().int
            self._collector.start(run_id, self._run_id, kind, name, value)
            self._collector.end(run_id, output)

    def __enter__(self) -> Self:
        with guarded("question.start"):
            around = SCOPE.get()
            if around is not None and not isinstance(around, Belonging):
                self._collector.suppress(self._run_id)
                return self
            text, name, tags, metadata = self._opening
            self._collector.open(self._run_id, name, text, tags, metadata, self._snapshot)
            self._scope = Belonging(self._collector, self._run_id, self._around, self._owner)
            self._scope.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with guarded("question.end"):
            if self._scope is not None:
                self._scope.leave()
            if error is None:
                self._collector.end(self._run_id, self.answer, snapshot=self._snapshot)
            else:
                self._collector.fail(self._run_id, error)
