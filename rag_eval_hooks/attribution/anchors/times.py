"""Times of day, with and without a time zone."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.han import HAN, han_or_digits

__all__ = ["PARTS_OF_DAY", "read_east_asian_time", "read_time"]

ZONES = {
    "z": 0, "utc": 0, "gmt": 0, "wet": 0, "bst": 60, "cet": 60, "west": 60, "cest": 120, "eet": 120, "eest": 180,
    "msk": 180, "jst": 540, "kst": 540, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360,
    "pst": -480, "pdt": -420,
}  # fmt: skip
"""Minutes ahead of UTC. Zones that have several meanings (IST) or change with the season (ET) are left out."""
_zone = (
    rf"(?: ?(?P<zone>{'|'.join(ZONES)})\b(?P<ahead>[+-]\d{{1,2}}(?::?\d\d)?)?(?!\w)"
    r"|(?P<offset>[+-]\d\d:?\d\d)(?!\w))?"
)
CLOCK = re.compile(
    r"(?P<h>[01]?\d|2[0-4])(?P<sign>[:h])(?P<m>[0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?"
    rf"(?: ?(?P<half>[ap])\.?m\b\.?| uhr\b)?{_zone}(?![a-z0-9_:])"
)
HOUR = re.compile(
    r"(?P<h>[01]?\d|2[0-4])(?:[.:](?P<m>[0-5]\d))? ?(?:(?P<half>[ap])\.?m\b\.?|uhr\b(?: (?P<m2>[0-5]\d)(?![\w.,]))?"
    rf"|h (?P<m3>[0-5]\d)\b){_zone}"
)
_number = rf"(?:\d{{1,2}}|[{HAN}]{{1,3}})"
EAST_ASIAN = re.compile(
    rf"(?P<h>{_number}) ?[点點时時시](?P<min> ?(?:(?P<half>半|반)|(?P<m>{_number}) ?(?P<mark>[分분])?))?"
)
PARTS_OF_DAY = {
    "上午": "a", "早上": "a", "凌晨": "a", "午前": "a", "오전": "a", "中午": "p", "下午": "p", "晚上": "p",
    "午後": "p", "오후": "p",
}  # fmt: skip


def read_time(text: str, at: int) -> list[Anchor]:
    """Reads 14:30, 14h30, 2:30 pm, 2.30pm, 14 Uhr, 14:30 UTC, 14:30+02:00.

    `1h30` up to 9h59 is a duration as well.
    """
    match = CLOCK.match(text, at)
    if match is None:
        match = HOUR.match(text, at)
        if match is None:
            return []
        minute = int(match["m"] or match["m2"] or match["m3"] or 0)
    else:
        minute = int(match["m"])
    hour = _hour(int(match["h"]), match["half"])
    if hour is None:
        return []
    now = (hour * 60 + minute) % 1440
    zone = _minutes_ahead(match)
    also = None if zone is None else f"utc:{(now - zone) % 1440}"
    if match.re is CLOCK and match["sign"] == "h" and len(match["h"]) == 1 and zone is None:
        return [Anchor(at, match.end(), f"time:{now}", (float(now),), 0.5, "time", 60.0)]
    return [Anchor(at, match.end(), f"time:{now}", also=also)]


def read_east_asian_time(text: str, at: int, free: int) -> list[Anchor]:
    """Reads 下午2点30分, 午後2時, 오후 2시 30분, 14点30分; an hour alone needs its part of the day."""
    match = EAST_ASIAN.match(text, at)
    if match is None:
        return []
    before = text[max(free, at - 3) : at].rstrip()[-2:]
    part = PARTS_OF_DAY.get(before)
    if part is None and not match["mark"]:
        return []
    hour = _hour(han_or_digits(match["h"]) or 0, None)
    minute = 30 if match["half"] else han_or_digits(match["m"]) or 0 if match["m"] else 0
    if hour is None or minute > 59:
        return []
    if part is not None and hour <= 12:
        hour = hour % 12 + (12 if part == "p" else 0)
    start = text.rfind(before, free, at) if part else at
    return [Anchor(start, match.end(), f"time:{(hour * 60 + minute) % 1440}")]


def _hour(hour: int, half: str | None) -> int | None:
    if half:
        return hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else None
    return hour if hour <= 24 else None


def _minutes_ahead(match: re.Match[str]) -> int | None:
    if match["offset"]:
        return _minutes(match["offset"])
    if not match["zone"]:
        return None
    return ZONES[match["zone"]] + (_minutes(match["ahead"]) if match["ahead"] else 0)


def _minutes(offset: str) -> int:
    digits = offset[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) < 3 else (digits[:-2], digits[-2:])
    return (-1 if offset[0] == "-" else 1) * (int(hours) * 60 + int(minutes))
