"""What one run looks like: the answer and the chunks cut into segments, shared by the page and the terminal.

Pure: no I/O, no formatting. Offsets count characters (code points) of the given text; spans outside a text are
clamped to it, never an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rag_eval_hooks.metrics.levels import document_of, page_of
from rag_eval_hooks.record import Chunk, Citation, Claim, Evaluation, Finding, MetricResult, RagRun
from rag_eval_hooks.record.limits import LIMITS

__all__ = [
    "AnswerSegment",
    "Backing",
    "ChunkView",
    "CitationView",
    "ClaimView",
    "Place",
    "RunView",
    "Segment",
    "citation_outcome",
    "cut",
    "run_view",
    "shown_verdict",
]

TELLING_ID = re.compile(r"[^\W\d_]{3}")
MADE_UP_ID = re.compile(r"text-[0-9a-f]{12}|[0-9a-f-]{16,}", re.IGNORECASE)
LONGEST_CAPTION = 60


@dataclass(frozen=True)
class Segment:
    """A piece of a text, and which of the given spans cover it."""

    text: str
    marks: tuple[int, ...] = ()
    """Indices of the covering spans, ascending; empty for plain text."""


@dataclass(frozen=True)
class AnswerSegment:
    """A piece of the answer: plain text, part of a claim, or a citation mark."""

    text: str
    claim: int | None = None
    """Position of the claim it belongs to (the shortest, where claims overlap)."""
    citations: tuple[int, ...] = ()
    """Positions of the citations whose mark this is; a group such as `[1, 2]` has several."""


@dataclass(frozen=True)
class Backing:
    """One chunk behind one claim."""

    chunk: int
    """Position in `RunView.chunks`."""
    claim: int
    """Position in `RunView.claims`."""
    probability: float


@dataclass(frozen=True)
class Place:
    """Where one stage put a chunk."""

    stage: str
    rank: int
    score: float | None


@dataclass(frozen=True)
class ClaimView:
    """A claim with the chunks for and against it."""

    claim: Claim
    backing: tuple[Backing, ...] = ()
    against: tuple[int, ...] = ()
    """Positions of the chunks that a finding names as contradicting this claim."""

    @property
    def verdict(self) -> str:
        """The claim's verdict as shown, see `shown_verdict`."""
        return shown_verdict(self.claim)


@dataclass(frozen=True)
class CitationView:
    """A citation, and where its claim and its target are."""

    citation: Citation
    claim: int | None = None
    chunk: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the target exists and backs the statement."""
        return citation_outcome(self.citation) == "ok"


@dataclass(frozen=True)
class ChunkView:
    """A chunk as the answer used it."""

    rank: int
    id: str
    text: str | None
    """The chunk's text; None where the run record is missing or does not hold the chunk."""
    segments: tuple[Segment, ...]
    """The text, cut; marks are positions of the claims that the piece supports."""
    use: str
    use_probability: float | None
    cited: bool
    conflict: bool
    in_prompt: bool
    score: float | None = None
    """The score of the last stage that gave one."""
    source: str | None = None
    page: str | None = None
    relevance: float | None = None
    """Gold relevance; None where the chunk is unjudged."""
    coverage: float | None = None
    """Share of the text that reached the prompt; None for a chunk that is not in the prompt."""
    backing: tuple[Backing, ...] = ()
    trail: tuple[Place, ...] = ()
    metadata: tuple[tuple[str, Any], ...] = ()

    @property
    def caption(self) -> str:
        """What tells people which chunk this is where its id does not: source and page, else the text's first words.

        Empty where the id is telling: a name of at least three letters in a row that nobody made up from the text.
        """
        if TELLING_ID.search(self.id) and not MADE_UP_ID.fullmatch(self.id):
            return ""
        if self.source is not None:
            return self.source if self.page is None else f"{self.source}, page {self.page}"
        return " ".join((self.text or "")[: 4 * LONGEST_CAPTION].split())


