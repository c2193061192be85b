"""What the demo prints: a row for each question, the averages, whether the frameworks agree, and how to go on."""

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rag_eval_hooks.demo.agreement import differences
from rag_eval_hooks.demo.pipelines import FRAMEWORKS
from rag_eval_hooks.diagnosis.rules import GOOD
from rag_eval_hooks.metrics import weight_of
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.reports.terminal import print_averages
from rag_eval_hooks.reports.words import as_probability

__all__ = ["Done", "K", "question_table", "show"]

K = 5
"""Chunks retrieved, and the measures' cut-off."""
EVALUATIONS = "evaluations.jsonl"

_MOST_DIFFERENCES = 10


@dataclass(frozen=True)
class Done:
    """What came of asking."""

    pairs: Mapping[str, Sequence[tuple[RagRun, Evaluation]]]
    """By framework, in the order asked."""
    failures: Sequence[str]
    """What went wrong, a line each."""
    store: Path
    reports: Mapping[str, Path]
    """By framework."""
    seconds: float
    """How long it took."""


def show(console: Console, done: Done) -> bool:
    """Prints the results of the first framework, and of the others whether they are equal; returns whether they are."""
    first, *others = done.pairs
    pairs = done.pairs[first]
    console.print(question_table(pairs))
    print_averages(console, ((one.results, weight_of(run)) for run, one in pairs))
    for failure in done.failures:
        console.print(f"failed: {failure}", style="red", markup=False)
    console.print()
    agreements = [_agree(console, done, first, other) for other in others]
    for line in _next_steps(done, first):
        # Not wrapped, so that the lines can be copied.
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return all(agreements)


def question_table(pairs: Sequence[tuple[RagRun, Evaluation]]) -> Table:
    """Returns a row for each question, which wraps where the terminal is narrow; the titles are the measures' names."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("question", overflow="fold", min_width=20)
    table.add_column(f"Context\nPrecision@{K}", justify="right", no_wrap=True)
    table.add_column("Groundedness", justify="right", no_wrap=True)
    table.add_column(f"Complete\nEvidence@{K}", no_wrap=True)
    table.add_column("first finding", overflow="fold")
    for run, evaluation in pairs:
        values = {result.metric: result.value for result in evaluation.results}
        complete = values.get(f"CompleteEvidence@{K}")
        finding = evaluation.findings[0].kind if evaluation.findings else ""
        table.add_row(
            Text(one_line(run.question or "", 200)),
            _share(values.get(f"ContextPrecision@{K}")),
            _share(values.get("Groundedness")),
            "-" if complete is None else "yes" if complete == 1 else "no",
            Text(finding, style="green" if finding in GOOD else "yellow"),
        )
    return table


def _share(value: float | None) -> str:
    return "-" if value is None else as_probability(value)


def _agree(console: Console, done: Done, first: str, other: str) -> bool:
    """Prints how many of the other framework's evaluations equal the first's, and where they differ."""
    differ = differences(*([one for _, one in done.pairs[name]] for name in (first, other)))
    asked = len({run.question for name in (first, other) for run, _ in done.pairs[name]})
    equal = f"{asked - len(differ)} of {asked} evaluations equal"
    console.print(
        f"The table shows {FRAMEWORKS[first]}. {FRAMEWORKS[other]}: {equal}.",
        style="red" if differ else "green",
        markup=False,
        highlight=False,
    )
    for one in differ[:_MOST_DIFFERENCES]:
        what = ", ".join(one.fields) or "recorded in one framework only"
        console.print(f"  differs: {one_line(one.question, 100)} ({what})", style="red", markup=False)
    if len(differ) > _MOST_DIFFERENCES:
        console.print(f"  and {len(differ) - _MOST_DIFFERENCES} more", style="red", markup=False)
    return not differ


def _next_steps(done: Done, first: str) -> Iterator[str]:
    for name, report in done.reports.items():
        yield f"Report: {report}" + (f"  ({FRAMEWORKS[name]})" if len(done.reports) > 1 else "")
    yield f"Store:  {done.store}" + ("  (both; metadata `framework`)" if len(done.reports) > 1 else "")
    yield f"Took {done.seconds:.1f} s."
    yield ""
    source = shlex.quote(str(done.store))
    yield "Next:"
    command = _command()
    yield f"  {command} show {source} --list"
    worst = next((e for _, e in done.pairs[first] if any(finding.kind not in GOOD for finding in e.findings)), None)
    if worst is not None:
        for pairs in done.pairs.values():
            run_id = next((run.run_id for run, _ in pairs if run.question == worst.question), None)
            if run_id is not None:
                yield f"  {command} show {source} {one_line(run_id, 80)}"
    yield f"  {command} replay {source} {shlex.quote(str(done.store.with_name(EVALUATIONS)))}"


def _command() -> str:
    """How to call the command line from here: by name where the shell finds it, else by its place."""
    if shutil.which("rag-eval-hooks"):
        return "rag-eval-hooks"
    beside = Path(sys.executable).with_name("rag-eval-hooks")
    inside = beside.is_relative_to(Path.cwd())
    return shlex.quote(str(beside.relative_to(Path.cwd()) if inside else beside))
