"""Whatever a framework puts into metadata becomes plain JSON."""

import json
import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from rag_eval_hooks.record import Chunk
from rag_eval_hooks.record.clean import json_value, text_id


class Colour(Enum):
    RED = "red"


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.float64("nan"), None),
        (float("inf"), None),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2026-01-02T03:04:00+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (timedelta(seconds=90), 90.0),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (Decimal("1.5"), "1.5"),
        (b"abc", "<bytes of 3 bytes>"),
        (Colour.RED, "red"),
        ((1, 2), [1, 2]),
        ({1: "x"}, {"1": "x"}),
        (Hostile(), "<Hostile>"),
        (threading.Lock(), "<lock>"),
        (10**30, str(10**30)),
        pytest.param(10**5000, "<int of 16610 bits>", id="longer than Python writes out"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_values(value: Any, expected: Any) -> None:
    cleaned = json_value(value)
    assert cleaned == expected
    json.dumps(cleaned, allow_nan=False).encode("utf-8")


def test_an_id_that_cannot_be_read_is_none() -> None:
    assert text_id(Hostile()) is None


def test_a_cycle_ends() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    text = json.dumps(json_value(loop))
    assert "not stored: nested too deeply" in text


def test_what_refers_back_to_itself_in_many_places_is_bounded() -> None:
    """Children that know their parent: 200 ** 4 of them down to the deepest level."""
    tree: dict[str, Any] = {"title": "t"}
    tree["children"] = [{"parent": tree} for _ in range(200)]
    text = json.dumps(json_value(tree))
    assert "<list, not stored: too much>" in text
    assert len(text) < 20_000 * 60
    assert json_value([[1] * 100] * 100) == [[1] * 100] * 100


def test_a_model_cleans_its_metadata_and_leaves_the_callers_alone() -> None:
    given = {"score": np.float32(0.25), "inner": {"when": date(2026, 1, 2)}}
    chunk = Chunk(id="a", text="t", metadata=given)
    assert chunk.metadata == {"score": 0.25, "inner": {"when": "2026-01-02"}}
    assert isinstance(given["score"], np.float32)
