"""A graph that stops to ask somebody, and goes on: two records, or one where that is asked for."""

import threading
from typing import Any, TypedDict

import pytest
from langchain_fakes import FakeChat, FakeRetriever, join
from usual_record import usual
from versions import needs_langgraph, since_langgraph
from whole_record import runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = [needs_langgraph, since_langgraph(0, 4)]

QUESTION = "Where does the Rhine turn?"
STAGE = f"1 retrieve FakeRetriever({QUESTION}): a b c"
WHOLE = usual(question=QUESTION, flags=("resumed",))
INTERRUPTED: dict[str, Any] = {
    "status": "interrupted",
    "question": QUESTION,
    "chunks": "a b c",
    "stages": [STAGE],
    "context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
    "context_source": "last_stage",
    "usage": "0 None>None",
}


class State(TypedDict, total=False):
    question: str
    docs: list[Any]
    answer: str


def graph(asks: int = 1, meet: threading.Barrier | None = None) -> Any:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import interrupt

    def retrieve(state: State) -> Any:
        if meet is not None:
            meet.wait(20)
        return {"docs": FakeRetriever().invoke(state["question"])}

    def approve(state: State) -> Any:
        for number in range(asks):
            interrupt(f"go on? {number}")
        return {}

    def generate(state: State) -> Any:
        messages = [("system", join(state["docs"])), ("human", state["question"])]
        return {"answer": FakeChat().invoke(messages).content}

    builder = StateGraph(State)
    for node in (retrieve, approve, generate):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "retrieve")
    builder.add_edge("retrieve", "approve")
    builder.add_edge("approve", "generate")
    builder.add_edge("generate", END)
    return builder.compile(checkpointer=InMemorySaver())


def go_on(app: Any, thread: str, handler: Any, **more: Any) -> Any:
    from langgraph.types import Command

    return app.invoke(Command(resume="yes"), config=config(thread, handler), **more)


def config(thread: str, handler: Any) -> Any:
    return {"callbacks": [handler], "configurable": {"thread_id": thread}}


@pytest.mark.parametrize("stream", [False, True])
def test_on_request_they_are_one_record(stream: bool) -> None:
    from langgraph.types import Command

    app = graph()
    with RagEvalCallbackHandler(resume_s=60) as handler:
        if stream:
            list(app.stream({"question": QUESTION}, config=config("t", handler)))
            assert handler.records == ()
            list(app.stream(Command(resume="yes"), config=config("t", handler), stream_mode="values"))
        else:
            app.invoke({"question": QUESTION}, config=config("t", handler))
            assert handler.records == ()
            assert handler.stats()["open"] == 1
            go_on(app, "t", handler)
        shown = whole(*runs_of(handler))
        shown.pop("metadata")
        assert shown == WHOLE
        assert handler.stats()["resumed"] == 1
        run = handler.last.run
        (search,) = run.stages
        assert run.duration_ms >= search.duration_ms


def test_it_may_stop_more_than_once() -> None:
    app = graph(asks=2)
    with RagEvalCallbackHandler(resume_s=60) as handler:
        app.invoke({"question": QUESTION}, config=config("t", handler))
        go_on(app, "t", handler)
        assert handler.records == ()
        go_on(app, "t", handler)
        shown = whole(*runs_of(handler))
        shown.pop("metadata")
        assert shown == WHOLE
        assert handler.stats()["resumed"] == 2


def test_threads_do_not_mix() -> None:
    app = graph()
    with RagEvalCallbackHandler(resume_s=60) as handler:
        for thread in "abc":
            app.invoke({"question": f"{thread}?"}, config=config(thread, handler))
        for thread in "cab":
            go_on(app, thread, handler)
        assert [(run.question, run.answer) for run in runs_of(handler)] == [
            (f"{thread}?", "It passes Basel [1].") for thread in "cab"
        ]


def test_another_question_in_the_thread_ends_the_waiting() -> None:
    app = graph()
    with RagEvalCallbackHandler(resume_s=60) as handler:
        app.invoke({"question": QUESTION}, config=config("t", handler))
        app.invoke({"question": "Another?"}, config=config("t", handler))
        (first,) = (record.run for record in handler.records)
        shown = whole(first)
        shown.pop("metadata")
        assert shown == INTERRUPTED
        go_on(app, "t", handler)
        assert [run.question for run in runs_of(handler)] == [QUESTION, "Another?"]


