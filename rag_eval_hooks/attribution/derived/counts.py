"""Counts what texts list: `Germany, France and Italy`, the rows of a table, the lines of a list."""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Listed", "bulleted", "lists_in"]

MAX_ITEMS = 50
MAX_LISTS = 40
"""Lists of one text that are looked at."""
LONGEST_ITEM = 60
ITEM_WORDS = 6
PART = re.compile(
    r"(?<!\d),\s{0,3}(?:(?:and|or|und|oder|sowie|et|y|e|as well as)\s)?|,(?!\d)\s{0,3}(?:(?:and|or|und|et|y)\s)?"
    r"|;\s{0,3}|\s(?:and|und|sowie|et|y)\s|、|以及|和(?=[^\s])|及"
)
STOP = re.compile(
    r"[.:!?()。\n]|(?<!\w)(?:are|is|were|include|includes|including|sind|umfasst|umfassen|sont|comprend|son|incluye|"
    r"namely|nämlich|in|at|by|with|has|have|of)(?!\w)|包括|分别是|分别为|有|是|为|在|由"
)
BULLET = re.compile(r"[ \t]{0,8}(?:[-*•+]|\d{1,2}[.)])[ \t]+")


class Listed(NamedTuple):
    """Items that stand side by side."""

    items: tuple[tuple[int, int], ...]
    """Their spans in the text."""
    lead: tuple[int, int]
    """What stands before them and may name them."""
    is_block: bool
    """Whether each has its own line."""


def lists_in(text: str, start: int, end: int) -> Iterator[Listed]:
    """Yields the enumerations in a folded sentence; the first item begins behind the last verb, colon or preposition.

    >>> text = "the sites are oslo, bergen and narvik."
    >>> [text[slice(*item)] for item in next(lists_in(text, 0, len(text))).items]
    ['oslo', 'bergen', 'narvik']
    """
    cuts = [match.span() for match in PART.finditer(text, start, end)]
    run: list[tuple[int, int]] = []
    for number, (first, last) in enumerate(cuts[:200]):
        following = cuts[number + 1][0] if number + 1 < len(cuts) else end
        stop = STOP.search(text, last, following)
        until = stop.start() if stop else following
        item = _trimmed(text, last, until)
        is_item = item is not None and item[1] - item[0] <= LONGEST_ITEM and text[slice(*item)].count(" ") < ITEM_WORDS
        if not run:
            head = max(start, first - LONGEST_ITEM)
            begin = head
            for match in STOP.finditer(text, head, first):
                begin = match.end()
            opening = _trimmed(text, begin, first)
            if opening is None or text[slice(*opening)].count(" ") >= ITEM_WORDS:
                continue
            run = [opening]
        if is_item and item is not None:
            run.append(item)
        if not is_item or stop or number + 1 == len(cuts):
            if len(run) > 1:
                yield Listed(tuple(run[:MAX_ITEMS]), (start, run[0][0]), is_block=False)
            run = []


def bulleted(text: str) -> Iterator[Listed]:
    """Yields the lists of a folded text whose items begin with a bullet or a number, each on its own line."""
    at = 0
    lead = (0, 0)
    items: list[tuple[int, int]] = []
    for line in text.split("\n"):
        bullet = BULLET.match(line)
        if bullet:
            items.append((at + bullet.end(), at + len(line)))
        elif line.strip():
            if len(items) > 1:
                yield Listed(tuple(items[:MAX_ITEMS]), lead, is_block=True)
            items, lead = [], (at, at + len(line))
        at += len(line) + 1
    if len(items) > 1:
        yield Listed(tuple(items[:MAX_ITEMS]), lead, is_block=True)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    core = piece.strip(" \t\n.,;:!?\"'()。")
    if not core:
        return None
    begin = start + piece.index(core)
    return begin, begin + len(core)
