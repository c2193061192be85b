"""Others in the same process: their handlers and dispatchers, threads that attach meanwhile, and the garbage collector.

How we come and go beside other handlers is in `test_attach`.
"""

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import pytest
from asking import WAYS, ask, is_streamed
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler, SimpleSpanHandler
from llamaindex_expected import expected, streamed
from llamaindex_fakes import ANSWER, QUESTION, FakeLLM, engine
from llamaindex_stress import echo_chat, echo_engine, is_right, left_in_tables, threads
from llamaindex_versions import needs_streams
from many_questions import answer_about, facts_about, questions
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks_llamaindex import Attachment, attach, handler


def asked(way: str) -> str:
    return ask(engine(streaming=is_streamed(way)), way)


def record(way: str) -> dict[str, Any]:
    return streamed() if is_streamed(way) else expected()


# Handlers of others --------------------------------------------------------------------------------------------------


def raising(error: type[BaseException]) -> tuple[BaseEventHandler, BaseSpanHandler[Any]]:
    """Two handlers that fail whatever they are told."""

    def fail(*_: Any, **__: Any) -> None:
        raise error

    class Events(BaseEventHandler):
        handle = fail

    class Spans(BaseSpanHandler[Any]):
        span_enter = span_exit = span_drop = new_span = prepare_to_exit_span = prepare_to_drop_span = fail

    return Events(), Spans()


@contextmanager
def beside(events: Any, spans: Any, *, first: bool) -> Iterator[None]:
    """Puts handlers before or after those that are there, and takes them off again."""
    root = get_dispatcher()
    before = list(root.event_handlers), list(root.span_handlers)
    root.event_handlers.insert(0 if first else len(before[0]), events)
    root.span_handlers.insert(0 if first else len(before[1]), spans)
    try:
        yield
    finally:
        root.event_handlers[:], root.span_handlers[:] = before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
@pytest.mark.parametrize("raised", [RuntimeError, asyncio.CancelledError, GeneratorExit])
def test_handlers_that_raise(attachment: Attachment, way: str, first: bool, raised: Any) -> None:
    with beside(*raising(raised), first=first):
        assert asked(way) == ANSWER
    assert whole(only_run(attachment)) == record(way)


