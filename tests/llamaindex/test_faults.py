"""Spans and events that nobody should send, sent by hand: they break nothing, and what is lost is counted."""

from collections.abc import Callable
from inspect import signature
from typing import Any
from uuid import uuid4

import pytest
from by_hand import dropped, ended, entered, exited, new_id, sent, started
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.events.exception import ExceptionEvent
from llama_index.core.instrumentation.events.llm import (
    LLMChatEndEvent,
    LLMChatInProgressEvent,
    LLMChatStartEvent,
    LLMCompletionEndEvent,
    LLMCompletionInProgressEvent,
    LLMCompletionStartEvent,
)
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llamaindex_expected import expected
from llamaindex_fakes import TEXTS, FakeLLM, FakeRetriever, engine, nodes
from odd_objects import Bare, Unreadable
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment, attach, handler

ENGINE, SEARCH, MODEL = engine(), FakeRetriever(), FakeLLM()
RECORD = expected(
    question="Q?",
    answer="Basel.",
    chunks="a b",
    stages=["1 retrieve FakeRetriever(Q?): a=0.9 b=0.8"],
    context="a:assumed:1.00 b:assumed:1.00",
    context_source="last_stage",
    usage="0 None>None",
    answer_usage=None,
    flags=("no_model_events",),
)


def asked() -> str:
    return str(entered(new_id(ENGINE, "query"), ENGINE, str_or_query_bundle="Q?"))


def searched(root: str, found: Any = None) -> str:
    inner = str(entered(new_id(SEARCH, "retrieve"), SEARCH, root, str_or_query_bundle="Q?"))
    exited(inner, SEARCH, nodes("ab") if found is None else found)
    return inner


def nothing_is_left(attachment: Attachment) -> bool:
    return attachment.collector.open_ids == 0 and handler.remembered() == 0


# Ids ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run_id", ["", "-", "query", "query-1", "x" * 36, "." * 40, str(uuid4()), f"-{uuid4()}"])
def test_ids_of_another_form_are_no_questions(attachment: Attachment, run_id: str) -> None:
    """The method is read out of the id; a span whose method is not known is none of ours."""
    entered(run_id, ENGINE, str_or_query_bundle="Q?")
    searched(run_id)
    exited(run_id, ENGINE, "Basel.")
    # The search stands alone.
    assert [(run.question, run.answer) for run in runs_of(attachment)] == [("Q?", None)]
    assert nothing_is_left(attachment)


@pytest.mark.parametrize("run_id", [None, 5, [1], {}, 0.5], ids=repr)
def test_ids_that_are_no_texts(attachment: Attachment, caught: list[Exception], run_id: Any) -> None:
    entered(run_id, ENGINE, str_or_query_bundle="Q?")
    exited(run_id, ENGINE, "Basel.")
    dropped(run_id, ENGINE, ValueError())
    assert runs_of(attachment) == []
    assert nothing_is_left(attachment)
    assert {type(error) for error in caught} == {TypeError}
    caught.clear()


@pytest.mark.parametrize("parent", ["nobody", "", 5, f"A.query-{uuid4()}"], ids=["word", "empty", "number", "unknown"])
def test_a_parent_that_nobody_knows(attachment: Attachment, parent: Any) -> None:
    root = entered(new_id(ENGINE, "query"), ENGINE, parent, str_or_query_bundle="Q?")
    searched(root)
    exited(root, ENGINE, "Basel.")
    assert whole(only_run(attachment)) == RECORD


def test_a_span_that_is_its_own_parent(attachment: Attachment) -> None:
    root = new_id(ENGINE, "query")
    entered(root, ENGINE, root, str_or_query_bundle="Q?")
    searched(root)
    exited(root, ENGINE, "Basel.")
    assert whole(only_run(attachment)) == RECORD


