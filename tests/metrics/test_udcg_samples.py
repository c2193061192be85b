"""UDCG's own sample data gives the values its own code computed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.record import Gold, RagRun
from rag_eval_hooks.testing import make_run

SHARED = Path(os.environ.get("REH_SHARED", Path(__file__).resolve().parents[3] / "shared"))
FILE = SHARED / "data" / "udcg_samples" / "dataset_with_udcg.json"

pytestmark = pytest.mark.shared


def examples() -> list[dict[str, Any]]:
    if not FILE.is_file():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{FILE} is missing; CI must have it")
        pytest.skip("UDCG's samples are not beside the repository")
    loaded: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


def run_of(example: dict[str, Any], model: str) -> RagRun:
    passages = example["passages"]
    gold = Gold(
        relevance={one["doc_id"]: float(one["is_relevant"]) for one in passages},
        utility={one["doc_id"]: 1 - one["models_info"][model]["no_res_prob"] for one in passages},
    )
    return make_run([(one["doc_id"], one["text"]) for one in passages], gold=gold, judge=gold)


def test_every_example_has_the_value_of_the_original_code() -> None:
    compared = 0
    for example in examples():
        for model, expected in example["udcg"].items():
            run = run_of(example, model)
            for name in ("UDCG", "UDCG@5", "UDCG(labels=judge)@100"):
                assert parse_metric(name).score(run).value == pytest.approx(expected, abs=1e-9), example["example_id"]
                compared += 1
    assert compared >= 9  # three examples at the least


def test_example_1_by_hand() -> None:
    first = next(example for example in examples() if example["example_id"] == "example_1")
    value = parse_metric("UDCG").score(run_of(first, next(iter(first["udcg"])))).value
    assert value == pytest.approx(0.55538, abs=5e-6)  # sigmoid((2.000 - 0.333 * 2.666) / 5)
