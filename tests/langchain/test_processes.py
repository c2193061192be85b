"""Forks and the end of the process: what finished is delivered once, within a bound, and the exit status stays."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PRELUDE = f"""
import json, os, sys, threading
sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent / "support")!r}]
from langchain_fakes import rag
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

class FileSink:
    def __init__(self, path): self.path = path
    def write(self, run, evaluation):
        with open(self.path, "a") as file:
            file.write(json.dumps([os.getpid(), run.question, run.answer]) + "\\n")
    def flush(self): ...
    def close(self): ...

class BlockedSink(FileSink):
    def write(self, run, evaluation): threading.Event().wait()

def ask(handler, question):
    assert rag().invoke(question, config={{"callbacks": [handler]}}) == "It passes Basel [1]."
"""


def run_script(body: str, path: Path, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    script = PRELUDE + textwrap.dedent(body)
    return subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=timeout, check=False
    )


def lines(path: Path) -> list[list[object]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize(
    ("end", "status"), [("", 0), ("sys.exit(3)", 3), ("raise KeyboardInterrupt", 130), ("raise ValueError", 1)]
)
def test_a_script_that_ends_without_closing_delivers_all(tmp_path: Path, end: str, status: int) -> None:
    path = tmp_path / "out.jsonl"
    body = f"""
    handler = RagEvalCallbackHandler(sinks=[FileSink(sys.argv[1])])
    for number in range(10):
        ask(handler, f"Q{{number}}?")
    {end}
    """
    done = run_script(body, path)
    assert done.returncode in (status, -2 if status == 130 else status), done.stderr
    assert [question for _, question, _ in lines(path)] == [f"Q{number}?" for number in range(10)]


def test_a_blocked_sink_holds_up_the_exit_for_a_bounded_time_and_the_loss_is_told(tmp_path: Path) -> None:
    body = """
    import rag_eval_hooks.capture.worker as worker
    worker.EXIT_TIMEOUT_S = 0.2
    handler = RagEvalCallbackHandler(sinks=[BlockedSink("")])
    for number in range(10):
        ask(handler, f"Q{number}?")
    sys.exit(3)
    """
    done = run_script(body, tmp_path / "out.jsonl")
    assert done.returncode == 3
    assert "10 records were lost" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_workers_deliver_their_own_and_the_parent_its_own(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    body = """
    gate = threading.Event()
    class Gated(FileSink):
        def write(self, run, evaluation):
            if os.getpid() == parent:
                gate.wait(30)
            super().write(run, evaluation)
    parent = os.getpid()
    handler = RagEvalCallbackHandler(sinks=[Gated(sys.argv[1])])
    stream = rag().stream("half-read?", config={"callbacks": [handler]})
    next(stream)
    for number in range(3):
        ask(handler, f"parent{number}?")
    children = []
    for child in range(4):
        pid = os.fork()
        if pid == 0:
            left = 1
            try:
                assert handler.stats()["opened"] == 0 and handler.hooks.records == ()
                for number in range(5):
                    ask(handler, f"child{child}-{number}?")
                left = handler.close(20)
            finally:
                os._exit(left)
        children.append(pid)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
    gate.set()
    stream.close()
    """
    done = run_script(body, path)
    assert done.returncode == 0, done.stderr
    by_process: dict[object, list[object]] = {}
    for process, question, _ in lines(path):
        by_process.setdefault(process, []).append(question)
    expected = [[f"child{child}-{number}?" for number in range(5)] for child in range(4)]
    expected.append(["half-read?", *(f"parent{number}?" for number in range(3))])
    assert sorted(sorted(map(str, questions)) for questions in by_process.values()) == sorted(map(sorted, expected))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_multiprocessing_deliver_without_closing(tmp_path: Path, method: str) -> None:
    path = tmp_path / "out.jsonl"
    module = tmp_path / "service.py"
    module.write_text(
        PRELUDE
        + textwrap.dedent("""
        import multiprocessing

        def work(handler, name):
            own = handler or RagEvalCallbackHandler(sinks=[FileSink(sys.argv[1])])
            for number in range(3):
                ask(own, f"{name}-{number}?")

        if __name__ == "__main__":
            context = multiprocessing.get_context(sys.argv[2])
            handler = RagEvalCallbackHandler(sinks=[FileSink(sys.argv[1])])
            ask(handler, "parent?")
            given = handler if sys.argv[2] == "fork" else None
            processes = [context.Process(target=work, args=(given, f"child{n}")) for n in range(2)]
            for process in processes:
                process.start()
            for process in processes:
                process.join()
                assert process.exitcode == 0
        """)
    )
    done = subprocess.run(
        [sys.executable, str(module), str(path), method], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    expected = ["parent?", *(f"child{child}-{number}?" for child in range(2) for number in range(3))]
    assert sorted(str(question) for _, question, _ in lines(path)) == sorted(expected)


def test_importing_changes_no_event_loop_policy_and_needs_no_other_framework() -> None:
    """Of the LangChain family only langchain_core is loaded, and what that loads itself (0.3: langchain)."""
    body = """
    import asyncio, sys
    import langchain_core.callbacks, langchain_core.documents, langchain_core.messages, langchain_core.prompt_values
    before = {name.partition(".")[0] for name in sys.modules}
    import rag_eval_hooks_langchain
    assert asyncio.get_event_loop_policy().__class__.__module__.startswith("asyncio")
    ours = {name.partition(".")[0] for name in sys.modules} - before
    others = {name for name in ours if name.startswith(("lang", "llama_index"))} | {"numpy", "pandas"} & ours
    assert not others, others
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(body)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_without_langchain_the_message_names_the_extra() -> None:
    body = """
    import sys
    sys.modules["langchain_core"] = None
    from rag_eval_hooks.errors import MissingExtraError
    try:
        import rag_eval_hooks_langchain
    except MissingExtraError as error:
        assert 'pip install "rag-eval-hooks[langchain]"' in str(error)
    else:
        raise SystemExit("imported")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(body)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
