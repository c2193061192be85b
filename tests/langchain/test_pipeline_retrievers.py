"""Retrievers around retrievers, and those over vector stores: every list as a stage, the outermost as what counts."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.messages import BaseMessage
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import Runnable
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, join, rag
from usual_record import QUESTION, usual
from versions import classic
from whole_record import only_run, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


@pytest.fixture(params=["invoke", "ainvoke"])
def ask(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Asks a rag chain over the given retriever, and returns the whole record."""
    with RagEvalCallbackHandler() as handler:

        def asked(retriever: Runnable[Any, Any], pack: Any = join) -> dict[str, Any]:
            chain, config = rag(retriever=retriever, pack=pack), {"callbacks": [handler]}
            if request.param == "invoke":
                chain.invoke(QUESTION, config=config)
            else:
                asyncio.run(chain.ainvoke(QUESTION, config=config))
            return whole(only_run(handler))

        yield asked


def compressing(base: Runnable[Any, Any], compressor: BaseDocumentCompressor) -> Runnable[Any, Any]:
    return classic("retrievers").ContextualCompressionRetriever(base_retriever=base, base_compressor=compressor)


def base(keys: str = "abc") -> str:
    return f"1 retrieve FakeRetriever({QUESTION}): {' '.join(keys)} (inner)"


def cut(found: dict[str, tuple[str, str]], given: str) -> dict[str, Any]:
    """What the record says of texts that were cut from documents, by their ids: the text, and where it comes from."""
    files = {key: {"source": f"{key}.txt"} for key in given} | {
        name: {"source": f"{key}.txt"} for name, (_, key) in found.items()
    }
    return {
        "texts": {name: text for name, (text, _) in found.items()},
        "metadata_of": files,
        "derived": {name: key for name, (_, key) in found.items()},
    }


# Compression ---------------------------------------------------------------------------------------------------------

EXTRACTS = {"a": "passes through Basel", "b": "three harbours\non  the Rhine"}
"""A middle part of a, and one of b in which the model changed the white space; nothing of c."""


def extract(messages: Sequence[BaseMessage]) -> str:
    (key,) = (key for key in TEXTS if TEXTS[key] in str(messages[0].content))
    return EXTRACTS.get(key, "NO_OUTPUT")


def test_an_extractor_that_keeps_the_middle_of_a_document(ask: Any) -> None:
    extractor = classic("retrievers.document_compressors").LLMChainExtractor.from_llm(FakeChat(say=extract))
    run = ask(compressing(FakeRetriever(), extractor))
    inner_a, inner_b = run["chunks"].split()[:2]  # the outer retriever began first, so its chunks come first
    assert run == usual(
        chunks=f"{inner_a} {inner_b} a b c",
        stages=[f"1 refine ContextualCompressionRetriever({QUESTION}): {inner_a} {inner_b}", base()],
        context=f"{inner_a} {inner_b}",
        usage="4 400>20",
        sources="a.txt b.txt a.txt b.txt c.txt",
        **cut({inner_a: (EXTRACTS["a"], "a"), inner_b: (EXTRACTS["b"], "b")}, "abc"),
    )


def test_an_extractor_over_chunks_of_one_file_that_rewrites_them(ask: Any) -> None:
    """The metadata is the same for all; the words tell which chunk each extract was made of."""
    file = {"source": "one.txt"}
    said = {"a": "Rhine: rises in the Alps, passes through Basel", "b": "Basel has three harbours (opened 1906-1936)"}

    def find(_: str) -> list[Document]:
        return [Document(id=key, page_content=TEXTS[key], metadata=file) for key in "ab"]

    def rewrite(messages: Sequence[BaseMessage]) -> str:
        (key,) = (key for key in "ab" if TEXTS[key] in str(messages[0].content))
        return said[key]

    extractor = classic("retrievers.document_compressors").LLMChainExtractor.from_llm(FakeChat(say=rewrite))
    run = ask(compressing(FakeRetriever(find=find), extractor))
    short_a, short_b = run["chunks"].split()[:2]
    assert run == usual(
        chunks=f"{short_a} {short_b} a b",
        stages=[f"1 refine ContextualCompressionRetriever({QUESTION}): {short_a} {short_b}", base("ab")],
        context=f"{short_a} {short_b}",
        usage="3 300>15",
        texts={short_a: said["a"], short_b: said["b"]},
        metadata_of=dict.fromkeys((short_a, short_b, "a", "b"), file),
        sources=" ".join(["one.txt"] * 4),
        derived={short_a: "a", short_b: "b"},
    )


