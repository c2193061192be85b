"""How agents and graphs are steered: approval inside tools and subgraphs, hand-overs, limits, many at once.

LangGraph raises exceptions to steer; none of them is a failure of the question, unless it ends it.
"""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import create_retriever_tool, tool
from langchain_fakes import FakeChat, FakeRetriever, acting, asks, documents, join
from langchain_graphs import State, generate, line, search
from many_questions import token_of
from pydantic import BaseModel
from usual_record import ANSWER, expected
from versions import agent, needs_agent, needs_langgraph, since_langgraph
from ways_to_ask import GRAPH_WAYS
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = needs_langgraph

WAYS_IN_SHORT = pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "stream messages"])
NO_CALL = {"context_source": "last_stage", "usage": "0 None>None", "answer_usage": None, "citations": None}


def whole_of(handler: RagEvalCallbackHandler) -> list[dict[str, Any]]:
    """All records without the thread's id, which only some versions put into the metadata."""
    found = [whole(run) for run in runs_of(handler)]
    for one in found:
        assert set(one.pop("metadata", {})) <= {"thread_id"}
    return found


# Waiting for somebody ----------------------------------------------------------------------------------------------


@needs_agent
@since_langgraph(0, 4)
@WAYS_IN_SHORT
def test_a_tool_that_asks_for_approval(handler: RagEvalCallbackHandler, way: str) -> None:
    """The resumed run calls the tool again, searches, and answers."""
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.types import Command, interrupt

    @tool
    def look_up(query: str) -> str:
        """Searches, if somebody agrees."""
        interrupt(f"search for {query}?")
        return join(FakeRetriever().invoke(query))

    app = agent(acting(asks("Rhine", tool="look_up"), ANSWER), [look_up])
    app.checkpointer = MemorySaver()  # type: ignore[attr-defined]
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, {"messages": [("user", "Q?")]}, config)
    GRAPH_WAYS[way](app, Command(resume="yes"), config)
    first, second = whole_of(handler)
    assert first == {
        "question": "Q?",
        "status": "interrupted",
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }
    assert second == expected(stages=["1 retrieve FakeRetriever(Rhine): a b c"])


@since_langgraph(0, 4)
@WAYS_IN_SHORT
def test_a_graph_within_a_graph_that_waits(handler: RagEvalCallbackHandler, way: str) -> None:
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.types import Command, interrupt

    def approve(_: Any) -> Any:
        interrupt("go on?")
        return {}

    inner = line(("search", search), ("approve", approve))
    app = line(("research", inner), ("generate", generate), checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, {"question": "Q?"}, config)
    GRAPH_WAYS[way](app, Command(resume="yes"), config)
    first, second = whole_of(handler)
    assumed = "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00"
    assert first == expected(answer=None, status="interrupted", context=assumed, **NO_CALL)
    assert second == expected(stages=["1 retrieve LangGraph: a b c"])


@pytest.mark.filterwarnings("ignore:NodeInterrupt is deprecated")
@WAYS_IN_SHORT
def test_a_node_that_raises_an_interrupt(handler: RagEvalCallbackHandler, way: str) -> None:
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.errors import NodeInterrupt

    agreed: list[bool] = []

    def wait(state: Any) -> Any:
        if not agreed:
            agreed.append(True)
            raise NodeInterrupt("go on?")
        return generate(state)

    app = line(("search", search), ("wait", wait), checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, {"question": "Q?"}, config)
    GRAPH_WAYS[way](app, None, config)
    first, second = whole_of(handler)
    assumed = "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00"
    assert first == expected(answer=None, status="interrupted", context=assumed, **NO_CALL)
    assert second == expected(stages=["1 retrieve LangGraph: a b c"])


