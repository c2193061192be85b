"""The pipeline must not notice us: no exceptions, no blocking, no changed objects, no secrets kept."""

import asyncio
import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.documents import Document
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, join, rag

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Gold
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

ANSWER = "It passes Basel [1]."


class ListSink:
    def __init__(self) -> None:
        self.records: list[Any] = []
        self.flushed = self.closed = 0

    def write(self, run: Any, evaluation: Any) -> None:
        self.records.append((run, evaluation))

    def flush(self) -> None:
        self.flushed += 1

    def close(self) -> None:
        self.closed += 1


class RaisingSink(ListSink):
    def write(self, run: Any, evaluation: Any) -> None:
        raise OSError("disk full")


class BlockingSink(ListSink):
    def __init__(self) -> None:
        super().__init__()
        self.entered, self.release = threading.Event(), threading.Event()

    def write(self, run: Any, evaluation: Any) -> None:
        self.entered.set()
        assert self.release.wait(30)
        super().write(run, evaluation)


def test_a_copy_is_the_same_handler_and_a_pickle_is_switched_off() -> None:
    with RagEvalCallbackHandler() as handler:
        chain = copy.deepcopy(rag().with_config(callbacks=[handler]))
        assert chain.config["callbacks"][0] is handler is copy.copy(handler)
        assert chain.invoke("Q?") == ANSWER
        assert len(handler.records) == 1

        inert = pickle.loads(pickle.dumps(handler))  # noqa: S301  our own bytes
        assert rag().invoke("Q?", config={"callbacks": [inert]}) == ANSWER
        assert list(rag().stream("Q?", config={"callbacks": [inert]}))
        assert inert.last is None
        assert (inert.flush(), inert.close()) == (0, 0)


def test_changes_after_the_event_do_not_reach_the_record() -> None:
    def vandal(found: list[Document]) -> str:
        text = join(found)
        for document in found:
            document.metadata.update(score=1.0, source="changed")
            document.page_content = "changed"
        found.reverse()
        return text

    inputs: dict[str, Any] = {"question": "Q?", "messages": [HumanMessage("Q?")]}
    inner = rag(pack=vandal)

    def run(data: dict[str, Any]) -> dict[str, Any]:
        answer = {"answer": inner.invoke(data["question"])}
        data["question"] = "changed"
        return answer

    with RagEvalCallbackHandler() as handler:
        answer = RunnableLambda(run).invoke(inputs, config={"callbacks": [handler]})
        answer["answer"] = "changed"
        record = handler.last.run
    assert (record.question, record.answer) == ("Q?", ANSWER)
    assert [(c.id, c.text, c.metadata) for c in record.chunks] == [(k, TEXTS[k], {"source": f"{k}.txt"}) for k in "abc"]
    assert [item.score for item in record.stages[0].items] == [None, None, None]


def test_we_change_nothing() -> None:
    found = documents("ab")
    before = [document.model_copy(deep=True) for document in found]
    metadata = {"topic": {"a": [1]}}
    with RagEvalCallbackHandler() as handler:
        retriever = FakeRetriever(find=lambda _: found)
        assert retriever.invoke("Q?", config={"callbacks": [handler], "metadata": metadata}) is found
        assert handler.last is not None
    assert found == before
    assert metadata == {"topic": {"a": [1]}}


def test_a_failing_sink_is_counted_and_does_not_stop_the_others(caught: list[Exception]) -> None:
    good = ListSink()
    with RagEvalCallbackHandler(sinks=[RaisingSink(), good]) as handler:
        assert rag().invoke("Q?", config={"callbacks": [handler]}) == ANSWER
        assert handler.flush() == 0
        assert [run.answer for run, _ in good.records] == [ANSWER]
        stats = handler.stats()
        assert (stats["sink_error"], stats["written"], stats["evaluated"]) == (1, 1, 1)
        assert good.flushed == 1
    assert good.closed == 1
    assert [str(error) for error in caught] == ["disk full"]
    caught.clear()


