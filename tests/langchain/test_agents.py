"""Agents: one record per question, however often they search, and whatever their tools do inside.

What a tool returned and the model then read is context; model calls below a tool answer to the agent, not to the user.
"""

from collections.abc import Sequence
from inspect import signature
from typing import Annotated, Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, ToolException, create_retriever_tool, tool
from langchain_fakes import USAGE, FakeChat, FakeRetriever, acting, asks, documents, join, rag
from pydantic import BaseModel
from versions import agent, classic, needs_agent, needs_classic, needs_create_agent, needs_langgraph, since_langgraph
from ways_to_ask import GRAPH_WAYS
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

QUESTION = "Rhine and harbours?"
ASKED = {"messages": [("user", QUESTION)]}
ANSWER = "The Rhine passes Basel, which has three harbours."

every_way = pytest.mark.parametrize("way", GRAPH_WAYS)


def find(query: str) -> list[Document]:
    """Two documents on the course of the Rhine, one on harbours."""
    return documents("ac" if "course" in query else "b")


def retriever_tool(**options: Any) -> BaseTool:
    return create_retriever_tool(FakeRetriever(find=find), "search", "Searches.", **options)


def expected(**differences: Any) -> dict[str, Any]:
    """The record of an agent that searched for the course and answered at once."""
    return {
        "question": QUESTION,
        "answer": ANSWER,
        "chunks": "a c",
        "stages": ["1 retrieve FakeRetriever(course): a c"],
        "context": "a c",
        "context_source": "prompt",
        "usage": "2 200>10",
        "answer_usage": "1 100>5",
    } | differences


# Searches with a retriever -----------------------------------------------------------------------------------------


