"""Attaching to everything that LlamaIndex runs in a process, or to one engine, and taking it off again."""

import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from rag_eval_hooks.capture import ExplicitQuestion, guarded
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks.live import Live, hooks_from
from rag_eval_hooks_llamaindex.compat import active_span
from rag_eval_hooks_llamaindex.extract import prompt_from, reply_from, snapshot
from rag_eval_hooks_llamaindex.handler import forget, listen, stop_listening, take_seats
from rag_eval_hooks_llamaindex.nodes import items_from_found
from rag_eval_hooks_llamaindex.roles import ATTACHABLE

__all__ = ["Attachment", "attach", "attached", "question"]

_lock = threading.RLock()
_attachments: "list[Attachment]" = []


class Attachment(Live):
    """What records LlamaIndex's questions, of the whole process or of one engine, until `detach()`.

    Made by `attach`. Its handlers take microseconds, never raise, never block, and change nothing of the application's
    but the generator of a streamed answer (see `attach`); matching and evaluation happen on a background thread.
    Leaving its `with` block detaches it, and closes it unless its hooks were given: others may use them.

    Args:
        hooks: The hooks to feed.
        engine: The engine to record, held weakly; None records all.
        tap_streams: Whether streamed answers are tapped.
    """

    def __init__(self, hooks: Hooks, engine: Any = None, *, tap_streams: bool = True) -> None:
        self.hooks = hooks
        # Without a callback: the engine may go in the middle of anything, where taking a lock may block for ever.
        self._engine: weakref.ref[Any] | None = None if engine is None else weakref.ref(engine)
        self._taps = tap_streams
        self.collector = hooks.collector(_captured_by(), _id_text)
        self._owns_hooks = False
        self._is_attached = True
        listen(self.collector, self._wants, taps=tap_streams)

    @property
    def is_attached(self) -> bool:
        """Whether it still records new questions; not once its engine is gone or its hooks are closed."""
        return self._is_attached and not self.hooks.is_closed and (self._engine is None or self._engine() is not None)

    def detach(self) -> Hooks:
        """Takes it off; the last one leaves LlamaIndex's lists of handlers exactly as they were without it.

        What runs meanwhile is recorded to its end while something else is attached. Otherwise nobody would tell of its
        end any more, so it is recorded as it stands (`evicted`); streams that are being read end by themselves. A
        second call does nothing.

        Returns:
            The hooks, to be flushed or closed, or attached again.
        """
        with _lock:
            if self._is_attached:
                self._is_attached = False
                _attachments[:] = [one for one in _attachments if one is not self]
                stop_listening(self._wants)
                is_last = not any(one.is_attached for one in _attachments)
                _let_go_of_lapsed(at_once=is_last)
        return self.hooks

    def _wants(self, instance: Any) -> bool:
        # Also where the hooks are closed: they count what comes then.
        return self._engine is None or self._engine() is instance

    def is_for(self, engine: Any) -> bool:
        """Whether it records this engine's questions alone; None asks whether it records all."""
        return self._engine is None if engine is None else self._engine is not None and self._engine() is engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.detach()
        if self._owns_hooks:
            self.close()


def attach(hooks: Hooks | None = None, engine: Any = None, *, tap_streams: bool = True, **options: Any) -> Attachment:
    """Records the questions that LlamaIndex answers from now on, in all threads and event loops.

    A question is what is put to a query engine, a chat engine, an agent or workflow, or, where none of these is around
    it, to a retriever or a response synthesizer. A model that is called alone is none.

    >>> from rag_eval_hooks_llamaindex import attach
    >>> attachment = attach(keep=10)
    >>> attach() is attachment
    True
    >>> hooks = attachment.detach()

    LlamaIndex ends a query before its streamed answer is read. The response's generator is therefore replaced by one
    that yields the same and notes what was read, when, and how it ended. Without it (`tap_streams=False`) the model
    call is found where the answer is read in the same context as it was asked for, or where the instrument tag
    `rag_eval:question` has the same value in both places; that a reader left is then seen only by what the model call
    tells.

    Args:
        hooks: What to feed, to be shared with other adapters; by default new ones are made from the options.
        engine: Records only what is put to this query engine, chat engine, agent, workflow, retriever or synthesizer,
            which is held weakly: when it is gone, the attachment lapses.
        tap_streams: Whether streamed answers are tapped.
        **options: Options of new hooks; see `Hooks`.

    Returns:
        The attachment, to read results from and to be detached. What is attached already, if it is the same.

    Raises:
        ConfigError: If an argument is out of range, if `hooks` is given together with options, or if other hooks are
            attached already to the same.
    """
    if hooks is not None and not isinstance(hooks, Hooks):
        hint = ""
        if isinstance(hooks, ATTACHABLE):
            hint = "; name the engine, as in attach(engine=...)"
        elif isinstance(getattr(hooks, "hooks", None), Hooks):
            hint = "; give its .hooks to share them"
        raise ConfigError(f"attach: expected Hooks, got {type(hooks).__name__}{hint}")
    if hooks is not None and options:
        raise ConfigError("give either hooks or the options to make them from, not both")
    if hooks is not None and hooks.is_closed:
        raise ConfigError("these hooks are closed; make new ones, or give their options to attach()")
    if engine is not None and not isinstance(engine, ATTACHABLE):
        hint = "; give what its as_query_engine() returned" if hasattr(engine, "as_query_engine") else ""
        raise ConfigError(
            "attach(engine=...): expected a query engine, chat engine, agent, workflow, retriever or response "
            f"synthesizer, got {type(engine).__name__}{hint}"
        )
    with _lock:
        _let_go_of_lapsed(at_once=False)
        current = next((one for one in _attachments if one.is_attached and one.is_for(engine)), None)
        if current is None:
            made = hooks_from(options) if hooks is None else hooks
            attachment = Attachment(made, engine, tap_streams=tap_streams)
            attachment._owns_hooks = hooks is None
            _attachments.append(attachment)
            return attachment
        if options or (hooks is not None and hooks is not current.hooks):
            raise ConfigError(
                "other hooks are attached to the same already; call detach() on what attach() returned then"
                + (", or attached().detach()" if engine is None else "")
            )
        if not tap_streams and current._taps:
            raise ConfigError("it is attached with tap_streams=True already; call the attachment's detach() first")
        take_seats()
        return current


