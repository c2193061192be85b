"""Finds values that a statement takes from different rows of a table although they belong together."""

from collections.abc import Iterable
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.evidence import Evidence
from rag_eval_hooks.attribution.overlap import Hits
from rag_eval_hooks.attribution.slots import same_slot
from rag_eval_hooks.attribution.wanted import Wanted

__all__ = ["crossed_values"]

SEPARATORS = "|\t"
MAX_VALUES = 12
"""A statement with more values is a table itself."""
MAX_ROWS = 64
"""Rows that are compared with each other."""


class _Row(NamedTuple):
    """A row that states values of the statement."""

    values: frozenset[int]
    """Which of them."""
    cells: dict[int, list[Anchor]]
    """The row's values by column."""
    column: dict[int, int]
    """For each of the statement's values that it states, the column."""


def crossed_values(claim: Wanted, hits: Hits, evidence: Evidence, places: Iterable[int]) -> frozenset[int]:
    """Returns the values that stand in another row than the statement's other values, where their row has another.

    Of `| 8 years | 4 months |` and `| 3 years | 2 months |`, `after 8 years 2 months` is stated by neither row: that of
    8 years has another value in the column of 2 months, and the row of 2 months another in the column of 8 years. A
    value that also stands outside the rows, or in one row with another of the statement's values, is not crossed.

    Args:
        claim: The statement; its values come first.
        hits: For each sentence, which of the statement's terms it has.
        evidence: The texts.
        places: The sentences of one text.
    """
    if not 2 <= claim.values <= MAX_VALUES:
        return frozenset()
    stating: list[tuple[int, frozenset[int]]] = []
    settled: set[int] = set()
    for place in places:
        values = frozenset(index for index in hits[place] if index < claim.values)
        if not values:
            continue
        text = evidence.text_of(place)
        if not any(sign in text.strip(" \n|") for sign in SEPARATORS):
            settled |= values
        else:
            stating.append((place, values))
            settled |= values if len(values) > 1 else set()
    if len(stating) < 2 or all(values <= settled for _, values in stating):
        return frozenset()
    rows = [_row(values, place, claim, evidence) for place, values in stating[:MAX_ROWS]]
    return frozenset(
        index
        for row in rows
        for index in row.values - settled
        if any(_is_crossed(index, row, other_index, other, claim) for other in rows for other_index in other.values)
    )


def _is_crossed(mine: int, row: _Row, theirs: int, other: _Row, claim: Wanted) -> bool:
    """Whether each of two values' rows has another value in the column of the other one."""
    if other is row or mine in other.values or theirs in row.values or row.column[mine] == other.column[theirs]:
        return False
    return _has_another(claim.said.anchors[mine], other.cells.get(row.column[mine], ())) and _has_another(
        claim.said.anchors[theirs], row.cells.get(other.column[theirs], ())
    )


def _has_another(anchor: Anchor, cell: Iterable[Anchor]) -> bool:
    return any(same_slot(anchor, one) and not fits(anchor, one) for one in cell)


def _row(values: frozenset[int], place: int, claim: Wanted, evidence: Evidence) -> _Row:
    """Reads one row: its anchors by column, and where the statement's values stand in it."""
    sentence = evidence.sentences[place]
    text = evidence.context_of(place)
    cells: dict[int, list[Anchor]] = {}
    at, column_at = sentence.start, 0
    while at < sentence.end and text[at] in " |":
        at += 1
    for anchor in evidence.anchors[place]:
        column_at += sum(text.count(sign, at, anchor.start) for sign in SEPARATORS)
        at = max(at, anchor.start)
        cells.setdefault(column_at, []).append(anchor)
    column = {
        index: next((at for at, cell in cells.items() if any(fits(claim.said.anchors[index], one) for one in cell)), 0)
        for index in values
    }
    return _Row(values, cells, column)
