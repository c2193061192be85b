"""Attaching to the process or to one engine: one record per question, and nothing left behind when it is taken off."""

import gc
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from llama_index.core.response_synthesizers import get_response_synthesizer
from llamaindex_engines import THOUGHT, Asking, agent, ask_agent, chat, in_loop, router
from llamaindex_expected import expected, streamed, unread
from llamaindex_fakes import LONG, QUESTION, FakeLLM, FakeRetriever, engine, nodes
from llamaindex_versions import HAS_WORKFLOW_AGENTS
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks_llamaindex import Attachment, attach, attached, suppress_capture
from rag_eval_hooks_llamaindex.handler import remembered


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Whatever a test attaches and detaches, LlamaIndex's lists of handlers are the same objects, with the same in."""
    root = get_dispatcher()
    lists = (root.event_handlers, root.span_handlers)
    before = [list(one) for one in lists]
    yield
    assert attached() is None
    assert root.event_handlers is lists[0]
    assert root.span_handlers is lists[1]
    assert [[id(handler) for handler in one] for one in lists] == [[id(handler) for handler in one] for one in before]


# On and off ----------------------------------------------------------------------------------------------------------


def test_attaching_twice_is_attaching_once() -> None:
    attachment = attach(keep=10)
    assert attach() is attached() is attachment
    assert attach(attachment.hooks) is attachment
    engine().query(QUESTION)
    assert whole(only_run(attachment)) == expected()
    assert attachment.detach() is attachment.hooks
    assert attachment.detach() is attachment.hooks
    assert (attached(), attachment.is_attached) == (None, False)
    engine().query("Nobody hears?")
    assert whole(only_run(attachment)) == expected()
    attachment.close()


def test_hooks_are_attached_again() -> None:
    with attach() as attachment:
        engine().query("First?")
        hooks = attachment.detach()
        engine().query("Nobody hears?")
        again = attach(hooks)
        assert again is not attachment
        engine().query("Second?")
        assert [run.question for run in runs_of(again)] == ["First?", "Second?"]
        again.detach()


class OtherEvents(BaseEventHandler):
    """Somebody else's; equal to every other of its kind, as pydantic's objects without fields are."""

    seen: list[str] = []  # noqa: RUF012  pydantic copies it

    def handle(self, event: Any, **_: Any) -> None:
        self.seen.append(type(event).__name__)


class OtherSpans(BaseSpanHandler[Any]):
    def new_span(self, *_: Any, **__: Any) -> None: ...

    def prepare_to_exit_span(self, *_: Any, **__: Any) -> None: ...

    def prepare_to_drop_span(self, *_: Any, **__: Any) -> None: ...


def test_other_handlers_stay_where_they_are() -> None:
    """Those that were there, those that came in between, and those that sit there twice."""
    root = get_dispatcher()
    lists: tuple[list[Any], list[Any]] = (root.event_handlers, root.span_handlers)
    others: tuple[list[Any], list[Any]] = (
        [OtherEvents(), OtherEvents(), OtherEvents()],
        [OtherSpans(), OtherSpans(), OtherSpans()],
    )
    before = [list(one) for one in lists]
    try:
        for handlers, (first, twice, _) in zip(lists, others, strict=True):
            handlers.extend([first, twice, twice])
        attachment = attach()
        for handlers, (_, _, late) in zip(lists, others, strict=True):
            handlers.insert(0, late)
            handlers.append(late)
        engine().query(QUESTION)
        assert whole(only_run(attachment)) == expected()
        attachment.detach()
        for handlers, (first, twice, late), there in zip(lists, others, before, strict=True):
            assert [id(one) for one in handlers] == [id(one) for one in [late, *there, first, twice, twice, late]]
        first, twice, late = others[0]
        assert first.seen  # it is heard what was said
        assert twice.seen == late.seen == [kind for kind in first.seen for _ in range(2)]
        attachment.close()
    finally:
        for handlers, there in zip(lists, before, strict=True):
            handlers[:] = there


def test_attaching_again_helps_where_somebody_has_thrown_us_off() -> None:
    root = get_dispatcher()
    there = list(root.event_handlers), list(root.span_handlers)
    with attach() as attachment:
        root.event_handlers[:], root.span_handlers[:] = there
        engine().query("Nobody hears?")
        assert attach() is attachment
        engine().query(QUESTION)
        assert whole(only_run(attachment)) == expected()


