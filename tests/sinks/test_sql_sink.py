"""A record that was stored comes back equal, from SQLite as from PostgreSQL."""

import math
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import insert, select, update

from rag_eval_hooks import Evaluation, RagRun, evaluate, read_run
from rag_eval_hooks.errors import ConfigError, InputError
from rag_eval_hooks.record import MetricResult
from rag_eval_hooks.sinks import SinkError, SqlSink, read_newest, read_one, read_store
from rag_eval_hooks.sinks.engine import open_engine
from rag_eval_hooks.sinks.tables import results, runs


def a_run(run_id: str = "r1", **more: Any) -> RagRun:
    data = {
        "id": run_id,
        "question": "How tall is the mast?",
        "contexts": [
            {"id": "c1", "text": "The mast is 31 metres tall.", "score": 0.8, "metadata": {"page": 3, "tags": ["a"]}},
            {"id": None, "text": None, "score": math.nan},
            {"id": "c1", "text": "A second text under the same id."},
        ],
        "answer": "It is 31 metres tall. [1]",
        "gold": {"relevance": {"c1": 3, "c9": 0.5}, "evidence_sets": [["c1"], ["c8", "c9"]], "used": ["c1"]},
        "k": 2,
        "tags": ["prod", "de"],
        "metadata": {"topic": "masts", "nested": {"x": [1, 2.5, None, True]}},
    }
    return read_run(data | more)


def pair(run_id: str = "r1", **more: Any) -> tuple[RagRun, Evaluation]:
    run = a_run(run_id, **more)
    return run, evaluate(run)


def rows(address: str, query: Any) -> list[tuple[Any, ...]]:
    engine = open_engine(SqlSink(address).address, read_only=True)
    try:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(query)]
    finally:
        engine.dispose()


class Colour(Enum):
    RED = "red"


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def foreign_metadata() -> dict[str, Any]:
    cyclic: dict[str, Any] = {"name": "loop"}
    cyclic["self"] = cyclic
    return {
        "float32": np.float32(0.5),
        "int64": np.int64(7),
        "time": datetime(2024, 2, 29, tzinfo=UTC),
        "uuid": UUID(int=1),
        "path": Path("/srv/x"),
        "decimal": Decimal("1.10"),
        "bytes": b"\xff\x00",
        "set": {"one"},
        "enum": Colour.RED,
        "cycle": cyclic,
        "unprintable": Unprintable(),
        "nan": math.nan,
    }


AWKWARD = (
    "NUL \x00, lone \ud83d, joined \ud83d\ude00, ESC \x1b[31m, line\u2028sep, quote ' \" \\ % :name %(x)s, \r\n tab\t"
)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(pair(), id="whole short form"),
        pytest.param(pair("r2", answer=None, contexts=[], question=None), id="hardly anything"),
        pytest.param(
            pair(AWKWARD, question=AWKWARD, answer=AWKWARD, tags=[AWKWARD], metadata={AWKWARD: AWKWARD}),
            id="awkward characters in every text",
        ),
        pytest.param(pair("x" * 100_000, question="y" * 1_000_000), id="very long id and question"),
        pytest.param(pair(metadata=foreign_metadata()), id="Python objects in metadata"),
        pytest.param(pair(metadata={"big": 2**62, "small": 5e-324, "minus": -0.0}), id="numbers at the edge"),
    ],
)
def test_a_record_comes_back_equal(store_address: str, record: tuple[RagRun, Evaluation]) -> None:
    with SqlSink(store_address) as sink:
        sink.write(*record)
    assert list(read_store(store_address)) == [record]
    assert read_one(store_address, record[0].run_id) == record
    assert read_newest(store_address) == record


def test_foreign_values_are_stored_as_numbers_and_short_texts(store_address: str) -> None:
    with SqlSink(store_address) as sink:
        sink.write(*pair(metadata=foreign_metadata()))
    ((run, _),) = read_store(store_address)
    stored = dict(run.metadata)
    cycle, unprintable = stored.pop("cycle"), stored.pop("unprintable")
    assert stored == {
        "float32": 0.5,
        "int64": 7,
        "time": "2024-02-29T00:00:00+00:00",
        "uuid": "00000000-0000-0000-0000-000000000001",
        "path": "/srv/x",
        "decimal": "1.10",
        "bytes": "<bytes of 2 bytes>",
        "set": ["one"],
        "enum": "red",
        "nan": None,
    }
    assert cycle["self"]["name"] == "loop"
    assert unprintable == "<Unprintable>"


