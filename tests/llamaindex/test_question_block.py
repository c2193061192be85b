"""`with question(...)`: hand-written code around a retriever and a model of LlamaIndex is one question."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, CompletionResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.schema import NodeWithScore, TextNode
from llamaindex_expected import expected, unread
from llamaindex_fakes import ANSWER, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks_llamaindex import Attachment, attach, question, suppress_capture

QUESTION = "Where does the Rhine turn?"
STAGE = "1 retrieve FakeRetriever(Rhine turn): a=0.9 b=0.8 c=0.7"
RECORD = expected(question=QUESTION, stages=[STAGE])


def prompt(found: list[NodeWithScore]) -> list[ChatMessage]:
    told = "\n\n".join(node.get_content() for node in found)
    return [ChatMessage(role="system", content=told), ChatMessage(role="user", content=QUESTION)]


def ask_by_hand() -> str:
    return str(FakeLLM().chat(prompt(FakeRetriever().retrieve("Rhine turn"))).message.content)


async def aask_by_hand() -> str:
    return str((await FakeLLM().achat(prompt(await FakeRetriever().aretrieve("Rhine turn")))).message.content)


# What belongs to it --------------------------------------------------------------------------------------------------


def test_without_a_block_only_the_search_is_a_record(attachment: Attachment) -> None:
    ask_by_hand()
    assert whole(only_run(attachment)) == unread(question="Rhine turn", stages=[STAGE])


def test_a_block_is_one_question(attachment: Attachment) -> None:
    with question(QUESTION, tags=["prod"], metadata={"topic": "rivers"}):
        assert ask_by_hand() == ANSWER
    assert whole(only_run(attachment)) == RECORD | {"tags": ("prod",), "metadata": {"topic": "rivers"}}


def test_a_block_in_async_code(attachment: Attachment) -> None:
    async def ask() -> None:
        with question(QUESTION):
            assert await aask_by_hand() == ANSWER

    asyncio.run(ask())
    assert whole(only_run(attachment)) == RECORD


def test_engines_in_a_block_are_parts_of_its_question(attachment: Attachment) -> None:
    with question(QUESTION) as asked:
        first = engine("First.", keys="ab").query("One?")
        second = engine("Second.", keys="c").query("Two?")
        asked.answer = f"{first} {second}"
    run = only_run(attachment)
    assert (run.question, run.answer, run.usage.model_calls) == (QUESTION, "First. Second.", 2)
    assert [(stage.round, stage.query) for stage in run.stages] == [(1, "One?"), (2, "Two?")]
    assert [chunk.id for chunk in run.chunks] == ["a", "b", "c"]


def test_blocks_in_tasks_and_threads_do_not_mix(attachment: Attachment) -> None:
    async def one(number: int) -> None:
        with question(f"T{number}?") as asked:
            await asyncio.gather(
                FakeRetriever("ab").aretrieve(f"T{number} first"),
                asyncio.to_thread(FakeRetriever("c").retrieve, f"T{number} second"),
            )
            asked.answer = f"T{number}."

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(all_of_them())
    runs = {run.question: run for run in runs_of(attachment)}
    assert sorted(runs) == sorted(f"T{number}?" for number in range(20))
    for number in range(20):
        run = runs[f"T{number}?"]
        assert {stage.query for stage in run.stages} == {f"T{number} first", f"T{number} second"}
        assert run.answer == f"T{number}."


def test_a_plain_thread_takes_part_in_a_copy_of_the_context(attachment: Attachment) -> None:
    with question(QUESTION):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(ask_by_hand,))
        thread.start()
        thread.join(20)
    assert whole(only_run(attachment)) == RECORD


def test_a_block_inside_a_span_of_the_users(attachment: Attachment) -> None:
    """Each question of a loop is one, although all of them run in the same span."""
    dispatcher = get_dispatcher("tests")

    @dispatcher.span  # type: ignore[misc]
    def script() -> None:
        for text in (QUESTION, "And then?"):
            with question(text):
                ask_by_hand()

    script()
    assert [whole(run) for run in runs_of(attachment)] == [RECORD, RECORD | {"question": "And then?"}]


def test_a_block_around_a_span_of_the_users(attachment: Attachment) -> None:
    dispatcher = get_dispatcher("tests")
    ask = dispatcher.span(ask_by_hand)
    with question(QUESTION):
        ask()
    assert whole(only_run(attachment)) == RECORD


def test_a_block_in_a_block_is_a_question_of_its_own(attachment: Attachment) -> None:
    with question("Outer?") as outer:
        with question(QUESTION):
            ask_by_hand()
        outer.nodes(["Cheese."])
        outer.answer = "Outer."
    inner, outside = runs_of(attachment)
    assert whole(inner) == RECORD
    assert (outside.question, outside.answer, len(outside.stages)) == ("Outer?", "Outer.", 1)


def test_a_block_for_one_engine_belongs_to_its_attachment_alone() -> None:
    asked = engine()
    with attach() as everything, attach(engine=asked, keep=10) as own:
        with question(QUESTION, own):
            ask_by_hand()
        assert whole(only_run(own)) == RECORD
        # For the others it is no block: the search is a question of its own.
        assert whole(only_run(everything)) == unread(question="Rhine turn", stages=[STAGE])


def test_blocks_of_two_attachments_around_the_same_code() -> None:
    with attach() as everything, attach(engine=engine(), keep=10) as own:
        with question("Everything?", everything), question(QUESTION, own):
            ask_by_hand()
        assert whole(only_run(own)) == RECORD
        assert whole(only_run(everything)) == RECORD | {"question": "Everything?"}


def test_a_task_that_outlives_its_block_asks_questions_of_its_own(attachment: Attachment) -> None:
    async def run() -> None:
        ended = asyncio.Event()

        async def serve() -> None:
            await ended.wait()
            await engine().aquery("Later?")

        with question(QUESTION):
            task = asyncio.create_task(serve())
            ask_by_hand()
        ended.set()
        await task

    asyncio.run(run())
    assert [whole(one) for one in runs_of(attachment)] == [RECORD, expected(question="Later?")]
    assert attachment.stats()["late"] == 0


def test_blocks_in_generators_end_out_of_turn(attachment: Attachment) -> None:
    def stream(text: str) -> Iterator[Any]:
        with question(text):
            yield FakeLLM().complete(f"About {text}").text

    first, second = stream("First?"), stream("Second?")
    next(first)
    next(second)
    first.close()  # type: ignore[attr-defined]
    with question(QUESTION):
        second.close()  # type: ignore[attr-defined]
        ask_by_hand()
    FakeLLM().complete("Nobody's.")
    runs = runs_of(attachment)
    assert [(run.question, run.status, run.usage.model_calls) for run in runs[:2]] == [
        ("First?", "abandoned", 1),
        ("Second?", "abandoned", 1),
    ]
    assert [whole(run) for run in runs[2:]] == [RECORD]


def test_an_error_passes_through_and_is_the_records(attachment: Attachment) -> None:
    def fails() -> None:
        with question(QUESTION):
            FakeRetriever().retrieve("Rhine turn")
            raise KeyError("x")

    with pytest.raises(KeyError):
        fails()
    assert whole(only_run(attachment)) == unread(question=QUESTION, stages=[STAGE]) | {
        "status": "error",
        "error": "KeyError",
    }


def test_in_suppress_capture_a_block_is_no_question(attachment: Attachment) -> None:
    with suppress_capture(), question("Warm up?") as asked:
        asked.nodes(["Cheese."])
        ask_by_hand()
    assert attachment.records == ()
    assert attachment.stats()["suppressed"] > 0


# What is told by hand ------------------------------------------------------------------------------------------------


def test_what_no_component_shows_is_told_by_hand(attachment: Attachment) -> None:
    with question(QUESTION) as asked:
        asked.nodes(nodes("ab"), query="Rhine")
        asked.generated("It turns in Basel [1].", prompt=prompt(nodes("a")), name="my model")
    assert whole(only_run(attachment)) == expected(
        question=QUESTION,
        answer="It turns in Basel [1].",
        chunks="a b",
        stages=["1 retrieve search(Rhine): a=0.9 b=0.8"],
        context="a",
        usage="1 None>None",
        answer_usage="1 None>None",
    )


@pytest.mark.parametrize(
    ("found", "stage"),
    [
        pytest.param(nodes("ab"), "a=0.9 b=0.8", id="nodes with scores"),
        pytest.param([TextNode(id_=key, text=TEXTS[key]) for key in "ab"], "a b", id="nodes without"),
        pytest.param([(node.node, 0.5) for node in nodes("ab")], "a=0.5 b=0.5", id="pairs"),
        pytest.param([{"id": key, "text": TEXTS[key]} for key in "ab"], "a b", id="mappings"),
        pytest.param([{"id": key, "page_content": TEXTS[key]} for key in "ab"], "a b", id="other mappings"),
    ],
)
def test_searches_in_other_shapes(attachment: Attachment, found: Any, stage: str) -> None:
    with question(QUESTION) as asked:
        asked.nodes(found)
        asked.answer = "It turns in Basel."
    run = only_run(attachment)
    shown = whole(run)
    assert shown["stages"] == [f"1 retrieve search({QUESTION}): {stage}"]
    assert [chunk.text for chunk in run.chunks] == [TEXTS["a"], TEXTS["b"]]
    assert (shown["answer"], shown["flags"]) == ("It turns in Basel.", ("no_model_events",))


@pytest.mark.parametrize("found", [None, 3, object(), [None, 3, object()], iter(["text"])])
def test_what_is_no_search_does_no_harm(attachment: Attachment, found: Any, caught: list[Exception]) -> None:
    with question(QUESTION) as asked:
        asked.nodes(found)
        asked.answer = "It turns in Basel."
    run = only_run(attachment)
    assert (run.question, run.answer, run.status) == (QUESTION, "It turns in Basel.", "ok")
    assert attachment.stats()["malformed_item"] == (3 if isinstance(found, list) else 1)
    caught.clear()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda: ANSWER, id="text"),
        pytest.param(lambda: ChatMessage(role="assistant", content=ANSWER), id="message"),
        pytest.param(lambda: FakeLLM().chat([ChatMessage(role="user", content="?")]), id="chat response"),
        pytest.param(lambda: CompletionResponse(text=ANSWER), id="completion response"),
        pytest.param(lambda: engine().query("?"), id="engine's response"),
    ],
)
def test_an_answer_may_be_any_object_that_holds_one(attachment: Attachment, answer: Callable[[], Any]) -> None:
    with suppress_capture():
        said = answer()
    with question(ChatMessage(role="user", content=QUESTION)) as asked:
        asked.nodes(nodes("ab"))
        asked.answer = said
    run = only_run(attachment)
    assert (run.question, run.answer) == (QUESTION, ANSWER)


def test_what_went_wrong_in_using_it_is_said() -> None:
    with pytest.raises(ConfigError, match=r"needs an attachment: give one .* or call attach\(\)"), question(QUESTION):
        pytest.fail("the block must not begin")
    with pytest.raises(ConfigError, match="expected what attach"):
        question(QUESTION, "x")  # type: ignore[arg-type]
    with attach(engine=engine()), pytest.raises(ConfigError, match="needs an attachment"):
        question(QUESTION)
    with attach(), question(QUESTION) as asked, pytest.raises(AttributeError):
        asked.anwser = "misspelt"  # type: ignore[attr-defined]
