"""Finds what each text states of a statement: the sentences that share its terms, and the best few of each text."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.evidence import Evidence
from rag_eval_hooks.attribution.related import alternatives
from rag_eval_hooks.attribution.wanted import Wanted
from rag_eval_hooks.record.limits import MAX_TEXTS

__all__ = ["Credit", "Hits", "Overlap", "add", "find_hits", "gain", "overlaps"]

SAME_CREDIT = 0.8
ALIKE_CREDIT = 0.6
EXTRA_SENTENCES = 2
EXTRA_AMONG = 12
EXTRA_MIN = 0.05
EXTRA_CREDIT = 0.85

Credit = dict[int, float]
"""How well each of a statement's terms is stated, by its index; absent is 0."""
Hits = Mapping[int, Credit]
"""For each sentence that shares anything with a statement, what."""


class Overlap(NamedTuple):
    """What a text states of a statement."""

    sentences: list[int]
    """The best sentence, then those that add to it."""
    credit: Credit
    """What they state together."""


def find_hits(wanted: Wanted, evidence: Evidence) -> Hits:
    """Returns, for each sentence, which terms it holds and how well."""
    hits: defaultdict[int, Credit] = defaultdict(dict)
    for index, term in enumerate(wanted.terms):
        if term.anchor is not None:
            places, credit = evidence.find_anchor(term.anchor, wanted.said.text), 1.0
            if not places and term.is_asked:  # after nine years, in the row of 8 to 11 years
                places = evidence.anchors.find_around(term.anchor)
        else:
            places, credit = evidence.find_term(term.key), 1.0
            if not places:
                same = alternatives(term.key)
                places, credit = [place for other in sorted(same) for place in evidence.find_term(other)], SAME_CREDIT
            if not places:
                places, credit = evidence.find_alike(term.key), ALIKE_CREDIT
        for place in places:
            hits[place][index] = credit
    return hits


def overlaps(hits: Hits, wanted: Wanted, evidence: Evidence) -> tuple[dict[int, Overlap], bool]:
    """Returns what each text states, and whether texts were left out.

    Looked at are the `MAX_TEXTS` texts that share most with the statement in one sentence.
    """
    weights = wanted.use_weights
    grouped: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
    for place in sorted(hits):
        strength = sum([weights[index] for index in hits[place]])
        grouped[evidence.sentences[place].chunk].append((-strength, place))
    chunks = list(grouped)
    is_cut = len(chunks) > MAX_TEXTS
    if is_cut:
        chunks = sorted(sorted(chunks, key=lambda chunk: (min(grouped[chunk])[0], chunk))[:MAX_TEXTS])
    return {chunk: _overlap(sorted(grouped[chunk]), hits, wanted, evidence) for chunk in chunks}, is_cut


def _overlap(ranked: Sequence[tuple[float, int]], hits: Hits, wanted: Wanted, evidence: Evidence) -> Overlap:
    """Returns the strongest sentence of a text that is no question and up to `EXTRA_SENTENCES` more that add to it.

    Args:
        ranked: Its sentences, each behind the negative sum of the weights of what it shares; the strongest first.
        hits: What the sentences share with the statement.
        wanted: The statement.
        evidence: The texts.
    """
    best = next((place for _, place in ranked if not evidence.sentences[place].is_question), None)
    if best is None:
        return Overlap([], {})
    chosen, credit = [best], dict(hits[best])
    for _ in range(EXTRA_SENTENCES):
        if len(credit) == len(wanted) or len(ranked) == 1:
            break
        most, extra = EXTRA_MIN, None
        for strength, place in ranked[:EXTRA_AMONG]:
            if -strength < most:
                break  # no sentence adds more than it shares
            added = gain(hits[place], credit, wanted.use_weights)
            if added > most or (added == most and extra is not None and place < extra):
                most, extra = added, place
        if extra is None:
            break
        chosen.append(extra)
        add(hits[extra], credit, EXTRA_CREDIT)
    return Overlap(chosen, credit)


def add(credit: Credit, known: Credit, factor: float = 1.0) -> None:
    """Adds terms to those already known; the better of two credits counts."""
    for index, value in credit.items():
        known[index] = max(known.get(index, 0.0), value * factor)


def gain(credit: Credit, known: Credit, weights: Sequence[float]) -> float:
    """What these terms add to those already known, by weight."""
    added = 0.0
    for index, value in credit.items():
        more = value - known.get(index, 0.0)
        if more > 0.0:
            added += weights[index] * more
    return added
