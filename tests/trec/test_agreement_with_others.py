"""pytrec_eval, ir_measures and ranx give the same values on hundreds of random judgements and runs."""

import importlib.util
import random
import re
import sys
from pathlib import Path

import pytest

CASES = 250
CUTOFFS = (1, 3, 5, 10, 40)

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def random_case(seed: int, *, ties: bool = True) -> tuple[Qrels, Run]:
    """Judgements and a run: few or many documents, ties, lists shorter than any cut-off, queries of one side only."""
    chance = random.Random(seed)  # noqa: S311  repeatable, not secret
    style = chance.choice([str, lambda n: f"doc-{n}", lambda n: f"é{n:02}#", lambda n: f"{n:04}"])
    pool = [style(number) for number in range(chance.choice([3, 12, 60]))]
    qrels: Qrels = {}
    run: Run = {}
    for number in range(chance.randint(1, 4)):
        query = chance.choice([str(number), f"q{number}", f"{number}_é"])
        judged = chance.sample(pool, chance.randint(1, len(pool)))
        qrels[query] = {name: chance.choice([0, 0, 0, 1, 1, 2, 3, 4]) for name in judged}
        listed = chance.sample(pool, chance.randint(1, len(pool)))
        scores = [chance.randint(0, 5) / 4 for _ in listed] if ties else chance.sample(range(1000), len(listed))
        run[query] = dict(zip(listed, map(float, scores), strict=True))
    return qrels, run


def write_files(folder: Path, qrels: Qrels, run: Run) -> tuple[Path, Path]:
    """The case as files; the results of a query in any order."""
    judged, listed = folder / "case.qrels", folder / "case.run"
    lines = [f"{query} 0 {name} {grade}\n" for query, row in qrels.items() for name, grade in row.items()]
    judged.write_text("".join(lines), encoding="utf-8")
    lines = [f"{query} Q0 {name} 0 {score} t\n" for query, row in run.items() for name, score in row.items()]
    listed.write_text("".join(lines), encoding="utf-8")
    return judged, listed


PYTREC = {
    "AP": "map",
    "RR": "recip_rank",
    "nDCG(gain=linear)": "ndcg",
    "P": "set_P",
    "R": "set_recall",
    **{f"P@{k}": f"P_{k}" for k in CUTOFFS},
    **{f"R@{k}": f"recall_{k}" for k in CUTOFFS},
    **{f"AP@{k}": f"map_cut_{k}" for k in CUTOFFS},
    **{f"nDCG(gain=linear)@{k}": f"ndcg_cut_{k}" for k in CUTOFFS},
    **{f"Hit@{k}": f"success_{k}" for k in CUTOFFS},
}


@pytest.mark.parametrize("min_rel", [1, 2])
def test_pytrec_eval(min_rel: int, tmp_path: Path, scored) -> None:
    import pytrec_eval

    names = {re.sub(r"_(\d+)$", r".\1", name) for name in PYTREC.values()}
    for seed in range(CASES):
        qrels, run = random_case(seed)
        qrels["not retrieved"] = {"a": 1}
        expected = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=min_rel).evaluate(run)
        del qrels["not retrieved"]
        values = scored(*write_files(tmp_path, qrels, run), list(PYTREC), min_rel=min_rel)
        for query, row in expected.items():
            for ours, theirs in PYTREC.items():
                assert values[ours, query] == pytest.approx(row[theirs], abs=1e-9), f"{ours} of {query}, seed {seed}"


def test_pytrec_eval_with_exponential_gain(tmp_path: Path, scored) -> None:
    """Its linear gain of 2^grade - 1 is our exponential gain of the grade."""
    import pytrec_eval

    names = {"nDCG": "ndcg", **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in CUTOFFS}}
    for seed in range(CASES):
        qrels, run = random_case(seed)
        gains = {query: {name: 2**grade - 1 for name, grade in row.items()} for query, row in qrels.items()}
        expected = pytrec_eval.RelevanceEvaluator(gains, {"ndcg", "ndcg_cut.1,3,5,10,40"}).evaluate(run)
        values = scored(*write_files(tmp_path, qrels, run), list(names))
        for query, row in expected.items():
            for ours, theirs in names.items():
                assert values[ours, query] == pytest.approx(row[theirs], abs=1e-9), f"{ours} of {query}, seed {seed}"


