"""The short way for most numbers: plain digits, perhaps with decimals, a percent sign or one well-known unit."""

import re

from rag_eval_hooks.attribution.anchors.anchor import Anchor
from rag_eval_hooks.attribution.anchors.measures import FIRST_WORDS
from rag_eval_hooks.attribution.units import CURRENCIES, UNITS

__all__ = ["SPECIAL_WORDS", "read_plain"]

SPECIAL_WORDS: set[str] = {"x", "of", "de"}
"""Words behind a number that make more of it than this file knows; filled by those who know them."""
_end = r"(?![a-z0-9/'\u00b5-\u024f-])"
PLAIN = re.compile(
    r"([0-9]{1,9}(?:\.([0-9]{1,2}))?)"
    rf"(?:%(?![a-z])| (?:(?:working|business|calendar|full) )?([a-z]+){_end}|-([a-z]{{2,}}){_end}"
    r"|(?=[,;:)\n](?![0-9 ]?[0-9])|\.(?:\n|$)|$)|(?=\. ([^\W\d_]+)))"
)
SLACK = {1: 0.05, 2: 0.005}


def _one_word_units() -> dict[str, tuple[str, float]]:
    known = {name: (f"money:{code}", 1.0) for name, code in CURRENCIES.items()} | UNITS
    begins_longer = {re.split(r"[ /-]", name)[0] for name in known if not name.isalpha()}
    other = {"m", "s", "pounds", "fahrenheit"} | begins_longer
    return {name: measure for name, measure in known.items() if name.isascii() and name.isalpha() and name not in other}


ONE_WORD = _one_word_units()
NOT_SO_PLAIN = FIRST_WORDS - ONE_WORD.keys()


def read_plain(text: str, at: int) -> Anchor | None:
    """Returns the number at `at` if nothing around it could make it special; what stands before it is not looked at."""
    match = PLAIN.match(text, at)
    if match is None:
        return None
    digits, decimals, spaced, dashed, after_stop = match.groups()
    slack = SLACK[len(decimals)] if decimals else 0.5
    word = spaced or dashed
    if word:
        if word in SPECIAL_WORDS or word in NOT_SO_PLAIN:
            return None
        if word in ONE_WORD:
            return Anchor(at, match.end(), None, (float(digits),), slack, *ONE_WORD[word])
    elif after_stop in SPECIAL_WORDS:
        return None
    elif text[match.end() - 1] == "%":
        return Anchor(at, match.end(), None, (float(digits),), slack, "percent", 0.01)
    return Anchor(at, at + len(digits), None, (float(digits),), slack if decimals else 0.0, None, 1.0, digits)
