"""Finds typed anchors in folded text: numbers with units, dates, times, versions, codes."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rag_eval_hooks.attribution.units import (
    CN_DIGITS,
    CN_LARGE,
    CN_NUMERALS,
    CN_SMALL,
    CURRENCIES,
    MONTHS,
    SCALES,
    UNITS,
)

__all__ = ["AFTER_NUMBER", "Anchor", "find_anchors", "fits", "read_measure"]


class Anchor(NamedTuple):
    """A value that must be the same in the answer and in its source."""

    start: int
    """Where it begins in the folded text."""
    end: int
    """Where it ends in the folded text."""
    key: str | None
    """What it must equal, for anchors that are compared as a whole (times, dates, versions, codes)."""
    values: tuple[float, ...] = ()
    """The possible readings of a number (`2,500` may be 2500 or 2.5), scale words applied, in the unit as written."""
    slack: float = 0.0
    """How far another value may be off: half of the last written digit where the number is written rounded."""
    dimension: str | None = None
    """What the number measures (`length`, `percent`, `money:usd`), where a unit says so."""
    factor: float = 1.0
    """What to multiply with to get the dimension's base unit."""
    raw: str = ""
    """The digits as written; a version is compared by them."""
    also: str | None = None
    """Another key it may stand for: 05/03/2024 is in March or in May."""