def test_who_never_goes_on_is_recorded_as_interrupted_in_the_end() -> None:
    app = graph()
    with RagEvalCallbackHandler(resume_s=60) as handler:
        app.invoke({"question": QUESTION}, config=config("t", handler))
        collector = handler.collector
        now = collector._clock()
        collector.sweep(now + 59)
        assert handler.stats()["open"] == 1
        collector.sweep(now + 61)
        shown = whole(*runs_of(handler))
        shown.pop("metadata")
        assert shown == INTERRUPTED
        go_on(app, "t", handler)
        assert [run.status for run in runs_of(handler)] == ["interrupted", "ok"]


def test_closing_records_what_waits_and_a_full_table_gives_it_up() -> None:
    app = graph()
    handler = RagEvalCallbackHandler(resume_s=60, max_open=2)
    for thread in "abc":
        app.invoke({"question": f"{thread}?"}, config=config(thread, handler))
    assert [(run.question, run.status) for run in (record.run for record in handler.records)] == [("a?", "interrupted")]
    handler.close()
    assert [(run.question, run.status) for run in runs_of(handler)] == [
        (f"{thread}?", "interrupted") for thread in "abc"
    ]
    assert handler.stats()["evicted"] == 0


def test_a_resume_that_fails_is_an_error() -> None:
    app = graph()
    with RagEvalCallbackHandler(resume_s=60) as handler:
        app.invoke({"question": QUESTION}, config=config("t", handler))
        app.nodes["generate"].bound.func = _fail
        with pytest.raises(KeyError):
            go_on(app, "t", handler)
        (run,) = runs_of(handler)
        assert (run.status, run.error, run.question, run.answer) == ("error", "KeyError", QUESTION, None)


def test_by_default_they_are_two_records() -> None:
    """Trap 19."""
    app = graph()
    with RagEvalCallbackHandler() as handler:
        app.invoke({"question": QUESTION}, config=config("t", handler))
        go_on(app, "t", handler)
        first, second = (whole(run) for run in runs_of(handler))
        assert first.pop("metadata") == second.pop("metadata") == {"thread_id": "t"}
        assert first == INTERRUPTED
        # The state that the graph returns is all that the second run shows of the search.
        expected = WHOLE | {"stages": ["1 retrieve LangGraph: a b c"]}
        del expected["flags"]
        assert second == expected


def _fail(_: Any) -> Any:
    raise KeyError("x")


def test_of_two_that_wait_in_one_thread_neither_is_taken_for_the_other() -> None:
    """Two graphs of the same name, or one asked twice at once: nothing says which of them a resume is for."""
    both = threading.Barrier(2)
    apps = [graph(meet=both), graph(meet=both)]
    with RagEvalCallbackHandler(resume_s=600) as handler:
        asked = [
            threading.Thread(target=app.invoke, args=({"question": text}, config("t", handler)))
            for app, text in zip(apps, ("One?", "Two?"), strict=True)
        ]
        for thread in asked:
            thread.start()
        for thread in asked:
            thread.join(20)
        both.abort()
        for app in apps:
            go_on(app, "t", handler)
        shown = sorted((run.question, run.status, run.answer, run.flags) for run in runs_of(handler))
        answered = ("ok", "It passes Basel [1].", ())
        assert shown == [
            ("One?", "interrupted", None, ()),
            ("One?", *answered),
            ("Two?", "interrupted", None, ()),
            ("Two?", *answered),
        ]


@pytest.mark.parametrize("resume_s", [None, 60])
def test_the_answer_in_the_state_to_an_earlier_question_is_none_to_this(resume_s: float | None) -> None:
    app = graph()
    with RagEvalCallbackHandler(resume_s=resume_s) as handler:
        app.invoke({"question": "Earlier?"}, config=config("t", handler))
        go_on(app, "t", handler)
        app.invoke({"question": QUESTION}, config=config("t", handler))
        handler.close()
        shown = whole(runs_of(handler)[-1])
        shown.pop("metadata")
        assert shown == INTERRUPTED


def test_what_a_task_found_before_it_was_interrupted_still_counts() -> None:
    """Its result comes from the checkpoint; a search of the interrupted function itself would run again."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.func import entrypoint, task
    from langgraph.types import interrupt

    @task
    def search(text: str) -> Any:
        return FakeRetriever().invoke(text)

    @entrypoint(checkpointer=InMemorySaver())
    def answer(text: str) -> Any:
        found = search(text).result()
        interrupt("go on?")
        return FakeChat().invoke([("system", join(found)), ("human", text)]).content

    with RagEvalCallbackHandler(resume_s=60) as handler:
        answer.invoke(QUESTION, config=config("t", handler))
        go_on(answer, "t", handler)
        (run,) = runs_of(handler)
        shown = whole(run)
        shown.pop("metadata")
        assert shown == WHOLE
