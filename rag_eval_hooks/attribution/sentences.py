"""Cuts a chunk into sentences, lines and table rows, in one cheap pass."""

import re

from rag_eval_hooks.attribution.abbreviations import ABBREVIATIONS
from rag_eval_hooks.attribution.fold import Folded

__all__ = ["sentence_bounds"]

MAX_SENTENCE = 400
WRAPPED_FROM = 45
# One class first, so that the search skips all else quickly; runs are taken whole, so that none is tried again inside.
BREAK = re.compile(r"[.!?\n。।॥۔؟။።։](?:(?<=\n)\s*+|(?<=[。।॥۔؟။።։])[\"')\]]*+|[.!?]*+[\"')\]]*+\s*+)")
LINE_START = re.compile(r"[-*+•|#>]|\(?\d{1,3}[.)]|[a-z]\)")
LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
LONGEST_ABBREVIATION = 12
ENDINGS = frozenset(word[-2:] for word in ABBREVIATIONS)
"""How abbreviations of more than one letter end: most words do not, and need no closer look."""


def sentence_bounds(folded: Folded, original: str) -> list[tuple[int, int]]:
    """Returns the sentences of a chunk as spans of its folded text; long ones are cut at blanks.

    Args:
        folded: The chunk's folded text.
        original: The text as it was: a lower-case letter behind a stop continues the sentence.
    """
    text, moves = folded.text, folded.moves
    length = len(text)
    bounds: list[tuple[int, int]] = []
    last = 0
    for begin, end in [match.span() for match in BREAK.finditer(text)]:
        if end == length:
            break
        first = text[begin]
        if first == ".":
            if not text[end - 1].isspace():
                continue
            following = end if moves is None else folded.span(end, end + 1)[0]
            if original[following].islower():
                continue
            ending = text[begin - 2 : begin]
            if (ending in ENDINGS or not ending[:1].isalpha()) and _is_abbreviation(text, last, begin):
                continue
        elif first == "\n":
            if _is_wrapped(text, begin, end):
                continue
        elif first in "!?" and not text[end - 1].isspace():
            continue
        if end - last <= MAX_SENTENCE:
            bounds.append((last, end))
        else:
            _cut(text, last, end, bounds)
        last = end
    _cut(text, last, length, bounds)
    return bounds


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    """Whether the word before a stop is one that ends with it."""
    start = max(start, stop - LONGEST_ABBREVIATION)
    word = text[max(start, text.rfind(" ", start, stop) + 1) : stop]
    if word.isalpha():
        return word in ABBREVIATIONS
    match = LAST_WORD.search(text, start, stop)
    return match is not None and match.group() in ABBREVIATIONS


def _is_wrapped(text: str, begin: int, end: int) -> bool:
    """Whether a line break only wraps a sentence: the line before is long and open, the next one starts nothing new."""
    line = text[text.rfind("\n", 0, begin) + 1 : begin].rstrip()
    opens_block = text.count("\n", begin, end) > 1 or LINE_START.match(text, end) is not None
    return len(line) >= WRAPPED_FROM and line[-1] not in ".!?:;|。" and not opens_block


def _cut(text: str, start: int, end: int, bounds: list[tuple[int, int]]) -> None:
    while end - start > MAX_SENTENCE:
        at = text.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
        at = at + 1 if at > 0 else start + MAX_SENTENCE
        bounds.append((start, at))
        start = at
    if start < end:
        bounds.append((start, end))
