"""The terminal's view: nothing from a run steers the terminal, and every terminal can show it."""

import io
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import ANSWER, poisoned, sample_evaluation, sample_run
from rich.console import Console

from rag_eval_hooks.record import Chunk, ContextItem, Evaluation, Finding, MetricResult, RagRun
from rag_eval_hooks.reports.payload import run_data
from rag_eval_hooks.reports.terminal import print_averages, print_run, print_story
from rag_eval_hooks.reports.view import run_view

ESCAPES = [
    pytest.param("\x1b[5mX\x1b[0m", id="blink"),
    pytest.param("\x1b]0;owned\x07X", id="window title"),
    pytest.param("\x1b]8;;https://example.test\x1b\\X\x1b]8;;\x1b\\", id="link"),
    pytest.param("\x1b]52;c;eA==\x07X", id="clipboard"),
    pytest.param("\x9b5mX", id="C1 introducer"),
    pytest.param("\x1bcX", id="reset"),
    pytest.param("safe\r\x08\x7fX", id="carriage return, backspace, delete"),
    pytest.param("\u202eX\u2066", id="bidi override"),
    pytest.param("\x1b[\x1b[5m5mX", id="nested"),
]


def printed(run: RagRun | None, evaluation: Evaluation, width: int = 100, colour: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    print_run(console, run, evaluation)
    print_story(console, run, evaluation)
    print_averages(console, [(evaluation.results, 1.0)])
    return out.getvalue()


def explained(run: RagRun | None, evaluation: Evaluation, width: int = 100, colour: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    print_story(console, run, evaluation)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 140])
@pytest.mark.parametrize("payload", ESCAPES)
def test_no_escape_sequence_reaches_the_terminal(payload: str, width: int) -> None:
    out = printed(*poisoned(payload), width=width)
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert "owned" not in out
    assert "X" in out, "the text itself is shown"


@pytest.mark.parametrize("payload", ESCAPES)
def test_the_only_sequences_are_our_own_colours(payload: str) -> None:
    out = printed(*poisoned(payload), colour=True)
    own = re.findall(r"\x1b\[[0-9;]*m", out)
    assert own, "colours are on"
    assert not {"\x1b[5m", "\x1b[0;5m"} & set(own)
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f]", re.sub(r"\x1b\[[0-9;]*m", "", out))


@settings(max_examples=30, deadline=None)
@given(payload=st.text(min_size=1, max_size=20))
def test_any_text_in_any_field_prints(payload: str) -> None:
    out = printed(*poisoned(payload), width=60)
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f]", out)


def test_markup_of_rich_is_text() -> None:
    out = printed(*poisoned("[bold red]hi[/] [link=https://example.test]x[/link] :smile:"), width=140)
    assert "[bold red]hi[/] [link=https://example.test]x[/link] :smile:" in out


def test_each_sentence_shows_its_verdict_without_colour() -> None:
    out = printed(sample_run(), sample_evaluation())
    flat = " ".join(out.split())
    assert "✓1 Revenue rose to 5.2 million euros in 2023 [1]✓." in flat
    assert "≠4 Headcount fell to 310 [4]✗." in flat
    assert "✗5 The board expects" in flat
    assert "·6 I hope this helps!" in flat, "what needs no source is not called unsupported"
    assert "✗ [9] -> nothing claim 5: there is no such item" in flat
    assert "n/a, no gold labels were given: R@5 n/a, the measure failed (KeyError): RR" in flat
    assert "ContextUse 0.5 used chunks" in flat
    assert "nDCG@5 0.9508 gold labels" in flat


def test_a_chunk_shows_the_whole_first_place_that_backs_a_claim() -> None:
    out = printed(sample_run(), sample_evaluation(), width=140)
    assert "1: In 2023 revenue rose to 5.2 million euros" in out, "also where another claim's place overlaps it"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, printed(sample_run(), sample_evaluation(), width=width).splitlines())) <= width


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_a_console_of_any_encoding_can_print(encoding: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True)
    print_run(Console(file=out, width=80), *poisoned("naïve 東京 ✓ 😀"))
    print_story(Console(file=out, width=80), *poisoned("naïve 東京 ✓ 😀"))
    assert ("東京" in raw.getvalue().decode(encoding)) == (encoding == "utf-8")
    out.detach()


