"""Pipelines of many shapes: one record per question, with the right stages, context and answer."""

from collections.abc import Sequence
from typing import Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import create_retriever_tool
from langchain_fakes import FakeChat, FakeRetriever, documents, join, rag
from pydantic import BaseModel
from versions import agent, needs_agent, needs_langgraph, since_langgraph

from rag_eval_hooks.record import RagRun
from rag_eval_hooks_langchain import RagEvalCallbackHandler


@pytest.fixture
def handler() -> Any:
    with RagEvalCallbackHandler() as handler:
        yield handler
        assert all(collector.open_ids == 0 for collector in handler.hooks._collectors.values())


def only(handler: RagEvalCallbackHandler) -> RagRun:
    (record,) = handler.records
    return record.run


def ids(run: RagRun, places: Any) -> list[str]:
    return [run.chunks[place].id for place in places]


def context(run: RagRun) -> list[tuple[str, str, float]]:
    return [(run.chunks[item.chunk].id, item.match, item.coverage) for item in run.context]


def stages(run: RagRun) -> list[tuple[str, list[str], list[float | None], int, bool]]:
    return [
        (
            stage.kind,
            ids(run, (item.chunk for item in stage.items)),
            [item.score for item in stage.items],
            stage.round,
            stage.final,
        )
        for stage in run.stages
    ]


# Questions and answers ---------------------------------------------------------------------------------------------


def test_a_tag_opens_a_record_inside_a_loop(handler: RagEvalCallbackHandler) -> None:
    chain = rag().with_config(tags=["rag_eval:question"])
    RunnableLambda(lambda questions: [chain.invoke(q) for q in questions]).invoke(
        ["first?", "second?"], config={"callbacks": [handler]}
    )
    assert [record.run.question for record in handler.records] == ["first?", "second?"]
    assert [record.run.tags for record in handler.records] == [(), ()]


@pytest.mark.parametrize(
    ("finish", "answer"),
    [
        pytest.param(lambda text: {"answer": text, "sources": ["a"]}, "It passes Basel [1].", id="answer key"),
        pytest.param(lambda text: {"question": "Q?", "said": text}, "It passes Basel [1].", id="the model's text"),
        pytest.param(lambda text: {"parts": [1], "n": 2}, '{"parts": [1], "n": 2}', id="JSON of a structure"),
        pytest.param(lambda text: [text, text], '["It passes Basel [1].", "It passes Basel [1]."]', id="list"),
        pytest.param(
            lambda text: AIMessage(content=[{"type": "text", "text": text}]), "It passes Basel [1].", id="blocks"
        ),
        pytest.param(
            lambda text: Structured(value="In short: " + text, sources=[1]),
            '{"value": "In short: It passes Basel [1].", "sources": [1]}',
            id="pydantic",
        ),
        pytest.param(lambda text: None, "It passes Basel [1].", id="no output: the model's text"),
    ],
)
def test_the_answer_is_the_roots_output_as_text(handler: RagEvalCallbackHandler, finish: Any, answer: str) -> None:
    (rag() | RunnableLambda(finish)).invoke("Q?", config={"callbacks": [handler]})
    assert only(handler).answer == answer


class Structured(BaseModel):
    value: str
    sources: list[int]


