"""Answers with numbers: `CitationQueryEngine` numbers the nodes it hands on, and makes new ones of those it cuts."""

from typing import Any

import pytest
from asking import WAYS, ask, is_streamed
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import ImageNode, MetadataMode, NodeWithScore
from llamaindex_expected import expected, streamed
from llamaindex_fakes import QUESTION, TEXTS, FakeLLM, FakeRetriever, nodes
from llamaindex_versions import since_core
from whole_record import only_run, whole

from rag_eval_hooks.record import Gold, RagRun
from rag_eval_hooks_llamaindex import Attachment, attach

ANSWER = "The Rhine passes through Basel [1]. It has three harbours [2]."
NUMBERED = {"citations": {"rule": "prompt"}}


def citing(answer: str = ANSWER, size: int = 512, overlap: int = 0, **options: Any) -> CitationQueryEngine:
    """A citation engine; its default splitter needs data of NLTK."""
    splitter = TokenTextSplitter(chunk_size=size, chunk_overlap=overlap, tokenizer=str.split)
    retriever = options.pop("retriever", None) or FakeRetriever()
    llm = FakeLLM(say=lambda _: answer)
    # The index is only asked for a retriever.
    return CitationQueryEngine.from_args(None, retriever=retriever, llm=llm, text_splitter=splitter, **options)


def cited(attachment: Attachment) -> list[tuple[str, int | None, bool | None, str | None]]:
    """The marks of the answer: the place in the context that each points at, whether it backs it, what is wrong."""
    assert attachment.last is not None
    run, evaluation = attachment.last.run, attachment.last.evaluation
    for one in evaluation.citations:
        assert one.target == (one.target_rank and run.chunks[run.context[one.target_rank - 1].chunk].id)
    return [(one.marker, one.target_rank, one.supported, one.problem) for one in evaluation.citations]


@pytest.mark.parametrize("way", WAYS)
def test_whole_nodes(attachment: Attachment, way: str) -> None:
    """The new nodes have the old ones' texts: they are no stage, and a number points at what was found."""
    assert ask(citing(streaming=is_streamed(way)), way) == ANSWER
    record = streamed if is_streamed(way) else expected
    assert whole(only_run(attachment)) == record(answer=ANSWER, **NUMBERED)
    assert cited(attachment) == [("[1]", 1, True, None), ("[2]", 2, True, None)]


def pieces(*cut: tuple[str, str]) -> dict[str, Any]:
    """What the record of a, b and c says if these pieces were handed on: the text, and of which node."""
    files = {key: {"source": f"{key}.txt"} for key in "abc"}
    names = [f"new{number}" for number in range(1, len(cut) + 1)]
    return {
        "chunks": " ".join(["a b c", *names]),
        "context": " ".join(names),
        "texts": {name: text for name, (text, _) in zip(names, cut, strict=True)},
        "metadata_of": files | {name: files[key] for name, (_, key) in zip(names, cut, strict=True)},
        "sources": " ".join(f"{key}.txt" for key in (*"abc", *(key for _, key in cut))),
        "derived": {name: key for name, (_, key) in zip(names, cut, strict=True)},
        "stages": [
            f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7 (inner)",
            f"1 inferred CitationQueryEngine: {' '.join(names)}",
        ],
        **NUMBERED,
    }


def named(run: RagRun) -> RagRun:
    """The run with its pieces called `new1` and so on: their ids are made up, or up to 0.14.24 the node's."""
    chunks = [
        chunk if place < 3 else chunk.model_copy(update={"id": f"new{place - 2}"})
        for place, chunk in enumerate(run.chunks)
    ]
    return run.model_copy(update={"chunks": tuple(chunks)})


SMALL = (
    ("The Rhine rises in the Alps and passes", "a"),
    ("through Basel before it turns north.", "a"),
    ("Basel has three harbours on the Rhine, which", "b"),
    ("opened between 1906 and 1936.", "b"),
    ("The Jura mountains are north-west of the Swiss", "c"),
    ("plateau and gave the Jurassic its name.", "c"),
)


cuts_nodes = since_core(0, 12, 50)
"""In 0.12.0 all pieces of a node hold the text of the last one."""


@cuts_nodes
@pytest.mark.parametrize("way", WAYS)
def test_small_pieces(attachment: Attachment, way: str) -> None:
    """A number points at the piece, and the record says of which node that is."""
    answer = "The Rhine rises in the Alps [1]. Basel has three harbours [3]. They opened between 1906 and 1936 [4]."
    assert ask(citing(answer, size=8, streaming=is_streamed(way)), way) == answer
    run = whole(named(only_run(attachment)))
    record = streamed if is_streamed(way) else expected
    assert run == record(answer=answer, **pieces(*SMALL))
    assert cited(attachment) == [
        ("[1]", 1, True, None),
        ("[3]", 3, True, None),
        ("[4]", 4, True, None),
    ]