def test_columns_hold_what_people_select_by(store_address: str) -> None:
    run, evaluation = pair(metadata={"topic": "masts"})
    run = run.model_copy(update={"started_at": 1_700_000_000.25, "inclusion_probability": 0.1})
    measured = (
        MetricResult(metric="R@5", value=0.25, labels="gold"),
        MetricResult(metric="ContextPrecision@5", value=None, reason="no_context", labels="used"),
    )
    with SqlSink(store_address) as sink:
        sink.write(run, evaluation.model_copy(update={"results": measured}))
    columns = (runs.c.run_id, runs.c.schema_version, runs.c.started_at, runs.c.status, runs.c.question)
    assert rows(store_address, select(*columns)) == [("r1", 1, 1_700_000_000.25, "ok", "How tall is the mast?")]
    more = (runs.c.answer_kind, runs.c.inclusion_probability, runs.c.tags, runs.c.metadata)
    assert rows(store_address, select(*more)) == [("answer", 0.1, '["prod", "de"]', '{"topic": "masts"}')]
    assert sorted(rows(store_address, select(results))) == [
        ("r1", "ContextPrecision@5", None, "no_context", "used"),
        ("r1", "R@5", 0.25, None, "gold"),
    ]


def test_writing_a_run_id_again_replaces_it_and_moves_it_to_the_end(store_address: str) -> None:
    one, two = pair("one"), pair("two")
    again = pair("one", question="Another question?")
    fewer = again[1].model_copy(update={"results": (MetricResult(metric="R@1", value=1.0, labels="gold"),)})
    with SqlSink(store_address) as sink:
        sink.write(*one)
        sink.write(*two)
        sink.write(again[0], fewer)
    assert list(read_store(store_address)) == [two, (again[0], fewer)]
    assert rows(store_address, select(results.c.metric).where(results.c.run_id == "one")) == [("R@1",)]


def test_records_come_back_in_written_order_over_many_batches(store_address: str) -> None:
    run, evaluation = pair()
    names = [f"r{(number * 7919) % 251}" for number in range(251)]  # 251 is prime: each name once, not in order
    with SqlSink(store_address) as sink:
        for name in names:
            sink.write(run.model_copy(update={"run_id": name}), evaluation.model_copy(update={"run_id": name}))
    assert [stored.run_id for stored, _ in read_store(store_address)] == names
    newest = read_newest(store_address)
    assert newest is not None
    assert newest[0].run_id == names[-1]


def test_a_reader_sees_one_state_while_a_writer_goes_on(store_address: str) -> None:
    """Evaluating a store anew into itself ends, because rewritten runs do not appear again."""
    with SqlSink(store_address) as sink:
        for number in range(120):
            sink.write(*pair(f"r{number}"))
        seen = []
        for run, evaluation in read_store(store_address):
            sink.write(run, evaluation)
            seen.append(run.run_id)
    assert seen == [f"r{number}" for number in range(120)]


def test_two_sinks_take_turns_on_one_store(store_address: str) -> None:
    with SqlSink(store_address) as first, SqlSink(store_address) as second:
        first.write(*pair("a"))
        second.write(*pair("b"))
        first.write(*pair("c"))
    assert sorted(run.run_id for run, _ in read_store(store_address)) == ["a", "b", "c"]


def test_a_sink_works_again_after_close(store_address: str) -> None:
    sink = SqlSink(store_address)
    sink.write(*pair("a"))
    sink.close()
    sink.close()
    sink.write(*pair("b"))
    sink.close()
    assert [run.run_id for run, _ in read_store(store_address)] == ["a", "b"]


def test_an_unknown_run_is_none_and_an_empty_store_is_empty(store_address: str) -> None:
    with SqlSink(store_address) as sink:
        sink.open()
    assert read_one(store_address, "nope") is None
    assert read_newest(store_address) is None
    assert list(read_store(store_address)) == []


