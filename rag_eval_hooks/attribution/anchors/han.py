"""Numbers in East Asian numerals: 一千二百万, 三点五, 百分之二十, 삼백만."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.measures import AFTER_NUMBER, read_measure
from rag_eval_hooks.attribution.units import (
    CN_DIGITS,
    CN_FORMAL,
    CN_LARGE,
    CN_NUMERALS,
    CN_SMALL,
    KO_NUMERALS,
    UNITS,
)

__all__ = ["HAN", "HAN_STARTS", "han_or_digits", "read_han", "read_korean", "read_percent_of"]

HAN = CN_NUMERALS
FORMAL = "".join(CN_FORMAL) + "拾佰仟"
HAN_STARTS = HAN + FORMAL + "半"
NUMBER = re.compile(
    rf"(?P<digits>[{HAN}]{{1,20}})(?:点(?P<decimals>[〇零一二三四五六七八九]{{1,6}})(?![分时時]))?(?P<half>半(?!年|天|月|小))?"
)
FORMAL_NUMBER = re.compile(rf"(?P<digits>[{FORMAL}][{FORMAL}万萬亿億零]{{1,20}})(?P<after>[元圆圓%])?")
PARTS = re.compile(
    rf"(?P<all>[{HAN}]{{1,4}}|\d{{1,3}}) ?分之 ?(?P<some>[{HAN}]{{1,4}}(?:点[{HAN}]{{1,4}})?|\d{{1,3}}(?:\.\d{{1,4}})?)"
)
TENTHS = re.compile(r"(?P<n>[一二三四五六七八九1-9])[成割](?![立为為员員本功果长長熟分交都效型人])")
HALF = re.compile(r"半(?P<unit>年|天|小时|小時|個月|个月|月|周|日)")
COUNTERS = frozenset("个個月日号次倍项位家种岁歳台点分层楼册")
NOT_A_COUNT = frozenset("个個次种位家点分台")
KOREAN = re.compile(rf"(?<![가-힣])[{KO_NUMERALS}]{{2,12}}(?= ?(?:원|명|개월|년|퍼센트|%|달러|유로|시간|미터|킬로))")
KOREAN_VALUES = dict(zip("영일이삼사오육칠팔구십백천만억조", "零一二三四五六七八九十百千万亿兆", strict=True))
TO_PLAIN = str.maketrans(
    {char: "零一二三四五六七八九"[value] for char, value in CN_FORMAL.items()} | {"拾": "十", "佰": "百", "仟": "千"}
)
WORDS = frozenset(["万一", "千万", "万万", "一一", "十分", "三三两两"])
"""Written with numerals, yet no numbers: just in case, by all means, very."""


def han_or_digits(text: str) -> int | None:
    """Returns the value of digits or of a Chinese numeral, positional (二〇二三) or with multipliers (一千八百万)."""
    if text.isdecimal():
        return int(text)
    if all(char in CN_DIGITS for char in text):
        return int("".join(str(CN_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in CN_DIGITS:
            digit = CN_DIGITS[char]
        elif char in CN_SMALL:
            section += (digit or 1) * CN_SMALL[char]
            digit = 0
        elif char in "亿億兆":
            size = CN_LARGE.get(char, 10**12)
            total = (total + section + digit) * size if total or section or digit else size
            section = digit = 0
        elif char in CN_LARGE:
            total += (section + digit or 1) * CN_LARGE[char]
            section = digit = 0
        else:
            return None
    return total + section + digit


def read_percent_of(text: str, at: int) -> list[Anchor]:
    """Reads 百分之二十, 三分之一, 六成."""
    match = PARTS.match(text, at)
    if match:
        whole = han_or_digits(match["all"])
        some = _decimal(match["some"])
        if not whole or some is None:
            return []
        slack = 0.5 if whole != 100 else 0.5 * 10.0 ** -len(match["some"].replace("点", ".").partition(".")[2])
        return [Anchor(at, match.end(), None, (100.0 * some / whole,), slack, "percent", 0.01)]
    match = TENTHS.match(text, at)
    if match:
        return [Anchor(at, match.end(), None, (10.0 * (han_or_digits(match["n"]) or 0),), 0.5, "percent", 0.01)]
    return []


def read_han(text: str, at: int, start: int) -> list[Anchor]:
    """Reads a number in Chinese numerals, formal ones (伍仟元) included, with its unit.

    One numeral alone (三) is part of many words and counts only with a unit or 第 before it.
    """
    if text[at] == "半":
        return _half(text, at, start)
    if text[at] in FORMAL:
        return _formal(text, at, start)
    match = NUMBER.match(text, at)
    if match is None:
        return []
    digits, end = match["digits"], match.end()
    value = _decimal(digits + ("点" + match["decimals"] if match["decimals"] else ""))
    counter = text[end : end + 1]
    after = AFTER_NUMBER.match(text, end)
    is_ordinal = text[at - 1 : at] == "第"
    until, scale, dimension, factor = read_measure(after, end, None) if after else (end, 1.0, None, 1.0)
    if value is None or (
        len(digits) == 1 and not match["decimals"] and not is_ordinal and until == end and counter not in COUNTERS
    ):
        return []
    if not dimension and not is_ordinal and (digits in WORDS or digits + counter in WORDS):
        return []
    if digits == "一" and is_ordinal:
        return []  # the first is part of many phrases
    if digits in ("一", "十一") and (counter in NOT_A_COUNT or not counter) and until == end and not is_ordinal:
        return []  # "a", not a count
    if text[until : until + 1] == "半" and dimension in ("months", "time"):
        value, until = value + 0.5, until + 1  # 两年半
    slack = 0.5 * scale * 10.0 ** -len(match["decimals"]) if match["decimals"] else 0.0
    start -= is_ordinal
    return [Anchor(start, until, None, (value * scale,), slack, dimension, factor)]


def _half(text: str, at: int, start: int) -> list[Anchor]:
    match = HALF.match(text, at)
    if match is None or text[at - 1 : at] in ("上", "下", "一", "大"):
        return []
    dimension, factor = UNITS[{"月": "个月", "日": "天"}.get(match["unit"], match["unit"])]
    return [Anchor(start, match.end(), None, (0.5,), 0.0, dimension, factor)]


def _formal(text: str, at: int, start: int) -> list[Anchor]:
    match = FORMAL_NUMBER.match(text, at)
    if match is None or not (match["after"] or len(match["digits"]) > 3):
        return []
    value = han_or_digits(match["digits"].translate(TO_PLAIN))
    if value is None:
        return []
    dimension = "money:cny-jpy" if match["after"] and match["after"] != "%" else None
    return [Anchor(start, match.end(), None, (float(value),), 0.0, dimension)]


def read_korean(text: str) -> list[Anchor]:
    """Reads Korean numerals with a multiplier, before a unit (삼백만 원); else they are parts of words."""
    anchors: list[Anchor] = []
    for match in KOREAN.finditer(text):
        digits = "".join(KOREAN_VALUES[char] for char in match.group())
        if all(char in CN_DIGITS for char in digits):
            continue
        value, after = han_or_digits(digits), AFTER_NUMBER.match(text, match.end())
        if value is None or after is None:
            continue
        end, scale, dimension, factor = read_measure(after, match.end(), None)
        anchors.append(Anchor(match.start(), end, None, (value * scale,), 0.0, dimension, factor))
    return anchors


def _decimal(text: str) -> float | None:
    whole, _, decimals = text.replace("点", ".").partition(".")
    value, part = han_or_digits(whole), han_or_digits(decimals) if decimals else 0
    if value is None or part is None:
        return None
    return value + part / 10.0 ** len(decimals)
