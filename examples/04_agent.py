"""An agent that searches twice is one question: one record, two rounds of search, the answer checked against both."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import create_retriever_tool

from rag_eval_hooks.sinks import MemorySink
from rag_eval_hooks_langchain import RagEvalCallbackHandler

SHELF = [
    Document(id="ferry", page_content="The ferry to the island leaves at 9 in the morning."),
    Document(id="ticket", page_content="A ticket for the ferry costs 14 euros."),
    Document(id="hotel", page_content="The hotel on the island has 40 rooms and opens in April."),
]


class Shelf(BaseRetriever):
    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return [document for document in SHELF if any(word in document.page_content for word in query.split())]


class Scripted(GenericFakeChatModel):
    """A model that says what is written in its script; a real one would choose the tool and its query itself."""

    def bind_tools(self, tools: Any, **_: Any) -> "Scripted":  # noqa: ARG002
        return self


def search(query: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "search", "args": {"query": query}, "id": query}])


# The price is wrong.
answer = AIMessage("The ferry leaves at 9 in the morning. A ticket costs 24 euros. The hotel has 40 rooms.")
model = Scripted(messages=iter([search("ferry"), search("hotel"), answer]))
agent = create_agent(model, [create_retriever_tool(Shelf(), "search", "Searches the travel guide.")])

sink = MemorySink()
handler = RagEvalCallbackHandler(sinks=[sink])
question = {"role": "user", "content": "When does the ferry leave, what does it cost, and how big is the hotel?"}
agent.invoke({"messages": [question]}, config={"callbacks": [handler]})
handler.close(timeout=10)

for run, evaluation in sink.records:
    print(f"{run.status}: {run.question}")
    for stage in run.stages:
        found = ", ".join(run.chunks[item.chunk].id for item in stage.items)
        print(f"round {stage.round}: {stage.query!r} found {found}")
    print(f"model calls: {run.usage.model_calls}")
    for chunk in evaluation.chunks:
        print(f"chunk {chunk.id}: {chunk.use}")
    for claim in evaluation.claims:
        print(f"claim: {claim.verdict}: {claim.text}")
