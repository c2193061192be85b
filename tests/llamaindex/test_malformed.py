"""Nodes that are not as LlamaIndex promises cost themselves at most: the rest of their list and their record stay.

Where a pipeline itself fails of them, the application sees its own error, and the record says so.
"""

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from by_hand import played
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, TextNode
from llamaindex_expected import expected, unread
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeRetriever, engine, nodes
from odd_objects import Bare, Unreadable, outcome
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import attach


class Secretive(TextNode):
    def get_content(self, *_: Any, **__: Any) -> str:
        raise RuntimeError


def node(score: Any = 0.5, **fields: Any) -> NodeWithScore:
    """A node with a score, of which nothing is checked."""
    made = TextNode.model_construct(**{"id_": "x", "text": "x", "metadata": {}, "relationships": {}, **fields})
    return NodeWithScore.model_construct(node=made, score=score)


def holding(value: Any) -> NodeWithScore:
    return NodeWithScore.model_construct(node=value, score=0.5)


def ask(found: Any) -> tuple[Any, dict[str, int]]:
    """The record of one question whose search returned this, and the counts."""
    with attach(linger_s=0) as attachment:
        played(found)
        return only_run(attachment), attachment.stats()


# One in a list -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("odd", "text", "exceptions"),
    [
        pytest.param(None, "", 0, id="None"),
        pytest.param("only a text", "only a text", 0, id="a plain text"),
        pytest.param(TextNode(id_="x", text="x"), "x", 0, id="a node without a score around it"),
        pytest.param({"text": "x"}, "", 0, id="a mapping"),
        pytest.param([*nodes("c")], "", 0, id="a list in the list"),
        pytest.param(Bare(), "", 0, id="no node at all"),
        pytest.param(Unreadable(), "", 1, id="an object that raises"),
        pytest.param(holding(None), "", 0, id="a score around None"),
        pytest.param(holding("x"), "", 0, id="a score around a text"),
        pytest.param(NodeWithScore.model_construct(), "", 1, id="a score around nothing"),
        pytest.param(node(text=None), "", 0, id="no text"),
        pytest.param(node(text=5), "5", 0, id="a number for a text"),
        pytest.param(node(text=["x"]), "<list>", 0, id="a list for a text"),
        pytest.param(holding(Secretive(id_="x", text="x")), "", 1, id="a text that raises"),
        pytest.param(node(metadata=None), "x", 0, id="metadata is None"),
        pytest.param(node(metadata="page 3"), "x", 0, id="metadata is no mapping"),
        pytest.param(node(metadata=Unreadable()), "x", 0, id="metadata raises"),
        pytest.param(node(relationships={NodeRelationship.SOURCE: 5}), "x", 1, id="a document that is none"),
    ],
)
def test_it_keeps_its_rank_and_the_rest_of_the_list(
    caught: list[Exception], odd: Any, text: str, exceptions: int, place: int
) -> None:
    found: list[Any] = nodes("ab")
    found.insert(place, odd)
    texts = [TEXTS["a"], TEXTS["b"]]
    texts.insert(place, text)
    run, stats = ask(found)
    assert [run.chunks[item.chunk].text for item in run.stages[0].items] == texts
    assert (run.status, run.answer, run.flags) == ("ok", "Basel.", ())
    assert [chunk.text for chunk in run.context_chunks()] == [TEXTS["a"]]
    assert (stats["malformed_item"], stats["opened"], stats["evaluated"]) == (1, 1, 1)
    assert len(caught) == exceptions
    caught.clear()


@pytest.mark.parametrize(
    ("odd", "identifier", "score"),
    [
        pytest.param(node(score=math.nan), "x", None, id="not a number"),
        pytest.param(node(score=math.inf), "x", None, id="infinite"),
        pytest.param(node(score=-math.inf), "x", None, id="minus infinite"),
        pytest.param(node(score="0.25"), "x", 0.25, id="a text for a score"),
        pytest.param(node(score=Decimal("0.25")), "x", 0.25, id="a decimal"),
        pytest.param(node(score=10**400), "x", None, id="a number too large"),
        pytest.param(node(score=Unreadable()), "x", None, id="a score that raises"),
        pytest.param(node(id_=5), "5", 0.5, id="a number for an id"),
        pytest.param(node(id_=None, text="t"), None, 0.5, id="no id"),
        pytest.param(node(relationships=None), "x", 0.5, id="no relationships"),
        pytest.param(node(start_char_idx=Unreadable()), "x", 0.5, id="a place that raises"),
    ],
)
def test_it_is_whole_but_for_a_field(odd: Any, identifier: str | None, score: float | None) -> None:
    run, stats = ask([*nodes("a"), odd])
    item = run.stages[0].items[1]
    assert item.score == score
    assert run.chunks[item.chunk].id == identifier or (identifier is None and run.chunks[item.chunk].id.startswith("t"))
    assert (run.status, stats["malformed_item"], stats["failed_record"]) == ("ok", 0, 0)


