"""Finds values written in words: twenty-five, two hundred, half of, one in five, the second, the third quarter."""

import re
from collections.abc import Iterable

from rag_eval_hooks.attribution.anchors import AFTER_NUMBER, Anchor, read_measure
from rag_eval_hooks.attribution.anchors.periods import century
from rag_eval_hooks.attribution.terms import letters, stem
from rag_eval_hooks.attribution.units import NUMBER_WORDS, ORDINAL_WORDS, PART_WORDS, UNITS

__all__ = ["TRIGGERS", "worded_anchors"]

FIXED = {"noon": "time:720", "midday": "time:720", "midnight": "time:0"}
"""Words that are a time of day."""
PARTS_OF_YEARS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_units = "two|three|four|five|six|seven|eight|nine"
_tens = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_number = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_part = "|".join(sorted(PART_WORDS, key=len, reverse=True))
_ordinal = "|".join(sorted(ORDINAL_WORDS, key=len, reverse=True))
WORDED = re.compile(
    r"(?:"
    r"(?P<quarter>first|second|third|fourth) quarter"
    r"|(?P<half>first|second) half(?! the\b)"
    rf"|(?P<century>twenty-first|{_ordinal}|first) century"
    r"|half an? (?P<halved>hour|year|mile|day|dozen|million|billion)"
    rf"|(?<=\bthe )(?P<ordinal>{_ordinal})\b(?! quarter| century| half)"
    rf"|(?:(?P<count>one|{_units})[ -]|(?<=\ba )(?P<a>))?(?P<part>{_part})\b"
    r"(?= of\b|-|\W*$|[ ,.;)]+(?:the|all|its|their|full)\b)"
    rf"|(?P<some>one|{_number}) (?:in|out of) (?:every )?(?P<all>{_number})"
    rf"|(?P<tens>{_tens})[ -](?P<ones>one|{_units})"
    rf"|(?:(?P<hundreds>{_number}|one) |(?<=\ba ))(?P<hundred>hundred)(?: and (?P<rest>{_number}))?"
    rf"|(?P<dozens>{_number}) dozen"
    rf"|(?P<fixed>{'|'.join(FIXED)}|fortnight)"
    rf"|(?P<plain>one(?= and a half)|{_number})(?P<more> and a half)?"
    r")\b"
)
WORD = re.compile(r"[^\W\d_]+")
FIRST_WORDS = frozenset(
    word.split("-")[0]
    for word in (*NUMBER_WORDS, *PART_WORDS, *ORDINAL_WORDS, *FIXED, "fortnight", "first", "one", "hundred")
)
TRIGGERS = frozenset(
    stem(word)
    for word in (*NUMBER_WORDS, *PART_WORDS, *ORDINAL_WORDS, *FIXED, "hundred", "quarter", "first", "fortnight")
)
"""Stems without which a sentence holds no value in words."""


def worded_anchors(text: str, spans: Iterable[tuple[int, int]]) -> list[Anchor]:
    """Returns the anchors written in words in some spans of a folded text, in order.

    Args:
        text: The folded text.
        spans: Where to look. A span whose terms hold none of `TRIGGERS` holds no such anchor.
    """
    found: list[Anchor] = []
    for start, end in spans:
        if FIRST_WORDS.isdisjoint(letters(text[start:end])):
            continue
        at = start
        for word in WORD.finditer(text, start, end):
            if word.group() in FIRST_WORDS and word.start() >= at:
                match = WORDED.match(text, word.start(), end)
                if match is not None:
                    anchor = _read(match)
                    if anchor is not None:
                        found.append(anchor)
                        at = anchor.end
    return found


def _read(match: re.Match[str]) -> Anchor | None:
    start, end = match.span()
    if match["part"]:
        count = NUMBER_WORDS.get(match["count"] or "", 1.0)
        if match["part"] != "half" and match["count"] is None and match["a"] is None:
            return None  # the third of May, quarter of an hour
        return Anchor(start, end, None, (100.0 * count / PART_WORDS[match["part"]],), 0.5, "percent", 0.01)
    if match["some"]:
        some, whole = _value(match["some"]), _value(match["all"])
        return Anchor(start, end, None, (100.0 * some / whole,), 0.5, "percent", 0.01) if 0 < some < whole else None
    if match["quarter"]:
        return Anchor(start, end, f"quarter:{PARTS_OF_YEARS[match['quarter']]}")
    if match["half"]:
        return Anchor(start, end, f"half:{PARTS_OF_YEARS[match['half']]}")
    if match["century"]:
        return century(
            start, end, ORDINAL_WORDS.get(match["century"], 21 if "-" in match["century"] else 1), before=False
        )
    if match["ordinal"]:
        value = float(ORDINAL_WORDS[match["ordinal"]])
        return Anchor(match.start("ordinal"), end, None, (value,), raw=str(int(value)))
    if match["fixed"] in FIXED:
        return Anchor(start, end, FIXED[match["fixed"]])
    if match["fixed"]:
        return Anchor(start, end, None, (1.0,), 0.0, *UNITS["fortnight"])
    if match["halved"]:
        value, end = 0.5, match.start("halved") - 1
    elif match["tens"]:
        value = _value(match["tens"]) + _value(match["ones"])
    elif match["hundred"]:
        value = 100.0 * _value(match["hundreds"] or "one") + (_value(match["rest"]) if match["rest"] else 0.0)
    elif match["dozens"]:
        value = 12.0 * _value(match["dozens"])
    else:
        value = _value(match["plain"]) + (0.5 if match["more"] else 0.0)
    if match["halved"] == "dozen":
        return Anchor(start, match.end(), None, (6.0,), raw="6")
    scale, dimension, factor = 1.0, None, 1.0
    after = AFTER_NUMBER.match(match.string, end)
    if after is not None:
        end, scale, dimension, factor = read_measure(after, end, None)
    raw = str(int(value)) if scale == 1.0 and value == int(value) else ""
    return Anchor(start, end, None, (value * scale,), 0.0, dimension, factor, raw)


def _value(word: str) -> float:
    if word.isdecimal():
        return float(word)
    return 1.0 if word == "one" else NUMBER_WORDS[word]
