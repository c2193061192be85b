"""What can be computed from operands: one candidate per operation and choice of operands, with its formula."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from rag_eval_hooks.attribution.derived.formula import bare, shown, written
from rag_eval_hooks.attribution.derived.operands import Operand
from rag_eval_hooks.record.evaluation import Operation

__all__ = [
    "Candidate",
    "conversion_candidates",
    "group_candidates",
    "pair_candidates",
    "rate_candidates",
    "share_candidates",
]

UNLIKELIER = 0.6
"""What a candidate's score loses where the operands rather stand to each other in another way."""
OF_TWO_KINDS = 1.5
"""The same where one of them has a unit and the other has none."""
MOST_IN_GROUP = 60
CONVERSIONS = {
    ("time", "months"): (86400.0, ((365.0, 12.0), (30.0, 1.0), (7.0, 12.0 / 52.0))),
    ("months", "time"): (1.0, ((12.0, 365.0 * 86400.0), (1.0, 30.0 * 86400.0), (12.0, 52.0 * 604800.0))),
    ("bits", "data"): (1.0, ((8.0, 1.0),)),
    ("data", "bits"): (1.0, ((1.0, 8.0),)),
}
"""From one dimension to another that no fixed factor joins: what one unit is, then pairs of equal lengths."""


class Candidate(NamedTuple):
    """A result and how it came about."""

    operation: Operation
    cue: str
    """The key of `cues.CUES` that names it."""
    result: float
    """In the base unit; a percentage as a fraction."""
    dimension: str | None
    units: tuple[float, ...]
    """What a number without a unit may be written in, besides the base unit."""
    formula: str
    operands: tuple[Operand, ...]
    score: float
    """How well the operands fit the claim's words."""


def pair_candidates(a: Operand, b: Operand, score: float, reading: int, direction: int) -> Iterator[Candidate]:
    """Yields what two operands give; the earlier one comes first where their years tell it.

    Args:
        a: One operand.
        b: The other one, behind it in the text.
        score: How well they fit the claim.
        reading: Which reading of ambiguous numbers to take.
        direction: 1 where the claim tells of something rising or higher, -1 of falling or lower, else 0.
    """
    if a.is_year or b.is_year:
        if a.is_year and b.is_year:
            yield from _between(a, b, score)
        else:
            yield from _year_and_length(a, b, score)
        return
    x, y = a.value(reading), b.value(reading)
    dimension = a.dimension or b.dimension
    units = tuple({a.factor, b.factor} - {1.0})
    same = a.dimension == b.dimension or not (a.dimension and b.dimension)
    percents = [one for one in (a, b) if one.dimension == "percent"]
    if len(percents) == 1 and x and y:
        yield from _with_percent(a, b, score, reading)
        return
    if not same:
        if x and y:
            yield from _quotients(a, b, score, reading)
        return
    sx, sy = written((a, b))
    alike = score if a.dimension == b.dimension else score - OF_TWO_KINDS
    yield Candidate("sum", "sum", x + y, dimension, units, f"{sx} + {sy}", (a, b), alike)
    yield Candidate("mean", "mean", (x + y) / 2, dimension, units, f"({sx} + {sy}) / 2", (a, b), alike)
    old, new = _ordered(a, b, reading, direction)
    first, last = old.value(reading), new.value(reading)
    so, sn = (sx, sy) if old is a else (sy, sx)
    off = last - first
    if dimension == "percent":
        yield Candidate("difference", "difference", 100 * off, "points", (), f"{sn} - {so}", (new, old), alike)
    if off >= 0 or direction or _time(old) != _time(new):
        yield Candidate("difference", "difference", off, dimension, units, f"{sn} - {so}", (new, old), alike)
    else:
        yield Candidate("difference", "difference", -off, dimension, units, f"{so} - {sn}", (old, new), alike)
    if first:
        formula = f"({sn} - {so}) / {so}"
        yield Candidate("percentage_change", "change", off / abs(first), "percent", (), formula, (new, old), alike)
    if min(x, y) > 0:
        small, large = (a, b) if x <= y else (b, a)
        low, high = min(x, y), max(x, y)
        sl, sh = (sx, sy) if small is a else (sy, sx)
        yield Candidate("ratio", "ratio", high / low, None, (), f"{sh} / {sl}", (large, small), alike)
        if low < high:
            # Cells of one column are parts of a whole; apart, the larger one may be the whole.
            kinds = {key[0] for key in a.groups if key in b.groups}
            whole = alike - UNLIKELIER * ("column" in kinds or "row" in kinds)
            parts = alike if kinds - {"list"} else alike - 2 * UNLIKELIER
            yield Candidate("share", "share", low / high, "percent", (), f"{sl} / {sh}", (small, large), whole)
            inverse = alike - UNLIKELIER
            yield Candidate("ratio", "ratio", low / high, None, (), f"{sl} / {sh}", (small, large), inverse)
            for part, other in ((small, large), (large, small)):
                one, rest = part.value(reading), other.value(reading)
                so, sn = (sl, sh) if part is small else (sh, sl)
                formula = f"{so} / ({so} + {sn})"
                yield Candidate("share", "share", one / (one + rest), "percent", (), formula, (part, other), parts)
        if a.dimension != b.dimension or a.dimension is None:
            yield from _quotients(a, b, score, reading)
            yield Candidate("product", "product", x * y, dimension, units, f"{sx} * {sy}", (a, b), score)


