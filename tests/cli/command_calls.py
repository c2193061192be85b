"""The command line as people call it, and logs to call it on."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["COMMAND", "call", "short", "write_log"]

COMMAND = [sys.executable, "-c", "from rag_eval_hooks.cli import main; main()"]


def call(*arguments: object, stdin: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "120", **environment},
    )


def short(name: str, **more: Any) -> dict[str, Any]:
    contexts = [{"id": "c1", "text": "The mast is 31 metres tall."}, {"id": "c2", "text": "Tea is served at five."}]
    gold = {"relevant_ids": ["c2"]}
    return {"id": name, "question": "How tall?", "contexts": contexts, "answer": "31 m. [1]", "gold": gold} | more


def write_log(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts), "utf-8")
    return path
