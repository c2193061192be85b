"""Weighs one statement of the answer against the chunks: how much of it each one states, and what it contradicts."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.evidence import Evidence, anchors_of, word_stream
from rag_eval_hooks.attribution.fold import Folded
from rag_eval_hooks.attribution.opposites import OPPOSED, opposes, recounts
from rag_eval_hooks.attribution.support import (
    CONFLICT_FROM,
    Said,
    Source,
    alternatives,
    is_designation,
    logistic,
    same_slot,
    support_features,
    weigh_support,
)
from rag_eval_hooks.attribution.terms import HIRAGANA, direction, plain_terms, terms
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = ["Backing", "Judgement", "Query", "judge", "other_values"]

MAX_TERMS = 400
MAX_TEXTS = 32
SHORT_WORD_WEIGHT = 0.6
BIGRAM_WEIGHT = 0.5
HIRAGANA_WEIGHT = 0.15
NAME_WEIGHT = 1.5
NUMBER_USE_WEIGHT = 2.0
NUMBER_SUPPORT_WEIGHT = 1.0
QUESTION_DISCOUNT = 0.4
ABSENT_WEIGHT = 0.5
SAME_CREDIT = 0.8
ALIKE_CREDIT = 0.6
EXTRA_SENTENCES = 2
EXTRA_AMONG = 12
EXTRA_MIN = 0.05
EXTRA_CREDIT = 0.85
QUOTED_SUPPORT = 0.99
WEIGHED_FROM = 0.35
UNBACKED_MOST = 0.5
COMPARABLE = 2.5
SAME_TOPIC = 0.7
USE_AT = 0.42
USE_SLOPE = 8.0
MARGIN_SLOPE = 5.0
MARGIN_FREE = 0.08
RIVAL_HAS_NUMBER = 4.0
RIVAL_HAS_NAME = 2.5
RESIDUAL_AT = 0.12
RESIDUAL_MIN = 0.15
RESIDUAL_BONUS = 0.3
JOINT_TEXTS = 4
OVERLAP_SHARE = 0.5
"""Share of a statement from which the same sentence makes two chunks one: less may be a common heading."""
PRONOUNS = frozenset("it he she they his her their its this these".split())
PRONOUN_WITHIN = 8
JOINT_MIN = 0.1
JOINT_CREDIT = 0.95


class Term(NamedTuple):
    """One thing a statement says."""

    key: str
    anchor: Anchor | None
    support_weight: float
    use_weight: float
    is_name: bool


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


class Query:
    """The question's terms: what an answer repeats from it is no sign of use."""

    def __init__(self, folded: str) -> None:
        self.terms = {term for term, _, _ in terms(folded)}
        self.anchors = anchors_of(folded)

    def holds(self, anchor: Anchor) -> bool:
        """Whether the question states the anchor's value."""
        return any(fits(anchor, other) for other in self.anchors)


