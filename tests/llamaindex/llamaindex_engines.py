"""Chat engines, agents, workflows and routers made of the fakes, in whichever way the installed version has them."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import PydanticResponse, Response
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RouterQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.selectors import LLMSingleSelector
from llama_index.core.tools import QueryEngineTool
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step
from llamaindex_fakes import ANSWER, QUESTION, FakeLLM, FakeRetriever, engine
from llamaindex_versions import HAS_WORKFLOW_AGENTS
from pydantic import BaseModel

__all__ = [
    "STRUCTURED",
    "THOUGHT",
    "Asking",
    "Ending",
    "EndingIts",
    "Structured",
    "agent",
    "ask_agent",
    "chat",
    "in_loop",
    "memory",
    "router",
    "tools",
    "written",
]

THOUGHT = f"Thought: I can answer without using any more tools.\nAnswer: {ANSWER}"
"""What an agent's model says that answers."""


def in_loop(work: Callable[[], Awaitable[Any]]) -> Any:
    """What a piece of work returns in an event loop of its own; workflows start only inside of one."""

    async def run() -> Any:
        return await work()

    return asyncio.run(run())


def memory(*messages: Any) -> Any:
    """A memory that needs no tokenizer."""
    kept = ChatMemoryBuffer.from_defaults(token_limit=3_000, tokenizer_fn=str.split)
    for message in messages:
        kept.put(message)
    return kept


def chat(answer: str = ANSWER, **options: Any) -> ContextChatEngine:
    """A chat engine that searches for every message; options are the model's."""
    llm = FakeLLM(say=lambda _: answer, **options)
    return ContextChatEngine.from_defaults(retriever=FakeRetriever(), llm=llm, memory=memory())


def written(response: Any) -> Any:
    """Waits until a chat's streamed answer is written down, where a thread does that."""
    writer = getattr(response, "write_response_to_history_thread", None)
    if writer is not None:
        writer.join(20)
    return response


def tools(*engines: Any) -> list[QueryEngineTool]:
    """Tools that ask engines, called `tool0`, `tool1` and so on."""
    named = [f"tool{place}" for place in range(len(engines))]
    return [
        QueryEngineTool.from_defaults(one, name=name, description=name)
        for one, name in zip(engines, named, strict=True)
    ]


def router(*engines: Any) -> RouterQueryEngine:
    """An engine whose model chooses the last of others."""
    chooser = FakeLLM(say=lambda _: f'[{{"choice": {len(engines)}, "reason": "it fits"}}]')
    return RouterQueryEngine(LLMSingleSelector.from_defaults(llm=chooser), tools(*engines), llm=FakeLLM())


class Asking(Workflow):
    """Asks a query engine what it is asked itself."""

    @step
    async def ask(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=str(await engine().aquery(ev.question)))


def agent() -> Any:
    """An agent without tools, which says what it thinks."""
    llm = FakeLLM(say=lambda _: THOUGHT)
    if HAS_WORKFLOW_AGENTS:
        return import_module("llama_index.core.agent.workflow").ReActAgent(tools=[], llm=llm)
    return import_module("llama_index.core.agent").ReActAgent.from_tools([], llm=llm)


def ask_agent(asked: Any) -> str:
    """Puts the question to an agent."""
    return str(in_loop(lambda: asked.run(user_msg=QUESTION)) if HAS_WORKFLOW_AGENTS else asked.chat(QUESTION))


class City(BaseModel):
    """A structured answer."""

    name: str
    river: str


STRUCTURED = '{"name": "Basel", "river": "Rhine"}'


class Structured(BaseQueryEngine):
    """Answers with an object, whose response says that it has every attribute."""

    def _get_prompt_modules(self) -> Any:
        return {}

    def _query(self, query_bundle: QueryBundle) -> Any:
        FakeRetriever().retrieve(query_bundle)
        return PydanticResponse(City(name="Basel", river="Rhine"))

    async def _aquery(self, query_bundle: QueryBundle) -> Any:
        return self._query(query_bundle)


class Ending(Workflow):
    """Ends as it is told to."""

    @step
    async def ask(self, ev: StartEvent) -> StopEvent:
        found = await FakeRetriever().aretrieve(ev.question)
        ends: dict[str, Any] = {
            "a text": ANSWER,
            "a response": Response(ANSWER, source_nodes=found),
            "a mapping": {"answer": ANSWER, "nodes": found},
            "an object": City(name="Basel", river="Rhine"),
        }
        return StopEvent(result=ends[ev.how])


class Found(StopEvent):
    """An end of the user's own."""

    answer: str
    found: list[NodeWithScore]


class EndingIts(Workflow):
    """Ends with it."""

    @step
    async def ask(self, ev: StartEvent) -> Found:
        return Found(answer=ANSWER, found=await FakeRetriever().aretrieve(ev.question))
