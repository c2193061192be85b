"""Versions, codes, phone numbers, ratios and scores: what is compared sign by sign."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.measures import AFTER_NUMBER
from rag_eval_hooks.attribution.units import SCALES, UNITS

__all__ = ["read_code", "read_cued_version", "read_dashed", "read_pair", "read_phone", "read_version"]

VERSION = re.compile(r"\d{1,20}(?:\.\d{1,20}){2,12}(?:[-+.]?[a-z]{1,12}\d{0,9})?(?![a-z0-9_])")
CUED = re.compile(r"v?(?P<raw>\d{1,9}(?:\.\d{1,9}){1,12}[a-z]?|\d{1,3})(?![a-z0-9_]|[.,]\d)")
THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")
TOKEN = re.compile(r"[a-z0-9]{1,40}(?:[-_][a-z0-9]{1,40}){0,8}(?![a-z0-9_])")
QUANTITY = re.compile(r"\d+-?([a-z]{1,14})")
DASHED = re.compile(r"\d{1,20}(?:-\d{1,20}){2,8}(?![a-z0-9_-])|\d{3,4}-0\d{3,9}(?![a-z0-9_-])")
PHONE = re.compile(r"\d{1,3}(?:[ ./-]?\(?\d{2,7}\)?){2,6}(?![a-z0-9_])")
COLON = re.compile(r"(?P<a>\d{1,3})(?::|-to-| : )(?P<b>\d{1,3})(?![a-z0-9_:]|[.,]\d)")
DASH = re.compile(r"(?P<a>[1-9]\d{0,2}|0)-(?P<b>[1-9]\d{0,2}|0)(?![a-z0-9_/%-]|[.,]\d)")
LEAST_DIGITS, MOST_DIGITS = 7, 13
ENDINGS = frozenset("st nd rd th er re e o k m".split())


def read_version(text: str, at: int) -> list[Anchor]:
    """Reads 1.2.3 and 1.2.3-rc1; 1.234.567 is a number."""
    match = VERSION.match(text, at)
    if match is None or THOUSANDS.fullmatch(match.group()):
        return []
    return _version(at, match.end(), match.group())


def read_cued_version(text: str, at: int, start: int, single: bool) -> list[Anchor]:
    """Reads what follows `version` or `v`: 3.10, or 3 where single numbers are allowed."""
    match = CUED.match(text, at)
    if match is None or not (single or "." in match["raw"]):
        return []
    return _version(start, match.end(), match["raw"])


def read_code(text: str, start: int) -> list[Anchor]:
    """Reads letters with digits: K-77, covid-19, 3D. A quantity (5kg, 36-month, 180mm-200mm) is none."""
    match = TOKEN.match(text, start)
    if match is None:
        return []
    raw = match.group()
    if raw.isdecimal() or raw.isalpha():
        return []
    quantity = QUANTITY.fullmatch(raw)
    if quantity:
        word = quantity[1]
        if word in UNITS or word in SCALES or word in ENDINGS or ("-" in raw and len(word) > 1):
            return []
    elif raw.replace("-", "").isdecimal() or _is_range(raw):
        return []
    return [Anchor(start, match.end(), "code:" + raw.replace("-", "").replace("_", ""))]


def _is_range(raw: str) -> bool:
    """Whether a token is two quantities with a dash between: 180mm-200mm."""
    ends = [QUANTITY.fullmatch(part) for part in raw.split("-")]
    return len(ends) == 2 and all(one is not None and one[1] in UNITS for one in ends)


def read_dashed(text: str, at: int) -> list[Anchor]:
    """Reads digits in groups, as ISBNs and phone numbers have them; seven digits or more equal those without dashes."""
    match = DASHED.match(text, at)
    return _digits(at, match.end(), match.group()) if match else []


def read_phone(text: str, at: int) -> list[Anchor]:
    """Reads a phone number behind its `+`."""
    match = PHONE.match(text, at)
    if match is None or sum(map(str.isdecimal, match.group())) < 8:
        return []
    return _digits(at - 1, match.end(), match.group())


def read_pair(text: str, at: int) -> list[Anchor]:
    """Reads a ratio 3:1 or a score 3-1, in this order.

    A rising pair with a dash may be a range and is read as two numbers.
    """
    match = COLON.match(text, at)
    if match is None:
        match = DASH.match(text, at)
        if match is None or int(match["a"]) < int(match["b"]):
            return []
        after = AFTER_NUMBER.match(text, match.end())
        if after and (after["scale"] or after["cjk"] or after["unit"] in UNITS):
            return []
    return [Anchor(at, match.end(), f"pair:{int(match['a'])}:{int(match['b'])}")]


def _version(start: int, end: int, raw: str) -> list[Anchor]:
    return [Anchor(start, end, f"version:{raw}", (), 0.0, None, 1.0, raw)]


def _digits(start: int, end: int, written: str) -> list[Anchor]:
    digits = "".join(filter(str.isdecimal, written))
    if LEAST_DIGITS <= len(digits) <= MOST_DIGITS:
        return [Anchor(start, end, None, (float(digits),), 0.0, None, 1.0, digits)]
    return [Anchor(start, end, f"code:{digits}")]
