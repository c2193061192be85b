"""Tier-0 attribution: which chunks the answer used, which claims the context backs, whether each citation holds."""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from rag_eval_hooks._give_way import give_way
from rag_eval_hooks.attribution.ask import ask_model
from rag_eval_hooks.attribution.attributor import Attributor
from rag_eval_hooks.attribution.cite import cite
from rag_eval_hooks.attribution.claims import Statement
from rag_eval_hooks.attribution.derived import derive
from rag_eval_hooks.attribution.match import Judgement
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.attribution.use import use_features, use_probabilities, with_citations
from rag_eval_hooks.record import Attribution, ChunkVerdict, Citation, Claim, Derived, RagRun, Support
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM, Use, Verdict
from rag_eval_hooks.record.limits import MAX_SUPPORTS

__all__ = ["ATTRIBUTOR", "ATTRIBUTOR_VERSION", "USED_FROM", "attribute", "use_features_by_position"]

ATTRIBUTOR = "tier0"
ATTRIBUTOR_VERSION = "5"
USED_FROM = 0.45
UNUSED_BELOW = 0.3
UNSUPPORTED_BELOW = 0.3
OPERAND_USE = 0.8
"""Probability of use, at least, of a text with an operand of a number that the answer computed; set by hand."""


def attribute(run: RagRun, attributor: Attributor | None = None) -> Attribution:
    """Returns what the answer owes to its context, without calling a model.

    Pure and deterministic. Each statement of the answer is weighed against each chunk by the terms it shares (what the
    question already says counts less, what many chunks say counts less) and by typed anchors that must agree (numbers
    with units, dates, times, versions, codes); equal chunks share one verdict, and so do chunks that overlap where they
    do; chunks may back a statement together. The weights of use, support and conflict are fitted to people's labels
    (`weights.json`), with caps: a statement with a value that no text states, or with the opposite of what a text says,
    is not `supported` unless a calibration or a support model lifts it. A number that is computed from numbers of the
    texts (a sum, a share, a change, a count) is stated by them: see `Claim.derived`.

    Where no retrieval was seen at all, there is nothing to judge against: claims are `uncertain`, without probability.

    A chunk is `used` from a probability of 0.45, `unused` below 0.3, `uncertain` between; one that did not reach the
    prompt is `unused`.

    Limits: `rag_eval_hooks.record.limits` says what is read and judged of a very large run; the words for what was
    left out are in `limits`. A later claim is `uncertain`, the use of a later chunk `unknown`.

    Args:
        run: The record of one question.
        attributor: What to go by; by default the package's background, no calibration and no model.
    """
    answer = run.judged_answer
    if not answer.strip() or not run.answer_is_whole:
        return Attribution(
            answer_kind="empty" if not answer.strip() else "answer",
            chunks=_verdicts(run, [None] * len(run.context), [], []),
        )
    reading = Reading(run, attributor)
    give_way()
    derivations = derive(reading)
    give_way()
    unanswered = ask_model(reading, lambda judgement: _verdict(judgement) == "uncertain")
    citations = cite(reading)
    give_way()
    cited: dict[int, list[int]] = {}
    for citation in citations:
        if citation.claim is not None:
            cited.setdefault(citation.claim, []).append(citation.index)
    needs_citation = reading.needs_citation(cited)
    claims = [
        _claim(
            index,
            statement,
            judgement,
            tuple(cited.get(index, ())),
            reading,
            derivations.found.get(index, ()),
            needs_citation=needs_citation[index],
        )
        for index, (statement, judgement) in enumerate(zip_longest(reading.statements, reading.judged))
    ]
    used = use_probabilities(reading.stated, len(reading.evidence.texts))
    if reading.attributor.count_citations:
        pointed_at = {one.target_rank - 1 for one in citations if one.target_rank is not None}
        used = with_citations(used, {reading.place_of[position] for position in pointed_at})
    if reading.attributor.calibration is not None and reading.attributor.calibration.use is not None:
        used = [reading.attributor.calibration.use.apply(probability) for probability in used]
    for place in derivations.used:
        used[place] = max(used[place], OPERAND_USE)
    refuted = {backing.chunk for judgement in reading.stated for backing in judgement.backings if backing.conflict}
    return Attribution(
        answer_kind=reading.kind,
        chunks=_verdicts(
            run,
            [used[place] if rank < reading.read_chunks else None for rank, place in enumerate(reading.place_of)],
            [place in refuted for place in reading.place_of],
            citations,
            [place in reading.wrong for place in reading.place_of],
        ),
        claims=tuple(claims),
        citations=tuple(citations),
        unanswered=unanswered,
        limits=reading.limits(),
    )


