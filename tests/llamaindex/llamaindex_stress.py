"""Many questions in every way LlamaIndex can be asked, and what their records must be.

Shared by the tests of this folder and by benchmarks/stress_llamaindex.py.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, cast

from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.callbacks import CallbackManager
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from llamaindex_fakes import FakeLLM, FakeRetriever
from many_questions import (
    THREADS,
    answer_about,
    expected_record,
    facts_about,
    left_in_collector,
    questions,
    token_of,
    without_ids_and_times,
)

from rag_eval_hooks.record import RagRun
from rag_eval_hooks_llamaindex import Attachment
from rag_eval_hooks_llamaindex.handler import remembered

NO_COUNTS = {"input_tokens": None, "output_tokens": None, "model_calls": 1}
"""The usage of a stream, of which the fake model gives no counts."""


# Pipelines -----------------------------------------------------------------------------------------------------------


def find(query: str) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(id_=key, text=text)) for key, text in facts_about(query).items()]


def say(messages: Sequence[ChatMessage]) -> str:
    return answer_about(str(messages[-1].content))


def echo_engine(**options: Any) -> RetrieverQueryEngine:
    """A query engine whose nodes and answer carry the question's token."""
    return RetrieverQueryEngine.from_args(FakeRetriever(find=find), llm=FakeLLM(say=say), **options)


def echo_chat() -> ContextChatEngine:
    """A chat engine of one conversation; the same otherwise."""
    memory = ChatMemoryBuffer.from_defaults(token_limit=4_000)
    return ContextChatEngine.from_defaults(FakeRetriever(find=find), llm=FakeLLM(say=say), memory=memory)


class Found(Event):
    nodes: list[NodeWithScore]
    query: str


class EchoFlow(Workflow):
    """The same as a workflow of two steps."""

    @step
    async def search(self, event: StartEvent) -> Found:
        return Found(nodes=await FakeRetriever(find=find).aretrieve(event.query), query=event.query)

    @step
    async def answer(self, event: Found) -> StopEvent:
        said = await get_response_synthesizer(llm=FakeLLM(say=say)).asynthesize(event.query, event.nodes)
        return StopEvent(result=str(said))


# Ways to ask ---------------------------------------------------------------------------------------------------------


@contextmanager
def threads(count: int = THREADS) -> Iterator[ThreadPoolExecutor]:
    """A pool whose threads have an event loop each; LlamaIndex's synchronous methods would leave one open."""
    loops: list[asyncio.AbstractEventLoop] = []

    def begin() -> None:
        loops.append(asyncio.new_event_loop())
        asyncio.set_event_loop(loops[-1])

    with ThreadPoolExecutor(count, initializer=begin) as pool:
        yield pool
    for loop in loops:
        loop.close()


def _gathered(ask: Callable[[str], Any], asked: Sequence[str]) -> list[str]:
    async def main() -> list[str]:
        return list(await asyncio.gather(*map(ask, asked)))

    return asyncio.run(main())


def _queries(asked: Sequence[str]) -> list[str]:
    engine = echo_engine()
    with threads() as pool:
        return list(pool.map(lambda question: str(engine.query(question)), asked))


def _gather(asked: Sequence[str]) -> list[str]:
    engine = echo_engine()

    async def ask(question: str) -> str:
        return str(await engine.aquery(question))

    return _gathered(ask, asked)


def _streams(asked: Sequence[str]) -> list[str]:
    engine = echo_engine(streaming=True)

    def ask(question: str) -> str:
        response: Any = engine.query(question)
        return "".join(response.response_gen)

    with threads() as pool:
        return list(pool.map(ask, asked))


def _gather_streams(asked: Sequence[str]) -> list[str]:
    engine = echo_engine(streaming=True)

    async def ask(question: str) -> str:
        response: Any = await engine.aquery(question)
        return "".join([word async for word in response.async_response_gen()])

    return _gathered(ask, asked)


def _read_elsewhere(asked: Sequence[str]) -> list[str]:
    """Asks in some threads, and reads in others, each of which takes a word from one answer after the other."""
    engine = echo_engine(streaming=True)
    said: dict[str, str] = dict.fromkeys(asked, "")

    def read(own: Sequence[tuple[str, Iterator[str]]]) -> None:
        waiting = list(own)
        while waiting:
            for answer in list(waiting):
                question, words = answer
                word = next(words, None)
                if word is None:
                    waiting.remove(answer)
                else:
                    said[question] += word

    with threads() as pool:
        responses: list[Any] = list(pool.map(engine.query, asked))
    streams = [(question, response.response_gen) for question, response in zip(asked, responses, strict=True)]
    with threads() as pool:
        list(pool.map(read, [streams[start::THREADS] for start in range(THREADS)]))
    return [said[question] for question in asked]


def _chats(asked: Sequence[str]) -> list[str]:
    with threads() as pool:
        return list(pool.map(lambda question: str(echo_chat().chat(question)), asked))


def _chat_streams(asked: Sequence[str]) -> list[str]:
    with threads() as pool:
        return list(pool.map(lambda question: "".join(echo_chat().stream_chat(question).response_gen), asked))


def _gather_chat_streams(asked: Sequence[str]) -> list[str]:
    async def ask(question: str) -> str:
        response = await echo_chat().astream_chat(question)
        return "".join([word async for word in response.async_response_gen()])

    return _gathered(ask, asked)


def _workflows(asked: Sequence[str]) -> list[str]:
    async def ask(question: str) -> str:
        return str(await EchoFlow(timeout=120).run(query=question))

    return _gathered(ask, asked)


