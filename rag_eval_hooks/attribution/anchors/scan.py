"""Finds typed anchors in folded text: numbers with units, dates, times, versions, codes.

One pass looks for digits and East Asian numerals; what stands around each decides which few patterns are tried there.
No anchor is elsewhere, and most text has few of them, so that the pass is most of the cost. Every pattern is bounded
and tried at one place, so that the work grows with the text's length, whatever the text.
"""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.codes import (
    read_code,
    read_cued_version,
    read_dashed,
    read_pair,
    read_phone,
    read_version,
)
from rag_eval_hooks.attribution.anchors.cues import Cue, cue_before
from rag_eval_hooks.attribution.anchors.dates import (
    ERAS,
    read_day_month,
    read_east_asian_date,
    read_month_first,
    read_numeric_date,
)
from rag_eval_hooks.attribution.anchors.han import HAN_STARTS, read_han, read_korean, read_percent_of
from rag_eval_hooks.attribution.anchors.joins import join_neighbours
from rag_eval_hooks.attribution.anchors.measures import EAST_ASIAN_FROM, SYMBOLS
from rag_eval_hooks.attribution.anchors.numbers import POWER, read_fraction, read_number
from rag_eval_hooks.attribution.anchors.periods import read_fiscal_year, read_period, read_quarter_token
from rag_eval_hooks.attribution.anchors.plain import SPECIAL_WORDS, read_plain
from rag_eval_hooks.attribution.anchors.times import read_east_asian_time, read_time
from rag_eval_hooks.attribution.units import CURRENCIES, MONTHS, SCALES, UNITS

__all__ = ["find_anchors"]

DIGITS = re.compile(r"[0-9]+")
NUMERAL = re.compile(rf"[0-9{HAN_STARTS}元]")
HAN_RUN = re.compile(rf"[{HAN_STARTS}元]+")
HANGUL = re.compile(r"[가-힣]")
OTHER_DIGITS = {
    0x660: "٠-٩", 0x6F0: "۰-۹", 0x966: "०-९", 0x9E6: "০-৯", 0xE50: "๐-๙",
}  # fmt: skip
OTHER = re.compile(f"[{''.join(OTHER_DIGITS.values())}]")
TO_ASCII = {first + value: str(value) for first in OTHER_DIGITS for value in range(10)} | {0x66B: ".", 0x66C: ","}
BLANKS = frozenset(["", " ", "(", "\n", '"'])
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")
NUMBER_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.,)-/")
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
MAY_BE_HAN = frozenset("年月日号點点时時分之世季成割半万萬亿億兆%") | frozenset(
    name[0] for name in (*SCALES, *UNITS, *CURRENCIES) if name[0] >= EAST_ASIAN_FROM
) | frozenset("个個次倍项位家种岁歳台层楼册")  # fmt: skip
SPECIAL_WORDS.update(NEXT)
PREFIXES = frozenset("mid pre post early late under over top sub non since bis ab".split())


def find_anchors(text: str) -> list[Anchor]:
    """Returns the anchors of a folded text in order; only the parts of one date overlap. Linear in its length."""
    scan = DIGITS
    if not text.isascii():
        scan = NUMERAL
        if OTHER.search(text):
            text = text.translate(TO_ASCII)
    found: list[Anchor] = []
    free = 0
    search = scan.search
    match = search(text)
    while match is not None:
        at = match.start()
        anchors = _read(text, at, free)
        if anchors:
            found += anchors
            free = at = anchors[-1].end
        else:
            at = free = _skip(text, at)
        match = search(text, at)
    if scan is NUMERAL and HANGUL.search(text):
        taken = {place for anchor in found for place in range(anchor.start, anchor.end)}
        found += [anchor for anchor in read_korean(text) if taken.isdisjoint(range(anchor.start, anchor.end))]
        found.sort(key=lambda anchor: anchor.start)
    return join_neighbours(text, found) if len(found) > 1 else found


def _skip(text: str, at: int) -> int:
    match = DIGITS.match(text, at)
    return match.end() if match else at + 1


def _read(text: str, at: int, free: int) -> list[Anchor]:
    """Reads the anchors of one numeral; `free` is where the last ones ended."""
    before = text[at - 1] if at > free else ""
    if text[at] > "9":
        return _read_han(text, at, free, before)
    if before in BLANKS and not (before == " " and text[at - 2] in SYMBOLS):
        plain = read_plain(text, at)
        if plain is not None and cue_before(text, at, free) is None:
            return [plain]
    start, money, sign = at, None, 1.0
    if before not in BLANKS:
        if before in LETTERS or (before == "-" and at - 1 > free and text[at - 2] in LETTERS):
            glued = _read_glued(text, at, free)
            if glued is not None:
                return glued
        elif before in SYMBOLS:
            start, money = _money_sign(text, at - 1, free)
        elif before in "+-" and (at == 1 or text[at - 2] not in NUMBER_BEFORE):
            start, sign = at - 1, -1.0 if before == "-" else 1.0
            if before == "+":
                phone = read_phone(text, at)
                if phone:
                    return phone
        elif before == "." and (at - 1 == free or text[at - 2] in " (\n<>=~$"):
            at = start = at - 1  # .5
    elif before == " " and at - 1 > free and text[at - 2] in SYMBOLS:
        start, money = _money_sign(text, at - 2, free)
    if money and start > free and text[start - 1] in "+-" and (start == 1 or text[start - 2] not in NUMBER_BEFORE):
        start -= 1
        sign = -1.0 if text[start] == "-" else 1.0
    cue = cue_before(text, start, free)
    if before == "." and start == at and cue is None and at > free and text[at] != "." and at - 1 > free:
        return []
    if text[at] != "." and money is None and sign > 0:
        special = _read_special(text, at, free, cue)
        if special:
            return special
    rounded = None
    if cue is not None:
        if cue.kind == "rounded":
            rounded = int(cue.value)
        elif cue.kind == "money" and money is None:
            start, money = cue.start, cue.value
            further = cue_before(text, start, free)
            if further is not None and further.kind == "rounded":
                rounded = int(further.value)
        elif cue.kind == "minus":
            start, sign = cue.start, -1.0
    number = read_number(text, at, start, sign, money, rounded)
    if number is None:
        return []
    if len(number.raw) > 13 and number.raw.isdecimal():  # too long to count anything
        return [Anchor(number.start, number.end, "code:" + number.raw)]
    return [number]


