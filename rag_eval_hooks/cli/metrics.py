"""`rag-eval-hooks metrics`: the catalogue of measures."""

import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rag_eval_hooks.metrics import Metric

__all__ = ["metrics"]


def metrics(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A measure, to read all about it.")] = None,
) -> None:
    """List the measures, or explain one.

    The list says what each needs; with NAME, its formula and parameters.
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
    Console().print(table)


def _explained(kind: "type[Metric]") -> str:
    text = inspect.cleandoc(kind.__doc__ or "").partition("\n>>> ")[0].rstrip()  # without its doctest
    lines = [kind.name, "", text]
    lines += ["", f"Needs: {', '.join(sorted(kind.needs)) or 'nothing'}", f"Version: {kind.version}"]
    parameters = [_parameter(field.name, field.type, field.default) for field in fields(kind)]
    if parameters:
        lines += ["", "Parameters:", *parameters]
    return "\n".join(lines)


def _parameter(name: str, kind: object, default: object) -> str:
    typed = kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")
    written = f"{name} (written @{name})" if name == "k" else name
    return f"  {written}: {typed} = {default!r}"
