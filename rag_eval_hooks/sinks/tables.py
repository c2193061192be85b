"""The tables of a store, the same in SQLite and PostgreSQL."""

from sqlalchemy import JSON, Column, Float, Index, Integer, MetaData, Table, Text

__all__ = ["metadata", "results", "runs"]

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("schema_version", Integer, nullable=False),
    Column("started_at", Float(53)),
    Column("status", Text, nullable=False),
    Column("question", Text),
    Column("answer_kind", Text, nullable=False),
    Column("inclusion_probability", Float(53), nullable=False),
    Column("tags", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("run", JSON, nullable=False),
    Column("evaluation", JSON, nullable=False),
    Column("written_at", Float(53), nullable=False),
    Index("runs_by_writing", "written_at", "run_id"),
)
"""One row per run; `run` and `evaluation` hold the whole records, the other columns are there to select by."""

results = Table(
    "results",
    metadata,
    Column("run_id", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("value", Float(53)),
    Column("reason", Text),
    Column("labels", Text),
    Index("results_by_run", "run_id"),
    Index("results_by_metric", "metric"),
)
"""One row per measure of a run; `value` is null where there is none, and `reason` says why."""
