"""`Evaluation`: what we concluded about one run. Its JSON is the contract of sinks, replay and outside checks."""

from typing import Annotated, Literal

from pydantic import Field

from rag_eval_hooks.record.clean import OptionalText, Probability, Text
from rag_eval_hooks.record.limits import LIMITS
from rag_eval_hooks.record.reasons import MEASURE_REASONS
from rag_eval_hooks.record.run import Model, NumberingRule, Status

__all__ = [
    "EVALUATION_SCHEMA_VERSION",
    "SUPPORTED_FROM",
    "AnswerKind",
    "Attribution",
    "ChunkVerdict",
    "Citation",
    "CitationOrigin",
    "CitationProblem",
    "Claim",
    "Derived",
    "DerivedOperand",
    "Evaluation",
    "Finding",
    "FindingKind",
    "FindingStage",
    "Labels",
    "MadeBy",
    "MetricResult",
    "Numbering",
    "Operation",
    "Support",
    "Use",
    "Verdict",
]

EVALUATION_SCHEMA_VERSION = 1

AnswerKind = Literal["answer", "refusal", "empty"]
Use = Literal["used", "unused", "uncertain", "unknown"]
Verdict = Literal["supported", "unsupported", "conflict", "uncertain"]
CitationProblem = Literal["dangling", "unsupported", "misplaced"]
CitationOrigin = Literal["text", "provider"]
Labels = Literal["gold", "used", "judge"]
Operation = Literal[
    "sum",
    "difference",
    "product",
    "ratio",
    "share",
    "percentage_change",
    "mean",
    "count",
    "conversion",
    "date_difference",
]
FindingStage = Literal["retrieval", "packing", "use", "answer", "citation"]
FindingKind = Literal[
    "zero_recall",
    "missed_evidence",
    "incomplete_evidence",
    "wrong_evidence",
    "lost_before_prompt",
    "truncated",
    "unused_evidence",
    "distracted",
    "unsupported_claim",
    "conflicting_claim",
    "computation_error",
    "lucky_guess",
    "wrong_refusal",
    "right_refusal",
    "dangling_citation",
    "unsupported_citation",
    "misplaced_citation",
    "missing_citation",
]

SUPPORTED_FROM = 0.6
"""Probability from which a claim counts as supported, and a chunk as backing a claim alone."""

Rank = Annotated[int, Field(ge=1)]
Span = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]


class ChunkVerdict(Model):
    """Whether the answer used one chunk. Chunks that reached the prompt come first, in prompt order."""

    rank: Rank
    """Position in what the generator got, from 1; chunks that did not reach the prompt follow in retrieval order."""
    id: Text
    """The chunk's id."""
    in_prompt: bool
    """Whether the chunk reached the generator."""
    cited: bool
    """Whether a citation of the answer points to it."""
    use: Use
    """`used`: the answer states what only this chunk, or a group of equal chunks, gives."""
    use_probability: Probability | None
    """Probability of use, in [0, 1]; null where the use is unknown."""
    conflict: bool
    """Whether the chunk states another value than the answer in the same place."""
    wrong_value: bool = False
    """Whether it is about what the question asks for, but for another year, date, period, version or code."""


class Support(Model):
    """A chunk that backs a claim, alone or together with the claim's other supports."""

    rank: Rank
    """The chunk's rank in `Evaluation.chunks`."""
    id: Text
    """The chunk's id."""
    probability: Probability
    """Probability that the chunk alone backs the claim; below 0.6 where it takes several together."""
    spans: tuple[Span, ...]
    """Where in the chunk's text, as half-open character offsets."""


class DerivedOperand(Model):
    """A number of the context that an answer's number is computed from, or an item that it counts."""

    rank: Rank
    """The rank of its chunk in `Evaluation.chunks`."""
    id: Text
    """The chunk's id."""
    span: Span
    """Where in the chunk's text, as half-open character offsets."""
    text: Text
    """The number or item as the chunk writes it."""


class Derived(Model):
    """A number of the answer that no text states, and how it is computed from numbers that texts state."""

    value: Text
    """The number as the answer writes it."""
    span: Span
    """Where in the answer, as half-open character offsets."""
    formula: Text
    """How it is computed, in plain signs: `(150 - 120) / 120`."""
    operation: Operation
    """What the formula does."""
    result: Annotated[float, Field(allow_inf_nan=False)]
    """What the formula gives, in the unit the answer writes; a percentage as a fraction."""
    operands: tuple[DerivedOperand, ...]
    """The numbers in it, in the order of the formula."""
    tried: Annotated[int, Field(ge=0)]
    """How many formulas over numbers near the claim's words were tried: the more, the less a hit tells."""
    right: bool
    """Whether it gives the answer's number, rounded as written; if not, the claim is a conflict."""


class Claim(Model):
    """One statement of the answer: a sentence or list item that says something checkable."""

    index: Annotated[int, Field(ge=0)]
    """Position among the claims, from 0."""
    text: Text
    """The statement, as in the answer, without citation marks at its end."""
    span: Span
    """Where in the answer, as half-open character offsets."""
    verdict: Verdict
    """Whether the context backs the claim."""
    probability: Probability | None
    """Probability of support by the context."""
    supported_by: tuple[Support, ...] = ()
    """The chunks behind it, strongest first."""
    needs_evidence: bool = True
    """False for what needs no source: greetings, questions, refusals."""
    needs_citation: bool = True
    """Whether a reader expects a mark: it needs evidence, and does not only repeat the question, sum up cited
    sentences, lead over to others or head them."""
    citations: tuple[int, ...] = ()
    """Indices of the claim's citations."""
    derived: tuple[Derived, ...] = ()
    """Its numbers that are computed from the context."""

    @property
    def lacks_citation(self) -> bool:
        """Whether the context backs the claim, and it should carry a citation and does not."""
        return self.verdict == "supported" and self.needs_evidence and self.needs_citation and not self.citations


