"""Writes one self-contained HTML file: no request leaves it, and no text in it can become markup or script."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.record.clean import clean_text
from rag_eval_hooks.replay.output import whole_file
from rag_eval_hooks.reports.overview import Overview, headlines
from rag_eval_hooks.reports.payload import index_row, run_data, script_json
from rag_eval_hooks.reports.view import run_view
from rag_eval_hooks.reports.words import FINDINGS, STATUSES, USES, VERDICTS, counted

__all__ = ["DEFAULT_LIMIT", "write_report"]

DEFAULT_LIMIT = 500
LONG_NAME = 10

SCRIPTS = ("dom.js", "run.js", "list.js")


def write_report(
    pairs: Iterable[tuple[RagRun | None, Evaluation]],
    path: Path | str,
    *,
    title: str = "RAG evaluation",
    limit: int | None = DEFAULT_LIMIT,
) -> int:
    """Writes a report as one HTML file that works without network, and returns how many runs it shows.

    Averages and counts cover all pairs; the first `limit` runs can be opened one by one, and the page says so.
    The file appears whole or not at all, see `rag_eval_hooks.replay.output.whole_file`.

    Args:
        pairs: Each run's record and evaluation; a record of None shows the answer without the chunks' texts.
        path: The file to write; an existing one is replaced, of a link the file behind it. `-` is standard output.
        title: The page's heading.
        limit: How many runs to show at most; None shows all.

    Raises:
        ConfigError: If `path` cannot be written to, or `limit` is negative.
    """
    if limit is not None and limit < 0:
        raise ConfigError(f"limit is {limit}; give 0 or more, or None for all runs")
    overview = Overview()
    rows: list[dict[str, Any]] = []
    blocks: list[Markup] = []
    with whole_file(path) as write:
        for run, evaluation in pairs:
            shown = limit is None or len(rows) < limit
            overview.add(run, evaluation, len(rows) if shown else None)
            if shown:
                view = run_view(run, evaluation)
                rows.append(index_row(view))
                blocks.append(Markup(script_json(run_data(view))))  # noqa: S704  script_json escapes it
        for part in _render(str(clean_text(title)), overview, rows, blocks):
            write(part.encode("utf-8"))
    return len(rows)


def _render(title: str, overview: Overview, rows: list[dict[str, Any]], blocks: list[Markup]) -> Iterator[str]:
    averages = overview.averages()
    style, script = _style(), _script()
    index = {
        "runs": rows,
        "total": overview.runs,
        "verdicts": VERDICTS,
        "uses": USES,
        "findings": FINDINGS,
        "statuses": STATUSES,
        "says": {row.metric: row.says for row in averages},
    }
    return _template().generate(
        title=title,
        policy=(
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        style=Markup(style),  # noqa: S704  our own file
        script=Markup(script),  # noqa: S704  our own file
        counted=counted,
        index_shown=len(rows),
        overview=overview,
        averages=averages,
        headlines=headlines(averages, cites=overview.cites),
        index=Markup(script_json(index)),  # noqa: S704  script_json escapes it
        blocks=blocks,
    )


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["breakable"] = breakable
    return environment.from_string(_asset("report.html.j2"))


def breakable(name: str) -> Markup:
    """Returns a measure's name, escaped, that may break between its words.

    >>> breakable("ContextUse@5")
    Markup('Context<wbr>Use<wbr>@5')
    """
    return Markup("<wbr>").join(re.split(r"(?<=[a-z])(?=[A-Z(@])", name)) if len(name) > LONG_NAME else escape(name)


def _asset(name: str) -> str:
    return (files("rag_eval_hooks.reports") / "assets" / name).read_text(encoding="utf-8")


@cache
def _style() -> str:
    return _asset("report.css")


@cache
def _script() -> str:
    """The page's scripts in one function scope, so that none of their names is global."""
    body = "\n".join(_asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}}})();\n'


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
