"""`replay`: logged runs in, evaluations out, in the same order and in constant memory."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rag_eval_hooks.attribution import Attributor
from rag_eval_hooks.attribution.attributor import INCOMPLETE
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import Metric, default_metrics
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.replay.evaluated import safely_evaluated
from rag_eval_hooks.replay.labels import match_gold
from rag_eval_hooks.replay.lines import Line, Problem, read_lines
from rag_eval_hooks.replay.output import refuse_input, whole_file
from rag_eval_hooks.replay.source import is_store, open_source, stored_lines
from rag_eval_hooks.sinks.base import Sink

__all__ = ["OnProgress", "Summary", "lines_of", "replay"]

OnProgress = Callable[[int, int | None], None]

MOST_IGNORED_NAMES = 1_000
"""Names of ignored fields that are counted one by one; a log whose keys all differ must not fill the memory."""


@dataclass
class Summary:
    """What a replay did."""

    read: int = 0
    """Lines (or stored records) that were not blank."""
    evaluated: int = 0
    """Evaluations written."""
    model_incomplete: int = 0
    """Those of them in which the support model left a claim it was to judge without an answer."""
    bad: Counter[str] = field(default_factory=Counter)
    """Lines that gave no evaluation, by the kind of their problem."""
    ignored: Counter[str] = field(default_factory=Counter)
    """Evaluated runs by the unknown field of theirs that was not read, as `read_run` flags it (`gold.relevant`)."""
    labelled: int = 0
    """Evaluated runs that have both gold ids and chunks."""
    unmatched: int = 0
    """Those of them in which no gold id names a chunk, its page or its document."""
    stored: int | None = None
    """Distinct runs given to the sink; None without a sink."""
    repeated_ids: int = 0
    """Run ids that were given to the sink more than once; a store keeps the last run of each."""


def replay(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] = "-",
    *,
    metrics: Sequence[Metric] | None = None,
    k: int | None = None,
    attributor: Attributor | None = None,
    sink: Sink | None = None,
    on_problem: Callable[[Line], None] | None = None,
    on_replaced: Callable[[int], None] | None = None,
    on_progress: OnProgress | None = None,
) -> Summary:
    r"""Evaluates each run of `source` and writes one evaluation a line, in the same order.

    A line that cannot be used is counted and reported, and the others go on. `target` is written whole at the end, or
    not at all; standard output gets its lines as they come. Holds one run at a time, and with a sink a number for
    each run id, to tell repeated ones.

    Args:
        source: JSONL of runs (stored or short form, also gzipped; `-` for standard input), or a store to evaluate anew.
        target: Where the evaluations go: strict JSON, UTF-8, `\n`; `-` for standard output.
        metrics: The measures; by default those that `evaluate` takes.
        k: Cut-off that replaces the runs' own.
        attributor: What attribution goes by; see `rag_eval_hooks.Attributor`.
        sink: Gets each run with its evaluation as well; it stays open.
        on_problem: Called with each line that gave no evaluation.
        on_replaced: Called with the number of each line in which bytes that are no UTF-8 were replaced.
        on_progress: Called after each line with the bytes read and the size in bytes, where it is known.

    Returns:
        How many lines were read, evaluated and bad, which fields were ignored, and what the sink got.

    Raises:
        InputError: If the source cannot be opened.
        ConfigError: If the target cannot be written, or is the source; or `k` is below 1.
        MetricSpecError: If `k` is too large.
        SinkError: If the sink cannot store a record; the target is then not written.
    """
    if k is not None and k < 1:
        raise ConfigError(f"k: expected a whole number from 1, got {k}")
    if k is not None and metrics is None:
        default_metrics(k)  # finds out now whether they can take this k
    refuse_input(target, source)
    summary = Summary()
    ids = _Ids()
    with lines_of(source, on_progress) as lines, whole_file(target) as write:
        if sink is not None:
            sink.open()
        for line in lines:
            summary.read += 1
            if on_replaced is not None and not line.valid_utf8:
                on_replaced(line.number)
            problem = line.problem
            if line.run is not None:
                run = line.run if k is None else line.run.model_copy(update={"k": k})
                evaluation = safely_evaluated(run, metrics, attributor)
                if isinstance(evaluation, Problem):
                    problem = evaluation
                else:
                    write(evaluation.model_dump_json().encode("utf-8") + b"\n")
                    summary.evaluated += 1
                    summary.model_incomplete += INCOMPLETE in evaluation.made_by.attributor
                    _count_ignored(summary, run)
                    _count_labels(summary, run)
                    if sink is not None:
                        sink.write(run, evaluation)
                        ids.add(run.run_id)
            if problem is not None:
                summary.bad[problem.kind] += 1
                if on_problem is not None:
                    on_problem(Line(line.number, problem=problem))
        if sink is not None:
            sink.flush()
            summary.stored, summary.repeated_ids = len(ids.seen), len(ids.repeated)
    return summary


class _Ids:
    """The run ids that went by, each kept as its hash."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.repeated: set[int] = set()

    def add(self, run_id: str) -> None:
        number = hash(run_id)
        (self.repeated if number in self.seen else self.seen).add(number)


def _count_ignored(summary: Summary, run: RagRun) -> None:
    for flag in run.flags:
        kind, _, name = flag.partition(":")
        if kind == "ignored" and (name in summary.ignored or len(summary.ignored) < MOST_IGNORED_NAMES):
            summary.ignored[name] += 1


def _count_labels(summary: Summary, run: RagRun) -> None:
    matched = match_gold(run)
    summary.labelled += matched is not None
    summary.unmatched += matched is False


@contextmanager
def lines_of(source: str | os.PathLike[str], on_progress: OnProgress | None = None) -> Iterator[Iterator[Line]]:
    """Opens JSONL or a store and gives its lines; `on_progress` is called after each line of a file."""
    if is_store(source):
        yield stored_lines(source)
        return
    with open_source(source) as opened:

        def lines() -> Iterator[Line]:
            for line in read_lines(opened.stream):
                yield line
                if on_progress is not None:
                    on_progress(opened.position(), opened.size)

        yield lines()
