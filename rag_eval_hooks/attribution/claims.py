"""Cuts an answer into statements with exact offsets: sentences, list items and table rows."""

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.blocks import blocks, list_numbers
from rag_eval_hooks.attribution.citations.hidden import code_spans, reasoning_spans
from rag_eval_hooks.attribution.citations.legend import legend_spans
from rag_eval_hooks.attribution.citations.mark import Mark
from rag_eval_hooks.attribution.refusal import SentenceKind, opening_end, sentence_kind, statement_start
from rag_eval_hooks.attribution.sentence_ends import FULL_STOPS, INLINE_BULLETS, LETTER_OR_DIGIT, sentence_ends

__all__ = ["Statement", "assign_marks", "blank", "split_statements"]

HTML_BREAK = re.compile(
    r"</?(br|p|li|ul|ol|dl|dt|dd|div|tr|table|thead|tbody|h[1-6]|blockquote|hr)(?:\s[^<>\n]{0,200})?/?>", re.I
)
FENCED = re.compile(r"[ \t>]*+(?:```|~~~)[^\n]*\n")
LIST_NUMBER = re.compile(r"\(?(\d{1,2})[.)][ \t]+(?=[^\W\d_])")
BEFORE_LINE = " \t\r*_>"
GOES_ON = re.compile(r":[ \t]")
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
MARGIN = f"{BLANKS}|{INLINE_BULLETS}"
STOPS = f".!?…,;:{FULL_STOPS}"
SHORT_LINE = 60


class Statement(NamedTuple):
    """One sentence, list item or table row of an answer."""

    start: int
    """Where it begins in the answer."""
    end: int
    """Where it ends, citation marks at its end left out."""
    kind: SentenceKind
    """What it is for."""


def blank(text: str, spans: Sequence[tuple[int, int]], filler: str = " ") -> str:
    """Returns `text` with the spans replaced by spaces or another character, so that offsets stay."""
    parts: list[str] = []
    last = 0
    for start, end in spans:
        if start < last:
            continue
        parts.append(text[last:start])
        parts.append(re.sub(r"[^\n]", filler, text[start:end]))
        last = end
    parts.append(text[last:])
    return "".join(parts)


def split_statements(answer: str, marks: Sequence[Mark]) -> list[Statement]:
    """Returns the statements of an answer in order; code blocks, headings, source lists and rules state nothing.

    Args:
        answer: The answer's text.
        marks: Its citation marks, as `find_marks` gives them.
    """
    code = code_spans(answer)
    fences = {(start, end) for start, end in code if FENCED.match(answer, start, end)}
    hidden = sorted(
        [span for mark in marks for span in mark.hidden] + [*fences] + legend_spans(answer) + reasoning_spans(answer)
    )
    text = blank(answer, hidden)
    if "<" in text:
        text = HTML_BREAK.sub(_line_break, text)
    # What stands in code ends no sentence.
    shape = blank(text, [(start + 1, end - 1) for start, end in code if (start, end) not in fences], "x")
    numbers = list_numbers(shape)
    statements: list[Statement] = []
    for start, end in blocks(shape, numbers):
        for first, last in _sentences(shape, start, end):
            trimmed = _trim(text, first, last)
            if trimmed is None:
                continue
            number = LIST_NUMBER.match(text, *trimmed) if first > start else None
            first = number.end() if number and int(number.group(1)) in numbers else trimmed[0]
            last = trimmed[1]
            lowered = text[first:last].lower().replace("’", "'")
            kind = sentence_kind(lowered)
            if len(lowered) == last - first:
                if kind == "refusal" and (cut := statement_start(lowered)):
                    first, kind = first + cut, "statement"
                elif kind == "statement":
                    first += opening_end(lowered)
            statements.append(Statement(first, last, kind))
    return statements


def assign_marks(answer: str, statements: Sequence[Statement], marks: Sequence[Mark]) -> list[int | None]:
    """Returns, for each mark, the index of its statement: the one around it, else the one it closes, else the next."""
    starts = [statement.start for statement in statements]
    owners: list[int | None] = []
    # Where a line begins with a mark, its marks stand before their sentences.
    opening = {mark.start for mark in marks if mark.start == 0 or answer[mark.start - 1] == "\n"}
    for mark in marks:
        before = bisect.bisect_right(starts, mark.start) - 1
        after = before + 1 if before + 1 < len(statements) else None
        if before < 0:
            owners.append(after)
            continue
        if mark.start < statements[before].end or after is None:
            owners.append(before)
            continue
        if mark.leads:
            owners.append(after)
            continue
        line = answer.rfind("\n", 0, mark.start) + 1
        opens_line = line > statements[before].end or line in opening
        owners.append(after if opens_line and "\n" not in answer[mark.end : starts[after]] else before)
    return owners


def _line_break(tag: re.Match[str]) -> str:
    """Returns line breaks in the place of a tag that begins a line, or with a blank line a block."""
    return ("\n" if tag.group(1).lower() == "br" else "\n\n").ljust(len(tag.group()))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the sentences of a block; a short line that the next line does not continue ends one, too."""
    ends = set(sentence_ends(text, start, end))
    line_start = start
    at = text.find("\n", start, end)
    while at >= 0:
        following = text[at + 1 : at + 40].lstrip(BEFORE_LINE)
        if at - line_start < SHORT_LINE and following and not GOES_ON.match(following) and not following[0].islower():
            ends.add(at)
        line_start = at + 1
        at = text.find("\n", line_start, end)
    last = start
    for at in sorted(ends):
        yield (last, at)
        last = at
    yield (last, end)


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Returns the span without blanks and table bars around it, and without a stop that a blanked mark left alone."""
    if LETTER_OR_DIGIT.search(text, start, end) is None:
        return None
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip(MARGIN))
    piece = piece.rstrip(MARGIN)
    core = piece.rstrip(STOPS)
    if core[-2:].isspace() and len(core) > 1:
        piece = core.rstrip()
    return (start + left, start + len(piece))