def test_a_blocked_sink_fills_the_queue_and_the_newest_are_dropped() -> None:
    sink = BlockingSink()
    handler = RagEvalCallbackHandler(sinks=[sink], queue_items=3)
    for number in range(10):
        assert rag().invoke(f"Q{number}?", config={"callbacks": [handler]}) == ANSWER
        if number == 0:
            assert handler.flush(0) == 1  # somebody waits for it, so that the worker starts at once
            assert sink.entered.wait(20)
    stats = handler.stats()
    assert (stats["submitted"], stats["queue_full"], stats["queued"]) == (10, 7, 3)
    assert handler.flush(0) == 3
    sink.release.set()
    assert handler.close() == 0
    assert [run.question for run, _ in sink.records] == ["Q0?", "Q1?", "Q2?"]
    stats = handler.stats()
    assert stats["submitted"] == stats["evaluated"] + stats["queue_full"]


def test_a_failing_evaluation_is_counted(caught: list[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: Any) -> Any:
        raise RuntimeError("evaluation")

    monkeypatch.setattr("rag_eval_hooks.hooks.evaluate", explode)
    with RagEvalCallbackHandler() as handler:
        assert rag().invoke("Q?", config={"callbacks": [handler]}) == ANSWER
        assert handler.last is None
        assert handler.stats()["failed_evaluation"] == 1
    caught.clear()


def test_labels_come_from_the_users_function(caught: list[Exception]) -> None:
    def gold(run: Any) -> Gold | None:
        if run.question == "bad?":
            raise LookupError
        return Gold(relevance={"a": 1.0})

    with RagEvalCallbackHandler(k=2, gold=gold) as handler:
        for question in ("Q?", "bad?"):
            rag().invoke(question, config={"callbacks": [handler]})
        first, second = (record.run for record in handler.records)
        assert (first.k, first.gold) == (2, Gold(relevance={"a": 1.0}))
        assert (second.k, second.gold) == (2, None)
        assert handler.stats()["gold_error"] == 1
    caught.clear()


def test_events_without_a_description_or_with_odd_objects() -> None:
    with RagEvalCallbackHandler() as handler:
        root, search, model = uuid4(), uuid4(), uuid4()
        handler.on_chain_start(None, None, run_id=root, name="root", new_argument=1)
        handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name="store")
        handler.on_retriever_end([Document(page_content="text")], run_id=search, parent_run_id=root)
        handler.on_chat_model_start({"id": ["a", "Chat"]}, [[HumanMessage("text")]], run_id=model, parent_run_id=root)
        handler.on_llm_new_token("", run_id=model)
        handler.on_llm_new_token([{"type": "text", "text": "Hi"}], run_id=model)
        handler.on_llm_error(ValueError("x"), run_id=model)
        handler.on_chain_end(object(), run_id=root)
        handler.on_chain_end({}, run_id=uuid4())
        handler.on_tool_end("never started", run_id=uuid4())
        run = handler.last.run
    assert run.stages[0].name == "store"
    assert (run.question, run.chunks[0].id) == ("Q?", "text-982d9e3eb996")
    assert run.answer == "Hi"  # the output is no text, so what the model said


def test_odd_metadata_becomes_plain_and_secrets_stay_out(tmp_path: Path) -> None:
    class Angry:
        def __repr__(self) -> str:
            raise RuntimeError

    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    with (tmp_path / "file").open("w") as file:
        metadata = {
            "topic": "rivers",
            "day": date(2026, 11, 30),
            "lock": threading.Lock(),
            "file": file,
            "angry": Angry(),
            "cyclic": cyclic,
            "Authorization": "Bearer SECRET1",
            "servers": [{"authorization_token": "SECRET2", "url": "u"}],
            "api_key": "SECRET3",
        }
        model = FakeChat().bind(api_key="SECRET4", headers={"Authorization": "SECRET5"})
        with RagEvalCallbackHandler() as handler:
            rag(model).invoke("Q?", config={"callbacks": [handler], "metadata": metadata})
            captured = handler.last
    stored = captured.run.model_dump_json() + captured.evaluation.model_dump_json()
    assert "SECRET" not in stored
    assert captured.run.metadata["topic"] == "rivers"
    assert captured.run.metadata["day"] == "2026-11-30"
    assert captured.run.metadata["servers"] == [{"url": "u"}]
    assert metadata["api_key"] == "SECRET3"