def judge(
    folded: Folded, original: str, start: int, end: int, query: Query, evidence: Evidence, background: Background
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
    """
    start, end = folded.locate(start, end)
    wanted = _wanted(folded, original, start, end, query, evidence)
    if not wanted:
        return Judgement(0.0, False, (), (), 0)
    hits = _hits(wanted, evidence)
    text = folded.text[start:end]
    stream = word_stream(text)
    said = _said(wanted, text, background)
    gathered = {
        chunk: _gather(sentences, wanted, evidence) for chunk, sentences in _nearest(hits, wanted, evidence).items()
    }
    use = _use(gathered, wanted, evidence)
    shares = {chunk: _weight(credit, wanted) for chunk, (_, credit) in gathered.items()}
    nearest = max(shares, key=lambda chunk: (shares[chunk], -chunk), default=None)
    enough = WEIGHED_FROM * sum(term.support_weight for term in wanted)
    backings = []
    for chunk, (best, credit) in gathered.items():
        support, conflict = 0.0, False
        features: tuple[float, ...] = ()
        if chunk == nearest or shares[chunk] >= enough:
            support, conflict, features = _support(best, credit, hits, wanted, said, evidence)
        if len(credit) == len(wanted) and evidence.is_quoted(stream, chunk):
            support, conflict = max(support, QUOTED_SUPPORT), False
        backings.append(Backing(chunk, support, *use[chunk], conflict, tuple(best), frozenset(credit), features))
    backings.sort(key=lambda backing: (-backing.support, backing.chunk))
    alone = backings[0].support if backings else 0.0
    together = 0.0
    joint: tuple[int, ...] = ()
    if alone < SUPPORTED_FROM:
        together, joint = _together(backings, gathered, hits, wanted, said, evidence)
    support = max(alone, together)
    contradicted = any(backing.conflict for backing in backings)
    return Judgement(
        support,
        contradicted and support < SUPPORTED_FROM,
        tuple(backings),
        joint if together > alone else (),
        len(wanted),
    )


def other_values(question: Folded, original: str, evidence: Evidence, background: Background) -> frozenset[int]:
    """Returns the texts that speak of what the question asks for, but with another year, date, period or version.

    The question asks for 2017 and the text has 2016 in a sentence about the same; a text that also has what was asked
    for is not among them. Counts and amounts are left out: a question may give them for other reasons.

    Args:
        question: The question, folded.
        original: The question as it was.
        evidence: The chunks.
        background: How common terms are.
    """
    wanted = _wanted(question, original, 0, len(original), Query(""), evidence)
    asked = [place for place, term in enumerate(wanted) if term.anchor is not None and is_designation(term.anchor)]
    if not asked:
        return frozenset()
    hits = _hits(wanted, evidence)
    said = _said(wanted, question.text, background)
    found = set()
    for chunk, sentences in _nearest(hits, wanted, evidence).items():
        held = {index for _, terms_held in sentences for index in terms_held}
        best, _ = _gather(sentences, wanted, evidence)
        values = [place in held or place not in asked for place in range(len(said.anchors))]
        if not all(values) and _states_another(_about(best, hits, wanted, evidence), values, said, evidence):
            found.add(chunk)
    return frozenset(found)


def _wanted(folded: Folded, original: str, start: int, end: int, query: Query, evidence: Evidence) -> list[Term]:
    piece = folded.text[start:end]
    anchors = anchors_of(piece)
    wanted: list[Term] = []
    dated = {anchor.start for anchor in anchors if (anchor.key or "").startswith("day:")}
    for anchor in anchors[:MAX_TERMS]:
        if anchor.start in dated and (anchor.key or "").startswith("month:"):
            continue  # the day says its month
        discount = QUESTION_DISCOUNT if query.holds(anchor) else 1.0
        wanted.append(Term("", anchor, NUMBER_SUPPORT_WEIGHT, NUMBER_USE_WEIGHT * discount, False))
    inside = [(anchor.start, anchor.end) for anchor in anchors]
    at = 0
    seen: set[str] = set()
    for term, first, last in terms(piece):
        while at < len(inside) and inside[at][1] <= first:
            at += 1
        if (
            term in seen
            or direction(piece[first:last])
            or (at < len(inside) and inside[at][0] < last and inside[at][1] > first)
        ):
            continue
        seen.add(term)
        source = folded.span(start + first, start + last)[0]
        is_name = first > 0 and original[source : source + 1].isupper()
        weight = _base_weight(term) * (NAME_WEIGHT if is_name else 1.0)
        in_question = term in query.terms
        frequency = evidence.frequency.get(term, 0)
        support = weight * (ABSENT_WEIGHT if frequency == 0 and in_question else 1.0)
        use = weight * (QUESTION_DISCOUNT if in_question else 1.0)
        use *= ABSENT_WEIGHT if frequency == 0 else 1.0 / (1.0 + 0.5 * math.log2(frequency))
        wanted.append(Term(term, None, support, use, is_name))
        if len(wanted) >= MAX_TERMS:
            break
    return wanted


def _base_weight(term: str) -> float:
    if term[0] >= "\u0e00":
        return HIRAGANA_WEIGHT if all(HIRAGANA.match(char) for char in term) else BIGRAM_WEIGHT
    return SHORT_WORD_WEIGHT if len(term) < 3 else 1.0


def _hits(wanted: Sequence[Term], evidence: Evidence) -> dict[int, dict[int, float]]:
    """Returns, for each sentence, which terms it holds and how well."""
    hits: dict[int, dict[int, float]] = {}
    for index, term in enumerate(wanted):
        if term.anchor is not None:
            places, credit = evidence.find_anchor(term.anchor), 1.0
        else:
            places, credit = evidence.find_term(term.key), 1.0
            if not places:
                same = alternatives(term.key)
                places, credit = [place for other in sorted(same) for place in evidence.find_term(other)], SAME_CREDIT
            if not places:
                places, credit = evidence.find_alike(term.key), ALIKE_CREDIT
        for place in places:
            hits.setdefault(place, {})[index] = credit
    return hits


def _by_chunk(hits: dict[int, dict[int, float]], evidence: Evidence) -> dict[int, list[tuple[int, dict[int, float]]]]:
    grouped: dict[int, list[tuple[int, dict[int, float]]]] = {}
    for place in sorted(hits):
        grouped.setdefault(evidence.sentences[place].chunk, []).append((place, hits[place]))
    return grouped


def _nearest(
    hits: dict[int, dict[int, float]], wanted: Sequence[Term], evidence: Evidence
) -> dict[int, list[tuple[int, dict[int, float]]]]:
    """Returns the sentences by text, of the `MAX_TEXTS` texts that share most with the statement in one sentence."""
    grouped = _by_chunk(hits, evidence)
    if len(grouped) <= MAX_TEXTS:
        return grouped
    best = {
        chunk: max(sum(wanted[index].use_weight for index in held) for _, held in sentences)
        for chunk, sentences in grouped.items()
    }
    kept = sorted(sorted(grouped, key=lambda chunk: (-best[chunk], chunk))[:MAX_TEXTS])
    return {chunk: grouped[chunk] for chunk in kept}


def _gather(
    sentences: list[tuple[int, dict[int, float]]], wanted: Sequence[Term], evidence: Evidence
) -> tuple[list[int], dict[int, float]]:
    """Returns a chunk's best sentence and up to `EXTRA_SENTENCES` more that add to it, with the terms they state."""
    weights = [term.use_weight for term in wanted]
    ranked = sorted(sentences, key=lambda item: (-sum(wanted[index].use_weight for index in item[1]), item[0]))
    best = next((item for item in ranked if not evidence.sentences[item[0]].is_question), None)
    if best is None:
        return [], {}
    chosen, credit = [best[0]], dict(best[1])
    for _ in range(EXTRA_SENTENCES):
        if len(credit) == len(wanted):
            break
        extra = max(ranked[:EXTRA_AMONG], key=lambda item: (_gain(item[1], credit, weights), -item[0]))
        if _gain(extra[1], credit, weights) <= EXTRA_MIN:
            break
        chosen.append(extra[0])
        _add(extra[1], credit, EXTRA_CREDIT)
    return chosen, credit


def _said(wanted: Sequence[Term], said: str, background: Background) -> Said:
    words = [term for term in wanted if term.anchor is None]
    return Said(
        keys=tuple(term.key for term in words),
        importance=tuple(term.support_weight for term in words),
        idf=tuple(background.idf(term.key) for term in words),
        is_name=tuple(term.is_name for term in words),
        tokens=tuple(plain_terms(said, 0, len(said))),
        anchors=tuple(term.anchor for term in wanted if term.anchor is not None),
        text=said,
        is_question=said.rstrip(" \n\"'*_)")[-1:] in ("?", "？"),
    )


def _support(
    best: Sequence[int],
    credit: dict[int, float],
    hits: dict[int, dict[int, float]],
    wanted: Sequence[Term],
    said: Said,
    evidence: Evidence,
) -> tuple[float, bool, tuple[float, ...]]:
    """Returns the probability that these sentences back the statement, whether they contradict it, and the features."""
    if not best:
        return 0.0, False, ()
    first_word = len(said.anchors)
    values = [index in credit for index in range(first_word)]
    source = evidence.source(best)
    features = support_features(said, {index - first_word: value for index, value in credit.items()}, values, source)
    support, against = weigh_support(features)
    another, flipped = _contradictions(best, values, hits, wanted, said, evidence)
    if not all(values) or another or flipped:
        support = min(support, UNBACKED_MOST)
    conflict = (_missing_names(credit, wanted) == 0 and (another or flipped)) or (
        against >= CONFLICT_FROM and _same_subject(said, first_word in credit, source)
    )
    return support, conflict, features


def _contradictions(
    best: Sequence[int],
    values: Sequence[bool],
    hits: dict[int, dict[int, float]],
    wanted: Sequence[Term],
    said: Said,
    evidence: Evidence,
) -> tuple[bool, bool]:
    """Whether short sentences about the same thing state another value, and whether they all say the opposite."""
    about = _about(best, hits, wanted, evidence)
    flipped = bool(about) and all(opposes(said.text, evidence.text_of(place)) for place in about)
    another = _states_another(about, values, said, evidence) or any(
        recounts(said.text, said.anchors, evidence.context_of(place), evidence.anchors[place]) for place in about
    )
    return another, flipped


def _about(
    best: Sequence[int], hits: dict[int, dict[int, float]], wanted: Sequence[Term], evidence: Evidence
) -> list[int]:
    """Returns the sentences that speak of what the statement speaks of, and of little else."""
    # A word with an opposite may be missing just because its opposite is there.
    words = [index for index, term in enumerate(wanted) if term.anchor is None and term.key not in OPPOSED]
    total = sum(wanted[index].support_weight for index in words)
    return [
        place
        for place in best
        if total
        and _weight(hits[place], wanted, words) >= SAME_TOPIC * total
        and _length(place, evidence) <= COMPARABLE * len(wanted)
    ]


def _states_another(about: Sequence[int], values: Sequence[bool], said: Said, evidence: Evidence) -> bool:
    """Whether one of the sentences has another value in the place of one that is missing."""
    return any(
        same_slot(anchor, other) and not any(fits(one, other) for one in said.anchors)
        for anchor, there in zip(said.anchors, values, strict=True)
        if not there
        for place in about
        for other in evidence.anchors[place]
    )


def _same_subject(said: Said, is_held: bool, source: Source) -> bool:
    """Whether a source may speak of what the statement begins with: it says it (`is_held`), or has a pronoun early."""
    return is_held or not said.keys or not PRONOUNS.isdisjoint(source.text.split()[:PRONOUN_WITHIN])


def _missing_names(credit: dict[int, float], wanted: Sequence[Term]) -> float:
    names = [index for index, term in enumerate(wanted) if term.is_name]
    return sum(index not in credit for index in names) / len(names) if names else 0.0


def _length(place: int, evidence: Evidence) -> int:
    """How much a sentence says: its terms and anchors."""
    return sum(1 for _ in terms(evidence.text_of(place))) + len(evidence.anchors[place])


def _use(
    gathered: dict[int, tuple[list[int], dict[int, float]]], wanted: Sequence[Term], evidence: Evidence
) -> dict[int, tuple[float, float, float]]:
    """Returns, for each chunk, how strongly the statement points to it, and its unique and divided shares.

    Chunks that overlap, so that the same sentence is what each has for the statement, are no rivals: they share the
    verdict of the one that has most.
    """
    weights = [term.use_weight for term in wanted]
    enough = OVERLAP_SHARE * sum(weights)
    key_of: dict[int, str] = {}
    leaders: dict[str, int] = {}
    for chunk, (places, credit) in gathered.items():
        worth = _worth(credit, weights)
        key_of[chunk] = "".join(evidence.text_of(places[0]).split()) if worth >= enough else str(chunk)
        leader = leaders.setdefault(key_of[chunk], chunk)
        if worth > _worth(gathered[leader][1], weights):
            leaders[key_of[chunk]] = chunk
    found = _use_of_rivals({chunk: gathered[chunk] for chunk in sorted(leaders.values())}, wanted)
    return {chunk: found[leaders[key]] for chunk, key in key_of.items()}


def _worth(credit: dict[int, float], weights: Sequence[float]) -> float:
    return sum(weights[index] * value for index, value in credit.items())


def _use_of_rivals(
    gathered: dict[int, tuple[list[int], dict[int, float]]], wanted: Sequence[Term]
) -> dict[int, tuple[float, float, float]]:
    weights = [term.use_weight for term in wanted]
    total = sum(weights)
    share = {chunk: _worth(credit, weights) / total for chunk, (_, credit) in gathered.items()}
    ranked = sorted(share, key=lambda chunk: (-share[chunk], chunk))
    holders = Counter(index for _, credit in gathered.values() for index in credit)
    result: dict[int, tuple[float, float, float]] = {}
    told: dict[int, float] = {}
    for place, chunk in enumerate(ranked):
        credit = gathered[chunk][1]
        if not credit:
            result[chunk] = (logistic(-USE_SLOPE * USE_AT), 0.0, 0.0)
            continue
        rivals = ranked[:place] or ranked[1:2]
        margin = share[chunk] - max((share[rival] for rival in rivals), default=0.0)
        score = USE_SLOPE * (share[chunk] - USE_AT) + MARGIN_SLOPE * min(0.0, margin + MARGIN_FREE)
        elsewhere = {index for rival in ranked[:place] for index in gathered[rival][1]}
        lacking = [wanted[index] for index in elsewhere if index not in credit]
        if any(term.anchor is not None for term in lacking):
            score -= RIVAL_HAS_NUMBER
        elif any(term.is_name for term in lacking):
            score -= RIVAL_HAS_NAME
        if place:
            added = _gain(credit, told, weights) / total
            if added >= RESIDUAL_MIN:
                score = max(score, USE_SLOPE * (added - RESIDUAL_AT) + RESIDUAL_BONUS)
        parts = [(weights[index] * value, holders[index]) for index, value in credit.items()]
        unique = sum(weight for weight, count in parts if count == 1) / total
        divided = sum(weight / count for weight, count in parts) / total
        result[chunk] = (logistic(score), unique, divided)
        if score >= 0:
            _add(credit, told)
    return result


def _together(
    backings: Sequence[Backing],
    gathered: dict[int, tuple[list[int], dict[int, float]]],
    hits: dict[int, dict[int, float]],
    wanted: Sequence[Term],
    said: Said,
    evidence: Evidence,
) -> tuple[float, tuple[int, ...]]:
    """Returns the probability that several texts back the statement together, and which ones it takes."""
    pool = [backing.chunk for backing in backings if backing.covered and not backing.conflict]
    weights = [term.support_weight for term in wanted]
    credit: dict[int, float] = {}
    chosen: list[int] = []
    for _ in range(min(JOINT_TEXTS, len(pool))):
        gains = {chunk: _gain(gathered[chunk][1], credit, weights) for chunk in pool}
        best = max(pool, key=lambda chunk: (gains[chunk], -chunk))
        if gains[best] < JOINT_MIN * sum(weights):
            break
        chosen.append(best)
        _add(gathered[best][1], credit, 1.0 if len(chosen) == 1 else JOINT_CREDIT)
    if len(chosen) < 2:
        return 0.0, ()
    sentences = [place for chunk in chosen for place in gathered[chunk][0]]
    return _support(sentences, credit, hits, wanted, said, evidence)[0], tuple(chosen)


def _add(credit: dict[int, float], known: dict[int, float], factor: float = 1.0) -> None:
    """Adds terms to those already known; the better of two credits counts."""
    for index, value in credit.items():
        known[index] = max(known.get(index, 0.0), value * factor)


def _gain(credit: dict[int, float], known: dict[int, float], weights: Sequence[float]) -> float:
    """What these terms add to those already known, by weight."""
    return sum(weights[index] * max(0.0, value - known.get(index, 0.0)) for index, value in credit.items())


def _weight(credit: dict[int, float], wanted: Sequence[Term], among: Iterable[int] | None = None) -> float:
    indices = credit if among is None else among
    return sum(wanted[index].support_weight * credit.get(index, 0.0) for index in indices)
