"""Brings each query's results together with its judgements, holding as little as the files' order allows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag_eval_hooks.trec.files import TrecFile
from rag_eval_hooks.trec.groups import Judgements, Results, judgements, results

__all__ = ["JudgedList", "Order", "in_order", "judged_lists"]

Order = Literal["trec", "file"]
"""`trec`: by score, ties by document id, both descending, as trec_eval; `file`: as the lines stand."""


@dataclass(frozen=True, slots=True)
class JudgedList:
    """One query of a run file, of a qrels file, or of both."""

    query: str
    """The query's id."""
    ranked: list[str] | None
    """Document ids, best first; None where the run file has none."""
    grades: Judgements | None
    """Grade of each judged document; None where the qrels file does not name the query."""


def judged_lists(
    qrels: TrecFile, run: TrecFile, *, order: Order = "trec", depth: int | None = None
) -> Iterator[JudgedList]:
    """Yields every query of either file once: those of the run in its order, then those that have no results.

    Where both files name the queries in the same order, one query is held at a time. Judgements of queries that the
    run names later, or never, are held until then.

    Args:
        qrels: The judgements.
        run: The results.
        order: What the order of the results is.
        depth: How many results of each query count, from the top; None takes all.

    Raises:
        InputError: If a line of either file is malformed.
    """
    waiting: dict[str, Judgements] = {}
    judged = judgements(qrels)
    for query, rows in results(run):
        grades = waiting.pop(query, None)
        while grades is None and (following := next(judged, None)) is not None:
            if following[0] == query:
                grades = following[1]
            else:
                waiting[following[0]] = following[1]
        yield JudgedList(query, in_order(rows, order)[:depth], grades)
    for query, grades in waiting.items():
        yield JudgedList(query, None, grades)
    for query, grades in judged:
        yield JudgedList(query, None, grades)


def in_order(rows: Results, order: Order) -> list[str]:
    """Returns the document ids, best first.

    >>> in_order([(1.0, "a"), (2.0, "b"), (1.0, "c")], "trec"), in_order([(1.0, "a"), (2.0, "b")], "file")
    (['b', 'c', 'a'], ['a', 'b'])
    """
    return [identifier for _, identifier in (sorted(rows, reverse=True) if order == "trec" else rows)]
