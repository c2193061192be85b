"""Writes our runs as TREC files, for trec_eval and the tools around it."""

import os
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics.labels import grades
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.replay.output import whole_file

__all__ = ["Written", "to_trec", "trec_id"]

_UNSAFE = re.compile(r"^#|[%\s\x00-\x20\x7f]")


@dataclass(frozen=True)
class Written:
    """What the TREC files hold."""

    queries: int
    """Runs written; one that retrieved nothing and has no labels leaves no line."""
    results: int
    """Lines of the run file."""
    judgements: int
    """Lines of the qrels file."""
    repeats: int
    """Results left out because their id stands higher in the same list: trec_eval refuses a repeated id."""


def to_trec(
    runs: Iterable[RagRun],
    run: str | os.PathLike[str],
    qrels: str | os.PathLike[str] | None = None,
    *,
    tag: str = "rag-eval-hooks",
) -> Written:
    """Writes what was retrieved as a run file, and the gold labels as a qrels file; each whole or not at all.

    The query id is `run_id`. Scores are minus the rank, so that every tool keeps the order; the scores of different
    retrievers could not be compared. Ids are written as `trec_id` does. A fractional grade stays one, which trec_eval
    itself cuts to a whole number.

    Args:
        runs: The runs, read one by one.
        run: The run file.
        qrels: The qrels file; None writes none.
        tag: The run's name, the last field of each line.

    Raises:
        ConfigError: If two runs have the same id, or a file cannot be written.
    """
    seen: set[str] = set()
    count = judged = repeats = 0
    tag = trec_id(tag)
    with ExitStack() as stack:
        write_run = stack.enter_context(whole_file(run))
        write_qrels = stack.enter_context(whole_file(qrels)) if qrels is not None else None
        for one in runs:
            query = trec_id(one.run_id)
            if query in seen:
                raise ConfigError(f"two runs have the id {one.run_id[:100]!r}; give each run its own id")
            seen.add(query)
            ids = one.retrieved_ids
            first = dict.fromkeys(ids)
            repeats += len(ids) - len(first)
            count += len(first)
            lines = [f"{query} Q0 {trec_id(name)} {rank} {-rank} {tag}\n" for rank, name in enumerate(first, 1)]
            write_run("".join(lines).encode())
            if write_qrels is not None:
                graded, _ = grades(one, None, "gold")
                judged += len(graded)
                lines = [f"{query} 0 {trec_id(name)} {grade:.15g}\n" for name, grade in graded.items()]
                write_qrels("".join(lines).encode())
    return Written(len(seen), count, judged, repeats)


def trec_id(text: str) -> str:
    """Returns `text` as one field: white space, control characters, `%` and a leading `#` as `%` and hex digits.

    Different texts stay different, and most ids stay as they are.

    >>> trec_id("a b"), trec_id("doc-1"), trec_id("100%"), trec_id("")
    ('a%20b', 'doc-1', '100%25', '%')
    """
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text) or "%"
