"""Messages, replies and questions that are not as LlamaIndex promises cost themselves at most."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from by_hand import played
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    ImageBlock,
    MessageRole,
    TextBlock,
)
from llama_index.core.schema import QueryBundle
from llamaindex_expected import expected
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeLLM, FakeTextLLM, engine, nodes
from llamaindex_versions import since_core
from odd_objects import Bare, Unreadable, outcome
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment, attach

pytestmark = since_core(0, 12, 10)  # messages of blocks


def message(**fields: Any) -> Any:
    """A message with the fakes' text `a`, of which nothing is checked."""
    usual = {"role": MessageRole.USER, "blocks": [TextBlock(text=TEXTS["a"])], "additional_kwargs": {}}
    return ChatMessage.model_construct(**{**usual, **fields})


def reply(text: str = "Basel.", **fields: Any) -> Any:
    usual = {
        "message": ChatMessage(role="assistant", content=text),
        "raw": None,
        "additional_kwargs": {},
        "delta": None,
    }
    return ChatResponse.model_construct(**{**usual, "logprobs": None, **fields})


class Brain:
    """A kind of block that nobody knows."""

    block_type = "brain"
    data = b"123"


# What a model is given -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "exceptions"),
    [
        pytest.param([message(role="user")], 0, id="a text for a role"),
        pytest.param([message(role="narrator")], 0, id="a role that nobody knows"),
        pytest.param([message(role=None)], 0, id="no role"),
        pytest.param([message(role=Unreadable()), message()], 1, id="a role that raises"),
        pytest.param([ChatMessage(role="user", content=None), message()], 0, id="no content"),
        pytest.param([message(blocks=5), message()], 1, id="a number for blocks"),
        pytest.param([message(blocks=[Brain(), Bare(), None, TextBlock(text=TEXTS["a"])])], 0, id="kinds of blocks"),
        pytest.param(
            [message(blocks=[TextBlock.model_construct(text=None), TextBlock(text=TEXTS["a"])])],
            0,
            id="a block of no text",
        ),
        pytest.param([message(blocks=[ImageBlock(image=b"x" * 10), TextBlock(text=TEXTS["a"])])], 0, id="an image"),
        pytest.param([message(additional_kwargs=None)], 0, id="nothing beside the content"),
        pytest.param(
            [message(role=MessageRole.ASSISTANT, additional_kwargs=None), message()], 0, id="nor of an assistant"
        ),
        pytest.param([None, message()], 1, id="None among the messages"),
        pytest.param(["a text", message()], 1, id="a text among them"),
        pytest.param([Unreadable(), message()], 1, id="an object that raises"),
        pytest.param([message(blocks=[TextBlock(text="\ud800 " + TEXTS["a"])])], 0, id="half a character"),
    ],
)
def test_a_message_that_is_odd_costs_itself_at_most(
    attachment: Attachment, caught: list[Exception], messages: list[Any], exceptions: int
) -> None:
    played(nodes("ab"), messages)
    found = whole(only_run(attachment))
    found.pop("media", None)  # blocks that are no text are named, and no more
    assert found == expected(
        question="Q?",
        answer="Basel.",
        chunks="a b",
        stages=["1 retrieve FakeRetriever(Q?): a=0.9 b=0.8"],
        context="a",
        usage="1 None>None",
        answer_usage="1 None>None",
    )
    assert len(caught) == exceptions
    caught.clear()


@pytest.mark.parametrize("messages", [None, 5], ids=["None", "a number"])
def test_what_are_no_messages_starts_a_call_all_the_same(
    attachment: Attachment, caught: list[Exception], messages: Any
) -> None:
    played(nodes("ab"), messages)
    run = only_run(attachment)
    assert (run.answer, run.usage.model_calls, run.context, run.flags) == ("Basel.", 1, (), ())
    assert [type(error) for error in caught] == [TypeError]
    caught.clear()


# What it says --------------------------------------------------------------------------------------------------------


class Raw:
    """A provider's response whose parts raise."""

    @property
    def usage(self) -> Any:
        raise RuntimeError("not loaded")


class Raising(dict[str, Any]):
    def get(self, *_: Any) -> Any:
        raise RuntimeError

    items = get  # type: ignore[assignment]


class Counts:
    def __init__(self) -> None:
        self.prompt_tokens, self.completion_tokens, self.details, self._raw = 100, 5, object(), object()


