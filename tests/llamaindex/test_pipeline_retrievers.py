"""Retrievers around retrievers, those of indexes, and nodes that stand for others: every list as a stage."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from asking import ONCE, ask
from llama_index.core import StorageContext, SummaryIndex, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.retrievers import (
    AutoMergingRetriever,
    BaseRetriever,
    QueryFusionRetriever,
    RecursiveRetriever,
    RouterRetriever,
    TransformRetriever,
)
from llama_index.core.schema import IndexNode, NodeRelationship, NodeWithScore, QueryBundle, TextNode
from llama_index.core.selectors import LLMMultiSelector, LLMSingleSelector
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.tools import RetrieverTool
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from postprocessor_fakes import Mine
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")

Run = Callable[..., dict[str, Any]]


@pytest.fixture(params=ONCE)
def run(request: pytest.FixtureRequest, attachment: Attachment) -> Run:
    """The whole record of a question to an engine with this retriever."""

    def asked(retriever: BaseRetriever) -> dict[str, Any]:
        assert ask(engine(retriever=retriever), request.param) == ANSWER
        return whole(only_run(attachment))

    return asked


def inner(found: str, query: str = QUESTION) -> str:
    return f"1 retrieve FakeRetriever({query}): {found} (inner)"


def prompted(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(str(message.content) for message in messages)


# Indexes -------------------------------------------------------------------------------------------------------------


class Letters(BaseEmbedding):
    """Each fake text has a direction of its own, and a question one nearer to a than to b, and to b than to c."""

    def _vector(self, text: str) -> list[float]:
        keys = [key for key in TEXTS if TEXTS[key] in text]
        return [1.0 if key in keys else 0.0 for key in "abcd"] if keys else [0.8, 0.6, 0.0, 0.0]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._vector(query)


def vector_index(keys: str = "abcd") -> VectorStoreIndex:
    return VectorStoreIndex([one.node for one in nodes(keys)], embed_model=Letters())


def test_a_vector_index(run: Run) -> None:
    """Embeddings leave no trace in the record."""
    assert run(vector_index().as_retriever(similarity_top_k=2)) == expected(
        chunks="a b", stages=[f"1 retrieve VectorIndexRetriever({QUESTION}): a=0.8 b=0.6"], context="a b"
    )


@pytest.mark.parametrize("way", ONCE)
def test_the_engine_of_an_index(attachment: Attachment, way: str) -> None:
    ask(vector_index().as_query_engine(llm=FakeLLM(), similarity_top_k=1), way)
    assert whole(only_run(attachment)) == expected(
        chunks="a", stages=[f"1 retrieve VectorIndexRetriever({QUESTION}): a=0.8"], context="a"
    )


def test_a_summary_index(run: Run) -> None:
    """It returns everything, without scores."""
    assert run(SummaryIndex([one.node for one in nodes()]).as_retriever()) == expected(
        stages=[f"1 retrieve SummaryIndexRetriever({QUESTION}): a b c"]
    )


def test_bm25(run: Run) -> None:
    bm25 = pytest.importorskip("llama_index.retrievers.bm25")
    retriever = bm25.BM25Retriever.from_defaults(nodes=[one.node for one in nodes()], similarity_top_k=1)
    found = run(retriever)
    assert found["stages"][0].startswith(f"1 retrieve BM25Retriever({QUESTION}): a=")
    assert found["context"] == "a"


# Several searches ----------------------------------------------------------------------------------------------------


def fusing(mode: str, **options: Any) -> QueryFusionRetriever:
    options = {"num_queries": 1, "use_async": False, "similarity_top_k": 3} | options
    return QueryFusionRetriever([FakeRetriever("ab"), FakeRetriever("bc")], mode=mode, **options)


@pytest.mark.parametrize(
    ("mode", "order"),
    [
        # 1/61 + 1/60, 1/60, 1/61
        pytest.param("reciprocal_rerank", "b=0.0330601 a=0.0166667 c=0.0163934", id="reciprocal_rerank"),
        # a and b are the best of their lists, each of which weighs half
        pytest.param("relative_score", "a=0.5 b=0.5 c=0", id="relative_score"),
        pytest.param("dist_based_score", "b=0.5 a=0.333333 c=0.166667", id="dist_based_score"),
        pytest.param("simple", "a b c", id="simple: the search's own scores"),
    ],
)
def test_fusing_the_lists_of_two_searches(run: Run, mode: str, order: str) -> None:
    """The fused scores are written into the nodes that were found: the searches keep theirs."""
    ids = " ".join(item[0] for item in order.split())
    assert run(fusing(mode)) == expected(
        chunks=ids,
        stages=[f"1 fuse QueryFusionRetriever({QUESTION}): {order}", inner("a=0.9 b=0.8"), inner("b=0.9 c=0.8")],
        context=ids,
    )


@pytest.mark.parametrize("use_async", [False, True])
def test_fusing_the_lists_of_several_queries(attachment: Attachment, use_async: bool) -> None:
    """The model that writes the queries is asked below the retriever: what it says is not the answer."""
    llm = FakeLLM(say=lambda _: "Basel Rhine\nRhine Alps")
    ask(engine(retriever=fusing("simple", num_queries=3, llm=llm, use_async=use_async)), "query")
    found = whole(only_run(attachment))
    first, *others = found.pop("stages")
    assert first == f"1 multi_query QueryFusionRetriever({QUESTION}): a b c"
    assert sorted(others) == sorted(
        inner(keys, query)
        for query in (QUESTION, "Basel Rhine", "Rhine Alps")
        for keys in ("a=0.9 b=0.8", "b=0.9 c=0.8")
    )
    assert found == expected(stages=None, usage="2 200>10")


class Hybrid(BaseRetriever):
    """A retriever as one writes it oneself: two searches, and a list made of both."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.meaning = FakeRetriever("ab"), FakeRetriever("bc")

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = [*self.words.retrieve(query_bundle), *self.meaning.retrieve(query_bundle)]
        best = {one.node.node_id: one for one in found}
        return [best[key] for key in ("b", "a")]


