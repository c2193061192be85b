"""What stands behind a number: scale words, units and currencies."""

import re

from rag_eval_hooks.attribution.anchors.anchor import AMBIGUOUS_POUNDS
from rag_eval_hooks.attribution.units import CURRENCIES, SCALES, UNITS

__all__ = ["AFTER_NUMBER", "EAST_ASIAN_FROM", "FIRST_WORDS", "SYMBOLS", "read_measure"]

EAST_ASIAN_FROM = "\u3000"
SYMBOLS = "$€£¥₩₹₽"


def _any_of(names: list[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_names = [*SCALES, *UNITS, *CURRENCIES]
_east_asian = _any_of([name for name in _names if name[0] >= EAST_ASIAN_FROM])
_scales = _any_of([name for name in SCALES if name[0] < EAST_ASIAN_FROM])
_long = _any_of([name for name in (*UNITS, *CURRENCIES) if " " in name or "-" in name])
_letter = "[a-z\u00b5-\u024f\u03bc]"
_end = "(?![a-z0-9\u00b5-\u024f])"
AFTER_NUMBER = re.compile(
    rf"(?:[ -]?(?P<scale>{_scales}){_end}\.?(?: (?P<scale2>{_scales}){_end})?|(?P<k>k){_end}"
    rf"|(?P<cjk> ?(?:{_east_asian}){{1,3}}))?"
    r"(?:[ -]?(?:(?:working|business|calendar|full|whole|consecutive|weitere|volle|more|additional) )?"
    rf"(?P<unit>{_long}|°[cf]|%p|[%‰℃℉٪㎡{SYMBOLS}]|[a-z]{{1,2}}\$|[ckdm]?m[23]|ft2"
    rf"|{_letter}{{1,18}}(?:/[a-z]{{1,6}})?){_end})?"
)
FIRST_WORDS = frozenset(re.split(r"[ /.-]", name)[0] for name in _names) | frozenset(
    "k m working business calendar full whole consecutive weitere volle more additional u us".split()
)
"""Words that may begin a measure: behind any other word there is none."""
LONGEST_NAME = max(len(name) for name in _names if name[0] >= EAST_ASIAN_FROM)


def read_measure(after: re.Match[str], end: int, dimension: str | None) -> tuple[int, float, str | None, float]:
    """Reads scale and unit behind a number: where they end, the scale, the dimension and its factor."""
    scale, factor = 1.0, 1.0
    if after["scale"]:
        scale, end = SCALES[after["scale"]], after.end("scale")
        if after["scale2"]:
            scale, end = scale * SCALES[after["scale2"]], after.end("scale2")
    elif after["k"]:
        scale, end = 1e3, after.end("k")
    elif after["cjk"]:
        rest = after["cjk"].lstrip()
        while rest:
            size = next(size for size in range(min(LONGEST_NAME, len(rest)), 0, -1) if _is_name(rest[:size]))
            unit, rest = rest[:size], rest[size:]
            if unit in SCALES:
                scale *= SCALES[unit]
                continue
            if unit in UNITS:
                dimension, factor = UNITS[unit]
            else:
                dimension = f"money:{CURRENCIES[unit]}"
            break  # 14 days, not years, of annual leave: 14天年休假
        end = after.end("cjk") - len(rest)
    unit = after["unit"]
    if unit and "/" in unit and unit not in UNITS:
        unit = unit.partition("/")[0]  # 5 kg/day
    if unit and not (unit == "s" and after.start("unit") == end):  # the 1990s are no seconds
        until = after.start("unit") + len(unit)
        if unit == "pounds" and dimension is None:
            dimension, factor, end = AMBIGUOUS_POUNDS, UNITS[unit][1], until
        elif unit in CURRENCIES and dimension is None:
            dimension, end = f"money:{CURRENCIES[unit]}", until
        elif unit in UNITS and dimension is None:
            (dimension, factor), end = UNITS[unit], until
        elif dimension == f"money:{CURRENCIES.get(unit)}":
            end = until
    return end, scale, dimension, factor


def _is_name(text: str) -> bool:
    return text in SCALES or text in UNITS or text in CURRENCIES
