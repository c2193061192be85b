"""`rag-eval-hooks report`: one HTML page for many runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.say import BadLines, counted, say

if TYPE_CHECKING:
    from rag_eval_hooks.replay.load import Pair

__all__ = ["report"]


def report(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A store, or JSONL of runs or evaluations; - is standard input.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")] = Path(
        "report.html"
    ),
    limit: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="How many runs can be opened one by one; the averages cover all."),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The page's title.")] = None,
) -> None:
    """Write one HTML page about many runs.

    The page needs no network; it holds the averages and every run's chunks, claims and findings.

    \b
    Examples:
      rag-eval-hooks report runs.db
      rag-eval-hooks report postgresql://reader@db/rag -o today.html
    """
    from rag_eval_hooks.errors import ConfigError
    from rag_eval_hooks.replay import load
    from rag_eval_hooks.replay.source import source_name
    from rag_eval_hooks.reports import write_report
    from rag_eval_hooks.reports.page import DEFAULT_LIMIT

    if output.exists() and Path(source).exists() and output.samefile(source):
        raise ConfigError(f"{output} is the source itself; give another file for the report")
    bad = BadLines()
    count = 0

    def pairs() -> "Iterator[Pair]":
        nonlocal count
        for pair in load(source, on_problem=bad):
            yield pair
            count += 1

    shown = write_report(
        pairs(),
        output,
        title=title or f"RAG evaluation of {source_name(source)}",
        limit=DEFAULT_LIMIT if limit is None else limit,
    )
    bad.finish()
    say(f"{output}: {counted(count, 'run')}" + (f", {shown:,} of them to open" if shown < count else ""))
    if bad.count:
        raise typer.Exit(1)
