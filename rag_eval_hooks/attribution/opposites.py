"""Says when a sentence contradicts a statement of the same thing: by negation, by opposite words, by another count."""

import re
from collections.abc import Sequence

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.stance import Stance, excludes
from rag_eval_hooks.attribution.terms import STOPWORDS, plain_terms

__all__ = ["opposes", "recounts", "reverses"]

COUNTED = re.compile(r" ([a-z]{3,30})\b")


def reverses(said: Stance, source: Stance) -> bool:
    """Whether one rises and the other falls, or one says a word of which the other says the opposite."""
    return said.direction * source.direction < 0 or excludes(said, source)


def opposes(said: Stance, source: Stance) -> bool:
    """Whether a sentence says the opposite: one is negated and the other is not, or it is reversed, but not both."""
    return (said.is_negated != source.is_negated) != reverses(said, source)


def recounts(said: str, stated: Sequence[Anchor], source: str, given: Sequence[Anchor]) -> bool:
    """Whether a sentence counts the same thing differently: 3 goals in 2 games is not 2 goals in 3 games.

    Args:
        said: The statement, folded.
        stated: Its values.
        source: The text the sentence stands in, folded.
        given: The sentence's values, placed in `source`.
    """
    counted: dict[str, list[Anchor]] = {}
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
