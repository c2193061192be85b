"""How a prompt numbers the items in it: from which number on, and which item has which number."""

import re
from collections.abc import Sequence

from rag_eval_hooks.capture.packing import Hit
from rag_eval_hooks.record import CitationStyle

__all__ = ["Numbered", "joined_numbering", "numbering_in"]

Numbered = tuple[str, Sequence[Hit], Sequence[str], Sequence[int]]
"""A prompt, the items in it in prompt order, their texts, and which chunks they are."""

WINDOW = 400
"""How far before an item's text its number may stand, in characters: titles and metadata come between."""
WORD = (
    r"(?:source|document|doc|passage|context|chunk|excerpt|item|result|reference|evidence|snippet|article|"
    r"quelle|dokument|fuente|documento|来源|文档|资料|文献|文件|参考|段落)"
)
LINE = r"(?:^|\n)[ \t>*#-]{0,8}"
LABELS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"<{WORD}[^<>\n]{{0,200}}?\b(?:index|id|n|no|num|number|idx)[ \t]*=[ \t]*[\"']?(\d{{1,6}})\b",
        r"<(?:index|id|number|doc_id|source_id)>[ \t]*(\d{1,6})[ \t]*</",
        rf"{LINE}\[?{WORD}s?[ \t]{{0,2}}(?:id|no\.|number|nr\.)?[ \t]{{0,2}}[#:=]?[ \t]{{0,2}}[\[(]?(\d{{1,6}})\b",
        rf"{LINE}[\[［][ \t]?\^?(\d{{1,6}})[ \t]?[\]］]",
        rf"{LINE}【(\d{{1,6}})",
        rf"{LINE}\((\d{{1,6}})\)",
        rf"{WORD}[ \t]{{0,2}}[#:]?[ \t]{{0,2}}[\[(]?(\d{{1,6}})[\])]?[ \t:.-]{{0,4}}$",
        r"[\[【(](\d{1,6})[\]】)][ \t:.-]{0,4}$",
        r"[\"'](?:index|id|number|n|doc_id|source_id|ref|citation)[\"'][ \t]*:[ \t]*[\"']?(\d{1,6})\b",
    )
)
"""Ways of writing a number before an item; the first that all items share is taken."""
LISTED = re.compile(rf"{LINE}#?(\d{{1,4}})[.)、:：][ \t]")
"""Also the way instructions are numbered, so it must count on from item to item."""


def numbering_in(prompt: str, hits: Sequence[Hit], texts: Sequence[str]) -> CitationStyle:
    """Returns how the items of a prompt are numbered in it: rule `prompt`, or `assumed` where no numbers were found.

    The number of an item stands before its text, behind the text of the item before, and all items have one in the same
    form; no two are equal.

    >>> prompt = "Context:\\nDocument [0]: The lobby.\\nDocument [1]: The pool."
    >>> hits = [Hit(0, 23, "exact", 1.0), Hit(1, 48, "exact", 1.0)]
    >>> numbering_in(prompt, hits, ["The lobby.", "The pool."]).base
    0

    Args:
        prompt: What the generator got.
        hits: The items in prompt order.
        texts: Their texts, in the same order.
    """
    windows: list[str] = []
    behind = 0
    for hit, text in zip(hits, texts, strict=True):
        windows.append(prompt[max(min(behind, hit.position), hit.position - WINDOW) : hit.position])
        behind = hit.position + round(len(text) * hit.coverage)
    for pattern in (*LABELS, LISTED):
        labels = _labels(pattern, windows)
        if labels is None or (pattern is LISTED and (len(labels) < 2 or not _counts_on(labels))):
            continue
        return _style(labels)
    return CitationStyle()


def joined_numbering(order: Sequence[int], prompts: Sequence[Numbered]) -> CitationStyle:
    """Returns how items are numbered that stand in several prompts: only numbers that all prompts share are any.

    Args:
        order: The chunks, in the order in which they count as the context.
        prompts: What each call got; of items that were cut, those parts that begin with the beginning.
    """
    known: dict[int, int] = {}
    for prompt, hits, texts, chunks in prompts:
        style = numbering_in(prompt, hits, texts)
        if style.rule != "prompt":
            continue
        labels = style.labels or range(style.base, style.base + len(chunks))
        for chunk, label in zip(chunks, labels, strict=True):
            if label is not None and known.setdefault(chunk, label) != label:
                return CitationStyle()
    if not known or len(set(known.values())) < len(known):
        return CitationStyle()
    return _style([known.get(chunk) for chunk in order])


def _style(labels: Sequence[int | None]) -> CitationStyle:
    first = labels[0]
    if first is not None and _counts_on(labels):
        return CitationStyle(base=first, rule="prompt")
    return CitationStyle(base=min(label for label in labels if label is not None), rule="prompt", labels=tuple(labels))


def _labels(pattern: re.Pattern[str], windows: Sequence[str]) -> list[int] | None:
    """Returns the number nearest to each item, if all have one of their own."""
    labels: list[int] = []
    for window in windows:
        found = pattern.findall(window)
        if not found:
            return None
        labels.append(int(found[-1]))
    return labels if labels and len(set(labels)) == len(labels) else None


def _counts_on(labels: Sequence[int | None]) -> bool:
    first = labels[0]
    return first is not None and all(number == first + step for step, number in enumerate(labels))