@since_langgraph(0, 4)
@WAYS_IN_SHORT
def test_a_conversation_that_waits_has_no_answer(handler: RagEvalCallbackHandler, way: str) -> None:
    """Neither what was said so far nor a counter beside it is one."""
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.graph import MessagesState
    from langgraph.types import Command, interrupt

    class Counting(MessagesState):
        turns: int

    def respond(state: Any) -> Any:
        return {"messages": [FakeChat().invoke(state["messages"])]}

    def count(_: Any) -> Any:
        return {"turns": len(FakeRetriever().invoke("Q?"))}

    def ask(_: Any) -> Any:
        interrupt("go on?")
        return {}

    app = line(
        ("count", count),
        ("ask", ask),
        ("respond", respond),
        state=Counting,
        checkpointer=MemorySaver(),
    )
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, {"messages": [("user", "Earlier?"), ("assistant", "Yes."), ("user", "Q?")]}, config)
    GRAPH_WAYS[way](app, Command(resume="yes"), config)
    first, second = whole_of(handler)
    assumed = "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00"
    assert first == expected(answer=None, status="interrupted", context=assumed, **NO_CALL)
    assert second == expected(chunks=None, stages=None, context=None, citations=None)


# Handing over, and giving up ---------------------------------------------------------------------------------------


@since_langgraph(0, 3)
@WAYS_IN_SHORT
def test_a_graph_within_a_graph_that_hands_over_to_its_parent(handler: RagEvalCallbackHandler, way: str) -> None:
    """The hand-over is raised through the inner graph; it is no failure, and its documents are retrieved."""
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command

    def hand_over(state: Any) -> Any:
        return Command(graph=Command.PARENT, goto="generate", update={"docs": search(state)["docs"][:2]})

    inner = line(("hand_over", hand_over))
    built = StateGraph(State)
    built.add_node("research", inner)
    built.add_node("generate", generate)
    built.add_edge(START, "research")
    GRAPH_WAYS[way](built.compile(), {"question": "Q?"}, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=["1 postprocess LangGraph: a b", "1 retrieve FakeRetriever(Q?): a b c (inner)"], context="a b"
    )


@needs_agent
@since_langgraph(0, 3)
@WAYS_IN_SHORT
def test_an_agent_that_hands_the_question_over_to_another(handler: RagEvalCallbackHandler, way: str) -> None:
    """The hand-over is raised through the first agent's graph, and is no failure."""
    from langchain_core.tools import InjectedToolCallId
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import InjectedState
    from langgraph.types import Command

    @tool
    def transfer(
        query: str, state: Annotated[Any, InjectedState], tool_call_id: Annotated[str, InjectedToolCallId]
    ) -> Any:
        """Hands over."""
        said = [*state["messages"], ToolMessage("Handed over.", tool_call_id=tool_call_id)]
        return Command(goto="researcher", graph=Command.PARENT, update={"messages": said})

    search = create_retriever_tool(FakeRetriever(), "search", "Searches.")

    def research(messages: Sequence[Any]) -> AIMessage | str:
        return ANSWER if "Rhine" in str(messages[-1].content) and messages[-1].type == "tool" else asks("course")

    built = StateGraph(MessagesState)
    built.add_node("desk", agent(FakeChat(say=lambda _: asks("the question", tool="transfer")), [transfer]))
    built.add_node("researcher", agent(FakeChat(say=research), [search]))
    built.add_edge(START, "desk")
    GRAPH_WAYS[way](built.compile(), {"messages": [("user", "Q?")]}, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=["1 retrieve FakeRetriever(course): a b c"], usage="3 300>15", citations=None
    )


