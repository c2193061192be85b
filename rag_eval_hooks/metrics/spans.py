"""Which chunks cover the gold spans: evidence named by place in a document survives cutting the corpus anew."""

from collections.abc import Mapping, Sequence
from typing import Any

from rag_eval_hooks.metrics.levels import Level, document_of, unit_of
from rag_eval_hooks.record import Chunk, GoldSpan, RagRun

__all__ = ["COVERED_FROM", "RANGE_KEYS", "character_range", "covers", "span_grades", "span_items", "span_name"]

COVERED_FROM = 0.5
"""A chunk covers a span when it holds at least this share of the span's characters."""
RANGE_KEYS = (("start_index", "end_index"), ("char_start", "char_end"), ("start", "end"))
"""Metadata keys of a chunk's place in its document, in characters, tried in this order; after them `position`."""


def character_range(chunk: Chunk) -> tuple[int, int] | None:
    """Returns where a chunk stands in its document, half-open, or None where its metadata does not say.

    With only a start, the chunk reaches as far as its text does.

    >>> character_range(Chunk(id="c1", text="abc", metadata={"start_index": 10}))
    (10, 13)
    >>> character_range(Chunk(id="c1", metadata={"position": [10, 40]}))
    (10, 40)
    """
    for first, last in RANGE_KEYS:
        start = _offset(chunk.metadata.get(first))
        if start is not None:
            end = _offset(chunk.metadata.get(last))
            return (start, max(start, start + len(chunk.text) if end is None else end))
    position = chunk.metadata.get("position")
    if isinstance(position, (list, tuple)) and len(position) == 2:
        start, end = _offset(position[0]), _offset(position[1])
        if start is not None and end is not None:
            return (start, max(start, end))
    return None


def covers(chunk: Chunk, span: GoldSpan) -> bool:
    """Returns whether a chunk covers a span: same document, and at least half of the span's characters.

    >>> span = GoldSpan(document="a.pdf", start=100, end=200)
    >>> [covers(Chunk(id="c", metadata={"source": "a.pdf", "position": [0, end]}), span) for end in (149, 150)]
    [False, True]
    """
    place = character_range(chunk)
    if place is None or unit_of(chunk, "document") != span.document:
        return False
    shared = min(place[1], span.end) - max(place[0], span.start)
    return shared >= COVERED_FROM * (span.end - span.start)


def span_items(run: RagRun, spans: Sequence[GoldSpan], level: Level) -> tuple[tuple[frozenset[str], ...], str | None]:
    """Returns, for each span, the units at a level of which any one covers it; or the reason why that is unknown.

    A span that no chunk of the run covers is there under its own name (`span_name`), so it counts as missed. At the
    level of documents its document covers it. Where chunks of its document do not say their character range, or no
    chunk says any, nothing is known: `no_position`.
    """
    if level == "document":
        return tuple(frozenset((span.document,)) for span in spans), None
    documents = {span.document for span in spans}
    placed = unplaced = False
    near: list[Chunk] = []
    for chunk in run.chunks:
        known = character_range(chunk) is not None
        placed = placed or (known and document_of(chunk) is not None)
        if unit_of(chunk, "document") in documents:
            near.append(chunk)
            unplaced = unplaced or not known
    if unplaced or (run.chunks and not placed and not near):
        return (), "no_position"
    items = []
    for span in spans:
        units = frozenset(unit_of(chunk, level) for chunk in near if covers(chunk, span))
        items.append(units or frozenset((span_name(span),)))
    return tuple(items), None


def span_grades(run: RagRun, spans: Sequence[GoldSpan], level: Level) -> tuple[Mapping[str, float], str | None]:
    """Returns the grade of each unit: that of the best span it covers; uncovered spans count under their own name."""
    items, reason = span_items(run, spans, level)
    graded: dict[str, float] = {}
    for span, units in zip(spans, items, strict=False):
        for unit in units:
            graded[unit] = max(graded.get(unit, 0.0), span.grade)
    return graded, reason


def span_name(span: GoldSpan) -> str:
    """Returns the name under which a span that no chunk covers counts as missed."""
    return f"{span.document}#char={span.start},{span.end}"


def _offset(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdecimal() and len(value) <= 15 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and value >= 0 else None
    return value if isinstance(value, int) and value >= 0 else None
