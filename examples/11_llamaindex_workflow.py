"""A workflow of your own with its own search: every run is a question, and its steps are the stages.

The step `find` asks a store directly, so LlamaIndex reports no retriever. The nodes in the event that it returns are
taken as its search, and those that `choose` returns as a choice of them.
"""

import asyncio

from llama_index.core.prompts import PromptTemplate
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from offline import Scripted

from rag_eval_hooks_llamaindex import attach

STORE = [
    NodeWithScore(node=TextNode(id_="lid", text="The lid of the pot must not go into the oven."), score=0.9),
    NodeWithScore(node=TextNode(id_="pot", text="The pot stands heat up to 230 degrees."), score=0.8),
    NodeWithScore(node=TextNode(id_="care", text="Clean the pot by hand, without steel wool."), score=0.4),
]
PROMPT = PromptTemplate("{context}\n\nQuestion: {question}")
model = Scripted(script=["The pot stands 230 degrees [2].", "Clean it by hand."])


class Found(Event):
    question: str
    nodes: list[NodeWithScore]


class Chosen(Event):
    question: str
    nodes: list[NodeWithScore]


class Answering(Workflow):
    @step
    async def find(self, start: StartEvent) -> Found:
        return Found(question=start.question, nodes=STORE)  # a real store would search

    @step
    async def choose(self, found: Found) -> Chosen:
        return Chosen(question=found.question, nodes=found.nodes[:2])

    @step
    async def answer(self, chosen: Chosen) -> StopEvent:
        context = "\n".join(f"[{number}] {one.get_content()}" for number, one in enumerate(chosen.nodes, 1))
        return StopEvent(result=await model.apredict(PROMPT, context=context, question=chosen.question))


async def main() -> None:
    workflow = Answering()
    await workflow.run(question="How hot may the pot get?")
    await workflow.run(question="How do I clean the pot?")


with attach() as attachment:
    asyncio.run(main())
    records = attachment.records

for record in records:
    run, evaluation = record.run, record.evaluation
    print(f"\n{run.status}: {run.question}")
    for stage in run.stages:
        print(f"{stage.kind} {stage.name}: {', '.join(run.chunks[item.chunk].id for item in stage.items)}")
    print(f"in the prompt: {', '.join(run.chunks[item.chunk].id for item in run.context)}")
    for claim in evaluation.claims:
        print(f"claim: {claim.verdict}: {claim.text}")
    for finding in evaluation.findings:
        print(f"finding: {finding.kind}: {finding.why}")
