"""What must hold while a request runs: the scenarios of the live mode and of operation, by their ids.

Shown elsewhere:
- live-02, a retriever on its own: `test_attach.test_one_engine_alone_is_recorded`;
- live-04, a reader who leaves a stream, and live-17, a task that is cancelled while it waits for a token:
  `test_stream_ends`;
- live-05, end events that never arrive: `test_faults.test_more_under_way_than_is_remembered`;
- live-08, an answer without model events, and live-10, a root that ends before the work below it: `test_faults`;
- live-13, attached twice: `test_attach.test_attaching_twice_is_attaching_once`;
- live-15, tokens that are no texts: `test_faults.test_tokens_that_are_no_texts`;
- operation-01 and operation-02, the end of the process and forks: `test_processes`;
- operation-04, operation-05 and operation-09, masks, keys, and a slow sink: `test_guest`.

live-09 is about LangChain's events. operation-03 and operation-06 are of the core, which both adapters feed alike.
"""

import asyncio
import copy
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.dispatcher import instrument_tags
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llamaindex_expected import expected, unread
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from llamaindex_stress import find, say
from many_questions import answer_about, facts_about, questions
from whole_record import measured, only_run, runs_of, whole

from rag_eval_hooks import evaluate
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.sinks import JsonlSink
from rag_eval_hooks.testing import make_run
from rag_eval_hooks_llamaindex import Attachment, attach, question

# Many at once ------------------------------------------------------------------------------------------------------


class Waiting(FakeRetriever):
    """Answers each query when its turn comes."""

    def __init__(self, asked: Any, find: Callable[[str], list[NodeWithScore]]) -> None:
        super().__init__(find=find)
        self.turns = {query: asyncio.Event() for query in asked}
        self.began = asyncio.Semaphore(0)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.began.release()
        await self.turns[query_bundle.query_str].wait()
        return self._retrieve(query_bundle)

    async def all_began(self) -> None:
        for _ in self.turns:
            await self.began.acquire()


# live-01
def test_fifty_questions_at_once(attachment: Attachment) -> None:
    """All searches are under way before the first returns, and they return in another order."""
    asked = questions(50)

    async def main() -> None:
        retriever = Waiting(asked, find)
        own = RetrieverQueryEngine.from_args(retriever, llm=FakeLLM(say=say))
        tasks = [asyncio.create_task(own.aquery(text)) for text in asked]
        await retriever.all_began()
        for text in sorted(asked, key=lambda text: text[::-1]):
            retriever.turns[text].set()
        assert [str(answer) for answer in await asyncio.gather(*tasks)] == [answer_about(text) for text in asked]

    asyncio.run(main())
    found = {str(run.question): whole(run) for run in runs_of(attachment)}
    assert found == {
        text: expected(
            question=text,
            answer=answer_about(text),
            chunks=" ".join(facts_about(text)),
            texts=facts_about(text),
            stages=[f"1 retrieve Waiting({text}): {' '.join(facts_about(text))}"],
            context=" ".join(facts_about(text)),
        )
        for text in asked
    }


class InTasks(CustomQueryEngine):
    """Hands two searches to tasks of their own, and packs what they find in the order in which they were started."""

    retriever: Any
    first: str

    def custom_query(self, query_str: str) -> Response:
        raise NotImplementedError

    async def acustom_query(self, query_str: str) -> Response:
        retriever = self.retriever
        searches = {query: asyncio.create_task(retriever.aretrieve(query)) for query in retriever.turns}
        await retriever.all_began()
        retriever.turns[self.first].set()
        await searches[self.first]
        for turn in retriever.turns.values():
            turn.set()
        found = [node.text for search in searches.values() for node in await search]
        return Response(str(await FakeLLM().acomplete("\n".join([*found, query_str]))))


# live-11
@pytest.mark.parametrize("first", ["one", "two"])
def test_searches_in_tasks_of_their_own(attachment: Attachment, first: str) -> None:
    """They are in the record in order of start, whichever ends first."""

    async def main() -> str:
        retriever = Waiting(["one", "two"], lambda query: nodes("a" if query == "one" else "b"))
        return str(await InTasks(retriever=retriever, first=first).aquery(QUESTION))

    assert asyncio.run(main()) == ANSWER
    assert whole(only_run(attachment)) == expected(
        chunks="a b", stages=["1 retrieve Waiting(one): a=0.9", "2 retrieve Waiting(two): b=0.9"], context="a b"
    )