def _let_go_of_lapsed(*, at_once: bool) -> None:
    """Takes off what records no new questions any more, and has none under way, unless it is to go at once."""
    for one in [one for one in _attachments if not one.is_attached]:
        if at_once or not one.collector.open_records:
            one.detach()


def attached() -> Attachment | None:
    """Returns what is attached to the whole process, or None."""
    return next((one for one in list(_attachments) if one.is_attached and one.is_for(None)), None)


class question(ExplicitQuestion):  # noqa: N801  used as a `with` statement, like `suppress_capture`
    """Makes everything that runs in a `with` block one question: hand-written code without an engine around it.

    Tasks and `asyncio.to_thread` belong to it, too; a plain thread does if it runs in a copy of the context
    (`contextvars.copy_context().run`). A streamed answer is to be read inside the block. Inside `suppress_capture` a
    block is no question.

    >>> from llama_index.core.llms import MockLLM
    >>> from rag_eval_hooks_llamaindex import attach, question
    >>> with attach() as attachment, question("Who keeps bees?") as asked:
    ...     asked.nodes(["Ada keeps bees."])
    ...     asked.answer = MockLLM().complete("Who keeps bees? Ada keeps bees.").text
    >>> attachment.last.run.question, len(attachment.last.run.context)
    ('Who keeps bees?', 1)

    What the block yields says what cannot be seen: `nodes(found)`, `generated(text, prompt)`, and `answer`, the answer
    itself where it is not what the last model call said.

    Args:
        text: The question.
        attachment: What records it; by default what is attached to the whole process.
        name: The name of the record's root.
        tags: Tags of the record.
        metadata: Metadata of the record, to slice reports by.

    Raises:
        ConfigError: If `attachment` is none, or none is given and nothing is attached to the whole process.
    """

    __slots__ = ()

    def __init__(
        self,
        text: Any,
        attachment: Attachment | None = None,
        *,
        name: str = "question",
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        taken = attached() if attachment is None else attachment
        if taken is None:
            raise ConfigError("question(...) needs an attachment: give one as the second argument, or call attach()")
        if not isinstance(taken, Attachment):
            raise ConfigError(f"question(...): expected what attach() returns, got {taken!r}")
        labels = (tags,) if isinstance(tags, str) else tuple(tags)
        super().__init__(
            taken.collector, text, name=name, tags=labels, metadata=metadata, around=active_span(), snapshot=snapshot
        )

    def nodes(self, found: Any, query: str | None = None, name: str = "search") -> None:
        """Notes a search that ran without a LlamaIndex retriever.

        Args:
            found: What was found, best first: nodes with or without a score, texts, pairs of either with a score, or
                mappings with a text (`text`, `content` or `page_content`).
            query: What was searched for; by default, the question.
            name: The search's name in the record.
        """
        with guarded("question.nodes"):
            self.retrieved(items_from_found(found), query, name)

    def generated(self, text: Any, prompt: Any = None, name: str = "model") -> None:
        """Notes a model call that ran without a LlamaIndex model.

        Args:
            text: What the model said: a text, a message, or a response.
            prompt: All it was given, as a text or messages; without it, the last search counts as the context.
            name: The model's name in the record.
        """
        with guarded("question.generated"):
            self.replied(reply_from(text), prompt_from(prompt), name)


def _id_text(run_id: str | int) -> str:
    # LlamaIndex's ids are texts, those of hand-written questions and their steps numbers. The method's name before a
    # span's random part says nothing that the record does not, and makes an id too long to be shown or typed.
    if not isinstance(run_id, str):
        return str(UUID(int=run_id))
    span, slash, rest = run_id.partition("/")
    return span[-36:] + slash + rest


@cache
def _captured_by() -> str:
    try:
        return f"llamaindex {version('llama-index-core')}"
    except PackageNotFoundError:
        return "llamaindex"


def _after_fork() -> None:
    """A child process starts with nothing under way, and with a lock that nobody holds."""
    global _lock
    _lock = threading.RLock()
    forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
