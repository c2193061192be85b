"""Graphs that stop, wait, fail or are left: still one record per run, with what is known."""

import asyncio
from inspect import signature
from typing import Any

import pytest
from langchain_fakes import LONG, FakeChat, FakeRetriever, join
from langchain_graphs import Node, State, line, search
from versions import needs_langgraph, since_langgraph
from ways_to_ask import GRAPH_WAYS, cancelled_after
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = needs_langgraph

QUESTION = "Which city?"
ASKED = {"question": QUESTION}

FOUND = {
    "question": QUESTION,
    "chunks": "a b c",
    "stages": [f"1 retrieve FakeRetriever({QUESTION}): a b c"],
}

NOT_GENERATED = {
    "context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
    "context_source": "last_stage",
    "usage": "0 None>None",
}
"""No model was called: what would have reached it is assumed."""

GENERATED = {
    "context": "a b c",
    "context_source": "prompt",
    "citations": {"rule": "prompt"},
    "usage": "1 100>5",
    "answer_usage": "1 100>5",
}

every_way = pytest.mark.parametrize("way", GRAPH_WAYS)


def graph(generate: Node, **options: Any) -> Any:
    """Searches, then does what `generate` does with the state."""
    return line(("search", search), ("generate", generate), **options)


def answering(model: FakeChat) -> Any:
    def generate(state: State) -> State:
        return {"answer": str(model.invoke([("system", join(state["docs"])), ("human", state["question"])]).content)}

    return generate


def answering_async(model: FakeChat) -> Any:
    async def generate(state: State) -> State:
        said = await model.ainvoke([("system", join(state["docs"])), ("human", state["question"])])
        return {"answer": str(said.content)}

    return generate


def without_thread(record: dict[str, Any]) -> dict[str, Any]:
    """Older versions of langgraph put the thread's id into the metadata, newer ones do not."""
    assert record.pop("metadata", {"thread_id": "t1"}) == {"thread_id": "t1"}
    return record


FROM_STATE = FOUND | GENERATED | {"answer": "It passes Basel [1].", "stages": ["1 retrieve LangGraph: a b c"]}
"""Nothing was searched for; what the state brought along is seen when the graph returns it."""


@since_langgraph(0, 4)  # `interrupt` in every mode of streaming
@every_way
def test_a_graph_that_waits_for_somebody_and_is_resumed(handler: RagEvalCallbackHandler, way: str) -> None:
    """Two records: the first waits and is no error; the second answers from the documents in the state."""
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.types import Command, interrupt

    def generate(state: State) -> State:
        interrupt("go on?")
        return State(answering(FakeChat())(state))

    app = graph(generate, checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, ASKED, config)
    GRAPH_WAYS[way](app, Command(resume="yes"), config)
    first, second = (without_thread(whole(run)) for run in runs_of(handler))
    assert first == FOUND | NOT_GENERATED | {"status": "interrupted"}
    assert second == FROM_STATE


