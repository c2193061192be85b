"""Connections to a store: how SQLite and PostgreSQL are set up so that several processes can use one store."""

import random
import sqlite3
import time
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, text

from rag_eval_hooks.sinks.address import StoreAddress
from rag_eval_hooks.sinks.base import SinkError
from rag_eval_hooks.sinks.tables import metadata

__all__ = ["check_tables", "create_tables", "open_engine"]

BUSY_SECONDS = 15.0
CONNECT_SECONDS = 10
LOCK_KEY = 7_266_120_731
"""PostgreSQL advisory lock under which one process creates the tables while the others wait."""


def _same(value: Any) -> Any:
    return bytes(value).decode("utf-8") if isinstance(value, (bytes, bytearray, memoryview)) else value


def open_engine(address: StoreAddress, *, read_only: bool = False) -> Engine:
    """Returns an engine for the store; connects only when used.

    JSON columns take and give JSON text, which the record models write and read themselves.
    Statements never show their values in error messages: those are texts of the host's users.
    """
    options: dict[str, Any] = {"json_serializer": _same, "json_deserializer": _same, "hide_parameters": True}
    if address.path is None:
        connect_args: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "application_name": "rag-eval-hooks"}
        # `query` of the URL wins over our defaults.
        connect_args = {key: value for key, value in connect_args.items() if key not in address.url.query}
        # A statement prepared on the server does not survive a pooler between transactions (PgBouncer).
        connect_args["prepare_threshold"] = None
        return create_engine(address.url, pool_pre_ping=True, connect_args=connect_args, **options)
    engine = create_engine(address.url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}, **options)

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves: a writer must take its lock at the start
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        else:
            _refuse_foreign(connection)  # before the switch below, which is written into the file
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous=NORMAL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _refuse_foreign(connection: sqlite3.Connection) -> None:
    """Raises where the file is someone else's database; an empty one is accepted. Changes nothing."""
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'"
    there = [str(name) for (name,) in connection.execute(query)]
    ours = [table for table in metadata.sorted_tables if table.name in {name.lower() for name in there}]
    if there and not ours:
        raise SinkError(
            f"it is another database (it holds {min(there)[:40]!r} and no runs); name another file, "
            "which is made where there is none"
        )
    for table in ours:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (table.name,))
        _check_columns(table, {str(name) for (name,) in columns})


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switches the file to write-ahead logging; the switch does not honour the busy timeout, so it is tried again."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.05))  # noqa: S311  spreads processes, keeps no secret


def create_tables(engine: Engine) -> None:
    """Creates the tables where they are missing; safe while other processes do the same.

    Raises:
        SinkError: If the database holds tables of these names that are not ours.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
        metadata.create_all(connection)
        check_tables(connection)


def check_tables(connection: Connection) -> None:
    """Looks whether the store's tables are there and ours.

    Raises:
        SinkError: If one is missing or is someone else's; the message says what to do.
    """
    inspector = inspect(connection)
    for table in metadata.sorted_tables:
        if not inspector.has_table(table.name):
            raise SinkError(f"it has no table {table.name!r}; name a store that SqlSink wrote")
        _check_columns(table, {column["name"] for column in inspector.get_columns(table.name)})


def _check_columns(table: Table, there: set[str]) -> None:
    missing = sorted({column.name for column in table.columns} - there)
    if missing:
        raise SinkError(
            f"its table {table.name!r} is not ours (no column {missing[0]!r}); "
            "give another database, or for PostgreSQL another schema (?options=-csearch_path%3Dname)"
        )
