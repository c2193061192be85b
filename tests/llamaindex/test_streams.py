"""A streamed answer is what it would be without us, whoever reads it and however; the record is whole when it is read.

How streams end that are not read to the end is in `test_stream_ends.py`, chat engines in `test_chat_streams.py`.
"""

import asyncio
import threading
from collections.abc import Callable
from inspect import isasyncgen, isgenerator
from typing import Any

import pytest
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.query_engine import RetryQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step
from llamaindex_engines import router
from llamaindex_expected import expected, streamed
from llamaindex_fakes import ANSWER, LONG, QUESTION, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment, attach, question
from rag_eval_hooks_llamaindex.handler import remembered

RECORD = streamed(answer=LONG)


def streaming(**options: Any) -> Any:
    return engine(LONG, streaming=True, **options)


def in_thread(work: Callable[[], Any]) -> Any:
    """What a piece of work returns in a thread of its own, which has nothing of the asker's context."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join(20)
    return found[0]


# Ways to read --------------------------------------------------------------------------------------------------------


def _printed(response: Any) -> None:
    response.print_response_stream()


READERS: dict[str, Callable[[Any], Any]] = {
    "generator": lambda response: list(response.response_gen),
    "str": str,
    "get_response": lambda response: response.get_response().response,
    "printed": _printed,
    "str twice": lambda response: (str(response), str(response)),
    "thread": lambda response: in_thread(lambda: list(response.response_gen)),
    "half here, half in a thread": lambda response: [
        next(response.response_gen),
        *in_thread(lambda: list(response.response_gen)),
    ],
}


async def _all(stream: Any) -> list[Any]:
    return [item async for item in stream]


async def _got(response: Any) -> Any:
    return (await response.get_response()).response


async def _half_in_a_task(response: Any) -> list[Any]:
    return [await anext(response.response_gen), *await asyncio.create_task(_all(response.response_gen))]


ASYNC_READERS: dict[str, Callable[[Any], Any]] = {
    "generator": lambda response: _all(response.response_gen),
    "async_response_gen": lambda response: _all(response.async_response_gen()),
    "get_response": _got,
    "printed": lambda response: response.print_response_stream(),
    "task": lambda response: asyncio.create_task(_all(response.response_gen)),
    "half here, half in a task": _half_in_a_task,
    "str": lambda response: asyncio.to_thread(str, response),
}


def all_of(response: Any, read: Any, capsys: pytest.CaptureFixture[str]) -> tuple[Any, ...]:
    """All that a reader can know: what he read, what was printed, and what is in the response afterwards."""
    text = response.response_txt
    return read, capsys.readouterr().out, text, response.source_nodes, response.metadata


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_gets_what_he_would_get_without_us(reader: str, capsys: pytest.CaptureFixture[str]) -> None:
    def ask() -> tuple[Any, ...]:
        response = streaming().query(QUESTION)
        assert isgenerator(response.response_gen)
        return all_of(response, READERS[reader](response), capsys)

    without = ask()
    with attach() as attachment:
        assert ask() == without
        run = only_run(attachment)
        assert remembered() == 0
    assert whole(run) == RECORD
    assert run.time_to_first_token_ms is not None


@pytest.mark.parametrize("reader", ASYNC_READERS)
def test_an_async_reader_gets_what_he_would_get_without_us(reader: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def ask() -> tuple[Any, ...]:
        response = await streaming().aquery(QUESTION)
        assert isasyncgen(response.response_gen)
        return all_of(response, await ASYNC_READERS[reader](response), capsys)

    without = asyncio.run(ask())
    with attach() as attachment:
        assert asyncio.run(ask()) == without
        run = only_run(attachment)
        assert remembered() == 0
    assert whole(run) == RECORD
    assert run.time_to_first_token_ms is not None


def test_an_answer_is_read_in_another_event_loop_than_it_was_asked_for_in(attachment: Attachment) -> None:
    response = asyncio.run(streaming().aquery(QUESTION))
    assert asyncio.run(response.get_response()).response == LONG
    assert whole(only_run(attachment)) == RECORD


def test_there_is_no_record_before_the_last_token(attachment: Attachment) -> None:
    stream = streaming().query(QUESTION).response_gen
    text = next(stream)
    assert attachment.records == ()
    assert text + "".join(stream) == LONG
    assert whole(only_run(attachment)) == RECORD


# Several at once -----------------------------------------------------------------------------------------------------


def test_two_streams_read_in_turn_do_not_mix(attachment: Attachment) -> None:
    first = engine("Basel it is.", streaming=True).query("First?").response_gen
    second = engine(LONG, streaming=True).query("Second?").response_gen
    assert [next(second), *first, *second]
    records = {run.question: whole(run) for run in runs_of(attachment)}
    assert records == {
        "First?": streamed(question="First?", answer="Basel it is."),
        "Second?": streamed(question="Second?", answer=LONG),
    }


def test_streams_of_many_tasks_do_not_mix(attachment: Attachment) -> None:
    count = 20

    async def ask(number: int) -> None:
        response = await engine(f"Answer {number} it is.", streaming=True).aquery(f"Q{number}?")
        async for _ in response.response_gen:
            await asyncio.sleep(0)  # let the others go on

    async def all_at_once() -> None:
        await asyncio.gather(*(ask(number) for number in range(count)))

    asyncio.run(all_at_once())
    records = {run.question: whole(run) for run in runs_of(attachment)}
    assert records == {
        f"Q{number}?": streamed(question=f"Q{number}?", answer=f"Answer {number} it is.") for number in range(count)
    }


def test_questions_asked_while_a_stream_is_read_are_their_own(attachment: Attachment) -> None:
    stream = streaming().query(QUESTION).response_gen
    for place, _ in enumerate(stream):
        if place == 0:
            assert str(engine().query("Between?"))
    between, outer = runs_of(attachment)
    assert (between.question, between.usage.model_calls) == ("Between?", 1)
    assert whole(outer) == RECORD


# Engines around engines ----------------------------------------------------------------------------------------------


def test_a_router_hands_on_the_stream_of_the_engine_it_chose(attachment: Attachment) -> None:
    asked = router(engine(), streaming())
    assert "".join(asked.query(QUESTION).response_gen) == LONG  # type: ignore[union-attr,arg-type]
    assert whole(only_run(attachment)) == streamed(answer=LONG, usage="2 100>5")


class Judge(BaseEvaluator):
    """Finds every answer good."""

    def _get_prompts(self) -> Any:
        return {}

    def _update_prompts(self, prompts: Any) -> None: ...

    async def aevaluate(self, **_: Any) -> EvaluationResult:
        return EvaluationResult(passing=True)

    def evaluate_response(self, query: Any = None, response: Any = None, **_: Any) -> EvaluationResult:
        assert isinstance(response, Response)
        return EvaluationResult(passing=True)


def test_a_stream_that_was_read_inside_is_over_when_the_query_is(attachment: Attachment) -> None:
    """The engine has looked at the answer, so that the text is in the response and nobody need read its generator."""
    response = RetryQueryEngine(streaming(), Judge()).query(QUESTION)
    assert whole(only_run(attachment)) == RECORD
    assert str(response) == LONG


class Passing(Workflow):
    """Returns the response of a query engine that streams."""

    @step
    async def ask(self, ev: StartEvent) -> StopEvent:
        if ev.at_once:
            return StopEvent(result=streaming().query(ev.question))
        return StopEvent(result=await streaming().aquery(ev.question))


@pytest.mark.parametrize("at_once", [True, False])
def test_a_workflow_returns_a_stream(attachment: Attachment, at_once: bool) -> None:
    async def ask() -> str:
        response: Any = await Passing(timeout=20).run(question=QUESTION, at_once=at_once)
        assert attachment.records == ()
        return "".join(list(response.response_gen) if at_once else await _all(response.response_gen))

    assert asyncio.run(ask()) == LONG
    assert whole(only_run(attachment)) == RECORD


class Objects(BaseQueryEngine):
    """Streams the objects that its model's answer is put into, piece by piece."""

    def _get_prompt_modules(self) -> Any:
        return {}

    def _query(self, query_bundle: QueryBundle) -> Any:
        FakeRetriever().retrieve(query_bundle)
        said = FakeLLM().complete("\n\n".join(TEXTS[key] for key in "abc")).text
        return StreamingResponse({"answer": said[:end]} for end in (2, None))  # type: ignore[arg-type]

    async def _aquery(self, query_bundle: QueryBundle) -> Any:
        return self._query(query_bundle)


