"""trec_eval's own test files give trec_eval's printed values, to its four decimals."""

from collections import defaultdict
from pathlib import Path

import pytest

from rag_eval_hooks.metrics import AverageAccumulator, parse_metric
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.testing import make_run

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "trec_eval"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="trec_eval's test files are not beside the repository"),
]

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "ndcg": "nDCG(gain=linear)",
    **{f"P_{k}": f"P@{k}" for k in CUTOFFS},
    **{f"recall_{k}": f"R@{k}" for k in CUTOFFS},
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"nDCG(gain=linear)@{k}" for k in CUTOFFS},
    **{f"success_{k}": f"Hit@{k}" for k in (1, 5, 10)},
}


@pytest.fixture(scope="module")
def runs() -> dict[str, RagRun]:
    """One run a topic, in trec_eval's order: by score, ties by document id, both descending."""
    listed: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in (FOLDER / "results.test").read_text(encoding="utf-8").splitlines():
        topic, _, document, _, score, _ = line.split()
        listed[topic].append((float(score), document))
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (FOLDER / "qrels.test").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        grades[topic][document] = float(grade)
    return {
        topic: make_run([document for _, document in sorted(items, reverse=True)], relevance=grades[topic])
        for topic, items in listed.items()
    }


def printed(name: str) -> dict[tuple[str, str], str]:
    rows = (line.split() for line in (FOLDER / name).read_text(encoding="utf-8").splitlines())
    return {(row[0], row[1]): row[2] for row in rows}


@pytest.mark.parametrize("trec_name", NAMES)
def test_each_topic(trec_name: str, runs: dict[str, RagRun]) -> None:
    expected = printed("out.test.aq")
    metric = parse_metric(NAMES[trec_name])
    for topic, run in runs.items():
        value = metric.score(run).value
        assert value is not None
        assert f"{value:.4f}" == expected[trec_name, topic]


@pytest.mark.parametrize("trec_name", NAMES)
def test_the_average_over_topics(trec_name: str, runs: dict[str, RagRun]) -> None:
    sums = AverageAccumulator()
    for run in runs.values():
        sums.add([parse_metric(NAMES[trec_name]).score(run)])
    (average,) = sums.result()
    assert f"{average.mean:.4f}" == printed("out.test.a")[trec_name, "all"]


@pytest.mark.parametrize("k", [5, 10, 20])
def test_judged_is_the_complement_of_unjudged(k: int, runs: dict[str, RagRun]) -> None:
    expected = printed("out.test.aq")
    for topic, run in runs.items():
        value = parse_metric(f"Judged@{k}").score(run).value
        assert value is not None
        assert f"{1 - value:.4f}" == expected[f"unj_{k}", topic]
