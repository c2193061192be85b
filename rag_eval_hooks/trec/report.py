"""Writes scores as a table, CSV or strict JSON, row by row."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from rag_eval_hooks.metrics.average import Average
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.trec.scores import QueryScores

__all__ = ["Format", "Report"]

Format = Literal["table", "csv", "json"]

MAX_QUERY = 40


class Report:
    """Writes one report; nothing is kept, so it may be of any length.

    Args:
        form: `table`: for people, and for `grep`; `csv`; `json`.
        write: Takes the report, piece by piece.
        metrics: The measures' names, in the order of the values.
        settings: What the values depend on beside the measures; part of the JSON, a line above the table.
    """

    def __init__(
        self, form: Format, write: Callable[[bytes], object], metrics: Sequence[str], settings: Mapping[str, Any]
    ) -> None:
        self._form = form
        self._write = write
        self._metrics = metrics
        self._settings = settings
        self._width = max(map(len, metrics), default=0)
        self._rows = 0
        if form == "json":
            self._put('{"per_query": [')
        elif form == "csv":
            self._csv("row", "query", "metric", "value", "scored", "not_scored")
        else:
            said = ", ".join(f"{key} {_word(value)}" for key, value in settings.items() if value is not None)
            self._put(f"# {said}\n")

    def query(self, scores: QueryScores) -> None:
        """Writes one query's values."""
        lines: list[str] = []
        for metric, value in zip(self._metrics, scores.values, strict=True):
            number = None if isinstance(value, str) else value
            if self._form == "json":
                row = {"query": scores.query, "metric": metric, "value": number}
                if number is None:
                    row["reason"] = str(value)
                lines.append(("," if self._rows else "") + "\n" + _json(row))
            elif self._form == "csv":
                self._csv("query", scores.query, metric, "" if number is None else repr(number), "", "")
            else:
                name = one_line(scores.query, MAX_QUERY)
                shown = f"null ({value})" if number is None else f"{number:.4f}"
                lines.append(f"{metric:<{self._width}}  {name:<8}  {shown}\n")
            self._rows += 1
        self._put("".join(lines))

    def finish(self, averages: Sequence[Average]) -> None:
        """Writes the means, and ends the report."""
        if self._form == "json":
            rows = [
                {"metric": one.metric, "value": one.mean, "scored": one.scored, "not_scored": dict(one.not_scored)}
                for one in averages
            ]
            self._put(f'\n], "mean": {_json(rows)}, "settings": {_json(dict(self._settings))}}}\n')
            return
        for one in averages:
            reasons = ", ".join(f"{reason} {count}" for reason, count in one.not_scored.items())
            if self._form == "csv":
                self._csv("mean", "", one.metric, "" if one.mean is None else repr(one.mean), str(one.scored), reasons)
            else:
                mean = "null" if one.mean is None else f"{one.mean:.4f}"
                rest = f"{one.scored} scored" + (f", not scored: {reasons}" if reasons else "")
                self._put(f"{one.metric:<{self._width}}  {'all':<8}  {mean}  ({rest})\n")

    def _csv(self, *fields: str) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(fields)
        self._put(line.getvalue())

    def _put(self, text: str) -> None:
        self._write(text.encode())


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
