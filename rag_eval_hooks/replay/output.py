"""Writes a result file whole or not at all."""

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.sinks.sqlite_file import is_sqlite_file

__all__ = ["refuse_input", "same_file", "whole_file"]

Write = Callable[[bytes], object]

NOTHING = "nothing was written"


@contextmanager
def whole_file(target: str | os.PathLike[str]) -> Iterator[Write]:
    """Gives a function that writes bytes to `target`; the file appears, or is replaced, when the block ends well.

    Until then the bytes are in a hidden file beside it, which goes away when the block raises. Of a link, the file
    behind it is replaced. `-` is standard output; what is no file, a pipe or a device, gets the bytes as they come.
    An SQLite database is never replaced: it may be a store, and its runs would be lost.

    Raises:
        ConfigError: If the place cannot be written to, becomes full, or holds an SQLite database.
    """
    text = os.fspath(target)
    if text == "-":
        yield _to_stdout
        return
    path = Path(text)
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise ConfigError(f"the folder {path.parent} does not exist; create it first")
    if path.exists() and not path.is_file():
        with _opened(path) as device:
            yield _through(device, path)
        return
    _refuse_database(path)
    with _refusing(path, "choose another place"):
        with suppress(FileNotFoundError):
            path.stat()  # a link to itself: Python 3.13 resolves it without a word
        place = path.resolve()
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:100]}.", suffix=".part")
    part, file = Path(name), os.fdopen(handle, "wb")

    def write(data: bytes) -> None:
        with _refusing(path, NOTHING):
            file.write(data)

    try:
        yield write
        with _refusing(path, NOTHING):
            file.close()
            _refuse_database(place)  # a store may have been made there meanwhile
            part.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask())
            part.replace(place)
    except BaseException:
        with suppress(OSError):  # what is still buffered fits no better than before
            file.close()
        with suppress(OSError):
            part.unlink()
        raise


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two names lead to one regular file, or to one that is not there yet; `-` and a URL name none."""
    texts = os.fspath(one), os.fspath(other)
    if any(text == "-" or "://" in text for text in texts):
        return False
    first, second = map(Path, texts)
    with suppress(OSError, RuntimeError, ValueError):  # a name that can be no file is refused where it is opened
        if first.exists() and second.exists():
            return first.is_file() and first.samefile(second)
        return first.resolve() == second.resolve()
    return False


def refuse_input(
    target: str | os.PathLike[str], *sources: str | os.PathLike[str], called: str = "the input itself"
) -> None:
    """Makes sure that a result does not replace what it is computed from.

    Raises:
        ConfigError: If `target` is the file of one of the `sources`, which the message calls `called`.
    """
    for source in sources:
        if same_file(source, target) and Path(target).exists():
            raise ConfigError(f"{os.fspath(target)} is {called}; give another file for the output")


def _refuse_database(path: Path) -> None:
    if is_sqlite_file(path):
        raise ConfigError(
            f"{path} is an SQLite database, which this output would replace; give another file "
            "(to write into a store, use `replay --store`)"
        )


def _to_stdout(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()  # someone may be reading along, as in `tail -f log | rag-eval-hooks replay - | ...`


def _opened(device: Path) -> io.FileIO:
    with _refusing(device, "choose another place"):
        return io.FileIO(device, "w")  # without a buffer, so that nothing is left to write when a write has failed


def _through(device: io.FileIO, path: Path) -> Write:
    def write(data: bytes) -> None:
        rest = memoryview(data)
        with _refusing(path, "what was written before stays"):
            while rest:
                rest = rest[device.write(rest) or 0 :]  # a signal may end a write before its end

    return write


@contextmanager
def _refusing(path: Path, outcome: str) -> Iterator[None]:
    """Turns a fault of the place into an error that names it; a reader that went away is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself, before Python 3.13
        why = error.strerror if isinstance(error, OSError) else None
        raise ConfigError(f"cannot write {path}: {why or error}; {outcome}") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