def test_without_the_record_the_missing_texts_are_told() -> None:
    assert "texts are not shown" in printed(None, sample_evaluation())


def test_averages_say_what_they_rest_on() -> None:
    out = io.StringIO()
    results = [
        (MetricResult(metric="ContextPrecision", value=value, reason=reason, labels="used"),)
        for value, reason in ((1.0, None), (0.5, None), (None, "nothing_used"), (None, "failed:KeyError"))
    ]
    print_averages(Console(file=out, width=120), ((one, 1.0) for one in results))
    row = out.getvalue().splitlines()[1].split()
    assert row == [
        "ContextPrecision",
        "0.75",
        "[0.079,",
        "1]",
        "2",
        "1:",
        "the",
        "answer",
        "used",
        "no",
        "chunk",
        "1",
        "used",
        "chunks",
    ]


def test_measures_without_a_value_share_a_line_for_each_reason() -> None:
    results = [MetricResult(metric=name, value=None, reason="no_gold", labels="gold") for name in ("P", "R", "RR")]
    results.append(MetricResult(metric="AnswerMatch", value=None, reason="no_gold", labels="gold"))
    results.append(MetricResult(metric="Groundedness", value=None, reason="refusal", labels="used"))
    out = io.StringIO()
    print_run(Console(file=out, width=100), sample_run(), sample_evaluation(results=results))
    assert out.getvalue().partition("\nMeasures\n")[2].splitlines() == [
        "n/a, no gold labels were given: P, R, RR",
        "n/a, no right answer was given: AnswerMatch",
        "n/a, the answer declines to answer: Groundedness",
    ]


@pytest.mark.parametrize("width", [70, 140])
@pytest.mark.parametrize(
    ("name", "metadata", "caption"),
    [
        pytest.param(
            "text-0123456789ab", {"source": "guide.pdf", "page": 7}, "guide.pdf, page 7", id="source and page"
        ),
        pytest.param("7", {"file_name": "guide.pdf"}, "guide.pdf", id="no page"),
        pytest.param("c1", {}, "Tea is served at five", id="first words"),
        pytest.param("3f2b8c1e-0d7a-4c55-9e1f-aabbccddeeff", {"page": 7}, "Tea is served at five", id="a page alone"),
        pytest.param("guide-12", {"source": "guide.pdf"}, None, id="the id says it"),
    ],
)
def test_a_chunk_whose_id_tells_nothing_has_a_caption(
    width: int, name: str, metadata: dict[str, Any], caption: str | None
) -> None:
    chunks = [Chunk(id=name, text="Tea is\nserved at five in the hall.", metadata=metadata)]
    run = sample_run(chunks=chunks, stages=(), context=[ContextItem(chunk=0)], gold=None)
    verdict = sample_evaluation().chunks[1].model_copy(update={"id": name})
    evaluation = sample_evaluation(chunks=(verdict,), claims=(), citations=(), findings=())
    flat = " ".join(printed(run, evaluation, width).split())
    assert verdict.use == "unused"
    if caption is None:
        assert "Tea is" not in flat
        assert "guide.pdf" not in flat
    else:
        assert caption in flat