def test_a_damaged_record_costs_only_itself(store_address: str) -> None:
    with SqlSink(store_address) as sink:
        for name in ("a", "b", "c"):
            sink.write(*pair(name))
    engine = open_engine(SqlSink(store_address).address)
    with engine.begin() as connection:
        connection.execute(update(runs).where(runs.c.run_id == "b").values(run='{"schema_version": 99}'))
    engine.dispose()
    bad: list[tuple[str, str]] = []
    kept = [run.run_id for run, _ in read_store(store_address, on_bad=lambda *what: bad.append(what))]
    assert kept == ["a", "c"]
    assert [name for name, _ in bad] == ["b"]
    assert "schema_version 1" in bad[0][1]
    with pytest.raises(InputError, match="run 'b' cannot be read"):
        list(read_store(store_address))


def test_fields_of_a_newer_minor_version_are_ignored(store_address: str) -> None:
    record = pair("a")
    with SqlSink(store_address) as sink:
        sink.write(*record)
    newer = record[0].model_dump_json()[:-1] + ', "new_field": 1}'
    engine = open_engine(SqlSink(store_address).address)
    with engine.begin() as connection:
        connection.execute(update(runs).values(run=newer))
    engine.dispose()
    assert read_one(store_address, "a") == record


def test_a_refused_result_leaves_the_earlier_record_whole(store_address: str) -> None:
    """One transaction: where the results cannot be stored, the run is not replaced either."""
    old = pair("a")
    with SqlSink(store_address) as sink:
        sink.write(*old)
        engine = open_engine(sink.address)
        with engine.begin() as connection:
            connection.execute(insert(results).values(run_id="other", metric="R@1"))
            connection.exec_driver_sql("CREATE UNIQUE INDEX one_value ON results (metric)")
        engine.dispose()
        new = pair("a", question="New question")
        clash = new[1].model_copy(update={"results": (MetricResult(metric="R@1", value=1.0),)})
        with pytest.raises(SinkError, match="cannot write to"):
            sink.write(new[0], clash)
    assert list(read_store(store_address)) == [old]


def test_an_error_does_not_repeat_the_text_of_the_record(store_address: str) -> None:
    with SqlSink(store_address) as sink:
        sink.open()
        engine = open_engine(sink.address)
        with engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN must INTEGER")
            connection.exec_driver_sql("DROP TABLE results")
        engine.dispose()
        with pytest.raises(SinkError) as caught:
            sink.write(*pair("a", question="ada@example.org"))
    assert "ada@example.org" not in str(caught.value)
    assert "ada@example.org" not in str(caught.value.__cause__)


def test_someone_elses_table_is_not_touched(store_address: str) -> None:
    engine = open_engine(SqlSink(store_address).address)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE runs (experiment TEXT)")
    engine.dispose()
    with SqlSink(store_address) as sink, pytest.raises(SinkError, match="table 'runs' is not ours"):
        sink.write(*pair())
    with pytest.raises(InputError, match="cannot read"):
        list(read_store(store_address))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        pytest.param(["runs (experiment TEXT)"], "table 'runs' is not ours (no column", id="runs of another kind"),
        pytest.param(["Results (x)", "other (x)"], "table 'results' is not ours (no column", id="results of another"),
        pytest.param(["customers (id)", "orders (id)"], "it holds 'customers' and no runs); name another", id="others"),
    ],
)
def test_another_database_is_refused_and_stays_as_it_is(tmp_path: Path, tables: list[str], message: str) -> None:
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as database:
        for table in tables:
            database.execute(f"CREATE TABLE {table}")
        database.commit()
    before = path.read_bytes()
    with SqlSink(path) as sink:
        for attempt in (sink.open, lambda: sink.write(*pair())):
            with pytest.raises(SinkError, match=re.escape(message)):
                attempt()
    with pytest.raises(InputError, match="cannot read"):
        read_newest(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version = 7", "CREATE TABLE gone (id INTEGER PRIMARY KEY AUTOINCREMENT)"]
)
def test_an_empty_database_becomes_a_store(tmp_path: Path, statement: str) -> None:
    with closing(sqlite3.connect(tmp_path / "runs.db")) as database:
        database.execute(statement)
        database.execute("DROP TABLE IF EXISTS gone")
        database.commit()
    with SqlSink(tmp_path / "runs.db") as sink:
        sink.write(*pair())
    assert list(read_store(tmp_path / "runs.db")) == [pair()]