@pytest.mark.parametrize(
    "inputs",
    [
        {"question": "Q?", "language": "en"},
        {"input": "Q?", "chat_history": [("human", "before"), ("ai", "yes")]},
        {"messages": [("user", "before"), ("assistant", "yes"), ("user", "Q?")]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Q?"}]}]},
        [("human", "Q?")],
        {"my_key": "Q?"},
    ],
)
def test_the_question_is_found_in_many_inputs(handler: RagEvalCallbackHandler, inputs: Any) -> None:
    (RunnableLambda(lambda _: "rewritten") | rag()).invoke(inputs, config={"callbacks": [handler]})
    run = only(handler)
    assert run.question == "Q?"
    assert run.stages[0].query == "rewritten"


def test_tokens_that_are_lists_of_blocks() -> None:
    class Blocks(FakeChat):
        def _chunks(self, messages: Any) -> Any:
            for content in ("Hi", [{"type": "text", "text": " there", "index": 0}], [{"type": "tool_use"}], ""):
                yield ChatGenerationChunk(message=AIMessageChunk(content=content))

    with RagEvalCallbackHandler() as handler:
        list((FakeRetriever() | join | Blocks()).stream("Q?", config={"callbacks": [handler]}))
        assert only(handler).answer == "Hi there"


# LangGraph ---------------------------------------------------------------------------------------------------------


def searching_twice(tool: Any) -> Any:
    def say(messages: Sequence[Any]) -> AIMessage | str:
        done = sum(message.type == "tool" for message in messages)
        if done < 2:
            query = ("Rhine course", "Basel harbours")[done]
            call = {"name": "search", "args": {"query": query}, "id": f"call{done}", "type": "tool_call"}
            return AIMessage(content="", tool_calls=[call])
        return "The Rhine passes Basel [1], which has three harbours [2]."

    return agent(FakeChat(say=say), [tool])


@needs_agent
def test_an_agent_that_searches_twice(handler: RagEvalCallbackHandler) -> None:
    def find(query: str) -> list[Document]:
        return documents("ac" if "course" in query else "b")

    tool = create_retriever_tool(FakeRetriever(find=find), "search", "Searches.")
    searching_twice(tool).invoke({"messages": [("user", "Rhine and harbours?")]}, config={"callbacks": [handler]})
    run = only(handler)
    assert (run.status, run.question) == ("ok", "Rhine and harbours?")
    assert run.answer == "The Rhine passes Basel [1], which has three harbours [2]."
    assert stages(run) == [
        ("retrieve", ["a", "c"], [None] * 2, 1, True),
        ("retrieve", ["b"], [None], 2, True),
    ]
    assert [stage.query for stage in run.stages] == ["Rhine course", "Basel harbours"]
    assert context(run) == [("a", "exact", 1.0), ("c", "exact", 1.0), ("b", "exact", 1.0)]
    assert run.usage.model_calls == 3
    assert not [key for key in run.metadata if key.startswith(("langgraph_", "ls_", "__"))]


class State(TypedDict, total=False):
    question: str
    docs: list[Document]
    answer: str


def graph(search: Any) -> Any:
    from langgraph.graph import END, START, StateGraph

    def generate(state: State) -> State:
        prompt = [("system", join(state["docs"])), ("human", state["question"])]
        return {"answer": str(FakeChat().invoke(prompt).content)}

    built = StateGraph(State)
    built.add_node("search", lambda state: {"docs": search(state["question"])})
    built.add_node("generate", generate)
    built.add_edge(START, "search")
    built.add_edge("search", "generate")
    built.add_edge("generate", END)
    return built.compile()


@needs_langgraph
@pytest.mark.parametrize(
    ("search", "name"),
    [
        pytest.param(lambda question: FakeRetriever().invoke(question), "FakeRetriever", id="retriever"),
        pytest.param(lambda _: documents("abc"), "search", id="store without events"),
    ],
)
@pytest.mark.parametrize("mode", ["invoke", "updates", "messages"])
def test_a_state_graph(handler: RagEvalCallbackHandler, search: Any, name: str, mode: str) -> None:
    config = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    if mode == "invoke":
        graph(search).invoke({"question": "Q?"}, config=config)
    else:
        list(graph(search).stream({"question": "Q?"}, config=config, stream_mode=mode))
    run = only(handler)
    assert (run.status, run.question, run.answer) == ("ok", "Q?", "It passes Basel [1].")
    assert stages(run) == [("retrieve", ["a", "b", "c"], [None] * 3, 1, True)]
    assert run.stages[0].name == name
    assert context(run) == [(key, "exact", 1.0) for key in "abc"]


@since_langgraph(0, 3)
def test_an_interrupted_graph_is_not_an_error(handler: RagEvalCallbackHandler) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command, interrupt

    def generate(state: State) -> State:
        interrupt("go on?")
        prompt = [("system", join(state["docs"])), ("human", state["question"])]
        return {"answer": str(FakeChat().invoke(prompt).content)}

    built = StateGraph(State)
    built.add_node("search", lambda state: {"docs": FakeRetriever().invoke(state["question"])})
    built.add_node("generate", generate)
    built.add_edge(START, "search")
    built.add_edge("search", "generate")
    built.add_edge("generate", END)
    app = built.compile(checkpointer=InMemorySaver())
    config: Any = {"callbacks": [handler], "configurable": {"thread_id": "t1"}}
    app.invoke({"question": "Q?"}, config=config)
    app.invoke(Command(resume="yes"), config=config)
    first, second = (record.run for record in handler.records)
    assert (first.status, first.answer, first.question) == ("interrupted", None, "Q?")
    assert ids(first, first.retrieved) == ["a", "b", "c"]
    assert (second.status, second.answer, second.question) == ("ok", "It passes Basel [1].", "Q?")
    assert context(second) == [(key, "exact", 1.0) for key in "abc"]


def test_inside_another_tracers_run_a_chain_is_a_whole_question(handler: RagEvalCallbackHandler) -> None:
    import langsmith
    from langsmith.run_trees import RunTree

    outer = RunTree(name="outer", run_type="chain", inputs={})
    with langsmith.tracing_context(parent=outer, enabled=False):
        for question in ("first?", "second?"):
            rag().invoke(question, config={"callbacks": [handler]})
    assert [(record.run.question, record.run.status) for record in handler.records] == [
        ("first?", "ok"),
        ("second?", "ok"),
    ]


@needs_agent
def test_a_tool_that_keeps_its_documents_as_an_artifact(handler: RagEvalCallbackHandler) -> None:
    from langchain_core.tools import tool

    @tool(response_format="content_and_artifact")
    def search(query: str) -> tuple[str, list[Document]]:
        """Searches a store directly, without a retriever."""
        found = documents("a" if "course" in query else "b")
        return join(found), found

    searching_twice(search).invoke({"messages": [("user", "Rhine and harbours?")]}, config={"callbacks": [handler]})
    run = only(handler)
    assert stages(run) == [("retrieve", ["a"], [None], 1, True), ("retrieve", ["b"], [None], 2, True)]
    assert context(run) == [("a", "exact", 1.0), ("b", "exact", 1.0)]
