"""The data the page draws runs from: plain JSON, with texts already cut, so that no script counts characters."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from rag_eval_hooks.record import Claim, MetricResult, RagRun
from rag_eval_hooks.reports.sentences import Paragraph, Part, Quote, Ref
from rag_eval_hooks.reports.story import story_of
from rag_eval_hooks.reports.view import AnswerSegment, ChunkView, CitationView, ClaimView, RunView, citation_outcome
from rag_eval_hooks.reports.words import (
    PROBLEMS,
    STAGES,
    STATUSES,
    as_number,
    as_probability,
    failed_tries,
    finding_text,
    finding_title,
    finding_words,
    person_number,
    rests_on,
    within_one,
    without_value,
)

__all__ = ["index_row", "run_data", "script_json"]

LONGEST_PIECE = 6_000
SEARCHED_ANSWER = 2_000
LONGEST_VALUE = 600

ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def script_json(data: Any) -> str:
    """Returns JSON that is safe inside a `<script type="application/json">` element, whatever text it holds.

    >>> script_json("</script><!--&")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--\\\\u0026"'
    """
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(ESCAPES)


def index_row(view: RunView) -> dict[str, Any]:
    """Returns what the list of runs shows, filters and sorts by."""
    evaluation, run = view.evaluation, view.run
    return {
        "id": evaluation.run_id,
        "q": evaluation.question or "",
        "a": (evaluation.answer or "")[:SEARCHED_ANSWER],
        "status": evaluation.status,
        "kind": evaluation.answer_kind,
        "findings": list(dict.fromkeys(finding.kind for finding in evaluation.findings)),
        "cause": next((finding.kind for finding in evaluation.findings if finding.first_cause), None),
        "verdicts": [claim.verdict for claim in view.claims],
        "used": sum(chunk.use == "used" for chunk in view.chunks if chunk.in_prompt),
        "context": sum(chunk.in_prompt for chunk in view.chunks),
        "measures": {result.metric: result.value for result in evaluation.results},
        "tags": list(run.tags) if run is not None else [],
        "started": run.started_at if run is not None else None,
        "ms": run.duration_ms if run is not None else None,
    }


def run_data(view: RunView) -> dict[str, Any]:
    """Returns everything the page shows about one run."""
    evaluation, run = view.evaluation, view.run
    return {
        "id": evaluation.run_id,
        "status": evaluation.status,
        "statusWords": STATUSES.get(evaluation.status, evaluation.status),
        "kind": evaluation.answer_kind,
        "question": evaluation.question,
        "answer": None if evaluation.answer is None else [_answer_piece(piece) for piece in view.answer],
        "unread": view.unread or None,
        "gold": run.gold.answer if run is not None and run.gold is not None else None,
        "order": _order(run),
        "hasTexts": view.has_texts,
        "retrieved": len(run.retrieved) if run is not None else None,
        "claims": [_claim(claim) for claim in view.claims],
        "citations": [_citation(citation, view) for citation in view.citations],
        "chunks": [_chunk(chunk) for chunk in view.chunks],
        "results": [_result(result) for result in view.results if result.value is not None],
        "missing": [[reason, list(names)] for reason, names in without_value(view.results).items()],
        "story": _story(view),
        "findings": _findings(view),
        "facts": _facts(view),
        "metadata": _pairs(run.metadata.items()) if run is not None else [],
    }


def _order(run: RagRun | None) -> str:
    """What the chunks' ranks follow."""
    return "the last stage" if run is not None and run.context_source == "last_stage" else "the prompt"


def _answer_piece(piece: AnswerSegment) -> Any:
    if piece.claim is None and not piece.citations:
        return piece.text
    data: dict[str, Any] = {"t": piece.text}
    if piece.claim is not None:
        data["claim"] = piece.claim
    if piece.citations:
        data["cites"] = list(piece.citations)
    return data


def _claim(view: ClaimView) -> dict[str, Any]:
    claim: Claim = view.claim
    return {
        "n": claim.index + 1,
        "verdict": view.verdict,
        "p": None if claim.probability is None else as_probability(claim.probability),
        "by": [[backing.chunk, as_probability(backing.probability)] for backing in view.backing],
        "against": list(view.against),
    }


def _citation(view: CitationView, run: RunView) -> dict[str, Any]:
    citation = view.citation
    outcome = citation_outcome(citation)
    why = PROBLEMS.get(outcome, "the cited chunk backs the statement")
    return {
        "marker": citation.marker,
        "ok": view.ok,
        "why": why,
        "target": citation.target,
        "chunk": view.chunk,
        "claim": view.claim,
        "better": [item.chunk for item in run.claims[view.claim].backing]
        if view.claim is not None and outcome == "misplaced"
        else [],
    }


def _chunk(chunk: ChunkView) -> dict[str, Any]:
    return {
        "rank": chunk.rank,
        "id": chunk.id,
        "pieces": None if chunk.text is None else [p for s in chunk.segments for p in _pieces(s.text, s.marks)],
        "size": None if chunk.text is None else len(chunk.text),
        "use": chunk.use,
        "p": None if chunk.use_probability is None else as_probability(chunk.use_probability),
        "share": chunk.use_probability,
        "cited": chunk.cited,
        "conflict": chunk.conflict,
        "inPrompt": chunk.in_prompt,
        "source": chunk.source,
        "page": chunk.page,
        "relevance": None if chunk.relevance is None else as_number(chunk.relevance),
        "coverage": None if chunk.coverage is None or chunk.coverage >= 1 else as_probability(chunk.coverage),
        "by": [[backing.claim, as_probability(backing.probability)] for backing in chunk.backing],
        "trail": [
            [place.stage, place.rank, None if place.score is None else as_number(place.score)] for place in chunk.trail
        ],
        "metadata": _pairs(chunk.metadata),
    }