@dataclass(frozen=True)
class RunView:
    """One run, ready to be shown."""

    run: RagRun | None
    evaluation: Evaluation
    answer: tuple[AnswerSegment, ...]
    claims: tuple[ClaimView, ...]
    citations: tuple[CitationView, ...]
    chunks: tuple[ChunkView, ...]

    @property
    def has_texts(self) -> bool:
        """Whether the run record is there; without it no chunk text can be shown."""
        return self.run is not None

    @property
    def results(self) -> tuple[MetricResult, ...]:
        """The measures of the run."""
        return self.evaluation.results

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What went wrong, most certain first."""
        return self.evaluation.findings

    @property
    def unread(self) -> str:
        """What to say where the judged text is not what the user saw, or not all was judged; empty where it is."""
        cut = "; ".join(LIMITS.get(word, word) for word in self.evaluation.limits)
        return " ".join(filter(None, (self._unseen, f"Larger than what is judged: {cut}." if cut else "")))

    @property
    def _unseen(self) -> str:
        run, judged = self.run, self.evaluation.answer or ""
        if run is None or run.llm_text is None or judged != run.llm_text or judged == (run.answer or ""):
            return ""
        size, seen = len(judged), run.answer or ""
        saw = (
            "nothing of it"
            if not seen
            else f"only the first {len(seen):,}"
            if judged.startswith(seen)
            else "another text"
        )
        return f"Judged is the model's whole text, {size:,} characters; the user saw {saw}."

    def chunk_at(self, rank: int) -> int | None:
        """Returns the position of the chunk with this rank, or None."""
        return _position_of([chunk.rank for chunk in self.chunks], rank)


def cut(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Segment, ...]:
    """Cuts `text` at the borders of `spans`, which may overlap, nest, be empty or lie outside the text.

    The segments' texts, joined, are `text`; a segment's marks are exactly the spans that contain it.

    >>> [(s.text, s.marks) for s in cut("abcdef", [(1, 4), (3, 99)])]
    [('a', ()), ('bc', (0,)), ('d', (0, 1)), ('ef', (1,))]
    """
    size = len(text)
    starts: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for index, (first, last) in enumerate(spans):
        start, end = min(max(first, 0), size), min(max(last, 0), size)
        if start < end:
            starts.setdefault(start, []).append(index)
            ends.setdefault(end, []).append(index)
    borders = sorted({0, size, *starts, *ends})
    segments: list[Segment] = []
    active: set[int] = set()
    for here, there in pairwise(borders):
        active.difference_update(ends.get(here, ()))
        active.update(starts.get(here, ()))
        segments.append(Segment(text[here:there], tuple(sorted(active))))
    return tuple(segments)


def run_view(run: RagRun | None, evaluation: Evaluation) -> RunView:
    """Returns what there is to show about one run.

    Args:
        run: The record; None where only the evaluation was kept, and then no chunk has a text.
        evaluation: What was concluded about it.
    """
    ranks = [verdict.rank for verdict in evaluation.chunks]
    numbers = [claim.index for claim in evaluation.claims]
    backing = tuple(_backing(evaluation, ranks))
    against = _against(evaluation, ranks, numbers)
    return RunView(
        run=run,
        evaluation=evaluation,
        answer=_answer(evaluation),
        claims=tuple(
            ClaimView(claim, tuple(item for item in backing if item.claim == place), tuple(against.get(place, ())))
            for place, claim in enumerate(evaluation.claims)
        ),
        citations=tuple(
            CitationView(
                citation,
                None if citation.claim is None else _position_of(numbers, citation.claim),
                None if citation.target_rank is None else _position_of(ranks, citation.target_rank),
            )
            for citation in evaluation.citations
        ),
        chunks=_chunks(run, evaluation, backing),
    )


def shown_verdict(claim: Claim) -> str:
    """Returns the claim's verdict, or `none` where the claim needs no evidence and nothing speaks for or against it."""
    settled = claim.verdict in ("supported", "conflict")
    return claim.verdict if claim.needs_evidence or settled else "none"


def citation_outcome(citation: Citation) -> str:
    """Returns `ok` for a citation that holds, else its problem."""
    if citation.problem is not None:
        return citation.problem
    if not citation.exists:
        return "dangling"
    return "ok" if citation.supported else "unsupported"


def _position_of(values: Sequence[int], value: int) -> int | None:
    """Where `value` stands; usually a rank is its position + 1 and a claim's index its position."""
    return values.index(value) if value in values else None


def _backing(evaluation: Evaluation, ranks: Sequence[int]) -> list[Backing]:
    found: list[Backing] = []
    for place, claim in enumerate(evaluation.claims):
        for support in claim.supported_by:
            chunk = _position_of(ranks, support.rank)
            if chunk is not None:
                found.append(Backing(chunk, place, support.probability))
    return found


def _against(evaluation: Evaluation, ranks: Sequence[int], numbers: Sequence[int]) -> dict[int, list[int]]:
    """Positions of chunks by the position of the claim they contradict, as the findings say."""
    found: dict[int, list[int]] = {}
    for finding in evaluation.findings:
        if finding.kind != "conflicting_claim":
            continue
        chunks = [_position_of(ranks, rank) for rank in finding.refs.get("chunks", ())]
        for number in finding.refs.get("claims", ()):
            claim = _position_of(numbers, number)
            if claim is not None:
                places = found.setdefault(claim, [])
                places.extend(chunk for chunk in chunks if chunk is not None and chunk not in places)
    return found