def test_closed_hooks_count_what_they_miss_and_make_way() -> None:
    attachment = attach()
    engine().query(QUESTION)
    attachment.close()
    assert (attachment.is_attached, attachment.is_closed, attached()) == (False, True, None)
    engine().query("Nobody hears?")
    assert {word: attachment.stats()[word] for word in ("opened", "evaluated", "closed")} == {
        "opened": 2,
        "evaluated": 1,
        "closed": 1,
    }
    with attach() as other:
        engine().query(QUESTION)
        assert whole(only_run(other)) == expected()
    assert attachment.stats()["opened"] == 2
    (captured,) = attachment.records
    assert whole(captured.run) == expected()


def test_a_block_detaches_and_closes() -> None:
    with attach() as attachment:
        assert attachment.is_attached
        engine().query(QUESTION)
    assert (attachment.is_attached, attachment.is_closed) == (False, True)
    assert whole(only_run(attachment)) == expected()


# One engine ----------------------------------------------------------------------------------------------------------


NO_SEARCH = {"chunks": None, "stages": None, "context": None}
STREAMED = {"usage": "1 None>None", "answer_usage": "1 None>None"}
HANDED = {"chunks": "a b", "stages": ["1 retrieve CompactAndRefine: a=0.9 b=0.8"], "context": "a b"}

KINDS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], dict[str, Any]]] = {
    "query engine": (engine, lambda one: one.query(QUESTION), expected()),
    "chat engine": (chat, lambda one: one.chat(QUESTION), expected()),
    "workflow": (lambda: Asking(timeout=20), lambda one: in_loop(lambda: one.run(question=QUESTION)), expected()),
    "agent": (
        agent,
        ask_agent,
        expected(**NO_SEARCH, llm_text=THOUGHT, **(STREAMED if HAS_WORKFLOW_AGENTS else {})),
    ),
    "retriever": (FakeRetriever, lambda one: one.retrieve(QUESTION), unread()),
    "synthesizer": (
        lambda: get_response_synthesizer(llm=FakeLLM()),
        lambda one: one.synthesize(QUESTION, nodes("ab")),
        expected(**HANDED),
    ),
}
"""What can be attached to: how to make one, how to ask it, and the record of that."""


@pytest.mark.parametrize("kind", KINDS)
def test_one_engine_alone_is_recorded(kind: str) -> None:
    """Not another of its kind, nor what it asks itself as questions of their own."""
    make, ask, record = KINDS[kind]
    asked, other = make(), make()
    with attach(engine=asked) as attachment:
        assert attached() is None  # nothing is attached to the whole process
        assert attach(engine=asked) is attachment
        ask(other)
        ask(asked)
        assert whole(only_run(attachment)) == record
        assert remembered() == 0


def test_an_engine_inside_of_another_is_recorded_alone() -> None:
    inner = engine()
    with attach(engine=inner) as attachment:
        router(inner).query(QUESTION)
        assert whole(only_run(attachment)) == expected()


def test_a_retriever_inside_of_an_engine_is_recorded_alone() -> None:
    retriever = FakeRetriever()
    with attach(engine=retriever) as attachment:
        engine(retriever=retriever).query(QUESTION)
        assert whole(only_run(attachment)) == unread()


def test_an_attachment_lapses_with_its_engine() -> None:
    asked = engine()
    attachment = attach(engine=asked)
    asked.query(QUESTION)
    del asked
    gc.collect()
    assert not attachment.is_attached
    engine().query("Another?")
    assert whole(only_run(attachment)) == expected()
    with attach() as everything:  # whoever attaches next clears up
        engine().query(QUESTION)
        assert whole(only_run(everything)) == expected()
    attachment.close()


def test_an_answer_that_outlives_its_engine_is_recorded() -> None:
    asked = engine(LONG, streaming=True)
    with attach(engine=asked) as attachment:
        response = asked.query(QUESTION)
        del asked
        gc.collect()
        with attach():  # clears up, but not what is under way
            assert str(response) == LONG
        assert whole(only_run(attachment)) == streamed(answer=LONG)


