"""The record of one question, whichever way the chain is called."""

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, rag
from langchain_stress import left_in_tables
from ways_to_ask import CHAIN_WAYS
from whole_record import measured

from rag_eval_hooks.record import Chunk, CitationStyle, ContextItem, RagRun, Stage, StageItem, Usage
from rag_eval_hooks_langchain import RagEvalCallbackHandler

QUESTION = "Which city does the Rhine pass?"
ANSWER = "It passes Basel [1]."


def plain(run: RagRun) -> RagRun:
    """The record without what differs from run to run: ids and times."""
    return run.model_copy(
        update={
            "run_id": "root",
            "started_at": None,
            "duration_ms": None,
            "time_to_first_token_ms": None,
            "stages": tuple(s.model_copy(update={"run_id": None, "duration_ms": None}) for s in run.stages),
            "captured_by": "langchain",
        }
    )


EXPECTED = RagRun(
    run_id="root",
    question=QUESTION,
    answer=ANSWER,
    chunks=tuple(
        Chunk(id=key, text=TEXTS[key], metadata={"source": f"{key}.txt"}, source=f"{key}.txt") for key in "abc"
    ),
    stages=(
        Stage(name="FakeRetriever", query=QUESTION, items=(StageItem(chunk=0), StageItem(chunk=1), StageItem(chunk=2))),
    ),
    context=tuple(ContextItem(chunk=place, match="exact") for place in (0, 1, 2)),
    context_source="prompt",
    citations=CitationStyle(base=1, rule="prompt"),
    usage=Usage(input_tokens=100, output_tokens=5, model_calls=1),
    answer_usage=Usage(input_tokens=100, output_tokens=5, model_calls=1),
    tags=("prod",),
    metadata={"topic": "rivers"},
    captured_by="langchain",
)


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream", "astream_events", "batch", "abatch"])
def test_one_question_gives_the_same_record_however_it_is_asked(way: str) -> None:
    with RagEvalCallbackHandler() as handler:
        config = {"callbacks": [handler], "tags": ["prod"], "metadata": {"topic": "rivers"}}
        CHAIN_WAYS[way](rag(), QUESTION, config)
        last = handler.last
        assert last is not None
        assert plain(last.run) == EXPECTED
        assert last.evaluation.run_id == last.run.run_id
        assert len(handler.records) == 1
        assert handler.collector.open_ids == 0


def test_streaming_tells_the_time_to_the_first_token() -> None:
    with RagEvalCallbackHandler() as handler:
        list(rag().stream(QUESTION, config={"callbacks": [handler]}))
        run = handler.last.run
        assert run.duration_ms >= run.time_to_first_token_ms > 0


def test_a_retriever_alone_is_a_record_without_an_answer() -> None:
    with RagEvalCallbackHandler() as handler:
        found = FakeRetriever().invoke(QUESTION, config={"callbacks": [handler]})
        assert [document.id for document in found] == ["a", "b", "c"]
        assert plain(handler.last.run) == EXPECTED.model_copy(
            update={
                "answer": None,
                "context": tuple(ContextItem(chunk=place) for place in (0, 1, 2)),
                "context_source": "last_stage",
                "citations": CitationStyle(),
                "usage": Usage(),
                "answer_usage": None,
                "tags": (),
                "metadata": {},
            }
        )
        assert set(measured(handler).values()) == {"no_answer"}


def test_a_chain_without_retrieval_and_model_leaves_no_record() -> None:
    with RagEvalCallbackHandler() as handler:
        RunnableLambda(str.upper).invoke("x", config={"callbacks": [handler]})
        assert handler.last is None
        assert set(left_in_tables(handler).values()) == {0}
        assert (handler.stats()["opened"], handler.stats()["discarded"]) == (1, 1)


def test_a_model_alone_is_a_record_of_its_own() -> None:
    with RagEvalCallbackHandler() as handler:
        FakeChat().invoke(QUESTION, config={"callbacks": [handler]})
        run = handler.last.run
        assert (run.question, run.answer, run.status) == (QUESTION, ANSWER, "ok")
        assert (run.context, run.context_source) == ((), "prompt")
