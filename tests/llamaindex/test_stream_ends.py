"""How streamed answers end: left, dropped, forgotten, broken or cancelled; each is one record, and nothing is kept."""

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.base.response.schema import StreamingResponse
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.query_engine import CustomQueryEngine
from llamaindex_expected import streamed, unread
from llamaindex_fakes import ANSWER, LONG, QUESTION, FakeLLM, engine
from llamaindex_versions import MODEL_IS_CALLED_LATE, STREAMS_ARE_READ_FIRST, needs_streams
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

WHOLE_CALL = {"llm_complete": True} if STREAMS_ARE_READ_FIRST else {}
"""What a record says of the model call of a stream that was left: whether it had come to its end."""
ONE = LONG if STREAMS_ARE_READ_FIRST else "one"
"""The first piece of the answer."""


def streaming(**options: Any) -> Any:
    return engine(LONG, streaming=True, **options)


def left(**changes: Any) -> dict[str, Any]:
    """The record of an answer that was left after its first piece."""
    return streamed(status="abandoned", answer=ONE, **WHOLE_CALL, **changes)


# Left by the reader --------------------------------------------------------------------------------------------------


def _close(response: Any) -> None:
    next(response.response_gen)
    response.response_gen.close()


def _break(response: Any) -> None:
    for _ in response.response_gen:
        break


def _drop(response: Any) -> None:
    next(response.response_gen)


def _close_in_a_thread(response: Any) -> None:
    next(response.response_gen)
    thread = threading.Thread(target=response.response_gen.close)
    thread.start()
    thread.join(20)


@pytest.mark.parametrize("leave", [_close, _break, _drop, _close_in_a_thread])
def test_a_reader_who_leaves_after_one_token(attachment: Attachment, leave: Callable[[Any], None]) -> None:
    leave(streaming().query(QUESTION))
    assert whole(only_run(attachment)) == left()


async def _aclose(response: Any) -> None:
    await anext(response.response_gen)
    await response.response_gen.aclose()


async def _abreak(response: Any) -> None:
    async for _ in response.async_response_gen():
        break


async def _adrop(response: Any) -> None:
    await anext(response.response_gen)


@pytest.mark.parametrize("leave", [_aclose, _abreak, _adrop])
def test_an_async_reader_who_leaves_after_one_token(attachment: Attachment, leave: Callable[[Any], Any]) -> None:
    async def ask() -> None:
        await leave(await streaming().aquery(QUESTION))
        for _ in range(5):  # a generator that was dropped is closed by its loop, which goes on
            await asyncio.sleep(0)

    asyncio.run(ask())
    assert whole(only_run(attachment)) == left()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_answer_that_nobody_reads(attachment: Attachment, way: str) -> None:
    """The model is not called since 0.14.25; before that it is, and what it says is lost."""
    if way == "sync":
        streaming().query(QUESTION)
    else:
        asyncio.run(streaming().aquery(QUESTION))
    called = streamed(answer=None, llm_text=LONG if STREAMS_ARE_READ_FIRST else None, **WHOLE_CALL)
    record = unread() if MODEL_IS_CALLED_LATE else called
    assert whole(only_run(attachment)) == record | {"status": "abandoned"}


def test_nothing_of_ours_keeps_a_response_alive(attachment: Attachment) -> None:
    """An abandoned stream shows only when it is gone, so that it must go when its reader lets go of it."""
    gc.disable()
    try:
        response = streaming().query(QUESTION)
        next(response.response_gen)
        gone = weakref.ref(response)
        del response
        assert gone() is None
        assert only_run(attachment).status == "abandoned"
    finally:
        gc.enable()


# Kept, and forgotten -------------------------------------------------------------------------------------------------

LATER = 1_000.0
"""Seconds, more than the 300 after which a question without any event is recorded as it stands."""


def test_an_answer_that_is_kept_unread_is_recorded_by_its_age(attachment: Attachment) -> None:
    response = streaming().query(QUESTION)
    attachment.collector.sweep(time.monotonic())
    assert attachment.records == ()
    attachment.collector.sweep(time.monotonic() + LATER)
    once = whole(only_run(attachment))
    # Without the end of the stream nothing tells that what the query has read itself did not reach anybody.
    called = streamed(answer=LONG if STREAMS_ARE_READ_FIRST else None, **WHOLE_CALL)
    record = unread() if MODEL_IS_CALLED_LATE else called
    assert once == record | {"status": "timeout", "flags": ("open_children",)}
    assert str(response) == LONG  # who reads it after all gets it, and there is no second record
    assert whole(only_run(attachment)) == once


@needs_streams
def test_an_answer_half_read_is_recorded_by_its_age(attachment: Attachment) -> None:
    stream = streaming().query(QUESTION).response_gen
    next(stream), next(stream)
    attachment.collector.sweep(time.monotonic() + LATER)  # sees tokens: the stream is alive
    assert attachment.records == ()
    attachment.collector.sweep(time.monotonic() + 2 * LATER)
    once = whole(only_run(attachment))
    assert once == streamed(status="timeout", answer="one two", flags=("open_children",))
    stream.close()
    assert whole(only_run(attachment)) == once


