"""Checks each citation: does its target exist, and does it back the part of the statement the mark belongs to?"""

import re
from collections.abc import Callable, Sequence

from rag_eval_hooks.attribution.claims import Statement, assign_marks
from rag_eval_hooks.attribution.marks import Mark
from rag_eval_hooks.attribution.match import Judgement
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.record import Citation, RagRun
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM, CitationProblem
from rag_eval_hooks.record.limits import MAX_MARKS

__all__ = ["cite"]

CLAUSE_BREAK = re.compile(
    r"(?:[,;:]\s{1,4}|\s{1,4})(?:and|but|while|whereas|or|und|aber|et|mais|y|pero)\s{1,4}|[,;:]\s{1,4}|[，、；：]"
    r"|\s[-–—]\s"
)
PREFIX = re.compile(
    r"^(?:sources?|docs?|documents?|contexts?|chunks?|passages?|refs?|references?|citations?|来源|文档|资料)"
    r"[ \t]*[:：#]?[ \t]*",
    re.I,
)


Judge = Callable[[int, int], Judgement]


def cite(run: RagRun, reading: Reading) -> list[Citation]:
    """Returns one citation per mark and target, in order of appearance.

    A citation is supported when its target backs at least one clause of the part of the statement that the mark
    belongs to, and contradicts none of it. The part reaches from the mark before (marks side by side count as one) to
    this mark.

    Args:
        run: The run, for ids and the numbering base.
        reading: Its answer's marks and statements, and what the context gives for each.
    """
    answer, marks, statements = reading.answer, reading.marks, reading.statements
    by_id: dict[str, int] = {}
    for rank, chunk in enumerate(reading.context, 1):
        by_id.setdefault(chunk.id.lower(), rank)
    by_id = {**reading.names, **by_id}
    owners = assign_marks(answer, statements, marks)
    citations: list[Citation] = []
    parts = _parts(answer, marks, owners, statements)
    for mark, owner, part in zip(marks, owners, parts, strict=True):
        backed, refuted = _backing(answer, part, reading.weigh) if part else (set(), set())
        if part and owner is not None and owner < len(reading.judged) and part == statements[owner][:2]:
            backed |= set(reading.judged[owner].joint)
        for target in _targets(mark, len(reading.context), run.citations.base, by_id):
            if len(citations) >= MAX_MARKS:
                reading.left_out.add("citations_cut")
                return citations
            place = reading.place_of[target - 1] if target is not None else None
            supported = place is not None and place in backed and place not in refuted
            problem: CitationProblem | None = None
            if target is None:
                problem = "dangling"
            elif not supported:
                problem = "misplaced" if backed - refuted else "unsupported"
            citations.append(
                Citation(
                    index=len(citations),
                    marker=mark.text,
                    span=(mark.start, mark.marker_end),
                    target=None if target is None else reading.context[target - 1].id,
                    target_rank=target,
                    exists=target is not None,
                    supported=supported,
                    claim=owner,
                    problem=problem,
                )
            )
    return citations


def _targets(mark: Mark, items: int, base: int, by_id: dict[str, int]) -> list[int | None]:
    """Returns the ranks a mark names, None for each that does not exist."""
    inner = mark.text.strip("[]【】^ \t")
    for name in (inner, mark.name, PREFIX.sub("", inner)):
        if name and not (name.isdecimal() and mark.numbers) and name.lower() in by_id:
            return [by_id[name.lower()]]
    if not mark.numbers:
        return [None]
    ranks: list[int | None] = []
    for number in mark.numbers:
        rank = number - base + 1
        ranks.append(rank if 1 <= rank <= items else by_id.get(str(number)))
    if mark.beyond is not None:
        ranks.append(None)
    return ranks


def _parts(
    answer: str, marks: Sequence[Mark], owners: Sequence[int | None], statements: Sequence[Statement]
) -> list[tuple[int, int] | None]:
    """Returns, for each mark, the span of the answer it speaks for."""
    parts: list[tuple[int, int] | None] = []
    for index, (mark, owner) in enumerate(zip(marks, owners, strict=True)):
        if owner is None:
            parts.append(None)
            continue
        statement = statements[owner]
        before = index - 1
        if before >= 0 and owners[before] == owner and not answer[marks[before].end : mark.start].strip(" ,;\t"):
            parts.append(parts[before])
            continue
        start = statement.start
        if before >= 0 and owners[before] == owner and marks[before].end > start:
            start = marks[before].end
        end = min(mark.start, statement.end) if mark.start > start else statement.end
        if not any(char.isalnum() for char in answer[start:end]):
            start, end = statement.start, statement.end
        parts.append((start, end))
    return parts


def _backing(answer: str, part: tuple[int, int], judge_part: Judge) -> tuple[set[int], set[int]]:
    """Returns the texts that back the part or one of its clauses, and those that contradict it."""
    whole = judge_part(*part)
    backed = {backing.chunk for backing in whole.backings if backing.support >= SUPPORTED_FROM}
    refuted = {backing.chunk for backing in whole.backings if backing.conflict} - backed
    if backed:
        return backed, refuted
    start = part[0]
    clauses: list[tuple[int, int]] = []
    for cut in CLAUSE_BREAK.finditer(answer, *part):
        clauses.append((start, cut.start()))
        start = cut.end()
    clauses.append((start, part[1]))
    if len(clauses) > 1:
        for clause in clauses:
            judgement = judge_part(*clause)
            for backing in judgement.backings:
                if backing.support >= SUPPORTED_FROM and len(backing.covered) >= 2:
                    backed.add(backing.chunk)
                if backing.conflict:
                    refuted.add(backing.chunk)
    return backed, refuted