def test_a_table_beside_ours_is_no_reason_to_refuse(tmp_path: Path) -> None:
    with SqlSink(tmp_path / "runs.db") as sink:
        sink.open()
    with closing(sqlite3.connect(tmp_path / "runs.db")) as database:
        database.execute("CREATE TABLE notes (text)")
    with SqlSink(tmp_path / "runs.db") as sink:
        sink.write(*pair())
    assert list(read_store(tmp_path / "runs.db")) == [pair()]


def test_a_store_that_is_away_is_an_error_and_works_when_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "mount"
    folder.mkdir()
    sink = SqlSink(folder / "runs.db")
    folder.rmdir()
    with pytest.raises(SinkError, match="cannot write to"):
        sink.write(*pair("a"))
    folder.mkdir()
    sink.write(*pair("b"))
    sink.close()
    assert [run.run_id for run, _ in read_store(folder / "runs.db")] == ["b"]


def test_sqlite_uses_the_write_ahead_log(tmp_path: Path) -> None:
    with SqlSink(tmp_path / "runs.db") as sink:
        sink.write(*pair())
    connection = sqlite3.connect(tmp_path / "runs.db")
    try:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    finally:
        connection.close()


def test_a_database_that_is_not_a_store_is_named_as_such(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="no table 'results'; name a store that SqlSink wrote"):
        list(read_store(tmp_path / "other.db"))


def test_a_server_that_is_not_there_is_one_error_without_the_password() -> None:
    with SqlSink("postgresql://ada:secret@127.0.0.1:1/none") as sink:
        with pytest.raises(SinkError, match="cannot write to postgresql") as caught:
            sink.write(*pair())
        assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="cannot read postgresql"):
        read_newest("postgresql://ada:secret@127.0.0.1:1/none")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        pytest.param("", "a store needs an address", id="empty"),
        pytest.param(":memory:", "would be lost", id="memory"),
        pytest.param("sqlite://", "would be lost", id="memory as URL"),
        pytest.param("mysql://u:secret@h/d", "unknown kind of store 'mysql'", id="other database"),
        pytest.param("postgresql+asyncpg://u:secret@h/d", "driver 'asyncpg' is not supported", id="other driver"),
        pytest.param("sqlite+aiosqlite:///x.db", "driver 'aiosqlite' is not supported", id="other SQLite driver"),
        pytest.param("://secret", "URL cannot be read", id="no URL"),
        pytest.param("postgresql://u:secret@h:port/d", "URL cannot be read", id="port is no number"),
        pytest.param("{tmp}", "is a folder", id="folder"),
        pytest.param("{tmp}/no/runs.db", "does not exist; create it first", id="no such folder"),
        pytest.param("{tmp}/log.jsonl", "is not an SQLite file", id="another file"),
        pytest.param("/dev/null", "not a regular file", id="device"),
    ],
)
def test_an_address_that_cannot_be_a_store(tmp_path: Path, address: str, message: str) -> None:
    (tmp_path / "log.jsonl").write_text('{"question": "q"}\n')
    with pytest.raises(ConfigError, match=message) as caught:
        SqlSink(address.replace("{tmp}", str(tmp_path)))
    assert "secret" not in str(caught.value)
    assert (tmp_path / "log.jsonl").read_text() == '{"question": "q"}\n'


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("postgresql://u:secret@h/d", "postgresql+psycopg://u:***@h/d"),
        ("postgres://u:secret@h:5/d", "postgresql+psycopg://u:***@h:5/d"),
        ("postgresql+psycopg://h/d", "postgresql+psycopg://h/d"),
    ],
)
def test_postgres_addresses_go_to_psycopg(address: str, expected: str) -> None:
    assert str(SqlSink(address).address) == expected


def test_a_file_url_is_a_file_path(tmp_path: Path) -> None:
    with SqlSink(f"sqlite:///{tmp_path / 'runs.db'}") as sink:
        sink.write(*pair())
    assert len(list(read_store(tmp_path / "runs.db"))) == 1


def test_reading_a_file_that_is_not_there_creates_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_store(tmp_path / "runs.db")
    assert list(tmp_path.iterdir()) == []
