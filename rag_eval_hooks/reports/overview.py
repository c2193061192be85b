"""What all runs of a report have in common: averages, first causes by stage, and totals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag_eval_hooks.metrics import Average, AverageAccumulator, weight_of
from rag_eval_hooks.record import Evaluation, MetricResult, RagRun
from rag_eval_hooks.reports.outcomes import Outcome, outcome_of, outcomes_line
from rag_eval_hooks.reports.view import citation_outcome, shown_verdict
from rag_eval_hooks.reports.words import (
    ADVICE,
    FINDINGS,
    STAGES,
    STATUSES,
    USES,
    VERDICTS,
    as_number,
    counted,
    finding_words,
    measure_words,
    reason_words,
    rests_on,
    within_one,
)
from rag_eval_hooks.summary.distribution import Distribution
from rag_eval_hooks.summary.measures import bounds_of
from rag_eval_hooks.summary.words import as_interval

__all__ = ["AverageRow", "Averages", "Bar", "FindingRow", "Overview", "Share", "Spread", "headlines"]

HEADLINES = (
    "ContextPrecision",
    "ContextUse",
    "Groundedness",
    "EvidenceCompleteness",
    "CitationPrecision",
    "CitationRecall",
    "nDCG",
    "R",
    "AnswerMatch",
)
MOST_HEADLINES = 6
EXAMPLES = 3
BINS = 10
BIN_WIDTH = 7
BIN_HEIGHT = 22


@dataclass(frozen=True)
class Bar:
    """One bar of a drawing, in its units."""

    x: float
    y: float
    width: float
    height: float
    says: str


@dataclass(frozen=True)
class AverageRow:
    """One measure over all runs, in words."""

    metric: str
    says: str
    rests_on: str
    """Which labels, or what else; empty where it needs none."""
    mean: str
    interval: str
    """The mean's 95 % interval, or why there is none; empty where nothing is scored."""
    fraction: float | None
    """The mean as a share of 100, for measures within [0, 1]; None otherwise."""
    scored: int
    not_scored: tuple[tuple[str, int], ...]
    failed: int
    bars: tuple[Bar, ...]
    """How the values spread over [0, 1] in ten steps; empty where a value lies outside."""

    @property
    def counts(self) -> str:
        """How many runs the mean rests on."""
        missing = sum(count for _, count in self.not_scored)
        return f"{self.scored:,}\u00a0scored · {missing:,}\u00a0not\u00a0scored · {self.failed:,}\u00a0failed"


@dataclass(frozen=True)
class FindingRow:
    """One kind of first cause over all runs."""

    kind: str
    title: str
    says: str
    advice: str
    runs: int
    """Runs in which it is the first cause."""
    others: int
    """Runs in which it was found and is not the first cause."""
    share: float
    """Share of all runs, in percent."""
    examples: tuple[tuple[int, str], ...]
    """Runs of the page that failed so, each with another question: their number on the page, and the question."""


@dataclass(frozen=True)
class Share:
    """One part of a whole, for a stacked bar."""

    key: str
    symbol: str
    words: str
    count: int
    start: float
    """Where the part begins, in percent."""
    width: float
    """How wide it is, in percent."""


@dataclass
class Spread:
    """How one measure's values spread, over [0, 1] and in all, and which labels they rest on."""

    values: Distribution
    steps: Counter[int] = field(default_factory=Counter)
    outside: bool = False
    """Whether a value lies outside [0, 1], such as a rank; then there is no spread to draw."""
    labels: set[str] = field(default_factory=set)

    def add(self, result: MetricResult, weight: float) -> None:
        """Counts one result."""
        if result.labels is not None:
            self.labels.add(result.labels)
        if result.value is None:
            return
        self.values.add(result.value, weight)
        self.outside = self.outside or not within_one(result.metric, result.value)
        if not self.outside:
            # 1e-9: 0.3 * 10 is 2.9999... in binary.
            self.steps[min(int(result.value * BINS + 1e-9), BINS - 1)] += 1


