"""An agent that searches twice is one question: one record, two rounds of search, the answer checked against both."""

import asyncio

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from offline import Scripted

from rag_eval_hooks_llamaindex import attach

SHELF = [
    TextNode(id_="ferry", text="The ferry to the island leaves at 9 in the morning."),
    TextNode(id_="ticket", text="A ticket for the ferry costs 14 euros."),
    TextNode(id_="hotel", text="The hotel on the island has 40 rooms and opens in April."),
]


class Shelf(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        words = query_bundle.query_str.split()
        return [NodeWithScore(node=node) for node in SHELF if any(word in node.text for word in words)]


retriever = Shelf()


# Asynchronous: up to core 0.14.21 an agent runs a plain function in a thread that nothing links to its question.
async def search(query: str) -> str:
    """Searches the travel guide."""
    return "\n".join(found.get_content() for found in await retriever.aretrieve(query))


def asks_for(query: str) -> str:
    """How a model of the ReAct kind calls a tool; a real one would choose the tool and its query itself."""
    return f'Thought: I need to look it up.\nAction: search\nAction Input: {{"query": "{query}"}}'


# The price is wrong.
answer = "The ferry leaves at 9 in the morning. A ticket costs 24 euros. The hotel has 40 rooms."
model = Scripted(script=[asks_for("ferry"), asks_for("hotel"), f"Thought: I can answer.\nAnswer: {answer}"])


async def main() -> None:
    agent = ReActAgent(tools=[search], llm=model)
    await agent.run("When does the ferry leave, what does it cost, and how big is the hotel?")


with attach() as attachment:
    asyncio.run(main())
    run, evaluation = attachment.last.run, attachment.last.evaluation

print(f"{run.status}: {run.question}")
for stage in run.stages:
    found = ", ".join(run.chunks[item.chunk].id for item in stage.items)
    print(f"round {stage.round}: {stage.query!r} found {found}")
print(f"model calls: {run.usage.model_calls}")
for chunk in evaluation.chunks:
    print(f"chunk {chunk.id}: {chunk.use}")
for claim in evaluation.claims:
    print(f"claim: {claim.verdict}: {claim.text}")
