"""Says whether sentences contradict a statement: they speak of the same thing, and state another value or the opposite.

Most of it is what speaks for the sentences: they may be about something else, or what they say may hold beside it.
"""

import re
from collections.abc import Sequence

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.evidence import Evidence
from rag_eval_hooks.attribution.opposites import opposes, recounts
from rag_eval_hooks.attribution.overlap import Credit, Hits
from rag_eval_hooks.attribution.slots import is_designation, is_within, same_slot
from rag_eval_hooks.attribution.stance import OPPOSED, excludes
from rag_eval_hooks.attribution.support import FEATURES, Said, Source, conflict_model
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.attribution.wanted import Wanted

__all__ = ["contradicts", "is_as_short", "is_of_topic", "speaks_against", "states_another"]

CONFLICT_FROM = 0.62
"""Probability of contradiction from which a statement counts as contradicted."""
COMPARABLE = 2.5
"""A sentence with more than so many times the statement's terms says other things, too."""
SAME_TOPIC = 0.7
"""Share of the topic's weight from which a sentence speaks of the same thing."""
PRONOUNS = frozenset("it he she they his her their its this these".split())
PRONOUN_WITHIN = 8
"""Words within which a sentence's pronoun stands for what the statement begins with."""
SAID_OF_IT = 0.8
"""Share of the statement that a text which does not deny it must say, to contradict a denial."""
LIMIT_WITHIN = 24
"""Characters before a value that hold the longest of `LIMITED`."""
LIMITED = re.compile(
    r"(?:before|after|since|until|by|within|prior to|later than|earlier than|more than|less than|fewer than|over|under|"
    r"vor|nach|seit|bis|über|unter|mehr als|weniger als|avant|après|depuis|antes de|desde|hasta)(?: the(?: year)?)? $"
)
OTHER_VALUE = FEATURES.index("other_value")


def contradicts(
    claim: Wanted,
    credit: Credit,
    values: Sequence[bool],
    source: Source,
    features: Sequence[float],
    stated: Sequence[Anchor],
    *,
    against: bool,
) -> bool:
    """Whether the sentences of a source contradict a statement.

    Args:
        claim: The statement.
        credit: Which of its terms they state, and how well.
        values: Which of its values they state.
        source: The sentences.
        features: Those of statement and sentences, in the order of `FEATURES`.
        stated: The sentences' values; not looked at where they state all of the statement's.
        against: Whether the sentences speak against it, as `speaks_against` has it.
    """
    said = claim.said
    held = [credit.get(index, 0.0) for index in range(claim.values, len(claim))]
    if _is_excused(said, values, stated) or not _same_predicate(said, held, features):
        return False
    if against and claim.names <= credit.keys():
        return True
    denies_other = said.stance.denies and not source.stance.denies and sum(held) < SAID_OF_IT * len(held)
    return (
        _same_subject(said, claim.values in credit, source)
        and not denies_other  # that it is not in Paris is not contradicted by where it is
        and not (said.stance.denies != source.stance.denies and excludes(said.stance, source.stance))
        and conflict_model().probability(features) >= CONFLICT_FROM
    )


def speaks_against(
    sentences: Sequence[int], values: Sequence[bool], hits: Hits, claim: Wanted, evidence: Evidence
) -> bool:
    """Whether one of the short sentences about the same thing states another value, or they all say the opposite."""
    said = claim.said
    near = [place for place in sentences if is_of_topic(hits[place], claim)]
    opposed = {
        place
        for place in near
        if opposes(said.stance, evidence.source([place]).stance, said.text, evidence.text_of(place))
    }
    if not opposed and not said.anchors:
        return False
    about = [place for place in near if is_as_short(place, claim, evidence)]
    return (
        (bool(about) and opposed.issuperset(about))
        or states_another(about, values, said, evidence)
        or (
            bool(said.anchors)
            and recounts(
                said.text, said.anchors, ((evidence.context_of(place), evidence.anchors[place]) for place in about)
            )
        )
    )


def states_another(about: Sequence[int], values: Sequence[bool], said: Said, evidence: Evidence) -> bool:
    """Whether one of the sentences has another value in the place of one that is missing.

    Args:
        about: Sentences of the statement's topic.
        values: Which of the statement's values are there.
        said: The statement.
        evidence: The texts.
    """
    return any(
        same_slot(anchor, other) and not any(fits(one, other) for one in said.anchors)
        for anchor, there in zip(said.anchors, values, strict=True)
        if not there
        for place in about
        for other in evidence.anchors[place]
    )


def _is_excused(said: Said, values: Sequence[bool], stated: Sequence[Anchor]) -> bool:
    """Whether what values are missing may hold beside what is stated.

    Each is a bound (`before 2000`) or a year within a span; or a value and what it is of are missing together, so that
    the sentence speaks of something else: `the X200 runs 18 hours` beside `the X100 runs 12 hours`.
    """
    missing = [anchor for anchor, there in zip(said.anchors, values, strict=True) if not there]
    if 0 < sum(map(is_designation, missing)) < len(missing):
        return True
    return bool(missing) and all(
        anchor.bound or LIMITED.search(said.text[: anchor.start][-LIMIT_WITHIN:]) or is_within(anchor, stated)
        for anchor in missing
    )


def is_of_topic(hit: Credit, claim: Wanted) -> bool:
    """Whether a sentence that shares this much with the statement speaks of the same thing."""
    shared = sum([claim.support_weights[index] * value for index, value in hit.items() if index in claim.topic])
    return claim.topic_weight > 0.0 and shared >= SAME_TOPIC * claim.topic_weight


def is_as_short(place: int, claim: Wanted, evidence: Evidence) -> bool:
    """Whether a sentence says not much more than the statement, by terms and values."""
    size = sum(1 for _ in terms(evidence.text_of(place))) + len(evidence.anchors[place])
    return size <= COMPARABLE * len(claim)


def _same_subject(said: Said, is_held: bool, source: Source) -> bool:
    """Whether a source may speak of what the statement begins with: it says it (`is_held`), or has a pronoun early."""
    return is_held or not said.keys or not PRONOUNS.isdisjoint(source.text.split()[:PRONOUN_WITHIN])


def _same_predicate(said: Said, held: Sequence[float], features: Sequence[float]) -> bool:
    """Whether a source says half of what the statement says of its subject, or another value of a group in its place.

    That a company was founded in one year does not contradict that it was sold in another.
    """
    parts = list(zip(said.keys, held, said.is_name, strict=True))[1:]
    said_of_it = [have for key, have, is_name in parts if not is_name and key not in OPPOSED]
    return not said_of_it or sum(said_of_it) >= len(said_of_it) / 2 or features[OTHER_VALUE] > 0.0
