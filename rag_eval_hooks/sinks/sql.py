"""`SqlSink`: runs and evaluations in SQLite or PostgreSQL, through SQLAlchemy Core."""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, delete, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.sinks.address import parse_address
from rag_eval_hooks.sinks.base import ForkAwareSink, SinkError
from rag_eval_hooks.sinks.engine import create_tables, open_engine
from rag_eval_hooks.sinks.keys import run_key, storable
from rag_eval_hooks.sinks.tables import results, runs

__all__ = ["SqlSink"]


class SqlSink(ForkAwareSink):
    """Stores runs with their evaluations in an SQL database that reports and `replay` read again.

    Writing a run id again replaces what was stored under it, in one transaction. Several processes may write one
    store: SQLite uses its write-ahead log and waits up to 15 s for another writer, PostgreSQL locks rows.
    The database is reached at the first write (or at `open`), and tables are created where missing.

    Args:
        address: A file path (SQLite), or a URL `postgresql://user:password@host/database`.

    Raises:
        ConfigError: If the address cannot be a store.
        MissingExtraError: If PostgreSQL is asked for and its driver is not installed.
    """

    def __init__(self, address: str | os.PathLike[str]) -> None:
        self.address = parse_address(address)
        super().__init__()
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._ready = False
        self._last_written = 0.0

    def open(self) -> None:
        """Connects and creates the tables now, to find a fault before the first record.

        Raises:
            SinkError: If the database cannot be reached or used.
        """
        with self._lock, self._failing("open"):
            self._connected()

    def write(self, run: RagRun, evaluation: Evaluation) -> None:
        """Stores one run and its evaluation in one transaction; replaces an earlier one with the same run id.

        Raises:
            SinkError: If the database refused it or cannot be reached; nothing of the record is then stored.
        """
        row = _run_row(run, evaluation)
        measured = _result_rows(row["run_id"], evaluation)
        with self._lock, self._failing("write to"):
            engine = self._connected()
            # Strictly growing, so that records come back in the order in which they were written.
            self._last_written = max(time.time(), self._last_written + 1e-6)
            row["written_at"] = self._last_written
            dialect = postgresql if engine.dialect.name == "postgresql" else sqlite
            upsert = dialect.insert(runs).values(row)
            others = {name: upsert.excluded[name] for name in row if name != "run_id"}
            with engine.begin() as connection:
                # First the run's own row: it makes other writers of the same id wait.
                connection.execute(upsert.on_conflict_do_update(index_elements=["run_id"], set_=others))
                connection.execute(delete(results).where(results.c.run_id == row["run_id"]))
                if measured:
                    connection.execute(insert(results), measured)

    def close(self) -> None:
        """Closes the connections; a later `write` connects again."""
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
            self._engine = None
            self._ready = False

    def _connected(self) -> Engine:
        if self._engine is None:
            self._engine = open_engine(self.address)
        if not self._ready:
            create_tables(self._engine)
            self._ready = True
        return self._engine

    @contextmanager
    def _failing(self, doing: str) -> Iterator[None]:
        try:
            yield
        except SinkError as error:
            raise SinkError(f"cannot {doing} {self.address}: {error}") from error
        except SQLAlchemyError as error:
            # A table that was dropped meanwhile is created again at the next write.
            self._ready = False
            cause = getattr(error, "orig", None) or error
            first_line = next(iter(str(cause).strip().splitlines()), "")
            raise SinkError(f"cannot {doing} {self.address}: {type(cause).__name__}: {first_line[:200]}") from error

    def _after_fork(self) -> None:
        # The parent still uses its connections: forget them without closing them.
        self._lock = threading.Lock()
        if self._engine is not None:
            self._engine.dispose(close=False)
            self._engine = None
            self._ready = False


def _run_row(run: RagRun, evaluation: Evaluation) -> dict[str, Any]:
    return {
        "run_id": run_key(run.run_id),
        "schema_version": run.schema_version,
        "started_at": run.started_at,
        "status": run.status,
        "question": storable(run.question),
        "answer_kind": evaluation.answer_kind,
        "inclusion_probability": run.inclusion_probability,
        "tags": json.dumps(run.tags),
        "metadata": json.dumps(run.metadata, allow_nan=False),
        "run": run.model_dump_json(),
        "evaluation": evaluation.model_dump_json(),
    }


def _result_rows(key: str, evaluation: Evaluation) -> list[dict[str, Any]]:
    return [
        {
            "run_id": key,
            "metric": storable(result.metric),
            "value": result.value,
            "reason": storable(result.reason),
            "labels": result.labels,
        }
        for result in evaluation.results
    ]