@needs_agent
@every_way
def test_one_search(handler: RagEvalCallbackHandler, way: str) -> None:
    GRAPH_WAYS[way](agent(acting(asks("course"), ANSWER), [retriever_tool()]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected()


TWO_SEARCHES = expected(
    chunks="a c b",
    stages=["1 retrieve FakeRetriever(course): a c", "2 retrieve FakeRetriever(harbours): b"],
    context="a c b",
    usage="3 300>15",
)


@needs_agent
@every_way
def test_two_searches_one_after_the_other(handler: RagEvalCallbackHandler, way: str) -> None:
    model = acting(asks("course"), asks("harbours"), ANSWER)
    GRAPH_WAYS[way](agent(model, [retriever_tool()]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == TWO_SEARCHES


@needs_agent
@every_way
def test_two_searches_in_one_turn(handler: RagEvalCallbackHandler, way: str) -> None:
    """They run side by side; each is a round of its own."""
    GRAPH_WAYS[way](
        agent(acting(asks("course", "harbours"), ANSWER), [retriever_tool()]), ASKED, {"callbacks": [handler]}
    )
    found = whole(only_run(handler))
    # Whichever starts first is the first round; the prompt has them in the order in which the model asked.
    assert sorted(stage.partition(" ")[2] for stage in found.pop("stages")) == [
        "retrieve FakeRetriever(course): a c",
        "retrieve FakeRetriever(harbours): b",
    ]
    assert sorted(found.pop("chunks")) == sorted("a c b")
    wanted = TWO_SEARCHES | {"usage": "2 200>10"}
    assert found == {key: wanted[key] for key in wanted if key not in ("stages", "chunks")}


@needs_agent
def test_an_answer_without_a_search(handler: RagEvalCallbackHandler) -> None:
    agent(acting(ANSWER), [retriever_tool()]).invoke(ASKED, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == {
        "question": QUESTION,
        "answer": ANSWER,
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }


@needs_agent
def test_a_later_question_of_the_conversation_that_needs_no_search(handler: RagEvalCallbackHandler) -> None:
    """The second record has no search; what it shows of the first is the conversation's, not retrieved."""
    app = agent(acting(asks("course"), ANSWER, "You are welcome."), [retriever_tool()])
    said = app.invoke(ASKED, config={"callbacks": [handler]})["messages"]
    app.invoke({"messages": [*said, HumanMessage("Thank you!")]}, config={"callbacks": [handler]})
    first, second = runs_of(handler)
    assert whole(first) == expected()
    assert whole(second) == {
        "question": "Thank you!",
        "answer": "You are welcome.",
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }


@needs_agent
@pytest.mark.skipif(
    "response_format" not in signature(create_retriever_tool).parameters,
    reason="needs response_format of create_retriever_tool",
)
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream messages", "astream_events"])
def test_documents_in_the_artifact_too(handler: RagEvalCallbackHandler, way: str) -> None:
    """The artifact shows the same list again: one search."""
    search = retriever_tool(response_format="content_and_artifact")
    GRAPH_WAYS[way](agent(acting(asks("course"), ANSWER), [search]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected()


# Searches without a retriever event --------------------------------------------------------------------------------


@needs_agent
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream messages", "astream_events"])
def test_a_tool_that_asks_a_store_and_keeps_the_documents_as_its_artifact(
    handler: RagEvalCallbackHandler, way: str
) -> None:
    @tool(response_format="content_and_artifact")
    def search(query: str) -> tuple[str, list[Document]]:
        """Searches a store."""
        found = find(query)
        return "\n\n".join(document.page_content for document in found), found

    GRAPH_WAYS[way](agent(acting(asks("course"), ANSWER), [search]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(stages=["1 retrieve search: a c"])


@needs_agent
@since_langgraph(0, 3)  # tools that return a `Command`
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream messages", "astream_events"])
def test_a_tool_that_updates_the_state_with_the_documents_as_an_artifact(
    handler: RagEvalCallbackHandler, way: str
) -> None:
    from langchain_core.tools import InjectedToolCallId
    from langgraph.types import Command

    @tool
    def search(query: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Any:
        """Searches a store."""
        found = find(query)
        text = "\n\n".join(document.page_content for document in found)
        return Command(update={"messages": [ToolMessage(text, artifact=found, tool_call_id=tool_call_id)]})

    GRAPH_WAYS[way](agent(acting(asks("course"), ANSWER), [search]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(stages=["1 retrieve search: a c"])


@needs_agent
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_tool_that_calls_a_retriever_without_a_config(handler: RagEvalCallbackHandler, way: str) -> None:
    @tool
    def search(query: str) -> str:
        """Searches."""
        return join(FakeRetriever(find=find).invoke(query))

    GRAPH_WAYS[way](agent(acting(asks("course"), ANSWER), [search]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(citations={"rule": "prompt"})


# Failures ----------------------------------------------------------------------------------------------------------


def breaking() -> FakeRetriever:
    """A retriever whose first search fails."""
    outcomes = iter([ConnectionError("down"), None])

    def search(query: str) -> list[Document]:
        error = next(outcomes)
        if error is not None:
            raise error
        return find(query)

    return FakeRetriever(find=search)


@needs_agent
def test_a_tool_that_tells_of_its_failure_and_is_asked_again(handler: RagEvalCallbackHandler) -> None:
    store = breaking()

    @tool
    def search(query: str) -> str:
        """Searches."""
        try:
            return "\n\n".join(document.page_content for document in store.invoke(query))
        except ConnectionError as error:
            raise ToolException("The store is down.") from error

    search.handle_tool_error = True
    model = acting(asks("course"), asks("the course"), ANSWER)
    agent(model, [search]).invoke(ASKED, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=["1 retrieve FakeRetriever(the course): a c"],
        usage="3 300>15",
        attempts=["retriever FakeRetriever: ConnectionError"],
    )


def reacting(model: FakeChat, search: BaseTool, *, tells: bool) -> Any:
    """An agent that tells its model when a tool fails, or one that gives up; `create_agent` always gives up."""
    from langgraph.prebuilt import ToolNode, create_react_agent

    return create_react_agent(model, ToolNode([search], handle_tool_errors=tells))


@needs_langgraph
@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
def test_a_tool_that_fails_and_is_asked_again(handler: RagEvalCallbackHandler) -> None:
    search = create_retriever_tool(breaking(), "search", "Searches.")
    app = reacting(acting(asks("course"), asks("the course"), ANSWER), search, tells=True)
    app.invoke(ASKED, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(
        stages=["1 retrieve FakeRetriever(the course): a c"],
        usage="3 300>15",
        attempts=["tool search: ConnectionError"],
    )


@needs_langgraph
@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
def test_a_tool_whose_failure_ends_the_agent(handler: RagEvalCallbackHandler) -> None:
    """No call came after the search, so nothing was generated from it."""
    app = reacting(acting(asks("course")), create_retriever_tool(breaking(), "search", "Searches."), tells=False)
    with pytest.raises(ConnectionError):
        app.invoke(ASKED, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == {
        "question": QUESTION,
        "status": "error",
        "error": "ConnectionError",
        "context_source": "last_stage",
        "usage": "1 100>5",
    }


# Tools that think --------------------------------------------------------------------------------------------------


@needs_agent
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_a_tool_that_answers_by_a_chain_of_its_own(handler: RagEvalCallbackHandler, way: str) -> None:
    """The agent never saw the documents; they are context because the call that read them went into the answer."""
    inner = rag(FakeChat(say=lambda _: "It passes Basel and three harbours."), FakeRetriever(find=find))

    @tool
    def search(query: str) -> str:
        """Answers questions."""
        return str(inner.invoke(query))

    GRAPH_WAYS[way](agent(acting(asks("course"), ANSWER), [search]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(usage="3 300>15", flags=("several_prompts",))


@needs_agent
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream updates", "astream_events"])
def test_an_agent_below_a_tool_of_another(handler: RagEvalCallbackHandler, way: str) -> None:
    inner = agent(acting(asks("course"), "It passes Basel and three harbours."), [retriever_tool()])

    @tool
    def researcher(query: str) -> str:
        """Researches."""
        return str(inner.invoke({"messages": [("user", query)]})["messages"][-1].content)

    model = acting(asks("Rhine?", tool="researcher"), ANSWER)
    GRAPH_WAYS[way](agent(model, [researcher]), ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(usage="4 400>20", flags=("several_prompts",))


@needs_agent
def test_an_answer_below_a_tool_is_not_the_users_although_it_is_the_newest_text(
    handler: RagEvalCallbackHandler,
) -> None:
    """The model's last word comes with a call: what is below the tool is said to the agent."""

    @tool
    def search(query: str) -> str:
        """Answers questions."""
        return str(rag(FakeChat(say=lambda _: "Inner words."), FakeRetriever(find=find)).invoke(query))

    def say(messages: Sequence[Any]) -> AIMessage | str:
        if messages[-1].type == "tool":
            raise ConnectionError
        return asks("course")

    with pytest.raises(ConnectionError):
        agent(FakeChat(say=say), [search]).invoke(ASKED, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == {
        "question": QUESTION,
        "status": "error",
        "error": "ConnectionError",
        "chunks": "a c",
        "stages": ["1 retrieve FakeRetriever(course): a c"],
        "context": "a c",  # what the failed call was told rests on them
        "context_source": "prompt",
        "usage": "3 200>10",
        "answer_usage": "1 None>None",
        "flags": ("several_prompts",),
    }


class Report(BaseModel):
    """What was asked for."""

    city: str
    harbours: int


@needs_create_agent
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream values", "astream_events"])
def test_an_answer_that_is_an_object(handler: RagEvalCallbackHandler, way: str) -> None:
    """It comes as the arguments of a tool; the conversation beside it, documents and all, is no answer."""
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ToolStrategy

    fields = {"city": "Basel", "harbours": 3}
    report = AIMessage(
        content="",
        tool_calls=[{"name": "Report", "args": fields, "id": "r", "type": "tool_call"}],
        usage_metadata={**USAGE},
    )
    app = create_agent(acting(asks("course"), report), [retriever_tool()], response_format=ToolStrategy(Report))
    GRAPH_WAYS[way](app, ASKED, {"callbacks": [handler]})
    assert whole(only_run(handler)) == expected(answer='{"city": "Basel", "harbours": 3}')


# The agents of before 1.0 ------------------------------------------------------------------------------------------


@needs_classic
@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream_events"])
def test_an_agent_executor(handler: RagEvalCallbackHandler, way: str) -> None:
    from langchain_core.prompts import ChatPromptTemplate

    agents = classic("agents")
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Be brief."), ("human", "{input}"), ("placeholder", "{agent_scratchpad}")]
    )
    search = retriever_tool()
    model = acting(asks("course"), asks("harbours"), ANSWER)
    executor = agents.AgentExecutor(agent=agents.create_tool_calling_agent(model, [search], prompt), tools=[search])
    if way == "stream":
        list(executor.stream({"input": QUESTION}, config={"callbacks": [handler]}))
    else:
        GRAPH_WAYS[way](executor, {"input": QUESTION}, {"callbacks": [handler]})
    assert whole(only_run(handler)) == TWO_SEARCHES
