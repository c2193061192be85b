"""The terminal's view: nothing from a run steers the terminal, and every terminal can show it."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import poisoned, sample_evaluation, sample_run
from rich.console import Console

from rag_eval_hooks.metrics import averages
from rag_eval_hooks.record import Evaluation, MetricResult, RagRun
from rag_eval_hooks.reports.terminal import print_averages, print_run

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
    print_averages(console, averages([(evaluation.results, 1.0)]))
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
    assert "R@5 n/a no gold labels were given" in flat


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
    print_averages(Console(file=out, width=120), averages((one, 1.0) for one in results))
    row = out.getvalue().splitlines()[1].split()
    assert row == ["ContextPrecision", "0.75", "2", "1:", "the", "answer", "used", "no", "chunk", "1", "used"]
