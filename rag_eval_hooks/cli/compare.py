"""`rag-eval-hooks compare`: what changed between two versions."""

import sys
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.say import BadLines, say

if TYPE_CHECKING:
    from rag_eval_hooks.summary.compare import Comparison, MeasureComparison

__all__ = ["compare"]


class Format(StrEnum):
    """How to write the comparison."""

    TABLE = "table"
    MD = "md"
    JSON = "json"


class PairBy(StrEnum):
    """What makes two runs a pair."""

    QUESTION = "question"
    RUN_ID = "run_id"


def compare(
    before: Annotated[str, typer.Argument(metavar="A", help="The version before: a store, or JSONL; see `report`.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The version after; - for one of the two is stdin.")],
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="A measure; may be given several times. Default: all."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="KEY", help="Also within each slice: metadata.KEY, tag, answer_kind, script, ..."),
    ] = None,
    pair: Annotated[PairBy, typer.Option("--pair", help="What makes two runs a pair.")] = PairBy.QUESTION,
    form: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.TABLE,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to; - is stdout.")] = "-",
    fail_on_drop: Annotated[
        bool, typer.Option("--fail-on-drop", help="Exit code 1 when a measure got significantly worse.")
    ] = False,
) -> None:
    """Compare two versions, question by question.

    Means of the pairs, the mean change with a 95 % interval, a sign-flip test corrected by Holm for all measures and
    slices, and the questions that moved most.
    Runs without a partner, and pairs in which one side has no value, are left out and counted.

    \b
    Examples:
      rag-eval-hooks compare before.db after.db
      rag-eval-hooks compare a.jsonl b.jsonl -m nDCG@10 -m Groundedness --by metadata.topic
      rag-eval-hooks compare main.db branch.db --format md -o change.md --fail-on-drop
    """
    from rag_eval_hooks.errors import ConfigError
    from rag_eval_hooks.metrics import parse_metric
    from rag_eval_hooks.replay import load
    from rag_eval_hooks.replay.output import refuse_input, whole_file
    from rag_eval_hooks.replay.source import source_name
    from rag_eval_hooks.summary.compare import compare as run_compare

    if before == after == "-":
        raise ConfigError("only one of the two can be standard input; name a file for the other")
    refuse_input(output, before, after, called="one of the versions")
    metrics = [parse_metric(name) for name in dict.fromkeys(metric or ())]
    bad = BadLines()
    with whole_file(output) as write:
        found = run_compare(
            load(before, on_problem=bad, on_replaced=partial(bad.replaced, source=before)),
            load(after, on_problem=bad, on_replaced=partial(bad.replaced, source=after)),
            metrics=metrics,
            by=by or (),
            pair_by=pair.value,
            names=(source_name(before), source_name(after)),
        )
        write(_written(found, form, to_stdout=output == "-").encode("utf-8", "backslashreplace"))
    bad.finish()
    if fail_on_drop and found.dropped:
        say(f"significantly worse: {', '.join(_named(one) for one in found.dropped)}")
    if bad.count or (fail_on_drop and found.dropped):
        raise typer.Exit(1)


def _named(one: "MeasureComparison") -> str:
    where = f" in {one.slice}" if one.slice is not None else ""
    return f"{one.metric}{where} {one.mean_a:.4g} -> {one.mean_b:.4g}"


def _written(found: "Comparison", form: Format, *, to_stdout: bool) -> str:
    from rag_eval_hooks.summary.compare_text import comparison_markdown

    if form is Format.JSON:
        return found.model_dump_json(indent=2) + "\n"
    if form is Format.MD:
        return comparison_markdown(found)
    return _table(found, None if to_stdout and sys.stdout.isatty() else 160)


def _table(found: "Comparison", width: int | None) -> str:
    import io

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from rag_eval_hooks.reports.plain import one_line
    from rag_eval_hooks.summary.compare_text import COLUMNS, comparison_lines, comparison_row
    from rag_eval_hooks.summary.words import gaps

    text = io.StringIO()
    console = Console(file=text, width=width, highlight=False)

    def line(says: str, limit: int = 500) -> None:
        console.print(Text(one_line(says, limit)), soft_wrap=True)

    for says in comparison_lines(found):
        line(says)
    places = dict.fromkeys((None, *(str(one.slice) for one in found.slices)))
    for place in places:
        rows = [one for one in (*found.measures, *found.slices) if (str(one.slice) if one.slice else None) == place]
        if not rows:
            continue
        console.print()
        if place is not None:
            line(place)
        table = Table(show_edge=False, pad_edge=False)
        for column in COLUMNS:
            table.add_column(column, justify="left" if column in ("Measure", "Verdict") else "right")
        for one in rows:
            table.add_row(*(Text(one_line(cell)) for cell in comparison_row(one)))
        console.print(table)
    for one in found.measures:
        if one.left_out:
            line(f"{one.metric}: left out {sum(one.left_out.values()):,}: {gaps(one.left_out)}")
    for one in found.measures:
        if one.verdict != "unclear":
            console.print()
            line(f"{one.metric}, moved most:")
            for move in one.moved:
                line(f"  {move.a:.4g} -> {move.b:.4g}  {move.question or '(no question)'} ({move.run_a}, {move.run_b})")
    return text.getvalue()
