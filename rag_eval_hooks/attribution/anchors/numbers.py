"""Numbers with their signs, scales, units and roundings, and fractions."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.measures import (
    AFTER_NUMBER,
    EAST_ASIAN_FROM,
    FIRST_WORDS,
    read_measure,
)
from rag_eval_hooks.attribution.units import CURRENCIES, UNITS

__all__ = ["NUMBER", "read_fraction", "read_number", "readings"]

NUMBER = re.compile(r"\d{1,40}(?:[.,']\d{1,20}){0,12}")
LEADING_POINT = re.compile(r"\.\d{1,20}")
SPACED = re.compile(r"\d{1,3}(?P<groups>(?: \d{3}){1,8})(?P<decimals>[.,]\d{1,3})?(?!\d)")
WORD = re.compile(r"[ -]?([^\W\d_]*)")
POWER = re.compile(r"e([+-]?\d{1,2})(?!\w)| ?[x×*·] ?10(?:\^|\*\*)(-?\d{1,2})(?!\d)|(?<=[.,]\d) ?×10(\d\d?)(?!\d)|"
                   r"(?<=[.,]\d\d) ?×10(\d\d?)(?!\d)")  # fmt: skip
ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|ère|ème|e|o)(?!\w)")
MONEY_SCALE = re.compile(r"(?:mm?|bn?)(?![a-z])")
GLUED_MILLION = re.compile(r"m (?:us )?(?:dollars?|euros?|pounds|yen|yuan|rupees|usd|eur|gbp)\b")
MORE = re.compile(r"(\d{1,4}(?:,\d{3})?(?:\.\d{1,4})?)(?P<scale>[万萬千百만천백億亿억])")
FRACTION = re.compile(
    r"(?:(?P<whole>\d{1,3}) )?(?P<some>\d{1,2})(?:/|(?P<slash>⁄))(?P<all>\d{1,3})(?![a-z0-9_/⁄]|[.,]\d)"
)
OUT_OF = re.compile(r"(?P<whole>)(?P<some>\d{1,3}) out of (?:every )?(?P<all>\d{1,3})(?!\w|[.,]\d)")
ONE_SIGN_FRACTION = re.compile(r"(?P<whole>\d{0,3})(?P<some>\d)⁄(?P<all>\d{1,2})(?!\d)")
CUT_AT_TEN_PERCENT, CUT_AT_THIRD = 0.1, 0.3


def read_number(text: str, at: int, start: int, sign: float, money: str | None, rounded: int | None) -> Anchor | None:
    """Returns the number that begins at `at`.

    Args:
        text: The folded text.
        at: Where its first digit is (or the decimal sign of `.5`).
        start: Where what belongs to it begins: a sign, a currency.
        sign: 1 or -1.
        money: The currency before it.
        rounded: 0 behind `about`, 1 behind `more than`, -1 behind `nearly`, else None.
    """
    match = NUMBER.match(text, at) if text[at] != "." else LEADING_POINT.match(text, at)
    if match is None:
        return None
    digits, end = match.group(), match.end()
    values = readings(digits)
    if not values:
        return None
    if text[end : end + 1] == " " and text[end + 1 : end + 2].isdecimal():
        spaced = _spaced(text, at)
        if spaced is not None:
            digits, end = spaced
            values = readings(digits)
    scale, dimension, factor, is_ordinal = 1.0, (f"money:{money}" if money else None), 1.0, False
    tail = text[end : end + 1]
    power = POWER.match(text, end) if tail in "e ×x*·" and tail else None
    if power:
        scale, end = 10.0 ** int(power[1] or power[2] or power[3] or power[4]), power.end()
        tail = text[end : end + 1]
    ordinal = ORDINAL.match(text, end) if tail.isalpha() and tail < EAST_ASIAN_FROM else None
    if ordinal:
        end, is_ordinal = ordinal.end(), True
    elif tail == "+" and not text[end + 1 : end + 2].isalnum():
        end, rounded = end + 1, 1  # 500+
    elif tail and tail not in ".,;:)\n" and _may_be_measured(text, end):
        short = MONEY_SCALE.match(text, end) if money else None
        if short:  # €4.5m
            scale, end = (1e6 if short.group().startswith("m") else 1e9), short.end()
        else:
            million = GLUED_MILLION.match(text, end)
            if million:
                scale, end = 1e6, end + 1
            after = AFTER_NUMBER.match(text, end)
            if after is not None:
                end, more, dimension, factor = read_measure(after, end, dimension)
                scale *= more
                if more > 1 and after["cjk"]:
                    values, scale, end, dimension, factor = _add_smaller(text, end, values, scale, dimension, factor)
    if rounded is not None and len(values) > 1:
        # Only one reading may be rounded widely, or about 800,000 (or 800.000) would fit 10,000.
        values, rounded = ((max(values),), rounded) if digits.endswith("0") else (values, None)
    values = tuple(sign * value * scale for value in values)
    if dimension is None and scale == 1.0 and rounded is None and digits.isdecimal():
        return Anchor(start, end, None, values, 0.0, None, 1.0, digits)
    slack, bound = _rounding(digits, values, scale, dimension, rounded)
    if is_ordinal:
        slack = 0.0
    if dimension == "fahrenheit":
        values, slack, dimension = tuple((value - 32) * 5 / 9 for value in values), max(slack * 5 / 9, 0.3), "celsius"
    if dimension == "length" and factor == 1.0 and text[end - 1] == "m" and text[end - 2].isdigit():
        # 3.2M: folding lost the case, so it may be metres or millions
        return Anchor(start, end, None, (*values, *(value * 1e6 for value in values)), slack, None, 1.0, digits)
    plain = scale == 1.0 and dimension is None
    return Anchor(start, end, None, values, slack, dimension, factor, digits if plain else "", None, bound)


def read_fraction(text: str, at: int) -> Anchor | None:
    """Returns `1/2`, `¾`, `1½`, `1 1/2` or `3 out of 4`; a part of a whole is a percentage."""
    match = FRACTION.match(text, at)
    if match is None or match["slash"]:
        # ½ is folded to 1⁄2, and 1½ to 11⁄2
        match = ONE_SIGN_FRACTION.match(text, at) or OUT_OF.match(text, at)
        if match is None:
            return None
    some, parts, whole = int(match["some"]), int(match["all"]), match["whole"]
    if not 0 < some < parts <= 100:
        return None
    start, end = match.span()
    after = AFTER_NUMBER.match(text, end)
    measured = read_measure(after, end, None) if after else (end, 1.0, None, 1.0)
    if whole or (measured[2] not in (None, "percent")):
        value = int(whole or 0) + some / parts
        return Anchor(start, measured[0], None, (value * measured[1],), 0.005, measured[2], measured[3])
    return Anchor(start, end, None, (100.0 * some / parts,), 0.5, "percent", 0.01)


def readings(digits: str) -> tuple[float, ...]:
    """Returns what written digits may mean: separators are thousands signs or decimal signs, by their places.

    >>> readings("1.234,5"), readings("12,34,567"), readings("1,234")
    ((1234.5,), (1234567.0,), (1234.0, 1.234))
    """
    if digits.isdecimal():
        return (float(digits),)
    plain = digits.replace("'", "")
    if plain.isdecimal() or plain[0] == ".":
        return (float(plain),)
    separators = re.findall(r"[.,]", plain)
    groups = re.split(r"[.,]", plain)
    if len(separators) == 1:
        decimal = float(f"{groups[0]}.{groups[1]}")
        if len(groups[1]) == 3 and len(groups[0]) <= 3 and groups[0] != "0":
            thousands = float(groups[0] + groups[1])
            return (thousands, decimal) if separators[0] == "," else (decimal, thousands)
        return (decimal,)
    decimals = ""
    if separators[-1] != separators[0]:
        decimals, groups, separators = "." + groups[-1], groups[:-1], separators[:-1]
    if len(set(separators)) > 1:
        return ()
    sizes = {len(group) for group in groups[1:-1]}
    if len(groups[-1]) == 3 and (sizes <= {3} or sizes == {2}):  # twos: 12,34,567
        return (float("".join(groups) + decimals),)
    if not decimals and sizes == {3} and len(groups[-1]) < 3:
        return (float("".join(groups[:-1]) + "." + groups[-1]),)  # 1 234,5 with a narrow blank, which folds to a comma
    return () if decimals else tuple(float(group) for group in groups)  # a list without blanks


def _spaced(text: str, at: int) -> tuple[str, int] | None:
    """Digits and end of `3 500 m`: a blank parts thousands before decimals or a unit, or twice in a row."""
    match = SPACED.match(text, at)
    if match is None:
        return None
    if len(match["groups"]) == 4 and not (match["decimals"] and match["decimals"][0] == ","):
        after = AFTER_NUMBER.match(text, match.end())
        if after is None or not (after["unit"] in UNITS or after["unit"] in CURRENCIES or after["cjk"]):
            return None
    return match.group().replace(" ", ""), match.end()


def _may_be_measured(text: str, end: int) -> bool:
    """A cheap look at what follows, before the long pattern is tried."""
    match = WORD.match(text, end)
    word = match[1] if match else ""
    return not word or word in FIRST_WORDS or not word.isascii()


def _add_smaller(
    text: str, end: int, values: tuple[float, ...], scale: float, dimension: str | None, factor: float
) -> tuple[tuple[float, ...], float, int, str | None, float]:
    """Adds the smaller parts of `1億2,000万円` or `3만 5천 원`."""
    smallest = scale
    for _ in range(4):
        more = MORE.match(text, end + (text[end : end + 1] == " "))
        after = AFTER_NUMBER.match(text, more.start("scale")) if more else None
        if more is None or after is None or dimension is not None:
            break
        until, small, dimension, factor = read_measure(after, end, None)
        part = float(more[1].replace(",", "")) * small
        if part >= smallest:
            break
        values, end, smallest = tuple(value + part / scale for value in values), until, small
    return values, scale, end, dimension, factor


def _rounding(
    digits: str, values: tuple[float, ...], scale: float, dimension: str | None, rounded: int | None
) -> tuple[float, int]:
    """Returns how far a source may be off, and to which side only.

    A number is written rounded where it has decimals, a scale or a unit: half of its last digit. Behind `about`, its
    zeros at the end count as rounding, too, within a tenth of the value; a year's do not, beyond a decade.
    """
    decimals = 0
    for sign in ".,":
        whole, found, part = digits.rpartition(sign)
        if found and (len(part) != 3 or values[0] != int(values[0]) or not whole.strip("0")) and part.isdecimal():
            decimals = len(part)
    written = scale * 10.0**-decimals
    slack = written / 2 if scale > 1 or decimals or dimension is not None or rounded is not None else 0.0
    if rounded is None:
        return slack, 0
    size = abs(values[0])
    bare = digits.replace(",", "").replace(".", "")
    place = written * 10.0 ** (len(bare) - len(bare.rstrip("0"))) if not decimals and bare.strip("0") else written
    if dimension is None and scale == 1.0 and len(digits) == 4 and "1000" <= digits <= "2199":
        return min(place, 10.0) / 2 if rounded == 0 and place > 1 else 0.0, 0
    if rounded > 0:
        return max(slack, min(place, CUT_AT_THIRD * size)), 1
    return max(slack, min(place / 2, CUT_AT_TEN_PERCENT * size)), rounded
