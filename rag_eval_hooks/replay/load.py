"""`load`: the runs and evaluations in whatever a user names, for showing and reporting."""

import os
from collections.abc import Callable, Iterator

from pydantic import ValidationError

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.record.evaluation import EVALUATION_SCHEMA_VERSION
from rag_eval_hooks.record.read import first_problem
from rag_eval_hooks.replay.evaluated import safely_evaluated
from rag_eval_hooks.replay.lines import JsonLine, Line, Problem, is_evaluation, read_json_lines, run_of
from rag_eval_hooks.replay.source import is_store, open_source, stored_pairs
from rag_eval_hooks.reports.plain import one_line

__all__ = ["OnProblem", "OnReplaced", "Pair", "load", "load_one"]

Pair = tuple[RagRun | None, Evaluation]
OnProblem = Callable[[Line], None]
OnReplaced = Callable[[int], None]


def load(
    source: str | os.PathLike[str], *, on_problem: OnProblem | None = None, on_replaced: OnReplaced | None = None
) -> Iterator[Pair]:
    """Yields each run of `source` with its evaluation, one at a time.

    Args:
        source: A store (SQLite file or URL), or JSONL (`-` for standard input) of stored runs or short forms, which
            are evaluated on the fly, or of evaluations, where the run is None. A file may hold both.
        on_problem: Called with each line that cannot be used; without it, the first such line raises.
        on_replaced: Called with the number of each line in which bytes that are no UTF-8 were replaced.

    Raises:
        InputError: If the source cannot be opened, or a line cannot be used and `on_problem` is not given.
        ConfigError: If the store's address cannot be used.
    """
    report = on_problem or _raise
    if is_store(source):
        yield from _load_store(source, report)
        return
    with open_source(source) as opened:
        for line in read_json_lines(opened.stream):
            if on_replaced is not None and not line.valid_utf8:
                on_replaced(line.number)
            found = _pair(line)
            if isinstance(found, Problem):
                report(Line(line.number, problem=found))
            else:
                yield found


def load_one(
    source: str | os.PathLike[str],
    run_id: str | None = None,
    *,
    on_problem: OnProblem | None = None,
    on_replaced: OnReplaced | None = None,
) -> Pair | None:
    """Returns one run with its evaluation: the one with this id, else a store's newest or a file's first.

    Returns None where there is none. Raises as `load` does.
    """
    if is_store(source):
        from rag_eval_hooks.sinks.store import read_newest, read_one

        return read_newest(source) if run_id is None else read_one(source, run_id)
    pairs = load(source, on_problem=on_problem, on_replaced=on_replaced)
    return next((pair for pair in pairs if run_id is None or pair[1].run_id == run_id), None)


def _load_store(source: str | os.PathLike[str], report: OnProblem) -> Iterator[Pair]:
    for number, item in enumerate(stored_pairs(source), 1):
        if isinstance(item, Problem):
            report(Line(number, problem=item))
        else:
            yield item


def _pair(line: JsonLine) -> Pair | Problem:
    if line.problem is None and is_evaluation(line.data):
        try:
            return (None, Evaluation.model_validate(line.data, extra="ignore"))
        except ValidationError as error:
            problem = first_problem(error, "evaluation")
            message = f"{problem}; this package reads evaluations of version {EVALUATION_SCHEMA_VERSION}"
            return Problem("wrong_shape", one_line(message, 200), line.excerpt)
    read = run_of(line)
    if isinstance(read, Problem):
        return read
    evaluation = safely_evaluated(read)
    return evaluation if isinstance(evaluation, Problem) else (read, evaluation)


def _raise(line: Line) -> None:
    message = line.problem.message if line.problem is not None else "unknown problem"
    raise InputError(f"line {line.number}: {message}")
