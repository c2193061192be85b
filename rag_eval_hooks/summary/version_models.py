"""`VersionReport`: the shape of what is said about one version of a pipeline."""

from typing import Literal

from rag_eval_hooks.record.clean import Text
from rag_eval_hooks.record.evaluation import FindingKind
from rag_eval_hooks.record.run import Model
from rag_eval_hooks.reports.outcomes import Outcome
from rag_eval_hooks.summary.models import Count, Finite, MeasureSummary, NumberSummary, RunRef, Share, Slice

__all__ = [
    "Amount",
    "FindingSummary",
    "RetrievalSummary",
    "SliceSummary",
    "SufficiencySummary",
    "TimeSummary",
    "VersionReport",
    "ZeroRecall",
]


class Amount(Model):
    """How many different things were seen."""

    count: Count
    """The number."""
    exact: bool
    """Whether it is the true number; else an estimate, good to about 2 %."""


class RetrievalSummary(Model):
    """What was retrieved. The corpus itself is not part of a record: only what was seen of it is counted."""

    documents: Amount
    """Different documents that chunks' metadata names."""
    chunks: Amount
    """Different chunks, by id and text."""
    unit: Literal["chunk with place", "chunk of a document", "chunk"] | None
    """What most retrieved items are: a chunk with document and page, row or character range; a chunk whose metadata
    names its document only; a chunk without either. Null where no run holds its chunks."""
    with_document: Share | None
    """Share of the retrieved items whose metadata names a document."""
    with_place: Share | None
    """Share of the retrieved items that say document and page, row or character range."""
    characters: NumberSummary
    """Characters of a retrieved item, per run: the mean over its items."""
    retrieved: NumberSummary
    """Items retrieved per run."""
    in_prompt: NumberSummary
    """Items that reached the prompt per run."""
    cutoffs: dict[str, Count]
    """Runs by their cut-off `k`; `whole list` where a run has none."""


class SufficiencySummary(Model):
    """Whether the context sufficed to answer, as far as anyone said so."""

    labels: Literal["gold", "judge"]
    """Who said it: people (`gold.sufficient`), or a judge (`judge.sufficient`)."""
    share: NumberSummary
    """Share of the labelled runs with sufficient context (values 0 and 1)."""
    unlabelled: Count
    """Runs without such a label."""


class TimeSummary(Model):
    """How long something took, in milliseconds."""

    what: Text
    """`whole run`, `first token`, or a step such as `retrieve`."""
    milliseconds: NumberSummary
    """The times; of a step, the sum over its rounds."""
    p99_ms: Finite | None
    """The time that 99 % of the runs do not exceed."""
    unknown: Count
    """Runs without this time."""


class FindingSummary(Model):
    """One kind of finding over all runs: where it is the first cause, and where it is found at all."""

    kind: FindingKind
    """What happened."""
    stage: Text
    """Where."""
    title: Text
    """The kind in words."""
    fault: bool
    """Whether something went wrong; false for `right_refusal`."""
    first_cause_runs: Count
    """Runs in which it is the first cause."""
    first_cause_share: NumberSummary
    """Share of all runs in which it is the first cause (values 0 and 1)."""
    runs: Count
    """Runs that have it, be it the first cause or not."""
    share: NumberSummary
    """Share of all runs that have it (values 0 and 1)."""


class ZeroRecall(Model):
    """Questions for which nothing relevant was retrieved, and how many could be told."""

    runs: Count
    """How many: found by `zero_recall` among the findings, or by a recall, hit or evidence measure over gold at 0."""
    judged: Count
    """Runs with gold to tell by, or with that finding."""
    listed: tuple[RunRef, ...]
    """The first of them."""


class SliceSummary(Model):
    """The runs of one slice."""

    slice: Slice
    """What they have in common."""
    runs: Count
    """How many."""
    measures: tuple[MeasureSummary, ...]
    """Each measure over them."""


class VersionReport(Model):
    """What is known of one version of a pipeline. `VersionReport.model_json_schema()` describes its JSON."""

    schema_version: Literal[1] = 1
    """Version of this layout."""
    title: Text
    """What it is about."""
    made_by: dict[str, Count]
    """Runs by what evaluated them."""
    runs: Count
    """Runs read."""
    represented: Finite
    """Runs that these stand for: the sum of 1 / inclusion probability."""
    questions: Amount
    """Different questions, without regard to case and spaces."""
    statuses: dict[str, Count]
    """Runs by how they ended."""
    answer_kinds: dict[str, Count]
    """Runs by kind of answer."""
    retrieval: RetrievalSummary
    """What was retrieved."""
    measures: tuple[MeasureSummary, ...]
    """Each measure, those without any value included."""
    sufficiency: tuple[SufficiencySummary, ...]
    """Sufficient context, by who said it; empty where nobody did."""
    times: tuple[TimeSummary, ...]
    """Latency; empty where no run says it."""
    outcomes: dict[Outcome, Count]
    """Runs by what their findings come to: a first cause (`cause`), findings of which none is marked as the first
    (`unmarked`, in evaluations of earlier versions), `hints` only, a right refusal (`good`), no finding for an answer
    (`fine`) and none without one (`open`)."""
    findings: tuple[FindingSummary, ...]
    """What went wrong (and `right_refusal`), the most frequent first cause first."""
    zero_recall: ZeroRecall
    """Which questions found nothing relevant."""
    slices: tuple[SliceSummary, ...]
    """Parts of the runs."""
    notes: tuple[str, ...]
    """What is missing or limits these numbers."""
