"""Writes a comparison as Markdown, and its rows for a terminal's table."""

from collections.abc import Iterator, Sequence

from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.reports.words import as_number, counted
from rag_eval_hooks.summary.compare import Comparison, MeasureComparison, VersionCounts
from rag_eval_hooks.summary.words import as_interval, as_p, as_share, escaped, gaps, markdown_table

__all__ = ["COLUMNS", "comparison_lines", "comparison_markdown", "comparison_row"]

COLUMNS = ("Measure", "Pairs", "A", "B", "Change", "95 % interval", "p", "p (Holm)", "Better / same / worse", "Verdict")
NUMBERS = (1, 2, 3, 4, 6, 7)
HOW_TO_READ = (
    "Change is the mean of B - A over the pairs in which both versions have a value. "
    "p is the sign-flip test's; p (Holm) is corrected for all {tests} of this comparison, "
    "and `better` or `worse` is said where it is at most {alpha:g}. "
    "`unclear` does not mean that nothing changed: the interval says how large a change is still possible."
)


def comparison_row(one: MeasureComparison) -> tuple[str, ...]:
    """Returns one measure's cells in the order of `COLUMNS`, unescaped."""
    name = one.metric + (" (lower is better)" if one.lower_is_better else "")
    return (
        name,
        f"{one.pairs:,}",
        as_number(one.mean_a),
        as_number(one.mean_b),
        _signed(one.difference),
        as_interval(one.interval),
        as_p(one.p_value),
        as_p(one.p_holm),
        f"{one.wins:,} / {one.ties:,} / {one.losses:,}",
        one.verdict,
    )


def comparison_lines(found: Comparison) -> Iterator[str]:
    """Yields what stands above the tables: both versions, how they were paired, what limits the comparison."""
    for letter, side in (("A", found.a), ("B", found.b)):
        yield f"{letter}: {side.name}: {_counts(side)}"
    what = "question" if found.pair_by == "question" else "run id"
    yield f"Paired by {what}: {counted(found.paired, 'pair')}"
    for note in found.notes:
        yield f"Note: {note}"


def comparison_markdown(found: Comparison) -> str:
    """Returns the comparison as a Markdown page; every text from a run is escaped."""
    parts = ["# Comparison of two versions\n", "".join(f"- {escaped(line, 600)}\n" for line in comparison_lines(found))]
    how = HOW_TO_READ.format(tests=counted(found.tests, "test"), alpha=found.alpha)
    parts += ["## Measures\n", how + "\n", _table(found.measures)]
    left_out = [one for one in found.measures if one.left_out]
    if left_out:
        parts += ["## Pairs left out\n", "A pair counts only where both versions have a value.\n"]
        parts.append(
            markdown_table(
                ("Measure", "Left out", "Side and reason"),
                (
                    (escaped(one.metric), f"{sum(one.left_out.values()):,}", escaped(gaps(one.left_out), 500))
                    for one in left_out
                ),
                numbers=(1,),
            )
        )
    for name in dict.fromkeys(str(one.slice) for one in found.slices):
        parts += [f"## {escaped(name)}\n", _table([one for one in found.slices if str(one.slice) == name])]
    changed = [one for one in found.measures if one.concentration is not None]
    if changed:
        parts += ["## Who carries the change\n", _carried(changed), "## Questions that moved most\n"]
        parts += [_moved(one) for one in changed]
    return "\n".join(parts)


def _table(rows: Sequence[MeasureComparison]) -> str:
    cells = (comparison_row(one) for one in rows)
    return markdown_table(COLUMNS, ((escaped(name), *rest) for name, *rest in cells), numbers=NUMBERS)


def _carried(changed: Sequence[MeasureComparison]) -> str:
    rows = [
        (
            escaped(one.metric),
            as_share(one.concentration.top_1),
            as_share(one.concentration.top_5),
            as_share(one.concentration.top_10),
            as_number(round(one.concentration.gini, 3)),
        )
        for one in changed
        if one.concentration is not None
    ]
    says = (
        "Share of the total absolute change that the questions with the largest change carry. "
        "Gini: 0 when each question changed by as much, near 1 when a single one did.\n\n"
    )
    return says + markdown_table(("Measure", "Top 1 %", "Top 5 %", "Top 10 %", "Gini"), rows, numbers=(1, 2, 3, 4))


def _moved(one: MeasureComparison) -> str:
    rows = (
        (
            escaped(move.question or "(no question)"),
            as_number(move.a),
            as_number(move.b),
            escaped(move.run_a, 60),
            escaped(move.run_b, 60),
        )
        for move in one.moved
    )
    table = markdown_table(("Question", "A", "B", "Run in A", "Run in B"), rows, numbers=(1, 2))
    return f"### {escaped(one.metric)}\n\n{table}"


def _counts(side: VersionCounts) -> str:
    parts = [counted(side.runs, "run"), counted(side.questions, "question"), f"{side.unpaired:,} of them unpaired"]
    if side.repeated:
        parts.append(counted(side.repeated, "repeat"))
    if side.without_key:
        parts.append(f"{side.without_key:,} without a question")
    return one_line(", ".join(parts), 300)


def _signed(value: float | None) -> str:
    return ("+" if value is not None and value > 0 else "") + as_number(value)
