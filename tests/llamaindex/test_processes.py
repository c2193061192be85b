"""Forks and the end of the process: what finished is delivered once, and a child starts with nothing under way."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PRELUDE = f"""
import asyncio, json, os, sys, threading
sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent / "support")!r}]
from llamaindex_fakes import ANSWER, LONG, engine
from rag_eval_hooks_llamaindex import Hooks, attach, attached
from rag_eval_hooks_llamaindex.handler import remembered

class FileSink:
    def __init__(self, path): self.path = path
    def write(self, run, evaluation):
        with open(self.path, "a") as file:
            file.write(json.dumps([os.getpid(), run.question, run.status, run.answer]) + "\\n")
    def flush(self): ...
    def close(self): ...

def ask(question):
    assert str(engine().query(question)) == ANSWER
"""


def run_script(body: str, path: Path) -> None:
    script = PRELUDE + textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def lines(path: Path) -> list[list[str]]:
    return [[str(value) for value in json.loads(line)] for line in path.read_text().splitlines()]


def test_a_script_that_ends_without_closing_delivers_all(tmp_path: Path) -> None:
    """A stream that is still held then ends with the process."""
    path = tmp_path / "out.jsonl"
    body = """
    attach(sinks=[FileSink(sys.argv[1])])
    for number in range(3):
        ask(f"Q{number}?")
    stream = engine(LONG, streaming=True).query("half-read?").response_gen
    next(stream)
    """
    run_script(body, path)
    found = lines(path)
    assert [line[1:] for line in found[:3]] == [[f"Q{number}?", "ok", "It passes Basel [1]."] for number in range(3)]
    assert [line[1:3] for line in found[3:]] == [["half-read?", "evicted"]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_workers_deliver_their_own_and_the_parent_its_own(tmp_path: Path) -> None:
    """Also where the fork comes in the middle of a stream: the parent's question stays the parent's."""
    path = tmp_path / "out.jsonl"
    body = """
    attachment = attach(sinks=[FileSink(sys.argv[1])])
    stream = engine(LONG, streaming=True).query("half-read?").response_gen
    unread = engine(LONG, streaming=True).query("unread?").response_gen
    said = next(stream)
    children = []
    for child in range(2):
        pid = os.fork()
        if pid == 0:
            left = 1
            try:
                assert attached() is attachment and remembered() == 0
                assert attachment.stats()["opened"] == 0 and attachment.hooks.records == ()
                assert said + "".join(stream) == LONG and "".join(unread) == LONG
                assert attachment.stats()["opened"] == 0
                for number in range(3):
                    ask(f"child{child}-{number}?")
                attachment.detach()
                assert attached() is None
                left = attachment.close(20)
            finally:
                os._exit(left)
        children.append(pid)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
    assert said + "".join(stream) == LONG and "".join(unread) == LONG
    ask("parent?")
    assert attachment.close(20) == 0 and remembered() == 0
    """
    run_script(body, path)
    by_process: dict[str, list[str]] = {}
    for process, question, status, _ in lines(path):
        assert status == "ok"
        by_process.setdefault(process, []).append(question)
    expected = [[f"child{child}-{number}?" for number in range(3)] for child in range(2)]
    expected.append(["half-read?", "parent?", "unread?"])
    assert sorted(sorted(questions) for questions in by_process.values()) == sorted(expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_while_another_thread_attaches(tmp_path: Path) -> None:
    """The child has no such thread, and must not wait for it."""
    body = """
    module = sys.modules["rag_eval_hooks_llamaindex.attach"]  # the name in the package is the function's
    held, done = threading.Event(), threading.Event()
    def hold():
        with module._lock:
            held.set()
            done.wait(60)
    threading.Thread(target=hold).start()
    held.wait(20)
    pid = os.fork()
    if pid == 0:
        with attach() as attachment:
            ask("child?")
            os._exit(attachment.last.run.question != "child?")
    assert os.waitpid(pid, 0)[1] == 0
    done.set()
    """
    run_script(body, tmp_path / "out.jsonl")


def test_without_llamaindex_the_message_names_the_extra() -> None:
    body = """
    import sys
    sys.modules["llama_index"] = None
    from rag_eval_hooks.errors import MissingExtraError
    try:
        import rag_eval_hooks_llamaindex
    except MissingExtraError as error:
        assert 'pip install "rag-eval-hooks[llamaindex]"' in str(error)
    else:
        raise SystemExit("imported")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(body)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
