"""Periods: decades, centuries, years before Christ, quarters, half-years and fiscal years."""

import re

from rag_eval_hooks.attribution.anchors.anchor import PERIOD, Anchor
from rag_eval_hooks.attribution.anchors.dates import full_year, year
from rag_eval_hooks.attribution.anchors.han import HAN, han_or_digits

__all__ = ["CENTURY_SLACK", "century", "read_fiscal_year", "read_period", "read_quarter_token"]

_before = r"b\.? ?c\.?(?: ?e\b\.?)?|v\. ?chr\.?|av\. ?j\.-c\.?|a\. ?c\."
_after = r"a\.?d\.?|c\.? ?e\.?|n\. ?chr\.?|apr?\. ?j\.-c\.?|d\. ?c\."
CENTURY_SLACK = 50.25
AGE = re.compile(rf"(?P<y>\d{{1,4}}),? (?:(?P<before>{_before})|(?:{_after}))(?!\w)")
DECADE = re.compile(
    r"(?P<long>[12]\d\d0)(?:s| ?'s|er(?:[ -]jahren?)?)(?!\w)"
    r"|(?P<short>\d0)(?:s|(?P<sure> ?'s|er(?:[ -]jahren?)?))(?!\w)"
    rf"|(?:(?P<c>\d{{1,2}}|[{HAN}]{{1,3}})(?:世[纪紀]|세기) ?)?(?P<d>\d{{2,4}}|[{HAN}]{{1,4}}) ?(?:年代|년대)"
)
CENTURY = re.compile(
    rf"(?P<c>\d{{1,2}}|[{HAN}]{{1,3}})(?:st|nd|rd|th|\.|ème|e|º)?[ -]?"
    rf"(?:centur(?:y|ies)|jahrhunderts?|siècles?|siglo|jh\.|世[纪紀]|세기)(?: (?P<before>{_before})(?!\w))?"
)
QUARTER = re.compile(
    r"(?:(?P<q>[1-4])(?:st|nd|rd|th|\.|ème|er|e|º)[ -]"
    r"(?P<kind>quarter|quartals?|trimestre|half|halbjahr(?:es)?|semestre)(?!\w)"
    r"|(?P<q2>[1-4一二三四]) ?(?:季度|季(?=[^节節])|四半期|분기))"
)
QUARTER_FIRST = re.compile(r"(?P<q>[1-4])(?P<kind>[qh])(?:(?: |-)?'?(?P<y>[12]\d{3}|\d\d))?(?!\w)")
QUARTER_TOKEN = re.compile(
    r"(?:(?P<y>[12]\d{3})[- ]?)?(?P<kind>[qh])(?P<q>[1-4])(?:[-/ ]?'?(?P<y2>[12]\d{3})|'?(?P<y3>\d\d))?(?!\w)"
)
OF_YEAR = re.compile(r" (?:of )?(?:fy|fiscal|financial|[12]\d{3}(?!\w))")
FISCAL = re.compile(r"(?P<a>\d{4}|\d\d)(?:[/-](?P<b>\d{4}|\d\d))?(?![a-z0-9_/]|[.,-]\d)")
BEFORE_CHRIST = re.compile(r"(?:公元前|西元前|紀元前|前|기원전) ?$")
EAST_ASIAN_YEAR = re.compile(rf"(?P<y>\d{{1,4}}|[{HAN}]{{1,5}}) ?[年년]")
ONLY_WITH = re.compile(r"(?:'|\b(?:the|die|der|den|early|late|mid|in|années|años|os)[ -]'?)$")