MANY_WAYS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    f"query in {THREADS} threads": _queries,
    "gather of aquery": _gather,
    f"stream in {THREADS} threads": _streams,
    "gather of async streams": _gather_streams,
    f"streams read by turns in {THREADS} other threads": _read_elsewhere,
    f"chat in {THREADS} threads": _chats,
    f"stream_chat in {THREADS} threads": _chat_streams,
    "gather of astream_chat": _gather_chat_streams,
    "gather of workflows": _workflows,
}
"""By name: each takes questions, asks them all at once, and returns the answers."""


def ask_in_all_ways_at_once(count: int) -> dict[str, str]:
    """Asks `count` questions in each way, all ways at the same time; returns the way in which each question was asked.

    Checks the answers.
    """
    asked = {way: questions(count, prefix=chr(ord("A") + place)) for place, way in enumerate(MANY_WAYS)}
    with ThreadPoolExecutor(len(MANY_WAYS)) as pool:
        under_way = {way: pool.submit(MANY_WAYS[way], texts) for way, texts in asked.items()}
        for way, texts in asked.items():
            assert under_way[way].result() == [answer_about(question) for question in texts]
    return {question: way for way, texts in asked.items() for question in texts}


# Records -------------------------------------------------------------------------------------------------------------


def is_right(run: RagRun, way: str) -> bool:
    """Whether a record is what it must be, as a whole, where the question was asked in this way."""
    usage = {"usage": NO_COUNTS, "answer_usage": NO_COUNTS} if "stream" in way else {}
    question = str(run.question)
    return without_ids_and_times(run) == expected_record(question, run.captured_by, streamed="stream" in way, **usage)


def left_in_tables(attachment: Attachment) -> dict[str, int]:
    """What is still kept for single runs, by table; all 0 once every question is through."""
    return {**left_in_collector(attachment.collector), "spans and calls": remembered()}


# Questions that do not end well --------------------------------------------------------------------------------------


class HaltingRetriever(FakeRetriever):
    """Waits for ever, asynchronously, for a query that is in `halts`, and tells so."""

    def __init__(self, halts: dict[str, asyncio.Event]) -> None:
        super().__init__(find=find)
        self.halts = halts

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if query_bundle.query_str in self.halts:
            self.halts[query_bundle.query_str].set()
            await asyncio.Event().wait()
        return self._retrieve(query_bundle)


class HaltingLLM(FakeLLM):
    """Waits for ever, asynchronously, for a question with a token that is in `halts`, and tells so."""

    halts: Any = None

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        token = token_of(str(messages[-1].content))
        if token in self.halts:
            self.halts[token].set()
            await asyncio.Event().wait()
        return self._response(messages)


class EndingBadly:
    """Engines that answer at once, and questions to them that end in every way but the good one.

    Of every search outside of an engine, LlamaIndex's callback manager keeps two ids; it is replaced with the engines.
    """

    def __init__(self) -> None:
        Settings.callback_manager = CallbackManager()
        self._in_search: dict[str, asyncio.Event] = {}
        self._in_model: dict[str, asyncio.Event] = {}
        self._engine = RetrieverQueryEngine.from_args(
            HaltingRetriever(self._in_search),
            llm=HaltingLLM(say=say, halts=self._in_model),
            response_mode=ResponseMode.SIMPLE_SUMMARIZE,  # the quickest
        )
        self._streaming = echo_engine(streaming=True)
        self._broken = RetrieverQueryEngine.from_args(
            FakeRetriever(find=find), llm=FakeLLM(say=say, error=OSError("line is down"), fail_after=2), streaming=True
        )
        self._flow = EchoFlow(timeout=60)

    def ask_many(self, asked: Sequence[str]) -> Counter[str]:
        """Asks questions of which every tenth ends badly; returns how many records of each status that makes."""
        expected: Counter[str] = Counter()
        with asyncio.Runner() as runner:
            asyncio.set_event_loop(runner.get_loop())  # for LlamaIndex's synchronous methods
            for number, question in enumerate(asked):
                if number % 10 == 0:
                    expected[self._badly(runner, question, number // 10 % 5)] += 1
                    continue
                if number % 10 == 3:
                    said = "".join(cast("Any", self._streaming.query(question)).response_gen)
                elif number % 20 == 7:
                    said = str(runner.run(self._run(question)))
                else:
                    said = str(self._engine.query(question))
                assert said == answer_about(question)
                expected["ok"] += 1
            asyncio.set_event_loop(None)
        return expected

    async def _run(self, question: str) -> Any:
        return await self._flow.run(query=question)

    def _badly(self, runner: asyncio.Runner, question: str, way: int) -> str:
        """Asks a question that is cancelled in the search or in the model call, left, broken, or never read."""
        if way == 0:
            runner.run(self._cancelled(question, question, self._in_search))
            return "cancelled"
        if way == 1:
            runner.run(self._cancelled(question, token_of(question), self._in_model))
            return "cancelled"
        if way == 2:
            words = cast("Any", self._streaming.query(question)).response_gen
            assert next(words) == "It"
            words.close()
            return "abandoned"
        if way == 3:
            words = cast("Any", self._broken.query(question)).response_gen
            with suppress(OSError):
                list(words)
            return "error"
        self._streaming.query(question)
        return "abandoned"

    async def _cancelled(self, question: str, key: str, halts: dict[str, asyncio.Event]) -> None:
        entered = halts[key] = asyncio.Event()
        task = asyncio.ensure_future(self._engine.aquery(question))
        await entered.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        del halts[key]
