"""Writes the report of one version as a Markdown page."""

from collections.abc import Iterator, Sequence

from rag_eval_hooks.reports.outcomes import outcomes_line
from rag_eval_hooks.reports.words import as_number, counted
from rag_eval_hooks.summary.measures import family
from rag_eval_hooks.summary.models import Interval, MeasureSummary, NumberSummary, RunRef
from rag_eval_hooks.summary.version_models import Amount, SliceSummary, VersionReport
from rag_eval_hooks.summary.words import as_interval, as_share, escaped, gaps, markdown_table

__all__ = ["version_markdown"]

SLICED = ("nDCG", "RR", "R", "CompleteEvidence", "ContextPrecision", "Groundedness", "CitationPrecision", "AnswerMatch")
MOST_SLICED = 5
WORST_OF = 3
SECTIONS = (
    ("Retrieval", ("P", "R", "Hit", "F", "Fe", "RR", "AP", "nDCG", "Judged", "T", "UDCG", "Distraction", "Packed")),
    (
        "Evidence",
        (
            *("AnyEvidence", "CompleteEvidence", "EvidenceRecall", "EvidenceCompleteness", "QuestionCoverage"),
            *("EvidenceConflict", "Provenance"),
        ),
    ),
    ("Use of the context", ("ContextPrecision", "ContextUse", "TokenUse", "FirstUse")),
    (
        "Answer and citations",
        ("Groundedness", "AnswerMatch", "CitationPrecision", "CitationRecall", "CitationCoverage"),
    ),
)
ABOUT = (
    "Means are over the runs with a value, each with its 95 % interval; "
    "a run without a value counts in no mean and stands under its reason."
)


def version_markdown(report: VersionReport) -> str:
    """Returns the report as a Markdown page; every text from a run is escaped."""
    return "\n".join(_parts(report))


def _parts(report: VersionReport) -> Iterator[str]:
    yield f"# {escaped(report.title)}\n"
    yield _runs(report)
    yield "## What was retrieved\n"
    yield _retrieval(report)
    yield "## Measures\n"
    yield ABOUT + "\n"
    named = {name for _, names in SECTIONS for name in names}
    sections = [(title, [one for one in report.measures if family(one.metric) in names]) for title, names in SECTIONS]
    sections.append(("Other measures", [one for one in report.measures if family(one.metric) not in named]))
    for title, measures in sections:
        if measures:
            yield f"### {title}\n"
            yield _measures(measures)
    yield "## Sufficient context\n"
    yield _sufficiency(report)
    yield "## Latency\n"
    yield _times(report)
    yield "## What failed first\n"
    yield _findings(report)
    yield "## Questions for which nothing relevant was found\n"
    yield _zero_recall(report)
    worst = [one for one in report.measures if family(one.metric) in SLICED and one.worst]
    if worst:
        yield "## Lowest values\n"
        yield _worst(worst)
    if report.slices:
        yield "## Slices\n"
        yield from _slices(report)
    yield "## Limits\n"
    yield "".join(f"- {escaped(note, 800)}\n" for note in report.notes)


def _runs(report: VersionReport) -> str:
    lines = [
        f"Queries: {counted(report.runs, 'run')} of {_amount(report.questions, 'different question')}"
        + (f", standing for about {report.represented:,.0f} runs" if report.represented > report.runs + 0.5 else ""),
        f"Ended: {_counts(report.statuses)}",
        f"Answers: {_counts(report.answer_kinds)}",
        f"Evaluated by: {_counts(report.made_by)}",
    ]
    return "".join(f"- {escaped(line, 800)}\n" for line in lines)


def _retrieval(report: VersionReport) -> str:
    found = report.retrieval
    if found.unit is None:
        return "No run holds its chunks.\n"
    places = f"{as_share(found.with_document)} of the items name their document, {as_share(found.with_place)} the place"
    seen = f"{_amount(found.chunks, 'chunk')} of {_amount(found.documents, 'named document')}"
    lines = [
        f"Corpus, as far as these runs saw it: {seen}",
        f"Retrieval unit: {found.unit} ({places}); {_spread(found.characters)} characters",
        f"Cut-offs k: {_counts(found.cutoffs)}",
        f"Items retrieved a run: {_spread(found.retrieved)}",
        f"Items in the prompt: {_spread(found.in_prompt)}",
    ]
    return "".join(f"- {escaped(line, 800)}\n" for line in lines)


def _measures(measures: Sequence[MeasureSummary]) -> str:
    header = ("Measure", "Mean", "95 % interval", "10 / 50 / 90 %", "At 0", "At 1", "Scored", "Not scored", "Labels")
    rows = (
        (
            escaped(one.metric) + (" (lower is better)" if one.lower_is_better else ""),
            as_number(one.mean),
            as_interval(one.interval) if one.scored else "n/a",
            " / ".join(map(as_number, (one.p10, one.p50, one.p90))) if one.scored else "n/a",
            as_share(one.at_zero),
            as_share(one.at_one),
            f"{one.scored:,}",
            escaped(gaps(one.not_scored, one.failed), 500),
            ", ".join(one.labels) or "none",
        )
        for one in measures
    )
    return markdown_table(header, rows, numbers=(1, 4, 5, 6))


