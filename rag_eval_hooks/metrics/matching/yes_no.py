"""Reads whether an answer says yes or no."""

import re

from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.stance import stance_of
from rag_eval_hooks.attribution.terms import terms

__all__ = ["is_yes_or_no", "says_yes"]

YES = "yes yeah yep true correct indeed ja jawohl richtig oui vrai si sí verdadero 是 是的 对 對 正确 可以 はい 네 да"
NO = (
    "no nope false incorrect nein falsch non faux 否 不 不是 不对 不正确 错误 不可以 没有 不能 不会 いいえ 아니요 нет "
    "never"
)


def _any_of(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


OPENING = re.compile(
    rf"\W*(?:(?P<no>{_any_of(NO)})|(?P<yes>{_any_of(YES)}))"
    r"(?:(?![^\W\d_])|(?<=[\u3000-\u9fff]))"
)
HEDGED = re.compile(
    r"\W*(?:(?:the )?answer(?: is)?|die antwort(?: ist| lautet)?|la réponse est|la respuesta es|答案是?)\W*"
)
NOT_REALLY = re.compile(
    r"\W*(?:not (?:really|at all|exactly|necessarily)|(?:absolutely|certainly|of course) not|auf keinen fall|keineswegs"
    r"|pas du tout|en absoluto|claro que no)\b"
)
SENTENCE = re.compile(r"[.!?。！？\n]")
ALIKE = 0.5
"""Share of the question's terms from which a sentence answers it by repeating it."""


def is_yes_or_no(text: str) -> bool | None:
    """Returns what a text says that is nothing but yes or no; None for any other.

    >>> is_yes_or_no("No."), is_yes_or_no("是"), is_yes_or_no("Norway")
    (False, True, None)
    """
    folded = fold(text).text.strip(" \n\t.!。\"'")
    match = OPENING.fullmatch(folded)
    return None if match is None else match["yes"] is not None


def says_yes(answer: str, question: str) -> bool | None:
    """Returns whether an answer says yes or no, None where it says neither.

    The word it opens with decides (`Yes, because ...`); else its first sentence, where that repeats the question:
    negated it says no, otherwise yes.

    Args:
        answer: The answer.
        question: What was asked.
    """
    folded = fold(answer).text.lstrip()
    hedge = HEDGED.match(folded)
    folded = folded[hedge.end() :] if hedge else folded
    if NOT_REALLY.match(folded):
        return False
    opening = OPENING.match(folded)
    if opening:
        return opening["yes"] is not None
    end = SENTENCE.search(folded)
    sentence = folded[: end.start()] if end else folded
    asked = {term for term, _, _ in terms(fold(question).text)}
    said = {term for term, _, _ in terms(sentence)}
    if asked and len(asked & said) >= ALIKE * len(asked):
        return stance_of(sentence).is_negated == stance_of(fold(question).text).is_negated
    return None