def test_scores_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    run, _ = ask(
        [
            node(numpy.float32(0.25)),
            node(numpy.float64("nan"), id_="y", text="y"),
            node(numpy.int64(2), id_="z", text="z"),
        ]
    )
    assert [item.score for item in run.stages[0].items] == [0.25, None, 2.0]


def cycle() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["again"] = made
    return made


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        pytest.param({"odd": Unreadable(), "b": 1}, {"odd": "<Unreadable>", "b": 1}, id="a value that raises"),
        pytest.param({5: "five", None: "none"}, {"5": "five", "None": "none"}, id="keys that are no texts"),
        pytest.param(
            {"big": 10**5000, "b": 1}, {"big": "<int of 16610 bits>", "b": 1}, id="a number too long for a text"
        ),
        pytest.param({"day": datetime(2026, 11, 30, tzinfo=UTC)}, {"day": "2026-11-30T00:00:00+00:00"}, id="a day"),
        pytest.param({"nan": math.nan, "b": 1}, {"nan": None, "b": 1}, id="not a number"),
        pytest.param({"\ud800": "a\ud800"}, {"\ufffd": "a\ufffd"}, id="half a character"),
    ],
)
def test_metadata_that_is_odd(metadata: dict[Any, Any], kept: dict[str, Any]) -> None:
    run, stats = ask([*nodes("a"), node(metadata=metadata)])
    assert run.chunks[1].metadata == kept
    assert (stats["malformed_item"], stats["failed_record"]) == (0, 0)


def test_metadata_that_holds_itself() -> None:
    run, _ = ask([node(metadata=cycle())])
    inner: Any = run.chunks[0].metadata
    while isinstance(inner, dict):
        (inner,) = inner.values()
    assert inner == "<dict, not stored: nested too deeply>"


# Instead of a list ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "returned",
    [None, "a text", {"a": 1}, 7, nodes("a")[0], Unreadable()],
    ids=["None", "a text", "a mapping", "a number", "a node", "an object that raises"],
)
def test_what_is_no_list_ends_the_search_as_an_empty_one(returned: Any) -> None:
    run, stats = ask(returned)
    assert (run.stages[0].items, run.flags, stats["malformed_item"]) == ((), (), 1)


def test_an_iterator_is_left_to_the_host() -> None:
    waiting: Iterator[NodeWithScore] = iter(nodes("ab"))
    run, _ = ask(waiting)
    assert run.stages[0].items == ()
    assert [one.node.node_id for one in waiting] == ["a", "b"]


# In real pipelines ---------------------------------------------------------------------------------------------------


class AsFound(FakeRetriever):
    """Hands on what `find` returns without a look at it."""

    def _handle_recursive_retrieval(self, query_bundle: QueryBundle, nodes: Any) -> Any:
        return nodes


class Changing(BaseNodePostprocessor):
    """Returns what `change` makes of the list."""

    change: Callable[[Any], Any]

    def _postprocess_nodes(self, nodes: Any, query_bundle: Any = None) -> Any:
        return self.change(nodes)


class HalfWay(BaseQueryEngine):
    """Searches, and then fails."""

    def __init__(self) -> None:
        super().__init__(CallbackManager([]))

    def _query(self, query_bundle: QueryBundle) -> Any:
        FakeRetriever().retrieve(query_bundle)
        raise ValueError("half-way")

    async def _aquery(self, query_bundle: QueryBundle) -> Any:
        return self._query(query_bundle)

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def retrieving(found: Any, kind: type[FakeRetriever] = FakeRetriever) -> Any:
    return engine(retriever=kind(find=lambda _: found()))


def changing(change: Callable[[Any], Any]) -> Any:
    return engine(node_postprocessors=[Changing(change=change)])


SEARCHED = f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7"
NOTHING: dict[str, Any] = {
    "status": "error",
    "question": QUESTION,
    "context_source": "last_stage",
    "usage": "0 None>None",
}


@pytest.mark.parametrize(
    ("make", "record"),
    [
        pytest.param(
            lambda: retrieving(lambda: (one for one in nodes())), expected(), id="the retriever returns a generator"
        ),
        pytest.param(lambda: retrieving(lambda: tuple(nodes())), expected(), id="the retriever returns a tuple"),
        pytest.param(
            lambda: retrieving(lambda: None), NOTHING | {"error": "TypeError"}, id="the retriever returns None"
        ),
        pytest.param(
            lambda: retrieving(lambda: ["a text"]),
            NOTHING | {"error": "AttributeError"},
            id="the retriever returns texts",
        ),
        pytest.param(
            lambda: retrieving(lambda: [one.node for one in nodes()]),
            NOTHING | {"error": "AttributeError"},
            id="the retriever returns nodes without scores",
        ),
        pytest.param(
            lambda: retrieving(lambda: (one for one in nodes()), AsFound),
            NOTHING | {"error": "TypeError", "stages": [f"1 retrieve AsFound({QUESTION}): "]},
            id="the search returns a generator",
        ),
        pytest.param(
            lambda: changing(lambda _: 1 / 0),
            unread(status="error", error="ZeroDivisionError"),
            id="the postprocessor fails",
        ),
        pytest.param(
            lambda: changing(lambda found: tuple(found[:1])),
            expected(stages=[f"{SEARCHED} (inner)", "1 postprocess Changing: a"], context="a"),
            id="the postprocessor returns a tuple",
        ),
        pytest.param(HalfWay, unread(status="error", error="ValueError"), id="the engine fails half-way"),
    ],
)
def test_the_application_sees_what_it_would_see_without_us(make: Callable[[], Any], record: dict[str, Any]) -> None:
    without = outcome(lambda: make().query(QUESTION))
    with attach() as attachment:
        assert outcome(lambda: make().query(QUESTION)) == without
        found = whole(only_run(attachment))
    # A score that a postprocessor passes on belongs to the search.
    assert found == record


