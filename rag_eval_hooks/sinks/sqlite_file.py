"""Tells an SQLite file by its first bytes, without importing a database library."""

from pathlib import Path

__all__ = ["is_sqlite_file"]

_MAGIC = b"SQLite format 3\x00"


def is_sqlite_file(path: Path) -> bool:
    """Whether `path` is a regular file that starts as an SQLite database does; False where it cannot be read."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False
