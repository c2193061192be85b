"""`with question(...)`: hand-written code around a retriever and a model is one question."""

import asyncio
import contextvars
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_fakes import TEXTS, USAGE, FakeChat, FakeRetriever, documents, join, rag
from usual_record import usual
from versions import needs_langgraph, since_langgraph
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks_langchain import RagEvalCallbackHandler, attach, detach, question

QUESTION = "Where does the Rhine turn?"
RECORD = usual(question=QUESTION, stages=["1 retrieve FakeRetriever(Rhine turn): a b c"])


def ask_by_hand(config: Any = None) -> Any:
    found = FakeRetriever().invoke("Rhine turn", config=config)
    return FakeChat().invoke([("system", join(found)), ("human", QUESTION)], config=config).content


def test_without_a_block_search_and_answer_are_two_records() -> None:
    with RagEvalCallbackHandler() as handler:
        ask_by_hand({"callbacks": [handler]})
        assert [(run.question, len(run.stages), run.usage.model_calls) for run in runs_of(handler)] == [
            ("Rhine turn", 1, 0),
            (QUESTION, 0, 1),
        ]


@pytest.mark.parametrize("given", [True, False], ids=["callbacks given", "nothing passed"])
def test_a_block_is_one_question(given: bool) -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler, tags=["prod"], metadata={"topic": "rivers"}):
            ask_by_hand({"callbacks": [handler]} if given else None)
        assert whole(only_run(handler)) == RECORD | {"tags": ("prod",), "metadata": {"topic": "rivers"}}


def test_it_takes_the_attached_handler_and_says_if_there_is_none() -> None:
    with pytest.raises(ConfigError, match=r"needs a handler"), question(QUESTION):
        pytest.fail("the block must not begin")
    with attach() as handler:
        with question(QUESTION):
            ask_by_hand()
        rag().invoke("Another?")
        assert [run.question for run in runs_of(handler)] == [QUESTION, "Another?"]
    detach()


def test_what_no_component_shows_is_told_by_hand() -> None:
    """Scenario live-14: documents that never reach a retriever event."""
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.documents(documents("ab"), query="Rhine")
            asked.generated("It turns in Basel [1].", prompt=join(documents("ab")[:1]), name="my model")
        assert whole(only_run(handler)) == {
            "question": QUESTION,
            "answer": "It turns in Basel [1].",
            "chunks": "a b",
            "stages": ["1 retrieve search(Rhine): a b"],
            "context": "a",
            "context_source": "prompt",
            "citations": {"rule": "prompt"},
            "usage": "1 None>None",
            "answer_usage": "1 None>None",
        }


def test_an_answer_set_by_hand_is_what_the_user_got() -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.documents([TEXTS["a"], "Cheese."])
            asked.answer = "It turns in Basel."
        run = only_run(handler)
        assert (run.answer, run.context_source, run.flags) == ("It turns in Basel.", "last_stage", ("no_model_events",))
        assert [chunk.text for chunk in run.context_chunks()] == [TEXTS["a"], "Cheese."]


def test_blocks_in_tasks_and_threads_do_not_mix() -> None:
    async def one(number: int, handler: RagEvalCallbackHandler) -> None:
        with question(f"T{number}?", handler) as asked:
            await asyncio.gather(
                FakeRetriever(find=lambda q: documents("ab")).ainvoke(f"T{number} first"),
                asyncio.to_thread(FakeRetriever(keys="c").invoke, f"T{number} second"),
            )
            asked.answer = f"T{number}."

    async def all_of_them(handler: RagEvalCallbackHandler) -> None:
        await asyncio.gather(*(one(number, handler) for number in range(20)))

    with RagEvalCallbackHandler() as handler:
        asyncio.run(all_of_them(handler))
        runs = {run.question: run for run in runs_of(handler)}
        assert sorted(runs) == sorted(f"T{number}?" for number in range(20))
        for number in range(20):
            run = runs[f"T{number}?"]
            assert {stage.query for stage in run.stages} == {f"T{number} first", f"T{number} second"}
            assert run.answer == f"T{number}."


def test_a_plain_thread_takes_part_in_a_copy_of_the_context() -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler):
            thread = threading.Thread(target=contextvars.copy_context().run, args=(ask_by_hand,))
            thread.start()
            thread.join()
        assert whole(only_run(handler)) == RECORD


def test_each_question_of_a_loop_in_a_captured_chain_is_a_record() -> None:
    def script(questions: list[str]) -> list[str]:
        answers = []
        for text in questions:
            with question(text, handler):
                answers.append(ask_by_hand())
        return answers

    with RagEvalCallbackHandler() as handler:
        RunnableLambda(script).invoke([QUESTION, "And then?"], config={"callbacks": [handler]})
        assert [whole(run) for run in runs_of(handler)] == [RECORD, RECORD | {"question": "And then?"}]