def use_features_by_position(run: RagRun) -> list[tuple[float, ...]]:
    """Returns the use head's features for each context position: what `fit` learns from and a reader can look into."""
    reading = Reading(run)
    features = use_features(reading.stated, len(reading.evidence.texts))
    return [features[place] for place in reading.place_of]


def support_features_by_claim(run: RagRun) -> list[tuple[float, ...]]:
    """Returns the support head's features of each statement and question: what `fit` learns from.

    Those of the text that covers most of it, so that they do not depend on the weights; none for a statement that
    shares nothing with any text. Courtesies count only where there is nothing else.
    """
    reading = Reading(run)
    pairs = list(zip(reading.statements, reading.judged, strict=False))
    judged = [found for one, found in pairs if one.kind != "courtesy"] or [found for _, found in pairs]
    return [max((one.features for one in found.backings), default=()) for found in judged]


def _claim(
    index: int,
    statement: Statement,
    judgement: Judgement | None,
    citations: tuple[int, ...],
    reading: Reading,
    derived: tuple[Derived, ...],
    *,
    needs_citation: bool,
) -> Claim:
    verdict: Verdict = "uncertain"
    supports: list[Support] = []
    if not reading.was_seen:
        judgement = None
    if judgement is not None:
        verdict = _verdict(judgement)
        if verdict == "supported":
            supports = list(islice(_supports(judgement, reading), MAX_SUPPORTS + 1))
            if len(supports) > MAX_SUPPORTS:
                reading.left_out.add("supports_cut")
            supports = sorted(supports[:MAX_SUPPORTS], key=lambda support: (-support.probability, support.rank))
    return Claim(
        index=index,
        text=reading.answer[statement.start : statement.end],
        span=(statement.start, statement.end),
        verdict=verdict,
        probability=None if judgement is None else judgement.support,
        supported_by=tuple(supports),
        needs_evidence=statement.kind == "statement",
        citations=citations,
        needs_citation=needs_citation,
        derived=derived,
    )


def _verdict(judgement: Judgement) -> Verdict:
    if judgement.conflict:
        return "conflict"
    if judgement.support >= SUPPORTED_FROM:
        return "supported"
    return "uncertain" if judgement.support >= UNSUPPORTED_BELOW else "unsupported"


def _supports(judgement: Judgement, reading: Reading) -> Iterator[Support]:
    """Yields what backs a claim, the strongest text first."""
    enough = SUPPORTED_FROM
    if not judgement.joint and judgement.backings:
        # Calibrated, a claim may count as backed by several texts of which none is singled out: then by the strongest.
        enough = min(enough, judgement.backings[0].support)
    for backing in judgement.backings:
        if backing.support < enough and backing.chunk not in judgement.joint:
            continue
        for position, place in enumerate(reading.place_of):
            if place == backing.chunk:
                spans = [reading.span_in(position, sentence) for sentence in sorted(backing.sentences)]
                yield Support(
                    rank=position + 1,
                    id=reading.context[position].id,
                    probability=backing.support,
                    spans=tuple(span for span in spans if span is not None),
                )


def _verdicts(
    run: RagRun,
    uses: Sequence[float | None],
    conflicts: Sequence[bool],
    citations: Sequence[Citation],
    wrong: Sequence[bool] = (),
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
                wrong_value=bool(in_prompt and wrong and wrong[rank - 1]),
            )
        )
    return tuple(verdicts)


def _use(probability: float | None) -> Use:
    if probability is None:
        return "unknown"
    if probability >= USED_FROM:
        return "used"
    return "uncertain" if probability >= UNUSED_BELOW else "unused"
