"""Agents: each search is a round of one record, and what tools said on the way is not the answer."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from agent_fakes import Call, FakeAgentLLM, turns
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import NodeWithScore
from llama_index.core.tools import FunctionTool, QueryEngineTool, RetrieverTool
from llamaindex_expected import expected
from llamaindex_fakes import QUESTION, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from llamaindex_versions import CORE_VERSION, since_core
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment

agents: Any = pytest.importorskip("llama_index.core.agent.workflow")
pytestmark = [
    pytest.mark.usefixtures("offline"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # agents look through deprecated fields of pydantic
]

ANSWER = "It passes Basel, as the sources say."
INNER = "Basel lies on the Rhine, they say."
SEVERAL = ("several_prompts",)
AS_ASKED = "\ninput is {}\n"
"""How a retriever's tool words what it is called with."""


def searching(name: str = "find", keys: str = "abc") -> RetrieverTool:
    return RetrieverTool.from_defaults(FakeRetriever(keys), name=name, description=name)


def asking() -> QueryEngineTool:
    return QueryEngineTool.from_defaults(engine(INNER), name="ask", description="ask")


def tool(function: Any, name: str) -> FunctionTool:
    return FunctionTool.from_defaults(function, name=name, description=name)


def agent(*said: str | Call | list[Call], tools: Sequence[Any] = (), **options: Any) -> Any:
    llm = FakeAgentLLM(say=turns(*said), beside=options.pop("beside", ""))
    return agents.FunctionAgent(tools=list(tools), llm=llm, **options)


def run(made: Any, message: str = QUESTION, *, read_events: bool = False, **options: Any) -> str:
    """Lets an agent answer; the run is closed as it should be."""

    async def ran() -> str:
        handler = made.run(message, **options)
        if read_events:
            async for _ in handler.stream_events():
                pass
        return str(await handler)

    return asyncio.run(ran())


def streams(made: Any) -> bool:
    """Whether an agent of this version lets its model stream by itself."""
    return bool(getattr(made, "streaming", True))


def usual(made: Any, calls: int = 2, inside: int = 0, **changes: Any) -> dict[str, Any]:
    """The usual record of an agent's calls, which tell no token counts if they stream, and of those in its tools."""
    told = inside + (0 if streams(made) else calls)
    used = {
        "usage": f"{calls + inside} {100 * told or None}>{5 * told or None}",
        "answer_usage": "1 None>None" if streams(made) else "1 100>5",
    }
    return expected(**{"answer": ANSWER, **used, **changes})


def found(query: str, keys: str = "abc", number: int = 1) -> str:
    scores = " ".join(f"{key}={0.9 - place / 10:g}" for place, key in enumerate(keys))
    return f"{number} retrieve FakeRetriever({query}): {scores}"


knows_its_thread = since_core(0, 14, 22)
"""Marks a test of a synchronous function as a tool: before, agents called it in a thread that knew no question."""


# Tools ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read_events", [False, True])
def test_a_tool_that_searches(attachment: Attachment, read_events: bool) -> None:
    made = agent(("find", {"input": "Rhine city"}), ANSWER, tools=[searching()])
    assert run(made, read_events=read_events) == ANSWER
    record = only_run(attachment)
    assert whole(record) == usual(made, stages=[found(AS_ASKED.format("Rhine city"))])
    assert (record.time_to_first_token_ms is not None) == streams(made)


@pytest.mark.parametrize("read_events", [False, True])
def test_a_tool_that_answers(attachment: Attachment, read_events: bool) -> None:
    """Its answer is said to the agent; what it read counts, since the agent's answer rests on it."""
    made = agent(("ask", {"input": "Rhine city"}), ANSWER, tools=[asking()])
    assert run(made, read_events=read_events) == ANSWER
    assert whole(only_run(attachment)) == usual(made, 2, 1, stages=[found("Rhine city")], flags=SEVERAL)


def test_an_agent_that_hands_on_what_the_tool_said(attachment: Attachment) -> None:
    """Word for word the same: the answer is the agent's call all the same."""
    made = agent(("ask", {"input": "Rhine city"}), INNER, tools=[asking()])
    assert run(made) == INNER
    assert whole(only_run(attachment)) == usual(made, 2, 1, answer=INNER, stages=[found("Rhine city")], flags=SEVERAL)


def test_two_searches_are_two_rounds(attachment: Attachment) -> None:
    made = agent(
        ("find", {"input": "Rhine city"}),
        ("look", {"input": "harbours"}),
        ANSWER,
        tools=[searching("find", "ab"), searching("look", "bc")],
    )
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made,
        3,
        stages=[found(AS_ASKED.format("Rhine city"), "ab"), found(AS_ASKED.format("harbours"), "bc", 2)],
        context="a b b c",  # b stands in the prompt twice
    )


