"""Memory, function and JSONL sinks: bounds, whole lines, and what a failure leaves behind."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from rag_eval_hooks import Evaluation, RagRun, evaluate, read_run
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.sinks import FunctionSink, JsonlSink, MemorySink, Sink, SinkError, SqlSink


def pair(run_id: str = "r1", question: str = "q") -> tuple[RagRun, Evaluation]:
    run = read_run({"id": run_id, "question": question, "contexts": ["text"], "answer": "a"})
    return run, evaluate(run)


def test_memory_keeps_the_newest_and_counts_the_rest() -> None:
    with MemorySink(limit=2) as sink:
        for name in "abcde":
            sink.write(*pair(name))
    assert [run.run_id for run, _ in sink.records] == ["d", "e"]
    assert sink.dropped == 5 - 2
    sink.clear()
    assert (sink.records, sink.dropped) == ([], 0)


def test_memory_records_are_a_copy() -> None:
    sink = MemorySink()
    sink.write(*pair("a"))
    sink.records.clear()
    assert sink.records == [pair("a")]


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "10", None])
def test_memory_refuses_a_limit_that_is_none(limit: object) -> None:
    with pytest.raises(ConfigError, match="limit: expected a whole number from 1"):
        MemorySink(limit=limit)  # type: ignore[arg-type]


def test_memory_counts_right_from_several_threads() -> None:
    """4 threads x 200 records into 100 places: 100 kept, 700 counted."""
    sink, record = MemorySink(limit=100), pair()
    gate = threading.Barrier(4)

    def write() -> None:
        gate.wait(60)
        for _ in range(200):
            sink.write(*record)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(sink.records), sink.dropped) == (100, 700)


def test_a_function_gets_each_pair_and_its_error_passes_through() -> None:
    seen: list[str] = []

    def take(run: RagRun, evaluation: Evaluation) -> None:
        if run.run_id == "bad":
            raise OSError("full")
        seen.append(evaluation.run_id)

    with FunctionSink(take) as sink:
        sink.write(*pair("a"))
        with pytest.raises(OSError, match="full"):
            sink.write(*pair("bad"))
        sink.write(*pair("b"))
    assert seen == ["a", "b"]


def test_a_function_sink_needs_something_to_call() -> None:
    with pytest.raises(ConfigError, match="expected something to call"):
        FunctionSink("print")  # type: ignore[arg-type]


def test_a_sink_needs_only_write() -> None:
    class Count(Sink):
        n = 0

        def write(self, run: RagRun, evaluation: Evaluation) -> None:
            self.n += 1

    with Count() as sink:
        sink.open()
        sink.write(*pair())
        sink.flush()
    sink.close()
    assert sink.n == 1
    with pytest.raises(TypeError):
        Sink()  # type: ignore[abstract]


@pytest.mark.parametrize("what", ["evaluations", "runs"])
def test_jsonl_lines_come_back_equal(tmp_path: Path, what: str) -> None:
    awkward = "ä \u2028 \x00 \x1b[31m \ud83d \n\r\n end"
    records = [pair("a", awkward), pair("b")]
    with JsonlSink(tmp_path / "out.jsonl", what=what) as sink:  # type: ignore[arg-type]
        for record in records:
            sink.write(*record)
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    if what == "runs":
        assert [RagRun.model_validate_json(line) for line in lines] == [run for run, _ in records]
    else:
        assert [Evaluation.model_validate_json(line) for line in lines] == [evaluation for _, evaluation in records]


def test_jsonl_appends_and_opens_again_after_close(tmp_path: Path) -> None:
    sink = JsonlSink(tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    sink.write(*pair("a"))
    sink.close()
    sink.close()
    sink.write(*pair("b"))
    sink.close()
    with JsonlSink(tmp_path / "out.jsonl") as other:
        other.write(*pair("c"))
    ids = [json.loads(line)["run_id"] for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert ids == ["a", "b", "c"]


def test_jsonl_closes_off_a_half_line_so_that_it_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_bytes(b'{"run_id": "a"}\n{"run_id": "b", "ques')
    with JsonlSink(tmp_path / "out.jsonl") as sink:
        sink.write(*pair("c"))
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert lines[:2] == [b'{"run_id": "a"}', b'{"run_id": "b", "ques']
    assert json.loads(lines[2])["run_id"] == "c"
    assert lines[3:] == [b""]


FULL_DISK = """
import resource, sys
from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.sinks import JsonlSink, SinkError

