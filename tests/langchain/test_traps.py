"""The traps that LangChain sets for whoever watches it, by their numbers, and where each has its test.

| trap | what must hold | test |
|---|---|---|
| 1 | a streamed question is the question | `test_invoke_and_stream.test_one_question_gives_the_same_record_...` |
| 2 | a stream closed early | `test_live_scenarios.test_a_reader_who_leaves_a_stream`, `test_ends` |
| 3 | an async stream left | `test_live_scenarios.test_a_reader_who_leaves_an_async_stream`, `test_graph_ends` |
| 4 | a task cancelled in a search, in a model | here, `test_live_scenarios.test_a_request_that_is_cancelled_...` |
| 5 | a stream read by half | here |
| 8 | a loop over tagged questions | here |
| 9 | the same handler twice | `test_live_scenarios.test_the_same_handler_on_the_chain_the_model_and_the_call` |
| 17 | a search and a reranking in plain code | here (nodes), `test_pipeline_lcel` (functions) |
| 18 | an agent with two searches | `test_agents.test_two_searches_one_after_the_other` |
| 19 | a graph that waits and is resumed | `test_graph_ends.test_a_graph_that_waits_for_somebody_and_is_resumed` |
| 20 | a handler on the model only | here |
| 21 | a run inside another tracer's | here |
| 22 | faults of ours, and of a sink | here, `test_guest.test_a_failing_sink_is_counted_...` |
| 24 | a copied chain | here |
| 25 | many cancelled questions leave nothing | `test_live_scenarios.test_searches_that_never_end` |
| 26 | content and tokens in blocks, citations in four places | here, `test_provided_citations` |
| 27 | a slow sink and the event loop | `test_guest.test_a_slow_sink_does_not_hold_up_the_event_loop` |
| 28 | one handler for the whole process (by `attach()`; no environment variable does it) | `test_attach` |
| 29 | the third event stream, its loop closed at once | here |
"""

import asyncio
import copy
import threading
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableLambda
from langchain_fakes import LONG, FakeChat, FakeRetriever, documents, join, rag
from langchain_graphs import generate, line, search
from usual_record import ANSWER, expected
from versions import needs_langgraph, since_core
from ways_to_ask import cancelled_after
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.capture import Collector
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

# Ends --------------------------------------------------------------------------------------------------------------


def test_trap_4_a_task_cancelled_in_a_search(handler: RagEvalCallbackHandler) -> None:
    """LangChain reports no end of the search; the record does not wait for it once somebody asks."""
    gate, entered = threading.Event(), threading.Event()

    async def main() -> None:
        chain = rag(retriever=FakeRetriever(gate=gate, entered=entered))
        await cancelled_after(entered, chain.ainvoke("Q?", config={"callbacks": [handler]}))
        gate.set()

    asyncio.run(main())
    assert whole(only_run(handler)) == {
        "question": "Q?",
        "status": "cancelled",
        "error": "CancelledError",
        "context_source": "last_stage",
        "usage": "0 None>None",
        "flags": ("open_children",),
    }


def test_trap_5_a_stream_read_by_half_is_recorded_by_its_age() -> None:
    """Without the root's end only the query tells the question; closing the stream later makes no second record."""
    with RagEvalCallbackHandler(Hooks(ttl_s=0)) as handler:
        stream = rag(FakeChat(say=lambda _: LONG)).stream("Q?", config={"callbacks": [handler]})
        next(stream), next(stream)
        handler.hooks._tick()  # sees new tokens: the stream is alive
        handler.hooks._tick()
        once = expected(
            answer="one two ",
            status="timeout",
            usage="1 None>None",
            answer_usage="1 None>None",
            flags=("open_children",),
        )
        assert whole(only_run(handler)) == once
        stream.close()
        assert whole(only_run(handler)) == once
        assert handler.stats()["late"] > 0


# Questions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["invoke", "stream"])
def test_trap_8_a_tag_opens_a_record_inside_a_loop(handler: RagEvalCallbackHandler, way: str) -> None:
    """The tag is inherited by all below, and opens one record all the same."""
    chain = rag().with_config(tags=["rag_eval:question"])

    def loop(questions: list[str]) -> list[str]:
        return [chain.invoke(one) if way == "invoke" else "".join(chain.stream(one)) for one in questions]

    RunnableLambda(loop).invoke(["first?", "second?"], config={"callbacks": [handler]})
    assert [whole(run) for run in runs_of(handler)] == [expected(question="first?"), expected(question="second?")]


