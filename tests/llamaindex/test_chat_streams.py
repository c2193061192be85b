"""Chat engines that stream: a thread or task writes the answer down, in older versions its reader does.

Either way a question is one record, also where the writer is through before the question's own span is.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine
from llamaindex_engines import chat, memory, written
from llamaindex_expected import streamed
from llamaindex_fakes import LONG, QUESTION, FakeLLM, FakeRetriever, engine
from llamaindex_versions import CHATS_ARE_WRITTEN, STREAMS_ARE_READ_FIRST, needs_writers
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment, attach
from rag_eval_hooks_llamaindex.handler import remembered

BROKEN = {"llm_text": "one two three", "answer": None} if STREAMS_ARE_READ_FIRST else {"answer": "one two three"}
"""What a record says of an answer that broke off after three words: where the query has read the stream itself, nobody
else got them."""


def context() -> BaseChatEngine:
    return chat(LONG)


def condense_plus_context() -> BaseChatEngine:
    llm = FakeLLM(say=lambda _: LONG)
    return CondensePlusContextChatEngine.from_defaults(FakeRetriever(), llm=llm, memory=memory())


def condense_question() -> BaseChatEngine:
    return CondenseQuestionChatEngine.from_defaults(engine(LONG, streaming=True), llm=FakeLLM(), memory=memory())


def simple() -> BaseChatEngine:
    return SimpleChatEngine.from_defaults(llm=FakeLLM(say=lambda _: LONG), memory=memory())


ENGINES: dict[Callable[[], BaseChatEngine], dict[str, Any]] = {
    context: streamed(answer=LONG),
    condense_plus_context: streamed(answer=LONG),
    condense_question: streamed(answer=LONG),
    simple: streamed(answer=LONG, chunks=None, stages=None, context=None),
}
"""With the record of a question to each."""


async def read(response: Any) -> str:
    return "".join([token async for token in response.async_response_gen()])


# Read to the end -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", ENGINES)
def test_a_chat_that_streams(make: Callable[[], BaseChatEngine]) -> None:
    def ask() -> tuple[Any, ...]:
        asked = make()
        response = asked.stream_chat(QUESTION)
        text = "".join(response.response_gen)
        return text, written(response).response, response.source_nodes, asked.chat_history

    without = ask()
    assert without[0] == LONG
    with attach() as attachment:
        assert ask() == without
        run = only_run(attachment)
        assert remembered() == 0
    assert whole(run) == ENGINES[make]
    assert run.time_to_first_token_ms is not None


@pytest.mark.parametrize("make", ENGINES)
def test_a_chat_that_streams_asynchronously(make: Callable[[], BaseChatEngine]) -> None:
    async def ask() -> tuple[Any, ...]:
        asked = make()
        response = await asked.astream_chat(QUESTION)
        text = await read(response)
        return text, response.response, response.source_nodes, asked.chat_history

    without = asyncio.run(ask())
    assert without[0] == LONG
    with attach() as attachment:
        assert asyncio.run(ask()) == without
        assert whole(only_run(attachment)) == ENGINES[make]
        assert remembered() == 0


def test_a_conversation_is_a_record_for_each_turn(attachment: Attachment) -> None:
    asked = context()
    for question in ("First?", "Second?"):
        assert "".join(written(asked.stream_chat(question)).response_gen) == LONG
    assert [whole(run) for run in runs_of(attachment)] == [
        streamed(question="First?", answer=LONG),
        streamed(question="Second?", answer=LONG),
    ]


def test_whether_the_writer_or_the_question_is_first_makes_no_difference(attachment: Attachment) -> None:
    for _ in range(60):
        assert "".join(written(context().stream_chat(QUESTION)).response_gen) == LONG
    assert [whole(run) for run in runs_of(attachment)] == [streamed(answer=LONG)] * 60


class Patient(ContextChatEngine):
    """Returns a streamed answer when it is written."""

    def stream_chat(self, *args: Any, **options: Any) -> Any:
        return written(super().stream_chat(*args, **options))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("fails", [False, True])
@needs_writers
def test_a_writer_who_is_through_before_the_question(attachment: Attachment, fails: bool) -> None:
    llm = FakeLLM(say=lambda _: LONG, error=ConnectionError("gone") if fails else None, fail_after=3)
    asked = Patient.from_defaults(retriever=FakeRetriever(), llm=llm, memory=memory())
    if fails and STREAMS_ARE_READ_FIRST:
        with pytest.raises(ConnectionError):
            asked.stream_chat(QUESTION)
    else:
        asked.stream_chat(QUESTION)
    failed = {"status": "error", "error": "ConnectionError", **BROKEN} if fails else {"answer": LONG}
    assert whole(only_run(attachment)) == streamed(**failed)


def test_many_chats_at_once(attachment: Attachment) -> None:
    async def ask(number: int) -> None:
        assert await read(await context().astream_chat(f"Q{number}?")) == LONG

    async def all_at_once() -> None:
        await asyncio.gather(*(ask(number) for number in range(20)))

    asyncio.run(all_at_once())
    assert {run.question: whole(run) for run in runs_of(attachment)} == {
        f"Q{number}?": streamed(question=f"Q{number}?", answer=LONG) for number in range(20)
    }


# Not read, or not to the end -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [0, 1])
def test_a_reader_who_leaves(attachment: Attachment, tokens: int) -> None:
    """The writer goes on without him; where he is the writer, nobody writes any more."""
    response = written(context().stream_chat(QUESTION))
    stream = response.response_gen
    assert [next(stream) for _ in range(tokens)] == ["one", " two"][:tokens] or STREAMS_ARE_READ_FIRST
    del stream, response
    left = streamed(status="abandoned", answer="one" if tokens else None)
    assert whole(only_run(attachment)) == (streamed(answer=LONG) if CHATS_ARE_WRITTEN else left)


@pytest.mark.parametrize("tokens", [0, 1])
def test_a_loop_that_ends_before_the_answer_is_written(attachment: Attachment, tokens: int) -> None:
    async def ask() -> None:
        response = await context().astream_chat(QUESTION)
        stream = response.async_response_gen()
        for _ in range(tokens):
            await anext(stream)

    asyncio.run(ask())
    run = only_run(attachment)
    assert run.question == QUESTION
    if not CHATS_ARE_WRITTEN:
        assert (run.status, run.answer) == ("abandoned", "one" if tokens else None)
    elif tokens:  # the fake's text is written by then, but the memory may be waited for
        assert run.status in ("ok", "cancelled")
        assert run.answer == LONG
    else:
        assert (run.status, run.error) == ("cancelled", "CancelledError")


# Broken --------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_writer_who_fails(attachment: Attachment) -> None:
    error = ConnectionError("gone")
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            response = chat(LONG, error=error, fail_after=3).stream_chat(QUESTION)
            list(written(response).response_gen)
        except ConnectionError as failure:
            raised.append(failure)

    ask()
    assert raised == [error]
    assert whole(only_run(attachment)) == streamed(status="error", error="ConnectionError", **BROKEN)


def test_a_task_that_fails_to_write(attachment: Attachment) -> None:
    error = ConnectionError("gone")

    async def ask() -> None:
        await read(await chat(LONG, error=error, fail_after=3).astream_chat(QUESTION))

    with pytest.raises(ConnectionError) as raised:
        asyncio.run(ask())
    assert raised.value is error
    assert whole(only_run(attachment)) == streamed(status="error", error="ConnectionError", **BROKEN)


def test_a_chat_read_in_another_thread(attachment: Attachment) -> None:
    response = context().stream_chat(QUESTION)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(response.response_gen))
    thread.start()
    thread.join(20)
    assert "".join(found) == LONG
    written(response)
    assert whole(only_run(attachment)) == streamed(answer=LONG)
