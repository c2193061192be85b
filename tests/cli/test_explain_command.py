"""`rag-eval-hooks explain` as people run it."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_calls import call
from typer.testing import CliRunner

from rag_eval_hooks.cli import app
from rag_eval_hooks.cli.explain import explain

STEER = "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\x00\x07[bold]x[/bold]"


def line(name: str, **more: Any) -> dict[str, Any]:
    contexts = [{"id": "c1", "text": "The mast is 31 metres tall."}, {"id": "c2", "text": "Tea is served at five."}]
    return {"id": name, "question": f"How tall, {name}?", "contexts": contexts, "answer": "31 m tall. [1]"} | more


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line(name)) + "\n" for name in ("r1", "r2", "r3")), "utf-8")
    return path


def test_explain_takes_the_newest_the_first_or_the_named(tmp_path: Path, log: Path) -> None:
    assert call("replay", log, tmp_path / "out.jsonl", "--store", tmp_path / "runs.db").returncode == 0
    for source, run_id, expected in (
        (log, [], "r1"),
        (tmp_path / "runs.db", [], "r3"),
        (tmp_path / "runs.db", ["r2"], "r2"),
        (tmp_path / "out.jsonl", ["r2"], "r2"),
    ):
        done = call("explain", source, *run_id)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(
            f'run {expected} - finished\n\nAsked\n"How tall, {expected}?"\n\nWhat came back\n'
        )
        assert ("record was not kept" in done.stdout) == (source.name == "out.jsonl")
    assert call("explain", "-", stdin=log.read_text()).stdout == call("explain", log).stdout


def test_a_fault_of_retrieval_is_told_with_its_first_cause(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    wrong = line("r", answer="The mast is 99 metres tall. [2]", gold={"relevant_ids": ["c9"]})
    path.write_text(json.dumps(wrong), "utf-8")
    out = " ".join(call("explain", path).stdout.split())
    assert "What failed first Nothing relevant found (retrieval; confidence 1): The one relevant id is not" in out
    assert "What to do: check that the evidence is in the index" in out
    follows = out.partition("What follows from it ")[2].partition(" Not checked ")[0]
    assert "Claim contradicts the context follows from it (claim 1; chunk 1; confidence 0." in follows


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain", "{tmp}/none"], "there is no file"),
        (["explain", "{tmp}/log.jsonl", "r9"], "holds no run 'r9'; `rag-eval-hooks show SOURCE --list` lists them"),
        (["explain"], "Missing argument 'SOURCE'"),
    ],
)
def test_what_is_not_there_is_one_line(tmp_path: Path, log: Path, arguments: list[str], words: str) -> None:
    assert log.parent == tmp_path
    done = call(*(part.format(tmp=tmp_path) for part in arguments))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


def test_nothing_of_a_run_steers_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    contexts = [{"id": f"{STEER}c1", "text": f"{STEER}The mast is 31 metres tall."}]
    steered = line(
        f"{STEER}r", question=f"{STEER}How tall?", contexts=contexts, answer=f"{STEER}Coffee is at nine. [7]"
    )
    path.write_text(json.dumps(steered), "utf-8")
    done = call("explain", path)
    assert done.returncode == 0
    assert all(letter.isprintable() or letter == "\n" for letter in done.stdout + done.stderr)
    assert "[bold]x[/bold]How tall?" in done.stdout, "shown as it is, not taken as markup"


def test_help_has_examples() -> None:
    shown = CliRunner().invoke(app, ["explain", "--help"]).stdout
    assert "\n    rag-eval-hooks explain log.jsonl r17\n" in shown
    assert (explain.__doc__ or "").partition("\n")[0] in " ".join(shown.split())
