"""Whether a difference may be chance: the sign-flip test, Holm's correction, and who carries the change."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rag_eval_hooks.summary.models import Concentration

__all__ = ["SignFlip", "concentration", "holm", "sign_flip"]

GRID = 2**24
EXACT_WORK = 300_000
DRAWS = 20_000
ENOUGH = 400


class SignFlip(NamedTuple):
    """The result of a sign-flip test."""

    p_value: float
    """Two-sided, in (0, 1]."""
    method: Literal["exact", "monte_carlo"]
    """Whether all sign patterns were counted or drawn."""


def sign_flip(differences: Sequence[float], *, seed: int = 0) -> SignFlip:
    """Returns how often random signs give a sum at least as far from 0 as the one observed.

    If the two versions were exchangeable, each question's difference could as well have had the other sign (Fisher's
    randomisation test for pairs). Where the sums are few enough, as with up to 14 questions or measures with few
    values, all sign patterns are counted; else up to 20,000 are drawn with a fixed seed, fewer where 400 of them
    reach the observed sum early (Besag and Clifford 1991), and p is at least 1 / 20,001.

    Args:
        differences: One for each pair, times its weight where weights differ.
        seed: Of the drawn patterns.

    >>> sign_flip([1.0, 1.0, 1.0, 1.0])  # 2 of 16 patterns: all up, all down
    SignFlip(p_value=0.125, method='exact')
    """
    largest = max((abs(one) for one in differences), default=0.0)
    if largest == 0:
        return SignFlip(1.0, "exact")
    # Whole numbers, so that sums that are equal on paper are equal here; each is off by at most half a step.
    steps = [round(one / largest * GRID) for one in differences]
    steps = [step for step in steps if step]
    reached = abs(sum(steps)) - len(steps)
    exact = _exact(Counter(map(abs, steps)), reached)
    return SignFlip(exact, "exact") if exact is not None else SignFlip(_drawn(steps, reached, seed), "monte_carlo")


def _exact(sizes: Counter[int], reached: int) -> float | None:
    """The share of sign patterns whose sum is at least `reached` from 0; None where counting takes too long."""
    chances = {0: 1.0}
    work = 0
    for size, count in sorted(sizes.items()):
        work += len(chances) * (count + 1)
        if work > EXACT_WORK or count > 1_000:  # 2^1000 is about the largest number of patterns a float holds
            return None
        flips = [math.comb(count, up) / 2**count for up in range(count + 1)]
        sums: dict[int, float] = {}
        for at, chance in chances.items():
            for up, share in enumerate(flips):
                to = at + size * (2 * up - count)
                sums[to] = sums.get(to, 0.0) + chance * share
        chances = sums
    return min(math.fsum(chance for at, chance in chances.items() if abs(at) >= reached), 1.0)


def _drawn(steps: Sequence[int], reached: int, seed: int) -> float:
    """Draws all signs of a pattern as one whole number, and adds the differences up bit by bit."""
    numbers = random.Random(seed)  # noqa: S311  a reproducible test, no secret
    size = len(steps)
    total = sum(map(abs, steps))
    masks = [
        (1 << bit, int("".join("1" if abs(step) >> bit & 1 else "0" for step in steps), 2))
        for bit in range(GRID.bit_length())
    ]
    masks = [(value, mask) for value, mask in masks if mask]
    beyond = 0
    for draw in range(1, DRAWS + 1):
        signs = numbers.getrandbits(size)
        up = sum(value * (signs & mask).bit_count() for value, mask in masks)
        if abs(2 * up - total) >= reached:
            beyond += 1
            if beyond == ENOUGH:
                return beyond / draw
    return (beyond + 1) / (DRAWS + 1)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Returns the p values corrected for their number by Holm's step-down method (1979), in the order given.

    Taken as significant below alpha, the chance of even one false alarm among them is at most alpha.

    >>> holm([0.01, 0.04, 0.03])  # 3 x 0.01, 2 x 0.03, and 0.04 raised to what stands before it
    (0.03, 0.06, 0.06)
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min((len(order) - place) * p_values[index], 1.0))
        corrected[index] = highest
    return tuple(corrected)


def concentration(changes: Sequence[float]) -> Concentration | None:
    """Returns how much of the total absolute change comes from few questions; None where nothing changed.

    gini = sum over i of (2 i - n - 1) x_i / (n sum of x), x the absolute changes in ascending order, i from 1.

    Args:
        changes: One for each pair, times its weight where weights differ; 0 where nothing changed.

    >>> concentration([0, 0, 0, -1.0]).gini  # (2 x 4 - 4 - 1) x 1 / (4 x 1)
    0.75
    """
    sizes = sorted(abs(change) for change in changes)
    total = math.fsum(sizes)
    if total == 0:
        return None
    count = len(sizes)
    gini = math.fsum((2 * place - count - 1) * size for place, size in enumerate(sizes, 1)) / (count * total)
    shares = (math.fsum(sizes[-math.ceil(count * part / 100) :]) / total for part in (1, 5, 10))
    top_1, top_5, top_10 = (min(share, 1.0) for share in shares)
    return Concentration(top_1=top_1, top_5=top_5, top_10=top_10, gini=min(max(gini, 0.0), 1.0))