@pytest.mark.parametrize("way", WAYS)
def test_a_handler_that_keeps_every_span(attachment: Attachment, way: str) -> None:
    """LlamaIndex's own; it sees what it sees without us."""

    def seen() -> list[str]:
        own = SimpleSpanHandler()
        root = get_dispatcher()
        root.add_span_handler(own)
        assert asked(way) == ANSWER
        root.span_handlers.remove(own)
        return [span.id_[:-37] for span in own.completed_spans]

    with_us = seen()
    attachment.detach()
    assert seen() == with_us
    assert whole(only_run(attachment)) == record(way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
def test_openinference_beside_us(way: str, first: bool) -> None:
    """Its spans are those that it makes without us, and our record is the usual one."""
    instrumentor = pytest.importorskip("openinference.instrumentation.llama_index").LlamaIndexInstrumentor()
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter").InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(memory))

    def spans(ask: Callable[[], None]) -> list[tuple[str, Any]]:
        memory.clear()
        ask()
        return sorted((span.name, span.attributes.get("output.value")) for span in memory.get_finished_spans())

    @contextmanager
    def instrumented() -> Iterator[None]:
        instrumentor.instrument(tracer_provider=provider)
        try:
            yield
        finally:
            instrumentor.uninstrument()

    def theirs_alone() -> None:
        with instrumented():
            assert asked(way) == ANSWER

    def both() -> None:
        with ExitStack() as stack:
            if first:
                stack.enter_context(instrumented())
            attachment = stack.enter_context(attach())
            if not first:
                stack.enter_context(instrumented())
            assert asked(way) == ANSWER
            assert whole(only_run(attachment)) == record(way)

    alone = spans(theirs_alone)
    assert alone
    assert spans(both) == alone


# Dispatchers of others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_library_with_spans_of_its_own(attachment: Attachment, way: str) -> None:
    """A span around two questions is no question."""
    library = get_dispatcher("a.library")

    @library.span
    def helps(question: str) -> str:
        return ask(engine(streaming=is_streamed(way)), way, question)

    @library.span
    def works() -> list[str]:
        return [helps("One?"), helps("Two?")]

    assert works() == [ANSWER, ANSWER]
    assert sorted(whole(run)["question"] for run in runs_of(attachment)) == ["One?", "Two?"]


@pytest.mark.parametrize("way", ["query", "aquery"])
def test_a_dispatcher_that_passes_nothing_on(attachment: Attachment, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """The question's span is not seen, so that its search and its synthesis stand alone, as if asked by themselves."""
    monkeypatch.setattr(get_dispatcher("llama_index.core.base.base_query_engine"), "propagate", False)
    assert asked(way) == ANSWER
    searched, answered = runs_of(attachment)
    assert (searched.question, searched.answer, [chunk.id for chunk in searched.chunks]) == (QUESTION, None, [*"abc"])
    assert (answered.question, answered.answer, answered.usage.model_calls) == (QUESTION, ANSWER, 1)
    assert [chunk.id for chunk in answered.context_chunks()] == [*"abc"]
    assert handler.remembered() == 0


@pytest.mark.parametrize("way", WAYS)
def test_somebody_replaces_the_lists_of_handlers_in_the_middle_of_a_question(way: str) -> None:
    """What was seen is recorded when we go; the next question after `attach()` is recorded as usual."""
    root = get_dispatcher()
    before = root.event_handlers, root.span_handlers

    def say(_: Any) -> str:
        root.event_handlers, root.span_handlers = [], []
        return ANSWER

    try:
        with attach() as attachment:
            own = engine(streaming=is_streamed(way), llm=FakeLLM(say=say))
            assert ask(own, way) == ANSWER
            assert attach() is attachment
            assert asked(way) == ANSWER
            attachment.detach()
            assert attachment.flush() == 0
            runs = runs_of(attachment)
        assert handler.remembered() == 0
        assert [run.question for run in runs] == [QUESTION, QUESTION]
        assert record(way) in [whole(run) for run in runs]
    finally:
        root.event_handlers, root.span_handlers = before


# Threads -------------------------------------------------------------------------------------------------------------


def test_attaching_and_detaching_while_others_ask() -> None:
    """No question fails or is recorded wrongly, and every one that was begun to be recorded is accounted for."""
    asked, done = questions(600), threading.Event()
    quick, streaming = echo_engine(), echo_engine(streaming=True)
    hooks = [Hooks(keep=1_000) for _ in range(2)]
    turns: list[int] = []

    def come_and_go(mine: Hooks, own: Any) -> None:
        while not done.is_set():
            attach(mine, own).detach()
            turns.append(1)

    def put(question: str) -> str:
        if int(question[-6:-3]) % 3:
            return str(quick.query(question))
        return "".join(cast("Any", streaming.query(question)).response_gen)

    with ThreadPoolExecutor(2) as others, threads(8) as pool:
        going = [others.submit(come_and_go, hooks[0], None), others.submit(come_and_go, hooks[1], quick)]
        assert list(pool.map(put, asked)) == [answer_about(question) for question in asked]
        done.set()
        for one in going:
            one.result()
    assert len(turns) > 20
    for mine in hooks:
        assert mine.flush(60) == 0
        stats = mine.stats()
        assert (stats["open"], stats["queued"], stats["queue_full"]) == (0, 0, 0)
        assert stats["opened"] == stats["discarded"] + stats["evaluated"]
        for run in (one.run for one in mine.records):
            # Begun or ended in the middle, a record holds less, but nothing of another question.
            question = str(run.question)
            assert question in asked
            assert {chunk.id: chunk.text for chunk in run.chunks} in ({}, facts_about(question))
            assert answer_about(question).startswith(run.answer or "")
        assert mine.close(20) == 0
    assert handler.remembered() == 0


@pytest.fixture
def storm() -> Iterator[None]:
    """A thread that collects garbage all the time, and a collector that does it after every few objects as well."""
    over = threading.Event()

    def collect() -> None:
        while not over.is_set():
            gc.collect(0)

    before = gc.get_threshold()
    gc.set_threshold(5, 2, 2)
    thread = threading.Thread(target=collect)
    thread.start()
    yield
    over.set()
    thread.join()
    gc.set_threshold(*before)


class Holder:
    """Part of a cycle, so that only the garbage collector lets go of what it holds."""

    def __init__(self, held: Any) -> None:
        self.held, self.me = held, self


@needs_streams
@pytest.mark.usefixtures("storm")
def test_streams_in_a_storm_of_garbage_collection(attachment: Attachment) -> None:
    """A third is read, a third is left half-way in a cycle of garbage, a third is never read and left so."""
    asked = questions(60)
    streaming = echo_engine(streaming=True)

    def put(question: str) -> None:
        number = int(question[-6:-3])
        response = cast("Any", streaming.query(question))
        if number % 3 == 0:
            assert "".join(response.response_gen) == answer_about(question)
            return
        if number % 3 == 1:
            assert next(response.response_gen) == "It"
        Holder(response)

    with threads(4) as pool:
        list(pool.map(put, asked))
    gc.collect()
    assert attachment.flush(60) == 0
    runs = {str(run.question): run for run in runs_of(attachment)}
    assert sorted(runs) == asked
    for question, run in runs.items():
        number = int(question[-6:-3]) % 3
        if number == 0:
            assert is_right(run, "stream")
        else:
            assert (run.status, run.answer) == ("abandoned", "It" if number == 1 else None)
    assert set(left_in_tables(attachment).values()) == {0}


@pytest.mark.usefixtures("storm")
def test_chats_in_a_storm_of_garbage_collection(attachment: Attachment) -> None:
    asked = questions(30)
    with threads(4) as pool:
        said = list(pool.map(lambda question: "".join(echo_chat().stream_chat(question).response_gen), asked))
    assert said == [answer_about(question) for question in asked]
    assert attachment.flush(60) == 0
    assert all(is_right(run, "stream") for run in runs_of(attachment))
    assert set(left_in_tables(attachment).values()) == {0}