@pytest.mark.parametrize("change", [lambda _: None, lambda found: (one for one in found)], ids=["None", "a generator"])
def test_a_postprocessor_that_returns_no_list(change: Callable[[Any], Any]) -> None:
    """The synthesizer fails of it, and reads nothing of a generator; so do we."""
    without = outcome(lambda: changing(change).query(QUESTION))
    assert without[0] is TypeError
    with attach() as attachment:
        assert outcome(lambda: changing(change).query(QUESTION)) == without
        run = only_run(attachment)
    assert (run.status, run.error, run.question) == ("error", "TypeError", QUESTION)
    assert [chunk.id for chunk in run.chunks] == ["a", "b", "c"]
    assert run.context == ()


# Large and deep ------------------------------------------------------------------------------------------------------


def test_a_text_of_a_megabyte_and_five_thousand_nodes() -> None:
    """All are in the record; the texts are the host's own, not copies."""
    long = "The Rhine passes Basel. " * 45_000
    assert len(long) > 1_000_000
    found = [node(text=long), *(node(id_=f"n{number}", text=f"Text {number}.") for number in range(5_000))]
    with attach() as attachment:
        played(found)
        run = only_run(attachment)
        assert attachment.stats()["queue_full"] == 0
    assert (len(run.chunks), len(run.stages[0].items)) == (5_001, 5_001)
    assert run.chunks[0].text == long


def test_metadata_of_twenty_thousand_entries() -> None:
    run, stats = ask([node(metadata={f"key{number}": "v" for number in range(20_000)})])
    assert run.chunks[0].metadata == {f"key{number}": "v" for number in range(1_000)}
    assert (stats["evaluated"], stats["failed_record"]) == (1, 0)


def test_metadata_that_refers_back_to_itself_in_many_places() -> None:
    """Children that know their parent, as in the trees of parsers."""
    tree: dict[str, Any] = {"title": "t"}
    tree["children"] = [{"parent": tree} for _ in range(900)]
    run, stats = ask([node(metadata=tree)])
    assert run.chunks[0].metadata["title"] == "t"
    assert len(run.model_dump_json()) < 1_000_000
    assert (stats["evaluated"], stats["failed_record"]) == (1, 0)


def test_a_record_that_is_too_large_for_the_queue_is_counted() -> None:
    with attach(queue_bytes=1_000_000) as attachment:
        played([node(text="x" * 2_000_000)])
        played(nodes("a"))
        assert attachment.flush() == 0
        assert [record.run.chunks[0].id for record in attachment.records] == ["a"]
        stats = attachment.stats()
    assert (stats["submitted"], stats["queue_full"], stats["evaluated"]) == (2, 1, 1)


class Outer(CustomQueryEngine):
    inner: Any

    def custom_query(self, query_str: str) -> Response:
        return Response(str(self.inner.query(query_str)))


def test_engines_fifty_deep() -> None:
    """One question, whose search and model call are those of the innermost."""
    asked: Any = engine()
    for _ in range(50):
        asked = Outer(inner=asked)
    with attach() as attachment:
        assert str(asked.query(QUESTION)) == ANSWER
        assert whole(only_run(attachment)) == expected()


class AskingItsEngine(FakeRetriever):
    """Puts the question to its own engine before it searches, some times over."""

    engine: Any = None
    left = 3

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self.left:
            self.left -= 1
            self.engine.query(query_bundle)
        return nodes("ab")


def test_a_retriever_that_asks_its_own_engine() -> None:
    """One question with the outermost search and the outermost call; all calls are paid for."""
    retriever = AskingItsEngine()
    retriever.engine = engine(retriever=retriever)
    with attach() as attachment:
        assert str(retriever.engine.query(QUESTION)) == ANSWER
        run = only_run(attachment)
    assert (run.question, run.answer, run.status) == (QUESTION, ANSWER, "ok")
    assert [stage.final for stage in run.stages] == [True, False, False, False]
    assert [chunk.id for chunk in run.context_chunks()] == ["a", "b"]
    assert (run.usage.model_calls, run.usage.input_tokens, run.answer_usage) == (
        4,
        400,
        run.usage.model_copy(update={"model_calls": 1, "input_tokens": 100, "output_tokens": 5}),
    )
