"""The tap in a streamed answer: it passes on what the reader asks for, and tells the question's record.

LlamaIndex ends a query before its answer is read, and from core 0.14.25 on the model is only called when the reader
asks for the first token, outside of any span. So the generator in the response is wrapped by one that yields the same.
While the wrapped one works, what it starts belongs to the question, in whichever thread or task it is read. Nothing
else holds the wrapper, so that a reader who drops it closes it.
"""

from collections.abc import AsyncGenerator, Callable, Generator, Hashable, Sequence
from typing import Any

from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.chat_engine.types import StreamingAgentChatResponse
from llama_index.core.workflow import StopEvent

from rag_eval_hooks.capture import Collector, Delivered, caught
from rag_eval_hooks.capture.scope import Belonging

__all__ = ["StreamedAnswer", "is_read", "streamed_in", "tap"]

_being_read: set[Hashable] = set()
"""The questions whose streamed answers are not over."""


class StreamedAnswer:
    """What one reader has got of a streamed answer; ends the question's root when he is done with it.

    What starts in its `with` block belongs to the question.

    Args:
        collectors: What takes the events.
        run_id: The run whose end the stream's end is.
        text_in: Returns the text of what is yielded.
    """

    __slots__ = ("_collectors", "_is_over", "_is_text", "_run_id", "_scopes", "_text_in", "_texts")

    def __init__(self, collectors: Sequence[Collector], run_id: str, text_in: Callable[[Any], Any]) -> None:
        self._collectors = collectors
        self._run_id = run_id
        self._text_in = text_in
        self._texts: list[str] = []
        self._is_text = True
        self._is_over = False
        # `around` is None: what has no span around it is what the wrapped generator starts.
        self._scopes = [Belonging(one, run_id, None, None) for one in collectors]
        _being_read.add(run_id)

    def __enter__(self) -> None:
        for scope in self._scopes:
            scope.enter()

    def __exit__(self, *_: object) -> None:
        for scope in reversed(self._scopes):
            scope.pause()

    def got(self, item: Any) -> None:
        """Notes what is about to be yielded."""
        try:
            text = self._text_in(item)
            if isinstance(text, str):
                self._texts.append(text)
            elif text is not None:
                self._is_text = False
        except BaseException as error:  # noqa: BLE001  `caught` sorts it out
            self._is_text = False
            caught("llamaindex.stream", error)

    def over(self, error: BaseException | None = None) -> None:
        """Notes that the stream was read to its end, or how it ended before."""
        if self._is_over:
            return
        self._is_over = True
        _being_read.discard(self._run_id)
        try:
            names = None if error is None else tuple(kind.__name__ for kind in type(error).__mro__)
            said = Delivered("".join(self._texts)) if self._is_text else None
            for scope, collector in zip(self._scopes, self._collectors, strict=True):
                scope.leave()
                collector.end(self._run_id, said, error=names)
        except BaseException as failure:  # noqa: BLE001
            caught("llamaindex.stream", failure)

    def let_go(self) -> None:
        """Ends it without a word: it taps nothing."""
        self._is_over = True
        _being_read.discard(self._run_id)

    def __del__(self) -> None:
        # The only sign where nobody read a single token, or the event loop closed before it could close the generator.
        if not self._is_over:
            self.over(GeneratorExit())


def is_read(run_id: Hashable) -> bool:
    """Whether a question's answer streams through a tap that is not over."""
    return run_id in _being_read


def tap(result: Any, collectors: Sequence[Collector], run_id: str) -> bool:
    """Puts a tap into a result that streams its answer; returns whether it does.

    Args:
        result: What a query, chat or workflow returned.
        collectors: What takes the events.
        run_id: The run whose end the stream's end is.
    """
    found = streamed_in(result)
    if found is None:
        return False
    holder, name = found
    stream = getattr(holder, name)
    text_in = _delta if isinstance(holder, StreamingAgentChatResponse) else _same
    is_async = isinstance(stream, AsyncGenerator)
    if is_async and isinstance(stream, Generator):  # the proxy that OpenInference puts around a stream passes for both
        is_async = name == "achat_stream" or isinstance(holder, AsyncStreamingResponse)
    wrap: Callable[[Any, StreamedAnswer], Any] = _aread if is_async else _read
    answer = StreamedAnswer(collectors, run_id, text_in)
    try:
        setattr(holder, name, wrap(stream, answer))
    except BaseException:
        answer.let_go()
        raise
    return True


def streamed_in(result: Any) -> tuple[Any, str] | None:
    """Returns the object that holds a streamed answer which its reader asks for, and the attribute; None if none does.

    A chat's stream is read by a thread or task of its own as a rule; then it is none. Nor is one that was read inside,
    as by an engine that looks at an answer before it returns it.
    """
    if isinstance(result, StopEvent):
        result = getattr(result, "result", None)
    names: tuple[str, ...] = ()
    if isinstance(result, (StreamingResponse, AsyncStreamingResponse)) and result.response_txt is None:
        names = ("response_gen",)
    elif isinstance(result, StreamingAgentChatResponse) and not result.is_writing_to_memory:
        names = ("chat_stream", "achat_stream")
    for name in names:
        if isinstance(getattr(result, name, None), (Generator, AsyncGenerator)):
            return result, name
    return None


def _same(item: Any) -> Any:
    return item


def _delta(item: Any) -> Any:
    return item.delta


def _read(stream: Generator[Any, Any, Any], answer: StreamedAnswer) -> Generator[Any, Any, Any]:
    """Yields what a generator yields, and hands on to it what is sent or thrown, as `close` does."""
    sent: Any = None
    thrown: list[BaseException] = []  # a variable would keep the exception, and it the frame, beyond the end
    is_left = False
    try:
        while True:
            with answer:
                item = stream.throw(thrown.pop()) if thrown else stream.send(sent)
            answer.got(item)
            try:
                sent = yield item
            except BaseException as error:  # noqa: BLE001  it is the wrapped generator's to handle
                thrown.append(error)
                is_left = isinstance(error, GeneratorExit)
    except StopIteration as end:
        answer.over(GeneratorExit() if is_left else None)
        return end.value
    except BaseException as error:
        answer.over(error)
        raise


async def _aread(stream: AsyncGenerator[Any, Any], answer: StreamedAnswer) -> AsyncGenerator[Any, Any]:
    """Does the same of an asynchronous generator."""
    sent: Any = None
    thrown: list[BaseException] = []
    try:
        while True:
            with answer:
                item = await (stream.athrow(thrown.pop()) if thrown else stream.asend(sent))
            answer.got(item)
            try:
                sent = yield item
            except GeneratorExit:
                # Not thrown: of one that a closing event loop has closed before, `athrow` would return.
                with answer:
                    await stream.aclose()
                raise
            except BaseException as error:  # noqa: BLE001  it is the wrapped generator's to handle
                thrown.append(error)
    except StopAsyncIteration:
        answer.over()
    except BaseException as error:
        answer.over(error)
        raise
