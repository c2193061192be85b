"""Anchors that belong together: ranges share a unit, and parts of one length of time add up."""

import re

from rag_eval_hooks.attribution.anchors.anchor import PERIOD, Anchor
from rag_eval_hooks.attribution.anchors.numbers import NUMBER, readings
from rag_eval_hooks.attribution.anchors.periods import CENTURY_SLACK, century
from rag_eval_hooks.attribution.units import SCALES

__all__ = ["join_neighbours"]

RANGE = re.compile(r"\s*(?:-|to|bis|until|and|und|or|à|至|到|~|から|〜)\s*")
COMPOUND = re.compile(r" ?(?:and |und |et )?")
INCHES = re.compile(r" ?in\b")
LONGEST_RANGE_WORD = 9
POWERS = frozenset(SCALES.values())
ADDED = frozenset(["time", "months", "mass", "length"])


def join_neighbours(text: str, found: list[Anchor]) -> list[Anchor]:
    """Returns the anchors of a text with `3 to 5 million days` read as days and millions on both sides.

    `1 hour 30 minutes` becomes one anchor, which `1 hour` alone does not state.
    """
    joined: list[Anchor] = [found[0]]
    for second in found[1:]:
        first = joined[-1]
        gap = second.start - first.end
        if 0 <= gap <= LONGEST_RANGE_WORD and len(first.values) and len(second.values):
            whole = _sum(text, first, second) if gap <= 5 else None
            if whole is not None:
                joined[-1] = whole
                continue
            if gap and RANGE.fullmatch(text, first.end, second.start):
                joined[-1], second = _same_measure(text, first, second)
        joined.append(second)
    return joined


def _sum(text: str, first: Anchor, second: Anchor) -> Anchor | None:
    if first.dimension not in ADDED or len(first.values) != 1 or len(second.values) != 1:
        return None
    if not COMPOUND.fullmatch(text, first.end, second.start):
        return None
    inches = INCHES.match(text, second.end) if first.factor == 0.3048 and second.dimension is None else None
    if inches:
        second = second._replace(dimension="length", factor=0.0254, end=inches.end(), slack=0.5)
    if second.dimension != first.dimension or not second.values[0] * second.factor < first.factor:
        return None
    value = first.values[0] * first.factor / second.factor + second.values[0]
    return second._replace(start=first.start, values=(value,))


def _same_measure(text: str, first: Anchor, second: Anchor) -> tuple[Anchor, Anchor]:
    """Gives both ends of a range what only one of them is written with: unit, currency, scale."""
    if first.key is not None or second.key is not None or (len(first.raw) == 4 and second.dimension is not None):
        return first, second  # 2019 and 5 days
    mine, theirs = _written(text, first), _written(text, second)
    if second.dimension == PERIOD:
        if second.slack == CENTURY_SLACK and first.dimension is None and first.values[0] in range(1, 22):
            first = century(first.start, first.end, int(first.values[0]), second.values[0] < 0)
        return first, second
    if second.dimension == "celsius" and first.dimension is None and theirs != second.values[0]:  # °F
        return first._replace(dimension="celsius", values=((first.values[0] - 32) * 5 / 9,), slack=0.3, raw=""), second
    if first.dimension is None and second.dimension is not None:
        first = first._replace(dimension=second.dimension, factor=second.factor, raw="")
    elif second.dimension is None and (first.dimension or "").startswith("money:"):
        second = second._replace(dimension=first.dimension, raw="")
    if mine and theirs and first.dimension == second.dimension:
        scale = second.values[0] / theirs
        if scale in POWERS and first.values[0] == mine < theirs:
            first = first._replace(values=(mine * scale,), slack=scale * (first.slack or 0.5), raw="")
    return first, second


def _written(text: str, anchor: Anchor) -> float | None:
    """The number as written, without its scale."""
    match = re.compile(r"\d").search(text, anchor.start, anchor.end)
    digits = NUMBER.match(text, match.start()) if match else None
    found = readings(digits.group()) if digits else ()
    return found[0] if found else None
