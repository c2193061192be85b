"""What a store's address means, without connecting to it: a file path or a database URL."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks.sinks.paths import file_path
from rag_eval_hooks.sinks.sqlite_file import is_sqlite_file

__all__ = ["StoreAddress", "parse_address"]

EXPECTED = "give a file path (SQLite) or a URL such as postgresql://user@host/database"


@dataclass(frozen=True)
class StoreAddress:
    """A checked address: where the store is, and how SQLAlchemy reaches it."""

    url: URL
    """For SQLAlchemy."""
    path: Path | None
    """The SQLite file; None for a database server."""

    def __str__(self) -> str:
        """The address without its password."""
        return str(self.path) if self.path is not None else self.url.render_as_string(hide_password=True)


def parse_address(address: str | os.PathLike[str]) -> StoreAddress:
    """Returns what `address` means; touches no database, only looks whether a file path can be one.

    Raises:
        ConfigError: If the scheme is unknown, or the path cannot be a store; the message says what to give instead.
        MissingExtraError: If it needs a driver that is not installed.
    """
    text = os.fspath(address)
    if not isinstance(text, str) or not text.strip():
        raise ConfigError(f"a store needs an address; {EXPECTED}")
    if "://" not in text:
        return _file(text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        # The text may hold a password, so it is not repeated.
        raise ConfigError(f"the store's URL cannot be read; {EXPECTED}") from error
    backend, _, driver = url.drivername.partition("+")
    if backend == "sqlite":
        if driver not in ("", "pysqlite"):
            raise ConfigError(f"the SQLite driver {driver!r} is not supported; use sqlite:///path or the path alone")
        return _file(url.database or "")
    if backend not in ("postgresql", "postgres"):
        raise ConfigError(f"unknown kind of store {url.drivername!r}; {EXPECTED}")
    if driver not in ("", "psycopg"):
        raise ConfigError(f"the PostgreSQL driver {driver!r} is not supported; use postgresql+psycopg://")
    if find_spec("psycopg") is None:
        raise MissingExtraError("psycopg", "postgres")
    return StoreAddress(url.set(drivername="postgresql+psycopg"), None)


def _file(text: str) -> StoreAddress:
    if text in ("", ":memory:"):
        raise ConfigError("a store in memory would be lost; give a file path, or use MemorySink")
    path = file_path(text, example="runs.db")
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is not a regular file; {EXPECTED}")
    if path.exists() and path.stat().st_size and not is_sqlite_file(path):
        raise ConfigError(f"{path} is not an SQLite file; name a new file, or one that SqlSink made")
    return StoreAddress(URL.create("sqlite", database=str(path)), path)