@every_way
def test_a_graph_that_stops_before_a_node_and_goes_on(handler: RagEvalCallbackHandler, way: str) -> None:
    """A break point raises nothing, so the first run looks like a whole one without an answer."""
    from langgraph.checkpoint.memory import MemorySaver

    app = graph(answering(FakeChat()), checkpointer=MemorySaver(), interrupt_before=["generate"])
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, ASKED, config)
    GRAPH_WAYS[way](app, None, config)
    first, second = (without_thread(whole(run)) for run in runs_of(handler))
    assert first == FOUND | NOT_GENERATED
    assert second == FROM_STATE


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_node_that_fails(handler: RagEvalCallbackHandler, way: str) -> None:
    def generate(_: State) -> State:
        raise ValueError("no template")

    with pytest.raises(ValueError, match="no template"):
        GRAPH_WAYS[way](graph(generate), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == FOUND | NOT_GENERATED | {"status": "error", "error": "ValueError"}


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_model_that_fails_in_a_node(handler: RagEvalCallbackHandler, way: str) -> None:
    app = graph(answering(FakeChat(error=ConnectionError("down"))))
    with pytest.raises(ConnectionError):
        GRAPH_WAYS[way](app, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == FOUND | GENERATED | {
        "status": "error",
        "error": "ConnectionError",
        "usage": "1 None>None",
        "answer_usage": "1 None>None",
    }


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_node_that_is_tried_again(handler: RagEvalCallbackHandler, way: str) -> None:
    """The failed attempt's search does not count; its repetition is the same round."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import RetryPolicy

    said = iter([ConnectionError("first"), None])

    def say(_: Any) -> str:
        error = next(said)
        if error is not None:
            raise error
        return "It passes Basel [1]."

    def both(state: State) -> State:
        found = FakeRetriever().invoke(state["question"])
        return State(answering(FakeChat(say=say))({**state, "docs": found}))

    built = StateGraph(State)
    option = "retry_policy" if "retry_policy" in signature(built.add_node).parameters else "retry"  # langgraph < 0.5
    policy = RetryPolicy(initial_interval=0, jitter=False, max_attempts=2)
    built.add_node("both", both, **{option: policy})
    built.add_edge(START, "both")
    built.add_edge("both", END)
    GRAPH_WAYS[way](built.compile(), ASKED, {"callbacks": [handler]})
    search = f"retrieve FakeRetriever({QUESTION}): a b c"
    assert whole(only_run(handler)) == FOUND | GENERATED | {
        "answer": "It passes Basel [1].",
        "stages": [f"1 {search} (inner)", f"1 {search}"],
        "usage": "2 100>5",
        "attempts": ["chain both: ConnectionError"],
        "flags": ("failed_attempts",),
    }


BROKEN_OFF = (
    FOUND
    | GENERATED
    | {
        "answer": "one two ",
        "usage": "1 None>None",
        "answer_usage": "1 None>None",
        "flags": ("open_children",),
    }
)
"""The model's task ends with the graph's, without a word from it."""


# Streams left early ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [1, 3])
def test_a_stream_of_messages_left_early(handler: RagEvalCallbackHandler, read: int) -> None:
    """LangGraph reads the model to its end in a thread of its own, and nobody tells how far the reader came."""
    stream = graph(answering(FakeChat(say=lambda _: LONG))).stream(
        ASKED, config={"callbacks": [handler]}, stream_mode="messages"
    )
    for _ in range(read):
        next(stream)
    stream.close()
    assert whole(only_run(handler)) == FOUND | GENERATED | {
        "status": "abandoned",
        "answer": LONG,
        "llm_complete": True,
    }


async def turns() -> None:
    """Lets the loop close a stream that was let go; from Python 3.13 on, a loop that ends first cancels that."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_stream_of_updates_left_after_the_search(handler: RagEvalCallbackHandler) -> None:
    stream = graph(answering(FakeChat())).stream(ASKED, config={"callbacks": [handler]}, stream_mode="updates")
    assert "search" in next(stream)
    stream.close()
    assert whole(only_run(handler)) == FOUND | NOT_GENERATED | {"status": "abandoned"}


@pytest.mark.parametrize("how", ["break", "aclose"])
def test_an_async_stream_of_messages_left_early(handler: RagEvalCallbackHandler, how: str) -> None:
    async def read() -> None:
        pause, paused = asyncio.Event(), asyncio.Event()
        app = graph(answering_async(FakeChat(say=lambda _: LONG, pause=pause, paused=paused)))
        stream = app.astream(ASKED, config={"callbacks": [handler]}, stream_mode="messages")
        got = 0
        async for _ in stream:
            got += 1
            if got == 2:
                break
        await paused.wait()
        if how == "aclose":
            await stream.aclose()
        del stream
        await turns()

    asyncio.run(read())
    assert whole(only_run(handler)) == BROKEN_OFF | {"status": "abandoned"}


@pytest.mark.parametrize("how", ["break", "aclose"])
def test_an_async_stream_of_updates_left_after_the_search(handler: RagEvalCallbackHandler, how: str) -> None:
    async def read() -> None:
        stream = graph(answering(FakeChat())).astream(ASKED, config={"callbacks": [handler]}, stream_mode="updates")
        async for _ in stream:
            break
        if how == "aclose":
            await stream.aclose()
        del stream
        await turns()

    asyncio.run(read())
    assert whole(only_run(handler)) == FOUND | NOT_GENERATED | {"status": "abandoned"}


def test_a_graph_that_is_cancelled(handler: RagEvalCallbackHandler) -> None:
    async def main() -> None:
        pause, paused = asyncio.Event(), asyncio.Event()
        app = graph(answering_async(FakeChat(say=lambda _: LONG, pause=pause, paused=paused)))

        async def read() -> list[Any]:
            return [part async for part in app.astream(ASKED, {"callbacks": [handler]}, stream_mode="messages")]

        await cancelled_after(paused, read())

    asyncio.run(main())
    assert whole(only_run(handler)) == BROKEN_OFF | {"status": "cancelled", "error": "CancelledError"}
