"""Chooses the operands in reach of a claim, and yields what can be computed from them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.derived.aim import Aim
from rag_eval_hooks.attribution.derived.candidates import (
    Candidate,
    conversion_candidates,
    group_candidates,
    pair_candidates,
    rate_candidates,
    share_candidates,
)
from rag_eval_hooks.attribution.derived.counted import count_candidates
from rag_eval_hooks.attribution.derived.cues import cues_in
from rag_eval_hooks.attribution.derived.operands import Operand, Operands, labels_of, light
from rag_eval_hooks.attribution.terms import terms

__all__ = ["Scored", "candidates_for", "readings_of", "scores_of"]

MAX_IN_REACH = 16
"""Operands that are paired: 120 pairs; more of them hit any number by chance."""
MAX_GROUPS = 40
"""Columns, rows, sentences and lists that are summed."""
ENGLISH = re.compile(r"\b(?:the|of|and|is|was|in|had|has)\b|[\u3400-\u9fff]{2}")
CONTINENTAL = re.compile(
    r"\b(?:der|die|das|des|und|im|von|es|ist|le|la|les|de|du|et|en|el|los|las|y|del|um|zur|zum|mit|beträgt)\b"
)
PER_YEAR = (
    (1.0, re.compile(r"\b(?:annual|year|jahr|jährlich|an\b|année|annuel|año|anual)|年")),
    (4.0, re.compile(r"\b(?:quarter|quartal|trimest)|季")),
    (12.0, re.compile(r"\b(?:month|monat|mois\b|mensuel|mes\b|mensual)|月")),
    (52.0, re.compile(r"\b(?:week|woche|wöchentlich|semaine|semana)|周")),
    (365.0, re.compile(r"\b(?:day\b|daily|tag\b|täglich|jour\b|día\b)|每天|每日")),
)
"""How often what is told of a length of time comes in a year."""
NOUN_WITHIN = 40
MAX_COUNT = 50
SIDE_BY_SIDE = 0.4
"""What it counts that two operands stand in one row, column or sentence, and what that they have the same name."""
OF_A_GROUP = 1.6
"""What the sum or mean of two loses where the claim's words fit all of their column or list as well."""
EVEN = 0.3
"""Within what operands fit a claim equally well."""
OF_ONE_NAME = 0.5
"""Share of their words from which two operands of different years are of the same thing."""
ANOTHER_PERIOD = 1.2
NAMED_ALIKE = 1.0
OF_RATES = frozenset(["part", "adjust_down", "adjust_up"])
CHANGES = frozenset(["difference", "percentage_change", "ratio"])
Scored = list[tuple[float, Operand]]


def scores_of(aim: Aim, operands: Operands) -> Scored:
    """Returns the numbers of the context with how well each fits a claim."""
    return [(aim.score(one), one) for one in operands.found]


