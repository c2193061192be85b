"""Says what a statement of the answer wants to have backed: its values and terms, and what each of them weighs."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.evidence import Evidence, anchors_of
from rag_eval_hooks.attribution.fold import Folded
from rag_eval_hooks.attribution.names import is_known_name, names_are_capitals
from rag_eval_hooks.attribution.stance import OPPOSED, direction, stance_of
from rag_eval_hooks.attribution.support import Said
from rag_eval_hooks.attribution.terms import HIRAGANA, asks, plain_terms, terms
from rag_eval_hooks.record.limits import MAX_TERMS

__all__ = ["Query", "Term", "Wanted", "wanted"]


SHORT_WORD_WEIGHT = 0.6
BIGRAM_WEIGHT = 0.5
HIRAGANA_WEIGHT = 0.15
NAME_WEIGHT = 1.5
NUMBER_USE_WEIGHT = 2.0
NUMBER_SUPPORT_WEIGHT = 1.0
QUESTION_DISCOUNT = 0.4
ABSENT_WEIGHT = 0.5


class Query:
    """The question's terms: what an answer repeats from it is no sign of use."""

    def __init__(self, folded: str) -> None:
        self.terms = {term for term, _, _ in terms(folded)}
        self.anchors = anchors_of(folded)

    def holds(self, anchor: Anchor) -> bool:
        """Whether the question states the anchor's value."""
        return any(fits(anchor, other) for other in self.anchors)


class Term(NamedTuple):
    """One thing a statement says."""

    key: str
    anchor: Anchor | None
    support_weight: float
    use_weight: float
    is_name: bool
    is_known: bool = True
    """Whether it is no name, or one that a text or the question has."""
    is_asked: bool = False
    """Whether it is a value that the question gives."""


class Wanted:
    """What a statement says: its values first, then its other terms, known by their index.

    Args:
        found: The values and terms in that order.
        text: The statement, folded.
        background: How common terms are.
        is_cut: Whether it says more, which is left out.
    """

    def __init__(self, found: Sequence[Term], text: str, background: Background, *, is_cut: bool) -> None:
        self.terms = found
        self.is_cut = is_cut
        self.support_weights = [term.support_weight for term in found]
        self.use_weights = [term.use_weight for term in found]
        self.names = frozenset(index for index, term in enumerate(found) if term.is_name)
        anchors = tuple(term.anchor for term in found if term.anchor is not None)
        self.values = len(anchors)
        """How many of the terms are values."""
        words = found[self.values :]
        tokens = tuple(plain_terms(text, 0, len(text)))
        self.said = Said(
            keys=tuple(term.key for term in words),
            importance=tuple(self.support_weights[self.values :]),
            idf=tuple(background.idf(term.key) for term in words),
            is_name=tuple(term.is_name for term in words),
            unknown_names=sum(not term.is_known for term in words[1:]) if names_are_capitals(tokens) else 0,
            tokens=tokens,
            anchors=anchors,
            text=text,
            stance=stance_of(text),
            is_question=asks(text),
        )
        # A word with an opposite may be missing just because its opposite is there.
        self.topic = frozenset(index for index, term in enumerate(found) if term.key not in OPPOSED and not term.anchor)
        """The terms that say what it is about."""
        self.topic_weight = sum(self.support_weights[index] for index in sorted(self.topic))

    def __len__(self) -> int:
        return len(self.terms)


def wanted(
    folded: Folded, original: str, start: int, end: int, query: Query, evidence: Evidence, background: Background
) -> Wanted:
    """Returns what the statement `folded.text[start:end]` says.

    Args:
        folded: The answer, folded.
        original: The answer the folded text comes from, for the capital letters of names.
        start: Where the statement begins in the folded text.
        end: Where it ends.
        query: The question.
        evidence: The chunks: what many of them say tells little of where it comes from.
        background: How common terms are.
    """
    piece = folded.text[start:end]
    anchors = anchors_of(piece)
    found: list[Term] = []
    dated = {anchor.start for anchor in anchors if (anchor.key or "").startswith("day:")}
    for anchor in anchors[:MAX_TERMS]:
        if anchor.start in dated and (anchor.key or "").startswith("month:"):
            continue  # the day says its month
        is_asked = query.holds(anchor)
        use = NUMBER_USE_WEIGHT * (QUESTION_DISCOUNT if is_asked else 1.0)
        found.append(Term("", anchor, NUMBER_SUPPORT_WEIGHT, use, False, is_asked=is_asked))
    inside = [(anchor.start, anchor.end) for anchor in reversed(anchors)]
    seen: set[str] = set()
    is_cut = len(anchors) > MAX_TERMS
    for term, first, last in terms(piece):
        if term in seen or direction(piece[first:last]):
            continue
        if inside:
            while inside and inside[-1][1] <= first:
                inside.pop()
            if inside and inside[-1][0] < last:
                continue
        if len(found) >= MAX_TERMS:
            is_cut = True
            break
        seen.add(term)
        source = start + first if folded.moves is None else folded.span(start + first, start + last)[0]
        is_name = first > 0 and original[source : source + 1].isupper()
        weight = _base_weight(term) * (NAME_WEIGHT if is_name else 1.0)
        in_question = term in query.terms
        frequency = evidence.frequency.get(term, 0)
        is_known = (
            not is_name
            or not query.terms
            or frequency > 0
            or in_question
            or is_known_name(term, piece, first, evidence)
        )
        support = weight * (ABSENT_WEIGHT if frequency == 0 and in_question else 1.0)
        use = weight * (QUESTION_DISCOUNT if in_question else 1.0)
        use *= ABSENT_WEIGHT if frequency == 0 else 1.0 / (1.0 + 0.5 * math.log2(frequency))
        found.append(Term(term, None, support, use, is_name, is_known))
    return Wanted(found, piece, background, is_cut=is_cut)


def _base_weight(term: str) -> float:
    if term[0] >= "\u0e00":
        return HIRAGANA_WEIGHT if HIRAGANA.match(term) else BIGRAM_WEIGHT  # a term is of one script
    return SHORT_WORD_WEIGHT if len(term) < 3 else 1.0