@WAYS_IN_SHORT
def test_a_graph_that_comes_to_no_end(handler: RagEvalCallbackHandler, way: str) -> None:
    from langgraph.errors import GraphRecursionError
    from langgraph.graph import START, StateGraph

    built = StateGraph(State)
    built.add_node("search", search)
    built.add_node("judge", lambda state: {"answer": str(FakeChat().invoke(join(state["docs"])).content)})
    built.add_edge(START, "search")
    built.add_edge("search", "judge")
    built.add_edge("judge", "search")
    with pytest.raises(GraphRecursionError):
        GRAPH_WAYS[way](built.compile(), {"question": "Q?"}, {"callbacks": [handler], "recursion_limit": 4})
    # Streamed words reached the user; a text that came at once did not.
    said = {"answer": ANSWER} if way == "stream messages" else {"answer": None, "llm_text": ANSWER}
    assert whole(only_run(handler)) == expected(
        status="error",
        error="GraphRecursionError",
        stages=["1 retrieve FakeRetriever(Q?): a b c", "2 retrieve FakeRetriever(Q?): a b c"],
        usage="2 200>10",
        llm_complete=True,
        **said,
    )


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates"])
def test_one_of_two_branches_that_fails(handler: RagEvalCallbackHandler, way: str) -> None:
    """What the other found by then is in the record; the failure ended the question and is no attempt."""
    from langgraph.graph import START, StateGraph

    found = threading.Event()

    def fail(_: Any) -> Any:
        assert found.wait(20)
        raise ValueError("no")

    def more(_: Any) -> Any:
        documents = FakeRetriever(keys="d").invoke("more")
        found.set()
        return {"docs": documents}

    built = StateGraph(State)
    for name, node in (("search", search), ("fail", fail), ("more", more)):
        built.add_node(name, node)
    built.add_edge(START, "search")
    built.add_edge("search", "fail")
    built.add_edge("search", "more")
    with pytest.raises(ValueError, match="no"):
        GRAPH_WAYS[way](built.compile(), {"question": "Q?"}, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        answer=None,
        status="error",
        error="ValueError",
        chunks="a b c d",
        stages=["1 retrieve FakeRetriever(Q?): a b c", "2 retrieve FakeRetriever(more): d"],
        context="a:assumed:1.00 b:assumed:1.00 c:assumed:1.00 d:assumed:1.00",
        **NO_CALL,
    )


# States that are objects -------------------------------------------------------------------------------------------


class Model(BaseModel):
    question: str
    docs: list[Document] = []
    answer: str = ""


@dataclass
class Plain:
    question: str
    docs: list[Document] = field(default_factory=list)
    answer: str = ""


@pytest.mark.parametrize("state", [Model, Plain])
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "stream values", "astream_events"])
@pytest.mark.parametrize("stored", [False, True])
def test_states_that_are_objects(handler: RagEvalCallbackHandler, way: str, state: Any, stored: bool) -> None:
    def look_up(asked: Any) -> Any:
        return {"docs": documents() if stored else FakeRetriever().invoke(asked.question)}

    app = line(("look_up", look_up), ("generate", lambda held: generate(vars(held))), state=state)
    GRAPH_WAYS[way](app, {"question": "Q?"}, {"callbacks": [handler]})
    name = "look_up" if stored else "FakeRetriever(Q?)"
    assert whole(only_run(handler)) == expected(stages=[f"1 retrieve {name}: a b c"])


# Many at once ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["threads", "batch", "gather", "abatch"])
def test_many_questions_of_one_graph(handler: RagEvalCallbackHandler, how: str) -> None:
    questions = [f"q T{number:02d}" for number in range(30)]

    def look(state: Any) -> Any:
        token = token_of(state["question"])
        find = lambda _: [Document(id=token, page_content=f"All about {token} is here.")]  # noqa: E731
        return {"docs": FakeRetriever(find=find).invoke(state["question"])}

    def say(state: Any) -> Any:
        model = FakeChat(say=lambda messages: f"It is {token_of(str(messages[-1].content))}.")
        return {"answer": model.invoke([("system", join(state["docs"])), ("human", state["question"])]).content}

    app = line(("look", look), ("say", say))
    config = {"callbacks": [handler]}
    asked = [{"question": question} for question in questions]

    async def gather() -> None:
        await asyncio.gather(*(app.ainvoke(one, config=config) for one in asked))

    if how == "threads":
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda one: app.invoke(one, config=config), asked))
    elif how == "batch":
        app.batch(asked, config=config)
    elif how == "gather":
        asyncio.run(gather())
    else:
        asyncio.run(app.abatch(asked, config=config))
    assert handler.flush(20) == 0
    assert {run.question: whole(run) for run in runs_of(handler)} == {
        question: expected(
            question=question,
            answer=f"It is {token_of(question)}.",
            chunks=token_of(question),
            texts={token_of(question): f"All about {token_of(question)} is here."},
        )
        for question in questions
    }
