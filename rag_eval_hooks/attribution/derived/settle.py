"""Decides whether one of the candidates explains a number, or shows that it is computed wrongly."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.derived.aim import Aim
from rag_eval_hooks.attribution.derived.benefit import is_meant_so, is_no_slip, spans_years
from rag_eval_hooks.attribution.derived.candidates import Candidate
from rag_eval_hooks.attribution.derived.operands import Operand, is_year

__all__ = ["Outcome", "settle", "settle_spelled"]

CHANCE_CUED = 0.12
"""Most that may be expected of the other candidates to hit by chance, where the claim names the operation."""
CHANCE_AROUND = 0.06
"""The same where only the question or the sentence before names it."""
CHANCE_UNCUED = 0.03
"""The same, the candidate itself included, where nothing names it."""
IN_REACH_UNCUED = 6
"""Operands in reach up to which an operation is tried that nothing names."""
AS_GOOD = 0.8
"""Share of the best candidate's score from which another one counts as fitting the claim's words as well."""
SURELY = 0.4
"""Score that the best candidate has to be ahead of all others, where the claim is said to be wrong."""
LEAST_SCORE = 1.0
NO_UNIT = 0.6
OF_A_RATE = frozenset(["part", "adjust_down", "adjust_up"])
"""A part of an amount, and what remains or adds up: one word (`discount`) names them all."""
SLIP = 1.6
"""How many times too large or small a number may be to have been meant as one of them."""
FARTHEST = 20.0
"""The same for any number, before it is called a slip in computing rather than something else."""
SMALL_SHARE = 0.1
"""Of a number that is written without decimals or unit, the most it may be off by rounding: three for 2.8."""
PERCENT_ONLY = frozenset(["percentage_change", "share"])


class Kind(NamedTuple):
    """What kind of number is to be explained."""

    dimension: str | None
    is_year: bool
    is_age: bool


class Outcome(NamedTuple):
    """How a number came about."""

    candidate: Candidate
    is_right: bool
    tried: int


def settle(anchor: Anchor, aim: Aim, candidates: Sequence[Candidate]) -> Outcome | None:
    """Returns the candidate that gives the number, or the one that the claim must mean and that gives another.

    Args:
        anchor: The number.
        aim: The claim it stands in.
        candidates: What can be computed.
    """
    kind = Kind(anchor.dimension, is_year(anchor), _is_age(anchor, aim))
    possible = [
        _fitted(anchor, one) for one in candidates if _comparable(kind, one) and not spans_years(aim.text, anchor, one)
    ]
    tried = len(candidates)
    most = max((one.score for one in possible), default=0.0)
    tiers: dict[int, list[Candidate]] = {2: [], 1: [], 0: []}
    for one in possible:
        tiers[_tier(aim, one)].append(one)
    for tier, mine in tiers.items():
        good = _as_good(mine, AS_GOOD)
        right = [one for one in good if _gives(anchor, aim, one)]
        if right:
            best = max(right, key=lambda one: one.score)
            if _is_sure(anchor, aim, best, good, tier):
                return Outcome(best, True, tried)
        if any(one.score >= AS_GOOD * most for one in good):
            break  # an operation that is named and fits is the one that is meant
    close = [*_as_good(tiers[2] + tiers[1], AS_GOOD), *_best(possible)]
    if any(_gives(anchor, aim, one) for one in close):
        return None
    wrong = _wrong(anchor, aim, possible)
    return Outcome(wrong, False, tried) if wrong is not None else None


def settle_spelled(anchor: Anchor, aim: Aim, readings: Sequence[Candidate], *, is_right: bool) -> Outcome | None:
    """Returns the reading of what a claim spells out that gives its number, or its only reading, where that does not.

    Args:
        anchor: The number.
        aim: The claim it stands in.
        readings: What the claim may be read to say.
        is_right: Whether to look for a right number or for a wrong one.
    """
    right = [one for one in readings if _gives(anchor, aim, one)]
    if right or is_right:
        return Outcome(right[0], True, len(readings)) if right and is_right else None
    if len({round(one.result, 9) for one in readings}) != 1:
        return None
    if not _is_near(anchor, readings[0]) or is_meant_so(aim.text, anchor, readings[0]):
        return None
    return Outcome(readings[0], False, 1)


def _is_near(anchor: Anchor, candidate: Candidate) -> bool:
    """Whether a number may be a slip in computing what a candidate gives."""
    size = abs(candidate.result) / (anchor.factor if candidate.dimension == anchor.dimension else 1.0)
    return size / FARTHEST <= abs(anchor.values[0]) <= size * FARTHEST


def _fitted(anchor: Anchor, candidate: Candidate) -> Candidate:
    """Returns a candidate with less score where the number has a unit that its operands lack."""
    if anchor.dimension is None or candidate.dimension is not None:
        return candidate
    return candidate._replace(score=candidate.score - NO_UNIT)


def _as_good(candidates: Sequence[Candidate], share: float) -> list[Candidate]:
    most = max((one.score for one in candidates), default=0.0)
    return [one for one in candidates if one.score >= max(LEAST_SCORE, share * most)]


def _best(candidates: Sequence[Candidate]) -> list[Candidate]:
    most = max((one.score for one in candidates), default=0.0)
    return [one for one in candidates if one.score >= max(LEAST_SCORE, most - SURELY)]


def _tier(aim: Aim, candidate: Candidate) -> int:
    """2 where the claim names the operation, 1 where what stands around it does or its unit tells, 0 else."""
    cue = candidate.cue
    if cue == "count":
        return 2
    if cue in ("dates", "rate", "listed"):
        return 2
    if cue == "until":
        return 2 if cue in aim.cues or "dates" in aim.cues else 1 if cue in aim.cues_around else 0
    if candidate.operation == "conversion":
        return 2
    if cue == "difference" and candidate.dimension == "points":
        return 2
    return 2 if cue in aim.cues else 1 if cue in aim.cues_around else 0


AGE_BEFORE = re.compile(r"(?:\bage[sd]?(?: of| at)?|\balter von|\bâge de|\bedad de|\bat|\bmit|享年|终年) ?$")
AGE_BEHIND = re.compile(r"[ -]?(?:years?|yrs?|jahre?n?|ans|años)\b|-year| ?[岁歲年]")
AGE_WITHIN = 12


def _is_age(anchor: Anchor, aim: Aim) -> bool:
    """Whether a number without a unit is one of years: `at the age of 37`, `享年37岁`."""
    before = aim.text[max(0, anchor.start - AGE_WITHIN) : anchor.start]
    return bool(AGE_BEFORE.search(before) or AGE_BEHIND.match(aim.text, anchor.end))


def _comparable(kind: Kind, candidate: Candidate) -> bool:
    """Whether a candidate is of the number's kind."""
    if candidate.dimension == "year" or kind.is_year:
        return candidate.dimension == "year" and kind.is_year
    mine, theirs = kind.dimension, candidate.dimension
    if "percent" in (mine, theirs) or "points" in (mine, theirs):
        return mine == theirs or (mine is None and theirs == "points")
    if candidate.operation == "conversion":
        return mine == theirs
    if candidate.cue == "ratio" and mine is not None:
        return False
    if candidate.cue == "per":
        return True if mine is None or theirs is None else mine == theirs
    if candidate.operation == "date_difference":
        return mine == theirs or (mine is None and kind.is_age)
    return mine is None or theirs is None or mine == theirs


