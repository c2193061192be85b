"""The worked values of the measures' definitions, with their arithmetic."""

from math import log2

import pytest

from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.testing import make_run

FIVE = make_run("abcde", relevant={"a", "c", "d"})
FOUR = make_run("axbyc", relevant={"a", "b", "c", "d"})
RANK_4 = make_run("xyza", relevant={"a"})
EVIDENCE = make_run("ab", evidence_sets=["abc"])
GRADED = make_run("abcde", relevance={"a": 3, "b": 1, "c": 2, "d": 0, "e": 2})
SWAPPED = make_run("acbde", relevance={"a": 3, "b": 1, "c": 2, "d": 0, "e": 2})
DCG = 7 + 1 / log2(3) + 3 / 2 + 0 + 3 / log2(6)
DCG_SWAPPED = 7 + 3 / log2(3) + 1 / 2 + 0 + 3 / log2(6)
IDEAL = 7 + 3 / log2(3) + 3 / 2 + 1 / log2(5)
LINEAR = 3 + 1 / log2(3) + 2 / 2 + 0 + 2 / log2(6)
LINEAR_SWAPPED = 3 + 2 / log2(3) + 1 / 2 + 0 + 2 / log2(6)
LINEAR_IDEAL = 3 + 2 / log2(3) + 2 / 2 + 1 / log2(5)
LABELLED = make_run("abcde", relevance={"a": 1, "b": 1, "c": 0, "d": 0, "e": 0})


@pytest.mark.parametrize(
    ("run", "name", "expected", "printed"),
    [
        pytest.param(FIVE, "P@5", 3 / 5, 0.6, id="P: 3 hits in 5"),
        pytest.param(FOUR, "R@10", 3 / 4, 0.75, id="R: 3 of 4"),
        pytest.param(RANK_4, "RR", 1 / 4, 0.25, id="RR: first hit at rank 4"),
        pytest.param(EVIDENCE, "EvidenceRecall", 2 / 3, 0.6667, id="A, B found of A, B, C"),
        pytest.param(EVIDENCE, "AnyEvidence", 1, 1, id="any of A, B, C"),
        pytest.param(EVIDENCE, "CompleteEvidence", 0, 0, id="not all of A, B, C"),
        pytest.param(GRADED, "nDCG@5", DCG / IDEAL, 0.9508, id="nDCG: gains 3, 1, 2, 0, 2"),
        pytest.param(SWAPPED, "nDCG@5", DCG_SWAPPED / IDEAL, 0.9750, id="nDCG: ranks 2 and 3 swapped"),
        pytest.param(GRADED, "nDCG(gain=linear)@5", LINEAR / LINEAR_IDEAL, 0.949, id="nDCG: linear"),
        pytest.param(SWAPPED, "nDCG(gain=linear)@5", LINEAR_SWAPPED / LINEAR_IDEAL, 0.972, id="nDCG: linear, swapped"),
        pytest.param(make_run("abcde", used="ab"), "ContextPrecision", (1 / 1 + 2 / 2) / 2, 1, id="used at 1, 2"),
        pytest.param(make_run("abcde", used="cd"), "ContextPrecision", (1 / 3 + 2 / 4) / 2, 0.4167, id="used at 3, 4"),
        pytest.param(make_run("abcde", used="de"), "ContextPrecision", (1 / 4 + 2 / 5) / 2, 0.325, id="used at 4, 5"),
        pytest.param(LABELLED, "T@5", (0.5 * 2 - 0.5 * 3) / 5, -0.1, id="T: 2 positive of 5 labelled"),
        pytest.param(LABELLED, "T(alpha=0.3)@5", (0.7 * 2 - 0.3 * 3) / 5, 0.1, id="T = P - 0.3"),
    ],
)
def test_worked_value(run: RagRun, name: str, expected: float, printed: float) -> None:
    value = parse_metric(name).score(run).value
    assert value == pytest.approx(expected, abs=1e-12)
    assert value == pytest.approx(printed, abs=5e-4 if printed in (0.949, 0.972) else 5e-5)


def test_the_sums_behind_ndcg() -> None:
    assert (round(DCG, 4), round(IDEAL, 4), round(DCG_SWAPPED, 4)) == (10.2915, 10.8235, 10.5533)
