"""Questions that do not end normally still end in one record, and leave nothing open."""

import asyncio
import threading
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_fakes import LONG, FakeChat, FakeRetriever, rag
from ways_to_ask import cancelled_after
from whole_record import measured, only_run, whole

from rag_eval_hooks.record import RagRun
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler


@pytest.fixture
def handler() -> Any:
    """A handler whose records need no grace time: what is left open when the root ends is delivered by the sweep."""
    with RagEvalCallbackHandler(Hooks(grace_s=0)) as handler:
        yield handler


def only(handler: RagEvalCallbackHandler) -> RagRun:
    """Returns the only record, after what the worker's timer does about once a second."""
    handler.hooks._tick()
    return only_run(handler)


def test_a_retriever_that_fails(handler: RagEvalCallbackHandler) -> None:
    with pytest.raises(ConnectionError):
        rag(retriever=FakeRetriever(error=ConnectionError("down"))).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert (run.status, run.error, run.stages, run.answer) == ("error", "ConnectionError", (), None)


def test_what_failed_along_with_the_last_failure_is_no_attempt(handler: RagEvalCallbackHandler) -> None:
    """A step that hands on the config it was given stands beside what it calls; `create_react_agent` does that."""
    model = FakeChat(error=ConnectionError("down"))

    def ask(question: str, config: RunnableConfig) -> Any:
        FakeRetriever().invoke(question, config=config)
        return RunnableLambda(lambda asked: model.invoke(asked, config=config)).invoke(question, config=config)

    with pytest.raises(ConnectionError):
        RunnableLambda(ask).invoke("Q?", config={"callbacks": [handler]})
    assert whole(only_run(handler)) == {
        "question": "Q?",
        "status": "error",
        "error": "ConnectionError",
        "chunks": "a b c",
        "stages": ["1 retrieve FakeRetriever(Q?): a b c"],
        "context_source": "prompt",
        "usage": "1 None>None",
        "answer_usage": "1 None>None",
    }


def test_a_parser_that_fails_leaves_the_whole_model_text(handler: RagEvalCallbackHandler) -> None:
    def fail(_: Any) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        (rag() | RunnableLambda(fail)).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert (run.status, run.answer, run.llm_text, run.llm_complete) == ("error", None, "It passes Basel [1].", True)


def test_a_stream_that_breaks_keeps_what_had_arrived(handler: RagEvalCallbackHandler) -> None:
    got: list[str] = []
    chain = rag(FakeChat(say=lambda _: LONG, fail_after=3))
    with pytest.raises(ConnectionResetError):
        got.extend(chain.stream("Q?", config={"callbacks": [handler]}))
    run = only(handler)
    assert (run.status, run.question, run.answer, run.llm_complete) == ("error", "Q?", "one two three ", False)
    assert "".join(got) == "one two three "


@pytest.mark.parametrize("read", [1, 2, 3])
def test_a_sync_stream_left_early_is_what_the_reader_got(handler: RagEvalCallbackHandler, read: int) -> None:
    """LangChain reads the model to its end after the reader has left, and reports one token too few as the output."""
    chain = rag(FakeChat(say=lambda _: LONG))
    other = chain.stream("Q2?", config={"callbacks": [handler]})
    next(other)
    stream = chain.stream("Q?", config={"callbacks": [handler]})
    got = "".join(next(stream) for _ in range(read))
    stream.close()
    run = handler.last.run
    assert (run.status, run.question, run.answer) == ("abandoned", "Q?", got)
    assert (run.llm_text, run.llm_complete) == (LONG, True)
    assert len(run.context) == 3
    other.close()
    assert (handler.last.run.question, handler.last.run.answer) == ("Q2?", "one ")


def test_a_sync_stream_read_to_its_last_token_is_the_whole_answer(handler: RagEvalCallbackHandler) -> None:
    got = "".join(rag(FakeChat(say=lambda _: LONG)).stream("Q?", config={"callbacks": [handler]}))
    run = only(handler)
    assert (run.status, run.answer, run.llm_text) == ("ok", got, None)


def test_a_stream_left_early_and_a_cancelled_task_are_the_last_record_at_once() -> None:
    """A minute of grace, no timer: whoever asks for the last record gets it."""

    async def cancel(handler: RagEvalCallbackHandler) -> None:
        gate, entered = threading.Event(), threading.Event()
        chain = rag(retriever=FakeRetriever(gate=gate, entered=entered))
        await cancelled_after(entered, chain.ainvoke("cancelled?", config={"callbacks": [handler]}))
        assert handler.last.run.status == "cancelled"
        gate.set()

    async def leave(handler: RagEvalCallbackHandler) -> None:
        stream = rag(FakeChat(say=lambda _: LONG)).astream("left?", config={"callbacks": [handler]})
        await anext(stream)
        await stream.aclose()

    with RagEvalCallbackHandler(grace_s=60) as handler:
        asyncio.run(leave(handler))
        assert (handler.last.run.status, handler.last.run.question) == ("abandoned", "left?")
        asyncio.run(cancel(handler))
        assert [record.run.status for record in handler.records] == ["abandoned", "cancelled"]


@pytest.mark.parametrize("how", ["break", "aclose"])
def test_an_async_stream_left_early(handler: RagEvalCallbackHandler, how: str) -> None:
    async def read() -> None:
        stream = rag(FakeChat(say=lambda _: LONG)).astream("Q?", config={"callbacks": [handler]})
        got = 0
        async for _ in stream:
            got += 1
            if got == 3:
                break
        if how == "aclose":
            await stream.aclose()

    asyncio.run(read())
    run = only(handler)
    assert (run.status, run.question, run.answer) == ("abandoned", "Q?", "one two three ")
    assert not run.answer_is_whole
    assert set(measured(handler).values()) == {"incomplete_run"}


def test_a_timeout_around_a_stream(handler: RagEvalCallbackHandler) -> None:
    async def main() -> None:
        pause, paused = asyncio.Event(), asyncio.Event()
        chain = rag(FakeChat(say=lambda _: LONG, pause=pause, paused=paused))

        async def read() -> list[str]:
            return [chunk async for chunk in chain.astream("Q?", config={"callbacks": [handler]})]

        task = asyncio.create_task(read())
        await paused.wait()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(task, 0)

    asyncio.run(main())
    assert only(handler).status == "cancelled"


def test_open_questions_are_recorded_on_close() -> None:
    handler = RagEvalCallbackHandler()
    stream = rag(FakeChat(say=lambda _: LONG)).stream("Q?", config={"callbacks": [handler]})
    next(stream)
    assert handler.close() == 0
    assert [record.run.status for record in handler.records] == ["evicted"]
    stream.close()
    rag().invoke("after the end", config={"callbacks": [handler]})
    assert handler.stats()["closed"] == 1
    assert len(handler.records) == 1