def group_candidates(group: Sequence[Operand], score: float, reading: int) -> Iterator[Candidate]:
    """Yields sum, mean, range and the shares of a group of three or more operands of one kind."""
    if not 2 < len(group) <= MOST_IN_GROUP:
        return
    values = [one.value(reading) for one in group]
    dimension = next((one.dimension for one in group if one.dimension), None)
    units = tuple({one.factor for one in group} - {1.0})
    each = written(group)
    added = " + ".join(each)
    total = sum(values)
    chosen = tuple(group)
    yield Candidate("sum", "sum", total, dimension, units, added, chosen, score)
    yield Candidate("mean", "mean", total / len(group), dimension, units, f"({added}) / {len(group)}", chosen, score)
    high, low = max(group, key=lambda one: one.value(reading)), min(group, key=lambda one: one.value(reading))
    off = high.value(reading) - low.value(reading)
    formula = " - ".join(written((high, low)))
    yield Candidate("difference", "difference", off, dimension, units, formula, (high, low), score - 0.1)


def share_candidates(group: Sequence[Operand], scores: Sequence[float], reading: int) -> Iterator[Candidate]:
    """Yields the share of each member of a group in its sum."""
    values = [one.value(reading) for one in group]
    total = sum(values)
    if not 2 < len(group) <= MOST_IN_GROUP or min(values) < 0 or not total:
        return
    each = written(group)
    added = " + ".join(each)
    for one, text, value, score in zip(group, each, values, scores, strict=True):
        chosen = (one, *(other for other in group if other is not one))
        formula = f"{text} / ({added})"
        # Counted like a pair of operands.
        yield Candidate("share", "share", value / total, "percent", (), formula, chosen, 2 * score + UNLIKELIER)


def conversion_candidates(one: Operand, score: float, reading: int) -> Iterator[Candidate]:
    """Yields an operand in another unit or scale, and per month, quarter or week what it is per year."""
    value = one.value(reading)
    if one.is_year:
        return
    for (source, target), (size, pairs) in CONVERSIONS.items():
        if one.dimension != source:
            continue
        for mine, theirs in pairs:
            result = value / size / mine * theirs
            formula = f"{shown(value / size)} * {shown(theirs)} / {shown(mine)}"
            yield Candidate("conversion", "", result, target, (), formula, (one,), score)
    if one.is_rescaled and one.factor != 1.0:
        formula = f"{bare(one)} * {one.factor:,.12g}"
        yield Candidate("conversion", "", value, one.dimension, (), formula, (one,), score)


def rate_candidates(one: Operand, score: float, reading: int, mine: float, theirs: float) -> Iterator[Candidate]:
    """Yields what an operand is over another length of time.

    Args:
        one: The operand.
        score: How well it fits the claim.
        reading: Which reading of an ambiguous number to take.
        mine: How often what the claim speaks of comes in a year.
        theirs: How often what the operand speaks of does.
    """
    if one.is_year or one.dimension in ("months", "time", "percent"):
        return
    value, units = one.value(reading), (one.factor,) if one.factor != 1.0 else ()
    digits, times = bare(one), 7.0 if (theirs, mine) == (365.0, 52.0) else theirs / mine
    if times > 1:
        yield Candidate("product", "rate", value * times, one.dimension, units, f"{digits} * {times:g}", (one,), score)
    else:
        yield Candidate(
            "ratio", "rate", value * times, one.dimension, units, f"{digits} / {1 / times:g}", (one,), score
        )


def _ordered(a: Operand, b: Operand, reading: int, direction: int) -> tuple[Operand, Operand]:
    """Returns what changed into what: by years, else as the claim says, else by place."""
    mine, theirs = _time(a), _time(b)
    if mine and theirs and mine != theirs:
        return (a, b) if mine < theirs else (b, a)
    if direction:
        return (a, b) if (b.value(reading) - a.value(reading)) * direction > 0 else (b, a)
    return a, b


