"""What must hold of delivery, limits and secrets: the scenarios of operation, by their ids.

Shown elsewhere:
- operation-01, the end of the process: `test_processes.test_a_script_that_ends_without_closing_delivers_all` and
  `test_a_blocked_sink_holds_up_the_exit_for_a_bounded_time_and_the_loss_is_told`;
- operation-02, forks: `test_processes.test_forked_workers_deliver_their_own_and_the_parent_its_own`.

operation-03 is scaled down, to 300 requests and a queue of 50 kB; what is counted and bounded is the same.
operation-09 is told by order instead of by the clock: every request is answered while the scorer has not let go of the
first, so none of them waits for a score.
"""

import logging
import threading
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import pytest
from langchain_core.documents import Document
from langchain_fakes import FakeChat, FakeRetriever, rag
from usual_record import ANSWER, expected
from whole_record import only_run, runs_of, whole

from rag_eval_hooks.capture import guard
from rag_eval_hooks.metrics import Metric
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.sinks import JsonlSink, MemorySink, Sink
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler


def ask(handler: RagEvalCallbackHandler, question: str = "Q?") -> None:
    assert rag().invoke(question, config={"callbacks": [handler]}) == ANSWER


# Limits ------------------------------------------------------------------------------------------------------------


class Away(Sink):
    """A sink that first keeps a record for ever, and whose every write fails until it is back."""

    def __init__(self) -> None:
        self.is_back = False
        self.entered, self.gate = threading.Event(), threading.Event()
        self.questions: list[str | None] = []

    def write(self, run: RagRun, evaluation: Any) -> None:
        self.entered.set()
        assert self.gate.wait(30)
        if not self.is_back:
            raise ConnectionError("no route to host")
        self.questions.append(run.question)


