"""Finds typed anchors in folded text: numbers with units, dates, times, versions, codes.

One pass looks for digits and East Asian numerals; what stands around each decides which few patterns are tried there.
No anchor is elsewhere, and most text has few of them, so that the pass is most of the cost. Every pattern is bounded
and tried at one place, so that the work grows with the text's length, whatever the text.
"""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.codes import read_phone
from rag_eval_hooks.attribution.anchors.cues import cue_before
from rag_eval_hooks.attribution.anchors.dates import ERAS, read_east_asian_date
from rag_eval_hooks.attribution.anchors.han import HAN_STARTS, read_han, read_korean
from rag_eval_hooks.attribution.anchors.joins import join_neighbours
from rag_eval_hooks.attribution.anchors.measures import EAST_ASIAN_FROM, SYMBOLS
from rag_eval_hooks.attribution.anchors.numbers import read_number
from rag_eval_hooks.attribution.anchors.plain import read_plain
from rag_eval_hooks.attribution.anchors.special import LETTERS, read_east_asian, read_glued, read_special
from rag_eval_hooks.attribution.units import CURRENCIES, SCALES, UNITS

__all__ = ["find_anchors"]

DIGITS = re.compile(r"[0-9]+")
NUMERAL = re.compile(rf"[0-9{HAN_STARTS}元]")
HANGUL = re.compile(r"[가-힣]")
OTHER_DIGITS = {0x660: "٠-٩", 0x6F0: "۰-۹", 0x966: "०-९", 0x9E6: "০-৯", 0xE50: "๐-๙"}
"""Arabic, Persian, Devanagari, Bengali, Thai: where each begins."""
OTHER = re.compile(f"[{''.join(OTHER_DIGITS.values())}]")
TO_ASCII = {first + value: str(value) for first in OTHER_DIGITS for value in range(10)} | {0x66B: ".", 0x66C: ","}
BLANKS = frozenset(["", " ", "(", "\n", '"'])
NUMBER_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.,)-/%年月日号號时時点點分秒元岁歳")
"""Behind these, a dash is no minus sign."""
MAY_FOLLOW_HAN = frozenset(
    "年月日号點点时時分之世季成割半万萬亿億兆%个個次倍项位家种岁歳台层楼册" + HAN_STARTS
) | frozenset(name[0] for name in (*SCALES, *UNITS, *CURRENCIES) if name[0] >= EAST_ASIAN_FROM)
MOST_DIGITS = 13
"""More are no count but a code."""


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
            if "0" <= text[at : at + 1] <= "9" and "0" <= text[at - 1] <= "9":  # the rest of a very long run of digits
                free = at = _skip(text, at)
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
    if before in BLANKS:
        if not (before == " " and text[at - 2] in SYMBOLS):
            plain = read_plain(text, at)
            if plain is not None and cue_before(text, at, free) is None:
                return [plain]
    elif before in LETTERS or (before == "-" and at - 1 > free and text[at - 2] in LETTERS):
        glued = read_glued(text, at, free)
        if glued is not None:
            return glued
    elif before == "+":
        phone = read_phone(text, at)
        if phone:
            return phone
    start, sign, money = _signs(text, at, free)
    cue = cue_before(text, start, free)
    if before == "." and at - 1 > free:
        if text[at - 2] in " (\n<>=~$":
            at, start = at - 1, min(start, at - 1)  # .5
        elif cue is None:
            return []
    if text[at] != "." and money is None and sign > 0:
        special = read_special(text, at, free, cue)
        if special:
            return special
    if cue is not None and cue.kind == "minus":
        start, sign = cue.start, -1.0
    elif cue is not None and cue.kind == "money" and money is None:
        start, money = cue.start, cue.value
        cue = cue_before(text, start, free)
    rounded = int(cue.value) if cue is not None and cue.kind == "rounded" else None
    number = read_number(text, at, start, sign, money, rounded)
    if number is None:
        return []
    if len(number.raw) > MOST_DIGITS and number.raw.isdecimal():
        return [Anchor(number.start, number.end, "code:" + number.raw)]
    return [number]


def _read_han(text: str, at: int, free: int, before: str) -> list[Anchor]:
    if text[at] == "元":
        return read_east_asian_date(text, at, free) if text[max(free, at - 2) : at] in ERAS else []
    if text[at + 1 : at + 2] not in MAY_FOLLOW_HAN and before != "第":
        return []
    return (read_east_asian(text, at, free) if text[at] != "半" else []) or read_han(text, at, at)


def _signs(text: str, at: int, free: int) -> tuple[int, float, str | None]:
    """Returns where the signs before a number begin, its sign and its currency."""
    start, money, sign = at, None, 1.0
    place = at - 2 if text[at - 1 : at] == " " else at - 1
    if place >= free and text[place] in SYMBOLS:
        start, money = _money_sign(text, place, free)
    place = start - 1
    if place >= free and text[place] in "+-" and (place == 0 or text[place - 1] not in NUMBER_BEFORE):
        start, sign = place, -1.0 if text[place] == "-" else 1.0
    return start, sign, money


def _money_sign(text: str, at: int, free: int) -> tuple[int, str]:
    """Returns where a currency sign begins, letters before it included (US$), and its currency."""
    if text[at] == "$":
        for size in (2, 1):
            first = at - size
            if first >= free and text[first : at + 1] in CURRENCIES and (first == 0 or not text[first - 1].isalnum()):
                return first, CURRENCIES[text[first : at + 1]]
    return at, CURRENCIES[text[at]]
