"""Node postprocessors: what each did to the list it was given, and whose the scores are."""

import sys
from collections.abc import Callable, Sequence
from datetime import date
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
from asking import ONCE, ask
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.postprocessor import (
    AutoPrevNextNodePostprocessor,
    FixedRecencyPostprocessor,
    KeywordNodePostprocessor,
    LLMRerank,
    LongContextReorder,
    MetadataReplacementPostProcessor,
    PrevNextNodePostprocessor,
    SimilarityPostprocessor,
)
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import SimpleDocumentStore
from llamaindex_fakes import QUESTION, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from postprocessor_fakes import EMPTY, Reranker, done
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(params=ONCE)
def run(request: pytest.FixtureRequest, attachment: Attachment) -> Callable[..., dict[str, Any]]:
    """The whole record of a question to an engine with these postprocessors, asked in both ways."""

    def asked(*postprocessors: BaseNodePostprocessor, **options: Any) -> dict[str, Any]:
        ask(engine(node_postprocessors=list(postprocessors), **options), request.param)
        return whole(only_run(attachment))

    asked.way = request.param  # type: ignore[attr-defined]
    return asked


# LlamaIndex's own ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cutoff", "left"), [(0.75, "a b"), (0.1, "a b c")], ids=["leaves one out", "leaves nothing out"]
)
def test_a_threshold(run: Any, cutoff: float, left: str) -> None:
    """It is a stage also where it changed nothing; it gives no scores of its own."""
    assert run(SimilarityPostprocessor(similarity_cutoff=cutoff)) == done(
        f"1 postprocess SimilarityPostprocessor: {left}", context=left
    )


def test_a_threshold_that_nothing_passes(run: Any) -> None:
    assert run(SimilarityPostprocessor(similarity_cutoff=0.95)) == done(
        "1 postprocess SimilarityPostprocessor: ", **EMPTY
    )


