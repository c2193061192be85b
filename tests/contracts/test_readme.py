"""The README's Python blocks run in order, in one namespace, and its commands exist."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_eval_hooks.cli import app

README = Path(__file__).resolve().parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for number, block in enumerate(blocks("python"), 1):
        exec(compile(block, f"README block {number}", "exec"), namespace)  # noqa: S102  our own page
    out = capsys.readouterr().out
    assert "The warranty on kettles is 24 months" in out
    assert "ContextPrecision" in out


def test_the_first_block_is_within_the_first_forty_lines() -> None:
    """A newcomer sees a result before scrolling."""
    head = README.read_text(encoding="utf-8").split("```python")[1].split("```")[0]
    last = README.read_text(encoding="utf-8").split(head)[0].count("\n") + head.count("\n")
    assert last <= 40


def test_commands_exist() -> None:
    named = set(re.findall(r"^rag-eval-hooks (\w+)|`rag-eval-hooks (\w+)", README.read_text(encoding="utf-8"), re.M))
    commands = {first or second for first, second in named}
    assert {"replay", "show", "report", "metrics", "schema", "demo"} <= commands
    for command in commands:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command
