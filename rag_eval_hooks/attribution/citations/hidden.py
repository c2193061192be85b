"""Finds what in an answer cites nothing: code, a model's reasoning, and the words of others in quotation marks."""

import re
from collections.abc import Iterable

__all__ = ["COVER", "Cover", "code_spans", "covered", "quote_spans", "reasoning_spans"]

MAX_INLINE_CODE = 2_000
"""Longer stretches between backticks are prose with stray backticks."""
COVER = "\x1a"
FENCE = re.compile(r"^[ \t>]*+(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.M)
BACKTICKS = re.compile(r"`+")
REASONING = re.compile(r"<(/?)(think|thinking|reasoning|scratchpad|reflection)>", re.I)
QUOTE = re.compile(
    r"“[^“”\n]{1,1000}”|„[^„“”\n]{1,1000}[“”]|«[^«»\n]{1,1000}»|「[^「」\n]{1,1000}」|『[^『』\n]{1,1000}』"
    r'|(?<![\w"])"(?=[^\s"])[^"\n]{1,1000}"(?!\w)'
)
QUOTE_SIGNS = '“„«「『"'


class Cover:
    """Spans to be asked, in order of place, whether they cover something.

    Args:
        spans: The half-open spans, in any order; they may overlap.
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._at = 0

    def __call__(self, start: int, end: int) -> bool:
        """Whether a span overlaps `start` to `end`; `start` must not be smaller than at the call before."""
        while self._at < len(self._spans) and self._spans[self._at][1] <= start:
            self._at += 1
        return self._at < len(self._spans) and self._spans[self._at][0] < end


def covered(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Returns the text with a sign that is neither a word nor a blank in the place of each character of the spans."""
    parts: list[str] = []
    last = 0
    for start, end in sorted(spans):
        if end > last:
            start = max(start, last)
            parts += (text[last:start], COVER * (end - start))
            last = end
    return "".join((*parts, text[last:])) if parts else text


def code_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans of fenced and inline code, in order. An open fence reaches to the end."""
    if "`" not in answer and "~~~" not in answer:
        return []
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in FENCE.finditer(answer) if "```" in answer or "~~~" in answer else ():
        fence = match.group(1)
        if opened is None:
            opened = (match.start(), fence)
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and match.group().strip(" \t>") == fence:
            spans.append((opened[0], match.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(answer)))
    is_fenced = Cover(spans)
    return sorted(spans + [span for span in _inline_code(answer) if not is_fenced(*span)])


def _inline_code(answer: str) -> list[tuple[int, int]]:
    """Pairs runs of backticks of the same length within a paragraph; linear in the number of runs."""
    runs = [match.span() for match in BACKTICKS.finditer(answer)]
    following: dict[int, int] = {}
    partner: list[int | None] = [None] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        length = runs[place][1] - runs[place][0]
        partner[place] = following.get(length)
        following[length] = place
    spans: list[tuple[int, int]] = []
    place = 0
    while place < len(runs):
        other = partner[place]
        start, end = runs[place][0], runs[other][1] if other is not None else 0
        if other is not None and end - start <= MAX_INLINE_CODE and "\n\n" not in answer[start:end]:
            spans.append((start, end))
            place = other + 1
        else:
            place += 1
    return spans


def reasoning_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans of a model's reasoning in tags (`<think>...</think>`); it is not the answer."""
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in REASONING.finditer(answer) if "<" in answer else ():
        closing, name = bool(match.group(1)), match.group(2).lower()
        if not closing and opened is None:
            opened = (match.start(), name)
        elif closing and opened is not None and opened[1] == name:
            spans.append((opened[0], match.end()))
            opened = None
    return spans


def quote_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans in quotation marks, with the marks: words of others, and their citations.

    An answer that stands in quotation marks as a whole is no quotation.
    """
    if not any(sign in answer for sign in QUOTE_SIGNS):
        return []
    whole = len(answer.strip()) - 2
    return [match.span() for match in QUOTE.finditer(answer) if match.end() - match.start() < whole]
