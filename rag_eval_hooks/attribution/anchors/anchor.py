"""What an anchor is, and when a source's anchor states the claimed one."""

from typing import NamedTuple

__all__ = ["AMBIGUOUS_POUNDS", "PERIOD", "Anchor", "fits"]

AMBIGUOUS_POUNDS = "pounds"
"""Dimension of a number of pounds: they may be money or a mass; the factor is the mass's."""
PERIOD = "period"
"""Dimension of decades, centuries and years before Christ: a middle and half a length, in years."""
POUNDS_MAY_BE = frozenset(["money:gbp", "mass"])
ROUNDING_ERROR = 1e-13
"""Of floating point, relative; small enough to tell two numbers of thirteen digits apart."""
SECOND_READING = 1e-3
"""Share of the slack where a number is not taken by its first reading."""


class Anchor(NamedTuple):
    """A value that must be the same in the answer and in its source."""

    start: int
    """Where it begins in the folded text."""
    end: int
    """Where it ends in the folded text."""
    key: str | None
    """What it must equal, for anchors that are compared as a whole (times, dates, versions, codes)."""
    values: tuple[float, ...] = ()
    """The possible readings of a number (`2,500` may be 2500 or 2.5), scale words applied, in the unit as written.

    An anchor may have a key and values: `1h30` is a time of day or a duration."""
    slack: float = 0.0
    """How far another value may be off: half of the last written digit where the number is written rounded."""
    dimension: str | None = None
    """What the number measures (`length`, `percent`, `money:usd`), where a unit says so."""
    factor: float = 1.0
    """What to multiply with to get the dimension's base unit."""
    raw: str = ""
    """The digits as written; a version is compared by them."""
    also: str | None = None
    """Another key it may stand for: 05/03/2024 is in March or in May; a time in a time zone has one in UTC."""
    bound: int = 0
    """1 for `more than` the value (up to the slack), -1 for less."""


def fits(claimed: Anchor, source: Anchor) -> bool:
    """Whether a source's anchor states the claimed one: the same key or value, rounded as the claim writes it.

    Units must agree where both have one; a number without a unit fits any unit. A claim may be coarser than its source
    (`the 1990s` for 1994), not finer. `At least 5` is the value 5, on either side.
    """
    if claimed.key is not None or source.key is not None:
        if _same_key(claimed, source):
            return True
        if not claimed.values or not source.values:
            return False
    if claimed.bound * source.bound < 0:
        return False
    for mine, theirs in _factors(claimed, source):
        for value in claimed.values:
            exact = ROUNDING_ERROR * abs(value * mine) + 1e-12
            slack = claimed.slack * mine + exact
            below, above = (exact if claimed.bound > 0 else slack), (exact if claimed.bound < 0 else slack)
            if above == slack > 3 * exact and claimed.dimension != PERIOD:
                above -= 3 * exact  # a half is rounded up
            for other in source.values:
                off = other * theirs - value * mine
                if value != claimed.values[0] or other < source.values[0]:
                    # The slack is of the first reading; 1,200 read as 1.2 is no rounding of 1.6.
                    if abs(off) <= max(exact, SECOND_READING * slack):
                        return True
                elif -below <= off <= above:
                    return True
    return False


def _same_key(claimed: Anchor, source: Anchor) -> bool:
    keys = {source.key, source.also} - {None}
    if claimed.also and source.also and claimed.also.startswith("utc:") and source.also.startswith("utc:"):
        return claimed.also == source.also  # 14:30 in one zone is another time than 14:30 in another
    if claimed.key in keys or claimed.also in keys:
        return True
    return claimed.raw != "" and claimed.raw == source.raw and not claimed.dimension


def _factors(claimed: Anchor, source: Anchor) -> list[tuple[float, float]]:
    """What to multiply claim and source with to compare them; empty where they measure different things."""
    mine, theirs = claimed.dimension, source.dimension
    if mine and theirs and mine != theirs:
        if AMBIGUOUS_POUNDS in (mine, theirs) and (mine in POUNDS_MAY_BE or theirs in POUNDS_MAY_BE):
            return [(1.0, 1.0)] if "money:gbp" in (mine, theirs) else [(claimed.factor, source.factor)]
        return []
    if mine == theirs:
        if mine == PERIOD and source.slack > claimed.slack + 2.0:
            return []
        return [(claimed.factor, source.factor)] if claimed.factor != source.factor else [(1.0, 1.0)]
    if "percent" in (mine, theirs):
        # 19.5 % fits 0.195, and in a table a column of percents fits as written.
        return [(1.0, 1.0), (claimed.factor, source.factor)]
    return [(1.0, 1.0)]
