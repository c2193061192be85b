"""Weighs one statement of the answer against the chunks: how much of it each one states, and what it contradicts."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.evidence import Evidence, word_stream
from rag_eval_hooks.attribution.fold import Folded
from rag_eval_hooks.attribution.opposites import opposes, recounts
from rag_eval_hooks.attribution.overlap import Credit, Hits, Overlap, add, find_hits, gain, overlaps
from rag_eval_hooks.attribution.rivals import NOWHERE, pointers
from rag_eval_hooks.attribution.stance import OPPOSED, excludes
from rag_eval_hooks.attribution.support import (
    CONFLICT_FROM,
    FEATURES,
    Said,
    Source,
    conflict_probability,
    is_designation,
    same_slot,
    spans,
    support_features,
    support_probability,
)
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.attribution.wanted import Query, Wanted, wanted
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = ["Backing", "Judgement", "Query", "is_as_short", "is_of_topic", "judge", "states_another"]

QUOTED_SUPPORT = 0.99
WEIGHED_FROM = 0.35
UNKNOWN_NAME_MOST = 0.25
UNBACKED_MOST = 0.28
COMPARABLE = 2.5
SAME_TOPIC = 0.7
JOINT_TEXTS = 4
JOINT_MIN = 0.1
JOINT_CREDIT = 0.95
PRONOUNS = frozenset("it he she they his her their its this these".split())
PRONOUN_WITHIN = 8
SAID_OF_IT = 0.8
LIMIT_WITHIN = 24
LIMITED = re.compile(
    r"(?:before|after|since|until|by|within|prior to|later than|earlier than|more than|less than|fewer than|over|under|"
    r"vor|nach|seit|bis|über|unter|mehr als|weniger als|avant|après|depuis|antes de|desde|hasta)(?: the(?: year)?)? $"
)
OTHER_VALUE = FEATURES.index("other_value")


class Backing(NamedTuple):
    """What one distinct text gives for a statement."""

    chunk: int
    """Index of the distinct text."""
    support: float
    """Probability that it backs the statement alone."""
    use: float
    """How strongly the statement points to it, in [0, 1]: overlap, margin over rivals, values and names they have."""
    unique: float
    """Share of the statement that it alone states, in [0, 1]."""
    divided: float
    """Share of the statement it states, each term divided among the texts that state it, in [0, 1]."""
    conflict: bool
    """Whether it states another value in the same place."""
    sentences: tuple[int, ...]
    """The sentences behind it, best first."""
    covered: frozenset[int]
    """Indices of the statement's terms it states."""
    features: tuple[float, ...]
    """What its support was weighed by, in the order of `support.FEATURES`; empty where it was not weighed."""


class Judgement(NamedTuple):
    """What all texts give for a statement."""

    support: float
    """Probability that the texts, alone or together, back the statement."""
    conflict: bool
    """Whether a text contradicts it and none backs it."""
    backings: tuple[Backing, ...]
    """One per text that states anything of it, strongest support first."""
    joint: tuple[int, ...]
    """The texts that back it together, where none does alone."""
    size: int
    """How many terms and values it has."""


def judge(
    folded: Folded,
    original: str,
    start: int,
    end: int,
    query: Query,
    evidence: Evidence,
    background: Background,
    *,
    only_alone: bool = False,
) -> Judgement:
    """Weighs the statement `original[start:end]` against all texts.

    Args:
        folded: The answer, folded, with citation marks blanked out.
        original: The answer the folded text comes from, citation marks blanked out, too.
        start: Where the statement begins in the answer.
        end: Where it ends.
        query: The question.
        evidence: The chunks.
        background: How common terms are.
        only_alone: Whether it is enough to know what each text alone backs and contradicts; then nothing points to a
            text, and none back the statement together.
    """
    claim = wanted(folded, original, *folded.locate(start, end), query, evidence, background)
    if not claim:
        return Judgement(0.0, False, (), (), 0)
    hits = find_hits(claim, evidence)
    found = overlaps(hits, claim, evidence)
    pointed = {} if only_alone else pointers(found, claim, evidence)
    weights = claim.support_weights
    shares = {chunk: gain(overlap.credit, {}, weights) for chunk, overlap in found.items()}
    nearest = max(shares, key=lambda chunk: (shares[chunk], -chunk), default=None)
    enough = WEIGHED_FROM * sum(weights)
    backings = []
    for chunk, (sentences, credit) in found.items():
        support, conflict = 0.0, False
        features: tuple[float, ...] = ()
        if chunk == nearest or shares[chunk] >= enough:
            support, conflict, features = _support(sentences, credit, hits, claim, evidence)
        if len(credit) == len(claim) and evidence.is_quoted(word_stream(claim.said.text), chunk):
            support, conflict = max(support, QUOTED_SUPPORT), False
        use, unique, divided = pointed.get(chunk, NOWHERE)
        backings.append(
            Backing(chunk, support, use, unique, divided, conflict, tuple(sentences), frozenset(credit), features)
        )
    backings.sort(key=lambda backing: (-backing.support, backing.chunk))
    alone = backings[0].support if backings else 0.0
    together = 0.0
    joint: tuple[int, ...] = ()
    if alone < SUPPORTED_FROM and not only_alone:
        together, joint = _together(backings, found, hits, claim, evidence)
    support = max(alone, together)
    contradicted = any(backing.conflict for backing in backings)
    return Judgement(
        support,
        contradicted and support < SUPPORTED_FROM,
        tuple(backings),
        joint if together > alone else (),
        len(claim),
    )


