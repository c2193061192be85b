"""Says when equal numbers measure different things although only one of them has a unit that is known."""

import re
from functools import lru_cache

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.terms import STOPWORDS
from rag_eval_hooks.attribution.units import CURRENCIES, SCALES, UNITS

__all__ = ["measures_another"]

BEHIND = re.compile(
    r"(?:\.\d+)?[ -]?(?P<word>[^\W\d_\u0e00-\uffff]{2,30}"
    r"|(?![的左右以到至和或多余及是在之上下内中时后前也就都要可])[\u4e00-\u9fff])"
)
"""A word of letters, or a Chinese character that may be a measure word; Korean and Thai words do not end there."""
SIGN_OR_WORD = re.compile(r"[€$£¥%°]|[^\W\d_]+")
SIGNS = {"€": "money:eur", "$": "money:usd", "£": "money:gbp", "¥": "money:jpy", "%": "percent", "°": "temperature"}
BARE = frozenset(["percent", "period"])
"""Dimensions of numbers that tables and years leave without a unit."""
SHORTEST_STEM = 4
"""Letters of a unit's word that are kept at least, when its ending may differ."""


def measures_another(claim: str, claimed: Anchor, source: str, stated: Anchor) -> bool:
    """Returns whether a source's number, equal to the claimed one, is of something else than the claim says.

    One has a unit, the other a word in its place: `38 euros` is not stated by `38 dinars`, where the source has no
    word for euros, nor `23 francs` by `23 euros`, where it has no francs. A number alone may be of anything.

    >>> from rag_eval_hooks.attribution.anchors import find_anchors
    >>> said, there = "it costs 38 euros", "an adult pays 38 dinars"
    >>> measures_another(said, find_anchors(said)[0], there, find_anchors(there)[0])
    True

    Args:
        claim: The text of the claim, folded.
        claimed: Its number.
        source: The text of the source, folded.
        stated: The source's number.
    """
    if claimed.key is not None or stated.key is not None or claimed.dimension == stated.dimension:
        return False
    if claimed.dimension is not None and stated.dimension is None:
        return claimed.dimension not in BARE and bool(_word(source, stated)) and not _has(source, claimed.dimension)
    if claimed.dimension is None and stated.dimension not in BARE:
        word = _word(claim, claimed)
        return word is not None and word[: max(SHORTEST_STEM, len(word) - 2)] not in source
    return False


def _word(text: str, number: Anchor) -> str | None:
    """The word right behind a number, where it may be what the number counts."""
    match = BEHIND.match(text, number.end)
    if match is None or match["word"] in STOPWORDS or match["word"] in SCALES:
        return None
    return match["word"]


@lru_cache(maxsize=256)
def _has(text: str, dimension: str) -> bool:
    """Whether a text has a sign or word for a unit of a dimension, or for a currency."""
    for word in set(SIGN_OR_WORD.findall(text)):
        if SIGNS.get(word) == dimension or UNITS.get(word, ("", 0.0))[0] == dimension:
            return True
        if word in CURRENCIES and f"money:{CURRENCIES[word]}" == dimension:
            return True
    return False
