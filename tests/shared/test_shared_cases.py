"""Runs the case files beside the repository through the command line, as an outside check does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REH_SHARED", ROOT.parent / "shared"))


@pytest.mark.shared
def test_all_text_cases_hold() -> None:
    checker = SHARED / "cases" / "check.py"
    if not checker.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{checker} is missing; CI must have it")
        pytest.skip("the case files are not beside the repository")
    command = f"{Path(sys.executable).with_name('rag-eval-hooks')} replay"
    done = subprocess.run(
        [sys.executable, str(checker), "--command", command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "84 of 84 cases hold" in done.stdout
