"""Attaching one handler to everything that runs, in the whole process or in one block."""

from collections.abc import Iterable, Mapping
from typing import Any

from rag_eval_hooks.capture import ExplicitQuestion, guarded
from rag_eval_hooks.capture.scope import SCOPE, Belonging
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks_langchain.compat import ambient_run
from rag_eval_hooks_langchain.extract import items_from_found, prompt_from, reply_from, snapshot
from rag_eval_hooks_langchain.handler import RagEvalCallbackHandler

__all__ = ["attach", "attached", "detach", "question"]


class _Switch:
    """What LangChain asks, each time it puts callbacks together, for a handler to add.

    It takes the place of a `ContextVar`, of which only `get` is used: a variable would have to be set in every thread
    and task, or else keep its default, the handler, for ever. With nothing attached LangChain adds nothing.
    """

    def __init__(self) -> None:
        self.handler: RagEvalCallbackHandler | None = None

    def get(self) -> RagEvalCallbackHandler | None:
        return _handler_of_block() or self.attached

    @property
    def attached(self) -> RagEvalCallbackHandler | None:
        """The process's handler; None once it is closed."""
        handler = self.handler
        return None if handler is None or handler.is_closed else handler


def _handler_of_block() -> RagEvalCallbackHandler | None:
    """Returns the handler of the `question` block that we are in, or that this task has outlived."""
    scope = SCOPE.get()
    while scope is not None:
        if isinstance(scope, Belonging) and isinstance(scope.owner, RagEvalCallbackHandler):
            return scope.owner
        scope = scope.outer
    return None


_switch = _Switch()
_registered = False


def attach(handler: RagEvalCallbackHandler | None = None, **options: Any) -> RagEvalCallbackHandler:
    """Attaches a handler to every LangChain and LangGraph run of the process, in all threads and event loops.

    Nothing need be passed to any chain. Closing the handler (`with attach(...) as handler:`) takes it off, too. A chain
    that gets the same handler as a callback is recorded once.

    >>> from rag_eval_hooks_langchain import attach, detach
    >>> handler = attach(keep=10)
    >>> detach() is handler
    True

    Args:
        handler: What to attach; by default a new one is made.
        **options: Options of the new handler; see `RagEvalCallbackHandler`.

    Returns:
        The attached handler. Without arguments, the one that is attached already, if any.

    Raises:
        ConfigError: If another handler is attached, or `handler` is given together with options.
    """
    current = _switch.attached
    if current is not None:
        if (handler is None and not options) or handler is current:
            return current
        raise ConfigError("a handler is attached already; call detach() first")
    if handler is None:
        handler = RagEvalCallbackHandler(**options)
    elif options:
        raise ConfigError("give either a handler or the options to make one from, not both")
    elif not isinstance(handler, RagEvalCallbackHandler):
        raise ConfigError(f"attach: expected a RagEvalCallbackHandler, got {handler!r}")
    elif handler.is_closed:
        raise ConfigError("attach: this handler is closed and takes no more questions; make a new one")
    _register()
    _switch.handler = handler
    return handler


def detach() -> RagEvalCallbackHandler | None:
    """Takes the attached handler off again; what runs already is still recorded.

    Returns:
        The handler, to be flushed or closed; None if none was attached.
    """
    handler = _switch.attached
    _switch.handler = None
    return handler


def attached() -> RagEvalCallbackHandler | None:
    """Returns the handler that is attached to the process, or None."""
    return _switch.attached


class question(ExplicitQuestion):  # noqa: N801  used as a `with` statement, like `suppress_capture`
    """Makes everything that runs in a `with` block one question: hand-written code without a chain around it.

    The handler need not be passed to what runs in the block. Tasks and `asyncio.to_thread` belong to it, too; a plain
    thread does if it runs in a copy of the context (`contextvars.copy_context().run`). In a generator, the block holds
    for its reader as well while the generator waits: of two read in turns by one thread or task, the block that began
    last gets what both run; and all its steps must run in one context, as an async generator's do (Starlette runs each
    step of a plain one in a context of its own). Inside `suppress_capture` a block is no question.

    >>> from langchain_core.language_models import FakeListChatModel
    >>> from rag_eval_hooks_langchain import RagEvalCallbackHandler, question
    >>> with RagEvalCallbackHandler() as handler, question("Who keeps bees?", handler) as asked:
    ...     asked.documents(["Ada keeps bees."])
    ...     asked.answer = FakeListChatModel(responses=["Ada does."]).invoke("Who keeps bees? Ada keeps bees.").content
    >>> handler.last.run.question, handler.last.run.answer, len(handler.last.run.context)
    ('Who keeps bees?', 'Ada does.', 1)

    What the block yields says what cannot be seen: `documents(found)`, `generated(text, prompt)`, and `answer`, the
    answer itself where it is not what the last model call said.

    Args:
        text: The question.
        handler: What records it; by default the attached one (`attach`).
        name: The name of the record's root.
        tags: Tags of the record.
        metadata: Metadata of the record, to slice reports by.

    Raises:
        ConfigError: If `handler` is no handler, or none is given and none is attached.
    """

    __slots__ = ()

    def __init__(
        self,
        text: Any,
        handler: RagEvalCallbackHandler | None = None,
        *,
        name: str = "question",
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        taken = _switch.get() if handler is None else handler
        if taken is None:
            raise ConfigError("question(...) needs a handler: give one as the second argument, or call attach() first")
        if not isinstance(taken, RagEvalCallbackHandler):
            raise ConfigError(f"question(...): expected a RagEvalCallbackHandler as the handler, got {taken!r}")
        _register()
        labels = (tags,) if isinstance(tags, str) else tuple(tags)
        super().__init__(
            taken.collector,
            text,
            name=name,
            tags=labels,
            metadata=metadata,
            around=ambient_run(),
            owner=taken,
            snapshot=snapshot,
        )

    def documents(self, found: Any, query: str | None = None, name: str = "search") -> None:
        """Notes a search that ran without a LangChain retriever.

        Args:
            found: What was found, best first: documents, texts, pairs of either with a score, or mappings with a text
                (`page_content`, `text` or `content`).
            query: What was searched for; by default, the question.
            name: The search's name in the record.
        """
        with guarded("question.documents"):
            self.retrieved(items_from_found(found), query, name)

    def generated(self, text: Any, prompt: Any = None, name: str = "model") -> None:
        """Notes a model call that ran without a LangChain model.

        Args:
            text: What the model said: a text or a message.
            prompt: All it was given, as a text or messages; without it, the last search counts as the context.
            name: The model's name in the record.
        """
        with guarded("question.generated"):
            self.replied(reply_from(text), prompt_from(prompt), name)


def _register() -> None:
    global _registered
    if not _registered:
        _registered = True
        # Brings langsmith along, a quarter of a second that only who attaches has to pay (the first chain does anyway).
        from langchain_core.tracers.context import register_configure_hook

        register_configure_hook(_switch, inheritable=True)  # type: ignore[arg-type]  # see _Switch
