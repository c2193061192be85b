"""How well an answer matches one right answer, by the kind of the right one."""

from rag_eval_hooks.attribution.claims import blank
from rag_eval_hooks.metrics.matching.listed import items_of, list_match
from rag_eval_hooks.metrics.matching.values import Valued
from rag_eval_hooks.metrics.matching.words import denied, holds, token_f1, tokens_of
from rag_eval_hooks.metrics.matching.yes_no import is_yes_or_no, says_yes
from rag_eval_hooks.record import Attribution

__all__ = ["match", "states", "without_marks"]


def match(answer: str, right: str, question: str) -> float:
    """Returns how well an answer matches a right one, in [0, 1].

    Args:
        answer: The answer, without citation marks.
        right: The right answer, not blank.
        question: What was asked: it tells what a bare sentence says yes or no to.
    """
    polarity = is_yes_or_no(right)
    if polarity is not None:
        return float(says_yes(answer, question) is polarity)
    items = items_of(right)
    if items:
        return list_match(answer, items)
    mine, theirs = Valued(answer), Valued(right)
    stated = mine.states(theirs)
    if stated is not None:
        beside = theirs.terms(without_values=True)
        if not beside or (stated and beside <= mine.terms(without_values=False)):
            return stated / mine.contradictions(theirs) if stated else 0.0
    return 0.0 if denied(answer, right) else token_f1(answer, right)


def states(text: str, right: str) -> bool:
    """Returns whether a text gives a right answer somewhere: all its values with its words, its words in a row, or all
    items of a list. A right answer that is a yes or a no is stated by no text.

    >>> states("The mast is 31.4 metres tall.", "31 m"), states("It lies in Paris.", "Paris"), states("Lyon", "Paris")
    (True, True, False)
    """
    if is_yes_or_no(right) is not None:
        return False
    items = items_of(right)
    if items and all(states(text, item) for item in items):
        return True
    mine, theirs = Valued(text), Valued(right)
    stated = mine.states(theirs)
    if stated is None:
        return holds(tokens_of(text), tokens_of(right))
    return stated and theirs.terms(without_values=True) <= mine.terms(without_values=False)


def without_marks(answer: str, attribution: Attribution) -> str:
    """Returns an answer with its citation marks blanked out, which are no words of it."""
    return blank(answer, sorted({citation.span for citation in attribution.citations}))
