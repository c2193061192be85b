"""A streamed answer is evaluated once, when the stream has ended; one that was left early is recorded as such."""

from itertools import islice

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough

from rag_eval_hooks.sinks import MemorySink
from rag_eval_hooks_langchain import RagEvalCallbackHandler

ANSWER = "The museum opens at 10 in the morning [1]. It is closed on Mondays [1]."


class Shelf(BaseRetriever):
    def _get_relevant_documents(
        self,
        query: str,  # noqa: ARG002  a real retriever would search
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        text = "The museum opens at 10 in the morning and closes at 6. It is closed on Mondays."
        return [Document(id="hours", page_content=text)]


def numbered(documents: list[Document]) -> str:
    return "\n".join(f"[{number}] {document.page_content}" for number, document in enumerate(documents, 1))


model = GenericFakeChatModel(messages=iter([AIMessage(ANSWER), AIMessage(ANSWER)]))
prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
chain = {"context": Shelf() | numbered, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

sink = MemorySink()
handler = RagEvalCallbackHandler(sinks=[sink])

for token in chain.stream("When does the museum open?", config={"callbacks": [handler]}):
    print(token, end="", flush=True)
print()

leaving_early = chain.stream("Is it open on Mondays?", config={"callbacks": [handler]})
print("".join(islice(leaving_early, 5)), "... the reader leaves")
leaving_early.close()

handler.close(timeout=10)
for run, evaluation in sink.records:
    first = run.time_to_first_token_ms
    seen = "unknown" if first is None else f"{first:.1f} ms"
    print(f"\n{run.status}: {run.question}\n  first token after {seen}; the reader saw: {run.answer!r}")
    for claim in evaluation.claims:
        print(f"  {claim.verdict}: {claim.text}")
