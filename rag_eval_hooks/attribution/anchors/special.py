"""What makes more of digits than a number with a unit: what is glued to them or stands right beside them."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.codes import (
    read_code,
    read_cued_version,
    read_dashed,
    read_pair,
    read_version,
)
from rag_eval_hooks.attribution.anchors.cues import Cue
from rag_eval_hooks.attribution.anchors.dates import (
    read_day_month,
    read_east_asian_date,
    read_month_first,
    read_numeric_date,
)
from rag_eval_hooks.attribution.anchors.han import read_percent_of
from rag_eval_hooks.attribution.anchors.measures import EAST_ASIAN_FROM
from rag_eval_hooks.attribution.anchors.numbers import POWER, read_fraction, read_number
from rag_eval_hooks.attribution.anchors.periods import read_fiscal_year, read_period, read_quarter_token
from rag_eval_hooks.attribution.anchors.plain import SPECIAL_WORDS
from rag_eval_hooks.attribution.anchors.times import read_east_asian_time, read_time
from rag_eval_hooks.attribution.units import CURRENCIES, MONTHS

__all__ = ["LETTERS", "read_east_asian", "read_glued", "read_special"]

DIGITS = re.compile(r"[0-9]{1,40}")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")
NEXT_WORD = re.compile(r"(?:-\d{1,2})?(?:st|nd|rd|th|ème|er|e(?=[ -])| ?'|[.,])?[ -]?(?:of |de |d')?([^\W\d_]{1,14})")
NEXT = {
    **dict.fromkeys(MONTHS, "date"),
    **dict.fromkeys(["am", "pm", "p", "uhr", "h"], "time"),
    **dict.fromkeys(["s", "er", "jahre", "century", "centuries", "jahrhundert", "jahrhunderts", "siècle", "siècles",
                     "siglo", "jh", "bc", "bce", "ad", "ce", "b", "c", "v", "n", "av", "ap", "d", "quarter", "quartal",
                     "quartals", "trimestre", "half", "halbjahr", "halbjahres", "semestre"], "period"),
    "a": "time or period",
    "out": "part",
}  # fmt: skip
SPECIAL_WORDS.update(NEXT)
PREFIXES = frozenset("mid pre post early late under over top sub non since bis ab".split())
"""What a hyphen may join to a number that stays one: mid-1990s, top-10."""
LONGEST_PREFIX = 40


def read_special(text: str, at: int, free: int, cue: Cue | None) -> list[Anchor]:
    """Reads a date, time, period, version, code, ratio or fraction; most numbers fail two or three cheap tests here."""
    match = DIGITS.match(text, at)
    if match is None:
        return []
    run = match.end()
    found = _cued(text, at, run, cue) if cue is not None else []
    tail, following = text[run : run + 1], text[run + 1 : run + 2]
    if found or not tail or tail in ",;)\n":
        return found
    if following.isdecimal():
        found = _joined_digits(text, at, run, tail)
        if found or tail in ".:/":
            return found
    if run - at < 5:
        found = _by_next_word(text, at, run, free)
        if not found and tail in ": -" and following and following in ": t":
            found = read_pair(text, at)
        if found:
            return found
    if tail in LETTERS or (tail == "-" and following in LETTERS):
        return read_quarter_token(text, at) or ([] if POWER.match(text, run) else read_code(text, at))
    if tail >= EAST_ASIAN_FROM or (tail == " " and following >= EAST_ASIAN_FROM):
        return read_east_asian(text, at, free)
    return []


def read_east_asian(text: str, at: int, free: int) -> list[Anchor]:
    """Reads a period, percentage, date or time of Chinese, Japanese or Korean text."""
    return (
        read_period(text, at, at, free)
        or read_percent_of(text, at)
        or read_east_asian_date(text, at, free)
        or read_east_asian_time(text, at, free)
    )


def read_glued(text: str, at: int, free: int) -> list[Anchor] | None:
    """Reads digits with letters right before them: Q3, FY21, v2.1, mar-2023, USD5m, K-77; None for a mere prefix."""
    start = at
    lowest = max(free, at - LONGEST_PREFIX)
    while start > lowest and (text[start - 1] in LETTERS or text[start - 1] in "-0123456789"):
        start -= 1
    while start < at and text[start] in "-_":
        start += 1
    prefix = text[start:at]
    name = prefix.rstrip("-")
    if name in PREFIXES:
        return None
    if name in MONTHS:
        found = read_month_first(text, at, start, MONTHS[name])
        if found:
            return found
    if prefix == "v":
        found = read_cued_version(text, at, start, single=True)
    elif prefix == "fy":
        found = read_fiscal_year(text, at, start)
    elif name in ("q", "h"):
        found = read_quarter_token(text, start)
    elif prefix in CURRENCIES and prefix.isalpha() and len(prefix) < 4:
        number = read_number(text, at, start, 1.0, CURRENCIES[prefix], None)
        return [number] if number else []
    else:
        found = []
    return found or read_code(text, start)


def _cued(text: str, at: int, run: int, cue: Cue) -> list[Anchor]:
    if cue.kind == "month":
        return read_month_first(text, at, cue.start, int(cue.value))
    if cue.kind == "version":
        return read_cued_version(text, at, at, single=cue.value == "single" and run - at < 4)
    if cue.kind == "fiscal":
        return read_fiscal_year(text, at, at)
    return []


def _joined_digits(text: str, at: int, run: int, sign: str) -> list[Anchor]:
    """Reads digits, one sign, digits: 2023-03, 1.2.3, 3/4, 8:30, 3-1, 1 1/2, 3q21."""
    found = read_numeric_date(text, at) if sign in "-/." and run - at < 5 else []
    if found:
        return found
    if sign == ".":
        return read_version(text, at) or (read_time(text, at) if run - at < 3 else [])
    if sign in "/ ⁄":
        fraction = read_fraction(text, at)
        return [fraction] if fraction else []
    if sign == "-":
        return read_dashed(text, at) or read_day_month(text, at, at) or read_pair(text, at)
    if sign in ":h":
        return read_time(text, at) or read_pair(text, at)
    return read_quarter_token(text, at) if sign == "q" else []


def _by_next_word(text: str, at: int, run: int, free: int) -> list[Anchor]:
    word = NEXT_WORD.match(text, run)
    kind = NEXT.get(word[1]) if word else None
    if kind is None:
        return []
    if kind == "date":
        return read_day_month(text, at, at)
    if kind == "part":
        fraction = read_fraction(text, at)
        return [fraction] if fraction else []
    found = read_time(text, at) if kind.startswith("time") else []
    return found or (read_period(text, at, at, free) if kind.endswith("period") else [])
