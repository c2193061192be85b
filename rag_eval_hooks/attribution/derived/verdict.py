"""What a derivation makes of its claim: supported where the texts hold the rest, a conflict where it is off."""

from collections.abc import Sequence

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.derived.aim import Aim
from rag_eval_hooks.attribution.derived.cues import FILLERS
from rag_eval_hooks.attribution.derived.operands import labels_of, light, unit_words
from rag_eval_hooks.attribution.derived.settle import Outcome
from rag_eval_hooks.attribution.match import UNBACKED_MOST, Backing, Judgement
from rag_eval_hooks.attribution.overlap import find_hits
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.attribution.related import alternatives
from rag_eval_hooks.attribution.terms import SPACELESS_FROM, terms
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = ["verdict_of"]

COVERED_FROM = 0.5
"""Share of a claim's other words that the texts have to hold."""
SUPPORT_AT_LEAST, SUPPORT_MORE = 0.65, 0.3
"""Support where the texts hold just enough, and what it gains until they hold all."""
BEST_BACKINGS = 2
COMPOUND_FROM = 4
"""Letters from which a word counts as part of a compound: Preis in Nettopreis."""
IN_COMPOUND = 0.8


def verdict_of(
    reading: Reading, index: int, aim: Aim, missing: Sequence[Anchor], outcomes: Sequence[tuple[Anchor, Outcome]]
) -> Judgement | None:
    """Returns the claim's judgement in the light of what was computed, or None where it stays as it is.

    Args:
        reading: The answer read against its context.
        index: Which claim.
        aim: What it aims at.
        missing: Its values that no text states.
        outcomes: What was found for some of them.
    """
    judgement = reading.judged[index]
    if any(not outcome.is_right for _, outcome in outcomes):
        return judgement._replace(support=min(judgement.support, UNBACKED_MOST), conflict=True)
    sizes = _sizes(outcomes)
    computed = {anchor.start for anchor, _ in outcomes}
    # `Both years together`: how many operands there are, the texts need not say.
    if any(anchor.start not in computed and not _is_size(anchor, sizes) for anchor in missing):
        return None
    covered = _covered(reading, index, aim, judgement, outcomes)
    if covered is None:
        return None
    support = SUPPORT_AT_LEAST + SUPPORT_MORE * (covered - COVERED_FROM) / (1.0 - COVERED_FROM)
    places: dict[int, set[int]] = {}
    for _, outcome in outcomes:
        for one in outcome.candidate.operands:
            places.setdefault(one.chunk, set()).add(one.place)
    chunks = tuple(sorted(places))
    backings = {backing.chunk: backing for backing in judgement.backings}
    for chunk in chunks:
        known = backings.get(chunk) or Backing(chunk, 0.0, 0.0, 0.0, 0.0, False, (), frozenset(), ())
        sentences = tuple(dict.fromkeys((*sorted(places[chunk]), *known.sentences)))
        mine = support if len(chunks) == 1 else min(known.support, SUPPORTED_FROM - 0.01)
        backings[chunk] = known._replace(support=mine, sentences=sentences, conflict=False)
    ranked = sorted(backings.values(), key=lambda backing: (-backing.support, backing.chunk))
    return judgement._replace(
        support=support, conflict=False, backings=tuple(ranked), joint=chunks if len(chunks) > 1 else ()
    )


def _sizes(outcomes: Sequence[tuple[Anchor, Outcome]]) -> set[float]:
    """Returns how many operands what was computed has."""
    return {float(len(outcome.candidate.operands)) for _, outcome in outcomes} - {1.0}


def _is_size(anchor: Anchor, sizes: set[float]) -> bool:
    """Whether a value says how many operands there are: `all four quarters`, `两项`, `over two years`."""
    return anchor.dimension in (None, "months", "time") and not sizes.isdisjoint(anchor.values)


def _joins(pair: str, held: frozenset[str]) -> bool:
    """Whether a pair of signs that no text has is the end of one word and the beginning of another that texts have."""
    return any(
        len(other) > 1 and (other[-1] == pair[0] or other[0] == pair[-1])
        for other in held
        if other[0] >= SPACELESS_FROM
    )


def _covered(
    reading: Reading, index: int, aim: Aim, judgement: Judgement, outcomes: Sequence[tuple[Anchor, Outcome]]
) -> float | None:
    """Returns the share of the claim's other words that the texts hold; None where that is too little."""
    evidence = reading.evidence
    claim = reading.wanted_of(index)
    operands = [one for _, outcome in outcomes for one in outcome.candidate.operands]
    places = {one.place for one in operands}
    for backing in judgement.backings[:BEST_BACKINGS]:
        places.update(backing.sentences)
    chunks = {evidence.sentences[place].chunk for place in places}
    labels = frozenset[str]().union(*(one.own | one.wide for one in operands))
    hits = find_hits(claim, evidence)
    computed = [anchor for anchor, _ in outcomes]
    sizes = _sizes(outcomes)
    if claim.said.stance.denies and not any(evidence.source([place]).stance.denies for place in places):
        return None
    cued = labels_of(" ".join(aim.text[slice(*span)] for span in aim.cue_spans)) | FILLERS | unit_words()
    for pair, start, end in terms(aim.text):
        if pair[0] >= SPACELESS_FROM and any(start < last and end > first for first, last in aim.cue_spans):
            cued |= {pair}  # a pair of signs of which one belongs to the cue
    asked = labels_of(reading.asked)
    held = total = 0.0
    for number, term in enumerate(claim.terms):
        if term.anchor is not None:
            is_computed = any(one.start == term.anchor.start and one.end == term.anchor.end for one in computed)
            stated = any(evidence.sentences[at].chunk in chunks for at in evidence.find_anchor(term.anchor))
            if not is_computed and not stated and not _is_size(term.anchor, sizes):
                return None
            continue
        key = light(term.key)
        if term.key in cued or key in cued:
            if key in labels:  # the name of an operand, whatever else it may mean
                total += claim.support_weights[number]
                held += claim.support_weights[number]
            continue
        have = max((hits[place].get(number, 0.0) for place in places if place in hits), default=0.0)
        if not have and (key in labels or not labels.isdisjoint(alternatives(term.key))):
            have = 1.0
        if not have and term.key[0] < SPACELESS_FROM and len(term.key) >= COMPOUND_FROM:
            have = IN_COMPOUND * any(
                term.key in label or label in term.key for label in labels if len(label) >= COMPOUND_FROM
            )
        if not have and term.key[0] >= SPACELESS_FROM and _joins(term.key, labels):
            continue
        if not have and not term.is_name and key in asked and not evidence.frequency.get(term.key):
            continue  # the question's own word for it
        if term.is_name and not have and key not in asked:
            return None
        total += claim.support_weights[number]
        held += have * claim.support_weights[number]
    covered = held / total if total else 1.0
    return covered if covered >= COVERED_FROM else None
