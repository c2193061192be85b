"""`rag-eval-hooks recalibrate`: fits the probabilities to a user's own labels."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.progress import line_progress
from rag_eval_hooks.cli.say import BadLines, say
from rag_eval_hooks.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from rag_eval_hooks import RagRun
    from rag_eval_hooks.attribution import Attributor, Calibration
    from rag_eval_hooks.attribution.calibration import HeadName
    from rag_eval_hooks.attribution.recalibrate import Fit, Pairs, Quality

__all__ = ["recalibrate"]


def recalibrate(
    source: Annotated[
        str, typer.Argument(metavar="LABELLED", help="JSONL of labelled runs (also gzipped), a store, or - for stdin.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the calibration goes.")
    ] = "calibration.json",
    traffic: Annotated[
        str | None,
        typer.Option("--traffic", metavar="LOG", help="Runs without labels, to estimate how much of them is positive."),
    ] = None,
    background: Annotated[
        str | None,
        typer.Option("--background", metavar="FILE", help="The background that replay or Hooks will use, too."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no table.")] = False,
) -> None:
    """Fit the probabilities to your own labels.

    Reads runs with gold.used (ids of the chunks the answer used) or gold.supported (true, false or null for each
    claim of the evaluation, in order), and writes a small file for replay --calibration and for Hooks.
    From 20 labels the level is fitted, from about 50 the steepness, too; the thresholds stay as published.
    The table shows each head before, and after by cross-validation.

    \b
    Examples:
      rag-eval-hooks recalibrate labelled.jsonl --output calibration.json
      rag-eval-hooks replay log.jsonl evaluations.jsonl --calibration calibration.json
    """
    from dataclasses import replace

    from rag_eval_hooks.attribution import Attributor, Background
    from rag_eval_hooks.attribution.recalibrate import calibration_of, fit_head
    from rag_eval_hooks.replay.output import refuse_input, whole_file

    attributor = Attributor(background=None if background is None else Background.load(background))
    refuse_input(output, source, *(one for one in (traffic, background) if one), called="one of the inputs")
    groups, bad = _labels(source, attributor, quiet=quiet)
    fits = {head: fit_head(head, found) for head, found in groups.items()}
    calibration = calibration_of(fits, groups)
    lines = [_rows(head, fits[head], sum(map(len, pairs))) for head, pairs in groups.items()]
    if traffic is not None:
        attributor = replace(attributor, calibration=calibration)
        calibration, shifts, more = _shifted(calibration, traffic, attributor, quiet=quiet)
        bad += more
        lines += shifts
    with whole_file(output) as write:
        write(calibration.to_json().encode("utf-8"))
    if not quiet:
        typer.echo("\n".join(lines), err=output == "-")
        say(f"written: {'standard output' if output == '-' else output}")
    if bad:
        raise typer.Exit(1)


def _labels(source: str, attributor: "Attributor", *, quiet: bool) -> "tuple[dict[HeadName, list[Pairs]], int]":
    from rag_eval_hooks.attribution.recalibrate import ContradictingLabels, labelled_pairs

    groups: dict[HeadName, list[Pairs]] = {"use": [], "support": []}

    contradicting = ContradictingLabels()

    def take(run: "RagRun") -> None:
        contradicting.note(run)
        for head, pairs in labelled_pairs(run, attributor).items():
            if pairs:
                groups[head].append(pairs)

    bad = _each_run(source, "read", take, quiet=quiet)
    if contradicting.warning:
        say(f"warning: {contradicting.warning}")
    return groups, bad


def _each_run(source: str, what: str, take: "Callable[[RagRun], None]", *, quiet: bool) -> int:
    """Calls `take` for each run of a file, reports lines that hold none or one it refuses, and counts those."""
    from rag_eval_hooks.errors import InputError
    from rag_eval_hooks.replay.lines import Line, Problem
    from rag_eval_hooks.replay.replay import lines_of

    with line_progress(what, quiet=quiet) as (printer, move), lines_of(source, move) as lines:
        bad = BadLines(printer)
        for line in lines:
            if line.run is None:
                bad(line)
                continue
            try:
                take(line.run)
            except InputError as error:
                bad(Line(line.number, problem=Problem("wrong_shape", str(error))))
    bad.finish()
    return bad.count


def _shifted(
    calibration: "Calibration", traffic: str, attributor: "Attributor", *, quiet: bool
) -> "tuple[Calibration, list[str], int]":
    """The calibration at the share of positives in the traffic, of each head it has, and what to say of it."""
    from rag_eval_hooks.attribution import attribute, prior_shift

    seen: dict[HeadName, list[float]] = {"use": [], "support": []}

    def take(run: "RagRun") -> None:
        attribution = attribute(run, attributor)
        seen["use"] += [
            one.use_probability for one in attribution.chunks if one.in_prompt and one.use_probability is not None
        ]
        seen["support"] += [one.probability for one in attribution.claims if one.probability is not None]

    bad = _each_run(traffic, "of traffic read", take, quiet=quiet)
    said = []
    for head, probabilities in seen.items():
        scaling = calibration.use if head == "use" else calibration.support
        if scaling is not None and scaling.share is not None and probabilities:
            share = prior_shift(probabilities, scaling.share)
            calibration = calibration.with_prior(share, head=head)
            said.append(
                f"{head}: by estimate {share:.1%} of the traffic is positive; of the labels {scaling.share:.1%}"
            )
    return calibration, said, bad


def _rows(head: "HeadName", fit: "Fit | None", labels: int) -> str:
    from rag_eval_hooks.attribution.recalibrate import MIN_LABELS, THRESHOLDS

    if fit is None:
        why = "none" if not labels else f"{counted(labels, 'label')}; {MIN_LABELS} of both kinds are needed"
        return f"{head}: no fit ({why})"
    scaling, threshold = fit.scaling, THRESHOLDS[head]
    return (
        f"{head}: {counted(scaling.labels, 'label')}, {scaling.share:.1%} positive; slope {scaling.slope:.2f}, "
        f"intercept {scaling.intercept:+.2f}\n"
        f"  what was {scaling.undo(threshold):.2f} becomes {threshold:.2f}, from which the head says yes\n"
        "          ECE    Brier  F1\n"
        f"  before  {_figures(fit.before)}\n"
        f"  after   {_figures(fit.after)}"
    )


def _figures(quality: "Quality") -> str:
    return f"{quality.ece:.3f}  {quality.brier:.3f}  {'-' if quality.f1 is None else f'{quality.f1:.3f}'}"
