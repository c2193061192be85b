"""Reads a store that `SqlSink` wrote, in the order of writing and without holding it in memory."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Select, select, tuple_
from sqlalchemy.exc import SQLAlchemyError

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.record.evaluation import EVALUATION_SCHEMA_VERSION
from rag_eval_hooks.record.read import first_problem
from rag_eval_hooks.record.run import RUN_SCHEMA_VERSION
from rag_eval_hooks.sinks.address import StoreAddress, parse_address
from rag_eval_hooks.sinks.base import SinkError
from rag_eval_hooks.sinks.engine import check_tables, open_engine
from rag_eval_hooks.sinks.keys import run_key
from rag_eval_hooks.sinks.tables import runs

__all__ = ["read_newest", "read_one", "read_store"]

BATCH = 100
Pair = tuple[RagRun, Evaluation]
OnBad = Callable[[str, str], None]
COLUMNS = (runs.c.run_id, runs.c.written_at, runs.c.run, runs.c.evaluation)


def read_store(address: str | os.PathLike[str], *, on_bad: OnBad | None = None) -> Iterator[Pair]:
    """Yields each stored run with its evaluation, in the order in which they were written.

    Reads one state of the store, a batch at a time: what is written meanwhile neither waits for us nor appears.

    Args:
        address: A file path (SQLite) or URL, as for `SqlSink`.
        on_bad: Called with run id and reason for a record that cannot be read (written by a newer version, or
            damaged); without it, such a record raises.

    Raises:
        ConfigError: If the address cannot be a store; raised at the call, not at the first item.
        InputError: If there is no such file (at the call), the store cannot be read, or a record cannot and `on_bad`
            is not given.
    """
    checked = _existing(address)
    return _read_all(checked, on_bad)


def read_one(address: str | os.PathLike[str], run_id: str) -> Pair | None:
    """Returns the stored run with this id and its evaluation, or None.

    Raises:
        ConfigError, InputError: As for `read_store`.
    """
    return _first(_existing(address), select(*COLUMNS).where(runs.c.run_id == run_key(run_id)))


def read_newest(address: str | os.PathLike[str]) -> Pair | None:
    """Returns the run that was written last and its evaluation, or None for an empty store.

    Raises:
        ConfigError, InputError: As for `read_store`.
    """
    order = (runs.c.written_at.desc(), runs.c.run_id.desc())
    return _first(_existing(address), select(*COLUMNS).order_by(*order).limit(1))


def _existing(address: str | os.PathLike[str]) -> StoreAddress:
    checked = parse_address(address)
    if checked.path is not None and not checked.path.exists():
        raise InputError(f"there is no file {checked.path}; name a store that SqlSink wrote")
    return checked


def _read_all(address: StoreAddress, on_bad: OnBad | None) -> Iterator[Pair]:
    place = tuple_(runs.c.written_at, runs.c.run_id)
    ordered = select(*COLUMNS).order_by(runs.c.written_at, runs.c.run_id).limit(BATCH)
    with _reading(address) as connection:
        batch = _fetch(connection, ordered)
        while batch:
            for key, _, run, evaluation in batch:
                try:
                    pair = _parse(key, run, evaluation)
                except InputError as error:
                    if on_bad is None:
                        raise
                    on_bad(key, str(error))
                else:
                    yield pair
            last = batch[-1]
            batch = _fetch(connection, ordered.where(place > (last[1], last[0])))


def _first(address: StoreAddress, query: Select[Any]) -> Pair | None:
    with _reading(address) as connection:
        for key, _, run, evaluation in _fetch(connection, query):
            return _parse(key, run, evaluation)
    return None


@contextmanager
def _reading(address: StoreAddress) -> Iterator[Connection]:
    """A connection on which every query sees the same state."""
    engine = open_engine(address, read_only=True)
    try:
        # A transaction of SQLite sees one state anyhow, at the level that the driver calls SERIALIZABLE.
        level = "SERIALIZABLE" if address.path is not None else "REPEATABLE READ"
        with engine.connect().execution_options(isolation_level=level) as connection:
            check_tables(connection)
            yield connection
    except SinkError as error:
        raise InputError(f"cannot read {address}: {error}") from error
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        first_line = next(iter(str(cause).strip().splitlines()), "")
        raise InputError(f"cannot read {address}: {type(cause).__name__}: {first_line[:200]}") from error
    finally:
        engine.dispose()


def _fetch(connection: Connection, query: Select[Any]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(query)]


def _parse(key: str, run: str, evaluation: str) -> Pair:
    try:
        return (
            RagRun.model_validate_json(run, extra="ignore"),
            Evaluation.model_validate_json(evaluation, extra="ignore"),
        )
    except ValidationError as error:
        raise InputError(
            f"run {key[:80]!r} cannot be read ({first_problem(error, 'record')}); this package reads runs of "
            f"schema_version {RUN_SCHEMA_VERSION} and evaluations of {EVALUATION_SCHEMA_VERSION}"
        ) from error