@pytest.mark.parametrize(
    "instance", [None, 5, "x", object, Bare(), Unreadable()], ids=["None", "5", "x", "class", "bare", "raises"]
)
def test_an_object_that_is_no_component(attachment: Attachment, instance: Any) -> None:
    run_id = entered(f"X.query-{uuid4()}", instance, str_or_query_bundle="Q?")
    exited(run_id, instance, "Basel.")
    assert runs_of(attachment) == []
    root = asked()
    inner = entered(f"X.query-{uuid4()}", instance, root, str_or_query_bundle="Q?")
    searched(inner)
    exited(inner, instance, "Zurich.")
    exited(root, ENGINE, "Basel.")
    assert whole(only_run(attachment)) == RECORD


# Order -------------------------------------------------------------------------------------------------------------


def entered_twice() -> None:
    root = asked()
    entered(root, ENGINE, str_or_query_bundle="Another?")
    searched(root)
    exited(root, ENGINE, "Basel.")


def ended_twice() -> None:
    root = asked()
    inner = searched(root)
    exited(inner, SEARCH, nodes("c"))
    dropped(inner, SEARCH, ValueError())
    exited(root, ENGINE, "Basel.")
    exited(root, ENGINE, "Zurich.")
    dropped(root, ENGINE, ValueError())


def search_ends_after_its_question() -> None:
    root = asked()
    inner = entered(new_id(SEARCH, "retrieve"), SEARCH, root, str_or_query_bundle="Q?")
    exited(root, ENGINE, "Basel.")
    exited(inner, SEARCH, nodes("ab"))


def ended_without_a_start() -> None:
    exited(new_id(ENGINE, "query"), ENGINE, "Zurich.")
    dropped(new_id(ENGINE, "query"), ENGINE, ValueError())
    dropped(new_id(SEARCH, "retrieve"), SEARCH, None)
    root = asked()
    exited(new_id(SEARCH, "retrieve"), SEARCH, nodes("c"))
    searched(root)
    exited(root, ENGINE, "Basel.")


@pytest.mark.parametrize("send", [entered_twice, ended_twice, search_ends_after_its_question, ended_without_a_start])
def test_the_first_start_and_the_first_end_count(attachment: Attachment, send: Callable[[], None]) -> None:
    send()
    assert whole(only_run(attachment)) == RECORD
    assert nothing_is_left(attachment)


def test_what_starts_after_its_question_was_recorded_is_late(attachment: Attachment) -> None:
    root = asked()
    searched(root)
    exited(root, ENGINE, "Basel.")
    assert len(attachment.records) == 1
    searched(root)
    assert whole(only_run(attachment)) == RECORD
    assert attachment.stats()["late"] == 1
    assert nothing_is_left(attachment)


@pytest.mark.parametrize(
    ("error", "name"), [(None, "RuntimeError"), ("a text", "str"), (ValueError("x"), "ValueError")]
)
def test_a_drop_with_and_without_an_error(attachment: Attachment, error: Any, name: str) -> None:
    root = asked()
    searched(root)
    dropped(root, ENGINE, error)
    run = only_run(attachment)
    assert (run.status, run.error, run.answer, [chunk.id for chunk in run.chunks]) == ("error", name, None, ["a", "b"])


def test_arguments_that_are_missing(attachment: Attachment, caught: list[Exception]) -> None:
    root = new_id(ENGINE, "query")
    get_dispatcher().span_enter(id_=root, bound_args=None, instance=ENGINE, parent_id=None, tags=None)
    searched(root)
    exited(root, ENGINE, "Basel.")
    assert whole(only_run(attachment)) == RECORD  # the question is what was searched for
    assert [type(error) for error in caught] == [AttributeError]
    caught.clear()


