"""`rag-eval-hooks report`: one page, or its numbers, for many runs."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.say import BadLines, say
from rag_eval_hooks.reports.words import counted

if TYPE_CHECKING:
    from rag_eval_hooks.metrics import Metric
    from rag_eval_hooks.replay.load import Pair

__all__ = ["report"]


class Format(StrEnum):
    """What to write."""

    HTML = "html"
    MD = "md"
    JSON = "json"


ENDINGS = {".html": Format.HTML, ".htm": Format.HTML, ".md": Format.MD, ".json": Format.JSON}


def report(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A store, or JSONL of runs or evaluations; - is standard input.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write, by default report.html, .md or .json."),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="Page to browse, or numbers of the version; by default by FILE's ending."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="md, json: also compute this measure; several times."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="KEY", help="md, json: cut by metadata.KEY, tag, answer_kind, script, ..."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="How many runs can be opened one by one; the averages cover all."),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The page's title.")] = None,
) -> None:
    """Write one page about many runs, or the numbers of a version.

    The HTML page needs no network; it holds the averages and every run's chunks, claims and findings.
    Markdown and JSON hold the numbers of the version: each mean with its interval and with what it rests on, slices,
    latency, what failed first, and the questions for which nothing was found; - as FILE is standard output.

    \b
    Examples:
      rag-eval-hooks report runs.db
      rag-eval-hooks report postgresql://reader@db/rag -o today.html
      rag-eval-hooks report runs.db --format md -o version.md --by metadata.topic
    """
    from rag_eval_hooks.errors import ConfigError
    from rag_eval_hooks.metrics import parse_metric
    from rag_eval_hooks.replay.output import refuse_input

    form = form or (_format_of(output) if output is not None else Format.HTML)
    output = output or Path(f"report.{form.value}")
    if form is Format.HTML and (metric or by):
        raise ConfigError("--metric and --by shape the numbers; add --format md or --format json")
    if form is Format.HTML and str(output) == "-":
        raise ConfigError("the HTML page goes to a file; name one, such as -o report.html")
    if form is not Format.HTML and limit is not None:
        raise ConfigError("--limit is for the HTML page, which shows runs one by one; leave it out")
    metrics = [parse_metric(name) for name in dict.fromkeys(metric or ())]
    refuse_input(output, source, called="the source itself")
    bad = BadLines()
    if form is Format.HTML:
        said = _page(source, output, bad, title, limit)
    else:
        said = _numbers(source, output, bad, title, form, metrics, by or ())
    bad.finish()
    if str(output) != "-":
        say(said)
    if bad.count:
        raise typer.Exit(1)


def _format_of(output: Path) -> Format:
    from rag_eval_hooks.errors import ConfigError

    form = ENDINGS.get(output.suffix.lower())
    if form is None:
        raise ConfigError(f"{output}: its ending says no format; use .html, .md or .json, or give --format")
    return form


def _title(source: str, title: str | None) -> str:
    from rag_eval_hooks.replay.source import source_name

    return title or f"RAG evaluation of {source_name(source)}"


def _page(source: str, output: Path, bad: BadLines, title: str | None, limit: int | None) -> str:
    from rag_eval_hooks.replay import load
    from rag_eval_hooks.reports import write_report
    from rag_eval_hooks.reports.page import DEFAULT_LIMIT

    count = 0

    def pairs() -> "Iterator[Pair]":
        nonlocal count
        for pair in load(source, on_problem=bad, on_replaced=bad.replaced):
            yield pair
            count += 1

    limit = DEFAULT_LIMIT if limit is None else limit
    shown = write_report(pairs(), output, title=_title(source, title), limit=limit)
    return f"{output}: {counted(count, 'run')}" + (f", {shown:,} of them to open" if shown < count else "")


def _numbers(
    source: str,
    output: Path,
    bad: BadLines,
    title: str | None,
    form: Format,
    metrics: Sequence["Metric"],
    by: Sequence[str],
) -> str:
    from rag_eval_hooks.replay import load
    from rag_eval_hooks.replay.output import whole_file
    from rag_eval_hooks.summary.version import version_report
    from rag_eval_hooks.summary.version_text import version_markdown

    with whole_file(output) as write:
        pairs = load(source, on_problem=bad, on_replaced=bad.replaced)
        found = version_report(pairs, title=_title(source, title), metrics=metrics, by=by)
        text = version_markdown(found) if form is Format.MD else found.model_dump_json(indent=2) + "\n"
        write(text.encode("utf-8", "backslashreplace"))
    return f"{output}: {counted(found.runs, 'run')}"
