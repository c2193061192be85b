"""A LangGraph graph with its own search: attached once with `with_config`, every question gives a record.

The node `retrieve` asks a store directly, so LangChain reports no retriever. The documents that the node puts into the
state are taken as its search, and those that `choose` returns as a choice of them.
"""

from typing import TypedDict

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langgraph.graph import END, START, StateGraph

from rag_eval_hooks.sinks import MemorySink
from rag_eval_hooks_langchain import RagEvalCallbackHandler

STORE = [
    Document(id="lid", page_content="The lid of the pot must not go into the oven."),
    Document(id="pot", page_content="The pot stands heat up to 230 degrees."),
    Document(id="care", page_content="Clean the pot by hand, without steel wool."),
]


class State(TypedDict, total=False):
    question: str
    documents: list[Document]
    answer: str


def retrieve(state: State) -> State:  # noqa: ARG001  a real store would search
    return {"documents": STORE}


def choose(state: State) -> State:
    return {"documents": state["documents"][:2]}


model = FakeListChatModel(responses=["The pot stands 230 degrees [2].", "Clean it by hand."])
prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")


def generate(state: State) -> State:
    context = "\n".join(f"[{number}] {document.page_content}" for number, document in enumerate(state["documents"], 1))
    return {"answer": str((prompt | model).invoke({"context": context, "question": state["question"]}).content)}


graph = StateGraph(State)
graph.add_node("retrieve", retrieve)
graph.add_node("choose", choose)
graph.add_node("generate", generate)
graph.add_edge(START, "retrieve")
graph.add_edge("retrieve", "choose")
graph.add_edge("choose", "generate")
graph.add_edge("generate", END)

sink = MemorySink()
handler = RagEvalCallbackHandler(sinks=[sink])
app = graph.compile().with_config(callbacks=[handler])
app.invoke({"question": "How hot may the pot get?"})
app.invoke({"question": "How do I clean the pot?"})
handler.close(timeout=10)

for run, evaluation in sink.records:
    print(f"\n{run.status}: {run.question}")
    for stage in run.stages:
        print(f"{stage.kind} {stage.name}: {', '.join(run.chunks[item.chunk].id for item in stage.items)}")
    print(f"in the prompt: {', '.join(run.chunks[item.chunk].id for item in run.context)}")
    for claim in evaluation.claims:
        print(f"claim: {claim.verdict}: {claim.text}")
    for finding in evaluation.findings:
        print(f"finding: {finding.kind}: {finding.why}")
