"""What counts as retrieved and as context while a request runs: scenarios of the live mode, by their ids.

live-14 knows of no call that hands documents to the handler: a step that returns them takes its place.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.runnables import RunnableLambda
from langchain_fakes import FakeChat, FakeRetriever, documents, join, rag
from usual_record import ANSWER, expected
from versions import classic, needs_classic
from whole_record import measured, only_run, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler


class Shortening(BaseDocumentCompressor):
    """Keeps the beginnings of three of ten documents."""

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: Any = None) -> list[Document]:
        return [
            Document(id=documents[n].id, page_content=documents[n].page_content[:40], metadata=documents[n].metadata)
            for n in (6, 1, 4)
        ]


# live-06
@needs_classic
def test_a_compressing_retriever_around_another(handler: RagEvalCallbackHandler) -> None:
    def find(_: str) -> list[Document]:
        return [
            Document(id=f"d{n}", page_content=f"Document {n} tells of harbour {n} on the river, at length.")
            for n in range(1, 11)
        ]

    retriever = classic("retrievers").ContextualCompressionRetriever(
        base_retriever=FakeRetriever(find=find), base_compressor=Shortening()
    )
    rag(retriever=retriever).invoke("Q?", config={"callbacks": [handler]})
    ten = {document.id: document.page_content for document in find("")}
    short = ["d7", "d2", "d5"]
    run = only_run(handler)
    assert [(chunk.id, chunk.text) for chunk in run.context_chunks()] == [(key, ten[key][:40]) for key in short]
    found = whole(run)
    # An id that was shortened is there twice: as it was found, and as it was kept.
    del found["texts"]
    assert found == expected(
        chunks=" ".join([*short, *ten]),
        derived={key: key for key in short},
        stages=[
            "1 refine ContextualCompressionRetriever(Q?): d7 d2 d5",
            f"1 retrieve FakeRetriever(Q?): {' '.join(ten)} (inner)",
        ],
        context="d7 d2 d5",
    )
    assert run.retrieved_ids == ("d7", "d2", "d5")


# live-07
def test_a_reranker_between_the_retriever_and_the_prompt(handler: RagEvalCallbackHandler) -> None:
    def rerank(found: list[Document]) -> list[Document]:
        kept = [found[2], found[0]]
        for document, score in zip(kept, (0.9, 0.4), strict=True):
            document.metadata["relevance_score"] = score
        return kept

    step = RunnableLambda(rerank).with_config(run_name="rerank")
    model = FakeChat(say=lambda _: "The Jura mountains gave the Jurassic its name.")
    rag(model, FakeRetriever(keys="abcd") | step).invoke("What named the Jurassic?", config={"callbacks": [handler]})
    found = whole(only_run(handler))
    assert found == expected(
        question="What named the Jurassic?",
        answer="The Jura mountains gave the Jurassic its name.",
        chunks="a b c d",
        stages=[
            "1 retrieve FakeRetriever(What named the Jurassic?): a b c d (inner)",
            "1 postprocess rerank: c=0.9 a=0.4",
        ],
        context="c a",
    )
    assert measured(handler)["ContextPrecision"] == 1.0


# live-14
def test_documents_that_no_event_tells_of(handler: RagEvalCallbackHandler) -> None:
    """A plain function puts them straight into the prompt: not seen is not the same as bad."""
    rag(retriever=RunnableLambda(lambda _: join(documents("ab"))), pack=str).invoke(
        "Q?", config={"callbacks": [handler]}
    )
    assert whole(only_run(handler)) == {
        "question": "Q?",
        "answer": ANSWER,
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }
    assert measured(handler)["ContextPrecision"] == "no_context"


# live-14
def test_documents_that_a_step_returns(handler: RagEvalCallbackHandler) -> None:
    search = RunnableLambda(lambda _: documents("ab")).with_config(run_name="my_search")
    rag(retriever=search).invoke("Q?", config={"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(chunks="a b", stages=["1 retrieve my_search: a b"], context="a b")
    assert measured(handler)["ContextPrecision"] == 1.0
