"""Says which part of its statement each mark speaks for."""

import re
from collections.abc import Sequence

from rag_eval_hooks.attribution.citations.mark import Mark, Span
from rag_eval_hooks.attribution.claims import Statement

__all__ = ["CLAUSE_BREAK", "parts_of"]

CLAUSE_BREAK = re.compile(
    r"(?:[,;:]\s{1,4}|\s{1,4})(?:and|but|while|whereas|or|und|aber|während|et|mais|y|pero)\s{1,4}|[,;:]\s{1,4}|[，、；：]"
    r"|\s[-–—]\s"
)
BETWEEN = " ,;&\t()（），、"


def parts_of(
    answer: str, marks: Sequence[Mark], owners: Sequence[int | None], statements: Sequence[Statement]
) -> list[Span | None]:
    """Returns, for each mark, the span of the answer it speaks for; None for a mark that belongs to no statement.

    A mark behind its words speaks for what stands between the mark before and itself; marks side by side speak for
    the same. One that leads (`According to [1], ...`) speaks for what follows, up to the next mark: where that leads,
    too, up to the break between their clauses.

    Args:
        answer: The answer's text.
        marks: Its marks, in order.
        owners: For each of them the index of its statement, as `assign_marks` gives it.
        statements: The statements of the answer.
    """
    own = [index for index, mark in enumerate(marks) if mark.form != "provider"]
    parts = dict(
        zip(own, _parts(answer, [marks[at] for at in own], [owners[at] for at in own], statements), strict=True)
    )
    return [parts.get(index, mark.about) for index, mark in enumerate(marks)]


def _parts(
    answer: str, marks: Sequence[Mark], owners: Sequence[int | None], statements: Sequence[Statement]
) -> list[Span | None]:
    parts: list[Span | None] = [None] * len(marks)
    group = 0
    while group < len(marks):
        last = group
        while last + 1 < len(marks) and _are_together(answer, marks, owners, last):
            last += 1
        owner = owners[group]
        if owner is not None:
            part = _part(answer, marks, owners, statements[owner], group, last)
            for index in range(group, last + 1):
                parts[index] = marks[index].about or part
        elif marks[group].about is not None:
            parts[group] = marks[group].about
        group = last + 1
    return parts


def _are_together(answer: str, marks: Sequence[Mark], owners: Sequence[int | None], index: int) -> bool:
    """Whether a mark and the next one speak for the same words: nothing but marks stands between them."""
    this, following = marks[index], marks[index + 1]
    if owners[index] != owners[index + 1] or this.about != following.about or this.leads != following.leads:
        return False
    gap = answer[this.hidden_until : following.start]
    return not gap.strip(BETWEEN)


def _part(
    answer: str,
    marks: Sequence[Mark],
    owners: Sequence[int | None],
    statement: Statement,
    first: int,
    last: int,
) -> Span:
    start, end = statement.start, statement.end
    owner = owners[first]
    before = marks[first - 1] if first and owners[first - 1] == owner else None
    behind = marks[last + 1] if last + 1 < len(marks) and owners[last + 1] == owner else None
    if marks[first].leads:
        start = max(start, _end(marks[last]))
        if behind is not None:
            end = min(end, behind.hidden[0][0] if behind.hidden else behind.start)
            if behind.leads:
                cuts = [
                    cut for cut in CLAUSE_BREAK.finditer(answer, start, end) if not _has_words(answer, cut.end(), end)
                ]
                end = cuts[0].start() if cuts else end
    else:
        if before is not None:
            start = max(start, _end(before))
        if marks[first].start > start:
            end = min(marks[first].start, end)
    return (start, end) if start < end and _has_words(answer, start, end) else (statement.start, statement.end)


def _end(mark: Mark) -> int:
    return max([mark.end, *(span[1] for span in mark.hidden)])


def _has_words(answer: str, start: int, end: int) -> bool:
    return any(map(str.isalnum, answer[start:end]))