def test_trap_20_a_handler_on_the_model_only(handler: RagEvalCallbackHandler) -> None:
    rag(FakeChat(callbacks=[handler])).invoke("Q?")
    assert whole(only_run(handler)) == {
        "status": "partial",
        "question": "Q?",
        "answer": ANSWER,
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
        "flags": ("parent_unknown",),
    }


def test_trap_20_a_handler_on_the_retriever_only(handler: RagEvalCallbackHandler) -> None:
    rag(retriever=FakeRetriever().with_config(callbacks=[handler])).invoke("Q?")
    assert whole(only_run(handler)) == {
        "status": "partial",
        "question": "Q?",
        "chunks": "a b c",
        "stages": ["1 retrieve FakeRetriever(Q?): a b c"],
        "context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
        "context_source": "last_stage",
        "usage": "0 None>None",
        "flags": ("parent_unknown",),
    }


def test_trap_21_inside_another_tracers_run(handler: RagEvalCallbackHandler) -> None:
    """The chain's root has a parent that we never saw; it is a whole question all the same."""
    import langsmith
    from langsmith.run_trees import RunTree

    outer = RunTree(name="outer", run_type="chain", inputs={})
    with langsmith.tracing_context(parent=outer, enabled=False):
        for question in ("first?", "second?"):
            rag().invoke(question, config={"callbacks": [handler]})
    found = [whole(run) for run in runs_of(handler)]
    for one in found:  # whether the parent shows depends on the version
        assert one.pop("flags", ("parent_unknown",)) == ("parent_unknown",)
    assert found == [expected(question="first?"), expected(question="second?")]


# Faults, and what the chain does with the handler ------------------------------------------------------------------


@pytest.mark.parametrize("method", ["start", "end", "token"])
def test_trap_22_a_fault_of_ours_leaves_the_pipeline_alone(
    handler: RagEvalCallbackHandler, method: str, monkeypatch: pytest.MonkeyPatch, caught: list[Exception]
) -> None:
    def explode(*_: Any, **__: Any) -> None:
        raise RuntimeError("ours")

    before = handler.stats()["caught_in_process"]
    with monkeypatch.context() as broken:
        broken.setattr(Collector, method, explode)
        assert "".join(rag().stream("Q?", config={"callbacks": [handler]})) == ANSWER
    assert handler.stats()["caught_in_process"] == before + len(caught) > before
    assert {str(error) for error in caught} == {"ours"}
    caught.clear()
    rag().invoke("And now?", config={"callbacks": [handler]})
    handler.flush()
    last = handler.last
    assert last is not None
    assert whole(last.run) == expected(question="And now?")


def test_trap_24_a_copied_chain_feeds_the_same_handler(handler: RagEvalCallbackHandler) -> None:
    chain = rag().with_config(callbacks=[handler])
    assert copy.deepcopy(chain).invoke("first?") == chain.invoke("second?") == ANSWER
    assert [whole(run) for run in runs_of(handler)] == [expected(question="first?"), expected(question="second?")]


# Documents without a retriever -------------------------------------------------------------------------------------


@needs_langgraph
def test_trap_17_nodes_that_search_and_rerank_in_plain_code(handler: RagEvalCallbackHandler) -> None:
    app = line(
        ("look_up", lambda _: {"docs": documents()}),
        ("rerank", lambda state: {"docs": [state["docs"][2], state["docs"][0]]}),
        ("generate", generate),
    )
    app.invoke({"question": "Q?"}, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=["1 retrieve look_up: a b c (inner)", "1 postprocess rerank: c a"], context="c a"
    )


# Content -----------------------------------------------------------------------------------------------------------

TEXT = "It passes Basel."
CITATION = {"type": "char_location", "document_index": 0, "document_title": "a.txt", "cited_text": "Basel"}
IN_BLOCK = {"content": [{"type": "text", "text": TEXT, "citations": [CITATION]}]}


