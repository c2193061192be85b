"""`rag-eval-hooks show`: one run on the terminal."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.one_run import RunId, Source, one_run
from rag_eval_hooks.cli.say import BadLines

if TYPE_CHECKING:
    from rag_eval_hooks.record import Evaluation

__all__ = ["show"]


def show(
    source: Source,
    run_id: RunId = None,
    list_runs: Annotated[bool, typer.Option("--list", "-l", help="List the runs, one a line.")] = False,
) -> None:
    """Show one run on the terminal.

    Its chunks and which of them the answer used, its claims, citations and findings.

    \b
    Examples:
      rag-eval-hooks show runs.db
      rag-eval-hooks show log.jsonl r17
      rag-eval-hooks show runs.db --list
    """
    if list_runs:
        _list(source)
        return

    from rich.console import Console

    from rag_eval_hooks.reports.terminal import print_run

    print_run(Console(), *one_run(source, run_id))


def _list(source: str) -> None:
    from rag_eval_hooks.replay import load

    bad = BadLines()
    for _, evaluation in load(source, on_problem=bad, on_replaced=bad.replaced):
        typer.echo(_row(evaluation))
    bad.finish()
    if bad.count:
        raise typer.Exit(1)


def _row(evaluation: "Evaluation") -> str:
    """One run as columns: id, status, kind of answer, question."""
    from rag_eval_hooks.reports.plain import one_line

    name = one_line(evaluation.run_id, 60)
    return f"{name:<36}  {evaluation.status:<11}  {evaluation.answer_kind:<7}  {one_line(evaluation.question or '')}"