# Broken --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("after", [0, 3])
def test_a_stream_that_breaks_off(attachment: Attachment, way: str, after: int) -> None:
    """The reader gets the model's own exception, and the record what he had got by then."""
    error = ConnectionError("gone")
    asked = streaming(llm=FakeLLM(say=lambda _: LONG, error=error, fail_after=after))
    got: list[str] = []

    async def ask() -> None:
        async for piece in (await asked.aquery(QUESTION)).response_gen:
            got.append(piece)  # noqa: PERF401  what has come before the error counts

    def read() -> None:
        got.extend(asked.query(QUESTION).response_gen)

    with pytest.raises(ConnectionError) as raised:
        read() if way == "sync" else asyncio.run(ask())
    assert raised.value is error
    assert "".join(got) == ("" if STREAMS_ARE_READ_FIRST else " ".join(LONG.split()[:after]))
    said = " ".join(LONG.split()[:after]) or None
    assert whole(only_run(attachment)) == streamed(
        status="error",
        error="ConnectionError",
        answer="".join(got) or None,
        llm_text=said if STREAMS_ARE_READ_FIRST else None,
    )


def test_an_exception_that_the_reader_throws_in(attachment: Attachment) -> None:
    stream = streaming().query(QUESTION).response_gen
    next(stream)
    with pytest.raises(KeyError, match="mine"):
        stream.throw(KeyError("mine"))
    gc.collect()  # the exception has kept the frames, and they the model's stream
    assert whole(only_run(attachment)) == streamed(status="error", error="KeyError", answer=ONE, **WHOLE_CALL)


# Cancelled, and loops that are closed --------------------------------------------------------------------------------


class Waiting(FakeLLM):
    """Says one word, and then waits for ever."""

    entered: Any = None

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> Any:
        async def words() -> AsyncGenerator[ChatResponse, None]:
            yield ChatResponse(message=ChatMessage(role="assistant", content="one"), delta="one")
            self.entered.set()
            await asyncio.Event().wait()

        return words()


@pytest.mark.parametrize("how", ["cancel", "timeout", "stop"])
def test_a_task_that_is_cancelled_while_it_waits_for_a_token(attachment: Attachment, how: str) -> None:
    async def ask(entered: asyncio.Event) -> None:
        response = await streaming(llm=Waiting(entered=entered)).aquery(QUESTION)
        async for _ in response.response_gen:
            pass

    async def cancel() -> None:
        entered = asyncio.Event()
        task = asyncio.create_task(ask(entered))
        await entered.wait()
        if how == "cancel":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        elif how == "timeout":
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(task, 0)
        # Otherwise the loop ends with the task under way, and cancels it.

    asyncio.run(cancel())
    read_first = {"answer": None, "llm_text": "one"} if STREAMS_ARE_READ_FIRST else {"answer": "one"}
    assert whole(only_run(attachment)) == streamed(status="cancelled", error="CancelledError", **read_first)


@pytest.mark.parametrize("asked", ["in run", "in a closed loop"])
def test_a_loop_that_ends_before_the_stream(attachment: Attachment, asked: str) -> None:
    """`asyncio.run` closes the stream; a loop that is closed without more ado leaves it as it is, for ever."""

    async def ask() -> Any:
        response = await streaming().aquery(QUESTION)
        await anext(response.response_gen)
        return response

    if asked == "in run":
        response = asyncio.run(ask())
        assert whole(only_run(attachment)) == left()
    else:
        loop = asyncio.new_event_loop()
        response = loop.run_until_complete(ask())
        loop.close()
        assert attachment.records == ()
    del response
    gc.collect()
    assert whole(only_run(attachment)) == left()


def test_a_loop_that_closes_a_stream_has_nothing_to_complain_about(attachment: Attachment) -> None:
    """It closes our generator and LlamaIndex's inside of it at the same time."""
    complaints: list[Any] = []
    kept: list[Any] = []

    async def ask() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        for _ in range(20):
            response = await streaming().aquery(QUESTION)
            await anext(response.response_gen)
            kept.append(response)

    asyncio.run(ask())
    assert complaints == []
    assert [record.run.status for record in attachment.records] == ["abandoned"] * 20


def test_a_response_that_lets_nobody_replace_its_generator(attachment: Attachment, caught: list[Exception]) -> None:
    """The reader gets his answer; the record has what the model's call tells, and no word of a reader who left."""

    class Fixed(StreamingResponse):
        def __init__(self, stream: Any) -> None:
            self.__dict__.update(_stream=stream, source_nodes=[], metadata=None, response_txt=None)

        @property  # type: ignore[override]
        def response_gen(self) -> Any:
            return self._stream

    class Fixing(CustomQueryEngine):
        def custom_query(self, query_str: str) -> Any:
            return Fixed(engine(streaming=True).query(query_str).response_gen)

    response: Any = Fixing().query(QUESTION)
    assert "".join(response.response_gen) == ANSWER
    run = only_run(attachment)
    assert (run.status, run.answer, len(run.context)) == ("ok", ANSWER, 3)
    assert [type(error) for error in caught] == [AttributeError]
    caught.clear()
