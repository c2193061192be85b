"""Attach the evaluation to a LangChain chain: one callback in `config`, nothing else changes."""

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough

from rag_eval_hooks.sinks import MemorySink
from rag_eval_hooks_langchain import RagEvalCallbackHandler


class Shelf(BaseRetriever):
    def _get_relevant_documents(
        self,
        query: str,  # noqa: ARG002  a real retriever would search
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return [
            Document(id="returns", page_content="Goods can be returned within 30 days of delivery."),
            Document(id="warranty", page_content="The warranty on kettles is 24 months from the date of purchase."),
        ]


def numbered(documents: list[Document]) -> str:
    return "\n".join(f"[{number}] {document.page_content}" for number, document in enumerate(documents, 1))


# A model that always says this: the first sentence is right, the second is not in the context.
model = FakeListChatModel(responses=["The warranty on kettles is 24 months [2]. Kettles are shipped from Hamburg [1]."])
prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
chain = {"context": Shelf() | numbered, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

sink = MemorySink()
handler = RagEvalCallbackHandler(sinks=[sink])
print(chain.invoke("How long is the warranty on a kettle?", config={"callbacks": [handler]}))
handler.close(timeout=10)

for run, evaluation in sink.records:
    print(f"\nquestion: {run.question}")
    for chunk in evaluation.chunks:
        print(f"chunk {chunk.rank} {chunk.id}: {chunk.use}")
    for claim in evaluation.claims:
        print(f"claim: {claim.verdict}: {claim.text}")
    for finding in evaluation.findings:
        print(f"finding: {finding.kind}: {finding.why}")
    for result in evaluation.results:
        if result.value is not None:
            print(f"{result.metric} {result.value:.3f}")
