"""Several processes write one store or file, are killed, and are forked."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.errors import MissingExtraError
from rag_eval_hooks.sinks import JsonlSink, MemorySink, SqlSink, read_store

WRITER = """
import sys
from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.sinks import JsonlSink, SqlSink

kind, address, name, count = sys.argv[1:]
sink = SqlSink(address) if kind == "sql" else JsonlSink(address)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    for run_id in (f"{name}-{number}", "shared"):
        run = read_run({"id": run_id, "question": "q " + "x" * 3000, "contexts": ["text"], "answer": name})
        sink.write(run, evaluate(run))
    print(number, flush=True)
sink.close()
"""


def start(kind: str, address: str, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, kind, address, name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_together(kind: str, address: str, processes: int, count: int) -> None:
    """Starts the writers, lets them all go at once and waits for each to end well."""
    writers = [start(kind, address, f"p{number}", count) for number in range(processes)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0


def test_four_processes_write_one_new_store(store_address: str) -> None:
    """4 x 15 runs of their own and one run that all of them rewrite: 61 records, each whole."""
    run_together("sql", store_address, processes=4, count=15)
    stored = list(read_store(store_address))
    expected = {f"p{process}-{number}" for process in range(4) for number in range(15)} | {"shared"}
    assert sorted(run.run_id for run, _ in stored) == sorted(expected)
    assert all(run.run_id == evaluation.run_id and run.answer == evaluation.answer for run, evaluation in stored)


def test_four_processes_append_to_one_file(tmp_path: Path) -> None:
    run_together("jsonl", str(tmp_path / "out.jsonl"), processes=4, count=15)
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    ids = [json.loads(line)["run_id"] for line in lines]
    assert len(ids) == 4 * 15 * 2
    assert ids.count("shared") == 4 * 15
    assert len(set(ids)) == 4 * 15 + 1


@pytest.mark.parametrize("kind", ["sql", "jsonl"])
def test_a_killed_writer_leaves_only_whole_records(tmp_path: Path, kind: str) -> None:
    address = tmp_path / "out"
    writer = start(kind, str(address), "p", 100_000)
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write("go\n")
    writer.stdin.flush()
    while writer.stdout.readline() != "9\n":
        pass
    writer.kill()
    writer.communicate(timeout=60)
    run = read_run({"id": "after", "question": "q"})
    sink = SqlSink(address) if kind == "sql" else JsonlSink(address)
    with sink:
        sink.write(run, evaluate(run))
    if kind == "sql":
        ids = [stored.run_id for stored, _ in read_store(address)]
    else:
        lines = address.read_bytes().split(b"\n")
        assert lines.pop() == b""
        ids = []
        for line in lines:
            ids.append(json.loads(line)["run_id"])
    assert {f"p-{number}" for number in range(10)} <= set(ids)
    assert ids[-1] == "after"


def in_child(work: "object") -> int:
    """Runs `work()` in a forked child; returns its exit code (0 where it returned)."""
    child = os.fork()
    if child == 0:
        try:
            work()  # type: ignore[operator]
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_and_its_parent_both_write(tmp_path: Path) -> None:
    """The child neither waits for a lock that a thread of the parent held, nor harms the parent's connection."""
    sql, jsonl, memory = SqlSink(tmp_path / "runs.db"), JsonlSink(tmp_path / "out.jsonl"), MemorySink()
    sinks = (sql, jsonl, memory)

    def write(name: str) -> None:
        run = read_run({"id": name, "question": "q"})
        for sink in sinks:
            sink.write(run, evaluate(run))

    write("before")
    held, done = threading.Event(), threading.Event()

    def hold_the_locks() -> None:
        with sql._lock, jsonl._lock, memory._lock:
            held.set()
            done.wait(60)

    holder = threading.Thread(target=hold_the_locks)
    holder.start()
    assert held.wait(60)
    assert in_child(lambda: write("child")) == 0
    done.set()
    holder.join(60)
    write("parent")
    for sink in sinks:
        sink.close()
    assert [run.run_id for run, _ in read_store(tmp_path / "runs.db")] == ["before", "child", "parent"]
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["run_id"] for line in lines] == ["before", "child", "parent"]
    assert [run.run_id for run, _ in memory.records] == ["before", "parent"]


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_makes_its_own_postgres_connection(postgres_address: str) -> None:
    sink = SqlSink(postgres_address)

    def write(name: str) -> None:
        run = read_run({"id": name, "question": "q"})
        sink.write(run, evaluate(run))

    write("before")
    assert in_child(lambda: write("child")) == 0
    write("parent")
    sink.close()
    assert [run.run_id for run, _ in read_store(postgres_address)] == ["before", "child", "parent"]


def test_a_missing_driver_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        MissingExtraError, match=r'psycopg is not installed; run: pip install "rag-eval-hooks\[postgres'
    ):
        SqlSink("postgresql://h/d")


def test_a_light_import_brings_no_database_library() -> None:
    code = (
        "import sys, rag_eval_hooks.sinks as sinks; sinks.MemorySink(); "
        "print(sorted({'sqlalchemy', 'typer', 'rich', 'numpy', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
