"""`compare` and `report --format` as people run them, on two small versions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag_eval_hooks.summary import Comparison, VersionReport

COMMAND = [sys.executable, "-c", "from rag_eval_hooks.cli import main; main()"]


def call(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=120)


def line(number: int, rank: int, topic: str) -> dict[str, Any]:
    """A run whose one relevant chunk is at `rank` of 4, so its RR is 1 / rank."""
    contexts = [{"id": f"c{place}", "text": f"Mast {number} is {place}{number} m tall."} for place in range(1, 5)]
    return {
        "id": f"r{number}",
        "question": f"How tall is mast {number}? | <b>",
        "contexts": contexts,
        "answer": f"Mast {number} is 1{number} m tall. [1]",
        "gold": {"relevant_ids": [f"c{rank}"]},
        "metadata": {"topic": topic},
    }


def write(path: Path, ranks: list[int]) -> Path:
    rows = [line(number, rank, "tables" if number % 2 else "text") for number, rank in enumerate(ranks)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return write(tmp_path / "before.jsonl", [1] * 12)


@pytest.fixture
def after(tmp_path: Path) -> Path:
    """Worse throughout, and one question short."""
    return write(tmp_path / "after.jsonl", [2] * 11)


def test_compare_as_json(before: Path, after: Path) -> None:
    """RR 1 -> 1/2 in 11 of 11: p = 2 / 2^11, times 3 tests."""
    done = call("compare", before, after, "-m", "RR", "--by", "metadata.topic", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    found = Comparison.model_validate_json(done.stdout)
    (rr,) = found.measures
    assert (found.a.name, found.a.runs, found.a.unpaired, found.paired, found.tests) == ("before.jsonl", 12, 1, 11, 3)
    assert (rr.mean_a, rr.mean_b, rr.p_value, rr.verdict) == (1.0, 0.5, 2 / 2**11, "worse")
    assert rr.p_holm == pytest.approx(3 * 2 / 2**11)
    assert [(str(one.slice), one.pairs) for one in found.slices] == [
        ("metadata.topic=tables", 5),
        ("metadata.topic=text", 6),
    ]


def test_compare_as_a_table(before: Path, after: Path) -> None:
    done = call("compare", before, after, "-m", "RR")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "A: before.jsonl: 12 runs, 12 questions, 1 of them unpaired"
    assert "Note: in one version only, and in no number below: 1 of the questions" in lines
    row = next(one for one in lines if one.startswith("RR "))
    assert [cell.strip() for cell in row.split("│")][1:5] == ["11", "1", "0.5", "-0.5"]
    assert "0 / 0 / 11" in row
    assert "worse" in row
    assert any("How tall is mast 0? | <b>" in one for one in lines)


def test_compare_as_markdown_into_a_file(before: Path, after: Path, tmp_path: Path) -> None:
    done = call("compare", before, after, "--format", "md", "-o", tmp_path / "change.md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page = (tmp_path / "change.md").read_text("utf-8")
    assert page.startswith("# Comparison of two versions\n")
    assert "| RR | 11 | 1 | 0.5 | -0.5 |" in page
    assert "How tall is mast 0? \\| &lt;b&gt;" in page
    assert "<b>" not in page


def test_compare_fails_on_a_significant_drop_only_where_asked(before: Path, after: Path) -> None:
    done = call("compare", before, after, "-m", "RR", "--fail-on-drop")
    assert done.returncode == 1
    assert done.stderr == "significantly worse: RR 1 -> 0.5\n"
    assert call("compare", before, after, "-m", "RR").returncode == 0
    assert call("compare", after, before, "-m", "RR", "--fail-on-drop").returncode == 0
    assert call("compare", before, before, "--fail-on-drop").returncode == 0


def test_compare_reads_stores_evaluations_and_standard_input(before: Path, after: Path, tmp_path: Path) -> None:
    store, evaluations = tmp_path / "before.db", tmp_path / "after-evaluations.jsonl"
    assert call("replay", before, tmp_path / "x.jsonl", "--store", store, "-q").returncode == 0
    assert call("replay", after, evaluations, "-q").returncode == 0
    direct = json.loads(call("compare", before, after, "--format", "json").stdout)
    stored = json.loads(call("compare", store, evaluations, "--format", "json").stdout)
    piped = json.loads(call("compare", before, "-", "--format", "json", stdin=after.read_text("utf-8")).stdout)
    assert direct["measures"] == stored["measures"] == piped["measures"]
    assert piped["b"]["name"] == "standard input"


def test_bad_lines_are_counted_and_the_rest_is_compared(before: Path, after: Path) -> None:
    after.write_text(after.read_text("utf-8") + "not json\n", "utf-8")
    done = call("compare", before, after, "-m", "RR", "--format", "json")
    assert done.returncode == 1
    assert done.stderr.startswith("line 12: not_json")
    assert json.loads(done.stdout)["paired"] == 11


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "{a}", "{tmp}/none"], "there is no file"),
        (["compare", "-", "-"], "only one of the two can be standard input"),
        (["compare", "{a}", "{b}", "-m", "ndgc"], "unknown metric 'ndgc'; did you mean"),
        (["compare", "{a}", "{b}", "--by", "topic"], "cannot cut by 'topic'; give metadata.KEY"),
        (["compare", "{a}", "{b}", "-o", "{a}"], "is one of the versions"),
        (["compare", "{a}", "{b}", "-o", "{tmp}/no/x"], "does not exist; create it first"),
        (["compare", "{a}", "{empty}"], "empty.jsonl holds no run"),
        (["report", "{a}", "--format", "md", "-o", "{a}"], "is the source itself"),
        (["report", "{a}", "--by", "tag", "-o", "{tmp}/r.html"], "add --format md"),
        (["report", "{a}", "--limit", "3", "-o", "{tmp}/r.md"], "--limit is for the HTML page"),
        (["report", "{a}", "--by", "topic", "-o", "{tmp}/r.md"], "cannot cut by 'topic'"),
    ],
)
def test_a_fault_is_one_line_and_leaves_no_file(
    before: Path, after: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "empty.jsonl").touch()
    places = {"a": before, "b": after, "tmp": tmp_path, "empty": tmp_path / "empty.jsonl"}
    done = call(*(argument.format(**places) for argument in arguments), stdin="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert sorted(item.name for item in tmp_path.iterdir()) == ["after.jsonl", "before.jsonl", "empty.jsonl"]


def test_report_as_markdown_and_json_by_option_or_by_ending(before: Path, tmp_path: Path) -> None:
    done = call("report", before, "-o", tmp_path / "version.md", "--by", "metadata.topic")
    assert (done.returncode, done.stderr) == (0, f"{tmp_path / 'version.md'}: 12 runs\n")
    page = (tmp_path / "version.md").read_text("utf-8")
    assert page.startswith("# RAG evaluation of before.jsonl\n")
    assert "| metadata.topic | Runs |" in page
    piped = call("report", before, "--format", "json", "-o", "-", "-m", "Hit@1")
    assert piped.stderr == ""
    report = VersionReport.model_validate_json(piped.stdout)
    assert report.runs == 12
    assert {one.metric: one.mean for one in report.measures}["Hit@1"] == 1.0


def test_report_is_the_html_page_where_nothing_else_is_asked(before: Path, tmp_path: Path) -> None:
    assert call("report", before, "-o", tmp_path / "page.htm").returncode == 0
    assert call("report", before, "-o", tmp_path / "page.html", "--format", "html").returncode == 0
    pages = [(tmp_path / name).read_text("utf-8") for name in ("page.htm", "page.html")]
    assert pages[0] == pages[1]
    assert pages[0].startswith("<!doctype html>")
