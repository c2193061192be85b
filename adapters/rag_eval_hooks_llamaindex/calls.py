"""Model calls: which of LlamaIndex's events are one, where a model hands a call on from method to method."""

from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from itertools import count
from typing import Any, NamedTuple
from weakref import ref

from rag_eval_hooks.capture import Reply, guarded
from rag_eval_hooks_llamaindex.extract import (
    prompt_from_messages,
    prompt_from_text,
    reply_from_chat,
    reply_from_completion,
)
from rag_eval_hooks_llamaindex.listeners import Listeners, bounded

__all__ = ["ModelCalls"]


class _Method(NamedTuple):
    """A model's method that runs."""

    model: int
    """Identity of the model object."""
    name: str
    """The model's class."""
    method: str


class _Call(NamedTuple):
    """A model call under way."""

    run_id: str
    method: _Method | None
    """None where the call runs in no method of a model that shows itself."""
    prompt: tuple[Any, ...]
    """Identities of the messages, or the text."""


class ModelCalls:
    """The model calls under way, by the span that their events name.

    A call is what events say, not what spans say: a model's method may be there only to call another. Where a model
    hands a call on (`acomplete` to `complete`, `chat` to `complete`), events come twice, and the outermost counts.

    Args:
        listeners: Who is told.
    """

    def __init__(self, listeners: Listeners) -> None:
        self._listeners = listeners
        self._methods: dict[str, _Method] = {}
        self._calls: dict[str, _Call] = {}
        self._inside: dict[str, str] = {}
        """By span inside a call: the call's span."""
        self._usage: dict[str, Mapping[str, Any]] = {}
        """By call: what those inside took, for one that does not tell it itself, as `StructuredLLM` does not."""
        self._streams: dict[str, ref[Any]] = {}
        """Of calls that stream: the generator, to be told when it is gone."""
        self._numbers = count()

    @property
    def size(self) -> int:
        """How many spans and calls are remembered."""
        return len(self._methods) + len(self._calls) + len(self._inside) + len(self._usage)

    def clear(self) -> None:
        """Forgets all of them: nobody will be told of their end."""
        for table in (self._methods, self._calls, self._inside, self._usage, self._streams):
            table.clear()

    def close(self) -> None:
        """Ends the calls of questions that go on, but whose calls nobody will be told of any more."""
        for call in list(self._calls.values()):
            for collector in self._listeners.knowing(call.run_id):
                if collector.is_open(call.run_id):
                    collector.end(call.run_id, Reply(""))  # what it has said so far is not all
        self.clear()

    def entered(self, span_id: str, parent_id: str | None, instance: Any, *, is_model: bool) -> None:
        """Notes the start of a span in a question."""
        around = parent_id if parent_id in self._calls else self._inside.get(parent_id or "")
        if around is not None:
            self._inside[span_id] = around
            bounded(self._inside)
        elif is_model:
            method = span_id[:-37].rpartition(".")[2]
            self._methods[span_id] = _Method(id(instance), type(instance).__name__, method)
            bounded(self._methods)

    def left(self, span_id: str, result: Any = None, error: BaseException | None = None) -> None:
        """Notes the end of a span; a call in it that streams goes on."""
        self._inside.pop(span_id, None)
        self._methods.pop(span_id, None)
        if span_id in self._calls:
            if error is not None:
                self._fail(span_id, error)
            elif isinstance(result, (Generator, AsyncGenerator)):
                self._watch(span_id, result)
            else:
                self._end(span_id, None)

    def _watch(self, span_id: str, stream: Any) -> None:
        """Lets a call end when its stream is gone: of one that nobody began to read, no event tells."""

        def gone(_: ref[Any]) -> None:
            with guarded("llamaindex.stream_gone"):
                self._fail(span_id, GeneratorExit())

        self._streams[span_id] = ref(stream, gone)
        bounded(self._streams)

    # Events ------------------------------------------------------------------------------------------------------

    def chat_started(self, event: Any) -> None:
        """Notes that a chat model is called; the model's settings are not looked at, they may hold keys."""
        messages = event.messages
        key = tuple([id(message) for message in messages]) if isinstance(messages, (list, tuple)) else ()
        self._start(event.span_id, key, prompt_from_messages, messages)

    def completion_started(self, event: Any) -> None:
        """Notes that a text model is called."""
        self._start(event.span_id, (event.prompt,), prompt_from_text, event.prompt)

    def streamed(self, event: Any) -> None:
        """Notes a token. The event also repeats the prompt and the text so far; both are let go."""
        call = self._calls.get(event.span_id)
        if call is not None:
            for listener in self._listeners.all:
                listener.collector.token(call.run_id, event.response.delta)

    def chat_ended(self, event: Any) -> None:
        """Notes what a chat model returned."""
        if event.span_id in self._calls:
            reply: Reply | None = None
            try:
                reply = reply_from_chat(event.response)
            finally:  # what cannot be read ends all the same
                self._end(event.span_id, reply)
        else:
            self._keep_usage(event.span_id, reply_from_chat, event.response)

    def completion_ended(self, event: Any) -> None:
        """Notes what a text model returned."""
        if event.span_id in self._calls:
            reply: Reply | None = None
            try:
                reply = reply_from_completion(event.response)
            finally:
                self._end(event.span_id, reply)
        else:
            self._keep_usage(event.span_id, reply_from_completion, event.response)

    def failed(self, event: Any) -> None:
        """Notes that a stream broke off, or that its reader left."""
        if event.span_id in self._calls:
            self._fail(event.span_id, event.exception)

    # -------------------------------------------------------------------------------------------------------------

    def _start(self, span_id: str | None, key: tuple[Any, ...], read: Any, value: Any) -> None:
        if span_id is None or span_id in self._inside or span_id in self._calls:
            return
        collectors = self._listeners.knowing(span_id)
        if not collectors:
            return
        method = self._methods.get(span_id)
        around = self._handed_on_by(method, key) if method is not None and self._calls else None
        if around is not None:
            self._inside[span_id] = around
            return
        prompt = ()
        try:
            prompt = read(value)
        finally:  # what cannot be read starts all the same
            run_id = f"{span_id}/call-{next(self._numbers)}"
            self._calls[span_id] = _Call(run_id, method, key)
            bounded(self._calls)
            name = None if method is None else method.name
            for collector in collectors:
                collector.start(run_id, span_id, "model", name, prompt)

    def _handed_on_by(self, method: _Method, prompt: tuple[Any, ...]) -> str | None:
        """Returns the span of the call out of whose stream another comes, outside of its span, if there is one.

        As `stream_chat` comes out of that of `astream_chat`: it is the same model, the same prompt, and the method that
        the other one is the asynchronous form of.
        """
        around = (method.model, f"a{method.method}")
        return next(
            (
                span_id
                for span_id, call in self._calls.copy().items()  # other threads go on meanwhile
                if call.prompt == prompt
                and call.method is not None
                and (call.method.model, call.method.method) == around
            ),
            None,
        )

    def _keep_usage(self, span_id: str | None, read: Callable[[Any], Reply | None], response: Any) -> None:
        """Keeps the token counts of a call inside another."""
        around = self._inside.get(span_id or "")
        reply = None if around is None else read(response)
        if around is not None and reply is not None and reply.usage:
            before = self._usage.get(around, {})
            self._usage[around] = {key: count + before.get(key, 0) for key, count in reply.usage.items()}
            bounded(self._usage)

    def _end(self, span_id: str, reply: Reply | None) -> None:
        self._streams.pop(span_id, None)
        call = self._calls.pop(span_id, None)
        usage = self._usage.pop(span_id, None) if self._usage else None
        if call is not None:
            if reply is not None and reply.usage is None and usage:
                reply = reply._replace(usage=usage)
            for collector in self._listeners.knowing(call.run_id):
                collector.end(call.run_id, reply)

    def _fail(self, span_id: str, error: BaseException) -> None:
        self._streams.pop(span_id, None)
        call = self._calls.pop(span_id, None)
        self._usage.pop(span_id, None)
        if call is not None:
            for collector in self._listeners.knowing(call.run_id):
                collector.fail(call.run_id, error)