@pytest.mark.parametrize(
    "tags", ["a text", 5, {"rag_eval:question": [1], 5: Bare(), "b": "c"}], ids=["text", "5", "odd"]
)
def test_tags_that_are_odd(attachment: Attachment, tags: Any) -> None:
    root = new_id(ENGINE, "query")
    get_dispatcher().span_enter(
        id_=root, bound_args=signature(lambda query: None).bind("Q?"), instance=ENGINE, parent_id=None, tags=tags
    )
    searched(root)
    exited(root, ENGINE, "Basel.")
    found = whole(only_run(attachment))
    assert found.pop("metadata", {}).get("b") == ("c" if isinstance(tags, dict) else None)
    assert found == RECORD


# Events --------------------------------------------------------------------------------------------------------------

EVENTS = (
    LLMChatStartEvent,
    LLMChatInProgressEvent,
    LLMChatEndEvent,
    LLMCompletionStartEvent,
    LLMCompletionInProgressEvent,
    LLMCompletionEndEvent,
    ExceptionEvent,
    ReRankStartEvent,
    ReRankEndEvent,
)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("run_id", [None, "", "unknown", f"A.chat-{uuid4()}"], ids=["None", "empty", "word", "unknown"])
def test_events_of_spans_that_nobody_knows(attachment: Attachment, event: Any, run_id: Any) -> None:
    root = asked()
    searched(root)
    response = ChatResponse(message=ChatMessage(content="Zurich."), delta="Zurich.")
    fields = {
        "prompt": "p",
        "messages": [],
        "response": response,
        "exception": ValueError(),
        "nodes": [],
        "model_name": "m",
    }
    sent(event.model_construct(span_id=run_id, tags={}, **fields))
    exited(root, ENGINE, "Basel.")
    assert whole(only_run(attachment)) == RECORD
    assert nothing_is_left(attachment)


@pytest.mark.parametrize("event", EVENTS)
def test_events_that_lack_everything(attachment: Attachment, caught: list[Exception], event: Any) -> None:
    """A call that starts so cannot be told; the question is recorded as it would be without it."""
    root = asked()
    searched(root)
    bare = event.model_construct()
    bare.__dict__.clear()
    bare.__dict__.update(span_id=root, tags={})
    sent(bare)
    exited(root, ENGINE, "Basel.")
    assert whole(only_run(attachment)) == RECORD
    assert nothing_is_left(attachment)
    assert {type(error) for error in caught} <= {AttributeError}
    caught.clear()


def test_tokens_that_are_no_texts(attachment: Attachment, caught: list[Exception]) -> None:
    root = asked()
    searched(root)
    call = entered(new_id(MODEL, "stream_chat"), MODEL, root)
    started(call, [ChatMessage(role="user", content=TEXTS["a"])])
    stream = (one for one in ())
    exited(call, MODEL, stream)
    responses = [ChatResponse.model_construct(delta=delta) for delta in (None, 5, "", Bare(), "Ba", "sel.")]
    for response in (None, *responses):
        sent(LLMChatInProgressEvent.model_construct(span_id=call, messages=[], response=response, tags={}))
    ended(call, None)
    exited(root, ENGINE, "Basel.")
    run = only_run(attachment)
    assert (run.answer, run.status, run.usage.model_calls) == ("Basel.", "ok", 1)
    assert [chunk.id for chunk in run.context_chunks()] == ["a"]
    assert nothing_is_left(attachment)
    assert [type(error) for error in caught] == [AttributeError]  # of the event without a response
    caught.clear()


def test_more_under_way_than_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what never ends, the oldest entries of our tables go; the collector delivers by its own rules."""
    monkeypatch.setattr("rag_eval_hooks_llamaindex.listeners.MAX_UNDER_WAY", 100)
    with attach(max_open=50, keep=1_000) as attachment:
        for _ in range(300):
            searched(asked())
        assert handler.remembered() <= 200
        assert attachment.collector.open_records == 50
        assert attachment.stats()["evicted"] == 250
        root = asked()
        searched(root)
        exited(root, ENGINE, "Basel.")
        assert attachment.flush(60) == 0
        assert [record.run.answer for record in attachment.records][-1] == "Basel."
    assert handler.remembered() == 0