def test_a_block_in_a_block_is_a_question_of_its_own() -> None:
    with RagEvalCallbackHandler() as handler:
        with question("Outer?", handler) as outer:
            with question(QUESTION, handler):
                ask_by_hand()
            outer.documents(["Cheese."])
            outer.answer = "Outer."
        inner, outside = runs_of(handler)
        assert whole(inner) == RECORD
        assert (outside.question, outside.answer, len(outside.stages)) == ("Outer?", "Outer.", 1)


def test_an_error_passes_through_and_is_the_records() -> None:
    def fails(handler: RagEvalCallbackHandler) -> None:
        with question(QUESTION, handler):
            FakeRetriever().invoke("Rhine turn")
            raise KeyError("x")

    with RagEvalCallbackHandler() as handler:
        with pytest.raises(KeyError):
            fails(handler)
        assert whole(only_run(handler)) == {
            "status": "error",
            "error": "KeyError",
            "question": QUESTION,
            "chunks": "a b c",
            "stages": RECORD["stages"],
            "context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
            "context_source": "last_stage",
            "usage": "0 None>None",
        }


def test_a_task_that_outlives_its_block_asks_questions_of_its_own() -> None:
    async def serve(asked: "asyncio.Event", done: "asyncio.Event") -> None:
        await asked.wait()
        await rag().ainvoke("Later?")
        done.set()

    async def run(handler: RagEvalCallbackHandler) -> None:
        asked, done = asyncio.Event(), asyncio.Event()
        with question(QUESTION, handler):
            task = asyncio.create_task(serve(asked, done))
            ask_by_hand()
        asked.set()
        await done.wait()
        await task

    with RagEvalCallbackHandler() as handler:
        asyncio.run(run(handler))
        assert [run.question for run in runs_of(handler)] == [QUESTION, "Later?"]
        assert handler.stats()["late"] == 0


@pytest.mark.parametrize(
    ("found", "told"),
    [
        pytest.param(TEXTS["a"], [(None, TEXTS["a"], None)], id="one text"),
        pytest.param([TEXTS["a"], TEXTS["b"]], [(None, TEXTS["a"], None), (None, TEXTS["b"], None)], id="texts"),
        pytest.param(documents("a")[0], [("a", TEXTS["a"], None)], id="one document"),
        pytest.param(
            [(one, 0.5) for one in documents("ab")], [("a", TEXTS["a"], 0.5), ("b", TEXTS["b"], 0.5)], id="with scores"
        ),
        pytest.param([("Cheese.", 1)], [(None, "Cheese.", 1.0)], id="a text with a score"),
        pytest.param(
            [{"id": 7, "text": "Cheese.", "metadata": {"page": 3}}, {"content": "Milk.", "source": "m.txt"}],
            [("7", "Cheese.", None), (None, "Milk.", None)],
            id="mappings",
        ),
    ],
)
def test_what_was_found_by_hand(found: Any, told: list[Any]) -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.documents(found)
        run = only_run(handler)
        items = [(run.chunks[item.chunk], item.score) for item in run.stages[0].items]
        assert [
            (None if chunk.id.startswith("text-") else chunk.id, chunk.text, score) for chunk, score in items
        ] == told
        assert handler.stats()["malformed_item"] == 0


@pytest.mark.parametrize("found", [5, [5], [object()], {"text": "one mapping is no list"}, None])
def test_what_is_no_search_result_is_counted(found: Any) -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.documents(found)
        assert handler.stats()["malformed_item"] == 1
        assert only_run(handler).question == QUESTION


@pytest.mark.parametrize(
    "prompt",
    [
        join(documents("a")),
        [("system", join(documents("a"))), ("human", QUESTION)],
        [{"role": "user", "content": join(documents("a"))}],
        HumanMessage(join(documents("a"))),
        ChatPromptTemplate.from_messages([("human", "{context}")]).invoke({"context": join(documents("a"))}),
    ],
)
@pytest.mark.parametrize("said", ["It turns in Basel [1].", AIMessage("It turns in Basel [1].")])
def test_a_model_call_told_by_hand(said: Any, prompt: Any) -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.documents(documents("ab"))
            asked.generated(said, prompt)
        run = only_run(handler)
        assert (run.answer, run.context_source) == ("It turns in Basel [1].", "prompt")
        assert [chunk.id for chunk in run.context_chunks()] == ["a"]


