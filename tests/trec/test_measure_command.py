"""`rag-eval-hooks measure` as people run it."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-c", "from rag_eval_hooks.cli import main; main()", "measure"]

QRELS = "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 0\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 1.0 t\nq1 Q0 x 2 3.0 t\nq1 Q0 b 3 1.0 t\nq2 Q0 a 1 1 t\nq9 Q0 a 1 1 t\n"
"""q1: x, then b and a tied; q2: nothing relevant; q3: no results; q9: not judged."""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    return ["--qrels", str(tmp_path / "qrels.txt"), "--run", str(tmp_path / "bm25.run")]


def call(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "120"},
    )


def as_json(*arguments: object, stdin: str | None = None) -> dict[str, Any]:
    done = call(*arguments, "--format", "json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_constant=pytest.fail)


def means(found: dict[str, Any]) -> dict[str, float]:
    return {row["metric"]: row["value"] for row in found["mean"]}


def test_json_has_rows_and_means(files: list[str]) -> None:
    found = as_json(*files, "-m", "P@2", "-m", "RR", "--per-query")
    assert found["per_query"] == [
        {"query": "q1", "metric": "P@2", "value": 1 / 2},
        {"query": "q1", "metric": "RR", "value": 1 / 2},
        {"query": "q2", "metric": "P@2", "value": 0.0},
        {"query": "q2", "metric": "RR", "value": 0.0},
    ]
    left_out = {"no_gold": 1, "no_results": 1}
    assert found["mean"] == [
        {"metric": "P@2", "value": (1 / 2 + 0) / 2, "scored": 2, "not_scored": left_out},
        {"metric": "RR", "value": (1 / 2 + 0) / 2, "scored": 2, "not_scored": left_out},
    ]
    assert found["settings"] == {"order": "trec", "complete": False, "min_rel": None, "depth": None, "empty": "zero"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param([], (1 / 2 + 0) / 2, id="q1 and q2"),
        pytest.param(["--complete"], (1 / 2 + 0 + 0) / 3, id="q3 counts 0"),
        pytest.param(["--order", "file"], (1 + 0) / 2, id="a stands first"),
        pytest.param(["--depth", "1"], 0.0, id="x alone"),
        pytest.param(["--min-rel", "2"], (1 / 2 + 0) / 2, id="b is second"),
        pytest.param(["--min-rel", "2", "--order", "file"], (1 / 3 + 0) / 2, id="b is third"),
        pytest.param(["--empty", "null"], 1 / 2, id="q2 has no value"),
        pytest.param(["--empty", "null", "--complete"], (1 / 2 + 0) / 2, id="q1 and q3"),
    ],
)
def test_what_the_options_do(options: list[str], expected: float, files: list[str]) -> None:
    assert means(as_json(*files, "-m", "RR", *options)) == {"RR": pytest.approx(expected)}


def test_a_query_without_a_value_says_why(files: list[str]) -> None:
    found = as_json(*files, "-m", "RR", "-q", "--empty", "null")
    assert {"query": "q2", "metric": "RR", "value": None, "reason": "no_gold"} in found["per_query"]
    assert found["mean"][0]["not_scored"] == {"no_gold": 2, "no_results": 1}


def test_table_says_how_it_was_ordered_and_what_was_left_out(files: list[str]) -> None:
    done = call(*files, "-m", "RR", "-m", "nDCG(gain=linear)@10", "-q")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "# order trec, complete no, empty zero",
        "RR                    q1        0.5000",
        # b (grade 2) at rank 2, a (1) at 3; at best at 1 and 2: (2/1.585 + 1/2) / (2 + 1/1.585) = 0.6697
        "nDCG(gain=linear)@10  q1        0.6697",
        "RR                    q2        0.0000",
        "nDCG(gain=linear)@10  q2        0.0000",
        "RR                    all       0.2500  (2 scored, not scored: no_gold 1, no_results 1)",
        "nDCG(gain=linear)@10  all       0.3348  (2 scored, not scored: no_gold 1, no_results 1)",
    ]
    assert "1 query; --complete counts them 0" in done.stderr
    assert "qrels.txt: 1 query" in done.stderr


def test_csv_reads_back(files: list[str]) -> None:
    done = call(*files, "-m", "AP", "-m", "P@5", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["row"], row["query"], row["metric"]) for row in rows] == [
        ("query", "q1", "AP"),
        ("query", "q1", "P@5"),
        ("query", "q2", "AP"),
        ("query", "q2", "P@5"),
        ("mean", "", "AP"),
        ("mean", "", "P@5"),
    ]
    assert float(rows[0]["value"]) == (1 / 2 + 2 / 3) / 2
    assert rows[-1] == {
        "row": "mean",
        "query": "",
        "metric": "P@5",
        "value": "0.2",
        "scored": "2",
        "not_scored": "no_gold 1, no_results 1",
    }


def test_measures_where_none_are_named(files: list[str]) -> None:
    names = [row["metric"] for row in as_json(*files)["mean"]]
    assert names == ["nDCG(gain=linear)@10", "AP", "RR", "P@10", "R@100", "Hit@10", "Judged@10"]


def test_standard_input(files: list[str]) -> None:
    assert means(as_json("--qrels", files[1], "--run", "-", "-m", "RR", stdin=RUN)) == {"RR": 0.25}
    assert means(as_json("--qrels", "-", "--run", files[3], "-m", "RR", stdin=QRELS)) == {"RR": 0.25}


def test_a_repeated_document_counts_at_its_first_rank_and_is_reported(files: list[str]) -> None:
    """x, b, b, a: P@4 = 2/4, AP = (1/2 + 2/4) / 2."""
    run = "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq1 Q0 x 3 3 t\nq1 Q0 b 4 1.5 t\n"
    assert means(as_json(*files[:2], "--run", "-", "-m", "P@4", "-m", "AP", stdin=run)) == {"P@4": 0.5, "AP": 0.5}
    done = call(*files[:2], "--run", "-", stdin=run)
    assert "repeated documents: 1 result counted nothing" in done.stderr
    assert "counted nothing" not in call(*files).stderr


@pytest.mark.parametrize("form", ["table", "csv", "json"])
@pytest.mark.parametrize("which", ["--qrels", "--run"])
def test_a_malformed_line_at_the_end_stops_everything(form: str, which: str, files: list[str], tmp_path: Path) -> None:
    bad = files[files.index(which) + 1]
    Path(bad).write_text(Path(bad).read_text() + "q1 \x1b[31moops\n")
    for output in ("-", str(tmp_path / "out")):
        done = call(*files, "-q", "--format", form, "-o", output)
        assert done.returncode == 2
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
        assert f"{bad} line 6: a line must be `q" in done.stderr
        assert "q1 oops" in done.stderr
        assert "\x1b" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bm25.run", "qrels.txt"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "nDGC@10"], "did you mean 'nDCG'"),
        (["-m", "Groundedness"], "needs more than ranked ids"),
        (["--min-rel", "nan"], "--min-rel must be a number above 0"),
        (["--min-rel", "0"], "--min-rel must be a number above 0"),
        (["--depth", "0"], "--depth"),
        (["--order", "best"], "--order"),
        (["--format", "xml"], "--format"),
        (["-o", "/nowhere/at/all"], "the folder /nowhere/at does not exist"),
    ],
)
def test_what_cannot_be_done_is_one_line(options: list[str], message: str, files: list[str]) -> None:
    done = call(*files, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_files_that_have_nothing_in_common(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.run").write_text("1 Q0 a 1 1 t\n")
    done = call(*files[:2], "--run", tmp_path / "other.run")
    assert done.returncode == 2
    assert "are the query ids written alike?" in done.stderr
    empty = call("--qrels", os.devnull, "--run", os.devnull)
    assert empty.returncode == 2
    assert "no query can be scored" in empty.stderr


def test_both_from_standard_input() -> None:
    done = call("--qrels", "-", "--run", "-", stdin="")
    assert done.returncode == 2
    assert "only one of" in done.stderr


def test_output_replaces_a_file_whole(files: list[str], tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    target.write_text("old")
    assert call(*files, "--format", "json", "-o", target).returncode == 0
    assert json.loads(target.read_text())["mean"]


@pytest.mark.parametrize("which", ["qrels.txt", "bm25.run"])
@pytest.mark.parametrize("through_link", [False, True])
def test_an_input_is_not_overwritten(which: str, through_link: bool, files: list[str], tmp_path: Path) -> None:
    target = given = tmp_path / which
    before = given.read_bytes()
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(given)
    done = call(*files, "-o", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"rag-eval-hooks: {target} is one of the inputs; give another file for the output\n"
    assert given.read_bytes() == before


def test_ids_cannot_steer_the_terminal(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "steer.run").write_text("q\x1b]0;x\x07\u202e1 Q0 a 1 1 t\n")
    (tmp_path / "steer.qrels").write_text("q\x1b]0;x\x07\u202e1 0 a 1\n")
    steer = ["--qrels", str(tmp_path / "steer.qrels"), "--run", str(tmp_path / "steer.run"), "-q", "-m", "RR"]
    for form in ("table", "json", "csv"):
        done = call(*steer, "--format", form)
        assert done.returncode == 0
        if form != "csv":  # data for programs, as it is
            assert "\x1b" not in done.stdout
            assert "\u202e" not in done.stdout
    assert as_json(*steer)["per_query"][0]["query"] == "q\x1b]0;x\x07\u202e1"


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    rows = "".join(f"{query} Q0 a 1 1 t\n" for query in range(50_000))
    (tmp_path / "r").write_text(rows)
    (tmp_path / "q").write_text(rows.replace("Q0", "0").replace(" 1 1 t", " 1"))
    command = [*COMMAND, "--qrels", str(tmp_path / "q"), "--run", str(tmp_path / "r"), "-q", "-m", "RR"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


def test_a_bar_on_a_terminal_only(files: list[str], tmp_path: Path) -> None:
    """On a terminal the bar draws on stderr; the report on stdout is the same."""
    main, side = pty.openpty()
    try:
        with subprocess.Popen([*COMMAND, *files, "-m", "RR"], stdout=subprocess.PIPE, stderr=side) as process:
            out, _ = process.communicate(timeout=60)
        os.close(side)
        drawn = os.read(main, 10_000)
    finally:
        os.close(main)
    assert b"measure" in drawn
    assert out.decode() == call(*files, "-m", "RR").stdout
    assert "measure" not in call(*files, "-m", "RR").stderr


def test_help_names_what_there_is() -> None:
    text = call("--help").stdout
    for word in (
        "--qrels",
        "--run",
        "--complete",
        "--min-rel",
        "--depth",
        "--order",
        "--per-query",
        "nDCG(gain=linear)",
    ):
        assert word in text


@pytest.mark.shared
def test_the_command_prints_what_trec_eval_prints(trec_files: Path) -> None:
    """out.test.a: map 0.1785, ndcg_cut_10 0.3016, recall_100 0.4980, success_10 0.6667."""
    done = call("--qrels", trec_files / "qrels.test", "--run", trec_files / "results.test")
    shown = {line.split()[0]: line.split()[2] for line in done.stdout.splitlines()[1:]}
    assert shown["AP"] == "0.1785"
    assert shown["nDCG(gain=linear)@10"] == "0.3016"
    assert shown["R@100"] == "0.4980"
    assert shown["Hit@10"] == "0.6667"
