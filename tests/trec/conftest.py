"""TREC's own files beside the repository, and a short way to score two files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_eval_hooks.trec import Tally, TrecFile, judged_lists, score_lists, trec_metrics

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REH_SHARED", ROOT.parent / "shared")) / "data" / "trec_eval"

Values = dict[tuple[str, str], float]
Scorer = Callable[..., Values]


@pytest.fixture(scope="session")
def trec_files() -> Path:
    if not SHARED.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{SHARED} is missing; CI must have it")
        pytest.skip("trec_eval's test files are not beside the repository")
    return SHARED


@pytest.fixture(scope="session")
def scored() -> Scorer:
    """Values by measure and query; the mean's query is `all`."""

    def score(qrels: Path, run: Path, names: list[str], *, order: str = "trec", depth: int | None = None, **how):
        metrics = trec_metrics(names)
        tally = Tally(metrics)
        values: Values = {}
        with TrecFile(qrels) as qrels_file, TrecFile(run) as run_file:
            for one in score_lists(judged_lists(qrels_file, run_file, order=order, depth=depth), metrics, **how):
                tally.add(one)
                if one.evaluated:
                    values |= {(name, one.query): value for name, value in zip(names, one.values, strict=True)}
        values |= {(name, "all"): average.mean for name, average in zip(names, tally.averages(), strict=True)}
        return values

    return score
