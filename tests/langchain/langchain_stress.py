"""Many questions through one handler, in every way LangChain can be asked, and what their records must be.

Shared by the tests of this folder and by benchmarks/stress_langchain.py.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import many_questions
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_fakes import FakeChat, FakeRetriever, rag
from many_questions import THREADS, left_in_collector, questions

from rag_eval_hooks.record import CitationStyle, RagRun
from rag_eval_hooks_langchain import RagEvalCallbackHandler

# Ways to ask ---------------------------------------------------------------------------------------------------------


def _threads(chain: Any, config: Any, asked: Sequence[str]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda question: chain.invoke(question, config=config), asked))


def _thread_streams(chain: Any, config: Any, asked: Sequence[str]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda question: list(chain.stream(question, config=config)), asked))


def _gather(chain: Any, config: Any, asked: Sequence[str]) -> None:
    async def main() -> None:
        await asyncio.gather(*(chain.ainvoke(question, config=config) for question in asked))

    asyncio.run(main())


def _gather_streams(chain: Any, config: Any, asked: Sequence[str]) -> None:
    async def one(question: str) -> list[str]:
        return [chunk async for chunk in chain.astream(question, config=config)]

    async def main() -> None:
        await asyncio.gather(*(one(question) for question in asked))

    asyncio.run(main())


def _batch(chain: Any, config: Any, asked: Sequence[str]) -> None:
    chain.batch(list(asked), config={**config, "max_concurrency": 8})


def _abatch(chain: Any, config: Any, asked: Sequence[str]) -> None:
    asyncio.run(chain.abatch(list(asked), config=config))


MANY_WAYS: dict[str, Callable[[Any, Any, Sequence[str]], None]] = {
    f"invoke in {THREADS} threads": _threads,
    f"stream in {THREADS} threads": _thread_streams,
    "gather of ainvoke": _gather,
    "gather of astream": _gather_streams,
    "batch": _batch,
    "abatch": _abatch,
}
"""By name: each takes a chain, the config and the questions, and asks them all at once."""


def ask_in_all_ways_at_once(chain: Any, config: Any, count: int) -> dict[str, bool]:
    """Asks `count` questions in each way, all ways at the same time; returns for each question whether it streamed."""
    asked = {way: questions(count, prefix=chr(ord("A") + place)) for place, way in enumerate(MANY_WAYS)}
    with ThreadPoolExecutor(len(MANY_WAYS)) as pool:
        for done in [pool.submit(MANY_WAYS[way], chain, config, texts) for way, texts in asked.items()]:
            done.result()
    return {question: "stream" in way for way, texts in asked.items() for question in texts}


# Records -------------------------------------------------------------------------------------------------------------


def expected_record(question: str, captured_by: str, *, streamed: bool) -> RagRun:
    """The whole record of one question to `langchain_fakes.echo_chain`, without ids and times."""
    numbered = CitationStyle(base=1, rule="prompt")
    return many_questions.expected_record(question, captured_by, streamed=streamed, citations=numbered)


def left_in_tables(handler: RagEvalCallbackHandler) -> dict[str, int]:
    """What is still kept for single runs, by table; all 0 once every question is through."""
    return left_in_collector(handler.collector)


# Cancelled questions -------------------------------------------------------------------------------------------------


class HaltingRetriever(FakeRetriever):
    """Waits for ever, asynchronously, for a query that is in `halts`, and tells so."""

    halts: Any = None

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        if query in self.halts:
            self.halts[query].set()
            await asyncio.Event().wait()
        return self._get_relevant_documents(query, run_manager=run_manager)


class HaltingChat(FakeChat):
    """Waits for ever, asynchronously, for a question that is in `halts`, and tells so."""

    halts: Any = None

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        question = str(messages[-1].content)
        if question in self.halts:
            self.halts[question].set()
            await asyncio.Event().wait()
        return self._generate(messages, stop, run_manager, **kwargs)


class Cancelling:
    """A chain that answers at once when invoked, and questions to it that are cancelled half-way."""

    def __init__(self) -> None:
        self._in_search: dict[str, asyncio.Event] = {}
        self._in_model: dict[str, asyncio.Event] = {}
        self.chain: Runnable[Any, Any] = rag(HaltingChat(halts=self._in_model), HaltingRetriever(halts=self._in_search))

    async def ask_and_cancel(self, question: str, config: Any, *, in_search: bool) -> None:
        """Asks, waits until the search or the model call is under way, and cancels the task."""
        halts = self._in_search if in_search else self._in_model
        entered = halts[question] = asyncio.Event()
        task = asyncio.ensure_future(self.chain.ainvoke(question, config=config))
        await entered.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        del halts[question]

    def ask_many(self, config: Any, asked: Sequence[str]) -> int:
        """Asks questions of which every tenth is cancelled, in turn in the search and in the model call; returns how
        many those were."""
        cancelled = 0
        with asyncio.Runner() as runner:
            for number, question in enumerate(asked):
                if number % 10:
                    self.chain.invoke(question, config=config)
                else:
                    runner.run(self.ask_and_cancel(question, config, in_search=number % 20 == 0))
                    cancelled += 1
        return cancelled
