"""Weighs texts that state a statement against each other: which of them does it point to?"""

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from rag_eval_hooks.attribution.evidence import Evidence
from rag_eval_hooks.attribution.log_odds import logistic
from rag_eval_hooks.attribution.overlap import Credit, Overlap, add, gain
from rag_eval_hooks.attribution.wanted import Wanted

__all__ = ["NOWHERE", "Pointer", "pointers"]

USE_AT = 0.42
USE_SLOPE = 8.0
MARGIN_SLOPE = 5.0
MARGIN_FREE = 0.08
RIVAL_HAS_NUMBER = 4.0
RIVAL_HAS_NAME = 2.5
RESIDUAL_AT = 0.12
RESIDUAL_MIN = 0.15
RESIDUAL_BONUS = 0.3
OVERLAP_SHARE = 0.5
"""Share of a statement from which the same sentence makes two texts one: less may be a common heading."""


class Pointer(NamedTuple):
    """How a statement points to a text; `Backing` has the same fields."""

    use: float
    unique: float
    divided: float


NOWHERE = Pointer(0.0, 0.0, 0.0)
UNTOUCHED = Pointer(logistic(-USE_SLOPE * USE_AT), 0.0, 0.0)


def pointers(found: Mapping[int, Overlap], wanted: Wanted, evidence: Evidence) -> dict[int, Pointer]:
    """Returns, for each text, how strongly the statement points to it, and its unique and divided shares.

    Texts that overlap, so that the same sentence is what each has for most of the statement, are no rivals: they share
    what is found for the one that has most.

    Args:
        found: What each text states.
        wanted: The statement.
        evidence: The texts.
    """
    weights = wanted.use_weights
    enough = OVERLAP_SHARE * sum(weights)
    worth = {chunk: gain(overlap.credit, {}, weights) for chunk, overlap in found.items()}
    most = [chunk for chunk, value in worth.items() if value >= enough]
    leader: dict[int, int] = {}
    if len(most) > 1:
        leaders: dict[str, int] = {}
        for chunk in sorted(most, key=lambda chunk: (-worth[chunk], chunk)):
            sentence = "".join(evidence.text_of(found[chunk].sentences[0]).split())
            leader[chunk] = leaders.setdefault(sentence, chunk)
    rivals = {chunk: found[chunk] for chunk in sorted(found) if leader.get(chunk, chunk) == chunk}
    pointed = _among_rivals(rivals, wanted)
    return {chunk: pointed[leader.get(chunk, chunk)] for chunk in found}


def _among_rivals(found: Mapping[int, Overlap], wanted: Wanted) -> dict[int, Pointer]:
    weights = wanted.use_weights
    total = sum(weights)
    worth = {
        chunk: [(index, weights[index] * value) for index, value in overlap.credit.items()]
        for chunk, overlap in found.items()
    }
    share = {chunk: sum([weight for _, weight in parts]) / total for chunk, parts in worth.items()}
    ranked = sorted(share, key=lambda chunk: (-share[chunk], chunk))
    holders = Counter(chain.from_iterable(overlap.credit for overlap in found.values()))
    result: dict[int, Pointer] = {}
    told: Credit = {}
    elsewhere: set[int] = set()
    """What the stronger texts state."""
    for place, chunk in enumerate(ranked):
        credit = found[chunk].credit
        if not credit:
            result[chunk] = UNTOUCHED
            continue
        rival = share[ranked[0]] if place else share[ranked[1]] if len(ranked) > 1 else 0.0
        score = USE_SLOPE * (share[chunk] - USE_AT) + MARGIN_SLOPE * min(0.0, share[chunk] - rival + MARGIN_FREE)
        lacking = elsewhere.difference(credit)
        if lacking and min(lacking) < wanted.values:
            score -= RIVAL_HAS_NUMBER
        elif not wanted.names.isdisjoint(lacking):
            score -= RIVAL_HAS_NAME
        if place:
            added = gain(credit, told, weights) / total
            if added >= RESIDUAL_MIN:
                score = max(score, USE_SLOPE * (added - RESIDUAL_AT) + RESIDUAL_BONUS)
        unique = sum([weight for index, weight in worth[chunk] if holders[index] == 1]) / total
        divided = sum([weight / holders[index] for index, weight in worth[chunk]]) / total
        result[chunk] = Pointer(logistic(score), unique, divided)
        if score >= 0:
            add(credit, told)
        elsewhere.update(credit)
    return result
