"""`rag-eval-hooks measure`: TREC run files against qrels."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import IO, Annotated, cast

import typer

from rag_eval_hooks.cli.say import say
from rag_eval_hooks.reports.words import counted

__all__ = ["measure"]

HELD = 1024 * 1024
"""Bytes of a report for standard output that are kept in memory; the rest waits on disk until the end."""


class Format(StrEnum):
    """How the values are written."""

    table = "table"
    csv = "csv"
    json = "json"


class Order(StrEnum):
    """Which result comes first."""

    trec = "trec"
    file = "file"


class Empty(StrEnum):
    """What a query without any relevant document gets."""

    zero = "zero"
    null = "null"


def measure(
    qrels: Annotated[
        str, typer.Option("--qrels", metavar="FILE", help="Judgements: `query iteration document grade` a line.")
    ],
    run: Annotated[
        str, typer.Option("--run", metavar="FILE", help="Results: `query Q0 document rank score tag` a line.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="A measure, such as P@5; may be given several times."),
    ] = None,
    per_query: Annotated[bool, typer.Option("--per-query", "-q", help="Also write each query's values.")] = False,
    complete: Annotated[
        bool, typer.Option("--complete", "-c", help="A judged query without results counts 0; else it is left out.")
    ] = False,
    min_rel: Annotated[
        float | None,
        typer.Option("--min-rel", "-l", metavar="N", help="The lowest grade that is relevant, by default any above 0."),
    ] = None,
    order: Annotated[
        Order,
        typer.Option(help="trec: by score, ties by document id, both descending; file: as the lines stand."),
    ] = Order.trec,
    depth: Annotated[
        int | None, typer.Option("--depth", "-M", min=1, metavar="M", help="Only the first M results of each query.")
    ] = None,
    empty: Annotated[
        Empty, typer.Option(help="Value of a query without any relevant document; trec_eval's is zero.")
    ] = Empty.zero,
    form: Annotated[Format, typer.Option("--format", "-f", help="How the values are written.")] = Format.table,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is standard output.")
    ] = "-",
) -> None:
    """Score TREC run files, as trec_eval does.

    Values equal trec_eval's: nDCG(gain=linear) is its ndcg, AP its map, RR its recip_rank, R its recall, Hit its
    success, 1 - Judged its unj. Files may be gzipped; - is standard input, for one of the two.
    A malformed line ends the command with exit code 2, and nothing is averaged.
    The output is written whole at the end or not at all.

    \b
    Examples:
      rag-eval-hooks measure --qrels qrels.txt --run bm25.run
      rag-eval-hooks measure --qrels qrels.txt --run bm25.run -m "nDCG(gain=linear)@10" -m AP -q
      rag-eval-hooks measure --qrels qrels.txt --run bm25.run --format json -o scores.json
    """
    from rag_eval_hooks.errors import ConfigError, InputError
    from rag_eval_hooks.replay.output import refuse_input
    from rag_eval_hooks.trec import DEFAULT_MEASURES, Tally, TrecFile, judged_lists, score_lists, trec_metrics
    from rag_eval_hooks.trec.report import Report

    if min_rel is not None and not 0 < min_rel < float("inf"):
        raise ConfigError(f"--min-rel must be a number above 0, got {min_rel}")
    if qrels == run == "-":
        raise ConfigError("only one of --qrels and --run can be standard input")
    refuse_input(output, qrels, run, called="one of the inputs")
    metrics = trec_metrics(metric or DEFAULT_MEASURES)
    settings = {
        "order": order.value,
        "complete": complete,
        "min_rel": min_rel,
        "depth": depth,
        "empty": empty.value,
    }
    tally = Tally(metrics)
    with ExitStack() as stack:
        write = stack.enter_context(_held(output))
        qrels_file = stack.enter_context(TrecFile(qrels))
        run_file = stack.enter_context(TrecFile(run, _progress(stack) if sys.stderr.isatty() else None))
        report = Report(form.value, write, [str(one) for one in metrics], settings)
        lists = judged_lists(qrels_file, run_file, order=order.value, depth=depth)
        for scores in score_lists(lists, metrics, complete=complete, min_rel=min_rel, empty=empty.value):
            tally.add(scores)
            if per_query and scores.evaluated:
                report.query(scores)
        unjudged, missing = tally.left_out.get("no_gold", 0), tally.left_out.get("no_results", 0)
        if not tally.evaluated:
            raise InputError(
                f"no query can be scored: {_queries(unjudged)} only in {run_file.name}, "
                f"{missing:,} only in {qrels_file.name}; are the query ids written alike?"
            )
        report.finish(tally.averages())
    if tally.repeats:
        say(f"repeated documents: {counted(tally.repeats, 'result')} counted nothing; trec_eval refuses such a file")
    if unjudged:
        say(f"left out, not in {qrels_file.name}: {_queries(unjudged)}")
    if missing:
        say(f"left out, no results: {_queries(missing)}; --complete counts them 0")


@contextmanager
def _held(output: str) -> Iterator[Callable[[bytes], object]]:
    """Gives a function that writes to `output`, where everything appears when the block ends well, or nothing."""
    from rag_eval_hooks.replay.output import whole_file

    if output != "-":
        with whole_file(output) as write:
            yield write
        return
    with tempfile.SpooledTemporaryFile(HELD) as held:
        yield held.write
        held.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(cast("IO[bytes]", held), sys.stdout.buffer, HELD)
        sys.stdout.buffer.flush()


def _progress(stack: ExitStack) -> Callable[[int, int], None]:
    """A bar on stderr; returns how to move it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    progress = stack.enter_context(
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
    )
    task = progress.add_task("measure", total=None)
    return lambda done, size: progress.update(task, completed=done, total=size)


def _queries(number: int) -> str:
    return f"{number:,} quer{'y' if number == 1 else 'ies'}"