class Citation(Model):
    """One citation mark and one target; a group or range gives several."""

    index: Annotated[int, Field(ge=0)]
    """Position among the citations, from 0."""
    marker: Text
    """The mark as it stands in the answer; empty where the provider gave the citation beside the text."""
    span: Span
    """Where in the answer, as half-open character offsets; empty, behind the cited words, where there is no mark."""
    part: Span | None = None
    """The part of the answer that it speaks for; null where it belongs to no claim."""
    origin: CitationOrigin = "text"
    """`text`: a mark in the answer; `provider`: given beside the text by the model's provider."""
    target: OptionalText
    """Id of the cited chunk; null where there is none."""
    target_rank: Rank | None
    """The cited chunk's rank in `Evaluation.chunks`."""
    exists: bool
    """Whether the target is among the items the generator got."""
    supported: bool
    """Whether the target backs at least part of the statement the mark belongs to, and contradicts none of it."""
    claim: Annotated[int, Field(ge=0)] | None
    """Index of the claim the mark belongs to."""
    problem: CitationProblem | None
    """`dangling`: no such item; `misplaced`: another chunk backs the statement; `unsupported`: none does."""


class Numbering(Model):
    """How the answer's citation numbers were read."""

    base: int
    """The number of the first item of the context."""
    rule: NumberingRule
    """How that is known: `given` with the run, read from the `prompt`, or `assumed`."""
    labels: tuple[int | None, ...] = ()
    """The number of each item of the context, in order, where they do not simply count on from `base`."""


class MetricResult(Model):
    """One measure's value for one run, or the reason why there is none."""

    metric: Text
    """The measure's name with its parameters, as `parse_metric` reads it."""
    value: Annotated[float, Field(allow_inf_nan=False)] | None
    """The value; null where it is undefined."""
    reason: OptionalText = Field(
        default=None,
        description="Why there is no value. "
        + "; ".join(f"`{word}`: {said}" for word, said in MEASURE_REASONS.items()),
    )
    labels: Labels | None = None
    """Which labels the value rests on; null where it rests on none."""


class Finding(Model):
    """One thing that went wrong (or, for `right_refusal`, well), and the stage to blame."""

    kind: FindingKind
    """What happened."""
    stage: FindingStage
    """Where."""
    confidence: Probability
    """How sure we are, in [0, 1]; below 0.5 it is a hint."""
    why: Text
    """The evidence in one sentence, without any text of the run but the numbers of a wrong computation."""
    refs: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    """What it is about: indices of `claims` and `citations`, ranks of `chunks`."""
    first_cause: bool = False
    """Whether this is where it went wrong first: at most one finding is, and no hint."""
    explained_by: FindingKind | None = None
    """Kind of an earlier finding from which this one follows."""


class MadeBy(Model):
    """What made an evaluation: two evaluations compare only where this is equal."""

    package: Text
    """Distribution and version."""
    attributor: Text
    """Name of the attribution method."""
    attributor_version: Text
    """Version of the attribution method and its weights."""
    metrics: dict[str, int]
    """Version of each measure, by name."""


class Attribution(Model):
    """What attribution concluded: the part of an evaluation that measures and diagnosis rest on."""

    answer_kind: AnswerKind
    """Whether there is an answer to judge."""
    chunks: tuple[ChunkVerdict, ...] = ()
    """One entry per item of the run's ledger: the context in prompt order, then what was left out."""
    claims: tuple[Claim, ...] = ()
    """The answer's statements, in order."""
    citations: tuple[Citation, ...] = ()
    """The answer's citations, in order."""
    unanswered: Annotated[int, Field(ge=0)] = 0
    """Uncertain claims that a support model should have judged and did not."""
    limits: tuple[Text, ...] = ()
    """Words of `rag_eval_hooks.record.limits` for what was left out."""


class Evaluation(Model):
    """What we concluded about one run. Strict JSON: never NaN, never infinite, always valid UTF-8."""

    schema_version: Literal[1] = 1
    """Version of this layout."""
    run_id: Text
    """The run this is about."""
    status: Status
    """How the run ended."""
    question: OptionalText
    """The run's question."""
    answer: OptionalText
    """The text that was judged; spans of claims and citations point into it."""
    answer_kind: AnswerKind
    """Whether there is an answer to judge."""
    chunks: tuple[ChunkVerdict, ...]
    """One entry per item of the run's ledger: the context in prompt order, then what was left out."""
    claims: tuple[Claim, ...]
    """The answer's statements, in order."""
    citations: tuple[Citation, ...]
    """The answer's citations, in order."""
    numbering: Numbering | None = None
    """How citation numbers were read; null in evaluations of earlier versions."""
    results: tuple[MetricResult, ...]
    """One entry per measure."""
    findings: tuple[Finding, ...]
    """What went wrong and where: the first cause, then the most certain first."""
    limits: tuple[Text, ...] = Field(
        default=(),
        description="What was left out of a run larger than attribution's limits. "
        + "; ".join(f"`{word}`: {said}" for word, said in LIMITS.items()),
    )
    made_by: MadeBy
    """What made this evaluation."""
