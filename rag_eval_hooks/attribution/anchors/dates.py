"""Dates: days, months and years in the usual notations."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.han import HAN, han_or_digits
from rag_eval_hooks.attribution.units import MONTHS

__all__ = [
    "ERAS",
    "full_year",
    "read_day_month",
    "read_east_asian_date",
    "read_month_first",
    "read_numeric_date",
    "year",
]

NUMERIC = re.compile(
    r"(?P<a>\d{1,4})(?P<sep>[-/.])(?P<b>\d{1,2})(?:(?P=sep)(?P<c>\d{4}|\d{1,2}))?"
    r"(?:(?P<t>t)(?=\d\d:)|(?![a-z0-9_/]|[.,-]\d))"
)
MONTH_YEAR = re.compile(r"(?P<m>0?[1-9]|1[0-2])(?P<sep>[/.])(?P<y>(?:19|20)\d\d)(?![a-z0-9_/]|[.,-]\d)")
_year = r"(?:(?:\.?,? (?:of |de |del )?|-)(?P<y>[12]\d{3})(?!\w)|-(?P<y2>\d\d)(?![\w-])| ?'(?P<y3>\d\d)(?!\w))?"
DAY_MONTH = re.compile(
    r"(?P<d>\d{1,2})(?:-(?P<to>\d{1,2}))?(?:st|nd|rd|th|er|\.|º)?[ -]?(?:of |de |d')?(?P<m>[^\W\d_]{3,10})" + _year
)
MONTH_DAY = re.compile(
    r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?:[-/](?P<to>\d{1,2})(?:st|nd|rd|th)?)?(?![a-z0-9_:/%]|[.,]\d|-\w)"
    r"(?:,? (?:of |de )?(?P<y>[12]\d{3})(?!\w))?|(?P<y2>[12]\d{3})(?!\w)"
)
_number = rf"(?:\d{{1,2}}|[{HAN}]{{1,3}})"
EAST_ASIAN = re.compile(
    rf"(?:(?P<y>[12]\d{{3}}|[〇零一二三四五六七八九]{{4}}|\d\d(?= ?[年년] ?\d{{1,2}} ?[月월]))"
    r" ?[年년](?![代대半])度?)?(?:(?P<half>[上下])半年)?"
    rf"(?: ?(?P<m>{_number}) ?[月월](?!간)份?(?: ?(?P<d>{_number}) ?[日号號일])?)?"
)
ERA_YEAR = re.compile(
    rf"(?P<y>元|\d{{1,3}}|[{HAN}]{{1,4}}) ?年度?(?: ?(?P<m>{_number}) ?月(?: ?(?P<d>{_number}) ?[日号號])?)?"
)
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民国": 1911, "民國": 1911}
"""The year before an era's first."""
THIS_CENTURY_UNTIL = 68


def read_numeric_date(text: str, at: int) -> list[Anchor]:
    """Reads 2023-03-05, 05.03.2023, 3/5/23, 2023-03, 3/2023, 2019-21.

    `05/03/2024` is in March or in May: the anchor's `also`. A two-digit year needs two-digit months and days unless
    slashes part them: 5.3.24 may be a version. `2010-11` may be a month or two years: only 2010 is read.
    """
    match = MONTH_YEAR.match(text, at)
    if match and (match["sep"] == "/" or match["m"][0] == "0"):
        return year(at, match.end(), int(match["y"])) + _day(at, match.end(), int(match["m"]), None)
    match = NUMERIC.match(text, at)
    if match is None:
        return []
    first, second, third, sign = match["a"], int(match["b"]), match["c"], match["sep"]
    end = match.end()
    if len(first) == 4:
        if first[0] not in "12":
            return []
        if third is not None:
            return _date(at, end, int(first), second, int(third)) if len(third) < 3 else []
        return [] if sign == "." or match["t"] else _two_years(at, end, int(first), match["b"], sign)
    if third is None or len(first) > 2:
        return []
    if len(third) < 4 and sign != "/" and not len(first) == len(match["b"]) == len(third) == 2:
        return []
    day, month, also = int(first), second, None
    if month > 12:
        month, day = day, month  # 05/31/2024
    elif day <= 12 and sign != ".":
        also = (day, month)
    return _date(at, end, full_year(third), month, day, also)