@pytest.mark.parametrize(
    ("said", "usage", "exceptions"),
    [
        pytest.param(None, "None>None", 0, id="None"),
        pytest.param("Basel.", "None>None", 0, id="a text"),
        pytest.param(CompletionResponse(text="Basel."), "None>None", 0, id="a completion"),
        pytest.param(ChatResponse.model_construct(), "None>None", 0, id="no message at all"),
        pytest.param(reply(message=None), "None>None", 0, id="None for a message"),
        pytest.param(reply(message="Basel."), "None>None", 0, id="a text for a message"),
        pytest.param(reply(message=ChatMessage(role="assistant", content=None)), "None>None", 0, id="no content"),
        pytest.param(
            reply(message=message(blocks=[Brain(), TextBlock(text="Basel.")])), "None>None", 0, id="a kind of block"
        ),
        pytest.param(
            reply(message=message(blocks=[TextBlock(text="Basel.")], additional_kwargs=None)),
            "None>None",
            0,
            id="nothing beside the content",
        ),
        pytest.param(reply(additional_kwargs=None), "None>None", 0, id="nothing beside the message"),
        pytest.param(Unreadable(), "None>None", 1, id="an object that raises"),
        pytest.param(reply(raw=Unreadable()), "None>None", 1, id="a raw response that raises"),
        pytest.param(reply(raw=Raw()), "None>None", 1, id="counts that raise"),
        pytest.param(reply(raw=Raising(usage=1)), "None>None", 1, id="a raw mapping that raises"),
        pytest.param(
            reply(raw={"usage": Raising(prompt_tokens=1)}), "None>None", 1, id="a mapping of counts that raises"
        ),
        pytest.param(reply(raw=dict), "None>None", 0, id="a class"),
        pytest.param(reply(raw={"usage": "100"}), "None>None", 0, id="a text for counts"),
        pytest.param(reply(raw={"usage": [100, 5]}), "None>None", 0, id="a list for counts"),
        pytest.param(
            reply(raw={"usage": {"prompt_tokens": None, "completion_tokens": "5"}}), "None>None", 0, id="texts"
        ),
        pytest.param(
            reply(raw={"usage": {"prompt_tokens": math.nan, "completion_tokens": -5}}), "None>None", 0, id="nan"
        ),
        pytest.param(
            reply(raw={"usage": {"prompt_tokens": True, "completion_tokens": 10**40}}), "None>None", 0, id="huge"
        ),
        pytest.param(
            reply(raw={"usage": {"prompt_tokens": 0, "completion_tokens": 5}}), "0>5", 0, id="none is a count"
        ),
        pytest.param(reply(raw={"usage": Counts()}), "100>5", 0, id="an object of the provider's"),
        pytest.param(reply(additional_kwargs={"prompt_tokens": 100}), "100>None", 0, id="a count beside the message"),
    ],
)
def test_a_reply_that_is_odd_costs_its_counts_at_most(
    attachment: Attachment, caught: list[Exception], said: Any, usage: str, exceptions: int
) -> None:
    played(nodes("ab"), said=said)
    found = whole(only_run(attachment))
    found.pop("media", None)
    assert found == expected(
        question="Q?",
        answer="Basel.",
        chunks="a b",
        stages=["1 retrieve FakeRetriever(Q?): a=0.9 b=0.8"],
        context="a",
        usage=f"1 {usage}",
        answer_usage=f"1 {usage}",
    )
    assert len(caught) == exceptions
    caught.clear()


def test_citations_that_are_odd_cost_themselves(attachment: Attachment) -> None:
    beside = {"citations": [None, 5, Bare(), {"cited_text": TEXTS["a"]}]}
    played(nodes("ab"), said=reply(message=ChatMessage(role="assistant", content="Basel.", additional_kwargs=beside)))
    run = only_run(attachment)
    assert (run.answer, run.status, run.usage.model_calls) == ("Basel.", "ok", 1)
    assert [(one.cited_text, one.id) for one in run.citations.provided] == [(TEXTS["a"], None)]


# In real pipelines ---------------------------------------------------------------------------------------------------


class Saying(FakeLLM):
    """Returns this instead of a response."""

    returned: Any = None

    def _response(self, messages: Sequence[ChatMessage]) -> Any:
        return self.returned


