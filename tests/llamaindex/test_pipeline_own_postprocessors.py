"""Node postprocessors of one's own: that return nothing, rewrite, add, fail, or call others."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import ONCE, ask
from llama_index.core.postprocessor import (
    LongContextReorder,
    SimilarityPostprocessor,
)
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, engine, nodes
from postprocessor_fakes import EMPTY, Inner, Mine, Reranker, done
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


def test_one_that_returns_nothing(run: Any) -> None:
    assert run(Mine(make=lambda _: [])) == done("1 postprocess Mine: ", **EMPTY)


@pytest.mark.parametrize("way", ONCE)
def test_one_that_returns_none(attachment: Attachment, way: str) -> None:
    """LlamaIndex then fails, and the record says after what."""
    with pytest.raises(TypeError, match="NoneType"):
        ask(engine(node_postprocessors=[Mine(make=lambda _: None)]), way)
    assert whole(only_run(attachment)) == done(
        "1 postprocess Mine: ",
        **(EMPTY | {"answer": None, "flags": None}),
        status="error",
        error="TypeError",
    )


def test_one_that_fails(attachment: Attachment) -> None:
    def fail(_: Any) -> Any:
        raise LookupError("no such ranker")

    with pytest.raises(LookupError, match="no such ranker"):
        ask(engine(node_postprocessors=[Mine(make=fail)]), "query")
    assert whole(only_run(attachment)) == expected(
        status="error",
        error="LookupError",
        answer=None,
        context="a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
        context_source="last_stage",
        usage="0 None>None",
        answer_usage=None,
    )


def test_one_that_rewrites(run: Any) -> None:
    """New nodes with new ids and other words: only the metadata tells of which node each was made."""

    def rewrite(found: list[NodeWithScore]) -> list[NodeWithScore]:
        return [
            NodeWithScore(
                node=TextNode(id_=f"{one.node.node_id}2", text=one.node.text.upper(), metadata=one.node.metadata),
                score=one.score,
            )
            for one in found
        ]

    names = ["a2", "b2", "c2"]
    files = {key: {"source": f"{key}.txt"} for key in "abc"}
    assert run(Mine(make=rewrite)) == done(
        "1 refine Mine: a2 b2 c2",
        chunks="a b c a2 b2 c2",
        context="a2 b2 c2",
        texts={name: TEXTS[name[0]].upper() for name in names},
        metadata_of=files | {name: files[name[0]] for name in names},
        sources="a.txt b.txt c.txt a.txt b.txt c.txt",
        derived={name: name[0] for name in names},
    )


def test_one_that_adds_what_it_found_itself(run: Any) -> None:
    """What it adds comes from nowhere that was seen, but it is of the same search."""
    assert run(Mine(make=lambda found: [*found[:2], *nodes("d", [0.5])])) == done(
        "1 refine Mine: a b d=0.5", chunks="a b c d", context="a b d"
    )


def test_several_in_a_row(run: Any) -> None:
    """Each is a stage; a score belongs to the stage that gave it, however many pass it on."""
    row = [Reranker(), SimilarityPostprocessor(similarity_cutoff=0.95), LongContextReorder()]
    assert run(*row) == done(
        "1 rerank Reranker: c=1 b=0.9 (inner)",
        "1 postprocess SimilarityPostprocessor: c (inner)",
        "1 postprocess LongContextReorder: c",
        context="c",
    )


def test_one_around_another(run: Any) -> None:
    """It does nothing of its own: what the inner one returned is not told twice."""
    inner = Inner(make=lambda found: found[:2])
    assert run(Mine(make=inner.postprocess_nodes)) == done("1 postprocess Inner: a b", context="a b")


def test_one_around_another_that_goes_on(run: Any) -> None:
    inner = Inner(make=lambda found: found[:2])
    assert run(Mine(make=lambda found: inner.postprocess_nodes(found)[::-1])) == done(
        "1 rerank Mine: b a", "1 postprocess Inner: a b (inner)", context="b a"
    )


def test_a_postprocessor_alone_is_no_question(attachment: Attachment) -> None:
    kept = SimilarityPostprocessor(similarity_cutoff=0.75).postprocess_nodes(nodes())
    assert [one.node.node_id for one in kept] == ["a", "b"]
    assert attachment.stats()["opened"] == 0


def test_a_search_without_a_retriever_that_is_postprocessed(attachment: Attachment) -> None:
    """Code asks its store itself: what it found is known by what the postprocessor was given."""
    from rag_eval_hooks_llamaindex import question

    with question(QUESTION):
        kept = SimilarityPostprocessor(similarity_cutoff=0.75).postprocess_nodes(nodes())
        engine_like = engine()._response_synthesizer
        assert str(engine_like.synthesize(QUESTION, kept)) == ANSWER
    assert whole(only_run(attachment)) == expected(
        stages=[
            "1 inferred question: a=0.9 b=0.8 c=0.7 (inner)",
            "1 postprocess SimilarityPostprocessor: a b",
        ],
        context="a b",
    )
