"""`version_report`: the numbers of one version of a pipeline, each with what it rests on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, get_args

from rag_eval_hooks.diagnosis.rules import GOOD
from rag_eval_hooks.metrics import Metric, metric_classes, weight_of
from rag_eval_hooks.metrics.levels import document_of, page_of
from rag_eval_hooks.metrics.provenance import ROW_KEYS
from rag_eval_hooks.metrics.spans import character_range
from rag_eval_hooks.record import Chunk, Evaluation, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import FindingKind
from rag_eval_hooks.record.item_keys import first_id
from rag_eval_hooks.reports.outcomes import Outcome, outcome_of
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.reports.words import finding_words
from rag_eval_hooks.summary.distinct import Distinct
from rag_eval_hooks.summary.distribution import Distribution
from rag_eval_hooks.summary.measures import MeasureTally, family, results_of, run_ref
from rag_eval_hooks.summary.models import MeasureSummary, RunRef
from rag_eval_hooks.summary.pairs import question_key
from rag_eval_hooks.summary.slice_tallies import SliceTallies
from rag_eval_hooks.summary.slices import check_slice_key
from rag_eval_hooks.summary.version_models import (
    Amount,
    FindingSummary,
    RetrievalSummary,
    SufficiencySummary,
    TimeSummary,
    VersionReport,
    ZeroRecall,
)

__all__ = ["WANTED", "VersionTally", "version_report"]

WANTED = (
    *("P", "R", "RR", "nDCG", "T", "UDCG", "AnyEvidence", "CompleteEvidence", "EvidenceConflict", "Provenance"),
    *("Groundedness", "AnswerMatch", "CitationPrecision", "CitationRecall", "CitationCoverage"),
)
"""Measures every report has: computed from the run, with its cut-off, where the evaluation holds none of the name."""
RECALL = ("R", "Hit", "AnyEvidence", "EvidenceRecall")
LISTED = 50
MOST_MAKERS = 20
MOST_MEASURES = 200
LONGEST_MS = 1e15
WHOLE_LIST = "whole list"


def version_report(
    pairs: Iterable[tuple[RagRun | None, Evaluation]],
    *,
    title: str = "RAG evaluation",
    metrics: Sequence[Metric] = (),
    by: Sequence[str] = (),
) -> VersionReport:
    """Returns the report of one version, reading the pairs one by one in memory that does not grow with their number.

    Args:
        pairs: Each run with its evaluation, as `replay.load` yields them.
        title: What it is about.
        metrics: Further measures to compute where they are not stored.
        by: Keys to cut by (`metadata.KEY`, `tag`, or a derived one); by default those that are found.

    Raises:
        ConfigError: If a key cannot be used.
    """
    tally = VersionTally(metrics=metrics, by=by)
    for run, evaluation in pairs:
        tally.add(run, evaluation)
    return tally.report(title)


class VersionTally:
    """Counts the runs of one version as they pass by. Not thread-safe; arguments as `version_report`'s."""

    def __init__(self, *, metrics: Sequence[Metric] = (), by: Sequence[str] = ()) -> None:
        self._extra = tuple(metrics)
        self._slices = SliceTallies(tuple(dict.fromkeys(check_slice_key(key) for key in by)))
        self._measures: dict[str, MeasureTally] = {}
        self._runs = 0
        self._without_record = 0
        self._weight = 0.0
        self._questions, self._documents, self._chunks = Distinct(), Distinct(), Distinct()
        self._makers: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._cutoffs: Counter[str] = Counter()
        self._items = Counter[str]()
        self._characters, self._retrieved, self._in_prompt = Distribution(), Distribution(), Distribution()
        self._sufficient = {labels: Distribution((0, 1)) for labels in ("gold", "judge")}
        self._times = {"whole run": Distribution(), "first token": Distribution()}
        self._findings = {kind: Distribution((0, 1)) for kind in get_args(FindingKind)}
        self._causes = {kind: Distribution((0, 1)) for kind in get_args(FindingKind)}
        self._finding_stages: dict[FindingKind, str] = {}
        self._finding_runs: Counter[FindingKind] = Counter()
        self._cause_runs: Counter[FindingKind] = Counter()
        self._outcomes: Counter[Outcome] = Counter()
        self._zero: list[RunRef] = []
        self._zero_runs = self._zero_judged = 0
        self._left_out_measures = 0

    def add(self, run: RagRun | None, evaluation: Evaluation) -> None:
        """Counts one run."""
        weight = weight_of(run)
        self._runs += 1
        self._weight += weight
        results = results_of(run, evaluation, self._wanted(run, evaluation))
        for name, result in results.items():
            tally = self._measures.get(name)
            if tally is None:
                if len(self._measures) >= MOST_MEASURES:
                    self._left_out_measures += 1
                    continue
                tally = self._measures[name] = MeasureTally(name)
            tally.add(result, weight, evaluation)
        known = {name: result for name, result in results.items() if name in self._measures}
        self._slices.add(run, evaluation, known, weight)
        self._count(run, evaluation)
        self._find(evaluation, results, weight)
        if run is None:
            self._without_record += 1
        else:
            self._look_at(run, weight)

    def _wanted(self, run: RagRun | None, evaluation: Evaluation) -> tuple[Metric, ...]:
        if run is None:
            return self._extra
        # P(labels=used) or P(level=page) alone leaves the plain measure to be computed.
        names = (result.metric for result in evaluation.results)
        stored = frozenset(family(name) for name in names if "labels=" not in name and "level=" not in name)
        return (*_missing(stored, run.k), *self._extra)

    def _count(self, run: RagRun | None, evaluation: Evaluation) -> None:
        question = run.question if run is not None and run.question is not None else evaluation.question
        key = question_key(question)
        if key is not None:
            self._questions.add(key)
        made = evaluation.made_by
        maker = one_line(f"{made.package}, attribution {made.attributor} {made.attributor_version}", 120)
        self._makers[maker if maker in self._makers or len(self._makers) < MOST_MAKERS else "others"] += 1
        self._statuses[evaluation.status] += 1
        self._kinds[evaluation.answer_kind] += 1

    def _find(self, evaluation: Evaluation, results: Mapping[str, MetricResult], weight: float) -> None:
        kinds = {finding.kind: finding.stage for finding in evaluation.findings}
        causes = {finding.kind for finding in evaluation.findings if finding.first_cause}
        self._finding_stages |= kinds
        self._finding_runs.update(kinds.keys())
        self._cause_runs.update(causes)
        self._outcomes[outcome_of(evaluation)] += 1
        for kind, share in self._findings.items():
            share.add(1.0 if kind in kinds else 0.0, weight)
            self._causes[kind].add(1.0 if kind in causes else 0.0, weight)
        recalls = [
            result.value
            for name, result in results.items()
            if result.value is not None and result.labels in ("gold", None) and family(name) in RECALL
        ]
        nothing = "zero_recall" in kinds or (bool(recalls) and max(recalls) == 0)
        if nothing or recalls:
            self._zero_judged += 1
        if nothing:
            self._zero_runs += 1
            if len(self._zero) < LISTED:
                self._zero.append(run_ref(evaluation))

    def _look_at(self, run: RagRun, weight: float) -> None:
        self._cutoffs[str(run.k) if run.k is not None else WHOLE_LIST] += 1
        chunks = [run.chunks[index] for index in run.retrieved]
        self._retrieved.add(float(len(chunks)), weight)
        self._in_prompt.add(float(len(run.context)), weight)
        if chunks:
            self._characters.add(sum(len(chunk.text) for chunk in chunks) / len(chunks), weight)
        for chunk in chunks:
            self._chunks.add(f"{chunk.id}\0{chunk.text}")
            document = document_of(chunk)
            if document is not None:
                self._documents.add(document)
            self._items["all"] += 1
            self._items["document"] += document is not None
            self._items["place"] += document is not None and _has_place(chunk)
        for labels, given in (("gold", run.gold), ("judge", run.judge)):
            if given is not None and given.sufficient is not None:
                self._sufficient[labels].add(float(given.sufficient), weight)
        self._time(run, weight)

    def _time(self, run: RagRun, weight: float) -> None:
        steps: dict[str, float] = {}
        for stage in run.stages:
            if stage.duration_ms is not None:
                steps[stage.kind] = steps.get(stage.kind, 0.0) + stage.duration_ms
        known = (("whole run", run.duration_ms), ("first token", run.time_to_first_token_ms), *steps.items())
        for what, duration in known:
            if duration is not None and duration <= LONGEST_MS:
                self._times.setdefault(what, Distribution()).add(duration, weight)

    def report(self, title: str) -> VersionReport:
        """Returns what the runs so far say."""
        total = self._items["all"]
        placed, named = (self._items[what] / total if total else None for what in ("place", "document"))
        unit: Literal["chunk with place", "chunk of a document", "chunk"] | None = None
        if placed is not None and named is not None:
            unit = "chunk with place" if placed > 0.5 else "chunk of a document" if named > 0.5 else "chunk"
        measures = tuple(tally.summary() for tally in sorted(self._measures.values(), key=_order))
        return VersionReport(
            title=one_line(title, 200),
            made_by=dict(self._makers.most_common()),
            runs=self._runs,
            represented=self._weight,
            questions=_amount(self._questions),
            statuses=dict(self._statuses.most_common()),
            answer_kinds=dict(self._kinds.most_common()),
            retrieval=RetrievalSummary(
                documents=_amount(self._documents),
                chunks=_amount(self._chunks),
                unit=unit,
                with_document=named,
                with_place=placed,
                characters=self._characters.summary(),
                retrieved=self._retrieved.summary(),
                in_prompt=self._in_prompt.summary(),
                cutoffs=dict(self._cutoffs.most_common(20)),
            ),
            measures=measures,
            sufficiency=tuple(
                SufficiencySummary(
                    labels="gold" if labels == "gold" else "judge",
                    share=share.summary(),
                    unlabelled=self._runs - share.scored,
                )
                for labels, share in self._sufficient.items()
                if share.scored
            ),
            times=tuple(
                TimeSummary(
                    what=what,
                    milliseconds=times.summary(),
                    p99_ms=times.quantile(0.99),
                    unknown=self._runs - times.scored,
                )
                for what, times in self._times.items()
                if times.scored
            ),
            outcomes=dict(self._outcomes.most_common()),
            findings=self._finding_summaries(),
            zero_recall=ZeroRecall(runs=self._zero_runs, judged=self._zero_judged, listed=tuple(self._zero)),
            slices=self._slices.summaries(),
            notes=tuple(self._notes(measures)),
        )

    def _finding_summaries(self) -> tuple[FindingSummary, ...]:
        found = [
            FindingSummary(
                kind=kind,
                stage=self._finding_stages[kind],
                title=finding_words(kind)[0],
                fault=kind not in GOOD,
                first_cause_runs=self._cause_runs[kind],
                first_cause_share=self._causes[kind].summary(),
                runs=self._finding_runs[kind],
                share=share.summary(),
            )
            for kind, share in self._findings.items()
            if kind in self._finding_stages
        ]
        return tuple(sorted(found, key=lambda one: (-(one.first_cause_share.mean or 0), -(one.share.mean or 0))))

    def _notes(self, measures: Sequence[MeasureSummary]) -> Iterator[str]:
        if self._without_record:
            yield (
                f"{self._without_record:,} of {self._runs:,} runs are stored as evaluations only: they say nothing "
                "about chunks, gold, metadata and times, and no further measure can be computed for them"
            )
        known = metric_classes()
        absent = [name for name in WANTED if name not in known]
        if absent:
            yield f"this version of the package has no measure {', '.join(absent)}"
        seen = {family(name) for name in self._measures}
        missing = [name for name in WANTED if name in known and name not in seen]
        if missing and self._runs:
            yield f"not stored, and not to be computed without the runs: {', '.join(missing)}"
        empty = [one.metric for one in measures if not one.scored]
        if empty:
            yield f"without a value in any run (see the reasons): {', '.join(one_line(name, 60) for name in empty)}"
        if self._runs and not any(share.scored for share in self._sufficient.values()):
            yield "nobody labelled whether the context sufficed (gold.sufficient or judge.sufficient)"
        if self._weight > self._runs * (1 + 1e-9):
            yield "runs were sampled: means, quantiles, shares and intervals weight by 1 / inclusion probability"
        if len(self._makers) > 1:
            yield "the runs were evaluated by different versions, which alone may make a difference; replay them"
        if self._slices.dropped:
            keys = ", ".join(one_line(key, 60) for key in self._slices.dropped)
            yield f"not cut by {keys}: too many values; name a key to cut by it all the same"
        if self._left_out_measures:
            yield f"results of measures beyond the first {MOST_MEASURES} are left out: {self._left_out_measures:,}"
        yield "intervals take the runs as an independent random part of all questions; repeats of one question are not"


@lru_cache(maxsize=1_024)
def _missing(stored: frozenset[str], k: int | None) -> tuple[Metric, ...]:
    known = metric_classes()
    wanted = [known[name]() for name in WANTED if name in known and name not in stored]
    return tuple(metric @ k if k is not None and hasattr(metric, "k") else metric for metric in wanted)


def _order(tally: MeasureTally) -> int:
    """Wanted measures first, in their order; then the others as they were seen."""
    name = family(tally.metric)
    return WANTED.index(name) if name in WANTED else len(WANTED)


def _has_place(chunk: Chunk) -> bool:
    placed = page_of(chunk) is not None or first_id(chunk.metadata, ROW_KEYS) is not None
    return placed or character_range(chunk) is not None


def _amount(seen: Distinct) -> Amount:
    return Amount(count=seen.count, exact=seen.exact)
