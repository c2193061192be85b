"""Reads and writes the small settings files of attribution: JSON that says what it is."""

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from rag_eval_hooks.errors import ConfigError

__all__ = ["number", "read_settings", "settings_text", "write_text"]

VERSION = 1
"""Of the layout of all settings files."""
MAX_BYTES = 64 * 1024 * 1024


def read_settings(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """Returns the object in a settings file of this kind.

    Raises:
        ConfigError: If it cannot be read, is no JSON object, is of another kind, or of a version not known here.
    """
    try:
        if os.stat(path).st_size > MAX_BYTES:
            raise ConfigError(f"{path} is larger than {MAX_BYTES // 1024**2} MiB: this is no {kind} file")
        data = json.loads(Path(path).read_text("utf-8-sig"))  # some editors put a byte order mark first
    except OSError as error:
        raise ConfigError(f"cannot read the {kind} file {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no {kind} file: it is not JSON") from error
    if not isinstance(data, dict) or data.get("kind") != f"rag-eval-hooks {kind}":
        raise ConfigError(f'{path} is no {kind} file: it has no "kind": "rag-eval-hooks {kind}"')
    if data.get("version") != VERSION:
        raise ConfigError(f"{path}: this package reads {kind} files of version {VERSION}; make it anew")
    return data


def settings_text(kind: str, data: dict[str, Any]) -> str:
    """Returns what a settings file of this kind holds."""
    head = {"kind": f"rag-eval-hooks {kind}", "version": VERSION}
    return json.dumps({**head, **data}, ensure_ascii=False, indent=1) + "\n"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a settings file, over what was there.

    Raises:
        ConfigError: If the place cannot be written to.
    """
    try:
        Path(path).write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from error


def number(value: Any, name: str, path: str | os.PathLike[str], *, low: float = 0.0) -> float:
    """Returns a finite number of at least `low`.

    Raises:
        ConfigError: If it is none.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):  # a whole number may be too large for a float
            if math.isfinite(value) and value >= low:
                return float(value)
    at_least = f" from {low:g}" if math.isfinite(low) else ""
    raise ConfigError(f"{os.fspath(path)}: {name} must be a number{at_least}")
