"""Reads the scale and unit that a heading declares for the numbers under it: `revenue (million euros)`, `单位:万元`."""

import re
from typing import NamedTuple

from rag_eval_hooks.attribution.units import CURRENCIES, SCALES, UNITS

__all__ = ["NO_MEASURE", "Measure", "measure_of"]

LETTERS = r"[^\W\d_]"
DECLARED = re.compile(
    r"[(\[]([^()\[\]\n]{1,30})[)\]]"
    rf"|(?<!\w)in ({LETTERS}{{1,12}}(?: (?:of |d')?{LETTERS}{{1,12}})?)"
    rf"|(?<!\w)en ({LETTERS}{{2,12}}(?: (?:de |d')?{LETTERS}{{2,12}})?)"
    r"|单位 ?[::]? ?([^\s\d,;。)]{1,8})"
    r"|,\s{0,2}([^\s,]{1,8})\s*$"
)
CJK_SCALE = re.compile("百万|千万|万|亿|億|萬")
WORD = re.compile(r"[^\W\d_]+|[$€£¥%]|m[23]")


class Measure(NamedTuple):
    """What a bare number stands for."""

    scale: float
    dimension: str | None
    factor: float
    """What the unit is worth in the base unit, without the scale."""


NO_MEASURE = Measure(1.0, None, 1.0)


def measure_of(text: str) -> Measure:
    """Returns what folded headings declare, the first of them first.

    >>> measure_of("revenue in millions of euros")
    Measure(scale=1000000.0, dimension='money:eur', factor=1.0)
    """
    scale, dimension, factor = NO_MEASURE
    for match in DECLARED.finditer(text):
        declared = next(group for group in match.groups() if group)
        if any(char.isdecimal() for char in declared):
            continue  # one box (5 kg)
        if declared in UNITS and dimension is None:
            dimension, factor = UNITS[declared]
            continue
        for word in WORD.findall(declared):
            if word in SCALES and word not in ("cr", "mil") and scale == 1.0:
                scale = SCALES[word]
            elif word in CURRENCIES and dimension is None:
                dimension = f"money:{CURRENCIES[word]}"
            elif word in UNITS and dimension is None:
                dimension, factor = UNITS[word]
            elif word >= "\u3000" and scale == 1.0:
                sign = CJK_SCALE.match(word)
                rest = word[sign.end() :] if sign else word
                scale = SCALES[sign.group()] if sign else scale
                if rest in CURRENCIES:
                    dimension = f"money:{CURRENCIES[rest]}"
                elif rest in UNITS:
                    dimension, factor = UNITS[rest]
    return Measure(scale, dimension, factor)
