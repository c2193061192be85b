"""Tier-0 attribution: which chunks the answer used, which claims the context backs, whether each citation holds."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

from rag_eval_hooks.attribution.cite import cite
from rag_eval_hooks.attribution.claims import Statement, assign_marks, blank, split_statements
from rag_eval_hooks.attribution.evidence import Evidence, fold_text
from rag_eval_hooks.attribution.fold import Folded, fold
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.attribution.match import Backing, Judgement, Query, judge
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.record import Attribution, Chunk, ChunkVerdict, Citation, Claim, RagRun, Support
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM, AnswerKind, Use, Verdict

__all__ = ["ATTRIBUTOR", "ATTRIBUTOR_VERSION", "attribute"]

ATTRIBUTOR = "tier0"
ATTRIBUTOR_VERSION = "1"
MAX_ANSWER = 200_000
MAX_CLAIMS = 500
USED_FROM = 0.6
UNUSED_BELOW = 0.4
UNTOUCHED = 0.02


class _Texts(NamedTuple):
    """The context's distinct texts: equal chunks are judged once and share the verdict."""

    evidence: Evidence
    place_of: tuple[int, ...]
    """For each context position, the index of its distinct text."""


def attribute(run: RagRun) -> Attribution:
    """Returns what the answer owes to its context, without calling a model.

    Pure and deterministic. Each statement of the answer is weighed against each chunk by the terms it shares (what the
    question already says counts less, what many chunks say counts less) and by typed anchors that must agree (numbers
    with units, dates, times, versions, codes); equal chunks share one verdict; chunks may back a statement together.
    The weights are set by hand and are named in `Evaluation.made_by`.

    Limits: the first 200,000 characters of the answer and of each chunk, and the first 500 statements; a later
    statement is `uncertain`. A chunk that did not reach the prompt is `unused`.
    """
    answer = run.judged_answer
    if not answer.strip() or not run.answer_is_whole:
        return Attribution(
            answer_kind="empty" if not answer.strip() else "answer",
            chunks=_verdicts(run, [None] * len(run.context), [], []),
        )
    context = list(run.context_chunks())
    marks = find_marks(answer[:MAX_ANSWER], len(context), run.citations.base)
    statements = split_statements(answer[:MAX_ANSWER], marks)
    kind = _answer_kind(statements)
    query = Query(fold(run.question or "").text)
    visible = blank(answer[:MAX_ANSWER], [(mark.start, mark.end) for mark in marks])
    folded = fold(visible)
    texts = _distinct(context, {term for term, _, _ in terms(folded.text)})
    kept = [] if kind == "refusal" else statements

    @cache
    def weigh(start: int, end: int) -> Judgement:
        return judge(folded, visible, start, end, query, texts.evidence)

    judged = [weigh(one.start, one.end) for one in kept[:MAX_CLAIMS]]
    owners = assign_marks(answer, kept, marks)
    citations = cite(run, marks, owners, kept, judged, weigh, texts.place_of)
    claims = [
        _claim(index, answer, one, judged[index] if index < len(judged) else None, citations, texts, context)
        for index, one in enumerate(kept)
    ]
    best: list[Backing | None] = [None] * len(texts.evidence.texts)
    conflicts = [False] * len(best)
    for one, judgement in zip(kept, judged, strict=False):
        if one.kind != "statement":
            continue
        for backing in judgement.backings:
            known = best[backing.chunk]
            if known is None or backing.use > known.use:
                best[backing.chunk] = backing
            conflicts[backing.chunk] = conflicts[backing.chunk] or backing.conflict
    uses = [max(UNTOUCHED, found.use) if (found := best[place]) else UNTOUCHED for place in texts.place_of]
    flags = [conflicts[place] for place in texts.place_of]
    return Attribution(
        answer_kind=kind,
        chunks=_verdicts(run, uses, flags, citations),
        claims=tuple(claims),
        citations=tuple(citations),
    )