class Blocks(FakeChat):
    """Streams its text in blocks, and the citation in a block of its own."""

    def _chunks(self, messages: Any) -> Any:
        for block in ({"text": "It passes"}, {"text": " Basel."}, {"text": "", "citations": [CITATION]}):
            yield ChatGenerationChunk(message=AIMessageChunk(content=[{"type": "text", "index": 0, **block}]))


def cited(**fields: Any) -> FakeChat:
    return FakeChat(say=lambda _: AIMessage(**fields))


@pytest.mark.parametrize(
    ("model", "way"),
    [
        pytest.param(cited(**IN_BLOCK), "invoke", id="in a block"),
        pytest.param(
            cited(**IN_BLOCK, response_metadata={"model_provider": "anthropic"}), "invoke", id="with its provider"
        ),
        pytest.param(
            cited(content=TEXT, additional_kwargs={"citations": [{"start": 0, "end": 16, **CITATION}]}),
            "invoke",
            id="beside the content",
        ),
        pytest.param(Blocks(), "stream", id="streamed"),
    ],
)
def test_trap_26_blocks_and_citations(handler: RagEvalCallbackHandler, model: FakeChat, way: str) -> None:
    if way == "invoke":
        rag(model).invoke("Q?", config={"callbacks": [handler]})
    else:
        list(rag(model).stream("Q?", config={"callbacks": [handler]}))
    assert whole(only_run(handler)) == expected(
        answer=TEXT,
        citations={
            "rule": "prompt",
            "provided": ({"start": 0, "end": 16, "index": 0, "title": "a.txt", "cited_text": "Basel"},),
        },
        usage="1 None>None",
        answer_usage="1 None>None",
    )


def test_trap_26_a_chain_that_returns_the_blocks(handler: RagEvalCallbackHandler) -> None:
    """Their text is the answer, and not the JSON of a list."""
    model = cited(content=[{"type": "text", "text": "It passes "}, {"type": "text", "text": "Basel."}])
    chain = FakeRetriever() | join | model | (lambda message: {"answer": message.content})
    chain.invoke("Q?", config={"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(answer=TEXT, usage="1 None>None", answer_usage="1 None>None")


@since_core(1, 8)  # version 3 of `astream_events`
@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
@pytest.mark.parametrize("ends", [True, False])
def test_trap_29_the_third_event_stream_whose_loop_is_closed_at_once(
    handler: RagEvalCallbackHandler, ends: bool
) -> None:
    """The model's end comes from a task in the background; where it comes too late, the answer is whole."""

    async def answer(question: str) -> str:
        found = await FakeRetriever().ainvoke(question)
        waits = {} if ends else {"pause": asyncio.Event(), "paused": asyncio.Event()}
        model = FakeChat(say=lambda _: "Basel [1].", **waits)
        said = ""
        prompt = [("system", join(found)), ("human", question)]
        async for event in await model.astream_events(prompt, version="v3"):  # type: ignore[misc]
            said += event["delta"]["text"] if event["event"] == "content-block-delta" else ""
            if said == "Basel [1]." and not ends:
                break
        return said

    asyncio.run(RunnableLambda(answer).ainvoke("Q?", config={"callbacks": [handler]}))
    cut_off = {} if ends else {"status": "abandoned", "usage": "1 None>None", "answer_usage": "1 None>None"}
    assert whole(only_run(handler)) == expected(answer="Basel [1].", **cut_off)


@since_core(1, 8)
@needs_langgraph
@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
def test_trap_29_the_third_event_stream_of_a_graph(handler: RagEvalCallbackHandler) -> None:
    async def generate(state: Any) -> Any:
        said = await FakeChat().ainvoke([("system", join(state["docs"])), ("human", state["question"])])
        return {"answer": said.content}

    async def read() -> None:
        app = line(("search", search), ("generate", generate))
        async for _ in await app.astream_events({"question": "Q?"}, version="v3", config={"callbacks": [handler]}):
            pass

    asyncio.run(read())
    assert whole(only_run(handler)) == expected()


def test_ids_are_the_frameworks(handler: RagEvalCallbackHandler) -> None:
    root = UUID(int=7)
    rag().invoke("Q?", config={"callbacks": [handler], "run_id": root})
    assert only_run(handler).run_id == str(root)
