"""Opens a TREC file that is read more than once, and says where a line is wrong."""

import gzip
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, NoReturn

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.reports.plain import one_line

__all__ = ["MAX_LINE_BYTES", "TrecFile"]

MAX_LINE_BYTES = 1024 * 1024
"""A longer line is no line of a qrels or run file; it is refused without being held in memory."""

GZIP_MAGIC = b"\x1f\x8b"


class TrecFile:
    """A qrels or run file; plain or gzipped, a pipe, or `-` for standard input. A context manager.

    What can be read once only (a pipe, standard input) is first copied to a temporary file on disk.

    Args:
        source: Where the file is.
        on_progress: Called now and then with the bytes read so far, compressed bytes where the file is gzipped.

    Raises:
        InputError: If there is no such file, or it is a folder or cannot be opened.
    """

    def __init__(self, source: str | os.PathLike[str], on_progress: Callable[[int, int], None] | None = None) -> None:
        text = os.fspath(source)
        self.name = "standard input" if text == "-" else one_line(text, 200)
        self._on_progress = on_progress
        try:
            self._raw: IO[bytes] = self._opened(text)
            self.size = os.fstat(self._raw.fileno()).st_size
        except FileNotFoundError as error:
            raise InputError(f"there is no file {self.name}; name a TREC file, or - for standard input") from error
        except OSError as error:
            raise InputError(f"cannot read {self.name}: {error.strerror or error}") from error

    def _opened(self, text: str) -> IO[bytes]:
        if text == "-":
            return _copied(sys.stdin.buffer)
        if Path(text).is_dir():
            raise InputError(f"{self.name} is a folder; name a TREC file in it")
        file = Path(text).open("rb")  # noqa: SIM115  closed by `close`
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        with file:
            return _copied(file)

    def __enter__(self) -> "TrecFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._raw.close()

    def lines(self) -> Iterator[bytes]:
        """Yields every line from the start, blank ones and comments too; one reader at a time.

        Raises:
            InputError: If a line is too long, or the file cannot be read on or is in UTF-16.
        """
        number = 0
        try:
            self._raw.seek(0)
            start = self._raw.read(len(GZIP_MAGIC))
            self._raw.seek(0)
            stream: IO[bytes] = gzip.GzipFile(fileobj=self._raw) if start == GZIP_MAGIC else self._raw  # type: ignore[assignment]
            if start in (b"\xff\xfe", b"\xfe\xff"):
                raise InputError(f"{self.name} is in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8")
            for number, line in enumerate(iter(partial(stream.readline, MAX_LINE_BYTES + 1), b""), 1):
                if len(line) > MAX_LINE_BYTES:
                    self.refuse(number, line, f"the line is longer than {MAX_LINE_BYTES // 1024} KiB")
                if self._on_progress is not None and number % 4096 == 0:
                    self._on_progress(self._raw.tell(), self.size)
                yield line.removeprefix(b"\xef\xbb\xbf")  # joined files keep their byte order marks
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"{self.name} cannot be read on after line {number}: {one_line(str(error), 200)}") from (
                error
            )

    def refuse(self, number: int, line: bytes, problem: str) -> NoReturn:
        """Raises the error that says which line is wrong and how.

        Raises:
            InputError: Always.
        """
        shown = one_line(line[:1024].decode("utf-8", "replace"), 80)
        raise InputError(f"{self.name} line {number}: {problem}: {shown}; nothing was averaged")


def _copied(stream: IO[bytes]) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115  closed by `close`
    try:
        shutil.copyfileobj(stream, copy, 1024 * 1024)
    except BaseException:
        copy.close()
        raise
    copy.flush()
    return copy