def read_period(text: str, at: int, start: int, free: int) -> list[Anchor]:
    """Reads 1990s, the 90s, 90's, 19th century, 1800s, 44 BC, 3rd quarter, 20世纪90年代, 公元前44年.

    `90s` needs a word before it that says so; else they may be seconds. `The 1800s` are the century, `the 2000s` the
    decade.
    """
    match = DECADE.match(text, at)
    if match:
        found = _decade(text, match, start, free)
        if found:
            return found
    match = CENTURY.match(text, at)
    if match:
        number = han_or_digits(match["c"])
        return [century(start, match.end(), number, bool(match["before"]))] if number and number <= 30 else []
    match = AGE.match(text, at)
    if match:
        if match["before"]:
            return [_years(start, match.end(), -int(match["y"]), 0.0)]
        return year(start, match.end(), int(match["y"]))
    match = QUARTER.match(text, at)
    if match:
        number = han_or_digits(match["q"] or match["q2"])
        half = (match["kind"] or "").startswith(("half", "halb", "semestre"))
        if half and number is not None and number > 2:
            return []
        return [Anchor(start, match.end(), f"{'half' if half else 'quarter'}:{number}")]
    if text[at - 1 : at] in ("前", "전", " ") and BEFORE_CHRIST.search(text, max(free, at - 4), at):
        match = EAST_ASIAN_YEAR.match(text, at)
        number = han_or_digits(match["y"]) if match else None
        if match and number is not None:
            return [_years(start, match.end(), -number, 0.0)]
    return []


def read_quarter_token(text: str, start: int) -> list[Anchor]:
    """Reads Q3, 2021Q3, Q3/2021, 3Q21, H1 2021; H1 alone may be a code."""
    match = QUARTER_TOKEN.match(text, start) or QUARTER_FIRST.match(text, start)
    if match is None:
        return []
    groups = match.groupdict()
    written = groups["y"] or groups.get("y2") or groups.get("y3")
    if match["kind"] == "h" and (int(match["q"]) > 2 or not (written or OF_YEAR.match(text, match.end()))):
        return []
    name = "half" if match["kind"] == "h" else "quarter"
    anchors = year(start, match.end(), full_year(written)) if written else []
    return [*anchors, Anchor(start, match.end(), f"{name}:{match['q']}")]


def read_fiscal_year(text: str, at: int, start: int) -> list[Anchor]:
    """Reads the year behind `FY` or `fiscal`: FY21, FY2021, financial year 2020/21.

    Of two years, the one in which it ends names it, so that 2020/21 and FY2021 fit each other.
    """
    match = FISCAL.match(text, at)
    if match is None:
        return []
    first = full_year(match["a"])
    if not match["b"]:
        return year(start, match.end(), first)
    last = full_year(match["b"])
    both = (float(first), float(last))
    return [Anchor(start, match.end(), None, both), *year(start, match.end(), last)]


def century(start: int, end: int, number: int, before: bool) -> Anchor:
    """Returns the anchor of a century; the years at both ends (1800, 1801, 1900) count for it."""
    middle = number * 100 - 49.75
    return _years(start, end, -middle if before else middle, CENTURY_SLACK)


def _years(start: int, end: int, middle: float, slack: float) -> Anchor:
    return Anchor(start, end, None, (float(middle),), slack, PERIOD)


def _decade(text: str, match: re.Match[str], start: int, free: int) -> list[Anchor]:
    end = match.end()
    if match["long"]:
        first = int(match["long"])
        if first % 100 == 0 and first < 2000:
            return [_years(start, end, first + 49.5, 49.5)]
        return [_years(start, end, first + 4.5, 4.5)]
    if match["short"]:
        if match["sure"] is None and not ONLY_WITH.search(text, max(free, match.start() - 8), match.start()):
            return []
        number = int(match["short"])
    else:
        number = han_or_digits(match["d"]) or 0
        if match["c"]:
            number += ((han_or_digits(match["c"]) or 1) - 1) * 100
    if number % 10:
        return []
    if number >= 100:
        return [_years(start, end, number + 4.5, 4.5)]
    firsts = [1900 + number] if number > 20 else [1900 + number, 2000 + number]  # the 20s are long ago or now
    return [Anchor(start, end, None, tuple(first + 4.5 for first in firsts), 4.5, PERIOD)]
