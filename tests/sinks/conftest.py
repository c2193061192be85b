"""Addresses of stores to test on: a new SQLite file, and a new schema of the PostgreSQL server of the tests."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def postgres_address() -> Iterator[str]:
    """A URL whose search path is a schema of this test alone."""
    address = os.environ.get("REH_TEST_POSTGRES")
    if not address:
        reason = "REH_TEST_POSTGRES is not set; it holds the address of a PostgreSQL server for tests"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    import psycopg

    plain = address.replace("postgresql+psycopg://", "postgresql://")
    schema = f"reh_{uuid.uuid4().hex}"
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        yield f"{address}{'&' if '?' in address else '?'}options=-csearch_path%3D{schema}"
        connection.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store, of each kind in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "runs.db")
    return str(request.getfixturevalue("postgres_address"))