def test_keywords(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for spaCy, which is only asked to look for words."""

    class PhraseMatcher:
        def __init__(self, _: Any) -> None:
            self.words: list[str] = []

        def add(self, _: str, words: Sequence[str]) -> None:
            self.words += words

        def __call__(self, text: str) -> list[str]:
            return [word for word in self.words if word in text]

    def nlp(text: str) -> str:
        return text

    nlp.vocab, nlp.pipe = None, list  # type: ignore[attr-defined]
    spacy, matcher = ModuleType("spacy"), ModuleType("spacy.matcher")
    spacy.__dict__["blank"] = lambda _: nlp
    matcher.__dict__["PhraseMatcher"] = PhraseMatcher
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    monkeypatch.setitem(sys.modules, "spacy.matcher", matcher)
    keep = KeywordNodePostprocessor(required_keywords=["Rhine"], exclude_keywords=["harbours"])
    assert run(keep) == done("1 postprocess KeywordNodePostprocessor: a", context="a")


def test_the_best_at_both_ends(run: Any) -> None:
    assert run(LongContextReorder()) == done("1 rerank LongContextReorder: a c b", context="a c b")


def test_the_newest(run: Any) -> None:
    pytest.importorskip("pandas")
    days = {"a": date(2020, 1, 1), "b": date(2022, 1, 1), "c": date(2021, 1, 1)}

    def find(_: str) -> list[NodeWithScore]:
        found = nodes()
        for one in found:
            one.node.metadata["date"] = days[one.node.node_id].isoformat()
        return found

    assert run(FixedRecencyPostprocessor(top_k=2), retriever=FakeRetriever(find=find)) == done(
        "1 postprocess FixedRecencyPostprocessor: b c",
        context="b c",
        metadata_of={key: {"source": f"{key}.txt", "date": day.isoformat()} for key, day in days.items()},
        sources="a.txt b.txt c.txt",
    )


def test_a_window_around_each_sentence(run: Any) -> None:
    """The window has the sentence's id; the record keeps both texts, and that the one was made of the other."""
    windows = {key: f"Before it. {TEXTS[key]} After it." for key in "ab"}

    def find(_: str) -> list[NodeWithScore]:
        found = nodes("ab")
        for one in found:
            one.node.metadata["window"] = windows[one.node.node_id]
        return found

    replace = MetadataReplacementPostProcessor(target_metadata_key="window")
    assert run(replace, retriever=FakeRetriever(find=find)) == done(
        "1 refine MetadataReplacementPostProcessor: a b",
        found=f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 (inner)",
        chunks="a b a b",
        context="a b",
        texts=windows,
        metadata_of={key: {"source": f"{key}.txt", "window": windows[key]} for key in "ab"},
        sources="a.txt b.txt a.txt b.txt",
        derived={"a": "a", "b": "b"},
    )


def neighbours() -> tuple[SimpleDocumentStore, FakeRetriever]:
    """a to d in a row, and a search that finds b alone."""
    row = [one.node for one in nodes("abcd")]
    for one, other in pairwise(row):
        one.relationships[NodeRelationship.NEXT] = other.as_related_node_info()
        other.relationships[NodeRelationship.PREVIOUS] = one.as_related_node_info()
    store = SimpleDocumentStore()
    store.add_documents(row)
    return store, FakeRetriever(find=lambda _: [NodeWithScore(node=row[1], score=0.5)])


def test_what_stands_before_and_behind(run: Any) -> None:
    store, retriever = neighbours()
    widen = PrevNextNodePostprocessor(docstore=store, num_nodes=1, mode="both")
    assert run(widen, retriever=retriever) == done(
        "1 refine PrevNextNodePostprocessor: a b c",
        found=f"1 retrieve FakeRetriever({QUESTION}): b=0.5 (inner)",
        chunks="b a c",
    )


def test_what_a_model_wants_to_read_beside(run: Any) -> None:
    """The model is asked by way of a synthesizer: neither its call nor that is the answer."""
    store, retriever = neighbours()
    widen = AutoPrevNextNodePostprocessor(docstore=store, llm=FakeLLM(say=lambda _: "NEXT"))
    assert run(widen, retriever=retriever) == done(
        "1 refine AutoPrevNextNodePostprocessor: b c",
        found=f"1 retrieve FakeRetriever({QUESTION}): b=0.5 (inner)",
        chunks="b c",
        context="b c",
        usage="2 200>10",
    )


# Rerankers -----------------------------------------------------------------------------------------------------------


def is_unseen(way: str, kind: type[BaseNodePostprocessor]) -> bool:
    """Whether asking this way calls an asynchronous method of the class's own, which has no span."""
    return (
        way == "aquery"
        and hasattr(BaseNodePostprocessor, "_apostprocess_nodes")
        and "_apostprocess_nodes" in kind.__dict__
    )


def prefers(*ranked: tuple[int, int]) -> Callable[[Sequence[ChatMessage]], str]:
    return lambda _: "\n".join(f"Doc: {number}, Relevance: {score}" for number, score in ranked)


@pytest.mark.parametrize(
    ("ranked", "order"),
    [(((2, 8), (1, 6)), "b=8 a=6"), (((1, 9), (2, 8), (3, 7)), "a=9 b=8 c=7")],
    ids=["another order", "the same order"],
)
def test_a_model_that_ranks(run: Any, ranked: Any, order: str) -> None:
    """Asked asynchronously, nothing shows the reranker since 0.14.24: what it did is inferred, also by scores alone."""
    stage = "inferred RetrieverQueryEngine" if is_unseen(run.way, LLMRerank) else "rerank LLMRerank"
    context = " ".join(item[0] for item in order.split())
    assert run(LLMRerank(llm=FakeLLM(say=prefers(*ranked)), top_n=3)) == done(
        f"1 {stage}: {order}", context=context, usage="2 200>10"
    )


def test_a_model_that_ranks_by_an_object(run: Any) -> None:
    """Asked asynchronously, only its events show it, which name the model."""
    pytest.importorskip("llama_index.core.postprocessor.structured_llm_rerank")
    from llama_index.core.postprocessor import StructuredLLMRerank

    ranked = '{"documents": [{"document_number": 3, "relevance": 9}, {"document_number": 1, "relevance": 5}]}'
    name = "fake-chat" if is_unseen(run.way, StructuredLLMRerank) else "StructuredLLMRerank"
    assert run(StructuredLLMRerank(llm=FakeLLM(say=lambda _: ranked), top_n=2)) == done(
        f"1 rerank {name}: c=9 a=5", context="c a", usage="2 200>10"
    )


class AsyncReranker(Reranker):
    """Has an asynchronous method of its own, which has no span."""

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self.ranked(nodes, query_bundle)


def test_events_inside_a_postprocessor_are_the_same_stage(run: Any) -> None:
    """The scores are written into the nodes that were found: the search keeps its own."""
    assert run(Reranker()) == done("1 rerank Reranker: c=1 b=0.9", context="c b")


def test_events_of_a_method_without_a_span_are_a_stage(run: Any) -> None:
    name = "ranker-1" if is_unseen(run.way, AsyncReranker) else "AsyncReranker"
    assert run(AsyncReranker()) == done(f"1 rerank {name}: c=1 b=0.9", context="c b")


class Silent(BaseNodePostprocessor):
    """Its asynchronous method has no span and tells nothing."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[::-1][:2]

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[::-1][:2]


def test_what_nobody_tells_is_inferred(run: Any) -> None:
    stage = "inferred RetrieverQueryEngine" if is_unseen(run.way, Silent) else "rerank Silent"
    assert run(Silent()) == done(f"1 {stage}: c b", context="c b")