class Averages:
    """Each measure's average over many runs, in words: mean and interval, what it rests on, what is missing.

    >>> rows = Averages()
    >>> rows.add([MetricResult(metric="P", value=0.5)], 1.0)
    >>> [(row.metric, row.mean, row.scored) for row in rows.rows()]
    [('P', '0.5', 1)]
    """

    def __init__(self) -> None:
        self._sums = AverageAccumulator()
        self._spreads: dict[str, Spread] = {}

    def add(self, results: Sequence[MetricResult], weight: float) -> None:
        """Counts one run's results; `weight` is how many runs it stands for."""
        self._sums.add(results, weight)
        for result in results:
            if result.metric not in self._spreads:
                self._spreads[result.metric] = Spread(Distribution(bounds_of(result.metric)))
            self._spreads[result.metric].add(result, weight)

    def rows(self) -> tuple[AverageRow, ...]:
        """Returns a row a measure, in the order in which the measures were first seen."""
        return tuple(_average_row(average, self._spreads[average.metric]) for average in self._sums.result())


@dataclass
class Overview:
    """Counts over all runs while they pass by; keeps sums and the examples' questions, never the runs."""

    runs: int = 0
    sampled: bool = False
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)
    citations: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    makers: Counter[str] = field(default_factory=Counter)
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Runs by stage and kind of their first cause."""
    findings: Counter[str] = field(default_factory=Counter)
    """Runs by kind of finding, be it the first cause or not."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """Runs by what their findings come to."""
    _averages: Averages = field(default_factory=Averages)
    _examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, run: RagRun | None, evaluation: Evaluation, shown_as: int | None) -> None:
        """Counts one run; `shown_as` is its number on the page, None for a run that is only counted."""
        self.runs += 1
        weight = weight_of(run)
        self.sampled = self.sampled or weight > 1
        self._averages.add(evaluation.results, weight)
        self.statuses[evaluation.status] += 1
        self.kinds[evaluation.answer_kind] += 1
        for claim in evaluation.claims:
            self.verdicts[shown_verdict(claim)] += 1
        self.uses.update(chunk.use for chunk in evaluation.chunks if chunk.in_prompt)
        self.citations.update(citation_outcome(citation) for citation in evaluation.citations)
        if run is not None:
            self.tags.update(set(run.tags))
        made = evaluation.made_by
        self.makers[f"{made.package}, attribution {made.attributor} {made.attributor_version}"] += 1
        self.findings.update({finding.kind for finding in evaluation.findings})
        self.outcomes[outcome_of(evaluation)] += 1
        for finding in evaluation.findings:
            if not finding.first_cause:
                continue
            self.causes[(finding.stage, finding.kind)] += 1
            examples = self._examples.setdefault(finding.kind, [])
            question = (evaluation.question or "").strip()[:120] or "(no question)"
            if shown_as is not None and len(examples) < EXAMPLES and question not in (other for _, other in examples):
                examples.append((shown_as, question))

    def averages(self) -> tuple[AverageRow, ...]:
        """Returns each measure's average, in the order in which the measures were first seen."""
        return self._averages.rows()

    def stages(self) -> tuple[tuple[str, tuple[FindingRow, ...]], ...]:
        """Returns the first causes by stage in the order of the pipeline, the most frequent kind first."""
        known = list(FINDINGS)
        groups = []
        for stage, words in STAGES.items():
            kinds = sorted(
                ((kind, count) for (at, kind), count in self.causes.items() if at == stage),
                key=lambda pair: (-pair[1], known.index(pair[0]) if pair[0] in known else len(known)),
            )
            rows = tuple(
                FindingRow(
                    kind,
                    *finding_words(kind),
                    advice=ADVICE.get(kind, ""),
                    runs=count,
                    others=self.findings[kind] - count,
                    share=round(100 * count / self.runs, 1),
                    examples=tuple(self._examples.get(kind, ())),
                )
                for kind, count in kinds
            )
            if rows:
                groups.append((words, rows))
        return tuple(groups)

    def faults(self) -> str:
        """Returns in one line in how many runs something failed first, and what there is to say of the others."""
        return outcomes_line(self.runs, self.outcomes)

    def shares(self) -> tuple[tuple[str, str, tuple[Share, ...]], ...]:
        """Returns the stacked bars: statements by verdict, chunks by use, citations by whether they hold."""
        citing = {
            "ok": ("✓", "hold"),
            "misplaced": ("✗", "wrong chunk"),
            "unsupported": ("✗", "no support"),
            "dangling": ("✗", "no such item"),
        }
        return (
            ("verdict", counted(self.verdicts.total(), "statement"), _shares(self.verdicts, _symbols(VERDICTS))),
            ("use", counted(self.uses.total(), "chunk") + " in prompts", _shares(self.uses, _symbols(USES))),
            ("citation", counted(self.citations.total(), "citation"), _shares(self.citations, citing)),
        )

    def outcome(self) -> str:
        """Returns in one line how the runs ended."""
        parts = [counted(self.kinds["answer"], "answer")]
        if self.kinds["refusal"]:
            parts.append(counted(self.kinds["refusal"], "refusal"))
        if self.kinds["empty"]:
            parts.append(f"{self.kinds['empty']:,} without an answer")
        parts += [
            f"{count:,} {STATUSES.get(status, status)}" for status, count in self.statuses.items() if status != "ok"
        ]
        if self.kinds["answer"] and not self.cites:
            parts.append("no answer cites")
        return " · ".join(parts)

    @property
    def cites(self) -> bool:
        """Whether any answer of the report cites anything."""
        return self.citations.total() > 0


