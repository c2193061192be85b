"""Checks each citation: does its target exist, and does it back the part of the statement the mark belongs to?"""

from collections.abc import Callable, Sequence

from rag_eval_hooks.attribution.citations.mark import Ranks, Span
from rag_eval_hooks.attribution.citations.parts import CLAUSE_BREAK, parts_of
from rag_eval_hooks.attribution.claims import assign_marks
from rag_eval_hooks.attribution.match import Judgement
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.record import Citation
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM, CitationProblem
from rag_eval_hooks.record.limits import MAX_MARKS

__all__ = ["cite"]

Judge = Callable[[int, int], Judgement]


def cite(reading: Reading) -> list[Citation]:
    """Returns one citation per mark and target, in order of appearance.

    A citation is supported when its target backs at least one clause of the part of the statement that the mark
    belongs to (`parts_of`), and contradicts none of it. Where a mark may mean several items (chunks of one file), the
    first that backs the part is its target, else the first.

    A citation that the provider gave is left out where a mark in the text says the same: it names the same item for
    the same statement.

    Args:
        reading: The answer's marks and statements, and what the context gives for each.
    """
    answer, marks, statements = reading.answer, reading.marks, reading.statements
    owners = assign_marks(answer, statements, marks)
    citations: list[Citation] = []
    marked = {
        (owner, rank)
        for mark, owner in zip(marks, owners, strict=True)
        if mark.form != "provider"
        for ranks in mark.targets
        for rank in ranks
    }
    for mark, owner, part in zip(marks, owners, parts_of(answer, marks, owners, statements), strict=True):
        meant = {reading.place_of[rank - 1] for ranks in mark.targets for rank in ranks}
        backed, refuted = _backing(answer, part, reading.weigh, meant) if part else (set[int](), set[int]())
        if part and owner is not None and owner < len(reading.judged) and part == statements[owner][:2]:
            backed |= set(reading.judged[owner].joint)
        for ranks in mark.targets:
            if len(citations) >= MAX_MARKS:
                reading.left_out.add("citations_cut")
                return citations
            target, supported = _target(ranks, reading.place_of, backed - refuted)
            if mark.form == "provider" and (owner, target) in marked and target is not None:
                continue
            citations.append(
                Citation(
                    index=len(citations),
                    marker=mark.text,
                    span=(mark.start, mark.end),
                    part=part,
                    origin="provider" if mark.form == "provider" else "text",
                    target=None if target is None else reading.context[target - 1].id,
                    target_rank=target,
                    exists=target is not None,
                    supported=supported,
                    claim=owner,
                    problem=_problem(target, supported, backed - refuted),
                )
            )
    return citations


def _target(ranks: Ranks, place_of: Sequence[int], backed: set[int]) -> tuple[int | None, bool]:
    """Returns the rank that is meant, and whether it backs the part."""
    for rank in ranks:
        if place_of[rank - 1] in backed:
            return rank, True
    return (ranks[0] if ranks else None), False


def _problem(target: int | None, supported: bool, backed: set[int]) -> CitationProblem | None:
    if target is None:
        return "dangling"
    if supported:
        return None
    return "misplaced" if backed else "unsupported"


def _backing(answer: str, part: Span, judge_part: Judge, meant: set[int]) -> tuple[set[int], set[int]]:
    """Returns the texts that back the part or one of its clauses, and those that contradict it.

    The clauses are looked at where none backs the whole, or not all that are meant do.
    """
    whole = judge_part(*part)
    wholly = {backing.chunk for backing in whole.backings if backing.support >= SUPPORTED_FROM}
    refuted = {backing.chunk for backing in whole.backings if backing.conflict} - wholly
    if wholly and meant <= wholly:
        return wholly, refuted
    start = part[0]
    clauses: list[Span] = []
    for cut in CLAUSE_BREAK.finditer(answer, *part):
        clauses.append((start, cut.start()))
        start = cut.end()
    clauses.append((start, part[1]))
    partly: set[int] = set()
    contradicting: set[int] = set()
    for backing in (one for clause in clauses if len(clauses) > 1 for one in judge_part(*clause).backings):
        if backing.support >= SUPPORTED_FROM and len(backing.covered) >= 2:
            partly.add(backing.chunk)
        if backing.conflict:
            contradicting.add(backing.chunk)
    # A text that backs one clause may seem to contradict the whole for what the other clause says.
    return wholly | partly, (contradicting | (refuted - partly)) - wholly
