"""Questions and answers are found in inputs and outputs of many shapes."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_fakes import rag
from pydantic import BaseModel
from whole_record import only_run

from rag_eval_hooks_langchain import RagEvalCallbackHandler


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
    assert only_run(handler).answer == answer


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
    run = only_run(handler)
    assert run.question == "Q?"
    assert run.stages[0].query == "rewritten"
