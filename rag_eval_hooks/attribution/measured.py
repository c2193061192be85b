"""Says when equal numbers measure different things although only one of them has a unit that is known."""

import re
from functools import cached_property

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.terms import STOPWORDS
from rag_eval_hooks.attribution.units import CURRENCIES, SCALES, UNITS

__all__ = ["Measures", "measures_another"]

BEHIND = re.compile(
    r"(?:\.\d+)?[ -]?(?P<word>[^\W\d_\u0e00-\uffff]{2,30}"
    r"|(?![的左右以到至和或多余及是在之上下内中时后前也就都要可])[\u4e00-\u9fff])"
)
"""A word of letters, or a Chinese character that may be a measure word; Korean and Thai words do not end there."""
SIGN_OR_WORD = re.compile(r"[€$£¥%°]|[^\W\d_]+")
SIGNS = {"¥": "money:jpy", "°": "temperature"}
"""What signs say besides what they are as units and currencies."""
BARE = frozenset(["percent", "period"])
"""Dimensions of numbers that tables and years leave without a unit."""
SHORTEST_STEM = 4
"""Letters of a unit's word that are kept at least, when its ending may differ."""


class Measures:
    """A folded text, and what its words say about units; each is looked for once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._has: dict[str, bool] = {}

    def has(self, piece: str) -> bool:
        """Whether a piece stands anywhere in the text."""
        if piece not in self._has:
            self._has[piece] = piece in self.text
        return self._has[piece]

    @cached_property
    def dimensions(self) -> frozenset[str]:
        """What the text has signs or words for: dimensions and currencies."""
        found: set[str | None] = set()
        for word in set(SIGN_OR_WORD.findall(self.text)):
            found |= {SIGNS.get(word), UNITS[word][0] if word in UNITS else None}
            if word in CURRENCIES:
                found.add(f"money:{CURRENCIES[word]}")
        return frozenset(one for one in found if one)


def measures_another(claim: str, claimed: Anchor, source: Measures, stated: Anchor) -> bool:
    """Returns whether a source's number, equal to the claimed one, is of something else than the claim says.

    One has a unit, the other a word in its place: `38 euros` is not stated by `38 dinars`, where the source has no
    word for euros, nor `23 francs` by `23 euros`, where it has no francs. A number alone may be of anything.

    >>> from rag_eval_hooks.attribution.anchors import find_anchors
    >>> said, there = "it costs 38 euros", "an adult pays 38 dinars"
    >>> measures_another(said, find_anchors(said)[0], Measures(there), find_anchors(there)[0])
    True

    Args:
        claim: The text of the claim, folded.
        claimed: Its number.
        source: The text of the source.
        stated: The source's number.
    """
    if claimed.key is not None or stated.key is not None or claimed.dimension == stated.dimension:
        return False
    if claimed.dimension is not None and stated.dimension is None:
        return (
            claimed.dimension not in BARE
            and bool(_word(source.text, stated))
            and claimed.dimension not in source.dimensions
        )
    if claimed.dimension is None and stated.dimension not in BARE:
        word = _word(claim, claimed)
        return word is not None and not source.has(word[: max(SHORTEST_STEM, len(word) - 2)])
    return False


def _word(text: str, number: Anchor) -> str | None:
    """The word right behind a number, where it may be what the number counts."""
    match = BEHIND.match(text, number.end)
    if match is None or match["word"] in STOPWORDS or match["word"] in SCALES:
        return None
    return match["word"]