def test_an_extractor_over_overlapping_chunks(ask: Any) -> None:
    """The same sentence stands in both chunks and is extracted from both: one chunk, of the first."""
    shared = "Basel has three harbours."
    file = {"source": "one.txt"}

    def find(_: str) -> list[Document]:
        return [
            Document(id="x", page_content=f"It turns north there. {shared}", metadata=file),
            Document(id="y", page_content=f"{shared} They opened in 1906.", metadata=file),
        ]

    extractor = classic("retrievers.document_compressors").LLMChainExtractor.from_llm(FakeChat(say=lambda _: shared))
    run = ask(compressing(FakeRetriever(find=find), extractor))
    short = run["chunks"].split()[0]
    assert run == usual(
        chunks=f"{short} x y",
        stages=[f"1 refine ContextualCompressionRetriever({QUESTION}): {short} {short}", base("xy")],
        context=f"{short} {short}",
        usage="3 300>15",
        texts={short: shared, "x": f"It turns north there. {shared}", "y": f"{shared} They opened in 1906."},
        metadata_of=dict.fromkeys((short, "x", "y"), file),
        sources="one.txt one.txt one.txt",
        derived={short: "x"},
    )


def test_a_filter(ask: Any) -> None:
    """A model that says which documents are relevant: its calls add nothing to the context."""

    def judge(messages: Sequence[BaseMessage]) -> str:
        return "NO" if TEXTS["b"] in str(messages[0].content) else "YES"

    keep = classic("retrievers.document_compressors").LLMChainFilter.from_llm(FakeChat(say=judge))
    assert ask(compressing(FakeRetriever(), keep)) == usual(
        chunks="a c b",
        stages=[f"1 rerank ContextualCompressionRetriever({QUESTION}): a c", base()],
        context="a c",
        usage="4 400>20",
    )


class Reranker(BaseDocumentCompressor):
    """Returns copies with scores in their metadata, as those of model providers do."""

    order: str
    in_place: bool = False

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        by_key = {document.metadata["source"][0]: document for document in documents}
        ranked = []
        for place, key in enumerate(self.order):
            document = by_key[key]
            if not self.in_place:
                document = document.model_copy(update={"metadata": dict(document.metadata)})
            document.metadata["relevance_score"] = 0.9 - place / 10
            ranked.append(document)
        return ranked


def scored(keys: str, **scores: float) -> dict[str, Any]:
    """The metadata of documents of which some have got a score."""
    metadata = {key: {"source": f"{key}.txt"} for key in keys.split()}
    return {key: data | ({"relevance_score": scores[key]} if key in scores else {}) for key, data in metadata.items()}


def test_a_reranker_gives_its_scores(ask: Any) -> None:
    assert ask(compressing(FakeRetriever(), Reranker(order="cb"))) == usual(
        chunks="c b a",
        stages=[f"1 rerank ContextualCompressionRetriever({QUESTION}): c=0.9 b=0.8", base()],
        context="c b",
        metadata_of=scored("c b a", c=0.9, b=0.8),
        sources="c.txt b.txt a.txt",
    )


# Trap 23.
def test_a_reranker_that_edits_metadata_in_place_leaves_the_earlier_stage_alone(ask: Any) -> None:
    assert ask(compressing(FakeRetriever(), Reranker(order="cb", in_place=True))) == usual(
        chunks="c b a",
        stages=[f"1 rerank ContextualCompressionRetriever({QUESTION}): c=0.9 b=0.8", base()],
        context="c b",
        metadata_of=scored("c b a", c=0.9, b=0.8),
        sources="c.txt b.txt a.txt",
    )