# Ends that are not the usual one -----------------------------------------------------------------------------------


# live-03
def test_an_engine_that_fails_after_the_search(attachment: Attachment) -> None:
    error = ValueError("no such template")

    class Failing(BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes: Any, query_bundle: Any = None) -> Any:
            raise error

    with pytest.raises(ValueError, match="no such template") as raised:
        engine(node_postprocessors=[Failing()]).query(QUESTION)
    assert raised.value is error
    assert whole(only_run(attachment)) == unread(status="error", error="ValueError")
    assert set(measured(attachment).values()) == {"incomplete_run"}


# live-17
def test_a_question_that_is_cancelled_during_the_search(attachment: Attachment) -> None:
    async def main() -> None:
        retriever = Waiting([QUESTION], lambda _: nodes())
        task = asyncio.create_task(engine(retriever=retriever).aquery(QUESTION))
        await retriever.all_began()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    run = only_run(attachment)
    assert (run.question, run.answer, run.status, run.error) == (QUESTION, None, "cancelled", "CancelledError")
    assert set(measured(attachment).values()) == {"incomplete_run"}


# What counts as context --------------------------------------------------------------------------------------------


class Shortening(BaseNodePostprocessor):
    """Keeps the beginnings of three of ten nodes."""

    def _postprocess_nodes(self, nodes: Any, query_bundle: Any = None) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_=nodes[n].node.node_id, text=nodes[n].text[:40]), score=None)
            for n in (6, 1, 4)
        ]


# live-06
def test_a_compressor_behind_the_retriever(attachment: Attachment) -> None:
    ten = {f"d{n}": f"Document {n} tells of harbour {n} on the river, at length." for n in range(1, 11)}
    found = [NodeWithScore(node=TextNode(id_=key, text=text), score=None) for key, text in ten.items()]
    retriever = FakeRetriever(find=lambda _: found)
    assert str(engine(retriever=retriever, node_postprocessors=[Shortening()]).query(QUESTION)) == ANSWER
    run = only_run(attachment)
    assert [(chunk.id, chunk.text) for chunk in run.context_chunks()] == [(k, ten[k][:40]) for k in ("d7", "d2", "d5")]
    assert run.retrieved_ids == ("d7", "d2", "d5")
    assert [(stage.final, len(stage.items)) for stage in run.stages] == [(False, 10), (True, 3)]


class Reranking(BaseNodePostprocessor):
    """Keeps the third and the first node, with scores of its own."""

    def _postprocess_nodes(self, nodes: Any, query_bundle: Any = None) -> list[NodeWithScore]:
        return [NodeWithScore(node=nodes[2].node, score=0.95), NodeWithScore(node=nodes[0].node, score=0.4)]


# live-07
def test_a_reranker_between_the_retriever_and_the_prompt(attachment: Attachment) -> None:
    said = "The Jura mountains gave the Jurassic its name."
    asked = "What named the Jurassic?"
    assert str(engine(said, "abcd", node_postprocessors=[Reranking()]).query(asked)) == said
    assert whole(only_run(attachment)) == expected(
        question=asked,
        answer=said,
        chunks="a b c d",
        stages=[
            f"1 retrieve FakeRetriever({asked}): a=0.9 b=0.8 c=0.7 d=0.6 (inner)",
            "1 rerank Reranking: c=0.95 a=0.4",
        ],
        context="c a",
    )
    assert measured(attachment)["ContextPrecision"] == 1.0


class Unseen(CustomQueryEngine):
    """Puts texts that no retriever has found straight into the prompt."""

    def custom_query(self, query_str: str) -> Response:
        return Response(str(FakeLLM().complete("\n".join([TEXTS["a"], TEXTS["b"], query_str]))))


