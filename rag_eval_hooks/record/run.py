"""`RagRun`: what happened to one question, from retrieval to answer."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from rag_eval_hooks.record.clean import JsonMap, OptionalText, Probability, Text, clean_number

__all__ = [
    "RUN_SCHEMA_VERSION",
    "Attempt",
    "Chunk",
    "CitationStyle",
    "ContextItem",
    "ContextSource",
    "Gold",
    "GoldSpan",
    "Media",
    "Model",
    "NumberingRule",
    "ProvidedCitation",
    "RagRun",
    "Stage",
    "StageItem",
    "StageKind",
    "Status",
    "StepKind",
    "Usage",
    "chunk_id",
]

RUN_SCHEMA_VERSION = 1

Status = Literal["ok", "partial", "interrupted", "abandoned", "cancelled", "error", "timeout", "evicted"]
StageKind = Literal["retrieve", "fuse", "multi_query", "rerank", "refine", "postprocess", "inferred"]
ContextSource = Literal["prompt", "last_stage", "given"]
NumberingRule = Literal["given", "prompt", "assumed"]
StepKind = Literal["chain", "model", "retriever", "postprocessor", "tool"]
Match = Literal["exact", "head", "shingle", "assumed"]

FiniteFloat = Annotated[Annotated[float, Field(allow_inf_nan=False)] | None, BeforeValidator(clean_number)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Model(BaseModel):
    """Base of all stored models: frozen, documented by their field docstrings, closed to unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)


def chunk_id(text: str | None) -> str:
    """Returns the id that stands in for a missing one: `text-` and the first 12 hex digits of the text's SHA-256.

    >>> chunk_id("abc")
    'text-ba7816bf8f01'
    """
    return "text-" + hashlib.sha256((text or "").encode("utf-8", "replace")).hexdigest()[:12]


class Chunk(Model):
    """One retrieved item. A chunk is known by its id *and* its text: frameworks repeat ids."""

    id: Text
    """The framework's id as text; `text-<hash>` where it gave none."""
    text: Text = ""
    """The text as the last stage that changed it returned it; empty where none was given."""
    metadata: JsonMap = Field(default_factory=dict)
    """What the framework attached (source, page, ...), as plain JSON values."""
    source: OptionalText = None
    """What the item was cut from (a file, an address, a document's id), by the metadata; see `ItemKeys`."""
    page: OptionalText = None
    """The page it stands on there, by the metadata."""
    derived_from: OptionalText = None
    """Id of the chunk this one was cut or rewritten from, where known."""


class StageItem(Model):
    """One item of a stage's list; its rank is its position, from 1."""

    chunk: Annotated[int, Field(ge=0)]
    """Index into `RagRun.chunks`."""
    score: FiniteFloat = None
    """The score this stage gave, if it gave one; never used for ordering."""


class Stage(Model):
    """One step that returned a list of chunks."""

    kind: StageKind = "retrieve"
    """What the step did: `retrieve`, `fuse` several lists, `multi_query` (the same for several queries), `rerank`,
    `refine` (cut or rewrite), `postprocess` (leave some out), or `inferred` (what the generator's step was handed, and
    no step was seen to return: code between changed it)."""
    name: OptionalText = None
    """The component's name in the framework."""
    query: OptionalText = None
    """The query really sent, where the step had one."""
    items: tuple[StageItem, ...] = ()
    """The list in the order returned."""
    round: Annotated[int, Field(ge=1)] = 1
    """Which search of this question the step belongs to, from 1 (agents and sub-questions search several times)."""
    final: bool = True
    """Whether this is the round's outermost list: the one that counts as retrieved."""
    run_id: OptionalText = None
    """The framework's id of the step."""
    duration_ms: NonNegative | None = None
    """How long the step took, in milliseconds."""


