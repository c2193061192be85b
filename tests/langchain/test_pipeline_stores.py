"""Retrievers over a vector store, which search it without a retriever of their own below them."""

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.structured_query import Comparator, Comparison, StructuredQuery, Visitor
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fakes import TEXTS, FakeChat, documents, join, rag
from usual_record import usual
from versions import classic
from whole_record import only_run, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")

QUESTION = "Where does the Rhine leave the Alps?"


class Words(Embeddings):
    """Counts of a few words: a is nearest to the question, then b."""

    def embed_query(self, text: str) -> list[float]:
        counts = [float(text.count(word)) for word in ("Rhine", "Alps", "harbours", "Jura", "Cheese")]
        return [*counts, 0.01]  # no text is without direction

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Store(InMemoryVectorStore):
    def _select_relevance_score_fn(self) -> Any:
        return lambda score: score


@pytest.fixture
def store() -> Store:
    pytest.importorskip("numpy")  # the in-memory store works with it
    return Store(Words())


@pytest.fixture
def ask() -> Iterator[Any]:
    with RagEvalCallbackHandler() as handler:

        def asked(retriever: Runnable[Any, Any], pack: Any = join) -> dict[str, Any]:
            rag(retriever=retriever, pack=pack).invoke(QUESTION, config={"callbacks": [handler]})
            return whole(only_run(handler))

        yield asked


def test_a_vector_store_retriever(ask: Any, store: Store) -> None:
    """The store's scores are lost on the way; the names of store and embedding are tags of the search alone."""
    store.add_documents(documents("abcd"))
    assert ask(store.as_retriever(search_kwargs={"k": 2})) == usual(
        question=QUESTION, chunks="a b", stages=[f"1 retrieve VectorStoreRetriever({QUESTION}): a b"]
    )


def test_a_store_searched_with_scores_in_plain_code(ask: Any, store: Store) -> None:
    """The common way to keep the scores: a function that writes them into the metadata."""
    store.add_documents(documents("abcd"))

    def search(question: str) -> list[Document]:
        found = store.similarity_search_with_score(question, k=2)
        return [document.model_copy(update={"metadata": {"score": round(score, 2)}}) for document, score in found]

    run = ask(RunnableLambda(search))
    assert run == usual(
        question=QUESTION,
        chunks="a b",
        stages=["1 retrieve search: a=1 b=0.5"],  # cosines of (1, 1) with (1, 1), and with (1, 0, 1)
        metadata_of={"a": {"score": 1.0}, "b": {"score": 0.5}},
    )


def test_a_parent_document_retriever(ask: Any, store: Store) -> None:
    """The search for child chunks is invisible; the parents are what was retrieved."""
    splitters = pytest.importorskip("langchain_text_splitters")
    retriever = classic("retrievers").ParentDocumentRetriever(
        vectorstore=store,
        docstore=classic("storage").InMemoryStore(),
        child_splitter=splitters.CharacterTextSplitter(separator=" ", chunk_size=40, chunk_overlap=0),
        search_kwargs={"k": 2},
    )
    retriever.add_documents(documents("abcd"), ids=list("abcd"))
    run = ask(retriever)
    assert run == usual(
        question=QUESTION, chunks="a b", stages=[f"1 retrieve ParentDocumentRetriever({QUESTION}): a b"]
    )


def test_a_multi_vector_retriever(ask: Any, store: Store) -> None:
    """Summaries are searched, and the documents they are of are returned."""
    retriever = classic("retrievers").MultiVectorRetriever(
        vectorstore=store, docstore=classic("storage").InMemoryStore(), search_kwargs={"k": 1}
    )
    store.add_documents([Document(page_content="Rhine, Alps", metadata={"doc_id": "a"})])
    retriever.docstore.mset([(key, documents(key)[0]) for key in "ab"])
    assert ask(retriever) == usual(
        question=QUESTION, chunks="a", stages=[f"1 retrieve MultiVectorRetriever({QUESTION}): a"]
    )


class Filters(Visitor):
    """Structured queries to the in-memory store: its filters are functions."""

    allowed_comparators = (Comparator.EQ,)

    def visit_comparison(self, comparison: Comparison) -> Any:
        return lambda document: document.metadata.get(comparison.attribute) == comparison.value

    def visit_operation(self, operation: Any) -> Any:
        raise NotImplementedError

    def visit_structured_query(self, structured_query: StructuredQuery) -> tuple[str, dict[str, Any]]:
        found = structured_query.filter
        return structured_query.query, {} if found is None else {"filter": found.accept(self)}


def test_a_self_query_retriever(ask: Any, store: Store) -> None:
    """The call that wrote the query is not the answer, and the question stays the user's."""
    store.add_documents(documents("abcd"))

    def parse(message: Any) -> StructuredQuery:
        query, source = message.content.split(" | ")
        wanted = Comparison(comparator=Comparator.EQ, attribute="source", value=source)
        return StructuredQuery(query=query, filter=wanted)

    model = FakeChat(say=lambda _: "Rhine harbours | b.txt")
    constructor = RunnableLambda(lambda asked: asked["query"]) | model | parse
    retriever = classic("retrievers").SelfQueryRetriever(
        vectorstore=store, query_constructor=constructor, structured_query_translator=Filters()
    )
    assert ask(retriever) == usual(
        question=QUESTION,
        chunks="b",
        stages=[f"1 retrieve SelfQueryRetriever({QUESTION}): b"],
        usage="2 200>10",
    )


def test_a_time_weighted_retriever(ask: Any, store: Store) -> None:
    retriever = classic("retrievers").TimeWeightedVectorStoreRetriever(vectorstore=store, k=2, decay_rate=0.01)
    retriever.add_documents(documents("abcd"))
    run = ask(retriever)
    for metadata in run.pop("metadata_of").values():
        assert metadata.keys() == {"source", "last_accessed_at", "created_at", "buffer_idx"}
    assert run == usual(
        question=QUESTION,
        chunks="a b",
        stages=[f"1 retrieve TimeWeightedVectorStoreRetriever({QUESTION}): a b"],
        sources="a.txt b.txt",
    )


def test_a_retriever_written_by_hand_that_uses_a_store(ask: Any, store: Store) -> None:
    """Documents that the store gave no id of their own are named by their texts."""
    store.add_documents([Document(page_content=TEXTS[key]) for key in "ab"])

    def search(question: str) -> list[Document]:
        found = store.similarity_search(question, k=2)
        return [Document(page_content=document.page_content) for document in found]

    run = ask(RunnableLambda(search))
    first, second = run["chunks"].split()
    assert run == usual(
        question=QUESTION,
        chunks=run["chunks"],
        stages=[f"1 retrieve search: {first} {second}"],
        texts={first: TEXTS["a"], second: TEXTS["b"]},
    )