def test_several_engines_with_the_same_and_with_other_hooks() -> None:
    first, second, third = engine(), engine(), engine()
    with Hooks() as shared, Hooks() as own:
        attachments = [attach(shared, first), attach(shared, second), attach(own, third)]
        for place, one in enumerate((first, second, third)):
            one.query(f"Q{place}?")
        assert [run.question for run in runs_of(attachments[0])] == ["Q0?", "Q1?"]
        assert [run.question for run in runs_of(attachments[1])] == ["Q0?", "Q1?"]
        assert [whole(run) for run in runs_of(attachments[2])] == [expected(question="Q2?")]
        attachments[0].detach()
        first.query("Nobody hears?")
        second.query("Still heard?")
        assert [run.question for run in runs_of(attachments[1])] == ["Q0?", "Q1?", "Still heard?"]
        for one in attachments:
            one.detach()


@pytest.mark.parametrize("same", [True, False])
def test_the_process_and_one_engine_at_once(same: bool) -> None:
    """With the same hooks a question is one record; with others, each has its own."""
    asked = engine()
    with attach() as everything, attach(everything.hooks if same else Hooks(), asked) as own:
        asked.query(QUESTION)
        engine().query("Another?")
        assert [whole(run) for run in runs_of(everything)] == [expected(), expected(question="Another?")]
        if not same:
            assert [whole(run) for run in runs_of(own)] == [expected()]


# What is told, and what goes wrong -----------------------------------------------------------------------------------


def test_instrument_tags_are_the_records_metadata(attachment: Attachment) -> None:
    from llama_index.core.instrumentation.dispatcher import instrument_tags

    with instrument_tags({"tenant": "acme", "try": 2, "api_key": "SECRET"}):
        engine().query(QUESTION)
    engine().query("And without?")
    first, second = runs_of(attachment)
    assert whole(first) == expected(metadata={"tenant": "acme", "try": 2})
    assert whole(second) == expected(question="And without?")


def test_what_is_suppressed_is_in_no_record_and_counted(attachment: Attachment) -> None:
    with suppress_capture():
        engine().query("Warm up?")
        assert str(engine(LONG, streaming=True).query("Warm up, word by word?")) == LONG
        stream = engine(LONG, streaming=True).query("Read later?").response_gen
    assert "".join(stream) == LONG
    engine().query(QUESTION)
    assert whole(only_run(attachment)) == expected()
    stats = attachment.stats()
    assert (stats["opened"], stats["late"]) == (1, 0)
    assert stats["suppressed"] > 3


def test_errors_say_what_to_do() -> None:
    asked = engine()
    closed = Hooks()
    closed.close()
    index = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=4))
    with pytest.raises(ConfigError, match=r"name the engine, as in attach\(engine=\.\.\.\)"):
        attach(asked)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected Hooks, got str"):
        attach("hooks")  # type: ignore[arg-type]
    with Hooks() as hooks, pytest.raises(ConfigError, match="not both"):
        attach(hooks, keep=3)
    with pytest.raises(ConfigError, match="these hooks are closed"):
        attach(closed)
    with pytest.raises(ConfigError, match=r"expected a query engine, .*, got FakeLLM$"):
        attach(engine=FakeLLM())
    with pytest.raises(ConfigError, match=r"got VectorStoreIndex; give what its as_query_engine\(\) returned"):
        attach(engine=index)
    with pytest.raises(ConfigError, match="keep"):
        attach(keep=-1)
    with attach() as attachment, Hooks() as others:
        for told in ({"hooks": others}, {"keep": 20}):
            with pytest.raises(ConfigError, match=r"call detach\(\) on what attach\(\) returned then"):
                attach(**told)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="tap_streams=True already"):
            attach(tap_streams=False)
        assert attached() is attachment


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param({"sink": []}, "unknown option 'sink'; did you mean 'sinks'?", id="misspelt"),
        pytest.param({"callbacks": []}, "unknown option 'callbacks'; there are sinks, ", id="of something else"),
    ],
)
def test_an_option_that_there_is_not(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        attach(**given)
    assert attached() is None


def test_hooks_that_were_given_are_not_closed_by_a_block() -> None:
    hooks = Hooks()
    with attach(hooks) as attachment:
        engine().query(QUESTION)
    assert (attachment.is_attached, attachment.is_closed) == (False, False)
    with attach(hooks) as again:
        engine().query(QUESTION)
        assert [whole(run) for run in runs_of(again)] == [expected(), expected()]
    hooks.close()