def _answer_kind(statements: Sequence[Statement]) -> AnswerKind:
    telling = [one for one in statements if one.kind in ("statement", "refusal")]
    if telling and all(one.kind == "refusal" for one in telling):
        return "refusal"
    return "answer"


def _distinct(context: Sequence[Chunk], vocabulary: Collection[str]) -> _Texts:
    index: dict[str, int] = {}
    folded: list[Folded] = []
    originals: list[str] = []
    places: list[int] = []
    for chunk in context:
        form = fold_text(chunk.text)
        key = " ".join(form.text.split())
        if key not in index:
            index[key] = len(folded)
            folded.append(form)
            originals.append(chunk.text)
        places.append(index[key])
    return _Texts(Evidence(folded, originals, vocabulary), tuple(places))


def _claim(
    index: int,
    answer: str,
    statement: Statement,
    judgement: Judgement | None,
    citations: Sequence[Citation],
    texts: _Texts,
    context: Sequence[Chunk],
) -> Claim:
    verdict: Verdict = "uncertain"
    supports: list[Support] = []
    if judgement is not None:
        verdict = _verdict(judgement)
        if verdict == "supported":
            supports = _supports(judgement, texts, context)
    return Claim(
        index=index,
        text=answer[statement.start : statement.end],
        span=(statement.start, statement.end),
        verdict=verdict,
        probability=None if judgement is None else judgement.support,
        supported_by=tuple(supports),
        needs_evidence=statement.kind == "statement",
        citations=tuple(citation.index for citation in citations if citation.claim == index),
    )


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.conflict:
        return "conflict"
    if judgement.support >= SUPPORTED_FROM:
        return "supported"
    return "uncertain" if judgement.support >= UNUSED_BELOW else "unsupported"


def _supports(judgement: Judgement, texts: _Texts, context: Sequence[Chunk]) -> list[Support]:
    supports: list[Support] = []
    for backing in judgement.backings:
        if backing.support < SUPPORTED_FROM and backing.chunk not in judgement.joint:
            continue
        form = texts.evidence.texts[backing.chunk]
        for position, place in enumerate(texts.place_of):
            if place != backing.chunk:
                continue
            spans = []
            for number in sorted(backing.sentences):
                sentence = texts.evidence.sentences[number]
                start, end = sentence.start, sentence.end
                while end > start and form.text[end - 1].isspace():
                    end -= 1
                if end > start:
                    spans.append(form.span(start, end))
            chunk = context[position]
            supports.append(
                Support(
                    rank=position + 1, id=chunk.id, probability=backing.support, spans=tuple(_within(spans, chunk.text))
                )
            )
    supports.sort(key=lambda support: (-support.probability, support.rank))
    return supports


def _within(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    return [(start, min(end, len(text))) for start, end in spans if start < len(text)]


def _verdicts(
    run: RagRun, uses: Sequence[float | None], conflicts: Sequence[bool], citations: Sequence[Citation]
) -> tuple[ChunkVerdict, ...]:
    cited = {citation.target_rank for citation in citations if citation.target_rank is not None}
    packed = len(run.context)
    verdicts = []
    for rank, index in enumerate(run.ledger, 1):
        in_prompt = rank <= packed
        probability = uses[rank - 1] if in_prompt else 0.0 if any(use is not None for use in uses) else None
        verdicts.append(
            ChunkVerdict(
                rank=rank,
                id=run.chunks[index].id,
                in_prompt=in_prompt,
                cited=rank in cited,
                use=_use(probability),
                use_probability=probability,
                conflict=bool(in_prompt and conflicts and conflicts[rank - 1]),
            )
        )
    return tuple(verdicts)


def _use(probability: float | None) -> Use:
    if probability is None:
        return "unknown"
    if probability >= USED_FROM:
        return "used"
    return "uncertain" if probability >= UNUSED_BELOW else "unused"