def _average_row(average: Average, spread: Spread) -> AverageRow:
    return AverageRow(
        metric=average.metric,
        says=measure_words(average.metric),
        rests_on=" or ".join(words for one in sorted(spread.labels) if (words := rests_on(average.metric, one))),
        mean=as_number(average.mean),
        interval=as_interval(spread.values.interval()) if average.scored else "",
        fraction=round(100 * average.mean, 2) if average.mean is not None and not spread.outside else None,
        scored=average.scored,
        not_scored=tuple((reason_words(reason, average.metric), count) for reason, count in average.not_scored.items()),
        failed=average.failed,
        bars=() if spread.outside else _bars(spread.steps),
    )


def headlines(rows: Sequence[AverageRow], *, cites: bool = True) -> tuple[AverageRow, ...]:
    """Returns the few averages that say most, in the order of `HEADLINES`; the first of each name.

    Args:
        rows: All averages.
        cites: Whether any answer cites; where none does, measures of citations say nothing.
    """
    by_name: dict[str, AverageRow] = {}
    for row in rows:
        by_name.setdefault(row.metric.split("@", 1)[0].split("(", 1)[0], row)
    names = [name for name in HEADLINES if cites or not name.startswith("Citation")]
    chosen = [by_name[name] for name in names if name in by_name and by_name[name].scored]
    return tuple(chosen[:MOST_HEADLINES])


def _bars(steps: Counter[int]) -> tuple[Bar, ...]:
    highest = max(steps.values(), default=0)
    if not highest:
        return ()
    bars = []
    for step in range(BINS):
        count = steps[step]
        height = round(max(BIN_HEIGHT * count / highest, 2 if count else 0.75), 2)
        says = f"{step / BINS:g} to {(step + 1) / BINS:g}: {counted(count, 'run')}"
        bars.append(Bar(step * BIN_WIDTH, BIN_HEIGHT - height, BIN_WIDTH - 1, height, says))
    return tuple(bars)


def _symbols(words: dict[str, tuple[str, str, str]]) -> dict[str, tuple[str, str]]:
    return {key: (symbol, text) for key, (symbol, _, text) in words.items()}


def _shares(counts: Counter[str], words: dict[str, tuple[str, str]]) -> tuple[Share, ...]:
    total = counts.total()
    shares: list[Share] = []
    start = 0.0
    for key, (symbol, text) in words.items():
        if counts[key]:
            width = 100 * counts[key] / total
            shares.append(Share(key, symbol, text, counts[key], round(start, 3), round(width, 3)))
            start += width
    return tuple(shares)
