"""The page as a file: whole or absent, self-contained, and safe to parse."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import finding, first, following, poisoned, sample_evaluation, sample_run

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Evaluation, Finding, MetricResult, RagRun
from rag_eval_hooks.reports import write_report
from rag_eval_hooks.reports.payload import LONGEST_PIECE, script_json


def block(page: str, name: str) -> dict:
    """The JSON of one data block of the page."""
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def result(value: float | None, reason: str | None = None) -> tuple[MetricResult, ...]:
    return (MetricResult(metric="ContextPrecision", value=value, reason=reason, labels="used"),)


def test_limit_shows_the_first_runs_and_says_so(tmp_path: Path) -> None:
    pairs = [(sample_run(f"r{i}"), sample_evaluation(f"r{i}", results=result(i / 10))) for i in range(5)]
    assert write_report(pairs, tmp_path / "r.html", limit=2) == 2
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "This page shows the first 2 of 5 runs" in page
    assert [run["id"] for run in block(page, "index")["runs"]] == ["r0", "r1"]
    assert ">0.2<" in page, "the mean of 0, 0.1, 0.2, 0.3, 0.4 covers all runs"
    assert "run-data-1" in page
    assert "run-data-2" not in page


def test_without_a_limit_all_are_shown(tmp_path: Path) -> None:
    pairs = [(None, sample_evaluation(f"r{i}")) for i in range(3)]
    assert write_report(iter(pairs), tmp_path / "r.html", limit=None) == 3
    assert "This page shows the first" not in (tmp_path / "r.html").read_text("utf-8")


def test_no_runs_is_a_page_too(tmp_path: Path) -> None:
    assert write_report([], tmp_path / "r.html") == 0
    assert "0 runs" in (tmp_path / "r.html").read_text("utf-8")


def test_averages_say_what_they_rest_on(tmp_path: Path) -> None:
    results = [result(1.0), result(0.5), result(None, "nothing_used"), result(None, "failed:KeyError")]
    pairs = [(None, sample_evaluation(f"r{i}", results=one)) for i, one in enumerate(results)]
    write_report(pairs, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert ">0.75<" in page, "(1 + 0.5) / 2; missing values are not 0"
    assert "2 scored · 1 not scored · 1 failed" in page.replace("\u00a0", " ")
    assert "1 × the answer used no chunk" in page
    assert "rests on used chunks<" in page


def test_a_sampled_run_weighs_more(tmp_path: Path) -> None:
    pairs = [
        (sample_run("a", inclusion_probability=0.25), sample_evaluation("a", results=result(1.0))),
        (sample_run("b"), sample_evaluation("b", results=result(0.0))),
    ]
    write_report(pairs, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert ">0.8<" in page, "(4 * 1 + 1 * 0) / (4 + 1)"
    assert "inverse of its sampling probability" in page


def test_a_run_that_was_hardly_ever_sampled_gives_a_page_too(tmp_path: Path) -> None:
    rare = sample_run("a", inclusion_probability=5e-324)
    write_report([(rare, sample_evaluation("a", results=result(0.25)))], tmp_path / "r.html")
    assert ">0.25<" in (tmp_path / "r.html").read_text("utf-8"), "1 / 5e-324 is infinite; the weight is 1e12"


def test_first_causes_count_runs_and_link_to_different_questions(tmp_path: Path) -> None:
    questions = ["Why?", "Why?", "How?", "When?", "Where?"]
    found = (
        first(finding("truncated", "packing", 1, "In part.")),
        following(finding("unsupported_claim", "answer", 0.7, "Not backed."), "truncated"),
    )
    pairs = [(None, sample_evaluation(f"r{i}", question=q, findings=found)) for i, q in enumerate(questions)]
    write_report([*pairs, (None, sample_evaluation("fine", findings=()))], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert re.findall(r'href="#run-(\d)"><bdi>(\w+\?)', page) == [("0", "Why?"), ("2", "How?"), ("3", "When?")]
    assert ">5 runs<" in page
    assert ">83.3 %<" in page, "5 / 6"
    assert re.findall(r'data-kind="(\w+)"', page) == ["truncated"], "what follows from it is not counted"
    assert "Raise the limit on a chunk" in page, "what to do about it"
    assert "more run" not in page


def test_the_overview_says_what_the_findings_of_all_runs_come_to(tmp_path: Path) -> None:
    def of(*findings: Finding, **changes: Any) -> tuple[None, Evaluation]:
        return None, sample_evaluation(findings=findings, **changes)

    bare = finding("unsupported_claim", "answer", 0.7, "Not backed.")
    pairs = [
        of(first(bare)),
        of(first(finding("truncated", "packing", 1, "In part.")), bare),
        of(bare),
        of(bare.model_copy(update={"confidence": 0.3})),
        of(finding("right_refusal", "answer", 0.9, "Rightly."), answer_kind="refusal"),
        of(),
        of(),
        of(status="error"),
        of(answer_kind="empty"),
    ]
    write_report(pairs, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert (
        "Of 9 runs: 2 with a first cause, 1 with findings of which none is marked as the first, 1 with hints only, "
        "1 with a right refusal, 2 in which nothing wrong was found, "
        "2 without an answer to judge, and without findings."
    ) in page
    assert re.findall(r'data-kind="(\w+)"', page) == ["truncated", "unsupported_claim"]
    assert page.count("Found in 3 more runs, not as the first cause.") == 1
    assert [run["cause"] for run in block(page, "index")["runs"]] == ["unsupported_claim", "truncated"] + [None] * 7


def test_the_story_of_a_run_keeps_text_from_outside_apart(tmp_path: Path) -> None:
    write_report([poisoned("PAYLOAD")], tmp_path / "r.html")
    story = block((tmp_path / "r.html").read_text("utf-8"), "run-data-0")["story"]
    pieces = [piece for part in story for piece in part["says"]]
    assert not [piece for piece in pieces if isinstance(piece, str) and "PAYLOAD" in piece]
    assert sum("PAYLOAD" in piece["q"] for piece in pieces if not isinstance(piece, str) and "q" in piece) == 4
    cause = next(part for part in story if part["tone"] == "cause")
    references = [piece["ref"] for piece in cause["says"] if not isinstance(piece, str) and "ref" in piece]
    assert references == [["claims", "1", 0], ["claims", "10", None], ["chunks", "1", 0], ["citations", "1", 0]]


def test_a_missing_value_is_told_in_words(tmp_path: Path) -> None:
    write_report([(sample_run(), sample_evaluation())], tmp_path / "r.html")
    data = block((tmp_path / "r.html").read_text("utf-8"), "run-data-0")
    assert data["missing"] == [
        ["no gold labels were given", ["R@5"]],
        ["the measure failed (KeyError)", ["RR"]],
    ]
    results = {one["metric"]: one for one in data["results"]}
    assert "R@5" not in results
    assert results["ContextPrecision"] == {
        "metric": "ContextPrecision",
        "value": "0.8333",
        "share": 5 / 6,
        "restsOn": "used chunks",
    }
    assert results["FirstUse"]["share"] is None, "a rank is not a share of 1"


@pytest.mark.parametrize("cites", [True, False])
def test_measures_of_citations_are_no_headline_where_no_answer_cites(tmp_path: Path, cites: bool) -> None:
    measured = tuple(
        MetricResult(metric=name, value=value)
        for name, value in (("ContextUse", 0.5), ("CitationRecall", 0.0), ("CitationCoverage", 0.0))
    )
    silent = sample_evaluation("a", citations=(), results=measured)
    pairs = [(None, silent), (None, sample_evaluation("b", results=measured) if cites else silent)]
    write_report(pairs, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    cards = re.findall(r'<span class="name"><bdi>([^/]+)</bdi>', page)
    assert [card.replace("<wbr>", "") for card in cards] == (
        ["ContextUse", "CitationRecall"] if cites else ["ContextUse"]
    )
    assert page.count("no answer cites") == (0 if cites else 1)


def test_probabilities_have_two_decimals(tmp_path: Path) -> None:
    chunks = tuple(
        chunk.model_copy(update={"use_probability": p})
        for chunk, p in zip(sample_evaluation().chunks, (0.9999, 0.0163, 1, 0, 0.0001), strict=True)
    )
    write_report([(sample_run(), sample_evaluation(chunks=chunks))], tmp_path / "r.html")
    data = block((tmp_path / "r.html").read_text("utf-8"), "run-data-0")
    assert [chunk["p"] for chunk in data["chunks"]] == [">0.99", "0.02", "1", "0", "<0.01"]


def test_a_failure_while_reading_leaves_the_old_page_and_no_other_file(tmp_path: Path) -> None:
    def broken() -> Iterator[tuple[RagRun | None, Evaluation]]:
        yield None, sample_evaluation()
        raise OSError("the store went away")

    target = tmp_path / "r.html"
    target.write_text("old", "utf-8")
    with pytest.raises(OSError, match="went away"):
        write_report(broken(), target)
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert target.read_text("utf-8") == "old"


def test_a_failure_while_writing_leaves_no_half_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(f"{target} is held open")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(ConfigError, match="is held open; nothing was written"):
        write_report([(None, sample_evaluation())], tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_of_a_link_the_page_behind_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("old", "utf-8")
    (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
    write_report([(None, sample_evaluation())], tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert "1 run" in (tmp_path / "real.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "limit", "words"),
    [
        ("missing/r.html", None, "create it first"),
        ("", None, "name a file in it"),
        ("r.html", -1, "give 0 or more"),
    ],
)
def test_a_bad_argument_says_what_to_do(tmp_path: Path, name: str, limit: int | None, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        write_report([], tmp_path / name, limit=limit)


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        write_report([(sample_run(), sample_evaluation())], tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


class Tags(HTMLParser):
    """Collects elements and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_nothing_is_loaded_and_no_handler_is_inline(tmp_path: Path) -> None:
    write_report([(sample_run(), sample_evaluation())], tmp_path / "r.html")
    tags = Tags((tmp_path / "r.html").read_text("utf-8")).found
    assert {tag for tag, _ in tags}.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    for tag, attributes in tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcset")], tag
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_admits_only_the_pages_own_style_and_script(tmp_path: Path) -> None:
    write_report([(sample_run(), sample_evaluation())], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    policy = next(a["content"] for t, a in Tags(page).found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for name in ("style", "script"):
        text = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        assert text is not None
        digest = base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_script_builds_no_markup() -> None:
    folder = Path(write_report.__code__.co_filename).parent / "assets"
    for path in folder.glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(", path.read_text("utf-8")
        )


@given(text=st.text())
def test_script_json_round_trips_and_holds_no_markup(text: str) -> None:
    data = script_json({text: [text]})
    assert json.loads(data) == {text: [text]}
    assert not set(data) & set("<>&\u2028\u2029")


def test_a_huge_chunk_is_shown_from_both_ends(tmp_path: Path) -> None:
    run = sample_run()
    size = 1_000_000
    big = run.chunks[1].model_copy(update={"text": "a" * (size // 2) + "z" * (size // 2)})
    run = run.model_copy(update={"chunks": (run.chunks[0], big, *run.chunks[2:])})
    write_report([(run, sample_evaluation())], tmp_path / "r.html")
    pieces = block((tmp_path / "r.html").read_text("utf-8"), "run-data-0")["chunks"][1]["pieces"]
    half = LONGEST_PIECE // 2
    assert pieces == ["a" * half, {"cut": size - 2 * half}, "z" * half]


def test_an_unencodable_title_is_mended(tmp_path: Path) -> None:
    write_report([], tmp_path / "r.html", title="half \ud83d <b>")
    assert "<title>half \ufffd &lt;b&gt;</title>" in (tmp_path / "r.html").read_text("utf-8")
