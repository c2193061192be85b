"""The application must not notice us: no exceptions, no blocking, no changed objects, no secrets kept."""

import asyncio
import copy
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llamaindex_engines import chat
from llamaindex_expected import expected, streamed
from llamaindex_fakes import ANSWER, LONG, QUESTION, FakeLLM, FakeRetriever, engine, nodes
from llamaindex_versions import STREAMS_ARE_READ_FIRST
from whole_record import only_run, whole

from rag_eval_hooks.capture import Collector
from rag_eval_hooks.sinks import JsonlSink, SqlSink
from rag_eval_hooks_llamaindex import Attachment, attach, question
from rag_eval_hooks_llamaindex.handler import remembered
from rag_eval_hooks_llamaindex.stream import StreamedAnswer

# Faults of ours ------------------------------------------------------------------------------------------------------


def _query() -> Any:
    response = engine().query(QUESTION)
    return str(response), response.source_nodes


def _aquery() -> Any:
    response = asyncio.run(engine().aquery(QUESTION))
    return str(response), response.source_nodes


def _stream() -> Any:
    return list(engine(LONG, streaming=True).query(QUESTION).response_gen)  # type: ignore[union-attr]


def _astream() -> Any:
    async def ask() -> Any:
        response: Any = await engine(LONG, streaming=True).aquery(QUESTION)
        return [token async for token in response.response_gen]

    return asyncio.run(ask())


def _chat() -> Any:
    asked = chat()
    return str(asked.chat(QUESTION)), asked.chat_history


WAYS: dict[str, Callable[[], Any]] = {
    "query": _query,
    "aquery": _aquery,
    "stream": _stream,
    "astream": _astream,
    "chat": _chat,
}

PLACES = {
    "rag_eval_hooks_llamaindex.spans.items_from_nodes": True,
    "rag_eval_hooks_llamaindex.spans.snapshot": True,
    "rag_eval_hooks_llamaindex.spans.tap": True,
    "rag_eval_hooks_llamaindex.roles.items_from_nodes": True,
    "rag_eval_hooks_llamaindex.roles.query_text": True,
    "rag_eval_hooks_llamaindex.calls.prompt_from_messages": True,
    "rag_eval_hooks_llamaindex.calls.reply_from_chat": True,
    "rag_eval_hooks_llamaindex.stream._same": True,
    "rag_eval_hooks.capture.Collector.token": True,
    "rag_eval_hooks.capture.Collector.start": False,
    "rag_eval_hooks.capture.Collector.end": False,
}
"""What fails, and whether the question is recorded all the same."""
STREAMS_ONLY = ("spans.tap", "stream._same", "Collector.token")


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError, GeneratorExit, StopIteration])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", PLACES)
def test_a_fault_of_ours_changes_nothing_and_is_counted(
    place: str, way: str, error: type[BaseException], caught: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: Any, **__: Any) -> None:
        raise error("ours")

    ask = WAYS[way]
    without = ask()
    with attach() as attachment:
        before = attachment.stats()["caught_in_process"]
        with monkeypatch.context() as broken:
            broken.setattr(place, explode)
            assert ask() == without
        assert attachment.stats()["caught_in_process"] - before == len(caught)
        assert len(caught) > 0 or (place.endswith(STREAMS_ONLY) and "stream" not in way)
        assert {type(one) for one in caught} <= {error}
        caught.clear()
        if PLACES[place]:
            run = only_run(attachment)
            assert (run.status, run.answer) == ("ok", LONG if "stream" in way else ANSWER)
            assert remembered() == 0
        engine().query("And now?")
        assert whole(attachment.records[-1].run) == expected(question="And now?")