def _slack(anchor: Anchor, value: float) -> float:
    """How far off a result may be: as the number is written, and half of its last digit where it is a bare one."""
    if anchor.slack:
        return anchor.slack * (1 + 1e-6)
    return min(0.5, SMALL_SHARE * abs(value)) * (1 + 1e-6)


def _options(anchor: Anchor, candidate: Candidate) -> list[tuple[float, str | None, float]]:
    """Returns the result as the number may write it: value, dimension, factor."""
    result, dimension = candidate.result, candidate.dimension
    if dimension == "year":
        return [(result, None, 1.0)]
    if candidate.cue == "per" and anchor.dimension is not None:
        return [(result, anchor.dimension, 1.0)]
    options = [(result, dimension, 1.0)]
    if anchor.dimension is None:
        options += [(result / unit, None, 1.0) for unit in candidate.units]
    return options


def _gives(anchor: Anchor, aim: Aim, candidate: Candidate) -> bool:
    for value in anchor.values[:2]:
        slack = _slack(anchor, value)
        exact = candidate.operation in ("count", "date_difference") or candidate.dimension == "year"
        claimed = anchor._replace(values=(value,), slack=0.0 if exact else slack, key=None, also=None)
        for result, dimension, factor in _options(anchor, candidate):
            source = Anchor(0, 0, None, (result,), 0.0, dimension, factor)
            if fits(claimed, source):
                return True
            signed = candidate.operation in ("difference", "percentage_change") and result < 0 <= value
            if signed and aim.direction <= 0 and fits(claimed, source._replace(values=(-result,))):
                return True
    return False


def _chance(anchor: Anchor, best: Candidate, candidates: Sequence[Candidate]) -> float:
    """Returns how many of the candidates a random number near this one would be expected to hit."""
    size = abs(_options(anchor, best)[0][0]) / (anchor.factor if best.dimension is not None else 1.0)
    value = min(map(abs, anchor.values[:2]), key=lambda one: abs(one - size))
    if not value:
        return 1.0
    slack = _slack(anchor, value)
    width = max(2 * slack, 1.0 if not anchor.slack and value >= 1 else 0.0)
    near = set()
    for one in candidates:
        for result, dimension, factor in _options(anchor, one)[:1]:
            scale = factor / (anchor.factor if dimension is not None else 1.0)
            if value / 2 <= abs(result * scale) <= value * 2:
                near.add(round(result * scale / width))
    return len(near) * width / (1.5 * value)


