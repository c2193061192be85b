"""Graphs of LangGraph: one record per question, with what reached the prompt and not all that the state carries."""

from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.messages import HumanMessage
from langchain_fakes import FakeChat, FakeRetriever, documents, join
from langchain_graphs import State, generate, line, search
from usual_record import usual
from versions import needs_langgraph, since_langgraph
from ways_to_ask import GRAPH_WAYS
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = needs_langgraph

QUESTION = "Which city?"
ASKED = {"question": QUESTION}

every_way = pytest.mark.parametrize("way", GRAPH_WAYS)


def expected(**differences: Any) -> dict[str, Any]:
    """The record of a graph that searches and then answers."""
    return usual(**{"question": QUESTION, **differences})


# Where the documents come from -------------------------------------------------------------------------------------


@every_way
def test_search_and_answer(handler: RagEvalCallbackHandler, way: str) -> None:
    GRAPH_WAYS[way](line(("search", search), ("generate", generate)), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected()


@every_way
def test_a_node_that_asks_a_store_directly(handler: RagEvalCallbackHandler, way: str) -> None:
    """No retriever event: the documents are seen only in the node's output."""
    app = line(("look_up", lambda _: {"docs": documents()}), ("generate", generate))
    GRAPH_WAYS[way](app, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(stages=["1 retrieve look_up: a b c"])


@since_langgraph(0, 2, 60)  # `Command`
@every_way
def test_a_node_that_asks_a_store_and_says_where_to_go(handler: RagEvalCallbackHandler, way: str) -> None:
    from langgraph.types import Command

    def look_up(_: State) -> Any:
        return Command(update={"docs": documents()}, goto="generate")

    from langgraph.graph import END, START, StateGraph

    built = StateGraph(State)
    built.add_node("look_up", look_up)
    built.add_node("generate", generate)
    built.add_edge(START, "look_up")
    built.add_edge("generate", END)
    GRAPH_WAYS[way](built.compile(), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(stages=["1 retrieve look_up: a b c"])


class Nested(TypedDict, total=False):
    question: str
    found: dict[str, Any]
    answer: str


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_node_that_puts_the_documents_deeper_into_the_state(handler: RagEvalCallbackHandler, way: str) -> None:
    app = line(
        ("look_up", lambda _: {"found": {"docs": documents(), "took_ms": 3}}),
        ("generate", lambda state: generate({"question": state["question"], "docs": state["found"]["docs"]})),
        state=Nested,
    )
    GRAPH_WAYS[way](app, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(stages=["1 retrieve look_up: a b c"])


# What becomes of them ----------------------------------------------------------------------------------------------


@every_way
def test_a_node_that_reranks(handler: RagEvalCallbackHandler, way: str) -> None:
    app = line(
        ("search", search),
        ("rerank", lambda state: {"docs": [state["docs"][2], state["docs"][0]]}),
        ("generate", generate),
    )
    GRAPH_WAYS[way](app, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b c (inner)", "1 postprocess rerank: c a"],
        context="c a",
    )


def grade(state: State) -> State:
    """A model judges each document by itself; the Jura is not wanted."""
    judge = FakeChat(say=lambda messages: "no" if "Jura" in str(messages[0].content) else "yes")
    return {"docs": [one for one in state["docs"] if judge.invoke(one.page_content).content == "yes"]}


@every_way
def test_a_model_that_grades_the_documents(handler: RagEvalCallbackHandler, way: str) -> None:
    """The judge read the third document, the generator did not: it is no context."""
    app = line(("search", search), ("grade", grade), ("generate", generate))
    GRAPH_WAYS[way](app, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b c (inner)", "1 postprocess grade: a b"],
        context="a b",
        usage="4 400>20",
    )


class Asking(State, total=False):
    query: str
    tried: Annotated[list[str], add]


@every_way
def test_a_second_search_where_the_first_was_no_good(handler: RagEvalCallbackHandler, way: str) -> None:
    """Two rounds: what the first found was thrown away, so it is retrieved and no context."""
    from langgraph.graph import END, START, StateGraph

    def look(state: Any) -> Any:
        query = state.get("query") or state["question"]
        return {"docs": FakeRetriever(keys="d" if query == QUESTION else "a").invoke(query), "tried": [query]}

    def good(state: Any) -> str:
        judge = FakeChat(say=lambda messages: "no" if "Cheese" in str(messages[0].content) else "yes")
        said = judge.invoke(join(state["docs"])).content
        return "generate" if said == "yes" else "rewrite"

    built = StateGraph(Asking)
    built.add_node("look", look)
    built.add_node("rewrite", lambda _: {"query": str(FakeChat(say=lambda _: "Rhine course").invoke("?").content)})
    built.add_node("generate", generate)
    built.add_edge(START, "look")
    built.add_conditional_edges("look", good, ["generate", "rewrite"])
    built.add_edge("rewrite", "look")
    built.add_edge("generate", END)
    GRAPH_WAYS[way](built.compile(), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        chunks="d a",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): d", "2 retrieve FakeRetriever(Rhine course): a"],
        context="a",
        usage="4 400>20",
    )


# Branches and graphs within graphs ---------------------------------------------------------------------------------


class Gathering(TypedDict, total=False):
    question: str
    docs: Annotated[list[Document], add]
    answer: str


@every_way
def test_searches_fanned_out(handler: RagEvalCallbackHandler, way: str) -> None:
    """Each search is a round; the state gathers them in the order in which they were sent."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send

    def one(state: Any) -> Any:
        return {"docs": FakeRetriever(keys=state["keys"]).invoke(state["keys"])}

    built = StateGraph(Gathering)
    built.add_node("one", one)
    built.add_node("generate", generate)
    built.add_conditional_edges(START, lambda _: [Send("one", {"keys": keys}) for keys in ("ab", "c")], ["one"])
    built.add_edge("one", "generate")
    built.add_edge("generate", END)
    GRAPH_WAYS[way](built.compile(), ASKED, {"callbacks": [handler]})
    found = whole(only_run(handler))
    # Whichever starts first is the first round.
    assert sorted(stage.partition(" ")[2] for stage in found.pop("stages")) == [
        "retrieve FakeRetriever(ab): a b",
        "retrieve FakeRetriever(c): c",
    ]
    assert sorted(found.pop("chunks")) == sorted("a b c")
    wanted = expected()
    assert found == {key: wanted[key] for key in wanted if key not in ("stages", "chunks")}


@every_way
def test_a_graph_as_a_node(handler: RagEvalCallbackHandler, way: str) -> None:
    inner = line(("search", search), ("rerank", lambda state: {"docs": state["docs"][:2]}))
    GRAPH_WAYS[way](line(("research", inner), ("generate", generate)), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b c (inner)", "1 postprocess rerank: a b"],
        context="a b",
    )


@every_way
def test_a_node_that_calls_a_whole_graph(handler: RagEvalCallbackHandler, way: str) -> None:
    inner = line(("search", search), ("generate", generate))
    outer = line(("ask", lambda state: {"answer": inner.invoke({"question": state["question"]})["answer"]}))
    GRAPH_WAYS[way](outer, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected()


# Conversations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "stream messages", "astream_events"])
def test_a_second_question_of_a_thread(handler: RagEvalCallbackHandler, way: str) -> None:
    """The state still holds the first question's documents; they are not the second one's."""
    from langgraph.checkpoint.memory import MemorySaver

    def look(state: State) -> State:
        return {"docs": FakeRetriever(keys="d" if "Cheese" in state["question"] else "abc").invoke(state["question"])}

    app = line(("search", look), ("generate", generate), checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, ASKED, config)
    GRAPH_WAYS[way](app, {"question": "Cheese?"}, config)
    first, second = (whole(run) for run in runs_of(handler))
    assert first.pop("metadata", {"thread_id": "t1"}) == second.pop("metadata", {"thread_id": "t1"})
    assert first == expected()
    assert second == expected(
        question="Cheese?", chunks="d", stages=["1 retrieve FakeRetriever(Cheese?): d"], context="d"
    )


@every_way
def test_a_later_question_of_a_thread_that_needs_no_search(handler: RagEvalCallbackHandler, way: str) -> None:
    """The state still holds the first question's documents, and the graph returns them; nothing was retrieved."""
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.graph import END, START, StateGraph

    built = StateGraph(State)
    built.add_node("search", search)
    built.add_node("generate", generate)
    built.add_node("chat", lambda _: {"answer": str(FakeChat(say=lambda _: "Welcome.").invoke("Hello").content)})
    built.add_conditional_edges(
        START, lambda state: "search" if state["question"] == QUESTION else "chat", ["search", "chat"]
    )
    built.add_edge("search", "generate")
    built.add_edge("generate", END)
    built.add_edge("chat", END)
    app = built.compile(checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, ASKED, config)
    GRAPH_WAYS[way](app, {"question": "Thank you!"}, config)
    first, second = (whole(run) for run in runs_of(handler))
    assert first.pop("metadata", {"thread_id": "t1"}) == second.pop("metadata", {"thread_id": "t1"})
    assert first == expected()
    assert second == {
        "question": "Thank you!",
        "answer": "Welcome.",
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_thread_that_gathers_the_documents_of_all_its_questions(handler: RagEvalCallbackHandler, way: str) -> None:
    """Only the new one was retrieved for the second question; the old ones reached the prompt with it."""
    from langgraph.checkpoint.memory import MemorySaver

    def look(state: State) -> State:
        return {"docs": FakeRetriever(keys="d" if state["question"] == "Cheese?" else "ab").invoke(state["question"])}

    app = line(("search", look), ("generate", generate), state=Gathering, checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, ASKED, config)
    GRAPH_WAYS[way](app, {"question": "Cheese?"}, config)
    _, second = (whole(run) for run in runs_of(handler))
    second.pop("metadata", None)
    assert second == expected(
        question="Cheese?", chunks="d a b", stages=["1 retrieve FakeRetriever(Cheese?): d"], context="a b d"
    )


@every_way
def test_a_graph_of_messages(handler: RagEvalCallbackHandler, way: str) -> None:
    """Two questions on one thread: the question is the newest message, and the earlier answer no context."""
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.graph import MessagesState

    def respond(state: Any) -> Any:
        asked = state["messages"][-1].content
        found = FakeRetriever(keys="d" if asked == "Cheese?" else "abc").invoke(asked)
        return {"messages": [FakeChat().invoke([("system", join(found)), *state["messages"]])]}

    app = line(("respond", respond), state=MessagesState, checkpointer=MemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    GRAPH_WAYS[way](app, {"messages": [HumanMessage(QUESTION)]}, config)
    GRAPH_WAYS[way](app, {"messages": [HumanMessage("Cheese?")]}, config)
    first, second = (whole(run) for run in runs_of(handler))
    assert first.pop("metadata", {"thread_id": "t1"}) == second.pop("metadata", {"thread_id": "t1"})
    assert first == expected()
    assert second == expected(
        question="Cheese?", chunks="d", stages=["1 retrieve FakeRetriever(Cheese?): d"], context="d"
    )


@pytest.mark.parametrize(
    "way",
    [
        "invoke",
        "stream updates",
        "ainvoke",
        "astream updates",
        # Before, a task's result got lost on the way to its caller, with or without us.
        pytest.param("astream_events", marks=since_langgraph(1)),
    ],
)
def test_functions_as_a_graph(handler: RagEvalCallbackHandler, way: str) -> None:
    func = pytest.importorskip("langgraph.func", reason="needs the functional API of langgraph")

    @func.task
    def look_up(question: str) -> list[Document]:
        return FakeRetriever().invoke(question)

    @func.task
    async def look_up_later(question: str) -> list[Document]:
        return await FakeRetriever().ainvoke(question)

    @func.entrypoint()
    def workflow(asked: State) -> State:
        return generate({**asked, "docs": look_up(asked["question"]).result()})

    @func.entrypoint()
    async def later(asked: State) -> State:
        return generate({**asked, "docs": await look_up_later(asked["question"])})

    GRAPH_WAYS[way](later if way.startswith("a") else workflow, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected()