def test_a_keyboard_interrupt_in_a_handler_reaches_the_application(
    attachment: Attachment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LlamaIndex would keep it to itself, and the user's Ctrl-C would do nothing."""

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    never = threading.Event()
    monkeypatch.setattr("rag_eval_hooks_llamaindex.compat.INTERRUPT_AFTER_S", 0.3)  # when the query is through
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  it comes a moment later, wherever we are
        with monkeypatch.context() as broken:
            broken.setattr("rag_eval_hooks_llamaindex.calls.reply_from_chat", interrupted)
            assert str(engine().query(QUESTION)) == ANSWER
        never.wait(20)
    run = only_run(attachment)
    assert (run.status, run.question, run.answer) == ("ok", QUESTION, ANSWER)


def test_a_keyboard_interrupt_in_the_tap_reaches_the_reader(
    attachment: Attachment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    response = engine(LONG, streaming=True).query(QUESTION)
    with monkeypatch.context() as broken:
        broken.setattr(StreamedAnswer, "got", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(response.response_gen)  # type: ignore[union-attr,arg-type]
    del response
    run = only_run(attachment)
    assert (run.status, run.error) == ("error", "KeyboardInterrupt")


def test_without_an_attachment_nothing_of_ours_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: Any, **__: Any) -> None:
        raise AssertionError

    for method in ("start", "end", "token", "knows"):
        monkeypatch.setattr(Collector, method, explode)
    for ask in WAYS.values():
        assert ask()


# Objects that are the application's ----------------------------------------------------------------------------------


class Vandal(BaseNodePostprocessor):
    """Changes the nodes in place after they were found, and the list."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        for node in nodes:
            node.score = 1.0
            node.node.metadata["source"] = "changed"
        nodes.reverse()
        return nodes


def test_changes_after_the_event_do_not_reach_the_record(attachment: Attachment) -> None:
    response = engine(node_postprocessors=[Vandal()]).query(QUESTION)
    response.source_nodes.clear()
    response.response = "changed"  # type: ignore[union-attr]
    run = only_run(attachment)
    assert run.answer == ANSWER
    assert [item.score for item in run.stages[0].items] == [0.9, 0.8, 0.7]
    assert {chunk.metadata["source"] for chunk in run.chunks} == {"a.txt", "b.txt", "c.txt"}


@pytest.mark.parametrize("way", ["at once", "streamed"])
def test_we_change_nothing_but_the_generator(way: str) -> None:
    found = nodes("ab")
    messages: list[Any] = []

    def say(asked: Any) -> str:
        messages.append(copy.deepcopy(list(asked)))
        return LONG

    def ask() -> tuple[Any, ...]:
        asked = engine(retriever=FakeRetriever(find=lambda _: found), llm=FakeLLM(say=say), streaming=way == "streamed")
        response: Any = asked.query(QUESTION)
        fields = {name: value for name, value in vars(response).items() if name != "response_gen"}
        before = copy.deepcopy(fields)
        text = str(response)
        return type(response), before, text, copy.deepcopy(found)

    without = ask()
    with attach() as attachment:
        assert ask() == without
        assert only_run(attachment).answer == LONG
    assert found == nodes("ab")
    assert messages[0] == messages[1]


def test_the_nodes_that_are_found_are_the_same_objects(attachment: Attachment) -> None:
    found = nodes("ab")
    response = engine(retriever=FakeRetriever(find=lambda _: found)).query(QUESTION)
    assert all(given is own for given, own in zip(response.source_nodes, found, strict=True))
    assert only_run(attachment).status == "ok"


class Nasty(TextNode):
    """A node whose text cannot be read."""

    def get_content(self, metadata_mode: Any = None) -> str:
        raise RuntimeError


def test_nodes_that_cannot_be_read_keep_their_rank(attachment: Attachment, caught: list[Exception]) -> None:
    good = nodes("a")[0]
    bad = NodeWithScore(node=Nasty(id_="bad", text="x"), score=0.5)
    assert FakeRetriever(find=lambda _: [bad, good]).retrieve(QUESTION) == [bad, good]
    run = only_run(attachment)
    assert whole(run)["stages"] == [f"1 retrieve FakeRetriever({QUESTION}): bad=0.5 a=0.9"]
    assert attachment.stats()["malformed_item"] == 1
    caught.clear()


# Sinks ---------------------------------------------------------------------------------------------------------------


class ListSink:
    def __init__(self) -> None:
        self.records: list[Any] = []
        self.entered, self.release = threading.Event(), threading.Event()
        self.blocks = False

    def write(self, run: Any, evaluation: Any) -> None:
        self.entered.set()
        assert not self.blocks or self.release.wait(30)
        self.records.append((run, evaluation))

    def flush(self) -> None: ...

    def close(self) -> None: ...


class RaisingSink(ListSink):
    def write(self, run: Any, evaluation: Any) -> None:
        raise OSError("disk full")


def test_a_failing_sink_is_counted_and_does_not_stop_the_others(caught: list[Exception]) -> None:
    good = ListSink()
    with attach(sinks=[RaisingSink(), good]) as attachment:
        assert str(engine().query(QUESTION)) == ANSWER
        assert attachment.flush() == 0
        assert [run.answer for run, _ in good.records] == [ANSWER]
        stats = attachment.stats()
        assert (stats["sink_error"], stats["written"], stats["evaluated"]) == (1, 1, 1)
    assert [str(error) for error in caught] == ["disk full"]
    caught.clear()


def test_a_slow_sink_does_not_hold_up_a_query() -> None:
    sink = ListSink()
    sink.blocks = True

    async def ask(attachment: Attachment) -> list[str]:
        first = str(await engine().aquery("Q1?"))
        assert await asyncio.to_thread(sink.entered.wait, 20)
        second = str(await engine().aquery("Q2?"))  # while the sink is blocked
        third = str(await asyncio.to_thread(engine().query, "Q3?"))
        attachment.detach()
        sink.release.set()
        return [first, second, third]

    with attach(sinks=[sink], linger_s=0) as attachment:
        assert asyncio.run(ask(attachment)) == [ANSWER] * 3
        assert attachment.flush(20) == 0
    assert [run.question for run, _ in sink.records] == ["Q1?", "Q2?", "Q3?"]


def test_a_full_queue_drops_the_newest_and_counts_them() -> None:
    sink = ListSink()
    sink.blocks = True
    with attach(sinks=[sink], queue_items=3) as attachment:
        for number in range(6):
            assert str(engine().query(f"Q{number}?")) == ANSWER
            if number == 0:
                assert attachment.flush(0) == 1  # somebody waits for it, so that the worker starts at once
                assert sink.entered.wait(20)
        stats = attachment.stats()
        assert (stats["submitted"], stats["queue_full"]) == (6, 3)
        sink.release.set()
        assert attachment.flush(20) == 0
    assert [run.question for run, _ in sink.records] == ["Q0?", "Q1?", "Q2?"]


def test_a_function_of_ours_that_asks_an_engine_makes_no_records() -> None:
    """Otherwise each record would make the next, for ever."""

    def redact(text: str) -> str:
        engine().query("Is it private?")
        return text

    with attach(redact=redact) as attachment:
        engine().query(QUESTION)
        assert whole(only_run(attachment)) == expected()
        assert attachment.stats()["suppressed"] > 0


# Secrets -------------------------------------------------------------------------------------------------------------

MAIL = "ada@example.org"
SECRET = "SECRET-0123456789"


class Keyed(FakeLLM):
    """A model with a key, as the real ones have."""

    api_key: str = SECRET
    headers: Any = None


def without_mail(text: str) -> str:
    return text.replace(MAIL, "[mail]")


@pytest.mark.parametrize("streaming", [False, True])
def test_no_setting_of_a_model_is_stored(tmp_path: Path, streaming: bool) -> None:
    from llama_index.core.instrumentation.dispatcher import instrument_tags

    sinks = [JsonlSink(tmp_path / "log.jsonl"), SqlSink(f"sqlite:///{tmp_path}/store.db")]
    llm = Keyed(say=lambda _: LONG, headers={"Authorization": SECRET})
    with attach(sinks=sinks) as attachment:
        with instrument_tags({"api_key": SECRET, "nested": [{"authorization": SECRET, "url": "u"}]}):
            assert str(engine(llm=llm, streaming=streaming).query(QUESTION)) == LONG
        usage = {} if streaming else {"usage": "1 100>5", "answer_usage": "1 100>5"}
        record = streamed(answer=LONG, metadata={"nested": [{"url": "u"}]}, **usage)
        assert whole(only_run(attachment)) == record
        assert attachment.flush(20) == 0
        kept = attachment.collector
        assert SECRET not in repr(vars(kept)) + repr(vars(kept._table))
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file.name


def test_redaction_reaches_every_text(tmp_path: Path) -> None:
    def find(_: str) -> list[NodeWithScore]:
        text = f"Mail to {MAIL} is answered by Ada Lovelace."
        metadata = {"source": f"{MAIL}.txt", MAIL: [MAIL, 3]}
        return [
            NodeWithScore(node=TextNode(id_=f"{MAIL}-1", text=text, metadata=metadata), score=0.5),
            NodeWithScore(node=TextNode(id_="2", text="The office opens at nine.")),
        ]

    sinks = [JsonlSink(tmp_path / "log.jsonl"), SqlSink(f"sqlite:///{tmp_path}/store.db")]
    with attach(sinks=sinks, redact=without_mail) as attachment:
        asked = engine(f"Mail to {MAIL} is answered by Ada.", retriever=FakeRetriever(find=find), streaming=True)
        assert MAIL in str(asked.query(f"Who answers mail to {MAIL}?"))
        shown = whole(only_run(attachment))
        with question(f"And {MAIL}?", tags=[MAIL], metadata={"user": MAIL}) as block:
            block.nodes([MAIL])
            block.generated(ChatMessage(role="assistant", content=MAIL), prompt=MAIL)
        assert attachment.flush(20) == 0
        assert attachment.stats()["redaction_failed"] == 0
        assert MAIL not in repr([record.run for record in attachment.records])
    assert (shown["question"], shown["answer"]) == (
        "Who answers mail to [mail]?",
        "Mail to [mail] is answered by Ada.",
    )
    for file in tmp_path.iterdir():
        assert MAIL.encode() not in file.read_bytes(), file.name


def test_an_answer_that_was_left_shows_that_it_was(attachment: Attachment) -> None:
    """The reader of a broken service's records sees who left, and not an error of ours."""
    response = engine(LONG, streaming=True).query(QUESTION)
    said = next(response.response_gen)  # type: ignore[union-attr,arg-type]
    response.response_gen.close()  # type: ignore[union-attr]
    whole_call = {"llm_complete": True} if STREAMS_ARE_READ_FIRST else {}
    assert whole(only_run(attachment)) == streamed(status="abandoned", answer=said, **whole_call)