def test_two_searches_at_once(attachment: Attachment) -> None:
    made = agent(
        [("find", {"input": "Rhine city"}), ("look", {"input": "harbours"})],
        ANSWER,
        tools=[searching("find", "a"), searching("look", "bc")],
    )
    assert run(made) == ANSWER
    record = whole(only_run(attachment))
    stages = record.pop("stages")
    assert sorted(stage[2:] for stage in stages) == sorted(
        [found(AS_ASKED.format("Rhine city"), "a")[2:], found(AS_ASKED.format("harbours"), "bc")[2:]]
    )
    assert [stage[0] for stage in stages] == ["1", "2"]
    assert sorted(record.pop("chunks").split()) == sorted(record.pop("context").split()) == ["a", "b", "c"]
    assert record == usual(made, chunks=None, stages=None, context=None)


def test_an_answer_without_any_tool(attachment: Attachment) -> None:
    made = agent(ANSWER, tools=[searching()])
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(made, 1, chunks=None, stages=None, context=None)


def test_a_text_beside_the_call_of_a_tool(attachment: Attachment) -> None:
    """What the model thinks aloud before it searches is not the answer."""
    made = agent(("find", {"input": "Rhine city"}), ANSWER, tools=[searching()], beside="Let me look it up for you.")
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(made, stages=[found(AS_ASKED.format("Rhine city"))])


@knows_its_thread
def test_functions_as_tools(attachment: Attachment) -> None:
    """One asks a retriever, one returns nodes of its own; tools are named as the agent knows them."""

    def by_retriever(q: str) -> list[NodeWithScore]:
        return FakeRetriever("a").retrieve(q)

    def by_itself(q: str) -> list[NodeWithScore]:
        return nodes("b")

    made = agent(
        ("by_retriever", {"q": "Rhine city"}),
        ("by_itself", {"q": "harbours"}),
        ANSWER,
        tools=[tool(by_retriever, "by_retriever"), tool(by_itself, "by_itself")],
    )
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made, 3, chunks="a b", stages=[found("Rhine city", "a"), "2 retrieve by_itself: b=0.9"], context="a b"
    )


def test_an_asynchronous_function_as_a_tool(attachment: Attachment) -> None:
    async def look(q: str) -> list[NodeWithScore]:
        return await FakeRetriever("ab").aretrieve(q)

    made = agent(
        ("look", {"q": "Rhine city"}),
        ANSWER,
        tools=[FunctionTool.from_defaults(async_fn=look, name="look", description="look")],
    )
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(made, chunks="a b", stages=[found("Rhine city", "ab")], context="a b")


def test_a_function_that_returns_text(attachment: Attachment) -> None:
    """What it found is known to nobody: a text is no chunk. `question(...).nodes(...)` tells of it."""

    def look(q: str) -> str:
        return TEXTS["a"]

    made = agent(("look", {"q": "Rhine city"}), ANSWER, tools=[tool(look, "look")])
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(made, chunks=None, stages=None, context=None)


@knows_its_thread
def test_a_tool_that_fails_and_is_tried_again(attachment: Attachment) -> None:
    calls: list[str] = []

    def look(q: str) -> list[NodeWithScore]:
        calls.append(q)
        if len(calls) == 1:
            raise LookupError("down")
        return FakeRetriever("ab").retrieve(q)

    made = agent(("look", {"q": "Rhine"}), ("look", {"q": "Rhine city"}), ANSWER, tools=[tool(look, "look")])
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made,
        3,
        chunks="a b",
        stages=[found("Rhine city", "ab")],
        context="a b",
        attempts=["tool look: LookupError"],
    )


@knows_its_thread
def test_a_tool_that_fails_after_it_had_searched(attachment: Attachment) -> None:
    """What it had found never reached the agent."""

    def look(q: str) -> list[NodeWithScore]:
        FakeRetriever("ab").retrieve(q)
        raise LookupError("down")

    made = agent(("look", {"q": "Rhine"}), ("find", {"input": "city"}), ANSWER, tools=[tool(look, "look"), searching()])
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made,
        3,
        stages=[found("Rhine", "ab") + " (inner)", found(AS_ASKED.format("city"))],
        attempts=["tool look: LookupError"],
        flags=("failed_attempts",),
    )


def test_a_model_that_fails(attachment: Attachment) -> None:
    def say(messages: Sequence[ChatMessage]) -> Call:
        if messages[-1].role == "tool":
            raise ConnectionError("gone")
        return "find", {"input": "Rhine city"}

    made = agents.FunctionAgent(tools=[searching()], llm=FakeAgentLLM(say=say))
    with pytest.raises(Exception, match="gone"):
        run(made)
    record = only_run(attachment)
    assert (record.question, record.status, record.answer) == (QUESTION, "error", None)
    assert [stage.kind for stage in record.stages] == ["retrieve"]
    assert [record.chunks[item.chunk].id for item in record.context] == ["a", "b", "c"]


@pytest.mark.skipif(CORE_VERSION >= (0, 14, 22), reason="since 0.14.22 the thread knows the question")
def test_a_function_in_a_thread_that_knows_nothing_of_the_question(attachment: Attachment) -> None:
    """Its search looks like one that somebody else does; what it returns is the agent's all the same."""

    def look(q: str) -> list[NodeWithScore]:
        return FakeRetriever("ab").retrieve(q)

    made = agent(("look", {"q": "Rhine city"}), ANSWER, tools=[tool(look, "look")])
    assert run(made) == ANSWER
    alone, record = runs_of(attachment)
    assert (alone.question, alone.answer) == ("Rhine city", None)
    assert whole(record) == usual(made, chunks="a b", stages=["1 retrieve look: a=0.9 b=0.8"], context="a b")