def _is_sure(anchor: Anchor, aim: Aim, best: Candidate, good: Sequence[Candidate], tier: int) -> bool:
    others = [one for one in good if one.score >= AS_GOOD * best.score and not _same(anchor, one, best)]
    better = [one for one in others if one.score > best.score + 1e-9]
    if tier == 2:
        return _chance(anchor, best, others) <= CHANCE_CUED and len(better) <= 6
    if tier == 1:
        return _chance(anchor, best, others) <= CHANCE_AROUND and not better
    reach = {(one.chunk, one.start) for candidate in good for one in candidate.operands}
    named = len(best.operands) == 2 and all(map(aim.names, best.operands))
    if not named and len(reach) > IN_REACH_UNCUED:
        return False
    return _chance(anchor, best, [best, *others]) <= CHANCE_UNCUED * (2 if named else 1)


def _same(anchor: Anchor, one: Candidate, other: Candidate) -> bool:
    if one.dimension != other.dimension:
        return False
    off = abs(one.result - other.result) / (anchor.factor or 1.0)
    return off <= max(_slack(anchor, anchor.values[0]), 1e-9)


def _wrong(anchor: Anchor, aim: Aim, possible: Sequence[Candidate]) -> Candidate | None:
    """Returns what the claim must mean, where it names the operation and singles the operands out."""
    if anchor.bound and not anchor.values:
        return None
    mine = [one for one in possible if _tier(aim, one) == 2 and one.cue not in ("", "rate", "listed", "until")]
    mine = [one for one in mine if not (one.operation == "ratio" and one.cue in ("adjust_down", "sum"))]
    mine = [one for one in mine if not _is_mixed(one) and not (one.cue == "per" and all(map(_is_length, one.operands)))]
    mine = [
        one for one in mine if one.dimension is None or anchor.dimension is not None or one.cue in ("dates", "count")
    ]
    mine = [one for one in mine if one.cue != "product" or all(map(aim.names, filter(_is_length, one.operands)))]
    good = _best(mine)
    if {"change", "share"} <= {one.cue for one in good}:
        good = [one for one in good if one.cue == "change" and all(map(aim.names, one.operands))]
    if not good:
        return None
    if {one.cue for one in good} <= OF_A_RATE:
        good = _nearest(anchor, good)
    results = {round(one.result, 9) for one in good}
    best = max(good, key=lambda one: one.score)
    if not _is_near(anchor, best):
        return None
    if any(_gives(anchor, aim, one) for one in good):
        return None
    if len(results) > 1 or not _singled_out(aim, best.operands, possible):
        return None
    if any(is_no_slip(aim.text, anchor, one, list(possible)) for one in good):
        return None
    return best


def _is_length(operand: Operand) -> bool:
    """Whether it is a length of time, which few amounts are multiplied by."""
    return operand.dimension in ("months", "time")


def _is_mixed(candidate: Candidate) -> bool:
    """Whether something with a unit and something without are added or compared."""
    units = {one.dimension for one in candidate.operands}
    return len(units) > 1 and candidate.cue not in ("per", "product", *OF_A_RATE)


def _nearest(anchor: Anchor, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Returns the only candidate that a number off by no more than `SLIP` may have been meant as, else all."""
    value = abs(anchor.values[0] * anchor.factor)
    near = [one for one in candidates if value / SLIP <= abs(one.result) <= value * SLIP]
    return near if len(near) == 1 else list(candidates)


def _singled_out(aim: Aim, operands: Sequence[Operand], possible: Sequence[Candidate]) -> bool:
    """Whether the claim names each operand: by its value, its year, or a word that others do not have."""
    if len(operands) > 2:
        first = operands[0]
        common = frozenset.intersection(*(one.own for one in operands))
        return bool(common & aim.own_words) or first.own == common
    if all(map(aim.named_before, operands)):
        return True
    reach = {(one.chunk, one.start): one for candidate in possible for one in candidate.operands}.values()
    for one in operands:
        if aim.names(one):
            continue
        others = [other for other in reach if _is_rival(one, other, operands)]
        if others and not _is_told_apart(one, others, aim):
            return False
    return True


def _is_told_apart(one: Operand, others: Sequence[Operand], aim: Aim) -> bool:
    """Whether the claim has a word or year of an operand that no other has: of its own, or of its sentence or text."""
    periods = one.periods & aim.periods
    mine, ours = one.own & aim.own_words, (one.own | one.wide) & aim.own_words
    if periods and not any(periods & other.periods and mine <= other.own for other in others):
        return True
    if mine and not any(mine <= other.own for other in others):
        return True
    return bool(ours) and not any(mine <= other.own and ours <= other.own | other.wide for other in others)


def _is_rival(one: Operand, other: Operand, operands: Sequence[Operand]) -> bool:
    """Whether another operand might be meant instead; not the other year's value that it is compared with."""
    if other is one or other.dimension != one.dimension or other.is_year != one.is_year:
        return False
    return not (
        one.periods and other.periods and one.periods != other.periods and any(other is mine for mine in operands)
    )
