"""`rag-eval-hooks replay`: evaluates logged runs."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.say import BadLines, say
from rag_eval_hooks.reports.words import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from rag_eval_hooks.metrics import Metric
    from rag_eval_hooks.replay import Summary

__all__ = ["replay"]

MOST_FIELDS = 10


def replay(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="JSONL of runs (also gzipped), a store, or - for standard input.")
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="JSONL of evaluations; - is standard output.")] = "-",
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="A measure, such as nDCG@10; may be given several times."),
    ] = None,
    k: Annotated[int | None, typer.Option("--k", metavar="K", help="Look at the first K chunks of each run.")] = None,
    stores: Annotated[
        list[str] | None,
        typer.Option("--store", metavar="ADDRESS", help="Also write to this SQLite file or PostgreSQL URL."),
    ] = None,
    support_model: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Ask the model in FOLDER (model.onnx, tokenizer.json, config.json) about uncertain claims.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
) -> None:
    """Evaluate logged runs, a line each.

    One JSON object a line in, one evaluation a line out, in the same order.
    A line that cannot be read costs only itself: it is reported on stderr and the exit code is 1.
    Fields that are not known are ignored, and named at the end; runs whose gold ids fit no chunk are counted.
    OUT is written whole at the end or not at all, and never over an SQLite file; --store writes into one.

    \b
    A line may be as short as
      {"question": "...", "contexts": [{"id": "c1", "text": "..."}], "answer": "... [1]"}
    """
    from rag_eval_hooks.errors import ConfigError
    from rag_eval_hooks.metrics import parse_metric
    from rag_eval_hooks.replay import replay as run_replay
    from rag_eval_hooks.replay.output import same_file

    if stores and len(stores) > 1:
        raise ConfigError("--store can be given once; replay the first store again to write into a second")
    store = stores[0] if stores else None
    metrics = [_with_cutoff(parse_metric(name), k) for name in metric] if metric else None
    attributor = None
    if support_model is not None:
        from rag_eval_hooks.attribution import Attributor
        from rag_eval_hooks.support_models import open_support_model

        attributor = Attributor(support_model=open_support_model(support_model))
    with ExitStack() as stack:
        sink = None
        if store is not None:
            from rag_eval_hooks.sinks import SqlSink

            sink = stack.enter_context(SqlSink(store))
            if sink.address.path is not None and same_file(sink.address.path, target):
                raise ConfigError(f"{target} is the store itself; give another file for the evaluations, or - as OUT")
        printer, on_progress = _progress(stack) if not quiet and sys.stderr.isatty() else (say, None)
        bad = BadLines(printer)
        summary = run_replay(
            source,
            target,
            metrics=metrics,
            k=k,
            attributor=attributor,
            sink=sink,
            on_problem=bad,
            on_replaced=bad.replaced,
            on_progress=on_progress,
        )
    bad.finish()
    if not quiet:
        if summary.ignored:
            say(_ignored(summary.ignored))
        if summary.unmatched:
            say(_unmatched(summary))
        if summary.model_incomplete:
            say(f"support model: no answer for all its claims in {counted(summary.model_incomplete, 'evaluation')}")
        say(_sentence(summary))
    if bad.count:
        raise typer.Exit(1)


def _with_cutoff(metric: "Metric", k: int | None) -> "Metric":
    """The measure with `--k`, where it takes a cut-off and its name gives none."""
    return metric @ k if k is not None and getattr(metric, "k", k) is None else metric


def _progress(stack: ExitStack) -> "tuple[Callable[[str], None], Callable[[int, int | None], None]]":
    """A bar on stderr; returns how to print a line above it and how to move it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.fields[lines]} lines", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    stack.enter_context(progress)
    task = progress.add_task("replay", total=None, lines=0)
    count = 0

    def move(done: int, size: int | None) -> None:
        nonlocal count
        count += 1
        progress.update(task, completed=done, total=size, lines=f"{count:,}")

    return (lambda text: console.print(Text(text), soft_wrap=True)), move


def _sentence(summary: "Summary") -> str:
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in sorted(summary.bad.items()))
    bad = summary.bad.total()
    text = f"{counted(summary.read, 'line')} read, {summary.evaluated:,} evaluated, {bad:,} bad"
    if kinds:
        text += f" ({kinds})"
    if summary.repeated_ids and summary.stored is not None:
        text += (
            f"; {counted(summary.repeated_ids, 'run id')} repeated: the store holds {counted(summary.stored, 'run')} "
            "of this replay, the last of each id"
        )
    return text


def _unmatched(summary: "Summary") -> str:
    of_all = f"{summary.unmatched:,} of {counted(summary.labelled, 'labelled run')}"
    return (
        f"gold: in {of_all} no gold id names a chunk, its page or its document: "
        "nothing relevant was found, or the ids are of another kind"
    )


def _ignored(fields: "Counter[str]") -> str:
    shown = [_ignored_field(name, count) for name, count in fields.most_common(MOST_FIELDS)]
    if len(fields) > MOST_FIELDS:
        shown.append(f"and {len(fields) - MOST_FIELDS} more")
    return f"ignored fields: {', '.join(shown)}"


def _ignored_field(name: str, count: int) -> str:
    from rag_eval_hooks.record.read import nearest_key

    meant = nearest_key(name)
    return f"{name} ({counted(count, 'line')}{f'; did you mean {meant}?' if meant else ''})"
