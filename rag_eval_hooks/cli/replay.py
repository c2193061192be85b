"""`rag-eval-hooks replay`: evaluates logged runs."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.progress import line_progress
from rag_eval_hooks.cli.say import BadLines, say
from rag_eval_hooks.reports.words import counted

if TYPE_CHECKING:
    from collections import Counter

    from rag_eval_hooks.attribution import Attributor, Background, SupportModel
    from rag_eval_hooks.metrics import Metric
    from rag_eval_hooks.replay import Summary

__all__ = ["replay"]

MOST_FIELDS = 10
LEARN = "learn"
"""Given as `--background`: read the log twice."""


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
    calibration: Annotated[
        str | None,
        typer.Option("--calibration", metavar="FILE", help="Apply what `recalibrate` wrote."),
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(
            "--background", metavar="FILE", help="How common terms are: a stored file, or `learn` from IN first."
        ),
    ] = None,
    save_background: Annotated[
        str | None, typer.Option("--save-background", metavar="FILE", help="Write what was learned, to be given again.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
) -> None:
    """Evaluate logged runs, a line each.

    One JSON object a line in, one evaluation a line out, in the same order.
    A line that cannot be read costs only itself: it is reported on stderr and the exit code is 1.
    Fields that are not known are ignored, and named at the end; runs whose gold ids fit no chunk are counted.
    OUT is written whole at the end or not at all, and never over an SQLite file; --store writes into one.
    The same runs with the same calibration and background give the same evaluations.

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
    model = None
    if support_model is not None:
        from rag_eval_hooks.support_models import open_support_model

        model = open_support_model(support_model)
    with ExitStack() as stack:
        sink = None
        if store is not None:
            from rag_eval_hooks.sinks import SqlSink

            sink = stack.enter_context(SqlSink(store))
            if sink.address.path is not None and same_file(sink.address.path, target):
                raise ConfigError(f"{target} is the store itself; give another file for the evaluations, or - as OUT")
        attributor = _attributor(source, target, calibration, background, save_background, model, quiet=quiet)
        printer, on_progress = stack.enter_context(line_progress("evaluated", quiet=quiet))
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


def _attributor(
    source: str,
    target: str,
    calibration: str | None,
    background: str | None,
    save_background: str | None,
    model: "SupportModel | None",
    *,
    quiet: bool,
) -> "Attributor":
    """What the options say attribution goes by."""
    from rag_eval_hooks.attribution import Attributor, Background, Calibration
    from rag_eval_hooks.errors import ConfigError
    from rag_eval_hooks.replay.output import refuse_input

    if save_background is not None and background != LEARN:
        raise ConfigError(f"--save-background writes what `--background {LEARN}` learned; give both")
    given = [one for one in (calibration, background) if one is not None and one != LEARN]
    refuse_input(target, *given, called="one of the inputs")
    fitted = None if calibration is None else Calibration.load(calibration)
    if background is None or background != LEARN:
        return Attributor(None if background is None else Background.load(background), fitted, model)
    return Attributor(_learned(source, target, save_background, quiet=quiet), fitted, model)


def _learned(source: str, target: str, save: str | None, *, quiet: bool) -> "Background":
    from rag_eval_hooks.errors import ConfigError
    from rag_eval_hooks.replay import learn_background
    from rag_eval_hooks.replay.output import refuse_input, same_file, whole_file

    if save is not None:
        refuse_input(save, source)
        if same_file(save, target) or save == target:
            raise ConfigError(f"{target} is the file for the evaluations; give another for the background")
    with line_progress("read for the background", quiet=quiet) as (_, move):
        background = learn_background(source, on_progress=move)
    if save is not None:
        with whole_file(save) as write:
            write(background.to_json().encode("utf-8"))
    return background


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
