"""Finds values written in words: twenty-five, two hundred, half of, one in five, the second, the third quarter."""

import re
from collections.abc import Iterable

from rag_eval_hooks.attribution.anchors import AFTER_NUMBER, Anchor, read_measure
from rag_eval_hooks.attribution.terms import stem
from rag_eval_hooks.attribution.units import NUMBER_WORDS, ORDINAL_WORDS, PART_WORDS

__all__ = ["TRIGGERS", "worded_anchors"]

_units = "two|three|four|five|six|seven|eight|nine"
_tens = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_number = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_part = "|".join(sorted(PART_WORDS, key=len, reverse=True))
WORDED = re.compile(
    r"\b(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th) quarter\b"
    rf"|\b(?:(?P<count>a|an|one|{_units})[ -])?(?P<part>{_part})\b"
    r"(?= of\b|-|\W*$|[ ,.;)]+(?:the|all|its|their|full)\b)"
    rf"|\b(?P<some>one|{_number}|\d{{1,3}}) (?:in|out of) (?:every )?(?P<all>{_number}|\d{{1,4}})\b"
    rf"|\bthe (?P<ordinal>{'|'.join(ORDINAL_WORDS)})\b(?! quarter)"
    rf"|\b(?P<tens>{_tens})[ -](?P<ones>one|{_units})\b"
    rf"|\b(?P<hundreds>{_number}|one|a) hundred(?: and (?P<rest>{_number}))?\b"
    rf"|\b(?P<plain>{_number})\b"
)
TRIGGERS = frozenset(
    stem(word) for word in (*NUMBER_WORDS, *PART_WORDS, *ORDINAL_WORDS, "hundred", "quarter", "first", "in", "out")
) - {"in", "out"}
QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}


def worded_anchors(text: str, spans: Iterable[tuple[int, int]]) -> list[Anchor]:
    """Returns the anchors written in words in some spans of a folded text, in order.

    Args:
        text: The folded text.
        spans: Where to look. A span whose terms hold none of `TRIGGERS` holds no such anchor.
    """
    found = (_read(match) for start, end in spans for match in WORDED.finditer(text, start, end))
    return [anchor for anchor in found if anchor is not None]


def _read(match: re.Match[str]) -> Anchor | None:
    start, end = match.span()
    if match["part"]:
        count = NUMBER_WORDS.get(match["count"] or "", 1.0)
        if match["part"] != "half" and match["count"] is None:
            return None  # the third of May, quarter of an hour
        return Anchor(start, end, None, (100.0 * count / PART_WORDS[match["part"]],), 0.5, "percent", 0.01)
    if match["some"]:
        some, whole = _value(match["some"]), _value(match["all"])
        return Anchor(start, end, None, (100.0 * some / whole,), 0.5, "percent", 0.01) if 0 < some < whole else None
    if match["quarter"]:
        return Anchor(start, end, f"quarter:{QUARTERS[match['quarter']]}")
    if match["ordinal"]:
        value = float(ORDINAL_WORDS[match["ordinal"]])
        return Anchor(match.start("ordinal"), end, None, (value,), raw=str(int(value)))
    if match["tens"]:
        value = _value(match["tens"]) + _value(match["ones"])
    elif match["hundreds"]:
        value = 100.0 * _value(match["hundreds"]) + (_value(match["rest"]) if match["rest"] else 0.0)
    else:
        value = _value(match["plain"])
    scale, dimension, factor = 1.0, None, 1.0
    after = AFTER_NUMBER.match(match.string, end)
    if after is not None:
        end, scale, dimension, factor = read_measure(after, end, None)
    raw = str(int(value)) if scale == 1.0 else ""
    return Anchor(start, end, None, (value * scale,), 0.0, dimension, factor, raw)


def _value(word: str) -> float:
    if word.isdecimal():
        return float(word)
    return 1.0 if word in ("one", "a") else NUMBER_WORDS[word]