def _support(
    sentences: Sequence[int], credit: Credit, hits: Hits, claim: Wanted, evidence: Evidence
) -> tuple[float, bool, tuple[float, ...]]:
    """Returns the probability that these sentences back the statement, whether they contradict it, and the features."""
    if not sentences:
        return 0.0, False, ()
    said, first_word = claim.said, claim.values
    values = [index in credit for index in range(first_word)]
    held = [credit.get(index, 0.0) for index in range(first_word, len(claim))]
    source = evidence.source(sentences)
    # A value that is stated has no other in its place, and texts are only searched for values where it takes them.
    stated = [] if all(values) else [anchor for place in sentences for anchor in evidence.anchors[place]]
    features = support_features(said, held, values, source, stated)
    support = support_probability(features)
    another, flipped = _contradictions(sentences, values, hits, claim, evidence)
    if not all(values) or another or flipped:
        support = min(support, UNBACKED_MOST)
    if said.unknown_names and not said.stance.denies:
        support = min(support, UNKNOWN_NAME_MOST)
    denies_other = said.stance.denies and not source.stance.denies and sum(held) < SAID_OF_IT * len(held)
    conflict = (
        not _is_excused(said, values, stated)
        and _same_predicate(said, held, features)
        and (
            ((another or flipped) and claim.names <= credit.keys())
            or (
                _same_subject(said, first_word in credit, source)
                and not denies_other  # that it is not in Paris is not contradicted by where it is
                and not (said.stance.denies != source.stance.denies and excludes(said.stance, source.stance))
                and conflict_probability(features) >= CONFLICT_FROM
            )
        )
    )
    return support, conflict, features


def _contradictions(
    sentences: Sequence[int], values: Sequence[bool], hits: Hits, claim: Wanted, evidence: Evidence
) -> tuple[bool, bool]:
    """Whether short sentences about the same thing state another value, and whether they all say the opposite."""
    said = claim.said
    near = [place for place in sentences if is_of_topic(hits[place], claim)]
    opposed = {
        place
        for place in near
        if opposes(said.stance, evidence.source([place]).stance, said.text, evidence.text_of(place))
    }
    if not opposed and not said.anchors:
        return False, False
    about = [place for place in near if is_as_short(place, claim, evidence)]
    flipped = bool(about) and opposed.issuperset(about)
    another = states_another(about, values, said, evidence) or (
        bool(said.anchors)
        and recounts(
            said.text, said.anchors, ((evidence.context_of(place), evidence.anchors[place]) for place in about)
        )
    )
    return another, flipped


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
        anchor.bound or LIMITED.search(said.text[: anchor.start][-LIMIT_WITHIN:]) or spans(stated, anchor)
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


def _together(
    backings: Sequence[Backing], found: Mapping[int, Overlap], hits: Hits, claim: Wanted, evidence: Evidence
) -> tuple[float, tuple[int, ...]]:
    """Returns the probability that several texts back the statement together, and which ones it takes."""
    stated = frozenset().union(*(backing.covered for backing in backings))
    # A text with another value in place of one that a second text states does not contradict, it says its part.
    is_divided = claim.values > 1 and stated.issuperset(range(claim.values))
    pool = [backing.chunk for backing in backings if backing.covered and (is_divided or not backing.conflict)]
    weights = claim.support_weights
    least = JOINT_MIN * sum(weights)
    credit: Credit = {}
    chosen: list[int] = []
    for _ in range(min(JOINT_TEXTS, len(pool))):
        gains = {chunk: gain(found[chunk].credit, credit, weights) for chunk in pool}
        best = max(pool, key=lambda chunk: (gains[chunk], -chunk))
        if gains[best] < least:
            break
        chosen.append(best)
        add(found[best].credit, credit, 1.0 if len(chosen) == 1 else JOINT_CREDIT)
    if len(chosen) < 2:
        return 0.0, ()
    sentences = [place for chunk in chosen for place in found[chunk].sentences]
    return _support(sentences, credit, hits, claim, evidence)[0], tuple(chosen)
