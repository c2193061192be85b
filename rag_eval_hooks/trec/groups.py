"""Reads qrels and run files query by query; only files whose queries are scattered are held in memory whole."""

from collections.abc import Callable, Iterator
from math import isfinite
from typing import TypeVar

from rag_eval_hooks.trec.files import TrecFile

__all__ = ["Judgements", "Results", "is_grouped", "judgements", "results"]

Judgements = dict[str, float]
"""The grade of each judged document of one query."""
Results = list[tuple[float, str]]
"""Score and document of each line of one query, in the order of the file."""

NO_UTF8 = "the line is not UTF-8; convert the file first, for instance with iconv"
QRELS_LINE = "query iteration document grade"
RUN_LINE = "query Q0 document rank score tag"

Part = TypeVar("Part", Judgements, Results)


def judgements(file: TrecFile) -> Iterator[tuple[str, Judgements]]:
    """Yields each query of a qrels file with its grades, in order of first appearance.

    A line is `query iteration document grade`. A grade below 0 stands for a document that was pooled but not judged,
    as in trec_eval: it is left out, and the query stays. The same line may stand there twice.

    Raises:
        InputError: If a line is malformed or contradicts an earlier one; the message names file, line and content.
    """

    def add(known: Judgements, number: int, line: bytes, fields: list[bytes]) -> None:
        try:
            _, _, document, text = fields
            grade = float(text)
            identifier = document.decode("utf-8")
        except ValueError as error:
            file.refuse(number, line, _why(error, len(fields) == 4, QRELS_LINE, "grade"))
        if not isfinite(grade) or b"_" in text:
            file.refuse(number, line, "the grade is no finite number")
        if grade < 0:
            return
        if known.setdefault(identifier, grade) != grade:
            file.refuse(number, line, f"the document has grade {known[identifier]:g} for this query already")

    return _by_query(file, dict, add)


def results(file: TrecFile) -> Iterator[tuple[str, Results]]:
    """Yields each query of a run file with its scored documents, in order of first appearance.

    A line is `query Q0 document rank score tag`; what follows is ignored, as in trec_eval, and so is the rank.

    Raises:
        InputError: If a line is malformed; the message names file, line and content.
    """

    def add(known: Results, number: int, line: bytes, fields: list[bytes]) -> None:
        try:
            _, _, document, _, text, _ = fields[:6]
            score = float(text)
            identifier = document.decode("utf-8")
        except ValueError as error:
            file.refuse(number, line, _why(error, len(fields) >= 6, RUN_LINE, "score"))
        if score != score or b"_" in text:
            file.refuse(number, line, "the score is no number")
        known.append((score, identifier))

    return _by_query(file, list, add)


def is_grouped(file: TrecFile) -> bool:
    """Whether the lines of each query stand together.

    Ids that ascend, as text or as numbers, need no memory; of any others one hash each is remembered.
    """
    if _ascend(file):
        return True
    seen: set[int] = set()
    for query in _changes(file):
        known = hash(query)
        if known in seen:  # or two ids share a hash: then the file is held in memory, and nothing is wrong
            return False
        seen.add(known)
    return True


def _ascend(file: TrecFile) -> bool:
    last = b""
    as_text = as_number = True
    for query in _changes(file):
        as_text = as_text and query > last
        as_number = as_number and (len(query), query) > (len(last), last)
        if not (as_text or as_number):
            return False
        last = query
    return True


def _changes(file: TrecFile) -> Iterator[bytes]:
    """Yields the query of each line that has another one than the line before."""
    current = b""
    for line in file.lines():
        if current and line.startswith(current) and line[len(current) : len(current) + 1].isspace():
            continue
        fields = line.split(None, 1)
        if not fields or fields[0].startswith(b"#") or fields[0] == current:
            continue
        current = fields[0]
        yield current


def _by_query(
    file: TrecFile, new: Callable[[], Part], add: Callable[[Part, int, bytes, list[bytes]], None]
) -> Iterator[tuple[str, Part]]:
    scattered: dict[str, Part] | None = None if is_grouped(file) else {}
    current, query, part = b"", "", new()
    for number, line in enumerate(file.lines(), 1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        if fields[0] != current:
            if current and scattered is None:
                yield query, part
            current = fields[0]
            try:
                query = current.decode("utf-8")
            except UnicodeDecodeError:
                file.refuse(number, line, NO_UTF8)
            part = new() if scattered is None else scattered.setdefault(query, new())
        add(part, number, line, fields)
    if scattered is not None:
        yield from scattered.items()
    elif current:
        yield query, part


def _why(error: ValueError, complete: bool, form: str, number: str) -> str:
    """What is wrong with a line that could not be taken apart."""
    if isinstance(error, UnicodeDecodeError):
        return NO_UTF8
    return f"the {number} is no number" if complete else f"a line must be `{form}`"