def _answer(evaluation: Evaluation) -> tuple[AnswerSegment, ...]:
    claims, citations = evaluation.claims, evaluation.citations
    spans = [claim.span for claim in claims] + [citation.span for citation in citations]

    def length(place: int) -> int:
        start, end = claims[place].span
        return end - start

    segments = []
    for segment in cut(evaluation.answer or "", spans):
        covering = [mark for mark in segment.marks if mark < len(claims)]
        segments.append(
            AnswerSegment(
                segment.text,
                min(covering, key=length) if covering else None,
                tuple(mark - len(claims) for mark in segment.marks if mark >= len(claims)),
            )
        )
    return tuple(segments)


def _chunks(run: RagRun | None, evaluation: Evaluation, backing: tuple[Backing, ...]) -> tuple[ChunkView, ...]:
    places = _places(run, evaluation)
    trails = _trails(run)
    relevance = (run.gold.relevance if run is not None and run.gold is not None else None) or {}
    coverage: dict[int, float] = {}
    for item in run.context if run is not None else ():
        coverage.setdefault(item.chunk, item.coverage)
    spans = _spans_by_rank(evaluation)
    views = []
    for position, verdict in enumerate(evaluation.chunks):
        place = places[position]
        chunk = run.chunks[place] if run is not None and place is not None else None
        trail = trails.get(place, ()) if place is not None else ()
        claims, offsets = spans.get(verdict.rank, ((), ()))
        views.append(
            ChunkView(
                rank=verdict.rank,
                id=verdict.id,
                text=chunk.text if chunk is not None else None,
                segments=_chunk_segments(chunk, claims, offsets),
                use=verdict.use,
                use_probability=verdict.use_probability,
                cited=verdict.cited,
                conflict=verdict.conflict,
                in_prompt=verdict.in_prompt,
                score=next((step.score for step in reversed(trail) if step.score is not None), None),
                source=document_of(chunk) if chunk is not None else None,
                page=page_of(chunk) if chunk is not None else None,
                relevance=relevance.get(verdict.id),
                coverage=coverage.get(place) if place is not None and verdict.in_prompt else None,
                backing=tuple(item for item in backing if item.chunk == position),
                trail=tuple(trail),
                metadata=tuple(chunk.metadata.items()) if chunk is not None else (),
            )
        )
    return tuple(views)


def _chunk_segments(
    chunk: Chunk | None, claims: Sequence[int], offsets: Sequence[tuple[int, int]]
) -> tuple[Segment, ...]:
    """The chunk's text, cut; the same claim is named once where two of its spans overlap."""
    if chunk is None:
        return ()
    return tuple(
        Segment(segment.text, tuple(sorted({claims[mark] for mark in segment.marks})))
        for segment in cut(chunk.text, offsets)
    )


def _spans_by_rank(evaluation: Evaluation) -> dict[int, tuple[list[int], list[tuple[int, int]]]]:
    """By chunk rank: for each supporting span the claim's position, and the span."""
    spans: dict[int, tuple[list[int], list[tuple[int, int]]]] = {}
    for place, claim in enumerate(evaluation.claims):
        for support in claim.supported_by:
            claims, offsets = spans.setdefault(support.rank, ([], []))
            for span in support.spans:
                claims.append(place)
                offsets.append(span)
    return spans


def _places(run: RagRun | None, evaluation: Evaluation) -> list[int | None]:
    """For each chunk of the evaluation, its index in `run.chunks`: by ledger position, else by id."""
    if run is None:
        return [None] * len(evaluation.chunks)
    ledger = run.ledger
    by_id: dict[str, int] = {}
    for index, chunk in enumerate(run.chunks):
        by_id.setdefault(chunk.id, index)
    places: list[int | None] = []
    for position, verdict in enumerate(evaluation.chunks):
        at = ledger[position] if position < len(ledger) else None
        matches = at is not None and run.chunks[at].id == verdict.id
        places.append(at if matches else by_id.get(verdict.id))
    return places


def _trails(run: RagRun | None) -> dict[int, list[Place]]:
    trails: dict[int, list[Place]] = {}
    for stage in run.stages if run is not None else ():
        for rank, item in enumerate(stage.items, start=1):
            trails.setdefault(item.chunk, []).append(Place(stage.name or stage.kind, rank, item.score))
    return trails