def candidates_for(anchor: Anchor, aim: Aim, operands: Operands, scored: Scored) -> list[Candidate]:
    """Returns what can be computed from the operands that fit the claim best, and from their columns and lists.

    Args:
        anchor: The number to explain.
        aim: The claim it stands in.
        operands: The numbers of the context.
        scored: The same with how well they fit the claim.
    """
    chosen = _distinct(sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0]))[:MAX_IN_REACH]
    readings: tuple[int, ...] = (0,)
    if len(anchor.values) > 1 or any(len(one.values) > 1 for _, one in chosen):
        readings = readings_of(aim.text + " " + " ".join(operands.evidence.text_of(one.place) for _, one in chosen[:6]))
    groups = list(_groups(aim, chosen, scored))
    even = [
        members for _, members, scores in groups if max(scores) - min(scores) <= EVEN and len(members) <= MAX_IN_REACH
    ]
    whole = {frozenset([_place(a), _place(b)]) for members in even for a, b in combinations(members, 2)}
    found: list[Candidate] = []
    for reading in readings:
        for (mine, a), (theirs, b) in combinations(sorted(chosen, key=lambda pair: (pair[1].chunk, pair[1].start)), 2):
            score = mine + theirs + _togetherness(a, b)
            if "percent" in (a.dimension, b.dimension) and a.dimension != b.dimension:
                score += _same_cue(a if a.dimension == "percent" else b, aim, operands)
            over_time = _over_time(a, b, aim)
            is_part = frozenset([_place(a), _place(b)]) in whole
            for candidate in pair_candidates(a, b, score, reading, aim.direction):
                less = OF_A_GROUP if is_part and candidate.operation in ("sum", "mean", "product") else 0.0
                more = over_time if candidate.operation in CHANGES else 0.0
                found.append(candidate._replace(score=candidate.score - less + more) if less or more else candidate)
        for score, members, scores in groups:
            found += group_candidates(members, score, reading)
            found += share_candidates(members, scores, reading)
        for score, one in chosen:
            found += conversion_candidates(one, 2 * score, reading)
            text = operands.evidence.text_of(one.place)
            found += [
                got
                for lengths in _lengths(aim.text, text)
                for got in rate_candidates(one, 2 * score, reading, *lengths)
            ]
    value = anchor.values[0]
    nouns = _nouns(aim.text, anchor)
    if anchor.dimension in (None, "count:person") and 1 < value <= MAX_COUNT and value == int(value) and nouns:
        places = _places(aim, operands, chosen)
        found += count_candidates(nouns, aim.words, places, operands)
    return found


def _place(one: Operand) -> tuple[int, int]:
    return one.chunk, one.start


def readings_of(text: str) -> tuple[int, ...]:
    """Returns which readings of 1,234 and 1.234 to take, by the language around: 0 as English writes, 1 the other."""
    english, other = len(ENGLISH.findall(text)), len(CONTINENTAL.findall(text))
    return (0,) if english > other else (1,) if other > english else (0, 1)


def _lengths(claim: str, text: str) -> list[tuple[float, float]]:
    """Returns how often per year what the claim and what the text speak of comes, where that differs."""
    mine = [often for often, pattern in PER_YEAR if pattern.search(claim)]
    theirs = [often for often, pattern in PER_YEAR if pattern.search(text)]
    return [(one, other) for one in mine for other in theirs if one != other]


def _distinct(scored: Scored) -> Scored:
    """Returns the operands without those that repeat another one's value and words, as overlapping chunks do."""
    seen: set[tuple[object, ...]] = set()
    kept: Scored = []
    for score, one in scored:
        key = (one.values, one.dimension, one.own, one.periods, one.is_year)
        if key not in seen:
            seen.add(key)
            kept.append((score, one))
    return kept


def _togetherness(a: Operand, b: Operand) -> float:
    together = SIDE_BY_SIDE * (not {*a.groups[:2]}.isdisjoint(b.groups[:2]))
    shared, either = len(a.own & b.own), len(a.own | b.own)
    alike = shared / either if either else 0.0
    together += 2 * SIDE_BY_SIDE * alike
    if a.periods and a.periods == b.periods:
        together += SIDE_BY_SIDE / 2
    if a.noun and b.noun and a.dimension == b.dimension:
        together += SIDE_BY_SIDE if a.noun == b.noun else -SIDE_BY_SIDE
    if not shared and a.chunk != b.chunk and not a.is_year and a.dimension is None and b.dimension is None:
        together -= 2 * SIDE_BY_SIDE  # nothing says that they are of one kind
    return together


def _same_cue(rate: Operand, aim: Aim, operands: Operands) -> float:
    """What it counts that the claim and the sentence of a rate name the same use of it: discount, interest, tax."""
    named = cues_in(operands.evidence.text_of(rate.place)).keys()
    return NAMED_ALIKE if named & OF_RATES & (aim.cues | aim.cues_around) else 0.0


