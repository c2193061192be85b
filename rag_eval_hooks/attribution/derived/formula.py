"""Writes numbers into formulas as their texts write them: `(600 - 480) / 480`, with units where two of them meet."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rag_eval_hooks.attribution.derived.operands import Operand

__all__ = ["bare", "shown", "written"]

DIGITS = re.compile(r"\d(?:[\d.,' ]*\d)?")


def shown(value: float, dimension: str | None = None) -> str:
    """Returns a value that no text writes as a formula shows it.

    >>> shown(150.0), shown(0.25, "percent")
    ('150', '25 %')
    """
    if dimension == "percent":
        return f"{value * 100:.10g} %"
    return f"{value:.12g}"


def bare(one: Operand) -> str:
    """Returns an operand's digits as its text writes them, a percentage with its sign."""
    digits = DIGITS.search(one.written)
    if digits is None or one.dimension == "percent":
        return shown(one.values[0], one.dimension)
    return digits.group()


def written(operands: Sequence[Operand]) -> list[str]:
    """Returns operands as their texts write them: digits alone where all have one unit and scale."""
    is_one = len({(one.dimension, _scale(one)) for one in operands}) == 1
    return [bare(one) if is_one else _whole(one) for one in operands]


def _whole(one: Operand) -> str:
    return bare(one) if one.dimension == "percent" or DIGITS.search(one.written) is None else one.written


def _scale(one: Operand) -> str:
    return _scale_of(one.written, one.values[0], one.factor)


@lru_cache(maxsize=4096)
def _scale_of(text: str, value: float, factor: float) -> str:
    """Returns what an operand's digits stand for: 1e6 of 480 in a column of millions."""
    digits = DIGITS.search(text)
    try:
        number = float(re.sub("[,' ]", "", digits.group())) if digits else 0.0
    except ValueError:  # 1.214,5
        number = 0.0
    return f"{value / number if number else factor:.6g}"