def test_without_its_prompt_the_last_search_is_the_context() -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.documents(documents("ab"))
            asked.generated("The Rhine passes through Basel before it turns north [1].")
        run = only_run(handler)
        assert (run.context_source, [chunk.id for chunk in run.context_chunks()]) == ("last_stage", ["a", "b"])
        assert handler.last.evaluation.findings == ()


def test_an_answer_alone_is_a_record_and_where_nothing_was_seen_nothing_is_blamed() -> None:
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            asked.answer = "It turns in Basel [1]."
        run = only_run(handler)
        assert (run.question, run.answer, run.stages, run.retrieval_is_unseen) == (QUESTION, asked.answer, (), True)
        assert handler.last.evaluation.findings == ()


def test_a_generator_that_goes_on_in_another_context_is_no_error() -> None:
    """Starlette runs each step of a plain generator in a copy of the context."""

    def steps(handler: RagEvalCallbackHandler) -> Any:
        with question(QUESTION, handler) as asked:
            yield "thinking"
            asked.documents(documents("a"))
            yield ask_by_hand()

    with RagEvalCallbackHandler() as handler:
        generator = steps(handler)
        contextvars.copy_context().run(next, generator)
        contextvars.copy_context().run(next, generator)
        with pytest.raises(StopIteration):
            contextvars.copy_context().run(next, generator)
        run = only_run(handler)
        assert (run.question, [stage.name for stage in run.stages]) == (QUESTION, ["search"])


def test_a_misspelt_attribute_and_a_wrong_handler_are_told() -> None:
    with RagEvalCallbackHandler() as handler:
        with pytest.raises(AttributeError), question(QUESTION, handler) as asked:
            asked.answers = "lost"  # type: ignore[attr-defined]
        with pytest.raises(ConfigError, match="expected a RagEvalCallbackHandler as the handler, got 'x'"):
            question(QUESTION, "x")  # type: ignore[arg-type]
        with question(QUESTION, handler, tags="prod"):
            pass
        assert [run.tags for run in runs_of(handler)] == [(), ("prod",)]


def test_messages_may_be_given_where_texts_are_meant() -> None:
    """An answer as the model returned it, and a call of a model that LangChain does not run."""
    prompt = [("system", join(documents("ab"))), ("human", QUESTION)]
    with RagEvalCallbackHandler() as handler:
        with question(HumanMessage(QUESTION), handler) as asked:
            asked.documents(documents("ab"), "Rhine turn", "FakeRetriever")
            asked.answer = FakeChat().invoke(prompt)
        with question(QUESTION, handler) as asked:
            asked.documents(documents("ab"), "Rhine turn", "FakeRetriever")
            asked.generated(
                AIMessage("It passes Basel [1].", usage_metadata={**USAGE}),
                ChatPromptTemplate.from_messages(prompt).invoke({}),
            )
        record = RECORD | {
            "chunks": "a b",
            "stages": ["1 retrieve FakeRetriever(Rhine turn): a b"],
            "context": "a b",
        }
        assert [whole(run) for run in runs_of(handler)] == [record, record]


def test_blocks_in_generators_end_out_of_turn() -> None:
    """Two streams of one thread, of which the one that began first ends first."""

    def stream(text: str, handler: RagEvalCallbackHandler) -> Iterator[str]:
        with question(text, handler):
            yield FakeChat().invoke(f"About {text}").content

    with RagEvalCallbackHandler() as handler:
        first, second = stream("First?", handler), stream("Second?", handler)
        next(first)
        next(second)
        first.close()
        with question(QUESTION, handler):
            second.close()
            ask_by_hand()
        FakeChat().invoke("Nobody's.")
        runs = runs_of(handler)
        assert [(run.question, run.status, run.usage.model_calls) for run in runs[:2]] == [
            ("First?", "abandoned", 1),
            ("Second?", "abandoned", 1),
        ]
        assert [whole(run) for run in runs[2:]] == [RECORD]


@needs_langgraph
@since_langgraph(0, 4)
def test_a_graph_that_stops_and_goes_on_in_a_block_is_not_interrupted() -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command, interrupt

    builder = StateGraph(dict)
    builder.add_node("ask", lambda _: {"said": interrupt("go on?")})
    builder.add_edge(START, "ask")
    app = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    with RagEvalCallbackHandler() as handler:
        with question(QUESTION, handler) as asked:
            app.invoke({"said": ""}, config=config)
            app.invoke(Command(resume="yes"), config=config)
            asked.answer = ask_by_hand()
        with question(QUESTION, handler):
            ask_by_hand()
            app.invoke({"said": ""}, config=config)
        went_on, stopped = runs_of(handler)
        assert whole(went_on) == RECORD
        assert whole(stopped) == RECORD | {"status": "interrupted", "llm_complete": True}
