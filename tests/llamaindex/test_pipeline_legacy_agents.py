"""Agents as they were up to 0.12: chat engines that go on step by step."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agent_fakes import FakeAgentLLM, turns
from llama_index.core.tools import QueryEngineTool, RetrieverTool
from llamaindex_expected import expected
from llamaindex_fakes import QUESTION, FakeLLM, FakeRetriever, engine
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

runner: Any = pytest.importorskip("llama_index.core.agent.runner.base", reason="agents are workflows since 0.13")
legacy: Any = pytest.importorskip("llama_index.core.agent")
pytestmark = [pytest.mark.usefixtures("offline"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]

ANSWER = "It passes Basel, as the sources say."
THOUGHT = "Thought: I can answer without using any more tools.\nAnswer: "


@pytest.fixture(params=["chat", "achat"])
def run(request: pytest.FixtureRequest, attachment: Attachment) -> Callable[[Any], dict[str, Any]]:
    def asked(made: Any) -> dict[str, Any]:
        said = made.chat(QUESTION) if request.param == "chat" else asyncio.run(made.achat(QUESTION))
        assert str(said) == ANSWER
        return whole(only_run(attachment))

    return asked


def test_two_searches_are_two_rounds(run: Any) -> None:
    calls = turns([("find", {"input": "Rhine city"})], [("look", {"input": "harbours"})], ANSWER)
    tools = [
        RetrieverTool.from_defaults(FakeRetriever(keys), name=name, description=name)
        for name, keys in (("find", "a"), ("look", "bc"))
    ]
    made = legacy.FunctionCallingAgent.from_tools(tools, llm=FakeAgentLLM(say=calls))
    assert run(made) == expected(
        answer=ANSWER,
        stages=[
            "1 retrieve FakeRetriever(Rhine city\n\n): a=0.9",
            "2 retrieve FakeRetriever(harbours\n\n): b=0.9 c=0.8",
        ],
        usage="3 300>15",
    )


def test_an_agent_that_thinks_in_words(run: Any) -> None:
    ask = QueryEngineTool.from_defaults(engine("Basel lies on the Rhine, they say."), name="ask", description="ask")
    thoughts = turns('Thought: Look.\nAction: ask\nAction Input: {"input": "Rhine city"}', THOUGHT + ANSWER)
    made = legacy.ReActAgent.from_tools([ask], llm=FakeLLM(say=thoughts))
    assert run(made) == expected(
        answer=ANSWER,
        llm_text=THOUGHT + ANSWER,
        stages=["1 retrieve FakeRetriever(Rhine city): a=0.9 b=0.8 c=0.7"],
        usage="3 300>15",
        flags=("several_prompts",),
    )