_cn = CN_NUMERALS
_month = "|".join(sorted(MONTHS, key=len, reverse=True))
_cjk_unit = "|".join(
    sorted((u for u in (*SCALES, *UNITS, *CURRENCIES) if not u.isascii() and u not in "$€£¥₩₹"), key=len, reverse=True)
)
DATE = re.compile(
    r"(?<![a-z0-9_.,/-])(?P<y1>[12]\d{3})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?![\d/-]|[.,]\d)"
    r"|(?P<y2>[12]\d{3}|[〇零一二三四五六七八九]{4})年"
    rf"(?:(?P<m2>\d{{1,2}}|[{_cn}]{{1,3}})月(?:(?P<d2>\d{{1,2}}|[{_cn}]{{1,3}})[日号])?)?"
    rf"|(?P<m3>\d{{1,2}}|[{_cn}]{{1,3}})月(?P<d3>\d{{1,2}}|[{_cn}]{{1,3}})[日号]"
    rf"|(?<![a-z0-9_])(?P<d4>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? (?P<m4>{_month})\b\.?"
    r"(?:,? (?P<y4>[12]\d{3})(?![a-z0-9_]))?"
    rf"|\b(?P<m5>{_month})\b\.? (?P<d5>\d{{1,2}})(?:st|nd|rd|th)?(?![a-z0-9_:])(?:,? (?P<y5>[12]\d{{3}})(?![a-z0-9_]))?"
    r"|(?<![a-z0-9_.,/-])(?P<d7>\d{1,2})(?P<sep>[./-])(?P<m7>\d{1,2})(?P=sep)(?P<y7>[12]\d{3})(?![\d/-]|[.,]\d)"
    rf"|\b(?P<m6>{_month})\b\.?,? (?P<y6>[12]\d{{3}})(?![a-z0-9_])"
)
TIME = re.compile(
    r"(?<![a-z0-9_:.])(?P<h>[01]?\d|2[0-4])[:h](?P<m>[0-5]\d)(?::[0-5]\d)?(?: ?(?P<half>[ap])\.?m\b\.?)?(?![a-z0-9_:])"
    r"|(?<![a-z0-9_:.])(?P<h2>1[0-2]|0?\d) ?(?P<half2>[ap])\.?m\b\.?"
    r"|(?<![a-z0-9_:.])(?P<h3>[01]?\d|2[0-4])(?:(?:[.:](?P<m3>[0-5]\d))? uhr\b| h (?P<m4>[0-5]\d)\b)"
    r"|(?P<part>上午|早上|凌晨|中午|下午|晚上|午前|午後|오전|오후) ?"
    rf"(?P<h5>\d{{1,2}}|[{_cn}]{{1,3}})[点點时時시](?:(?P<m5>\d{{1,2}}|[{_cn}]{{1,3}}|半)分?)?"
)
QUARTER = re.compile(r"(?<![a-z0-9_])q(?P<q1>[1-4])(?![a-z0-9_])|(?P<q2>[1-4])\. ?quartal|第(?P<q3>[1-4一二三四])季度")
RATIO = re.compile(r"(?<![\w./-])(?P<some>\d{1,2})/(?P<all>\d{1,3})(?![\w/]|[.,]\d)")
VERSION = re.compile(
    r"(?<![a-z0-9_.])v?\d+(?:\.\d+){2,}(?:[-+.]?[a-z]+\d*)?(?![a-z0-9_])"
    r"|(?:\b(?:release|version|versions|ver|rev|revision|build|section|sec|chapter|figure|fig|table|python|clause)\.?"
    r"|(?<![a-z0-9_])§) ?v?(?P<cued>\d+(?:\.\d+)+[a-z]?)(?![a-z0-9_])"
    r"|(?<![a-z0-9_])v(?P<bare>\d+(?:\.\d+)*)(?![a-z0-9_])"
)
NUMBER = re.compile(
    r"(?P<sign>(?<![a-z0-9_.,)\-/])[-+] ?)?(?P<money>us\$|[$€£¥₩₹]) ?(?P<n1>\d[\d.,']{0,40})|"
    r"(?P<sign2>(?<![a-z0-9_.,)\-/])[-+])?(?<![a-z0-9_.])(?P<n2>\d[\d.,']{0,40}|\.\d+)"
)
AFTER_NUMBER = re.compile(
    r"(?:[ -]?(?P<scale>thousand|millionen|millions?|milliarden|milliards|mio|mln|mn|billions?|bn|mrd|trillion|tn|"
    r"hundred|tsd)\b\.?"
    rf"|(?P<k>k)\b|(?P<cjk>(?:{_cjk_unit}){{1,3}}))?"
    r"(?:[ -]?(?:(?:working|business|calendar|full|whole|consecutive|weitere|volle) )?"
    r"(?P<unit>per cent|percent|pct|prozent|km/h|°[cf]|[%‰℃]|us\$|[$€£¥₩₹]|[^\W\d_]{1,12})(?![^\W\d_]))?"
)
SPACED = re.compile(r"(?P<digits>\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?)(?![\d])(?= ?(?:[%€$£]|[^\W\d_]{1,12}))")
CODE = re.compile(
    r"(?<![a-z0-9_])(?=[a-z0-9_-]{0,40}[a-z])(?=[a-z0-9_-]{0,40}\d)[a-z0-9][a-z0-9]*(?:[-_][a-z0-9]+)*(?![a-z0-9_])"
)
CN_NUMBER = re.compile(
    rf"(?P<ordinal>第)?(?P<digits>[{_cn}]{{1,20}})(?P<unit>{_cjk_unit}|[个個月日号次倍项位家种岁歳台点分层楼册])?"
)
APPROXIMATE = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.?|etwa|rund|environ|约|大约|近|约为|~|≈)\s*$"
)
BEFORE_NUMERAL, AFTER_NUMERAL, LONGEST_TOKEN = 24, 40, 48
DIGITS = re.compile(r"\d+")
NUMERALS = re.compile(rf"[\d{_cn}]+")
MONEY_SCALE = re.compile(r"(?:mm?|bn?)(?![a-z])")
RANGE = re.compile(r"\s*(?:-|to|bis|until|and|und|or|à|至|到|~|から|〜)\s*")
AFTERNOON = frozenset(["下午", "晚上", "中午", "午後", "오후"])
ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")


def find_anchors(text: str) -> list[Anchor]:
    """Returns the anchors of a folded text in order, without overlaps; linear in its length."""
    readers = ASCII_READERS if text.isascii() else READERS
    found: list[Anchor] = []
    free = _Free()
    for start, end in _windows(text):
        for hint, pattern, read in readers:
            if hint.search(text, start, end) is None:
                continue
            for match in pattern.finditer(text, start, end):
                anchors = read(match)
                if anchors and free.take(anchors[0].start, anchors[0].end):
                    found.extend(anchors)
    found.sort(key=lambda anchor: anchor.start)
    for place in range(len(found) - 1):
        first, second = found[place], found[place + 1]
        bare = bool(first.values) and first.dimension is None and second.dimension is not None
        if bare and RANGE.fullmatch(text, first.end, second.start):  # 3 to 5 days: both are days
            found[place] = first._replace(dimension=second.dimension, factor=second.factor)
    return found