# live-14
def test_texts_that_no_retriever_has_found(attachment: Attachment) -> None:
    """Not seen is not the same as bad."""
    assert str(Unseen().query(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == expected(chunks=None, stages=None, context=None)
    assert measured(attachment)["ContextPrecision"] == "no_context"


# live-14
def test_texts_that_hand_written_code_tells_of(attachment: Attachment) -> None:
    with question(QUESTION) as asked:
        asked.nodes(nodes("ab"))
        assert str(Unseen().query(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == expected(
        chunks="a b", stages=[f"1 retrieve search({QUESTION}): a=0.9 b=0.8"], context="a b"
    )
    assert measured(attachment)["ContextPrecision"] == 1.0


# Objects -----------------------------------------------------------------------------------------------------------


# live-12
def test_an_engine_is_copied_as_without_us(attachment: Attachment) -> None:
    """The handlers hang on the dispatcher, which every copy goes by."""
    assert str(copy.deepcopy(engine()).query(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == expected()
    root = get_dispatcher()
    for handlers in (root.event_handlers, root.span_handlers):
        assert [type(one) for one in copy.deepcopy(handlers)] == [type(one) for one in handlers]


class Colour(Enum):
    RED = "red"


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def odd() -> dict[str, Any]:
    numpy = pytest.importorskip("numpy")
    return {
        "float32": numpy.float32(0.5),
        "int64": numpy.int64(7),
        "day": datetime(2026, 11, 30, 12, tzinfo=UTC),
        "uuid": uuid.UUID(int=5),
        "path": Path("a") / "b.txt",
        "decimal": Decimal("1.50"),
        "bytes": b"\x00\x01",
        "set": {"x"},
        "enum": Colour.RED,
        "mute": Mute(),
        "lock": threading.Lock(),
    }


PLAIN = {
    "float32": 0.5,
    "int64": 7,
    "day": "2026-11-30T12:00:00+00:00",
    "uuid": "00000000-0000-0000-0000-000000000005",
    "path": "a/b.txt",
    "decimal": "1.50",
    "bytes": "<bytes of 2 bytes>",
    "set": ["x"],
    "enum": "red",
    "mute": "<Mute>",
    "lock": "<lock>",
}


# operation-07, live-12
def test_objects_in_metadata_do_not_cost_the_record(tmp_path: Path) -> None:
    """Those of the nodes, and those of the instrument tags."""
    path = tmp_path / "runs.jsonl"
    # LlamaIndex itself would write the metadata into the prompt, and until 0.14.0 into its own events.
    spoken = {key: value for key, value in odd().items() if key != "mute"}
    hidden = TextNode(id_="x", text=TEXTS["a"], metadata=spoken, excluded_llm_metadata_keys=list(spoken))
    retriever = FakeRetriever(find=lambda _: [NodeWithScore(node=hidden, score=0.5)])
    with attach(sinks=JsonlSink(path, "runs")) as attachment, instrument_tags(odd()):
        assert str(engine(retriever=retriever).query(QUESTION)) == ANSWER
        attachment.flush(20)
        run = only_run(attachment)
        assert attachment.stats()["written"] == 1
    assert RagRun.model_validate_json(path.read_text()) == run
    assert whole(run) == expected(
        chunks="x",
        texts={"x": TEXTS["a"]},
        metadata_of={"x": {key: PLAIN[key] for key in spoken}},
        metadata=PLAIN,
        stages=[f"1 retrieve FakeRetriever({QUESTION}): x=0.5"],
        context="x",
    )


# live-16
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_evaluation_and_engines_inside_a_running_event_loop(attachment: Attachment, loop: str) -> None:
    factory = None if loop == "asyncio" else pytest.importorskip("uvloop").new_event_loop
    run = make_run("ab", answer="It passes Basel [1].")

    async def main() -> Any:
        assert str(await engine().aquery(QUESTION)) == ANSWER
        return evaluate(run)

    policy = asyncio.get_event_loop_policy()
    with asyncio.Runner(loop_factory=factory) as runner:
        assert runner.run(main()) == evaluate(run)
    assert asyncio.get_event_loop_policy() is policy
    assert whole(only_run(attachment)) == expected()
