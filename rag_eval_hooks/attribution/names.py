"""Names that no text knows: which capitals make a name, and whether the texts have it in another form."""

import re
from collections.abc import Iterable, Sequence

from rag_eval_hooks.attribution.evidence import Evidence
from rag_eval_hooks.attribution.related import alternatives

__all__ = ["has_derived", "is_known_name", "names_are_capitals"]

LEAD = re.compile(r"[^:\n]{1,80}:")
"""What a list item begins with; `Less Flexibility:` has capitals that make no name."""
BEGINNING = re.compile(r"(?:^|[:.!?])[\s*_\"'“(]*$")
ROMAN = re.compile(r"[ivxlc]+")
"""A number (World War II) may be written otherwise."""
LOOKED_BACK = 8
"""Characters before a word that tell whether it begins a sentence."""
DERIVED_FROM = 6
"""A name of this length or more may stand in the texts as a derived word: `Italy` for `Italian`, by first letters."""
ROOT = 4
"""First letters that derived words share."""
GERMAN = frozenset(
    "wurde wurden worden vom sich als es er sie ihr sein "
    "der die das den dem des und ist sind wird werden nicht ein eine einer einem einen von mit im zu zum zur für "
    "auf am bei beim nach seit aus wie was wer wo wann welche welcher welchem muss darf kann hat haben man oder "
    "auch".split()
)
"""German writes every noun with a capital."""


def names_are_capitals(tokens: Sequence[str]) -> bool:
    """Returns whether a capital inside a sentence of these words makes a name, as in most languages but German.

    >>> names_are_capitals("the bank is in paris".split()), names_are_capitals("die bank ist in paris".split())
    (True, False)
    """
    return len(GERMAN.intersection(tokens)) < 2


def is_known_name(term: str, statement: str, at: int, evidence: Evidence) -> bool:
    """Returns whether a word with a capital, that stands in no text as it is, may be known to one nevertheless.

    It is a Roman number; it begins a sentence or stands in the lead of a list item, where a capital makes no name; or
    a text has it in another form: a synonym, or a word of the same root (`Italy` for `Italian`).

    Args:
        term: The stem of the word.
        statement: The statement, folded.
        at: Where the word begins in it.
        evidence: The texts.
    """
    if ROMAN.fullmatch(term):
        return True
    lead = LEAD.match(statement)
    if lead is not None and at < lead.end():
        return True
    if BEGINNING.search(statement, max(0, at - LOOKED_BACK), at):
        return True
    folded = [text.text for text in evidence.texts]
    if has_derived(term, folded) or any(form in text for text in folded for form in (term, *alternatives(term))):
        return True
    return len(term) >= DERIVED_FROM and any(term in text.replace(" ", "") for text in folded)  # `Silk Coin`


def has_derived(word: str, texts: Iterable[str]) -> bool:
    """Returns whether a text (in lower case) has a word of the same root as a long name: `italy` for `italian`.

    >>> has_derived("italian", ["in italy"]), has_derived("paris", ["in parma"])
    (True, False)
    """
    return len(word) >= DERIVED_FROM and any(f" {word[:ROOT]}" in f" {text}" for text in texts)