def test_probabilities_are_rounded_and_never_a_false_0_or_1() -> None:
    chunks = tuple(
        chunk.model_copy(update={"use_probability": p, "in_prompt": True})
        for chunk, p in zip(sample_evaluation().chunks, (0.99995, 0.0163, 1, 0, 0.0001), strict=True)
    )
    evaluation = sample_evaluation(chunks=chunks, claims=(), citations=(), findings=())
    lines = printed(sample_run(), evaluation, 140).splitlines()
    shown = [next(line for line in lines if line.lstrip().startswith(f"{rank} ")) for rank in range(1, 6)]
    assert [re.findall(r" ([<>]?[01](?:\.\d+)?)(?= |$)", line)[-1] for line in shown] == [
        ">0.99", "0.02", "1", "0", "<0.01",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("why", "refs", "shown"),
    [
        ("Not used: 1 (ranks 1).", {"chunks": (1,)}, "Not used. (chunk 1)"),
        ("Not used: 3 (ranks 1, 3, 4).", {"chunks": (1, 3, 4)}, "Not used. (chunks 1, 3, 4)"),
        ("In part (ranks 2; the shortest 40%).", {"chunks": (2,)}, "In part (the shortest 40%). (chunk 2)"),
        (
            "The context (chunks at ranks 4) contradicts 1 of 5 claims.",
            {"claims": (3,), "chunks": (4,)},
            "The context contradicts 1 of 5 claims. (claim 4; chunk 4)",
        ),
        (
            "Not used: 10 (ranks 1, 2, 3, 4, 5, 6, 7, 8 and 2 more).",
            {"chunks": tuple(range(1, 11))},
            "Not used. (chunks 1, 2, 3, 4, 5, 6, 7, 8 and 2 more)",
        ),
        ("Ranks unknown (ranks 1).", {}, "Ranks unknown (ranks 1)."),
    ],
)
def test_a_finding_says_each_number_once(why: str, refs: dict[str, tuple[int, ...]], shown: str) -> None:
    findings = (Finding(kind="unused_evidence", stage="use", confidence=0.9, why=why, refs=refs),)
    assert f"  {shown}\n" in printed(sample_run(), sample_evaluation(findings=findings))


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        ("Revenue rose", "Judged is the model's whole text, 242 characters; the user saw only the first 12."),
        (None, "Judged is the model's whole text, 242 characters; the user saw nothing of it."),
        ("Sorry", "Judged is the model's whole text, 242 characters; the user saw another text."),
        (ANSWER, None),
    ],
)
def test_an_abandoned_stream_says_what_the_user_saw(seen: str | None, note: str | None) -> None:
    run = sample_run(status="abandoned", answer=seen, llm_text=ANSWER, llm_complete=True)
    assert len(ANSWER) == 242
    assert run.judged_answer == ANSWER
    evaluation = sample_evaluation(status="abandoned")
    out = printed(run, evaluation)
    assert (note in out) if note else ("Judged is" not in out)
    assert run_data(run_view(run, evaluation))["unread"] == note


@pytest.mark.parametrize("payload", ESCAPES)
def test_a_story_shows_what_is_harmless_of_a_text(payload: str) -> None:
    out = explained(*poisoned(payload))
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert re.search(r'Asked\n"[^"]*X[^"]*"\n', out)
    own = re.findall(r"\x1b\[[0-9;]*m", explained(*poisoned(payload), colour=True))
    assert {code.strip("\x1b[m").split(";")[0] for code in own} <= {"", "0", "1", "2"}, "bold and dim"


def test_a_story_takes_no_markup() -> None:
    assert '"[bold red]hi[/] :smile:"' in explained(*poisoned("[bold red]hi[/] :smile:"), width=140)


def test_a_narrow_terminal_gets_the_same_story() -> None:
    narrow, wide = (explained(sample_run(), sample_evaluation(), width=width) for width in (30, 200))
    assert max(map(len, narrow.splitlines())) <= 30
    assert narrow.split() == wide.split()
    assert not [line for line in narrow.splitlines() if line != line.rstrip()]


def test_the_first_cause_is_marked_and_what_follows_from_it() -> None:
    flat = " ".join(printed(sample_run(), sample_evaluation(), width=200).partition("Findings")[2].split())
    assert "Claim contradicts the context first cause Answer, confidence 0.90 Another number" in flat
    assert "Citation of nothing Citations, confidence 1 One mark" in flat
    assert (
        "Citation of the wrong chunk Citations, confidence 0.70, follows from: claim contradicts the context Mis"
        in flat
    )