class ContextItem(Model):
    """One chunk that reached the generator; its position in the prompt is its place in `RagRun.context`, from 1."""

    chunk: Annotated[int, Field(ge=0)]
    """Index into `RagRun.chunks`."""
    match: Match = "assumed"
    """How the chunk was found in the prompt; `assumed` where no prompt was seen."""
    coverage: Probability = 1.0
    """Share of the chunk's characters that reached the prompt, in [0, 1]."""


class ProvidedCitation(Model):
    """A citation that the model's provider gave beside the answer's text. What it gave is kept as it is, unchecked."""

    start: int | None = None
    """Where the cited text begins in the answer, in characters; None where the whole answer is meant."""
    end: int | None = None
    """Where it ends; half-open."""
    label: int | None = None
    """The number in the answer that the entry explains, where it is one of a numbered list of sources."""
    index: int | None = None
    """The source's place among the documents of the request, from 0."""
    id: OptionalText = None
    """The source's id (a file id, a document id)."""
    title: OptionalText = None
    """The source's title or file name."""
    url: OptionalText = None
    """The source's address."""
    cited_text: OptionalText = None
    """The words of the source that are quoted."""


class CitationStyle(Model):
    """How the answer's citations are to be read: how its numbers count, and which citations came beside its text."""

    base: int = 1
    """The number of the first context item."""
    rule: NumberingRule = "assumed"
    """How that is known: `given` with the run, read from the `prompt`, or `assumed` (numbers count from `base`)."""
    labels: tuple[int | None, ...] = ()
    """The number of each context item, in order, where they do not simply count on from `base`."""
    provided: tuple[ProvidedCitation, ...] = ()
    """The citations that the model's provider gave beside the text."""


class GoldSpan(Model):
    """A stretch of a document that is evidence; it survives cutting the corpus anew."""

    document: Text
    """The document's id, as the chunks' metadata gives it."""
    start: Annotated[int, Field(ge=0)]
    """Where it begins, in characters of the document."""
    end: Annotated[int, Field(ge=1)]
    """Where it ends; half-open."""
    grade: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """Graded relevance of a chunk that covers it."""

    @model_validator(mode="after")
    def _not_empty(self) -> "GoldSpan":
        if self.end <= self.start:
            raise ValueError(f"the span {self.start}-{self.end} of {self.document!r} is empty")
        return self


class Gold(Model):
    """What is known to be right, by chunk id. Every part is optional."""

    relevance: dict[Text, Annotated[float, Field(allow_inf_nan=False)]] | None = None
    """Graded relevance by chunk id; an id that is missing is unjudged. Above 0 is relevant."""
    evidence_sets: tuple[tuple[Text, ...], ...] | None = None
    """Alternative sets of chunk ids; each set alone suffices to answer."""
    spans: tuple[GoldSpan, ...] | None = None
    """Evidence as stretches of documents; a chunk that covers one counts as relevant."""
    used: tuple[Text, ...] | None = None
    """Ids of the chunks the answer used, by a person's judgement."""
    supported: tuple[bool | None, ...] | None = None
    """For each claim of the evaluation, in order, whether the context backs it, by a person's judgement; or null."""
    utility: dict[Text, Probability] | None = None
    """For each chunk id, 1 - P(model abstains | question, chunk alone): what UDCG weighs with."""
    sufficient: bool | None = None
    """Whether the context suffices to answer, by a person's or a judge's verdict."""
    answer: OptionalText = None
    """The right answer; an empty text says that the question cannot be answered from the corpus."""
    aliases: tuple[Text, ...] = ()
    """Other right answers."""


class Usage(Model):
    """Tokens counted by the provider, summed over model calls."""

    input_tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens sent."""
    output_tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens received."""
    model_calls: Annotated[int, Field(ge=0)] = 0
    """Model calls seen."""
    cost: NonNegative | None = None
    """What the calls cost, where the provider says so, in its currency (mostly US dollars); 0 for a cached answer."""


