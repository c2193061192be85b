"""A question whose answer is a number computed from its contexts, with other numbers standing around."""

import random
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Case", "Template", "amount", "de", "distinct", "en", "plain"]


class Case(NamedTuple):
    """One answer with a computed number."""

    question: str
    contexts: tuple[str, ...]
    answer: str
    """With `{}` where the number stands."""
    value: float
    write: Callable[[float], str]
    """How the answer writes a number of this kind."""
    operation: str
    names_operands: bool
    """Whether the answer names the operation and its operands, by value or label, so that a slip can be told."""

    def said(self, value: float) -> str:
        """Returns the answer with a number in it."""
        return self.answer.replace("{}", self.write(value))


Template = Callable[[random.Random], Case]


def en(value: float, decimals: int = 0) -> str:
    """Writes a number as English does."""
    return f"{value:,.{decimals}f}"


def de(value: float, decimals: int = 0) -> str:
    """Writes a number as German does."""
    return f"{value:,.{decimals}f}".replace(",", "_").replace(".", ",").replace("_", ".")


def plain(value: float, decimals: int = 0) -> str:
    """Writes a number without separators."""
    return f"{value:.{decimals}f}"


def amount(
    decimals: int = 0, before: str = "", after: str = "", write: Callable[..., str] = en
) -> Callable[[float], str]:
    """Returns a way of writing numbers: with so many decimals, between a sign and a unit."""
    return lambda value: f"{before}{write(value, decimals)}{after}"


def distinct(chance: random.Random, count: int, low: int, high: int) -> list[int]:
    """Returns different whole numbers, none of them 1 to 3 off another."""
    found: list[int] = []
    while len(found) < count:
        one = chance.randint(low, high)
        if all(abs(one - other) > 3 for other in found):
            found.append(one)
    return found