def read_day_month(text: str, at: int, start: int) -> list[Anchor]:
    """Reads 5 March 2023, 5. März, 5-Mar-23, 5 de marzo de 2023, 5-7 March."""
    match = DAY_MONTH.match(text, at)
    month = MONTHS.get(match["m"]) if match else None
    if match is None or month is None:
        return []
    written = match["y"] or match["y2"] or match["y3"]
    end = match.end() if written else match.end("m")
    return _days(start, end, full_year(written) if written else None, month, match["d"], match["to"])


def read_month_first(text: str, at: int, start: int, month: int) -> list[Anchor]:
    """Reads what follows a month's name: March 5, 2023, March 5-7, March 2023."""
    match = MONTH_DAY.match(text, at)
    if match is None:
        return []
    written = match["y"] or match["y2"]
    return _days(start, match.end(), int(written) if written else None, month, match["d"], match["to"])


def read_east_asian_date(text: str, at: int, free: int) -> list[Anchor]:
    """Reads 2023年3月5日, 3月, 2021年上半年, 2023년 3월 5일, and years of an era: 令和5年."""
    before = text[max(free, at - 2) : at]
    if before in ERAS:
        match = ERA_YEAR.match(text, at)
        if match is None:
            return []
        of_era = 1 if match["y"] == "元" else han_or_digits(match["y"]) or 0
        return _date(at - 2, match.end(), ERAS[before] + of_era, _value(match["m"]), _value(match["d"]))
    match = EAST_ASIAN.match(text, at)
    if match is None or match.end() == at:
        return []
    written = match["y"]
    number = None if written is None else full_year(written) if len(written) == 2 else han_or_digits(written)
    anchors = _date(at, match.end(), number, _value(match["m"]), _value(match["d"]))
    if match["half"]:
        anchors.append(Anchor(at, match.end(), f"half:{1 if match['half'] == '上' else 2}"))
    return anchors


def full_year(digits: str) -> int:
    """Returns a year; two digits are from 1969 to 2068."""
    value = int(digits)
    if len(digits) > 2:
        return value
    return value + (2000 if value <= THIS_CENTURY_UNTIL else 1900)


def year(start: int, end: int, value: int) -> list[Anchor]:
    """Returns the anchor of a year."""
    return [Anchor(start, end, None, (float(value),), 0.0, None, 1.0, str(value))]


def _value(text: str | None) -> int | None:
    return han_or_digits(text) if text else None


def _two_years(start: int, end: int, first: int, second: str, sign: str) -> list[Anchor]:
    number = int(second)
    if len(second) != 2 or (number > 12 and number <= first % 100):
        return []
    following = number == (first + 1) % 100
    if number > 12 or (sign == "/" and following):
        return year(start, end, first) + year(start, end, first // 100 * 100 + number + (100 if number == 0 else 0))
    if following or not 1 <= number <= 12:
        return year(start, end, first)
    return _date(start, end, first, number, None)


def _days(start: int, end: int, of: int | None, month: int, day: str | None, to: str | None) -> list[Anchor]:
    anchors = _date(start, end, of, month, int(day) if day else None)
    if anchors and to and int(to) <= 31:
        anchors.append(Anchor(start, end, f"day:{month}-{int(to)}"))
    return anchors


def _date(
    start: int, end: int, of: int | None, month: int | None, day: int | None, also: tuple[int, int] | None = None
) -> list[Anchor]:
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return []
    anchors = [] if of is None else year(start, end, of)
    return anchors if month is None else anchors + _day(start, end, month, day, also)


def _day(start: int, end: int, month: int, day: int | None, also: tuple[int, int] | None = None) -> list[Anchor]:
    anchors = []
    if day is not None:
        anchors.append(Anchor(start, end, f"day:{month}-{day}", also=f"day:{also[0]}-{also[1]}" if also else None))
    anchors.append(Anchor(start, end, f"month:{month}", also=f"month:{also[0]}" if also else None))
    return anchors
