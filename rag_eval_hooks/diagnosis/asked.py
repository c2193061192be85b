"""What the question asks about by name, year or version, and no text has."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from rag_eval_hooks.attribution.names import has_derived, names_are_capitals
from rag_eval_hooks.attribution.slots import is_designation
from rag_eval_hooks.attribution.terms import plain_terms
from rag_eval_hooks.metrics.question_anchors import MAX_QUESTION, AnchorText, question_anchors

__all__ = ["unmet"]

WORD = re.compile(r"[^\W\d_][\w'’-]*")
NUMBERED = re.compile(r"\b([A-ZÀ-Þ][\w'’-]*) (\d+(?:\.\d+)*)(?![\w%])")
YEAR = re.compile(r"1\d{3}|2[01]\d\d")
SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[？。！])|\n")
MISSPELT = 0.84
"""Similarity (difflib's ratio) from which two names are one, misspelt: `Nasolind` and `Nasolynd`."""
SHORTEST_TYPO = 5
"""Letters; shorter names that differ in one are two names."""
MAX_TEXT = 100_000
"""Characters of a text in which what the question names is looked for."""
HAN = re.compile("[㐀-䶿一-鿿]{3,}")
GRAMMAR = re.compile("[的是在了和与有为吗呢哪几多少什么谁何怎每平均共年月日一二三四五六七八九十百千万亿]")


def unmet(question: str, answer: str, texts: Sequence[str]) -> list[str]:
    """Returns the names, years, dates, versions and codes of a question that none of the texts has, folded.

    Counts and amounts are left out: a question gives them for other reasons. So are names that a text has in part,
    derived or misspelt. Where capitals make no names, in German and Chinese, a name is a word of the question that the
    answer repeats: what only asks, or is put in other words, it does not.

    >>> unmet("What did Acme earn in 2021?", "It earned 5 million.", ["Acme earned 5 million in 2020."])
    ['2021']
    >>> unmet("Did the Italian factory open?", "Yes.", ["The factory in Italy opened."])
    []
    >>> unmet("澜海科技的收入是多少？", "澜海科技的收入是5亿元。", ["北辰科技的收入是5亿元。"])
    ['澜海科']
    """
    question = _asking(question)
    texts = [text[:MAX_TEXT] for text in texts]
    asks_by_capitals = names_are_capitals(plain_terms(question.lower(), 0, len(question)))
    lowered = [text.lower() for text in texts]
    left = [
        one
        for one in question_anchors(question)
        if not any(one.words in text for text in lowered)
        and (any(map(is_designation, one.values)) if one.kind == "value" else one.kind == "name")
    ]
    if left:
        read = [AnchorText(text) for text in texts]
        left = [one for one in left if not any(text.states(one) for text in read)]
    found = [one.words for one in left if one.kind == "value"]
    for one in left:
        if one.kind == "name" and not _is_known(one.words.split(), texts, lowered):
            found += [one.words] if asks_by_capitals else _repeated(one.words.split(), answer, lowered)
    return [*found, *_numbered(question, lowered), *_han(question, answer, texts)]


def _asking(question: str) -> str:
    """Returns the sentences with a question mark, where there are any: who asks and why is no part of what is asked."""
    asking = [part for part in SENTENCE.split(question) if part.rstrip().endswith(("?", "？"))]
    return " ".join(asking) or question


def _numbered(question: str, lowered: Sequence[str]) -> list[str]:
    """Returns names with a number (`Filebarn 7`) of which the texts have the name with other numbers only."""
    found = []
    for one in NUMBERED.finditer(question[:MAX_QUESTION]):
        name, number = one[1].lower(), one[2]
        stated = re.compile(rf"\b{re.escape(name)} (\d+(?:\.\d+)*)")
        numbers = {match[1] for text in lowered for match in stated.finditer(text)}
        if numbers and number not in numbers and not YEAR.fullmatch(number):
            found.append(f"{name} {number}")
    return found


def _repeated(name: Sequence[str], answer: str, lowered: Sequence[str]) -> list[str]:
    """Returns the words of a name that the answer repeats and no text has."""
    said = WORD.findall(answer.lower())
    return [word for word in name if word in said and not any(word in text for text in lowered)]


def _han(question: str, answer: str, texts: Sequence[str]) -> list[str]:
    """Returns runs of three Han characters or more that question and answer share, of which no text has any two."""
    found = []
    for run in HAN.findall(GRAMMAR.sub(" ", question[:MAX_QUESTION])):
        start = None
        for at in range(len(run)):
            pair = run[at : at + 2]
            is_new = len(pair) == 2 and pair in answer and not any(pair in text for text in texts)
            if is_new and start is None:
                start = at
            if not is_new and start is not None:
                if at - start >= 2:
                    found.append(run[start : at + 1])
                start = None
    return found


def _is_known(name: Sequence[str], texts: Sequence[str], lowered: Sequence[str]) -> bool:
    """Whether a text has a word of the name on its own, or the whole of it derived or misspelt."""
    for word in name:
        pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
        for text in texts:
            if any(_stands_alone(text, found.start()) for found in pattern.finditer(text)):
                return True
    if len(name) == 1 and has_derived(name[0], lowered):
        return True
    capitals = {found.group() for text in texts for found in WORD.finditer(text) if found.group()[0].isupper()}
    known = [word.lower() for word in capitals]
    return all(len(word) >= SHORTEST_TYPO and get_close_matches(word, known, 1, MISSPELT) for word in name)


def _stands_alone(text: str, at: int) -> bool:
    """Whether no other capitalised word stands right before: `Foods` in `Baxley Foods` is no `Orrin Foods`."""
    before = text[max(0, at - 40) : at]
    if not before.endswith(" "):
        return True
    words = before.split()
    return not words or not (words[-1][0].isupper() and words[-1][-1].isalnum())