def test_a_slow_sink_does_not_hold_up_the_event_loop() -> None:
    sink = BlockingSink()

    async def main() -> list[str]:
        handler = RagEvalCallbackHandler(sinks=[sink], linger_s=0)
        chain = rag()
        first = await chain.ainvoke("Q1?", config={"callbacks": [handler]})
        assert await asyncio.to_thread(sink.entered.wait, 20)
        second = await chain.ainvoke("Q2?", config={"callbacks": [handler]})  # while the sink is blocked
        sink.release.set()
        assert await asyncio.to_thread(handler.close) == 0
        return [first, second]

    assert asyncio.run(main()) == [ANSWER, ANSWER]
    assert len(sink.records) == 2


def test_one_hooks_object_serves_many_handlers_and_outlives_them() -> None:
    sink = ListSink()
    hooks = Hooks([sink])
    for number in range(3):
        rag().invoke(f"Q{number}?", config={"callbacks": [RagEvalCallbackHandler(hooks)]})
    assert hooks.close() == 0
    assert [run.question for run, _ in sink.records] == ["Q0?", "Q1?", "Q2?"]


def test_two_handlers_of_one_hooks_count_a_question_once() -> None:
    with Hooks() as hooks:
        rag().invoke("Q?", config={"callbacks": [RagEvalCallbackHandler(hooks), RagEvalCallbackHandler(hooks)]})
        hooks.settle(10)
        assert len(hooks.records) == 1


def test_a_forgotten_handler_still_delivers_and_its_thread_ends() -> None:
    sink = ListSink()
    done = threading.Event()
    threads: list[threading.Thread] = []

    def write(run: Any, evaluation: Any) -> None:
        threads.append(threading.current_thread())
        ListSink.write(sink, run, evaluation)
        done.set()

    sink.write = write  # type: ignore[method-assign]
    rag().invoke("Q?", config={"callbacks": [RagEvalCallbackHandler(sinks=[sink], linger_s=0)]})
    assert done.wait(20)
    threads[0].join(20)
    assert not threads[0].is_alive()


@pytest.mark.parametrize("count", [1, 40])
def test_fallbacks_of_a_chain_are_one_question(count: int) -> None:
    def chain() -> Any:
        return rag(FakeChat(error=ConnectionError("first"))).with_fallbacks([rag(FakeChat(say=lambda _: "Plan B."))])

    with RagEvalCallbackHandler() as handler, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: chain().invoke("same?", config={"callbacks": [handler]}), range(count)))
        assert answers == ["Plan B."] * count
        runs = [record.run for record in handler.records]
        assert len(runs) == count
        for run in runs:
            assert (run.question, run.answer, run.status, run.flags) == ("same?", "Plan B.", "ok", ("failed_attempts",))
            assert [stage.final for stage in run.stages] == [False, True]


def test_hooks_and_options_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match="not both"):
        RagEvalCallbackHandler(Hooks(), k=3)
    with pytest.raises(ConfigError, match="not both"):
        RagEvalCallbackHandler(Hooks(), sinks=ListSink())
    with pytest.raises(ConfigError, match=r"hooks: expected a Hooks object, got \["):
        RagEvalCallbackHandler([ListSink()])  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="grace_s"):
        RagEvalCallbackHandler(grace_s=-1)


def test_one_sink_needs_no_list_and_measures_have_names() -> None:
    sink = ListSink()
    with RagEvalCallbackHandler(sinks=sink, metrics=["ContextUse@2"]) as handler:
        rag().invoke("Q?", config={"callbacks": [handler]})
    ((_, evaluation),) = sink.records
    assert [result.metric for result in evaluation.results] == ["ContextUse@2"]