IR_MEASURES = {
    "AP": "AP",
    "AP@5": "AP@5",
    "RR": "RR",
    "R@3": "R@3",
    "P@5": "P@5",
    "Hit@3": "Success@3",
    "nDCG(gain=linear)": "nDCG",
    "nDCG(gain=linear)@5": "nDCG@5",
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # its own parser, on Python 3.12 and newer
def test_ir_measures(tmp_path: Path, scored) -> None:
    """Read from the same files by its own readers; a judged query without results counts 0 on both sides."""
    import ir_measures

    measures = {ours: ir_measures.parse_measure(theirs) for ours, theirs in IR_MEASURES.items()}
    for seed in range(CASES):
        qrels, run = random_case(seed)
        qrels["none"] = {"a": 1, "b": 0}
        files = write_files(tmp_path, qrels, run)
        values = scored(*files, list(measures), complete=True)
        rows, results = (ir_measures.read_trec_qrels(str(files[0])), ir_measures.read_trec_run(str(files[1])))
        means = ir_measures.calc_aggregate(list(measures.values()), rows, results)
        for ours, theirs in measures.items():
            assert values[ours, "all"] == pytest.approx(means[theirs], abs=1e-9), f"{ours}, seed {seed}"


@pytest.mark.parametrize("k", [5, 40])
def test_judged_of_ir_measures(k: int, tmp_path: Path, scored) -> None:
    """Without ties, which it does not break by document; its share is of what was returned, ours of k."""
    import ir_measures

    measure = ir_measures.Judged @ k
    for seed in range(CASES):
        qrels, run = random_case(seed, ties=False)
        files = write_files(tmp_path, qrels, run)
        values = scored(*files, [f"Judged@{k}"])
        found = list(ir_measures.iter_calc([measure], qrels, run))
        assert len(found) == len(run)
        for one in found:
            expected = one.value * min(k, len(run[one.query_id])) / k
            assert values[f"Judged@{k}", one.query_id] == pytest.approx(expected, abs=1e-9), f"seed {seed}"


@pytest.mark.skipif(
    sys.version_info >= (3, 13) and importlib.util.find_spec("ranx") is None,
    reason="ranx needs numba, which comes late to new versions of Python",
)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::Warning")  # its compiler warns under the names of its own files
def test_ranx(tmp_path: Path, scored) -> None:
    """Without ties, which it breaks in no stated order. Its compiler takes some seconds."""
    import ranx

    names = {"AP": "map", "RR": "mrr", "nDCG(gain=linear)": "ndcg", "nDCG": "ndcg_burges"}
    for k in CUTOFFS:
        names |= {f"P@{k}": f"precision@{k}", f"R@{k}": f"recall@{k}", f"Hit@{k}": f"hit_rate@{k}"}
        names |= {f"nDCG(gain=linear)@{k}": f"ndcg@{k}", f"nDCG@{k}": f"ndcg_burges@{k}", f"AP@{k}": f"map@{k}"}
    compared = 0
    for seed in range(CASES):
        qrels, run = random_case(seed, ties=False)
        qrels = {query: row for query, row in qrels.items() if any(row.values())}
        run = {query: run[query] for query in qrels}
        if not qrels:
            continue
        theirs = ranx.Run(run)
        ranx.evaluate(ranx.Qrels(qrels), theirs, list(names.values()), return_mean=False)
        values = scored(*write_files(tmp_path, qrels, run), list(names))
        for ours, name in names.items():
            for query, value in theirs.scores[name].items():
                assert values[ours, query] == pytest.approx(value, abs=1e-9), f"{ours} of {query}, seed {seed}"
        compared += 1
    assert compared >= 200
