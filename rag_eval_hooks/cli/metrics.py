"""`rag-eval-hooks metrics`: the catalogue of measures."""

import inspect
from dataclasses import fields
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Literal, get_args, get_origin, get_type_hints

import typer

if TYPE_CHECKING:
    from rag_eval_hooks.metrics import Metric

__all__ = ["metrics"]

CHOICES = (
    ("one right answer in one place", "RR, Hit"),
    ("several relevant items, all alike", "AP, R"),
    ("graded relevance", "nDCG"),
    ("several items needed together", "CompleteEvidence, EvidenceRecall"),
    ("total of relevant items unknown", "T (P beside it), Fe"),
    ("order of the prompt, for a model", "ContextPrecision (ContextUse beside it)"),
    ("what is in the prompt, for a model", "UDCG, Distraction"),
    ("live, no labels at all", "Groundedness, EvidenceConflict, ContextUse, CitationRecall"),
    ("right answers known", "AnswerMatch"),
)
"""Which measure to take, by what is known or wanted."""


def metrics(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A measure, to read all about it.")] = None,
) -> None:
    """List the measures, or explain one.

    The list says what each needs and which to take; with NAME, its formula, parameters, and when to take another.
    """
    from rag_eval_hooks.metrics import metric_classes, parse_metric

    if name is not None:
        known = metric_classes()
        typer.echo(_explained(known[name] if name in known else type(parse_metric(name))))
        return

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("Name", "What it measures", "Needs", show_edge=False, pad_edge=False)
    for key, kind in metric_classes().items():
        summary = inspect.cleandoc(kind.__doc__ or "").partition("\n")[0]
        table.add_row(Text(key, no_wrap=True), Text(summary), Text(", ".join(sorted(kind.needs)) or "nothing"))
    choices = Table("Where you have or want", "take", show_edge=False, pad_edge=False)
    for situation, names in CHOICES:
        choices.add_row(Text(situation), Text(names))
    console = Console()
    console.print(table)
    console.print()
    console.print(choices)


def _explained(kind: "type[Metric]") -> str:
    text = inspect.cleandoc(kind.__doc__ or "").partition("\n>>> ")[0].rstrip()  # without its doctest
    lines = [kind.name, "", text, ""]
    lines += [f"{label}: {said}" for label, said in (("When", kind.use_when), ("When not", kind.avoid_when)) if said]
    low, high = kind.bounds
    lines += [
        "",
        f"Needs: {', '.join(sorted(kind.needs)) or 'nothing'}",
        f"Values: {low:g} {f'to {high:g}' if isfinite(high) else 'and up'}",
    ]
    lines.append(f"Version: {kind.version}")
    hints = get_type_hints(kind)
    parameters = [line for field in fields(kind) for line in _parameter(kind, field.name, hints[field.name])]
    if parameters:
        lines += ["", "Parameters:", *parameters]
    return "\n".join(lines)


def _parameter(kind: "type[Metric]", name: str, hint: object) -> list[str]:
    default = next(field.default for field in fields(kind) if field.name == name)
    if name == "k":
        return ["  k (written @k): whole number from 1; without it, the whole list"]
    if get_origin(hint) is Literal:
        typed = " | ".join(map(str, get_args(hint)))
    else:
        low, high = kind.ranges.get(name, (None, None))
        typed = "number" if low is None or high is None else f"number from {low:g} to {high:g}"
    return [f"  {name}: {typed} (default {default})"]