def with_scores(keys: str, first: float) -> FakeRetriever:
    """A retriever whose store writes its scores into the metadata."""

    def find(_: str) -> list[Document]:
        return [
            document.model_copy(update={"metadata": {**document.metadata, "score": first - place / 10}})
            for place, document in enumerate(documents(keys))
        ]

    return FakeRetriever(find=find)


def test_each_stage_has_its_own_scores(ask: Any) -> None:
    run = ask(compressing(with_scores("abc", 0.7), Reranker(order="cb", in_place=True)))
    assert run["stages"] == [
        f"1 rerank ContextualCompressionRetriever({QUESTION}): c=0.9 b=0.8",
        f"1 retrieve FakeRetriever({QUESTION}): a=0.7 b=0.6 c=0.5 (inner)",
    ]


def test_a_fused_list_does_not_show_the_scores_of_what_it_was_fused_from(ask: Any) -> None:
    found = [with_scores("ab", 0.7), with_scores("cd", 0.4)]
    run = ask(classic("retrievers").MergerRetriever(retrievers=found))
    assert run["stages"] == [
        f"1 fuse MergerRetriever({QUESTION}): a c b d",
        f"1 retrieve FakeRetriever({QUESTION}): a=0.7 b=0.6 (inner)",
        f"1 retrieve FakeRetriever({QUESTION}): c=0.4 d=0.3 (inner)",
    ]


def test_a_cross_encoder(ask: Any) -> None:
    """LangChain's own reranker keeps its scores to itself."""
    compressors = classic("retrievers.document_compressors")
    encoders = classic("retrievers.document_compressors.cross_encoder")

    class Encoder(encoders.BaseCrossEncoder):  # type: ignore[name-defined,misc]
        def score(self, text_pairs: Any) -> list[float]:
            return [float("Jura" in text) + float("harbours" in text) / 2 for _, text in text_pairs]

    run = ask(compressing(FakeRetriever(), compressors.CrossEncoderReranker(model=Encoder(), top_n=2)))
    assert run == usual(
        chunks="c b a",
        stages=[f"1 rerank ContextualCompressionRetriever({QUESTION}): c b", base()],
        context="c b",
    )


def test_a_compressor_pipeline_that_splits_and_filters(ask: Any) -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    compressors = classic("retrievers.document_compressors")

    def judge(messages: Sequence[BaseMessage]) -> str:
        return "YES" if "before it" in str(messages[0].content) else "NO"

    split = splitters.RecursiveCharacterTextSplitter(chunk_size=50, chunk_overlap=0)
    keep = compressors.LLMChainFilter.from_llm(FakeChat(say=judge))
    pipeline = compressors.DocumentCompressorPipeline(transformers=[split, keep])
    run = ask(compressing(FakeRetriever(keys="ab"), pipeline))
    half = run["chunks"].split()[0]
    text = run["texts"][half]
    assert text in TEXTS["a"]
    assert len(text) <= 50
    assert run == usual(
        chunks=f"{half} a b",
        stages=[f"1 refine ContextualCompressionRetriever({QUESTION}): {half}", base("ab")],
        context=half,
        usage="5 500>25",
        sources="a.txt a.txt b.txt",
        **cut({half: (text, "a")}, "ab"),
    )


def test_a_compressor_that_puts_titles_before_the_texts(ask: Any) -> None:
    class Titles(BaseDocumentCompressor):
        def compress_documents(
            self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
        ) -> Sequence[Document]:
            return [Document(page_content=f"Title {one.id}\n{one.page_content}") for one in documents]

    run = ask(compressing(FakeRetriever(keys="ab"), Titles()))
    first, second = run["chunks"].split()[:2]
    assert run == usual(
        chunks=f"{first} {second} a b",
        stages=[f"1 refine ContextualCompressionRetriever({QUESTION}): {first} {second}", base("ab")],
        context=f"{first} {second}",
        texts={first: f"Title a\n{TEXTS['a']}", second: f"Title b\n{TEXTS['b']}"},
        metadata_of={key: {"source": f"{key}.txt"} for key in "ab"},
        sources="a.txt b.txt",
        derived={first: "a", second: "b"},
    )