def test_a_retriever_of_ones_own_around_two(run: Run) -> None:
    assert run(Hybrid()) == expected(
        chunks="b a c",
        stages=[f"1 fuse Hybrid({QUESTION}): b a", inner("a=0.9 b=0.8"), inner("b=0.9 c=0.8")],
        context="b a",
    )


def choosing(number: int, *more: int) -> FakeLLM:
    choices = ", ".join(f'{{"choice": {one}, "reason": "fits"}}' for one in (number, *more))
    return FakeLLM(say=lambda _: f"[{choices}]")


def two_tools() -> list[RetrieverTool]:
    return [
        RetrieverTool.from_defaults(FakeRetriever(keys), description=words)
        for keys, words in (("ab", "about towns"), ("bc", "about rivers"))
    ]


def test_a_router_of_one(run: Run) -> None:
    """It returns what the chosen search returned: a search through another, no reranking."""
    assert run(RouterRetriever(LLMSingleSelector.from_defaults(llm=choosing(2)), two_tools())) == expected(
        chunks="b c",
        stages=[f"1 retrieve RouterRetriever({QUESTION}): b c", inner("b=0.9 c=0.8")],
        context="b c",
        usage="2 200>10",
    )


def test_a_router_of_both(run: Run) -> None:
    assert run(RouterRetriever(LLMMultiSelector.from_defaults(llm=choosing(2, 1)), two_tools())) == expected(
        chunks="b c a",
        stages=[f"1 fuse RouterRetriever({QUESTION}): b c a", inner("b=0.9 c=0.8"), inner("a=0.9 b=0.8")],
        context="b c a",
        usage="2 200>10",
    )


# Other queries -------------------------------------------------------------------------------------------------------

MADE_UP = "The Rhine flows through the city of Basel, and then through Strasbourg."