def _read_special(text: str, at: int, free: int, cue: Cue | None) -> list[Anchor]:
    """Reads what is more than a number with a unit; most numbers fail two or three cheap tests here."""
    match = DIGITS.match(text, at)
    run = match.end() if match else at
    tail, following = text[run : run + 1], text[run + 1 : run + 2]
    found: list[Anchor] = []
    if cue is not None:
        if cue.kind == "month":
            found = read_month_first(text, at, cue.start, int(cue.value))
        elif cue.kind == "version":
            found = read_cued_version(text, at, at, single=cue.value == "single" and run - at < 4)
        elif cue.kind == "fiscal":
            found = read_fiscal_year(text, at, at)
        if found:
            return found
    if not tail or tail in ",;)\n":
        return []
    if following.isdecimal():
        if tail in "-/.":
            found = read_numeric_date(text, at) if run - at < 5 else []
            if not found and tail == ".":
                found = read_version(text, at) or (read_time(text, at) if run - at < 3 else [])
            elif not found and tail == "/":
                fraction = read_fraction(text, at)
                found = [fraction] if fraction else []
            elif not found:
                found = read_dashed(text, at) or (read_day_month(text, at, at) or read_pair(text, at))
        elif tail in ":h":
            found = read_time(text, at) or read_pair(text, at)
        elif tail in " ⁄":
            fraction = read_fraction(text, at)
            found = [fraction] if fraction else []
        elif tail in "qh":
            found = read_quarter_token(text, at)
        if found or tail in ".:/":
            return found
    if run - at < 5:
        word = NEXT_WORD.match(text, run)
        kind = NEXT.get(word[1]) if word else None
        if kind is not None:
            if kind == "date":
                found = read_day_month(text, at, at)
            if kind.startswith("time"):
                found = read_time(text, at)
            if kind == "part":
                part = read_fraction(text, at)
                found = [part] if part else []
            if not found and kind.endswith("period"):
                found = read_period(text, at, at, free)
            if found:
                return found
        if tail in ": -" and following in ": t":
            found = read_pair(text, at)
            if found:
                return found
    if tail in LETTERS or (tail == "-" and following in LETTERS and following):
        if tail in "qh-" or following in "qh":
            found = read_quarter_token(text, at)
        return found or ([] if POWER.match(text, run) else read_code(text, at))
    if tail >= EAST_ASIAN_FROM or (tail == " " and following >= EAST_ASIAN_FROM):
        return _read_east_asian(text, at, free)
    return []


def _read_east_asian(text: str, at: int, free: int) -> list[Anchor]:
    return (
        read_period(text, at, at, free)
        or read_percent_of(text, at)
        or read_east_asian_date(text, at, free)
        or read_east_asian_time(text, at, free)
    )


def _read_han(text: str, at: int, free: int, before: str) -> list[Anchor]:
    following = text[at + 1 : at + 2]
    if text[at] == "元":
        return read_east_asian_date(text, at, free) if text[max(free, at - 2) : at] in ERAS else []
    if following not in MAY_BE_HAN and following not in HAN_STARTS and before != "第":
        return []
    if text[at] != "半":
        found = _read_east_asian(text, at, free)
        if found:
            return found
    found = read_han(text, at, at)
    if not found:
        return []
    cue = cue_before(text, at, free)
    if cue is not None and cue.kind == "rounded" and found[0].values and found[0].slack == 0.0:
        return found
    return found


def _read_glued(text: str, at: int, free: int) -> list[Anchor] | None:
    """Reads digits with letters right before them: Q3, FY21, v2.1, mar-2023, USD5m, K-77; None for a mere prefix."""
    start = at
    lowest = max(free, at - 40)
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
    if found:
        return found
    return read_code(text, start)


def _money_sign(text: str, at: int, free: int) -> tuple[int, str]:
    """Returns where a currency sign begins, letters before it included (US$), and its currency."""
    if text[at] == "$":
        for size in (2, 1):
            first = at - size
            if first >= free and text[first : at + 1] in CURRENCIES and (first == 0 or not text[first - 1].isalnum()):
                return first, CURRENCIES[text[first : at + 1]]
    return at, CURRENCIES[text[at]]