class Attempt(Model):
    """A try that failed and that the question outlived: a retry or a fallback came after it, or it was done without."""

    kind: StepKind
    """What failed."""
    name: OptionalText = None
    """The component's name in the framework."""
    error: Text
    """Type of the error."""
    run_id: OptionalText = None
    """The framework's id of the step."""
    duration_ms: NonNegative | None = None
    """How long it took to fail, in milliseconds."""


class Media(Model):
    """Something other than text in the prompt or the answer: an image, a sound, a file. Its content is never kept."""

    place: Literal["prompt", "answer"]
    """Whether the answering call got it or gave it."""
    kind: Text
    """The block's type, e.g. `image`."""
    mime_type: OptionalText = None
    """What the block says it is, e.g. `image/png`."""
    size: Annotated[int, Field(ge=0)] | None = None
    """Characters of its data as it was sent (base64, or an address); None where it has none."""


class RagRun(Model):
    """One question from retrieval to answer: what happened, without any judgement."""

    schema_version: Literal[1] = 1
    """Version of this layout."""
    run_id: Text
    """The framework's id of the question's root run."""
    status: Status = "ok"
    """How the run ended: `ok`; `partial` (only a part was seen, as where the callback is attached to the model alone);
    `interrupted` (a graph waits for somebody); `abandoned` (the reader left a stream); `cancelled`; `error`; `timeout`
    (nothing happened for `ttl_s`); `evicted` (given up unfinished: too many were open, or the handler was closed)."""
    question: OptionalText = None
    """What the user asked (not the query a retriever got)."""
    answer: OptionalText = None
    """What the user got, as text."""
    llm_text: OptionalText = None
    """The answering model call's full text, where it differs from `answer` (an abandoned stream, a parser)."""
    llm_complete: bool = False
    """Whether `llm_text` is known to be the whole answer although the run did not end normally."""
    chunks: tuple[Chunk, ...] = ()
    """Every distinct chunk, by id and text; stages and context point here."""
    stages: tuple[Stage, ...] = ()
    """The ledger: each retrieval step's list, in order of start."""
    context: tuple[ContextItem, ...] = ()
    """What the generator got, in prompt order."""
    context_source: ContextSource = "given"
    """How `context` is known: found in the prompt, taken from the last stage, or given by the log."""
    citations: CitationStyle = CitationStyle()
    """How citation numbers in the answer count."""
    gold: Gold | None = None
    """Labels given by people, where there are any."""
    judge: Gold | None = None
    """Labels given by a judge, where there are any."""
    k: Annotated[int, Field(ge=1)] | None = None
    """Cut-off for measures that take one; None takes the whole list."""
    started_at: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Start, in seconds since 1970-01-01 UTC."""
    duration_ms: NonNegative | None = None
    """Time from the root run's start to its end, in milliseconds."""
    time_to_first_token_ms: NonNegative | None = None
    """Time from the root run's start to the answer's first token, in milliseconds."""
    usage: Usage = Usage()
    """Tokens and calls."""
    answer_usage: Usage | None = None
    """Of these, what the answering call took; None where no call was seen."""
    attempts: tuple[Attempt, ...] = ()
    """Tries that failed on the way, in order of start."""
    media: tuple[Media, ...] = ()
    """What was not text in the answering call's prompt and in its answer."""
    error: OptionalText = None
    """Type of the error that ended the run."""
    tags: tuple[Text, ...] = ()
    """The root run's tags."""
    metadata: JsonMap = Field(default_factory=dict)
    """The root run's metadata: what reports slice by."""
    flags: tuple[Text, ...] = ()
    """Words for what is unusual about this record: `parent_unknown` (it runs inside a run nobody saw), `open_children`
    (work below it had not ended), `failed_attempts` (searches of attempts that were repeated do not count),
    `several_prompts` (the context is what several calls got whose texts went into the answer), `resumed` (it was
    interrupted and went on), `withheld` (the redaction failed, so all texts were left out),
    `too_many_steps` (it had more runs than are kept, so calls and searches are missing),
    `no_model_events` (there is an answer but no model call), `cached` (a model's answer came from a cache),
    `ignored:<key>` (a field of the input that was not read), `input:invalid_utf8` (bytes were replaced)."""
    inclusion_probability: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Chance with which sampling took this run; averages weight by its inverse."""
    captured_by: Text = "input"
    """What made this record, e.g. `langchain 1.8.3`."""

    @model_validator(mode="after")
    def _indices_exist(self) -> "RagRun":
        size = len(self.chunks)
        for stage in self.stages:
            if any(item.chunk >= size for item in stage.items):
                raise ValueError(f"stage {stage.name or stage.kind!r} points past the {size} chunks of the run")
        if any(item.chunk >= size for item in self.context):
            raise ValueError(f"the context points past the {size} chunks of the run")
        return self

    @property
    def retrieved_places(self) -> tuple[int, ...]:
        """Indices of the retrieved items, best first: each round's final list in turn, repeats kept."""
        return tuple(item.chunk for stage in self.stages if stage.final for item in stage.items)

    @property
    def retrieved(self) -> tuple[int, ...]:
        """Indices of the retrieved chunks, best first, each once."""
        return tuple(dict.fromkeys(self.retrieved_places))

    @property
    def retrieved_ids(self) -> tuple[str, ...]:
        """Ids of the retrieved items, best first, repeats kept (a repeated id is a wasted rank)."""
        return tuple(self.chunks[index].id for index in self.retrieved_places)

    @property
    def retrieval_is_unseen(self) -> bool:
        """Whether the run was captured and no search was seen: there was none, or code made it that hands on texts."""
        return not self.stages and self.context_source != "given"

    @property
    def ledger(self) -> tuple[int, ...]:
        """Indices of the chunks as `Evaluation.chunks` lists them: the context in prompt order, then the rest."""
        context = [item.chunk for item in self.context]
        seen = set(context)
        return (*context, *(index for index in self.retrieved if index not in seen))

    @property
    def answer_is_whole(self) -> bool:
        """Whether the answer may be judged: the run ended normally, or the model's whole text is known."""
        return self.status in ("ok", "partial") or self.llm_complete

    @property
    def judged_answer(self) -> str:
        """The text that is evaluated: what the user got, or the whole model text where the user stopped early."""
        if self.status not in ("ok", "partial") and self.llm_complete and self.llm_text:
            return self.llm_text
        return self.answer or ""

    def context_chunks(self) -> Iterator[Chunk]:
        """Yields the chunks the generator got, in prompt order; of one that was cut off, the text up to there."""
        for item in self.context:
            chunk = self.chunks[item.chunk]
            if item.match == "head" and item.coverage < 1:
                chunk = chunk.model_copy(update={"text": _beginning(chunk.text, item.coverage)})
            yield chunk


def _beginning(text: str, share: float) -> str:
    """Returns the first share of a text, counted with every run of white space as one character.

    >>> _beginning("one  two three", 7 / 13)
    'one  two'
    """
    words = list(re.finditer(r"\S+", text))
    left = round(share * (sum(len(word.group()) for word in words) + len(words) - 1))
    for word in words:
        if left <= len(word.group()):
            return text[: word.start() + left].rstrip()
        left -= len(word.group()) + 1
    return text


def pool_chunks(chunks: Sequence[Chunk]) -> tuple[tuple[Chunk, ...], tuple[int, ...]]:
    """Returns the distinct chunks (by id and text) and, for each given chunk, its index among them."""
    index: dict[tuple[str, str], int] = {}
    pool: list[Chunk] = []
    places: list[int] = []
    for chunk in chunks:
        key = (chunk.id, chunk.text)
        if key not in index:
            index[key] = len(pool)
            pool.append(chunk)
        places.append(index[key])
    return tuple(pool), tuple(places)


STATUSES: tuple[str, ...] = get_args(Status)
