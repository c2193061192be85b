"""Says when a sentence contradicts a statement of the same thing: by negation, by opposite words, by another count."""

import re
from collections.abc import Sequence

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.terms import STOPWORDS, direction, is_negation, plain_terms, stem

__all__ = ["OPPOSED", "excludes", "opposes", "recounts"]

COUNTED = re.compile(r" ([a-z]{3,30})\b")

PAIRS = (
    ("before|vor dem|食前|之前", "after|nach dem|食後|之后"),
    ("above|over|more than|über|以上|超过", "below|under|less than|fewer than|unter|以下|低于"),
    ("at least|no less than|mindestens|minimum|至少", "at most|no more than|höchstens|maximum|至多|最多"),
    ("left|linke[rnms]?|links", "right|rechte[rnms]?|rechts"),
    ("open|opens|opened|geöffnet|offen", "closed|closes|shut|geschlossen"),
    (
        "allowed|permitted|legal|erlaubt|gestattet|允许|许可|許可",
        "forbidden|prohibited|banned|illegal|verboten|untersagt|禁止",
    ),
    ("accepted|approved|passed|angenommen|genehmigt", "rejected|declined|denied|refused|abgelehnt"),
    ("inside|indoors?", "outside|outdoors?"),
    ("earliest|first|erste[rnms]?", "latest|last|letzte[rnms]?"),
    ("always|immer|总是", "never|nie|niemals|从不"),
    ("all|every|alle", "some|several|einige"),
    ("hot|warm", "cold|cool"),
    ("true|correct", "false|incorrect"),
    ("win|wins|won", "lose|loses|lost"),
    ("cheaper|cheapest|smaller|smallest|lower|lowest", "dearer|larger|largest|bigger|biggest|higher|highest"),
    ("import|imports|imported", "export|exports|exported"),
)


def _pattern(words: str) -> re.Pattern[str]:
    plain = "|".join(word for word in words.split("|") if word < "\u3000")
    han = [word for word in words.split("|") if word >= "\u3000"]
    return re.compile("|".join([rf"\b(?:{plain})\b", *han]))


SIDES = tuple((_pattern(one), _pattern(other)) for one, other in PAIRS)


OPPOSED = frozenset(stem(word) for pair in PAIRS for side in pair for word in side.split("|") if word.isalpha())
"""The terms of words that have an opposite here."""


def excludes(said: str, source: str) -> bool:
    """Whether a folded text says one word of a pair and only one, and the source only the other.

    >>> excludes("dogs are allowed", "dogs are forbidden"), excludes("open on monday", "open on monday, else closed")
    (True, False)
    """
    for one, other in SIDES:
        mine = (one.search(said) is not None, other.search(said) is not None)
        if mine[0] == mine[1]:
            continue
        theirs = (one.search(source) is not None, other.search(source) is not None)
        if theirs[0] != theirs[1] and mine != theirs:
            return True
    return False


def opposes(said: str, source: str) -> bool:
    """Whether a sentence says the opposite: one is negated and the other is not, one rises and the other falls, ..."""
    reversed_ = direction(said) * direction(source) < 0 or excludes(said, source)
    return (is_negation(said) != is_negation(source)) != reversed_


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
