"""Writes a result file whole or not at all."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rag_eval_hooks.errors import ConfigError

__all__ = ["whole_file"]


@contextmanager
def whole_file(target: str | os.PathLike[str]) -> Iterator[Callable[[bytes], object]]:
    """Gives a function that writes bytes to `target`; the file appears, or is replaced, when the block ends well.

    Until then the bytes are in a hidden file beside it, which goes away when the block raises.
    `-` is standard output, and a device or pipe is written to directly.

    Raises:
        ConfigError: If the place cannot be written to, or becomes full.
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
        with path.open("wb") as device:
            yield device.write
        return
    place = path.resolve()  # of a link, the file behind it is replaced
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:100]}.", suffix=".part")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}; choose another place") from error
    part = Path(name)
    file = os.fdopen(handle, "wb")
    try:
        yield _writing(file.write, path)
        _writing(lambda _: file.close(), path)(b"")
        part.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask())
        part.replace(place)
    except BaseException:
        with suppress(OSError):  # what is still buffered fits no better than before
            file.close()
        with suppress(OSError):
            part.unlink()
        raise


def _to_stdout(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()  # someone may be reading along, as in `tail -f log | rag-eval-hooks replay - | ...`


def _writing(write: Callable[[bytes], object], path: Path) -> Callable[[bytes], object]:
    def checked(data: bytes) -> None:
        try:
            write(data)
        except OSError as error:
            raise ConfigError(f"cannot write {path}: {error.strerror or error}; nothing was written") from error

    return checked


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