def _time(one: Operand) -> tuple[int, int]:
    year = max((int(key[5:]) for key in one.periods if key.startswith("year:")), default=0)
    part = max((int(key.split(":")[1]) for key in one.periods if not key.startswith("year:")), default=0)
    return (year, part) if year or part else (0, 0)


def _with_percent(a: Operand, b: Operand, score: float, reading: int) -> Iterator[Candidate]:
    rate, base = (a, b) if a.dimension == "percent" else (b, a)
    share, value = rate.value(reading), base.value(reading)
    units = (base.factor,) if base.factor != 1.0 else ()
    percent, digits = bare(rate), bare(base)
    chosen = (base, rate)
    yield Candidate("product", "part", value * share, base.dimension, units, f"{digits} * {percent}", chosen, score)
    less, more = f"{digits} * (1 - {percent})", f"{digits} * (1 + {percent})"
    yield Candidate("product", "adjust_down", value * (1 - share), base.dimension, units, less, chosen, score)
    yield Candidate("product", "adjust_up", value * (1 + share), base.dimension, units, more, chosen, score)
    if share > 0:
        without = f"{digits} / (1 + {percent})"
        yield Candidate(
            "ratio", "adjust_down", value / (1 + share), base.dimension, units, without, chosen, score - 0.3
        )
        whole = f"{digits} / {percent}"
        yield Candidate("ratio", "sum", value / share, base.dimension, units, whole, chosen, score - 0.3)


def _quotients(a: Operand, b: Operand, score: float, reading: int) -> Iterator[Candidate]:
    for one, other in ((a, b), (b, a)):
        value, count = one.value(reading), other.value(reading)
        if count:
            formula = " / ".join(written((one, other)))
            units = tuple({one.factor / other.factor, one.factor, 1 / other.factor} - {1.0})
            yield Candidate("ratio", "per", value / count, one.dimension, units, formula, (one, other), score)
    less = score - UNLIKELIER
    if a.dimension and b.dimension:
        for one, other in ((a, b), (b, a)):
            # 12 euros a month for 18 months
            if other.dimension in ("months", "time", "mass", "length", "area"):
                value, count = one.value(reading), other.value(reading) / other.factor
                formula = " * ".join(written((one, other)))
                yield Candidate("product", "product", value * count, one.dimension, (), formula, (one, other), less)


def _between(a: Operand, b: Operand, score: float) -> Iterator[Candidate]:
    early, late = (a, b) if a.values[0] <= b.values[0] else (b, a)
    years = late.values[0] - early.values[0]
    if years <= 0 and not (early.day and late.day):
        return
    if early.day and late.day:
        if late.day < early.day:
            early, late = late, early
        begin, end = _date(early.day), _date(late.day)  # type: ignore[arg-type]
        if begin is None or end is None or begin == end:
            return
        formula = f"{end.isoformat()} - {begin.isoformat()}"
        days, chosen = (end - begin).days, (late, early)
        months = (end.year - begin.year) * 12 + end.month - begin.month - (end.day < begin.day)
        yield Candidate("date_difference", "dates", days * 86400.0, "time", (86400.0,), formula, chosen, score)
        yield Candidate("date_difference", "dates", float(months), "months", (), formula, chosen, score)
        if months >= 12:
            yield Candidate("date_difference", "dates", months // 12 * 12.0, "months", (12.0,), formula, chosen, score)
        return
    formula = f"{late.values[0]:.0f} - {early.values[0]:.0f}"
    yield Candidate("date_difference", "dates", years * 12.0, "months", (12.0,), formula, (late, early), score)


def _year_and_length(a: Operand, b: Operand, score: float) -> Iterator[Candidate]:
    year, length = (a, b) if a.is_year else (b, a)
    if length.dimension not in ("months", None) or (length.dimension is None and length.value(0) > 130):
        return
    years = length.values[0] / (12.0 if length.dimension == "months" else 1.0)
    if years != int(years) or not years:
        return
    start = year.values[0]
    ahead, back = f"{start:.0f} + {years:.0f}", f"{start:.0f} - {years:.0f}"
    yield Candidate("sum", "until", start + years, "year", (), ahead, (year, length), score)
    yield Candidate("difference", "until", start - years, "year", (), back, (year, length), score - 0.1)


def _date(day: tuple[int, int, int]) -> date | None:
    try:
        return date(*day)
    except ValueError:
        return None
