"""`JsonlSink`: one JSON object a line, appended to a file that other processes may append to as well."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.sinks.base import ForkAwareSink, SinkError
from rag_eval_hooks.sinks.paths import file_path
from rag_eval_hooks.sinks.sqlite_file import is_sqlite_file

try:
    import fcntl
except ImportError:  # Windows has no flock; there one process per file is promised, not several
    fcntl = None  # type: ignore[assignment]

__all__ = ["JsonlSink"]

What = Literal["evaluations", "runs"]


class JsonlSink(ForkAwareSink):
    r"""Appends one JSON object a line to a file: strict JSON, UTF-8, lines end in `\n`.

    Several processes may append to one file: each line is written under a file lock. A line that cannot be written
    whole (disk full) is taken back before the error is raised, and a half line that a killed process left is closed
    off, so that it costs only itself. The file is opened at the first write and created with its owner's umask.

    Args:
        path: The file; a relative path counts from the folder the process is in now. Its folder must exist.
        what: `evaluations` writes what was concluded; `runs` writes what happened, which `replay` can read again.

    Raises:
        ConfigError: If `what` is another word, the path is a folder or an SQLite file, or its folder does not exist.
    """

    def __init__(self, path: str | os.PathLike[str], what: What = "evaluations") -> None:
        if what not in ("evaluations", "runs"):
            raise ConfigError(f'what: expected "evaluations" or "runs", got {what!r}')
        self.path = file_path(path, example="evaluations.jsonl")
        if is_sqlite_file(self.path):
            raise ConfigError(f"{self.path} is an SQLite database; give another file, or use SqlSink to write into it")
        super().__init__()
        self.what = what
        self._lock = threading.Lock()
        self._file: int | None = None

    def open(self) -> None:
        """Opens the file, creating it where it is missing.

        Raises:
            SinkError: If it cannot be opened for appending.
        """
        with self._lock, self._failing("open"):
            self._opened()

    def write(self, run: RagRun, evaluation: Evaluation) -> None:
        """Appends one line, whole or not at all.

        Raises:
            SinkError: If the line could not be written.
        """
        record = run if self.what == "runs" else evaluation
        line = record.model_dump_json().encode("utf-8") + b"\n"
        with self._lock, self._failing("append to"):
            _append(self._opened(), line)

    def flush(self) -> None:
        """Returns when the lines are on the disk.

        Raises:
            SinkError: If the system reports that they are not.
        """
        with self._lock:
            self._sync()

    def close(self) -> None:
        """Flushes and closes the file; a later `write` opens it again."""
        with self._lock:
            try:
                self._sync()
            finally:
                if self._file is not None:
                    os.close(self._file)
                    self._file = None

    def _opened(self) -> int:
        if self._file is None:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        return self._file

    def _sync(self) -> None:
        # Only a regular file has a disk to wait for; a pipe or a device would refuse.
        if self._file is not None and stat.S_ISREG(os.fstat(self._file).st_mode):
            with self._failing("flush"):
                os.fsync(self._file)

    @contextmanager
    def _failing(self, doing: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SinkError(f"cannot {doing} {self.path}: {error.strerror or error}") from error

    def _after_fork(self) -> None:
        # A file lock belongs to the open file, which parent and child would share: the child opens its own.
        self._lock = threading.Lock()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            os.close(self._file)  # type: ignore[arg-type]
            self._file = None


def _append(file: int, line: bytes) -> None:
    """Appends `line` under the file's lock; takes a part of it back if the rest does not fit."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        size = os.fstat(file).st_size
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            if os.read(file, 1) != b"\n":
                line = b"\n" + line
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except BaseException:
            if len(rest) < len(line):
                os.ftruncate(file, size)
            raise
    finally:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_UN)
