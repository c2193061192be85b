"""Our runs as TREC files: what is read back is what was written."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.testing import make_run
from rag_eval_hooks.trec import JudgedList, TrecFile, Written, judged_lists, to_trec, trec_id


def test_order_and_grades_come_back(tmp_path: Path, scored) -> None:
    runs = [
        make_run("zab", relevance={"a": 2, "q": 0.5}, run_id="r 1"),
        make_run("bcb", relevance={"b": 1}, run_id="r2"),
        make_run("ab", run_id="r3"),
    ]
    written = to_trec(iter(runs), tmp_path / "run", tmp_path / "qrels", tag="my run")
    assert written == Written(queries=3, results=3 + 2 + 2, judgements=3, repeats=1)
    assert (tmp_path / "run").read_text().splitlines()[:2] == ["r%201 Q0 z 1 -1 my%20run", "r%201 Q0 a 2 -2 my%20run"]
    with TrecFile(tmp_path / "qrels") as qrels, TrecFile(tmp_path / "run") as run:
        assert list(judged_lists(qrels, run)) == [
            JudgedList("r%201", ["z", "a", "b"], {"a": 2.0, "q": 0.5}),
            JudgedList("r2", ["b", "c"], {"b": 1.0}),
            JudgedList("r3", ["a", "b"], None),
        ]
    values = scored(tmp_path / "qrels", tmp_path / "run", ["nDCG@2"])
    assert values["nDCG@2", "r%201"] == parse_metric("nDCG@2").score(runs[0]).value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True, min_size=1, max_size=8))
def test_any_ids_stay_different_and_readable(tmp_path: Path, names: list[str]) -> None:
    run = make_run([(name, "") for name in names], relevance={names[-1]: 3}, run_id=names[0] or "r")
    to_trec([run], tmp_path / "run", tmp_path / "qrels")
    with TrecFile(tmp_path / "qrels") as qrels, TrecFile(tmp_path / "run") as file:
        (one,) = judged_lists(qrels, file)
    kept = [trec_id(name) for name in dict.fromkeys(run.retrieved_ids)]
    assert one.ranked == kept
    assert len(set(kept)) == len(set(run.retrieved_ids))
    assert one.grades == {trec_id(name): 3.0 for name in (run.gold.relevance if run.gold else {}) or {}}


def test_two_runs_of_one_id_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="two runs have the id 'same'"):
        to_trec([make_run("a", run_id="same"), make_run("b", run_id="same")], tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_pytrec_eval_reads_them(tmp_path: Path) -> None:
    import pytrec_eval

    run = make_run("xaby", relevance={"a": 2, "b": 1})
    to_trec([run], tmp_path / "run", tmp_path / "qrels")
    with (tmp_path / "qrels").open() as qrels, (tmp_path / "run").open() as listed:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"map", "ndcg"})
        (row,) = evaluator.evaluate(pytrec_eval.parse_run(listed)).values()
    assert row["map"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert row["ndcg"] == pytest.approx(parse_metric("nDCG(gain=linear)").score(run).value)