def _over_time(a: Operand, b: Operand, aim: Aim) -> float:
    """What it counts for a change that both are of the same thing in different years, of which a claim may name one."""
    if not a.periods or not b.periods:
        return 0.0
    if a.periods == b.periods:
        return -ANOTHER_PERIOD if len(aim.periods) > 1 else 0.0
    return ANOTHER_PERIOD if len(a.own & b.own) >= OF_ONE_NAME * len(a.own | b.own) else 0.0


def _groups(aim: Aim, chosen: Scored, scored: Scored) -> Iterator[tuple[float, list[Operand], list[float]]]:
    """Yields groups of operands of one kind with their mean score: whole ones, and those of them that fit best."""
    keys = list(dict.fromkeys(key for _, one in chosen for key in one.groups if not one.is_year))[:MAX_GROUPS]
    wanted = set(keys)
    members: dict[tuple[str, int, int], Scored] = {key: [] for key in keys}
    for pair in scored:
        for key in pair[1].groups:
            if key in wanted:
                members[key].append(pair)
    seen: set[frozenset[tuple[int, int]]] = set()
    across = [pair for pair in chosen if not pair[1].is_year and pair[0] >= 0.7 * chosen[0][0]] if chosen else []
    common = frozenset.intersection(*(one.own for _, one in across)) if across else frozenset()
    for key, group in (*members.items(), (("across", 0, 0), across if common else [])):
        for kind in {one.dimension for _, one in group}:
            alike = _distinct([pair for pair in group if pair[1].dimension == kind and not pair[1].is_year])
            parts = [pair for pair in alike if not pair[1].is_total]
            listed = [pair for pair in parts if pair[1].values != (len(parts) - 1.0,)]
            if len(listed) == len(parts) - 1:
                parts = listed  # `the five scores were ...`
            for some in (parts, _best(parts), [pair for pair in parts if aim.names(pair[1])]):
                identity = frozenset((one.chunk, one.start) for _, one in some)
                if len(some) > 2 and identity not in seen:
                    seen.add(identity)
                    scores = [score for score, _ in some]
                    mean = sum(scores) / len(scores)
                    # Where the claim singles some out, the whole group is not what it means.
                    uneven = max(scores) - min(scores) if some is parts else 0.0
                    if key[0] == "sentence" and sum(not aim.own_words.isdisjoint(one.own) for _, one in some) < 2:
                        mean, uneven = (mean + max(scores)) / 2, 0.0  # the subject stands before the first only
                    # Counted like a pair of its members.
                    yield 2 * mean + 2 * SIDE_BY_SIDE - min(uneven, 1.0), [one for _, one in some], scores


def _best(group: Scored) -> Scored:
    if not group:
        return []
    most = max(score for score, _ in group)
    return [pair for pair in group if pair[0] >= most - EVEN]


def _nouns(text: str, anchor: Anchor) -> frozenset[str]:
    """Returns the terms of the first words behind a number: what it counts; none where the number is part of a name."""
    if text[anchor.start - 1 : anchor.start].strip(" (\"'") and text[anchor.start - 1] < "\u3000":
        return frozenset()
    behind = text[anchor.end : anchor.end + NOUN_WITHIN]
    cut = min((at for sign in ".,;:。?!" if (at := behind.find(sign)) >= 0), default=len(behind))
    piece = behind[:cut]
    if piece and piece.lstrip()[:1] >= "\u3000":
        return labels_of(piece.lstrip()[:6].lstrip("个個项項名家种種座条條位次款"))
    return labels_of(" ".join(piece.split()[:3]))


def _places(aim: Aim, operands: Operands, chosen: Sequence[tuple[float, Operand]]) -> list[int]:
    """Returns the sentences that share words with the claim, best first."""
    shared: dict[int, float] = {}
    for term, times in Counter(term for term, _, _ in terms(aim.text)).items():
        weight = times * aim.words.get(light(term), 0.0)
        for place in operands.evidence.find_term(term):
            shared[place] = shared.get(place, 0.0) + weight
    ranked = sorted(shared, key=lambda place: (-shared[place], place))
    return list(dict.fromkeys([*ranked, *(one.place for _, one in chosen)]))