# operation-03
def test_a_sink_that_is_down_for_long(
    caught: list[Exception], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_logged_at", {})
    sink = Away()
    handler = RagEvalCallbackHandler(Hooks(sink, queue_bytes=50_000, keep=0))
    with handler, caplog.at_level(logging.WARNING):
        ask(handler)
        handler.flush(0)
        assert sink.entered.wait(20)
        held = []
        for _ in range(300):
            ask(handler)
            handler.stats()  # takes in what has ended
            held.append(handler.hooks._worker._bytes)
        assert max(held) <= 50_000
        assert max(held) > 40_000
        waiting = handler.stats()["queued"]
        sink.gate.set()
        assert handler.flush(20) == 0
        stats = handler.stats()
        assert (stats["submitted"], stats["queue_full"]) == (301, 301 - waiting)
        assert (stats["sink_error"], stats["written"], stats["queued"]) == (waiting, 0, 0)
        warnings = [record for record in caplog.records if "hooks.sink" in record.getMessage()]
        assert len(warnings) == 1  # for all of them, within the interval
        sink.is_back = True
        ask(handler, "Are you back?")
        assert handler.flush(20) == 0
    assert sink.questions == ["Are you back?"]
    assert len(caught) == waiting
    caught.clear()


gate, entered = threading.Event(), threading.Event()


@dataclass(frozen=True, kw_only=True)
class Slow(Metric):
    """Scores when it is let go."""

    name: ClassVar[str] = "Slow"

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        entered.set()
        assert gate.wait(30)
        return self.scored(1.0)


# operation-09
@pytest.mark.parametrize(
    ("queue", "scored"),
    [pytest.param(100, 20, id="room for all"), pytest.param(5, 5, id="room for five: the others are not scored")],
)
def test_a_slow_measure_holds_up_no_request(queue: int, scored: int) -> None:
    gate.clear()
    entered.clear()
    sink = MemorySink()
    with RagEvalCallbackHandler(sinks=sink, metrics=[Slow()], queue_items=queue) as handler:
        ask(handler)
        handler.flush(0)
        assert entered.wait(20)
        for _ in range(19):
            ask(handler)
        stats = handler.stats()
        assert (stats["evaluated"], stats["queued"], stats["queue_full"]) == (0, scored, 20 - scored)
        gate.set()
        assert handler.flush(20) == 0
        assert [[one.value for one in evaluation.results] for _, evaluation in sink.records] == [[1.0]] * scored
        assert handler.stats()["submitted"] == 20


# Secrets -----------------------------------------------------------------------------------------------------------


# operation-05
def test_keys_in_call_parameters_and_metadata(handler: RagEvalCallbackHandler) -> None:
    servers = [{"name": "docs", "url": "u", "authorization_token": "SECRET1"}]
    headers = {"Authorization": "Bearer SECRET2"}
    metadata = {"topic": "rivers", "Authorization": "SECRET3", "http": {"headers": {"Cookie": "SECRET4", "via": "v"}}}
    before = repr((servers, headers, metadata))
    model = FakeChat().bind(api_key="SECRET5", mcp_servers=servers, extra_headers=headers)
    rag(model).invoke("Q?", config={"callbacks": [handler], "metadata": metadata})
    run = only_run(handler)
    assert whole(run) == expected(metadata={"topic": "rivers", "http": {"headers": {"via": "v"}}})
    last = handler.last
    assert last is not None
    assert "SECRET" not in run.model_dump_json() + last.evaluation.model_dump_json()
    assert repr((servers, headers, metadata)) == before


# Objects -----------------------------------------------------------------------------------------------------------


class Colour(Enum):
    RED = "red"


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def odd() -> dict[str, Any]:
    numpy = pytest.importorskip("numpy")
    cycle: dict[str, Any] = {}
    cycle["again"] = cycle
    return {
        "float32": numpy.float32(0.5),
        "int64": numpy.int64(7),
        "day": datetime(2026, 11, 30, 12, tzinfo=UTC),
        "uuid": uuid.UUID(int=5),
        "path": Path("a") / "b.txt",
        "decimal": Decimal("1.50"),
        "bytes": b"\x00\x01",
        "set": {"x"},
        "enum": Colour.RED,
        "cycle": cycle,
        "mute": Mute(),
        "lock": threading.Lock(),
    }


PLAIN = {
    "float32": 0.5,
    "int64": 7,
    "day": "2026-11-30T12:00:00+00:00",
    "uuid": "00000000-0000-0000-0000-000000000005",
    "path": "a/b.txt",
    "decimal": "1.50",
    "bytes": "<bytes of 2 bytes>",
    "set": ["x"],
    "enum": "red",
    "mute": "<Mute>",
    "lock": "<lock>",
}


def without_cycle(metadata: dict[str, Any]) -> dict[str, Any]:
    """Checks that the cycle ends, at whatever depth, in a short text."""
    rest = dict(metadata)
    inner = rest.pop("cycle")
    while isinstance(inner, dict):
        (inner,) = inner.values()
    assert inner == "<dict, not stored: nested too deeply>"
    return rest


# operation-07, live-12
def test_objects_in_metadata_do_not_cost_the_record(tmp_path: Path) -> None:
    """Those of the documents, as stores put them there, and those of the call; also an open file."""
    path = tmp_path / "runs.jsonl"
    with (tmp_path / "open").open("w", encoding="utf-8") as file:

        def find(_: str) -> list[Document]:
            return [Document(id="x", page_content="The Rhine passes Basel.", metadata=odd())]

        with RagEvalCallbackHandler(sinks=JsonlSink(path, "runs")) as handler:
            rag(retriever=FakeRetriever(find=find)).invoke(
                "Q?", config={"callbacks": [handler], "metadata": {**odd(), "file": file}}
            )
            handler.flush(20)
            (run,) = runs_of(handler)
            assert handler.stats()["written"] == 1
    assert RagRun.model_validate_json(path.read_text()) == run
    found = whole(run)
    metadata = without_cycle(found.pop("metadata"))
    assert metadata.pop("file") == "<_io.TextIOWrapper name='" + str(tmp_path / "open") + "' mode='w' encoding='utf-8'>"
    assert metadata == PLAIN
    assert without_cycle(found.pop("metadata_of")["x"]) == PLAIN
    assert found == expected(chunks="x", texts={"x": "The Rhine passes Basel."})
