"""Finds the tables of a text, so that a cell knows its row's and its column's name."""

import re
from typing import NamedTuple

__all__ = ["Cell", "Table", "find_tables"]

MAX_ROWS = 200
MAX_CELLS = 40
RULE = re.compile(r"[\s|:+=-]*")
NUMERIC = re.compile(r"[\s$€£¥~≈+-]*\d[\d.,' ]*\s*[^\W\d]{0,10}[%‰€$£]?\s*")
YEARS = re.compile(r"\D{0,6}(?:1[5-9]|20)\d\d\D{0,3}")


class Cell(NamedTuple):
    """One cell, as a span of the text without blanks around it."""

    start: int
    end: int


class Table(NamedTuple):
    """Lines of cells one under the other."""

    rows: list[list[Cell]]
    """Without rules (`|---|`)."""
    has_header: bool
    """Whether the first row names the columns."""
    start: int
    """Where the table begins in the text."""


def find_tables(text: str) -> list[Table]:
    """Returns the tables of a folded text: two or more lines in a row with cells parted by `|` or tabs.

    >>> table, = find_tables("| a | b |\\n|---|---|\\n| x | 3 |\\n")
    >>> len(table.rows), table.has_header
    (2, True)
    """
    tables: list[Table] = []
    rows: list[list[Cell]] = []
    sign = ""
    ruled = False
    at = first = 0
    for line in text.split("\n"):
        mark = "|" if "|" in line else "\t" if "\t" in line.strip() else ""
        if mark and RULE.fullmatch(line) and rows:
            ruled = ruled or len(rows) == 1
        elif mark and (mark == sign or not rows):
            if not rows:
                sign, first, ruled = mark, at, False
            if len(rows) < MAX_ROWS:
                cells = _cells(line, mark, at)
                if len(cells) > 1:
                    rows.append(cells)
        else:
            _close(tables, rows, ruled, text, first)
            rows = [_cells(line, mark, at)] if mark and not RULE.fullmatch(line) else []
            sign, first, ruled = mark, at, False
        at += len(line) + 1
    _close(tables, rows, ruled, text, first)
    return tables


def _close(tables: list[Table], rows: list[list[Cell]], ruled: bool, text: str, first: int) -> None:
    if len(rows) > 1:
        names = [text[cell.start : cell.end] for cell in rows[0][1:]]
        numbers = sum(bool(NUMERIC.fullmatch(name)) and not YEARS.fullmatch(name) for name in names)
        tables.append(Table(rows, ruled or not numbers, first))


def _cells(line: str, mark: str, at: int) -> list[Cell]:
    cells: list[Cell] = []
    place = 0
    parts = line.split(mark, MAX_CELLS)
    for number, part in enumerate(parts):
        start = place + len(part) - len(part.lstrip())
        if part.strip() or 0 < number < len(parts) - 1:
            cells.append(Cell(at + start, at + start + len(part.strip())))
        place += len(part) + 1
    return cells
