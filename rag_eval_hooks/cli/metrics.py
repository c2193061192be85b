"""`rag-eval-hooks metrics`: the catalogue of measures."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import Field, fields
from itertools import pairwise
from math import inf, isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

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
    hints, said = get_type_hints(kind), _parameter_texts(kind)
    parameters = [line for field in fields(kind) for line in _parameter(kind, field, hints[field.name], said)]
    if parameters:
        lines += ["", "Parameters:", *parameters]
    if "level" in said:
        lines += ["", *_levels()]
    return "\n".join(lines)


def _parameter(kind: "type[Metric]", field: "Field[Any]", hint: object, said: Mapping[str, str]) -> list[str]:
    if field.name == "k":
        typed = "  k (written @k): whole number from 1 (default: the whole list)"
    elif get_origin(hint) is Literal:
        typed = f"  {field.name}: {' | '.join(map(str, get_args(hint)))} (default {field.default})"
    else:
        low, high = kind.ranges.get(field.name, (-inf, inf))
        between = f"number from {low:g} to {high:g}" if isfinite(low) and isfinite(high) else "number"
        typed = f"  {field.name}: {between} (default {field.default:g})"
    return [typed, f"      {said[field.name]}"] if field.name in said else [typed]


def _parameter_texts(kind: "type[Metric]") -> dict[str, str]:
    """The text under each parameter in the source of its class; without the source, none."""
    said: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        if "__dataclass_params__" not in owner.__dict__:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError, SyntaxError):  # typed into a console
            continue
        body = next((node.body for node in tree.body if isinstance(node, ast.ClassDef)), [])
        for one, two in pairwise(body):
            text = two.value if isinstance(two, ast.Expr) else None
            named = one.target if isinstance(one, ast.AnnAssign) else None
            if isinstance(named, ast.Name) and isinstance(text, ast.Constant) and isinstance(text.value, str):
                said[named.id] = " ".join(text.value.split())
    return {field.name: said[field.name] for field in fields(kind) if field.name in said}


def _levels() -> list[str]:
    from rag_eval_hooks.record.item_keys import DOCUMENT_KEYS, PAGE_KEYS

    return [
        "Levels:",
        f"  A document is named by the first of these in a chunk's metadata: {', '.join(DOCUMENT_KEYS)}.",
        f"  A page is a document and the first of: {', '.join(PAGE_KEYS)}. Other chunks keep their own id.",
        "  A labelled id is rolled up through the chunks of the run that carry it. One that none carries is taken as",
        "  it is, so labels may name a document (a.pdf) or a page (a.pdf#page=3).",
        "  Gold spans need the chunks' place: start_index, char_start, start (with ..._end, or as long as the text),",
        "  or position: [start, end]. A chunk covers a span when it holds at least half of it.",
    ]