@pytest.mark.parametrize(
    ("returned", "status"),
    [
        pytest.param(None, "error", id="None"),
        pytest.param(ChatResponse.model_construct(), "error", id="no message"),
        pytest.param("Basel.", "ok", id="a text, which LlamaIndex takes for no answer"),
        pytest.param(reply(ANSWER, raw=Raw()), "ok", id="counts that raise"),
    ],
)
def test_a_model_that_returns_something_odd(caught: list[Exception], returned: Any, status: str) -> None:
    without = outcome(lambda: engine(llm=Saying(returned=returned)).query(QUESTION))
    with attach() as attachment:
        assert outcome(lambda: engine(llm=Saying(returned=returned)).query(QUESTION)) == without
        run = only_run(attachment)
    assert (run.question, run.status, run.usage.model_calls) == (QUESTION, status, 1)
    assert run.error == (None if status == "ok" else without[0].__name__)
    assert run.answer == (without[1] if status == "ok" else None)
    assert [chunk.id for chunk in run.context_chunks()] == ["a", "b", "c"]
    caught.clear()


def test_a_megabyte_of_an_answer(attachment: Attachment) -> None:
    said = "The Rhine passes Basel. " * 45_000
    assert str(engine(said).query(QUESTION)) == said
    run = only_run(attachment)
    assert (run.answer, run.status) == (said, "ok")


def test_a_question_of_a_megabyte(attachment: Attachment) -> None:
    question = "Rhine? " * 150_000
    assert str(engine(llm=FakeLLM(window=10_000_000)).query(question)) == ANSWER
    run = only_run(attachment)
    assert (run.question, run.answer, run.status) == (question, ANSWER, "ok")


def test_a_text_model_that_says_nothing(attachment: Attachment) -> None:
    assert str(engine(llm=FakeTextLLM(say=lambda _: "")).query(QUESTION)) == "Empty Response"
    run = only_run(attachment)
    assert (run.answer, run.status, run.usage.model_calls) == ("Empty Response", "ok", 1)


# Questions -----------------------------------------------------------------------------------------------------------


class OwnBundle(QueryBundle):
    """A question of the user's own class."""


class Loud(QueryBundle):
    """Raises when it is read."""

    @property
    def query_str(self) -> str:  # type: ignore[override]
        raise RuntimeError("no question")

    @query_str.setter
    def query_str(self, _: str) -> None: ...


@pytest.mark.parametrize(
    ("question", "text"),
    [
        pytest.param(OwnBundle(QUESTION), QUESTION, id="of a class of its own"),
        pytest.param(
            QueryBundle(QUESTION, custom_embedding_strs=["e"], embedding=[0.1] * 1_000),
            QUESTION,
            id="with an embedding",
        ),
        pytest.param(QueryBundle("", embedding=[0.1, 0.2]), None, id="an embedding alone"),
        pytest.param("", None, id="empty"),
        pytest.param("\ud800 Rhine?", "\ufffd Rhine?", id="half a character"),
    ],
)
def test_a_question_that_is_odd(attachment: Attachment, question: Any, text: str | None) -> None:
    assert str(engine().query(question)) == ANSWER
    run = only_run(attachment)
    assert run.question == text
    assert (run.answer, run.status, run.stages[0].query or None) == (ANSWER, "ok", text)


@pytest.mark.parametrize("question", [None, 5, [QUESTION], {"question": QUESTION}], ids=["None", "5", "list", "dict"])
def test_what_is_no_question_fails_as_it_does_without_us(question: Any) -> None:
    """Nothing was searched for, so there is no record."""
    without = outcome(lambda: engine().query(question))
    assert issubclass(without[0], Exception)
    with attach() as attachment:
        assert outcome(lambda: engine().query(question)) == without
        assert runs_of(attachment) == []
        assert attachment.stats()["discarded"] == 1


def test_a_question_that_cannot_be_read_starts_and_ends_all_the_same(caught: list[Exception]) -> None:
    ask: Callable[[], Any] = lambda: engine().query(Loud(QUESTION))  # noqa: E731
    without = outcome(ask)
    assert without == (RuntimeError, "no question")
    with attach() as attachment:
        assert outcome(ask) == without
        assert runs_of(attachment) == []
        assert attachment.stats()["discarded"] == 1
    assert [str(error) for error in caught] == ["no question"]
    caught.clear()
