"""What an object of the host raises when a callback reads it never reaches the host; what is meant for the host does.

LangChain keeps no `BaseException` from a chain: a `CancelledError` out of a callback would end the question as if the
host had cancelled it.
"""

import asyncio
import signal
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_fakes import FakeChat, FakeRetriever, documents, rag
from ways_to_ask import cancelled_after

from rag_eval_hooks_langchain import RagEvalCallbackHandler

ANSWER = "It passes Basel [1]."


class Odd(BaseException):
    """Like what extension modules raise for a panic: no `Exception`."""


class Raising:
    """Raises whatever is asked of it."""

    def __init__(self, error: type[BaseException]) -> None:
        object.__setattr__(self, "error", error)

    def __getattribute__(self, name: str) -> Any:
        raise object.__getattribute__(self, "error")


class RaisingList(list[Any]):
    """Raises when its entries are looked at."""

    def __init__(self, error: type[BaseException]) -> None:
        super().__init__([Raising(error)])
        self.error = error

    def __iter__(self) -> Any:
        raise self.error

    def __getitem__(self, place: Any) -> Any:
        raise self.error

    def __contains__(self, entry: Any) -> bool:
        raise self.error


class Guarded(Document):
    """A document that does something when its metadata are read."""

    reading: Any = None

    def __getattribute__(self, name: str) -> Any:
        if name == "metadata":
            super().__getattribute__("reading")()
        return super().__getattribute__(name)


def guarded(reading: Callable[[], Any]) -> Document:
    return Guarded(page_content="Basel lies on the Rhine.", reading=reading)


def raising(error: type[BaseException]) -> Callable[[], Any]:
    def read() -> None:
        raise error

    return read


KEPT = [RuntimeError, asyncio.CancelledError, GeneratorExit, Odd]
PASSED = [KeyboardInterrupt, SystemExit]

CALLBACKS: dict[str, Callable[[RagEvalCallbackHandler, Any, UUID, UUID], Any]] = {
    "on_chain_start": lambda h, odd, run, root: h.on_chain_start(None, "Q?", run_id=run, tags=odd),
    "on_chain_end": lambda h, odd, run, root: h.on_chain_end({"found": odd}, run_id=root),
    "on_chain_error": lambda h, odd, run, root: h.on_chain_error(ValueError(), run_id=root, inputs={"a": odd}),
    "on_chat_model_start": lambda h, odd, run, root: h.on_chat_model_start(None, odd, run_id=run, parent_run_id=root),
    "on_llm_start": lambda h, odd, run, root: h.on_llm_start(None, odd, run_id=run, parent_run_id=root),
    "on_llm_end": lambda h, odd, run, root: h.on_llm_end(Raising(odd.error), run_id=root),  # type: ignore[arg-type]
    "on_retriever_start": lambda h, odd, run, root: h.on_retriever_start(None, "Q?", run_id=run, tags=odd),
    "on_retriever_end": lambda h, odd, run, root: h.on_retriever_end(odd, run_id=root),
    "on_tool_start": lambda h, odd, run, root: h.on_tool_start(None, "Q?", run_id=run, inputs={"a": odd}),
    "on_tool_end": lambda h, odd, run, root: h.on_tool_end(odd, run_id=root),
}


def call(name: str, error: type[BaseException]) -> None:
    with RagEvalCallbackHandler() as handler:
        root, run = uuid4(), uuid4()
        handler.on_chain_start(None, "Q?", run_id=root, name="root")
        CALLBACKS[name](handler, RaisingList(error), run, root)


@pytest.mark.parametrize("error", KEPT)
@pytest.mark.parametrize("name", CALLBACKS)
def test_no_callback_raises_what_it_met(name: str, error: type[BaseException], caught: list[BaseException]) -> None:
    call(name, error)
    assert {type(one) for one in caught} == {error}
    caught.clear()


@pytest.mark.parametrize("error", PASSED)
@pytest.mark.parametrize("name", CALLBACKS)
def test_every_callback_lets_through_what_is_meant_for_the_host(name: str, error: type[BaseException]) -> None:
    with pytest.raises(error):
        call(name, error)


@pytest.mark.parametrize("error", KEPT)
def test_a_document_that_raises_costs_itself_and_not_the_question(
    error: type[BaseException], caught: list[BaseException]
) -> None:
    chain = rag(retriever=FakeRetriever(find=lambda _: [*documents("a"), guarded(raising(error)), *documents("b")]))
    with RagEvalCallbackHandler() as handler:
        assert chain.invoke("Q?", config={"callbacks": [handler]}) == ANSWER
        assert asyncio.run(chain.ainvoke("Q?", config={"callbacks": [handler]})) == ANSWER
        first, second = [record.run for record in handler.records]
    assert (first.status, second.status) == ("ok", "ok")
    assert [chunk.id for chunk in first.chunks][::2] == ["a", "b"]
    assert [item.chunk for item in second.stages[0].items] == [0, 1, 2]
    assert {type(one) for one in caught} == {error}
    caught.clear()


def test_an_interrupt_in_the_middle_of_a_callback_reaches_the_host() -> None:
    """A real signal, as from a user who presses Ctrl-C; it comes once."""
    presses = [signal.SIGINT]
    found = [guarded(lambda: signal.raise_signal(presses.pop()) if presses else None)]
    with RagEvalCallbackHandler() as handler:
        with pytest.raises(KeyboardInterrupt):
            FakeRetriever(find=lambda _: found).invoke("Q?", config={"callbacks": [handler]})
        # The handler goes on afterwards.
        assert rag().invoke("Q?", config={"callbacks": [handler]}) == ANSWER
        assert handler.last.run.answer == ANSWER


def test_a_cancellation_of_the_hosts_own_still_arrives() -> None:
    """What we keep from the host is what our reads raise, not what the host does."""
    entered = asyncio.Event()

    async def wait(_: Any) -> str:
        entered.set()
        await asyncio.Event().wait()
        return ""

    async def main() -> str:
        chain = rag(FakeChat()) | RunnableLambda(wait)
        await cancelled_after(entered, chain.ainvoke("Q?", config={"callbacks": [handler]}))
        return handler.last.run.status

    with RagEvalCallbackHandler(grace_s=0.0) as handler:
        assert asyncio.run(main()) == "cancelled"