def test_a_search_by_a_made_up_passage(run: Run) -> None:
    """The passage is only embedded: it is neither the query, nor a chunk, nor the answer."""
    transform = HyDEQueryTransform(llm=FakeLLM(say=lambda _: MADE_UP))
    assert run(TransformRetriever(FakeRetriever(), transform)) == expected(
        stages=[f"1 retrieve TransformRetriever({QUESTION}): a b c", inner("a=0.9 b=0.8 c=0.7")], usage="2 200>10"
    )


# Nodes that stand for others -----------------------------------------------------------------------------------------


def merging() -> AutoMergingRetriever:
    """a and b are parts of p, and most of it was found."""
    parent = TextNode(id_="p", text=f"{TEXTS['a']} {TEXTS['b']}", metadata={"source": "p.txt"})
    leaves = [one.node for one in nodes("ab")]
    parent.relationships[NodeRelationship.CHILD] = [leaf.as_related_node_info() for leaf in leaves]
    for leaf in leaves:
        leaf.relationships[NodeRelationship.PARENT] = parent.as_related_node_info()
    found = [*leaves, nodes("c")[0].node]
    store = SimpleDocumentStore()
    store.add_documents([parent, *found])
    search = FakeRetriever(
        find=lambda _: [
            NodeWithScore(node=node, score=score) for node, score in zip(found, (0.9, 0.8, 0.7), strict=True)
        ]
    )
    return AutoMergingRetriever(search, StorageContext.from_defaults(docstore=store))


def test_parts_that_are_merged_into_their_parent(run: Run) -> None:
    """What was put together from several parts is derived from none of them."""
    assert run(merging()) == expected(
        chunks="p c a b",
        stages=[f"1 refine AutoMergingRetriever({QUESTION}): p=0.85 c", inner("a=0.9 b=0.8 c=0.7")],
        context="p c",
        texts={"p": f"{TEXTS['a']} {TEXTS['b']}"},
    )


SUMMARY = "Notes on the Rhine and the towns along it."


def pointing(**to: Any) -> FakeRetriever:
    """Finds one node that stands for something else."""
    return FakeRetriever(
        find=lambda _: [NodeWithScore(node=IndexNode(id_="i", text=SUMMARY, **{"index_id": "there"} | to), score=0.9)]
    )


def of(keys: str, **texts: str) -> dict[str, Any]:
    """What the record says of these chunks, beside others without metadata."""
    return {
        "texts": texts,
        "metadata_of": {key: {"source": f"{key}.txt"} for key in keys},
        "sources": " ".join(f"{key}.txt" for key in keys),
    }


def test_a_node_that_points_at_a_retriever(run: Run) -> None:
    retriever = RecursiveRetriever("root", {"root": pointing(), "there": FakeRetriever("bc")})
    assert run(retriever) == expected(
        chunks="b c i",
        stages=[f"1 fuse RecursiveRetriever({QUESTION}): b c", inner("i=0.9"), inner("b=0.9 c=0.8")],
        context="b c",
        **of("bc", i=SUMMARY),
    )


def test_a_node_that_points_at_a_larger_one(run: Run) -> None:
    """As with small chunks of which the whole parents are read."""
    retriever = RecursiveRetriever("root", {"root": pointing()}, node_dict={"there": nodes("a")[0].node})
    assert run(retriever) == expected(
        chunks="a i",
        stages=[f"1 refine RecursiveRetriever({QUESTION}): a=0.9", inner("i=0.9")],
        context="a",
        **of("a", i=SUMMARY),
    )


def test_a_node_that_points_at_an_engine(run: Run) -> None:
    """What the inner engine answers is what was found; its call is not the answer, its search not one for it."""
    inside = engine("Basel, it says.", "ab", node_postprocessors=[])
    retriever = RecursiveRetriever("root", {"root": pointing()}, query_engine_dict={"there": inside})
    found = run(retriever)
    (made,) = (name for name in found["chunks"].split() if name not in ("i", "a", "b"))
    assert found == expected(
        chunks=f"{made} i a b",
        stages=[f"1 fuse RecursiveRetriever({QUESTION}): {made}=0.9", inner("i=0.9"), inner("a=0.9 b=0.8")],
        context=made,
        usage="2 200>10",
        **of("ab", i=SUMMARY, **{made: f"Query: {QUESTION}\nResponse: Basel, it says."}),
    )