run = read_run({"id": "r", "question": "x" * 1000})
evaluation = evaluate(run)
size = len(evaluation.model_dump_json().encode()) + 1
resource.setrlimit(resource.RLIMIT_FSIZE, (size * 3 + size // 2, resource.RLIM_INFINITY))
sink = JsonlSink(sys.argv[1])
for number in range(5):
    try:
        sink.write(run, evaluation)
    except SinkError as error:
        print(number, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
sink.write(run, evaluation)
sink.close()
"""


def test_jsonl_takes_back_what_did_not_fit(tmp_path: Path) -> None:
    """Room for three and a half lines: two writes fail, none leaves a half line, and later ones succeed."""
    path = tmp_path / "out.jsonl"
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=True)
    message = f"cannot append to {path}: File too large"
    assert done.stdout.splitlines() == [f"3 {message}", f"4 {message}"]
    lines = path.read_bytes().split(b"\n")
    assert [json.loads(line)["run_id"] for line in lines[:-1]] == ["r"] * 4
    assert lines[-1] == b""


def test_jsonl_says_what_is_wrong_with_its_arguments(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='expected "evaluations" or "runs"'):
        JsonlSink(tmp_path / "x", what="both")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="is a folder; name a file in it"):
        JsonlSink(tmp_path)
    with pytest.raises(ConfigError, match="does not exist; create it first"):
        JsonlSink(tmp_path / "no" / "x")


def test_a_relative_path_stays_where_the_sink_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "first")
    with JsonlSink("out.jsonl") as file, SqlSink("runs.db") as store:
        monkeypatch.chdir(tmp_path / "second")
        file.write(*pair())
        store.write(*pair())
        assert {path.name for path in (tmp_path / "first").iterdir()} >= {"out.jsonl", "runs.db"}
        assert list((tmp_path / "second").iterdir()) == []


@pytest.mark.parametrize(("sink", "example"), [(JsonlSink, "evaluations.jsonl"), (SqlSink, "runs.db")])
def test_sinks_say_the_same_of_a_folder(sink: Any, example: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as folder:
        sink(tmp_path)
    assert str(folder.value) == f"{tmp_path} is a folder; name a file in it, such as {tmp_path / example}"
    with pytest.raises(ConfigError) as missing:
        sink(tmp_path / "no" / "x")
    assert str(missing.value) == f"the folder {tmp_path / 'no'} does not exist; create it first"


def test_jsonl_that_cannot_be_opened_is_a_sink_error(tmp_path: Path) -> None:
    folder = tmp_path / "mount"
    folder.mkdir()
    sink = JsonlSink(folder / "out.jsonl")
    folder.rmdir()
    with pytest.raises(SinkError, match="cannot open"):
        sink.open()
    with pytest.raises(SinkError, match="cannot append to"):
        sink.write(*pair("a"))
    folder.mkdir()
    with sink:
        sink.write(*pair("b"))
    assert json.loads((folder / "out.jsonl").read_text("utf-8"))["run_id"] == "b"


def test_jsonl_can_write_to_a_device() -> None:
    with JsonlSink(os.devnull) as sink:
        sink.write(*pair())
        sink.flush()


def test_jsonl_does_not_append_to_a_store(tmp_path: Path) -> None:
    with SqlSink(tmp_path / "runs.db") as sink:
        sink.write(*pair())
    with pytest.raises(ConfigError, match="is an SQLite database; give another file"):
        JsonlSink(tmp_path / "runs.db")
