"""Weighs one statement of the answer against the chunks: how much of it each one states and backs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.contradict import contradicts, speaks_against
from rag_eval_hooks.attribution.crossed import crossed_values
from rag_eval_hooks.attribution.evidence import Evidence, word_stream
from rag_eval_hooks.attribution.fold import Folded
from rag_eval_hooks.attribution.overlap import Credit, Hits, Overlap, add, find_hits, gain, overlaps
from rag_eval_hooks.attribution.rivals import NOWHERE, pointers
from rag_eval_hooks.attribution.support import support_features, support_model
from rag_eval_hooks.attribution.wanted import Query, Wanted, wanted
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = ["Backing", "Judgement", "Query", "judge"]

QUOTED_SUPPORT = 0.99
"""Support of a statement that a text has word for word."""
WEIGHED_FROM = 0.35
UNKNOWN_NAME_MOST = 0.25
"""Support at most of a statement with a name that no text and no question knows: unsupported."""
UNBACKED_MOST = 0.28
"""Support at most where a value is stated by no text, or a text speaks against the statement: unsupported."""
JOINT_TEXTS = 4
"""Texts that may back a statement together."""
JOINT_MIN = 0.1
"""Share of the statement's weight that each further one of them must add."""
JOINT_CREDIT = 0.95
"""Factor for what further texts add, which may speak of something else."""


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
    cut: tuple[str, ...] = ()
    """Words of `LIMITS` for what was left out."""


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
    found, leaves_texts_out = overlaps(hits, claim, evidence)
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
        ("statement_cut",) * claim.is_cut + ("texts_cut",) * leaves_texts_out,
    )


def _support(
    sentences: Sequence[int], credit: Credit, hits: Hits, claim: Wanted, evidence: Evidence
) -> tuple[float, bool, tuple[float, ...]]:
    """Returns the probability that these sentences back the statement, whether they contradict it, and the features."""
    if not sentences:
        return 0.0, False, ()
    said, first_word = claim.said, claim.values
    crossed = _crossed(sentences, credit, hits, claim, evidence)
    values = [index in credit and index not in crossed for index in range(first_word)]
    held = [credit.get(index, 0.0) for index in range(first_word, len(claim))]
    source = evidence.source(sentences)
    # A value that is stated has no other in its place, and texts are only searched for values where it takes them.
    stated = [] if all(values) else [anchor for place in sentences for anchor in evidence.anchors[place]]
    features = support_features(said, held, values, source, stated)
    support = support_model().probability(features)
    against = speaks_against(sentences, values, hits, claim, evidence)
    if against or not all(values):
        support = min(support, UNBACKED_MOST)
    if said.unknown_names and not said.stance.denies:
        support = min(support, UNKNOWN_NAME_MOST)
    conflict = contradicts(claim, credit, values, source, features, stated, against=against)
    return support, conflict, features


def _crossed(sentences: Sequence[int], credit: Credit, hits: Hits, claim: Wanted, evidence: Evidence) -> frozenset[int]:
    """Returns the values that the sentences' text only states in other rows of a table; where it is one text."""
    chunks = {evidence.sentences[place].chunk for place in sentences}
    if len(chunks) > 1 or sum(index < claim.values for index in credit) < 2:
        return frozenset()
    places = [place for place in hits if evidence.sentences[place].chunk in chunks]
    return crossed_values(claim, hits, evidence, places)


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
