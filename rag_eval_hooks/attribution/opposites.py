"""Says when a sentence contradicts a statement of the same thing: by negation, by opposite words, by another count."""

import re
from collections.abc import Iterable, Sequence

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.stance import NEGATING, NEGATING_SPACELESS, Stance, excludes
from rag_eval_hooks.attribution.terms import STOPWORDS, plain_terms

__all__ = ["opposes", "recounts", "reverses"]

NEGATION = re.compile(
    rf"\b(?:{'|'.join(NEGATING.split())})\b|n ?'t\b|\b(?:fail(?:s|ed)?|refus(?:es|ed)) to\b|"
    rf"{NEGATING_SPACELESS.pattern}"
)
BETWEEN = frozenset(
    "a an the to of in on at by for with this that it longer more any yet really even ever quite only be been being is "
    "are was were have has had do does did der die das den dem ein eine zu mehr le la les un une de plus el los "
    "más".split()
)
"""Words between a negation and what it negates."""
NEGATES_WITHIN = 40
COUNTED = re.compile(r" ([a-z]{3,30})\b")


def reverses(said: Stance, source: Stance) -> bool:
    """Whether one rises and the other falls, or one says a word of which the other says the opposite."""
    return said.direction * source.direction < 0 or excludes(said, source)


def opposes(said: Stance, source: Stance, said_text: str, source_text: str) -> bool:
    """Whether a sentence says the opposite: one is negated and the other is not, or it is reversed, but not both.

    What is negated must be something that the other says: that samples were tested at no charge does not oppose that
    they were tested.
    """
    is_reversed = reverses(said, source)
    if said.is_negated == source.is_negated:
        return is_reversed
    if is_reversed:  # not permitted, and forbidden
        return False
    return _denies(said_text, source_text) if said.is_negated else _denies(source_text, said_text)


def _denies(text: str, other: str) -> bool:
    """Whether the first content word behind (at the end, before) a negation in a text is one that the other has."""
    stems = set(plain_terms(other, 0, len(other)))
    for match in NEGATION.finditer(text):
        behind = _contents(text, match.end(), match.end() + NEGATES_WITHIN)
        before = _contents(text, max(0, match.start() - NEGATES_WITHIN), match.start())
        if not stems.isdisjoint(behind[:1] or before[-1:]):
            return True
    return False


def _contents(text: str, start: int, end: int) -> list[str]:
    found = plain_terms(text, start, min(end, len(text)))
    return [term for term in found if term not in BETWEEN]


def recounts(said: str, stated: Sequence[Anchor], sources: Iterable[tuple[str, Sequence[Anchor]]]) -> bool:
    """Whether sentences count the same thing differently: 3 goals in 2 games is not 2 goals in 3 games.

    Args:
        said: The statement, folded.
        stated: Its values.
        sources: For each sentence the text it stands in, folded, and the sentence's values, placed in that text.
    """
    counted: dict[str, list[Anchor]] = {}
    for source, given in sources:
        for other in given:
            noun = _noun_behind(source, other)
            if noun:
                counted.setdefault(noun, []).append(other)
    for anchor in stated:
        noun = _noun_behind(said, anchor)
        if noun in counted and not any(fits(anchor, other) for other in counted[noun]):
            return True
    return False


def _noun_behind(text: str, anchor: Anchor) -> str | None:
    """The stem of the word right behind a bare number: what it counts."""
    if anchor.key is not None or anchor.dimension is not None:
        return None
    match = COUNTED.match(text, anchor.end)
    return plain_terms(match.group(1), 0, len(match.group(1)))[0] if match and match.group(1) not in STOPWORDS else None
