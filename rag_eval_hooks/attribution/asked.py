"""Finds texts that are about what was asked, but for another year, date, period, version or code."""

from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.contradict import is_as_short, is_of_topic, states_another
from rag_eval_hooks.attribution.evidence import Evidence
from rag_eval_hooks.attribution.fold import Folded
from rag_eval_hooks.attribution.overlap import find_hits, overlaps
from rag_eval_hooks.attribution.slots import is_designation, is_within
from rag_eval_hooks.attribution.wanted import Query, wanted

__all__ = ["other_values"]


def other_values(question: Folded, original: str, evidence: Evidence, background: Background) -> frozenset[int]:
    """Returns the texts that have another value in the place of one that the question asks for.

    The question asks for 2017 and the text has 2016 in a sentence about the same; a text that also has what was asked
    for is not among them. Counts and amounts are left out: a question may give them for other reasons.

    Args:
        question: The question, folded.
        original: The question as it was.
        evidence: The chunks; the question's terms are in its vocabulary.
        background: How common terms are.
    """
    asked = wanted(question, original, 0, len(question.text), Query(""), evidence, background)
    designations = [index for index, anchor in enumerate(asked.said.anchors) if is_designation(anchor)]
    if not designations:
        return frozenset()
    hits = find_hits(asked, evidence)
    held: dict[int, set[int]] = {}
    for place, credit in hits.items():
        held.setdefault(evidence.sentences[place].chunk, set()).update(credit)
    found = set()
    for chunk, overlap in overlaps(hits, asked, evidence)[0].items():
        about = [
            place
            for place in overlap.sentences
            if is_of_topic(hits[place], asked) and is_as_short(place, asked, evidence)
        ]
        values = [
            index in held[chunk]
            or index not in designations
            or any(is_within(anchor, evidence.anchors[place]) for place in about)
            for index, anchor in enumerate(asked.said.anchors)
        ]
        if not all(values) and states_another(about, values, asked.said, evidence):
            found.add(chunk)
    return frozenset(found)