@cuts_nodes
def test_pieces_that_overlap(attachment: Attachment) -> None:
    ask(citing(size=10, overlap=3), "query")
    run = whole(named(only_run(attachment)))
    assert run == expected(
        answer=ANSWER,
        **pieces(
            ("The Rhine rises in the Alps and passes through Basel", "a"),
            ("passes through Basel before it turns north.", "a"),
            ("Basel has three harbours on the Rhine, which opened between", "b"),
            ("which opened between 1906 and 1936.", "b"),
            ("The Jura mountains are north-west of the Swiss plateau and", "c"),
            ("Swiss plateau and gave the Jurassic its name.", "c"),
        ),
    )


@since_core(0, 12, 6)
def test_pieces_with_the_metadata_above(attachment: Attachment) -> None:
    ask(citing(metadata_mode=MetadataMode.LLM), "query")
    run = whole(named(only_run(attachment)))
    assert run == expected(answer=ANSWER, **pieces(*((f"source: {key}.txt\n\n{TEXTS[key]}", key) for key in "abc")))
    assert cited(attachment) == [("[1]", 1, True, None), ("[2]", 2, True, None)]


def test_what_a_postprocessor_left(attachment: Attachment) -> None:
    """The second handed node is c: the numbers count on from what was left."""
    retriever = FakeRetriever(find=lambda _: nodes("abc", [0.9, 0.1, 0.8]))
    answer = "The Jura gave the Jurassic its name [2]. There is more [3]."
    keep = SimilarityPostprocessor(similarity_cutoff=0.5)
    ask(citing(answer, retriever=retriever, node_postprocessors=[keep]), "query")
    assert whole(only_run(attachment)) == expected(
        answer=answer,
        context="a c",
        stages=[
            f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.1 c=0.8 (inner)",
            "1 postprocess SimilarityPostprocessor: a c",
        ],
        **NUMBERED,
    )
    assert cited(attachment) == [("[2]", 2, True, None), ("[3]", None, False, "dangling")]


def test_numbers_over_several_prompts(attachment: Attachment) -> None:
    """Refining shows each call only some of the numbers; they count in what was handed on as a whole."""
    ask(citing(response_mode="refine"), "query")
    assert whole(only_run(attachment)) == expected(
        answer=ANSWER, usage="3 300>15", flags=("several_prompts",), **NUMBERED
    )
    assert cited(attachment) == [("[1]", 1, True, None), ("[2]", 2, True, None)]


def test_nothing_to_number(attachment: Attachment) -> None:
    ask(citing(retriever=FakeRetriever("")), "query")
    assert whole(only_run(attachment)) == expected(
        answer="Empty Response",
        chunks=None,
        stages=[f"1 retrieve FakeRetriever({QUESTION}): "],
        context=None,
        context_source="last_stage",
        usage="0 None>None",
        answer_usage=None,
        flags=("no_model_events",),
    )
    assert cited(attachment) == []


@since_core(0, 14, 23)
def test_an_image_among_the_sources(attachment: Attachment) -> None:
    """Its number is in the prompt, its text is not: what was handed on is of the same search all the same."""
    image = ImageNode(id_="i", text="A map of Basel.", image="iVBORw0KGgo=", metadata={"source": "i.png"})
    retriever = FakeRetriever(find=lambda _: [*nodes("ab"), NodeWithScore(node=image, score=0.5)])
    ask(citing(retriever=retriever, multimodal=True), "query")
    run = only_run(attachment)
    assert [(stage.kind, stage.round, stage.final) for stage in run.stages] == [
        ("retrieve", 1, False),
        ("inferred", 1, True),
    ]
    assert run.chunks[-1].derived_from == "i"
    assert [run.chunks[item.chunk].id for item in run.context] == ["a", "b"]
    assert cited(attachment) == [("[1]", 1, True, None), ("[2]", 2, True, None)]


def test_labels_of_nodes_meet_what_was_cut_from_them() -> None:
    """Three sources are cut from node a, the only one that is relevant: it was found, at rank 1."""
    labels = Gold(relevance={"a": 1}, evidence_sets=(("a",),))
    with attach(gold=lambda _: labels, k=5) as attachment:
        citing(size=6).query(QUESTION)
        last = attachment.last
    assert last is not None
    assert [chunk.id for chunk in last.run.context_chunks()][:3] == ["a", "a", "a"]
    values = {one.metric: one.value for one in last.evaluation.results}
    assert {name: values[name] for name in ("R@5", "RR@5", "CompleteEvidence@5")} == {
        "R@5": 1.0,
        "RR@5": 1.0,
        "CompleteEvidence@5": 1.0,
    }
