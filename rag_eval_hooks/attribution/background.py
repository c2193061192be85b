"""How common a term is: the document frequencies behind idf."""

import math
from collections.abc import Mapping
from functools import cache

from rag_eval_hooks.attribution.terms import SPACELESS_FROM

__all__ = ["RAREST", "Background"]

RAREST = 1 / 2_000
"""Share of passages at and below which a term is as rare as can be: idf 1."""


class Background:
    """Document frequencies of terms, as `plain_terms` gives them; immutable.

    Words and the bigrams of scripts without blanks are counted apart: each term's share is of the passages that hold
    any term of its kind, so that a background of two languages serves a pipeline of one.

    Args:
        counts: In how many passages each term occurs.
        words: Passages that hold a word.
        bigrams: Passages that hold a bigram.
    """

    def __init__(self, counts: Mapping[str, float], *, words: float, bigrams: float) -> None:
        self._counts = dict(counts)
        self._words = words
        self._bigrams = bigrams

    @staticmethod
    def default() -> "Background":
        """Returns the frozen background that comes with the package; loaded on first use, then shared."""
        return _default()

    def idf(self, term: str) -> float:
        """Returns how much a term tells, in [0, 1]: 0 for one in every passage, 1 for one that is rare or unknown.

        idf(t) = min(1, ln(N / n_t) / ln(1 / RAREST)), with n_t of N passages holding t: the inverse document frequency
        of K. Spärck Jones (1972), "A statistical interpretation of term specificity and its application in retrieval",
        and S. Robertson (2004), "Understanding inverse document frequency", on a scale that does not depend on N.
        """
        count = self._counts.get(term, 0.0)
        passages = self._bigrams if term[:1] >= SPACELESS_FROM else self._words
        if count <= 0.0 or passages <= 0.0:
            return 1.0
        return min(1.0, max(0.0, math.log(passages / count) / -math.log(RAREST)))


@cache
def _default() -> Background:
    return Background({}, words=0, bigrams=0)
