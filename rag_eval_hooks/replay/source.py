"""Opens what a command reads: a JSONL file (also gzipped), standard input, or a store."""

import gzip
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.replay.lines import Line, Problem
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.sinks.sqlite_file import is_sqlite_file

__all__ = ["Source", "is_store", "open_source", "source_name", "stored_lines", "stored_pairs"]

GZIP_MAGIC = b"\x1f\x8b"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass
class Source:
    """An opened JSONL input."""

    stream: BinaryIO
    """The bytes, uncompressed."""
    size: int | None
    """Size of the file in bytes; None where it is not known."""
    _raw: BinaryIO

    def position(self) -> int:
        """How many bytes of the file were read."""
        try:
            return self._raw.tell()
        except OSError:
            return 0


def is_store(source: str | os.PathLike[str]) -> bool:
    """Whether `source` names a store (a URL, or an SQLite file) rather than JSONL."""
    text = os.fspath(source)
    if "://" in text:
        return True
    return is_sqlite_file(Path(text))


def stored_lines(address: str | os.PathLike[str]) -> Iterator[Line]:
    """Yields each record of a store as a line, numbered from 1; one that cannot be read is a problem.

    Raises:
        InputError: If the store cannot be read.
        ConfigError: If its address cannot be used.
    """
    return (
        Line(number, problem=item) if isinstance(item, Problem) else Line(number, run=item[0])
        for number, item in enumerate(stored_pairs(address), 1)
    )


def stored_pairs(address: str | os.PathLike[str]) -> Iterator[tuple[RagRun, Evaluation] | Problem]:
    """Yields each record of a store, or the problem with it, in the order of writing; raises as `stored_lines`."""
    from rag_eval_hooks.sinks.store import read_store

    bad: list[Problem] = []
    for pair in read_store(address, on_bad=lambda _, why: bad.append(Problem("damaged", one_line(why, 300)))):
        yield from bad
        bad.clear()
        yield pair
    yield from bad


@contextmanager
def open_source(source: str | os.PathLike[str]) -> Iterator[Source]:
    """Opens a JSONL file or, for `-`, standard input; gzip is noticed by its first bytes.

    Raises:
        InputError: If there is no such file, or it is a folder, cannot be opened or is no text.
    """
    text = os.fspath(source)
    if text == "-":
        buffered = cast("io.BufferedReader", sys.stdin.buffer)
        yield Source(_uncompressed(buffered, "standard input"), None, buffered)
        return
    path = Path(text)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a JSONL file or a store in it")
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; name a JSONL file of runs, a store, or - for standard input") from (
            error
        )
    except OSError as error:
        raise InputError(f"cannot open {path}: {error.strerror or error}") from error
    with file:
        size = path.stat().st_size if path.is_file() else None
        yield Source(_uncompressed(file, str(path)), size, file)


def _uncompressed(file: io.BufferedReader, name: str) -> BinaryIO:
    try:
        start = file.peek(len(GZIP_MAGIC))
    except OSError as error:
        raise InputError(f"cannot read the input: {error.strerror or error}") from error
    if start.startswith(GZIP_MAGIC):
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    # A log may hold a damaged line; UTF-16 is left to the reader of lines, which says how to convert it.
    if b"\0" in start and not start.lstrip(BLANK).startswith((b"{", *UTF16_MARKS)):
        raise InputError(f"{name}: this is not a text file; name JSONL (also gzipped) or a store")
    return file


def source_name(source: str | os.PathLike[str]) -> str:
    """Returns how to name `source` to people: a file's name, a URL without user and password."""
    text = os.fspath(source)
    if text == "-":
        return "standard input"
    if "://" in text:
        scheme, _, rest = text.partition("://")
        return f"{scheme.partition('+')[0]}://{rest.rpartition('@')[2].partition('?')[0]}"
    return Path(text).name