@pytest.mark.parametrize("scored", [True, False])
def test_a_node_that_points_at_an_engine_with_a_reranker(run: Run, scored: bool) -> None:
    """What the reranker inside made is of the search it is in, and counts no more than that."""

    def rerank(found: list[NodeWithScore]) -> list[NodeWithScore]:
        for place, one in enumerate(found):
            one.score = place + 1.0 if scored else one.score
        return found[::-1]

    inside = engine("Basel, it says.", "ab", node_postprocessors=[Mine(make=rerank)])
    found = run(RecursiveRetriever("root", {"root": pointing()}, query_engine_dict={"there": inside}))
    assert found["stages"][1:] == [
        inner("i=0.9"),
        inner("a=0.9 b=0.8"),
        f"1 rerank Mine: {'b=2 a=1' if scored else 'b a'} (inner)",
    ]


def test_a_node_that_holds_a_retriever(run: Run) -> None:
    assert run(pointing(obj=FakeRetriever("bc"))) == expected(
        chunks="b c",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): b c", inner("b=0.9 c=0.8")],
        context="b c",
    )


def test_a_node_that_holds_an_engine(run: Run) -> None:
    found = run(pointing(obj=engine("Basel, it says.", "bc")))
    made = found["chunks"].split()[0]
    assert found["stages"] == [f"1 refine FakeRetriever({QUESTION}): {made}=0.9", inner("b=0.9 c=0.8")]
    assert (found["context"], found["usage"], found["texts"]) == (made, "2 200>10", {made: "Basel, it says."})


def test_a_node_that_holds_another(run: Run) -> None:
    assert run(pointing(obj=nodes("b")[0].node)) == expected(
        chunks="b", stages=[f"1 retrieve FakeRetriever({QUESTION}): b=0.9"], context="b"
    )


# Alone ---------------------------------------------------------------------------------------------------------------

FOUND_ONLY = {
    "answer": None,
    "context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
    "context_source": "last_stage",
    "usage": "0 None>None",
    "answer_usage": None,
}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_retriever_alone(attachment: Attachment, is_async: bool) -> None:
    import asyncio

    found = asyncio.run(FakeRetriever().aretrieve(QUESTION)) if is_async else FakeRetriever().retrieve(QUESTION)
    assert [one.node.node_id for one in found] == ["a", "b", "c"]
    assert whole(only_run(attachment)) == expected(**FOUND_ONLY)


def test_a_retriever_that_fails(attachment: Attachment) -> None:
    with pytest.raises(LookupError, match="no store"):
        engine(retriever=FakeRetriever(error=LookupError("no store"))).query(QUESTION)
    assert whole(only_run(attachment)) == expected(
        status="error",
        error="LookupError",
        chunks=None,
        stages=None,
        **(FOUND_ONLY | {"context": None}),
    )


def test_one_of_two_searches_that_fails(attachment: Attachment) -> None:
    """The engine does without it: a try that failed."""

    class Lenient(Hybrid):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            try:
                self.meaning.retrieve(query_bundle)
            except ConnectionError:
                return self.words.retrieve(query_bundle)
            raise AssertionError

    retriever = Lenient()
    retriever.meaning = FakeRetriever(error=ConnectionError())
    ask(engine(retriever=retriever), "query")
    assert whole(only_run(attachment)) == expected(
        chunks="a b",
        stages=[f"1 retrieve Lenient({QUESTION}): a b", inner("a=0.9 b=0.8")],
        context="a b",
        attempts=["retriever FakeRetriever: ConnectionError"],
    )
