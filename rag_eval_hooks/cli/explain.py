"""`rag-eval-hooks explain`: the story of one run in plain sentences."""

from typing import Annotated

import typer

from rag_eval_hooks.cli.one_run import one_run

__all__ = ["explain"]


def explain(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A store, or JSONL of runs or evaluations; - is standard input.")
    ],
    run_id: Annotated[
        str | None,
        typer.Argument(metavar="RUN_ID", help="Which run; else the newest of a store, the first of a file."),
    ] = None,
) -> None:
    """Tell in plain sentences what happened to one run, and what failed first.

    What was asked, came back, reached the prompt, was used and said; then the first cause, why, what to do about it,
    and which other findings follow from it.

    \b
    Examples:
      rag-eval-hooks explain runs.db
      rag-eval-hooks explain log.jsonl r17
      rag-eval-hooks show runs.db --list
    """
    from rich.console import Console

    from rag_eval_hooks.reports.terminal import print_story

    print_story(Console(), *one_run(source, run_id))