def _sufficiency(report: VersionReport) -> str:
    if not report.sufficiency:
        return "Not known: no run is labelled.\n"
    rows = (
        (
            one.labels,
            as_number(one.share.mean),
            as_interval(one.share.interval),
            f"{one.share.scored:,}",
            f"{one.unlabelled:,}",
        )
        for one in report.sufficiency
    )
    return markdown_table(("Labels", "Share", "95 % interval", "Labelled", "Not labelled"), rows, numbers=(1, 3, 4))


def _times(report: VersionReport) -> str:
    if not report.times:
        return "Not known: no run says how long it took.\n"
    header = ("Time in ms", "Mean", "95 % interval", "10 %", "50 %", "90 %", "99 %", "Known", "Not known")
    rows = (
        (
            escaped(one.what),
            _ms(one.milliseconds.mean),
            _ms_interval(one.milliseconds.interval),
            *map(_ms, (one.milliseconds.p10, one.milliseconds.p50, one.milliseconds.p90, one.p99_ms)),
            f"{one.milliseconds.scored:,}",
            f"{one.unknown:,}",
        )
        for one in report.times
    )
    return markdown_table(header, rows, numbers=(1, 3, 4, 5, 6, 7, 8))


def _findings(report: VersionReport) -> str:
    says = outcomes_line(report.runs, report.outcomes) + "\n"
    if not report.findings:
        return says
    rows = (
        (
            escaped(one.title) + ("" if one.fault else " (no fault)"),
            f"`{one.kind}`",
            escaped(one.stage),
            f"{one.first_cause_runs:,}",
            as_share(one.first_cause_share.mean),
            as_interval(one.first_cause_share.interval),
            f"{one.runs:,}",
        )
        for one in report.findings
    )
    header = ("Fault", "Kind", "Stage", "First cause in runs", "Share", "95 % interval", "Found in runs")
    return f"{says}\n{markdown_table(header, rows, numbers=(3, 4, 6))}"


def _zero_recall(report: VersionReport) -> str:
    found = report.zero_recall
    if not found.judged:
        return "Not known: no run has gold labels to tell by.\n"
    says = f"{found.runs:,} of {counted(found.judged, 'run')} that can be told"
    if not found.runs:
        return says + ".\n"
    more = f"; the first {len(found.listed):,} are" if len(found.listed) < found.runs else ""
    return f"{says}{more}:\n\n" + "".join(f"- {_ref(one)}\n" for one in found.listed)


def _worst(measures: Sequence[MeasureSummary]) -> str:
    rows = (
        (escaped(one.metric), as_number(run.value), escaped(run.question or "(no question)"), escaped(run.run_id, 60))
        for one in measures
        for run in one.worst[:WORST_OF]
    )
    return markdown_table(("Measure", "Value", "Question", "Run"), rows, numbers=(1,))


def _slices(report: VersionReport) -> Iterator[str]:
    by_name = {family(one.metric): one.metric for one in reversed(report.measures) if one.scored}
    metrics = [by_name[name] for name in SLICED if name in by_name][:MOST_SLICED]
    yield "Each cell: mean, 95 % interval, runs with a value. Slices that overlap are no independent comparison.\n"
    for key in dict.fromkeys(one.slice.key for one in report.slices):
        header = (escaped(key), "Runs", *map(escaped, metrics))
        rows = [_slice_row(one, metrics) for one in report.slices if one.slice.key == key]
        yield markdown_table(header, rows, numbers=(1,))


def _slice_row(one: SliceSummary, metrics: Sequence[str]) -> tuple[str, ...]:
    known = {measure.metric: measure for measure in one.measures}
    cells = []
    for metric in metrics:
        found = known.get(metric)
        if found is None or not found.scored:
            cells.append("n/a (0 scored)")
        else:
            cells.append(f"{as_number(found.mean)} {as_interval(found.interval)} n={found.scored:,}")
    return (escaped(one.slice.value), f"{one.runs:,}", *cells)


def _ref(run: RunRef) -> str:
    return f"{escaped(run.question or '(no question)')} ({escaped(run.run_id, 60)})"


def _spread(numbers: NumberSummary) -> str:
    if not numbers.scored:
        return "not known"
    return f"{_whole(numbers.p50)} (10 to 90 %: {_whole(numbers.p10)} to {_whole(numbers.p90)})"


def _ms(value: float | None) -> str:
    """Three digits below 100 ms, whole milliseconds above."""
    return "n/a" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _ms_interval(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return as_interval(interval)
    return f"[{_ms(interval.low)}, {_ms(interval.high)}]"


def _whole(value: float | None) -> str:
    return "n/a" if value is None else f"{value:,.0f}"


def _amount(amount: Amount, word: str) -> str:
    return ("" if amount.exact else "about ") + counted(amount.count, word)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"
