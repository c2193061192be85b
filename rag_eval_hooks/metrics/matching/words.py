"""Compares two texts by their words, as SQuAD does."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

from rag_eval_hooks.attribution.terms import SPACELESS

__all__ = ["denied", "holds", "token_f1", "tokens_of"]

ARTICLE = re.compile(r"\b(?:a|an|the)\b")
LETTER = re.compile(f"([{SPACELESS}])")
"""One character of a script that writes no blanks."""
ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
NEGATING = frozenset(
    "not no never isnt wasnt arent werent doesnt didnt neither nor nicht kein keine keinen pas jamais non nunca "
    "不 非 没 未".split()
)
BETWEEN = frozenset("in at on of to by de la le en bei um von aus 是".split())
"""What may stand between a negation and what it denies."""
MAX_PLACES = 1_000
"""Places of the right answer's first word that are looked at."""


def token_f1(answer: str, right: str) -> float:
    """Returns the F1 of two texts' words, as SQuAD counts them; 1 where neither has a word.

    >>> token_f1("The cat sat.", "a cat sat down")  # P = 2/2, R = 2/3
    0.8
    """
    mine, theirs = Counter(tokens_of(answer)), Counter(tokens_of(right))
    if not mine or not theirs:
        return float(mine == theirs)
    common = (mine & theirs).total()
    precision, recall = common / mine.total(), common / theirs.total()
    return 2 * precision * recall / (precision + recall) if common else 0.0


def tokens_of(text: str) -> list[str]:
    """Returns the words of a text: lower case, without punctuation and articles; spaceless scripts by character."""
    lowered = text.lower().translate(ASCII_PUNCTUATION)
    if not lowered.isascii():
        folded = unicodedata.normalize("NFKC", lowered).translate(ASCII_PUNCTUATION)
        kept = "".join(char for char in folded if not unicodedata.category(char).startswith("P"))
        lowered = LETTER.sub(r" \1 ", kept)
    return ARTICLE.sub(" ", lowered).split()


def holds(answer: Sequence[str], right: Sequence[str]) -> bool:
    """Whether some words stand in others, in a row.

    >>> holds("in new york city".split(), "new york".split())
    True
    """
    return bool(right) and any(True for _ in _places(answer, right))


def denied(answer: str, right: str) -> bool:
    """Whether every place where the answer has the right one's words has a negation right before it: `not Paris`."""
    mine, theirs = tokens_of(answer), tokens_of(right)
    found = list(_places(mine, theirs)) if theirs else []
    return (
        bool(found)
        and NEGATING.isdisjoint(theirs)
        and all(
            mine[at - 1 : at]
            and (mine[at - 1] in NEGATING or (mine[at - 1] in BETWEEN and mine[max(0, at - 2)] in NEGATING))
            for at in found
        )
    )


def _places(answer: Sequence[str], right: Sequence[str]) -> list[int]:
    first = right[0]
    starts = [at for at, word in enumerate(answer) if word == first][:MAX_PLACES]
    return [at for at in starts if list(answer[at : at + len(right)]) == list(right)]