# Several searches ----------------------------------------------------------------------------------------------------


def ensemble(first: str, second: str) -> Runnable[Any, Any]:
    found = [FakeRetriever(keys=first), FakeRetriever(keys=second)]
    return classic("retrievers").EnsembleRetriever(retrievers=found, weights=[0.5, 0.5])


def test_an_ensemble(ask: Any) -> None:
    """b is second and first: 1/62 + 1/61; a is first: 1/61; c is second: 1/62."""
    assert ask(ensemble("ab", "bc")) == usual(
        chunks="b a c",
        stages=[f"1 fuse EnsembleRetriever({QUESTION}): b a c", base("ab"), base("bc")],
        context="b a c",
    )


# Trap 12.
def test_compression_of_an_ensemble_has_four_stages(ask: Any) -> None:
    """Documents count once; the context is in reranked order, with the reranker's scores."""
    assert ask(compressing(ensemble("ab", "bc"), Reranker(order="cb"))) == usual(
        chunks="c b a",
        stages=[
            f"1 rerank ContextualCompressionRetriever({QUESTION}): c=0.9 b=0.8",
            f"1 fuse EnsembleRetriever({QUESTION}): b a c (inner)",
            base("ab"),
            base("bc"),
        ],
        context="c b",
        metadata_of=scored("c b a", c=0.9, b=0.8),
        sources="c.txt b.txt a.txt",
    )


def test_a_merger_keeps_what_several_found(ask: Any) -> None:
    merger = classic("retrievers").MergerRetriever(retrievers=[FakeRetriever(keys="ab"), FakeRetriever(keys="bc")])
    assert ask(merger) == usual(
        stages=[f"1 fuse MergerRetriever({QUESTION}): a b b c", base("ab"), base("bc")], context="a b b c"
    )


def by_word(query: str) -> list[Document]:
    return documents("a" if "course" in query else "bc" if "harbours" in query else "ab")


# Trap 14.
def test_a_multi_query_retriever(ask: Any) -> None:
    """The question is the user's, the answer is not what the inner model said, and the documents are the union."""
    writer = FakeChat(say=lambda _: "Rhine course\nBasel harbours")
    retriever = classic("retrievers").MultiQueryRetriever.from_llm(retriever=FakeRetriever(find=by_word), llm=writer)
    assert ask(retriever) == usual(
        stages=[
            f"1 multi_query MultiQueryRetriever({QUESTION}): a b c",
            "1 retrieve FakeRetriever(Rhine course): a (inner)",
            "1 retrieve FakeRetriever(Basel harbours): b c (inner)",
        ],
        usage="2 200>10",
    )


def test_a_multi_query_retriever_that_also_sends_the_question(ask: Any) -> None:
    writer = FakeChat(say=lambda _: "Basel harbours")
    retriever = classic("retrievers").MultiQueryRetriever.from_llm(
        retriever=FakeRetriever(find=by_word), llm=writer, include_original=True
    )
    assert ask(retriever) == usual(
        chunks="b c a",
        stages=[
            f"1 multi_query MultiQueryRetriever({QUESTION}): b c a",
            "1 retrieve FakeRetriever(Basel harbours): b c (inner)",
            base("ab"),
        ],
        context="b c a",
        usage="2 200>10",
    )


def test_a_retriever_that_rephrases(ask: Any, request: pytest.FixtureRequest) -> None:
    if "ainvoke" in request.node.name:
        pytest.skip("RePhraseQueryRetriever has no async search")
    prompt = PromptTemplate.from_template("Rephrase: {question}")
    retriever = classic("retrievers").RePhraseQueryRetriever.from_llm(
        FakeRetriever(find=by_word), FakeChat(say=lambda _: "Basel harbours"), prompt
    )
    assert ask(retriever) == usual(
        chunks="b c",
        stages=[
            f"1 multi_query RePhraseQueryRetriever({QUESTION}): b c",
            "1 retrieve FakeRetriever(Basel harbours): b c (inner)",
        ],
        usage="2 200>10",
    )