# Conversations -------------------------------------------------------------------------------------------------------

BEFORE = [ChatMessage(role="user", content="Hello"), ChatMessage(role="assistant", content=TEXTS["b"])]


def test_a_memory(attachment: Attachment) -> None:
    """What was said before is no context, even if it is found again; here b is not."""
    made = agent(("find", {"input": "Rhine city"}), ANSWER, tools=[searching("find", "ac")])
    memory = ChatMemoryBuffer.from_defaults(chat_history=[*BEFORE], token_limit=3_000)
    assert run(made, memory=memory) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made, chunks="a c", stages=[found(AS_ASKED.format("Rhine city"), "ac")], context="a c"
    )


def test_a_conversation(attachment: Attachment) -> None:
    """The second answer uses what the first turn's tool had said; it found nothing itself."""
    memory = ChatMemoryBuffer.from_defaults(token_limit=3_000)
    made = agent(("find", {"input": "Rhine city"}), ANSWER, "Yes, Basel.", tools=[searching()])
    assert [run(made, memory=memory), run(made, "Are you sure?", memory=memory)] == [ANSWER, "Yes, Basel."]
    first, second = runs_of(attachment)
    assert whole(first) == usual(made, stages=[found(AS_ASKED.format("Rhine city"))])
    assert whole(second) == usual(
        made, 1, question="Are you sure?", answer="Yes, Basel.", chunks=None, stages=None, context=None
    )


def test_a_history_that_comes_with_the_question(attachment: Attachment) -> None:
    made = agent(("find", {"input": "Rhine city"}), ANSWER, tools=[searching()])
    assert run(made, chat_history=[*BEFORE]) == ANSWER
    assert whole(only_run(attachment)) == usual(made, stages=[found(AS_ASKED.format("Rhine city"))])


# Other agents --------------------------------------------------------------------------------------------------------

THOUGHT = "Thought: I can answer without using any more tools.\nAnswer: "


def reacting(*said: str) -> Any:
    return agents.ReActAgent(tools=[asking()], llm=FakeLLM(say=turns(*said)))


def test_an_agent_that_thinks_in_words(attachment: Attachment) -> None:
    """The answer is what stands behind its thoughts."""
    made = reacting('Thought: Look.\nAction: ask\nAction Input: {"input": "Rhine city"}', THOUGHT + ANSWER)
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made, 2, 1, llm_text=THOUGHT + ANSWER, stages=[found("Rhine city")], flags=SEVERAL
    )


def test_an_agent_that_thinks_and_needs_no_tool(attachment: Attachment) -> None:
    made = reacting(THOUGHT + ANSWER)
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(
        made, 1, llm_text=THOUGHT + ANSWER, chunks=None, stages=None, context=None
    )


def test_an_agent_that_hands_over_to_another(attachment: Attachment) -> None:
    """The one searches, the other answers: one question."""
    finder = agent(
        ("find", {"input": "Rhine city"}),
        ("handoff", {"to_agent": "writer", "reason": "found it"}),
        tools=[searching()],
        name="finder",
        description="finds",
        can_handoff_to=["writer"],
    )
    writer = agent(ANSWER, name="writer", description="writes")
    assert run(agents.AgentWorkflow(agents=[finder, writer], root_agent="finder")) == ANSWER
    assert whole(only_run(attachment)) == usual(finder, 3, stages=[found(AS_ASKED.format("Rhine city"))])


def test_an_agent_that_asks_another_as_a_tool(attachment: Attachment) -> None:
    """The inner agent's run is a workflow of its own, nested in the tool."""
    inner = agent(("find", {"input": "Rhine city"}), INNER, tools=[searching()])

    async def delegate(q: str) -> str:
        return str(await inner.run(q))

    made = agent(
        ("delegate", {"q": "Which city?"}),
        ANSWER,
        tools=[FunctionTool.from_defaults(async_fn=delegate, name="delegate", description="delegate")],
    )
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(made, 4, stages=[found(AS_ASKED.format("Rhine city"))], flags=SEVERAL)


@knows_its_thread
def test_an_agent_that_writes_code(attachment: Attachment) -> None:
    if not hasattr(agents, "CodeActAgent"):
        pytest.skip("this version has no CodeActAgent")

    def look(q: str) -> list[NodeWithScore]:
        return FakeRetriever("ab").retrieve(q)

    made = agents.CodeActAgent(
        tools=[tool(look, "look")],
        llm=FakeLLM(say=turns("<execute>\nprint(look('Rhine'))\n</execute>", ANSWER)),
        code_execute_fn=lambda code: "\n".join(one.node.text for one in look("Rhine")),
    )
    assert run(made) == ANSWER
    assert whole(only_run(attachment)) == usual(made, chunks="a b", stages=[found("Rhine", "ab")], context="a b")