def fits(claimed: Anchor, source: Anchor) -> bool:
    """Whether a source's anchor states the claimed one: the same key or value, rounded as the claim writes it.

    Units must agree where both have one; a number without a unit fits any unit.
    """
    if claimed.key is not None or source.key is not None:
        keys = {source.key, source.also} - {None}
        return (
            claimed.key in keys
            or claimed.also in keys
            or (claimed.raw != "" and claimed.raw == source.raw and not claimed.dimension)
        )
    if claimed.dimension and source.dimension and claimed.dimension != source.dimension:
        return False
    factors = [(1.0, 1.0)]
    if claimed.dimension == source.dimension and claimed.factor != source.factor:
        factors = [(claimed.factor, source.factor)]
    elif "percent" in (claimed.dimension, source.dimension) and claimed.dimension != source.dimension:
        # 19.5 % fits 0.195, and in a table a column of percents fits as written.
        factors.append((claimed.factor, source.factor))
    for mine, theirs in factors:
        for value in claimed.values:
            for other in source.values:
                gap = abs(value * mine - other * theirs)
                if gap <= claimed.slack * mine + 1e-9 * abs(value * mine) + 1e-12:
                    return True
    return False


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yields the stretches around numerals; no anchor is elsewhere, and most text has few of them."""
    window: tuple[int, int] | None = None
    for match in (DIGITS if text.isascii() else NUMERALS).finditer(text):
        start, end = match.start() - BEFORE_NUMERAL, match.end() + AFTER_NUMERAL
        if window is not None and start <= window[1]:
            window = (window[0], end)
            continue
        if window is not None:
            yield window
        blank = text.rfind(" ", 0, max(0, start))
        window = (blank + 1 if start - blank <= LONGEST_TOKEN else max(0, start), end)
    if window is not None:
        yield window


class _Free:
    """Knows which stretches of the text are taken."""

    def __init__(self) -> None:
        self._places: set[int] = set()

    def take(self, start: int, end: int) -> bool:
        """Takes a stretch unless part of it is taken."""
        if not self._places.isdisjoint(range(start, end)):
            return False
        self._places.update(range(start, end))
        return True


def _date(match: re.Match[str]) -> list[Anchor]:
    groups = match.groupdict()
    year = _whole(next((groups[name] for name in ("y1", "y2", "y4", "y5", "y6", "y7") if groups[name]), None))
    month_text = next((groups[name] for name in ("m1", "m2", "m3", "m4", "m5", "m6", "m7") if groups[name]), None)
    month = MONTHS.get(month_text, 0) if month_text and month_text in MONTHS else _whole(month_text)
    day = _whole(next((groups[name] for name in ("d1", "d2", "d3", "d4", "d5", "d7") if groups[name]), None))
    also: str | None = None
    if groups["sep"] and month is not None and day is not None:
        if month > 12:
            month, day = day, month  # 05/31/2024
        elif day <= 12 and groups["sep"] != ".":
            also = f"day:{day}-{month}"
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return []
    start, end = match.span()
    anchors: list[Anchor] = []
    if year is not None:
        anchors.append(Anchor(start, end, None, (float(year),), raw=str(year)))
    if month is not None and day is not None:
        anchors.append(Anchor(start, end, f"day:{month}-{day}", also=also))
    if month is not None:
        anchors.append(Anchor(start, end, f"month:{month}", also=None if also is None else f"month:{day}"))
    return anchors


def _whole(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if text.isdecimal() else _chinese_value(text)


def _time(match: re.Match[str]) -> list[Anchor]:
    hour = _whole(match["h"] or match["h2"] or match["h3"] or match["h5"])
    if hour is None or hour > 24:
        return []
    minute = 30 if match["m5"] == "半" else _whole(match["m"] or match["m3"] or match["m4"] or match["m5"]) or 0
    half = match["half"] or match["half2"]
    if match["part"] and hour <= 12:
        half = "p" if match["part"] in AFTERNOON else "a"
    if half:
        if not 1 <= hour <= 12:
            return []
        hour = hour % 12 + (12 if half == "p" else 0)
    return [Anchor(match.start(), match.end(), f"time:{hour * 60 + minute}")]


def _quarter(match: re.Match[str]) -> list[Anchor]:
    number = _whole(match["q1"] or match["q2"] or match["q3"])
    return [Anchor(match.start(), match.end(), f"quarter:{number}")]


def _ratio(match: re.Match[str]) -> list[Anchor]:
    some, whole = int(match["some"]), int(match["all"])
    if not 0 < some < whole <= 100:
        return []
    return [Anchor(match.start(), match.end(), None, (100.0 * some / whole,), 0.5, "percent", 0.01)]


def _version(match: re.Match[str]) -> list[Anchor]:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", match.group()):
        return []  # 1.234.567 is a number
    name = "cued" if match["cued"] else "bare" if match["bare"] else None
    raw = match[name] if name else match.group().lstrip("v")
    start, end = match.span(name) if name else match.span()
    return [Anchor(start, end, f"version:{raw}", raw=raw)]


def _code(match: re.Match[str]) -> list[Anchor]:
    raw = match.group()
    quantity = re.fullmatch(r"\d+([a-z]{1,12})", raw)
    if quantity and (quantity[1] in UNITS or quantity[1] in SCALES or quantity[1] in {"st", "nd", "rd", "th"}):
        return []
    measured = re.fullmatch(r"\d+-([a-z]+)", raw)
    if measured and len(measured[1]) > 1:
        return []  # a 36-month guarantee is a number
    return [Anchor(match.start(), match.end(), "code:" + re.sub(r"[-_]", "", raw))]


def _number(match: re.Match[str]) -> list[Anchor]:
    text = match.string
    digits = (match["n1"] or match["n2"]).rstrip(".,'")
    group = "n1" if match["n1"] else "n2"
    end = match.start(group) + len(digits)
    spaced = SPACED.match(text, match.start(group))
    if spaced:  # 3 500 metres: a blank parts thousands only before a unit or decimals
        digits, end = re.sub(" ", "", spaced["digits"]), spaced.end("digits")
    readings = _readings(digits)
    if not readings:
        return []
    sign = -1.0 if (match["sign"] or match["sign2"] or "").startswith("-") else 1.0
    start = match.start(group)
    if sign < 0 or match["money"]:
        start = match.start()
    before = text[max(0, match.start() - 16) : match.start()]
    dimension = f"money:{CURRENCIES[match['money']]}" if match["money"] else None
    factor = scale = 1.0
    ordinal = ORDINAL.match(text, end)
    if ordinal:
        end = ordinal.end()
    else:
        after = AFTER_NUMBER.match(text, end)
        if (
            spaced
            and not match["money"]
            and (after is None or not (after["unit"] in UNITS or after["unit"] in CURRENCIES))
        ):
            digits = (match["n1"] or match["n2"]).rstrip(".,'")
            end, readings, after = match.start(group) + len(digits), _readings(digits), None
        short = MONEY_SCALE.match(text, end) if match["money"] else None
        if short:  # €4.5m
            scale, end = (1e6 if short.group().startswith("m") else 1e9), short.end()
        elif after is not None:
            end, scale, dimension, factor = read_measure(after, end, dimension)
    decimals = max((len(part) for part in re.findall(r"[.,](\d+)$", digits)), default=0)
    written = scale * 10.0 ** -(decimals if readings[0] != int(readings[0]) or decimals in (1, 2) else 0)
    loose = scale > 1 or decimals in (1, 2) or dimension is not None or APPROXIMATE.search(before) is not None
    slack = written / 2 if loose and not ordinal else 0.0
    values = tuple(sign * reading * scale for reading in readings)
    if dimension == "fahrenheit":
        values, slack, dimension = tuple((value - 32) * 5 / 9 for value in values), max(slack * 5 / 9, 0.3), "celsius"
    if dimension == "length" and factor == 1.0 and text[end - 1] == "m" and text[end - 2].isdigit():
        # 3.2M: folding lost the case, so it may be metres or millions
        return [Anchor(start, end, None, (*values, *(value * 1e6 for value in values)), slack, None, 1.0, digits)]
    plain = scale == 1.0 and dimension is None
    return [Anchor(start, end, None, values, slack, dimension, factor, digits if plain else "")]


def read_measure(after: re.Match[str], end: int, dimension: str | None) -> tuple[int, float, str | None, float]:
    """Reads scale and unit behind a number: where they end, the scale, the dimension and its factor."""
    scale, factor = 1.0, 1.0
    if after["scale"]:
        scale, end = SCALES[after["scale"]], after.end("scale")
    elif after["k"]:
        scale, end = 1e3, after.end("k")
    elif after["cjk"]:
        rest, at = after["cjk"], after.start("cjk")
        while rest:
            unit = next(rest[:size] for size in range(len(rest), 0, -1) if rest[:size] in SCALES or rest[:size] in UNITS
                        or rest[:size] in CURRENCIES)  # fmt: skip
            if unit in SCALES:
                scale *= SCALES[unit]
            elif unit in UNITS:
                dimension, factor = UNITS[unit]
            else:
                dimension = f"money:{CURRENCIES[unit]}"
            at += len(unit)
            rest = rest[len(unit) :]
        end = at
    unit = after["unit"]
    if unit and not (unit == "s" and after.start("unit") == end):  # the 1990s are no seconds
        if unit in CURRENCIES:
            dimension, end = f"money:{CURRENCIES[unit]}", after.end("unit")
        elif unit in UNITS and dimension is None:
            (dimension, factor), end = UNITS[unit], after.end("unit")
    return end, scale, dimension, factor


def _readings(digits: str) -> tuple[float, ...]:
    """Returns what written digits may mean: separators are thousands signs or decimal signs, by their places."""
    plain = digits.replace("'", "")
    if plain.isdecimal():
        return (float(plain),)
    if re.fullmatch(r"\.\d+", plain):
        return (float(plain),)
    separators = re.findall(r"[.,]", plain)
    groups = re.split(r"[.,]", plain)
    if not all(group.isdecimal() for group in groups):
        return ()
    if len(separators) == 1:
        decimal = float(f"{groups[0]}.{groups[1]}")
        if len(groups[1]) == 3 and 1 <= len(groups[0]) <= 3 and groups[0] != "0":
            thousands = float(groups[0] + groups[1])
            return (thousands, decimal) if separators[0] == "," else (decimal, thousands)
        return (decimal,)
    if len(set(separators)) == 1:
        if all(len(group) == 3 for group in groups[1:]):
            return (float("".join(groups)),)
        return tuple(float(group) for group in groups)  # a list without blanks
    if separators.count(separators[-1]) == 1:
        return (float("".join(groups[:-1]) + "." + groups[-1]),)
    return ()


def _chinese(match: re.Match[str]) -> list[Anchor]:
    digits, unit = match["digits"], match["unit"]
    value = _chinese_value(digits)
    if value is None or (len(digits) == 1 and not unit and not match["ordinal"]):
        return []
    if digits in {"一", "十一"} and unit in {"个", "個", "次", "种", "位", "家", "点", "分", "台", None}:
        return []  # "a", not a count
    if digits in {"万一", "千万", "万万", "一一"} and not unit:
        return []  # just in case, by all means: words
    dimension, factor, scale = None, 1.0, 1.0
    if unit in UNITS:
        dimension, factor = UNITS[unit]
    elif unit in CURRENCIES:
        dimension = f"money:{CURRENCIES[unit]}"
    elif unit in SCALES:
        scale = SCALES[unit]
    end = match.end("unit") if unit and (dimension or scale > 1) else match.end("digits")
    return [Anchor(match.start(), end, None, (value * scale,), 0.0, dimension, factor)]


def _chinese_value(text: str) -> int | None:
    """Returns the value of a Chinese numeral, positional (二〇二三) or with multipliers (一千八百万)."""
    if all(char in CN_DIGITS for char in text):
        return int("".join(str(CN_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in CN_DIGITS:
            digit = CN_DIGITS[char]
        elif char in CN_SMALL:
            section += (digit or 1) * CN_SMALL[char]
            digit = 0
        else:
            section += digit
            if char in "亿億":
                total = (total + section) * CN_LARGE[char] if total or section else CN_LARGE[char]
            else:
                total += (section or 1) * CN_LARGE[char]
            section = digit = 0
    return total + section + digit


Reader = Callable[[re.Match[str]], list[Anchor]]
# In this order: what an earlier one takes, a later one does not see. The first pattern is a cheap sign that the second
# can match at all.
ASCII_READERS: tuple[tuple[re.Pattern[str], re.Pattern[str], Reader], ...] = (
    (re.compile(rf"\d[-/.]\d|年|月|(?:{_month})\b"), DATE, _date),
    (re.compile(r"\d[:h]\d|\d ?[ap]\.?m|uhr|\d h \d|[点點时時시]"), TIME, _time),
    (re.compile(r"q[1-4]|quartal|季度"), QUARTER, _quarter),
    (re.compile(r"\d/\d"), RATIO, _ratio),
    (re.compile(r"\d\.\d|v\d"), VERSION, _version),
    (re.compile(r"[a-z][-_]?\d|\d[-_]?[a-z]"), CODE, _code),
    (DIGITS, NUMBER, _number),
)
READERS = (*ASCII_READERS, (NUMERALS, CN_NUMBER, _chinese))