def test_a_stream_of_objects_has_the_models_text_as_its_answer(attachment: Attachment) -> None:
    pieces: Any = list(Objects(None).query(QUESTION).response_gen)  # type: ignore[union-attr,arg-type]
    assert pieces[-1] == {"answer": ANSWER}
    assert whole(only_run(attachment)) == expected()


# In a block, and without taps ----------------------------------------------------------------------------------------


def test_a_stream_in_a_question_block(attachment: Attachment) -> None:
    with question("In other words?"):
        assert str(streaming().query(QUESTION)) == LONG
    record = streamed(question="In other words?", answer=LONG)
    record["stages"] = [f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7"]
    assert whole(only_run(attachment)) == record


def test_a_synthesizer_streams_in_a_question_block(attachment: Attachment) -> None:
    synthesizer = streaming()._response_synthesizer
    with question(QUESTION) as asked:
        asked.nodes(nodes("ab"), name="FakeRetriever")
        assert str(synthesizer.synthesize(QUESTION, nodes("ab"))) == LONG
    assert whole(only_run(attachment)) == streamed(
        answer=LONG, chunks="a b", stages=[f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8"], context="a b"
    )


@pytest.mark.parametrize("way", ["sync", "async"])
def test_without_taps_a_stream_belongs_to_what_was_asked_in_the_same_context(way: str) -> None:
    async def ask() -> str:
        response = await streaming().aquery(QUESTION)
        return "".join(await _all(response.response_gen))

    with attach(tap_streams=False) as attachment:
        said = asyncio.run(ask()) if way == "async" else "".join(streaming().query(QUESTION).response_gen)
        assert said == LONG
        run = only_run(attachment)
    assert whole(run) == RECORD
    assert run.time_to_first_token_ms is not None


def test_without_taps_a_tag_tells_what_a_stream_belongs_to() -> None:
    """It was asked for and is read in two threads, and other questions are asked in between."""
    from llama_index.core.instrumentation.dispatcher import instrument_tags

    def ask(tag: str) -> Any:
        with instrument_tags({"rag_eval:question": tag}):
            return engine(f"Answer {tag} it is.", streaming=True).query(f"{tag}?")

    def read(tag: str, response: Any) -> str:
        with instrument_tags({"rag_eval:question": tag}):
            return "".join(response.response_gen)

    with attach(tap_streams=False) as attachment:
        responses = {tag: in_thread(lambda tag=tag: ask(tag)) for tag in ("one", "two")}
        for tag in responses:
            assert in_thread(lambda tag=tag: read(tag, responses[tag])) == f"Answer {tag} it is."
        assert {run.question: whole(run) for run in runs_of(attachment)} == {
            f"{tag}?": streamed(question=f"{tag}?", answer=f"Answer {tag} it is.") for tag in responses
        }
        assert remembered() == 0


def test_two_hooks_tap_one_stream() -> None:
    asked = streaming()
    with attach() as everything, attach(engine=asked, keep=10) as own:
        assert str(asked.query(QUESTION)) == LONG
        assert whole(only_run(everything)) == RECORD
        assert whole(only_run(own)) == RECORD


def test_only_some_tap(attachment: Attachment) -> None:
    """Of two attachments with the same hooks, each decides for its own engine."""
    tapped, untapped = streaming(), streaming()
    with attach(attachment.hooks, tapped), attach(engine=untapped, tap_streams=False) as own:
        generator = untapped.query(QUESTION).response_gen
        assert generator.gi_code.co_name == "_read"  # for the process-wide attachment
        assert "".join(generator) == LONG
        assert whole(only_run(own)) == RECORD
        assert whole(only_run(attachment)) == RECORD
    with attach(engine=untapped, tap_streams=False) as own:
        attachment.detach()
        assert untapped.query(QUESTION).response_gen.gi_code.co_name != "_read"
