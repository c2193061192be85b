"""Compares an answer with a right one that is a list: in any order, with credit for each item."""

import re

from rag_eval_hooks.attribution.anchor_index import anchors_of
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.metrics.matching.values import Valued, same_value
from rag_eval_hooks.metrics.matching.words import holds, tokens_of

__all__ = ["items_of", "list_match"]

MAX_ITEMS = 100
"""More items make a text, which is compared by words."""
ITEM_WORDS = 6
"""More words make it no item, where semicolons or lines part it."""
WORDS_BETWEEN_COMMAS = 4
"""More words make it a sentence rather than an item."""
STRONG = re.compile(r"[;\n、；]")
WEAK = re.compile(
    r",(?:\s{0,3}(?:and|or|und|oder|sowie|et|ou|y|e|o)\s)?|\s(?:and|und|sowie|et|y|&)\s|(?<=[\u3400-\u9fff])[和与及](?=[\u3400-\u9fff])"
)
BULLET = re.compile(r"\s{0,9}(?:[-*•]|\d{1,2}[.)])\s")
LEAD = re.compile(
    r"^.*?(?::|\b(?:are|were|include|includes|is|was|sind|waren|sont|son|fueron|by|of)\b|是|为|有|包括)\s*", re.S
)
LEAD_WITHIN = 200
"""Characters within which a list begins: `The towns are: ...`."""


def items_of(text: str, least: int = 3) -> list[str]:
    """Returns the items of a text that is nothing but a list, else none.

    Semicolons, line breaks and `、` part two items or more; commas and `and` three or more, as names have commas, too.

    >>> items_of("Oslo, Bergen and Narvik"), items_of("Oslo; Bergen"), items_of("Smith, John")
    (['Oslo', 'Bergen', 'Narvik'], ['Oslo', 'Bergen'], [])

    Args:
        text: The text.
        least: From how many parts commas make a list.
    """
    strong = [_trimmed(part) for part in _split(text.strip(), STRONG)]
    if len(strong) > 1:
        return _short(strong)
    weak = [_trimmed(part) for part in _split(text.strip(), WEAK)]
    return _short(weak, WORDS_BETWEEN_COMMAS) if len(weak) >= least else []


def list_match(answer: str, items: list[str]) -> float:
    """Returns the F1 of two lists: how many of the right items the answer has, and how many of its items are right.

    An answer that is no list itself (a sentence that names items here and there) is only asked for the right ones.
    """
    valued, words = Valued(answer), tokens_of(answer)
    found = sum(_has(valued, words, item) for item in items)
    if not found:
        return 0.0
    recall = found / len(items)
    mine = items_of(answer, least=2) or items_of(
        LEAD.sub("", answer[:LEAD_WITHIN], count=1) + answer[LEAD_WITHIN:], least=2
    )
    wrong = sum(not any(_same(one, item) for item in items) for one in mine[:MAX_ITEMS])
    precision = found / (found + wrong)
    return 2 * precision * recall / (precision + recall)


def _same(mine: str, item: str) -> bool:
    """Whether an item of the answer is a right one, or a part of its name."""
    words, right = tokens_of(mine), tokens_of(item)
    return holds(words, right) or holds(right, words) or _has(Valued(mine), words, item)


def _trimmed(part: str) -> str:
    bullet = BULLET.match(part)
    return (part[bullet.end() :] if bullet else part).strip(" .。\t")


def _has(answer: Valued, words: list[str], item: str) -> bool:
    right = Valued(item)
    if right.values and not right.terms(without_values=True):
        return all(any(same_value(mine, value) for mine in answer.values) for value in right.values)
    return holds(words, tokens_of(item))


def _split(text: str, separator: re.Pattern[str]) -> list[str]:
    """Cuts a text at a separator, but not inside a value: `May 3, 2021`, `1,200`."""
    folded = fold(text).text
    inside = [(one.start, one.end) for one in anchors_of(folded)] if len(folded) == len(text) else []
    parts: list[str] = []
    last = 0
    at = 0
    for match in separator.finditer(text):
        while at < len(inside) and inside[at][1] <= match.start():
            at += 1
        if at < len(inside) and inside[at][0] < match.start() and match.end() < inside[at][1]:
            continue
        parts.append(text[last : match.start()])
        last = match.end()
    return [*parts, text[last:]]


def _short(parts: list[str], words: int = ITEM_WORDS) -> list[str]:
    kept = [part for part in parts if part]
    if not 1 < len(kept) <= MAX_ITEMS or any(len(part.split()) > words or len(part) > 80 for part in kept):
        return []
    return kept
