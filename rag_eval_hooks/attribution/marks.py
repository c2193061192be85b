"""Finds the citation marks of an answer: where they are and which items they name."""

import heapq
from collections.abc import Callable, Iterator

from rag_eval_hooks.attribution.citations.brackets import lenticular, round_names, round_numbers, square
from rag_eval_hooks.attribution.citations.entries import Entries
from rag_eval_hooks.attribution.citations.hidden import COVER, Cover, code_spans, covered, quote_spans, reasoning_spans
from rag_eval_hooks.attribution.citations.leads import with_leads
from rag_eval_hooks.attribution.citations.legend import read_legend
from rag_eval_hooks.attribution.citations.mark import Mark
from rag_eval_hooks.attribution.citations.sources import Sources
from rag_eval_hooks.attribution.citations.wording import addresses, bare_names, superscripts, tags, worded
from rag_eval_hooks.record.limits import MAX_MARKS

__all__ = ["find_marks"]

FORMS: tuple[Callable[[str, Entries], Iterator[Mark]], ...] = (
    square,
    lenticular,
    round_names,
    superscripts,
    tags,
    worded,
    addresses,
    bare_names,
)
"""Each finds one way of citing, in order of place."""
COUNTING = frozenset({"number", "superscript", "link", "tag", "name", "author", "word"})
"""Where an answer has marks of these forms, numbers in round brackets are none."""


def find_marks(answer: str, sources: Sources | int) -> list[Mark]:
    """Returns the citation marks of an answer in order, none inside another; work is linear in its length.

    No marks are: what stands in code, in a model's reasoning and in lists of sources; what stands in quotation marks
    with more of the quotation behind it, or names no item there (it is the quoted text's own); indexes (`a[0]`),
    arrays, intervals, exponents, years in brackets; numbers in round brackets that count the items of a list, or
    stand beside marks of another form.

    Args:
        answer: The answer's text.
        sources: What can be cited; a number stands for that many items without names.
    """
    if isinstance(sources, int):
        sources = Sources.numbered(sources)
    legend = read_legend(answer, sources)
    entries = Entries(sources, legend)
    hidden = code_spans(answer) + legend.spans + reasoning_spans(answer)
    text = covered(answer, hidden)
    quotes = quote_spans(answer)
    marks: list[Mark] = []
    end = quote = 0
    for mark in heapq.merge(*(find(text, entries) for find in FORMS), key=lambda mark: (mark.start, -mark.end)):
        if mark.start < end:
            continue
        while quote < len(quotes) and quotes[quote][1] <= mark.start:
            quote += 1
        if quote < len(quotes) and quotes[quote][0] < mark.start and _is_quoted(answer, mark, quotes[quote][1]):
            continue
        marks.append(mark if COVER not in mark.text else mark._replace(text=answer[mark.start : mark.end]))
        end = mark.hidden_until if mark.form == "link" else mark.end
        if len(marks) == MAX_MARKS:
            break
    if not COUNTING.intersection(mark.form for mark in marks):
        rounds = round_numbers(covered(text, quotes), entries)
        marks = _apart(marks, rounds)[:MAX_MARKS]
    if not any(any(mark.targets) for mark in marks if mark.form == "author"):
        marks = [mark for mark in marks if mark.form != "author"]
    return with_leads(answer, marks)


def _is_quoted(answer: str, mark: Mark, end: int) -> bool:
    """Whether a mark in a quotation is the quoted text's own: it names nothing, or the quotation goes on behind it."""
    return not all(mark.targets) or any(char.isalnum() for char in answer[mark.end : end])


def _apart(marks: list[Mark], others: list[Mark]) -> list[Mark]:
    """Returns both in order, without those of the others that lie inside a mark."""
    is_taken = Cover((mark.start, mark.end) for mark in marks)
    return sorted([*marks, *(mark for mark in others if not is_taken(mark.start, mark.end))], key=lambda m: m.start)