def _pieces(text: str, marks: tuple[int, ...]) -> Iterable[Any]:
    """The piece, or its beginning, how much is left out, and its end."""
    half = LONGEST_PIECE // 2
    parts: list[Any] = [text] if len(text) <= LONGEST_PIECE else [text[:half], len(text) - 2 * half, text[-half:]]
    for part in parts:
        if isinstance(part, int):
            yield {"cut": part}
        elif marks:
            yield {"t": part, "claims": list(marks)}
        else:
            yield part


def _result(result: MetricResult) -> dict[str, Any]:
    return {
        "metric": result.metric,
        "value": as_number(result.value),
        "share": result.value if result.value is not None and within_one(result.metric, result.value) else None,
        "restsOn": rests_on(result.metric, result.labels),
    }


def _story(view: RunView) -> list[dict[str, Any]]:
    """The story without the question, which stands above it."""
    known = _places(view)
    return [
        {
            "key": part.key,
            "heading": part.heading,
            "tone": part.tone,
            "says": [_part(one, known) for one in _parts(part)],
        }
        for part in story_of(view)
        if part.key != "asked"
    ]


def _parts(paragraph: Paragraph) -> list[Part]:
    """All sentences in a row, our own words joined."""
    row: list[Part] = []
    for part in (part for place, sentence in enumerate(paragraph.sentences) for part in (" " * (place > 0), *sentence)):
        if isinstance(part, str) and row and isinstance(row[-1], str):
            row[-1] += part
        else:
            row.append(part)
    return row


def _part(part: Part, known: dict[str, dict[int, int]]) -> Any:
    if isinstance(part, Quote):
        return {"q": part.text}
    if isinstance(part, Ref):
        return {"ref": [part.what, part.shown, known[part.what].get(part.number)]}
    return part


def _places(view: RunView) -> dict[str, dict[int, int]]:
    """Where claims, citations and chunks stand on the page, by the numbers that the record has."""
    return {
        "claims": {claim.claim.index: place for place, claim in enumerate(view.claims)},
        "citations": {citation.citation.index: place for place, citation in enumerate(view.citations)},
        "chunks": {chunk.rank: place for place, chunk in enumerate(view.chunks)},
    }


def _findings(view: RunView) -> list[dict[str, Any]]:
    known = _places(view)
    return [
        {
            "kind": finding.kind,
            "title": finding_words(finding.kind)[0],
            "says": finding_words(finding.kind)[1],
            "stage": STAGES.get(finding.stage, finding.stage),
            "confidence": as_probability(finding.confidence),
            "why": finding_text(finding),
            "first": finding.first_cause,
            "follows": finding_title(finding.explained_by) if finding.explained_by is not None else None,
            "refs": [
                [what, person_number(what, number), known.get(what, {}).get(number)]
                for what, numbers in finding.refs.items()
                for number in numbers
            ],
        }
        for finding in view.findings
    ]


def _facts(view: RunView) -> list[list[str]]:
    """What else the record says, as label and text."""
    evaluation, run = view.evaluation, view.run
    facts: list[tuple[str, str | None]] = [
        ("run", evaluation.run_id),
        ("ended", STATUSES.get(evaluation.status, evaluation.status)),
    ]
    if run is not None:
        facts += [
            ("error", run.error),
            ("started", _time(run)),
            ("took", _milliseconds(run.duration_ms)),
            ("first token after", _milliseconds(run.time_to_first_token_ms)),
            ("tokens", _tokens(run)),
            ("model calls", str(run.usage.model_calls) if run.usage.model_calls else None),
            ("cost", None if run.usage.cost is None else f"{run.usage.cost:.6g}"),
            ("failed tries", failed_tries(run) or None),
            ("other than text", ", ".join(f"{one.kind} in the {one.place}" for one in run.media) or None),
            ("tags", ", ".join(run.tags) or None),
            ("flags", ", ".join(run.flags) or None),
            ("context known from", _context_source(run)),
            ("kept by sampling with", _chance(run)),
            ("captured by", run.captured_by),
        ]
    made = evaluation.made_by
    facts += [("evaluated by", f"{made.package}, attribution {made.attributor} {made.attributor_version}")]
    return [[label, text] for label, text in facts if text]


def _pairs(items: Iterable[tuple[str, Any]]) -> list[list[str]]:
    return [
        [key, _short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))]
        for key, value in items
    ]


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text):,} characters)"


def _time(run: RagRun) -> str | None:
    if run.started_at is None:
        return None
    try:
        return datetime.fromtimestamp(run.started_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return None


def _milliseconds(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:,.0f} ms" if value < 10_000 else f"{value / 1000:,.1f} s"


def _tokens(run: RagRun) -> str | None:
    sent, received = run.usage.input_tokens, run.usage.output_tokens
    if sent is None and received is None:
        return None
    return f"{'?' if sent is None else format(sent, ',')} in, {'?' if received is None else format(received, ',')} out"


def _context_source(run: RagRun) -> str:
    return {"prompt": "the prompt", "last_stage": "the last stage's list", "given": "the log"}[run.context_source]


def _chance(run: RagRun) -> str | None:
    return f"probability {as_number(run.inclusion_probability)}" if run.inclusion_probability < 1 else None
