"""Every value that trec_eval prints for its own test files, to its four decimals, where we have the measure."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.shared

PATTERNS = [
    (r"map", "AP"),
    (r"recip_rank", "RR"),
    (r"ndcg", "nDCG(gain=linear)"),
    (r"set_P", "P"),
    (r"set_recall", "R"),
    (r"P_(\d+)", "P@{}"),
    (r"recall_(\d+)", "R@{}"),
    (r"map_cut_(\d+)", "AP@{}"),
    (r"ndcg_cut_(\d+)", "nDCG(gain=linear)@{}"),
    (r"success_(\d+)", "Hit@{}"),
    (r"unj_(\d+)", "Judged@{}"),
]

CASES = {
    "out.test": ("qrels.test", "results.test", {}, 11),
    "out.test.a": ("qrels.test", "results.test", {}, 47),
    "out.test.aq": ("qrels.test", "results.test", {}, 4 * 47),
    "out.test.aqc": ("qrels.test", "results.trunc", {"complete": True}, 4 * 47),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"complete": True, "depth": 100}, 4 * 47),
    "out.test.aql": ("qrels.rel_level", "results.test", {"min_rel": 2}, 4 * 47),
    "out.test.meas_params": ("qrels.test", "results.test", {}, 4 * 11),
}
"""Output: qrels, run, how, and how many of its lines we have a measure for."""
QUERIES = ("301", "302", "303")
NO_RESULTS = "302"
"""The query that `results.trunc` leaves out."""


def ours(name: str) -> str | None:
    """Our name of one of trec_eval's measures."""
    for pattern, known in PATTERNS:
        if match := re.fullmatch(pattern, name):
            return known.format(*match.groups())
    return None


@pytest.mark.parametrize("output", CASES)
def test_every_printed_value(output: str, trec_files: Path, scored) -> None:
    qrels, run, how, count = CASES[output]
    rows = [line.split("\t") for line in (trec_files / output).read_text(encoding="utf-8").splitlines()]
    expected = [(name.strip(), query.strip(), value) for name, query, value in rows]
    common = [(name, query, value) for name, query, value in expected if ours(name)]
    names = sorted({ours(name) for name, _, _ in common})
    values = scored(trec_files / qrels, trec_files / run, names, **how)
    for name, query, printed in common:
        value = values[ours(name), query]
        if name.startswith("unj"):
            # The complement; but a query without results has 0 of both, so the mean is taken over the others.
            answered = [one for one in QUERIES if how.get("complete") is None or one != NO_RESULTS]
            shares = {one: 1 - values[ours(name), one] for one in answered}
            value = shares.get(query, 0.0) if query != "all" else sum(shares.values()) / len(QUERIES)
        assert f"{value:.4f}" == printed, f"{name} of {query}"
    assert len(common) == count


def test_judgements_with_comments_are_the_same(trec_files: Path, scored) -> None:
    """A line that starts with # is a comment; a # within an id is part of the id."""
    names = ["AP", "nDCG(gain=linear)", "P@10", "Judged"]
    plain = scored(trec_files / "qrels.test", trec_files / "results.test", names)
    commented = scored(trec_files / "qrels.test.with-comments", trec_files / "results.test", names)
    assert commented == plain


def test_the_whole_file_order_differs_from_that_of_the_scores(trec_files: Path, scored) -> None:
    """The results stand sorted by document, so that a reader who trusts the file's order is found out."""
    trec = scored(trec_files / "qrels.test", trec_files / "results.test", ["AP"])
    file = scored(trec_files / "qrels.test", trec_files / "results.test", ["AP"], order="file")
    assert f"{trec['AP', 'all']:.4f}" == "0.1785"
    assert file["AP", "all"] < 0.1


def test_the_files_of_ir_measures(trec_files: Path, scored) -> None:
    """Graded up to 50, ids with underscores; the values are those of the real trec_eval code."""
    import pytrec_eval

    qrels_path, run_path = trec_files / "ir_measures_compat.qrels", trec_files / "ir_measures_compat.run"
    with qrels_path.open(encoding="utf-8") as file:
        qrels = pytrec_eval.parse_qrel(file)
    with run_path.open(encoding="utf-8") as file:
        run = pytrec_eval.parse_run(file)
    theirs = {"map", "recip_rank", "ndcg", "P.5,10,100", "recall.10,1000", "ndcg_cut.5,10,100", "success.1,5"}
    names = {"map", "recip_rank", "ndcg", "P_5", "P_10", "P_100", "recall_10", "recall_1000", "ndcg_cut_5"}
    names |= {"ndcg_cut_10", "ndcg_cut_100", "success_1", "success_5"}
    for min_rel in (1, 2, 3):
        expected = pytrec_eval.RelevanceEvaluator(qrels, theirs, relevance_level=min_rel).evaluate(run)
        values = scored(qrels_path, run_path, [ours(name) for name in sorted(names)], min_rel=min_rel)
        assert sorted(expected) == ["31_1", "31_2"]
        for query, row in expected.items():
            for name in names:
                assert values[ours(name), query] == pytest.approx(row[name], abs=1e-12), f"{name} of {query}"
