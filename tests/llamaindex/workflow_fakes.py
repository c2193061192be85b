"""Workflows as people write them, for the tests of their steps and of their ends."""

import asyncio
from typing import Any

from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from llamaindex_fakes import QUESTION, FakeLLM, FakeRetriever

__all__ = ["CHOSEN", "FOUND", "NUMBERED", "Found", "Rag", "Ranked", "keep", "kept", "run", "written"]

NUMBERED = {"citations": {"rule": "prompt"}}
FOUND = f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7"


def written(query: str, found: list[NodeWithScore]) -> str:
    """An answer by a prompt of one's own."""
    numbered = "\n".join(f"[{number}] {one.node.get_content()}" for number, one in enumerate(found, 1))
    return str(FakeLLM().complete(f"{numbered}\n\n{query}"))


def run(workflow: Workflow, **given: Any) -> Any:
    """Runs a workflow to its end."""

    async def ran() -> Any:
        return await workflow.run(**({"query": QUESTION} | given))

    return asyncio.run(ran())


async def keep(context: Any, key: str, value: Any) -> None:
    """Puts something into a run's state, as each version does it."""
    await (context.store.set(key, value) if hasattr(context, "store") else context.set(key, value))


async def kept(context: Any, key: str) -> Any:
    return await (context.store.get(key) if hasattr(context, "store") else context.get(key))


class Found(Event):
    query: str
    nodes: list[Any]


class Ranked(Event):
    query: str
    nodes: list[Any]


class Rag(Workflow):
    """A search, a choice, and an answer by a synthesizer."""

    @step
    async def retrieve(self, ev: StartEvent) -> Found:
        return Found(query=ev.query, nodes=await FakeRetriever().aretrieve(ev.query))

    @step
    async def rank(self, ev: Found) -> Ranked:
        return Ranked(query=ev.query, nodes=ev.nodes[::-1][:2])

    @step
    async def synthesize(self, ev: Ranked) -> StopEvent:
        made = get_response_synthesizer(llm=FakeLLM())
        return StopEvent(result=await made.asynthesize(ev.query, ev.nodes))


CHOSEN = {"stages": [f"{FOUND} (inner)", "1 postprocess Rag.rank: c b"], "context": "c b"}
