"""The two handlers that sit on LlamaIndex's root dispatcher, once, however much is attached.

LlamaIndex keeps everything that a handler raises to itself, without a word: what fails here is counted here.
"""

from collections.abc import Callable
from inspect import BoundArguments
from typing import Any

from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]  # a public name
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.span import SimpleSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler

from rag_eval_hooks.capture import FOR_THE_HOST, Collector, caught
from rag_eval_hooks_llamaindex.calls import ModelCalls
from rag_eval_hooks_llamaindex.compat import interrupt_soon
from rag_eval_hooks_llamaindex.listeners import Listeners, Wants
from rag_eval_hooks_llamaindex.roles import MAX_KNOWN
from rag_eval_hooks_llamaindex.spans import Spans
from rag_eval_hooks_llamaindex.stream import is_read

__all__ = ["EventNotes", "SpanNotes", "forget", "listen", "remembered", "stop_listening", "take_seats"]

_listeners = Listeners()
_calls = ModelCalls(_listeners)
_spans = Spans(_listeners, _calls)


class SpanNotes(BaseSpanHandler[SimpleSpan]):
    """Passes on the start and end of spans; makes no span objects, which LlamaIndex would keep."""

    @classmethod
    def class_name(cls) -> str:
        """Returns the name by which LlamaIndex knows the class."""
        return "RagEvalSpanNotes"

    def span_enter(
        self,
        id_: str,
        bound_args: BoundArguments,
        instance: Any | None = None,
        parent_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Notes the start of a span."""
        try:
            _spans.entered(id_, bound_args, instance, parent_id, tags)
        except BaseException as error:
            _kept("llamaindex.span_enter", error)

    def span_exit(
        self, id_: str, bound_args: BoundArguments, instance: Any | None = None, result: Any | None = None, **_: Any
    ) -> None:
        """Notes the end of a span."""
        try:
            _spans.left(id_, instance, result)
        except BaseException as error:
            _kept("llamaindex.span_exit", error)

    def span_drop(
        self,
        id_: str,
        bound_args: BoundArguments,
        instance: Any | None = None,
        err: BaseException | None = None,
        **_: Any,
    ) -> None:
        """Notes that a span failed or was cancelled."""
        try:
            _spans.dropped(id_, instance, err)
        except BaseException as error:
            _kept("llamaindex.span_drop", error)

    # The base class wants these; the three above never call them.

    def new_span(self, *_: Any, **__: Any) -> None:
        """Makes none."""

    def prepare_to_exit_span(self, *_: Any, **__: Any) -> None:
        """Has none."""

    def prepare_to_drop_span(self, *_: Any, **__: Any) -> None:
        """Has none."""


class EventNotes(BaseEventHandler):
    """Passes on the events that spans do not tell: model calls, tokens, reranking."""

    @classmethod
    def class_name(cls) -> str:
        """Returns the name by which LlamaIndex knows the class."""
        return "RagEvalEventNotes"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        """Notes an event."""
        kind = type(event)
        try:
            note = _by_type[kind]
        except KeyError:
            if len(_by_type) >= MAX_KNOWN:  # classes made anew for each question
                _by_type.clear()
            note = _by_type[kind] = _NOTES.get(kind.__name__)
        if note is not None:
            try:
                note(event)
            except BaseException as error:
                _kept(f"llamaindex.{kind.__name__}", error)


_NOTES: dict[str, Callable[[Any], None]] = {
    "LLMChatStartEvent": _calls.chat_started,
    "LLMChatInProgressEvent": _calls.streamed,
    "LLMChatEndEvent": _calls.chat_ended,
    "LLMCompletionStartEvent": _calls.completion_started,
    "LLMCompletionInProgressEvent": _calls.streamed,
    "LLMCompletionEndEvent": _calls.completion_ended,
    "ExceptionEvent": _calls.failed,
    "ReRankStartEvent": _spans.rerank_started,
    "ReRankEndEvent": _spans.rerank_ended,
    "SpanCancelledEvent": _spans.cancelled,
}
"""By the event's class; new kinds keep coming, and are left alone."""
_by_type: dict[type, Callable[[Any], None] | None] = {}

_span_notes = SpanNotes()
_event_notes = EventNotes()


def listen(collector: Collector, wants: Wants, *, taps: bool) -> None:
    """Lets a collector have the questions it wants; puts the handlers on the root dispatcher if they are not there."""
    _listeners.add(collector, wants, taps=taps)
    take_seats()


def take_seats() -> None:
    """Puts the handlers on the root dispatcher if they are not there: somebody may have emptied its lists."""
    root = get_dispatcher()
    if not any(one is _event_notes for one in root.event_handlers):
        root.add_event_handler(_event_notes)
    if not any(one is _span_notes for one in root.span_handlers):
        root.add_span_handler(_span_notes)


def stop_listening(wants: Wants) -> None:
    """Takes off what `listen` was called with, and with the last one the handlers.

    Then nobody tells any more of the end of what runs, so it is recorded as it stands; but streams that are being read
    tell of it themselves.
    """
    if not _listeners.remove(wants):
        return
    root = get_dispatcher()
    # By identity: two pydantic objects without fields are equal. In place: others may hold the lists.
    root.event_handlers[:] = [one for one in root.event_handlers if one is not _event_notes]
    root.span_handlers[:] = [one for one in root.span_handlers if one is not _span_notes]
    for one in _listeners.all:
        one.collector.close_all(keep=is_read)
    _calls.close()
    _listeners.all = ()
    _spans.clear()


def forget() -> None:
    """Forgets what is under way: in a forked process, what its parent does."""
    _spans.clear()
    _calls.clear()


def remembered() -> int:
    """Returns how many spans and model calls the handlers remember: 0 when nothing runs."""
    return _spans.size + _calls.size


def _kept(place: str, error: BaseException) -> None:
    """Counts what went wrong; what is meant for the host is sent again, since LlamaIndex would keep it to itself."""
    try:
        caught(place, error)
    except FOR_THE_HOST:
        if isinstance(error, KeyboardInterrupt):
            interrupt_soon()
        raise
