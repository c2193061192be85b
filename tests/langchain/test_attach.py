"""Every way of attaching: by config, on a component, process-wide; one record per question each time."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_fakes import FakeChat, FakeRetriever, rag
from usual_record import usual
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks_langchain import RagEvalCallbackHandler, attach, attached, detach, question, suppress_capture

QUESTION = "Where does the Rhine turn?"
RECORD = usual(question=QUESTION)


@pytest.fixture(autouse=True)
def _detached() -> Iterator[None]:
    yield
    handler = detach()
    if handler is not None:
        handler.close()


def _config(handler: RagEvalCallbackHandler) -> Any:
    rag().invoke(QUESTION, config={"callbacks": [handler]})


def _with_config(handler: RagEvalCallbackHandler) -> Any:
    rag().with_config(callbacks=[handler]).invoke(QUESTION)


def _both(handler: RagEvalCallbackHandler) -> Any:
    rag().with_config(callbacks=[handler]).invoke(QUESTION, config={"callbacks": [handler]})


def _both_streamed(handler: RagEvalCallbackHandler) -> Any:
    list(rag().with_config(callbacks=[handler]).stream(QUESTION, config={"callbacks": [handler]}))


def _everywhere(handler: RagEvalCallbackHandler) -> Any:
    chain = rag(FakeChat(callbacks=[handler]), FakeRetriever(callbacks=[handler]))
    chain.with_config(callbacks=[handler]).invoke(QUESTION, config={"callbacks": [handler]})


def _attached(handler: RagEvalCallbackHandler) -> Any:
    attach(handler)
    rag().invoke(QUESTION)


def _attached_and_config(handler: RagEvalCallbackHandler) -> Any:
    attach(handler)
    attach(handler)
    rag().with_config(callbacks=[handler]).invoke(QUESTION, config={"callbacks": [handler]})


def _attached_thread(handler: RagEvalCallbackHandler) -> Any:
    attach(handler)
    thread = threading.Thread(target=lambda: rag().invoke(QUESTION))
    thread.start()
    thread.join()


def _attached_loop(handler: RagEvalCallbackHandler) -> Any:
    attach(handler)

    async def ask() -> None:
        await asyncio.create_task(rag().ainvoke(QUESTION))

    asyncio.run(ask())


@pytest.mark.parametrize(
    "ask",
    [
        _config,
        _with_config,
        _both,
        _both_streamed,
        _everywhere,
        _attached,
        _attached_and_config,
        _attached_thread,
        _attached_loop,
    ],
)
def test_one_record_however_it_is_attached(ask: Any) -> None:
    """Traps 9 and 28."""
    with RagEvalCallbackHandler() as handler:
        ask(handler)
        assert whole(only_run(handler)) == RECORD


def test_an_attached_handler_is_one_object_and_goes_when_it_is_taken_off() -> None:
    """Trap 28: LangChain asks for the handler each time it puts callbacks together."""
    assert (attached(), detach()) == (None, None)
    handler = attach(keep=10)
    assert attach() is attached() is handler
    rag().invoke(QUESTION)
    rag().invoke(QUESTION)
    assert detach() is handler
    rag().invoke(QUESTION)
    assert [whole(run) for run in runs_of(handler)] == [RECORD, RECORD]
    handler.close()


def test_what_runs_when_the_handler_is_taken_off_is_still_recorded() -> None:
    gate, entered = threading.Event(), threading.Event()
    handler = attach()
    thread = threading.Thread(target=rag(retriever=FakeRetriever(gate=gate, entered=entered)).invoke, args=(QUESTION,))
    thread.start()
    assert entered.wait(20)
    detach()
    gate.set()
    thread.join()
    assert whole(only_run(handler)) == RECORD
    handler.close()


def test_a_closed_handler_is_off() -> None:
    with attach() as handler:
        rag().invoke(QUESTION)
    assert attached() is None
    rag().invoke(QUESTION)
    assert [record.run.question for record in handler.records] == [QUESTION]
    assert attach(keep=1) is not handler


def test_a_closed_handler_cannot_be_attached() -> None:
    handler = RagEvalCallbackHandler()
    handler.close()
    with pytest.raises(ConfigError, match="this handler is closed"):
        attach(handler)


def test_two_handlers_are_not_attached_at_once() -> None:
    first = attach(keep=10)
    with pytest.raises(ConfigError, match=r"call detach\(\) first"):
        attach(keep=20)
    with RagEvalCallbackHandler() as other, pytest.raises(ConfigError, match=r"call detach\(\) first"):
        attach(other)
    assert attached() is first
    detach()
    with pytest.raises(ConfigError, match="not both"):
        attach(first, keep=1)
    with pytest.raises(ConfigError, match="expected a RagEvalCallbackHandler"):
        attach("handler")  # type: ignore[arg-type]
    first.close()


def test_what_is_suppressed_is_in_no_record_and_counted() -> None:
    """A judge's own calls, alone and inside a captured chain."""

    def judged(question: str) -> str:
        with suppress_capture():
            rag(FakeChat(say=lambda _: "A verdict.")).invoke("Is it good?")
        return rag().invoke(question)

    with RagEvalCallbackHandler() as handler:
        attach(handler)
        with suppress_capture(), question("Is it there?") as asked:
            rag().invoke("Warm up?")
            asked.answer = "Yes."
        RunnableLambda(judged).invoke(QUESTION)
        assert whole(only_run(handler)) == RECORD
        stats = handler.stats()
        assert (stats["opened"], stats["suppressed"], stats["late"]) == (1, 19, 0)


def test_a_generator_that_suppresses_may_be_closed_elsewhere() -> None:
    async def judge() -> AsyncIterator[str]:
        with suppress_capture():
            yield await rag().ainvoke("Is it good?")

    async def run() -> None:
        judging = judge()
        await asyncio.create_task(anext(judging))
        await judging.aclose()
        await rag().ainvoke(QUESTION)

    with RagEvalCallbackHandler() as handler:
        attach(handler)
        asyncio.run(run())
        assert whole(only_run(handler)) == RECORD
        assert handler.stats()["suppressed"] == 9


def test_a_function_of_ours_that_asks_a_chain_makes_no_records() -> None:
    """Otherwise each record would make the next, for ever."""

    def redact(text: str) -> str:
        rag().invoke("Is it private?")
        return text

    with RagEvalCallbackHandler(redact=redact) as handler:
        attach(handler)
        rag().invoke(QUESTION)
        assert whole(only_run(handler)) == RECORD
        assert handler.stats()["suppressed"] > 0
