"""Workflows: hand-written steps, and the lists of nodes that pass between them."""

import asyncio
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores import VectorStoreQuery
from llama_index.core.workflow import Context, Event, StartEvent, StopEvent, Workflow, step
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, FakeLLM, FakeRetriever, nodes
from llamaindex_versions import WORKFLOWS_VERSION
from whole_record import only_run, runs_of, whole
from workflow_fakes import CHOSEN, NUMBERED, Found, Rag, keep, kept, run, written

from rag_eval_hooks_llamaindex import Attachment, question

pytestmark = [pytest.mark.usefixtures("offline"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]

# Steps ---------------------------------------------------------------------------------------------------------------


def test_a_search_a_choice_and_an_answer(attachment: Attachment) -> None:
    assert str(run(Rag())) == ANSWER
    record = only_run(attachment)
    assert whole(record) == expected(**CHOSEN)


class Store(Workflow):
    """Asks the vector store itself: no retriever is seen."""

    @step
    async def retrieve(self, ev: StartEvent) -> Found:
        index = VectorStoreIndex([one.node for one in nodes("ab")])
        wanted = VectorStoreQuery(query_embedding=[0.5] * 4, similarity_top_k=2)
        result = index.vector_store.query(wanted)
        ids = sorted(index.index_struct.nodes_dict[one] for one in result.ids or [])
        return Found(query=ev.query, nodes=[NodeWithScore(node=index.docstore.get_node(one), score=0.5) for one in ids])

    @step
    async def synthesize(self, ev: Found) -> StopEvent:
        return StopEvent(result=written(ev.query, ev.nodes))


def test_a_store_that_is_asked_itself(attachment: Attachment) -> None:
    """The event that the step sends on holds what it found."""
    assert run(Store()) == ANSWER
    assert whole(only_run(attachment)) == expected(
        chunks="a b", stages=["1 retrieve Store.retrieve: a=0.5 b=0.5"], context="a b", **NUMBERED
    )


class InState(Workflow):
    """Passes what it found through the run's state, where nobody looks, to a synthesizer."""

    @step
    async def retrieve(self, ctx: Context, ev: StartEvent) -> Found:
        await keep(ctx, "nodes", nodes())
        return Found(query=ev.query, nodes=[])

    @step
    async def synthesize(self, ctx: Context, ev: Found) -> StopEvent:
        made = get_response_synthesizer(llm=FakeLLM())
        return StopEvent(result=await made.asynthesize(ev.query, await kept(ctx, "nodes")))


def test_what_passes_through_the_state(attachment: Attachment) -> None:
    """What the synthesizer is handed tells what was found."""
    assert str(run(InState())) == ANSWER
    assert whole(only_run(attachment)) == expected(stages=["1 inferred InState.synthesize: a=0.9 b=0.8 c=0.7"])


class Unseen(Workflow):
    """Finds and packs everything by itself."""

    @step
    async def answer(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=written(ev.query, nodes("ab")))


class Told(Workflow):
    """The same, and tells what it found."""

    @step
    async def answer(self, ev: StartEvent) -> StopEvent:
        found = nodes("ab")
        with question(ev.query) as asked:
            asked.nodes(found, name="my_store")
            said = written(ev.query, found)
        return StopEvent(result=said)


def test_what_nobody_sees_can_be_told(attachment: Attachment) -> None:
    assert run(Unseen()) == ANSWER
    assert whole(only_run(attachment)) == expected(chunks=None, stages=None, context=None)


def test_a_question_that_is_told_is_one_of_its_own(attachment: Attachment) -> None:
    """The block is the question; the run around it saw no search and no model, and so is none."""
    assert run(Told()) == ANSWER
    assert whole(only_run(attachment)) == expected(
        chunks="a b", stages=[f"1 retrieve my_store({QUESTION}): a=0.9 b=0.8"], context="a b", **NUMBERED
    )


class Outer(Workflow):
    """Runs another workflow in a step of its own."""

    @step
    async def answer(self, ev: StartEvent) -> StopEvent:
        response = await Rag().run(query="Rhine city")
        return StopEvent(result=written(ev.query, response.source_nodes))


def test_a_workflow_in_a_workflow(attachment: Attachment) -> None:
    assert run(Outer()) == ANSWER
    inner = [stage.replace(QUESTION, "Rhine city") for stage in CHOSEN["stages"]]
    assert whole(only_run(attachment)) == expected(stages=inner, context="c b", usage="2 200>10", **NUMBERED)


class Sub(Event):
    query: str


class Part(Event):
    nodes: list[Any]


class FanOut(Workflow):
    """Two searches side by side, and one answer from both."""

    @step
    async def split(self, ctx: Context, ev: StartEvent) -> Sub | None:
        for query in ("towns", "rivers"):
            ctx.send_event(Sub(query=query))
        return None

    @step(num_workers=2)
    async def search(self, ev: Sub) -> Part:
        return Part(nodes=await FakeRetriever({"towns": "ab", "rivers": "bc"}[ev.query]).aretrieve(ev.query))

    @step
    async def join(self, ctx: Context, ev: Part) -> StopEvent | None:
        parts = ctx.collect_events(ev, [Part, Part])
        if parts is None:
            return None
        found = {one.node.node_id: one for part in parts for one in part.nodes}
        return StopEvent(result=written(QUESTION, [found[key] for key in sorted(found)]))


def test_searches_side_by_side(attachment: Attachment) -> None:
    assert run(FanOut()) == ANSWER
    record = whole(only_run(attachment))
    assert sorted(stage[2:] for stage in record.pop("stages")) == [
        "retrieve FakeRetriever(rivers): b=0.9 c=0.8",
        "retrieve FakeRetriever(towns): a=0.9 b=0.8",
    ]
    assert sorted(record.pop("chunks").split()) == ["a", "b", "c"]
    assert record == expected(chunks=None, stages=None, **NUMBERED)


def test_runs_side_by_side(attachment: Attachment) -> None:
    """Each run is a question of its own, with its own documents."""

    async def both() -> list[Any]:
        return list(await asyncio.gather(Rag().run(query="One?"), Rag().run(query="Two?")))

    assert [str(one) for one in asyncio.run(both())] == [ANSWER, ANSWER]
    records = {record.question: whole(record) for record in runs_of(attachment)}
    assert records == {
        asked: expected(
            question=asked, context="c b", stages=[stage.replace(QUESTION, asked) for stage in CHOSEN["stages"]]
        )
        for asked in ("One?", "Two?")
    }


def test_a_question_and_nodes_that_it_comes_with(attachment: Attachment) -> None:
    """Where nothing is searched, what the run was started with counts."""

    class Given(Workflow):
        @step
        async def answer(self, ev: StartEvent) -> StopEvent:
            return StopEvent(result=written(ev.query, ev.nodes))

    assert run(Given(), nodes=nodes("ab")) == ANSWER
    record = whole(only_run(attachment))
    assert record.pop("stages")[0].startswith("1 retrieve Given")
    assert record == expected(chunks="a b", stages=None, context="a b", **NUMBERED)


class Asked(StartEvent):
    question: str
    language: str = "en"


def test_a_start_event_of_ones_own(attachment: Attachment) -> None:
    class Typed(Workflow):
        @step
        async def answer(self, ev: Asked) -> StopEvent:
            return StopEvent(result=written(ev.question, await FakeRetriever().aretrieve(ev.question)))

    async def ran() -> Any:
        return await Typed().run(start_event=Asked(question=QUESTION))

    if not WORKFLOWS_VERSION:
        pytest.skip("workflows of this version take no start event of one's own")
    assert asyncio.run(ran()) == ANSWER
    assert whole(only_run(attachment)) == expected(**NUMBERED)
