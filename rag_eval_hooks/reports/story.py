"""The story of one run in plain sentences: what was asked, found, shown, used and said, and what failed first.

Pure: no I/O and no escaping. Text from outside stands in sentences as `Quote`, so that whoever shows it can make it
harmless; numbers of claims, citations and chunks stand in them as `Ref`.
"""

from collections import Counter
from collections.abc import Sequence

from rag_eval_hooks.diagnosis.packing import WHOLE
from rag_eval_hooks.record import Evaluation, RagRun, Stage
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM
from rag_eval_hooks.reports.sentences import Paragraph, Part, Quote, Sentence, joined, quoted, refs
from rag_eval_hooks.reports.story_findings import blame
from rag_eval_hooks.reports.view import ChunkView, CitationView, ClaimView, RunView, citation_outcome, run_view
from rag_eval_hooks.reports.words import ENDED, VERDICTS, as_probability, counted

__all__ = ["story", "story_of"]

FIRST = 3
"""How many of a kind are told one by one; of the others, how many there are."""
LONGEST_QUESTION = 300
LONGEST_NAME = 60

STEPS = {
    "retrieve": "the search",
    "fuse": "fusion",
    "multi_query": "the search by several queries",
    "rerank": "reranking",
    "refine": "refinement",
    "postprocess": "post-processing",
    "inferred": "a step that was not seen",
}
"""By kind of stage: what returned the list."""


def story(run: RagRun | None, evaluation: Evaluation) -> tuple[Paragraph, ...]:
    """Returns the story of one run, a paragraph for each part of its way that there is something to say about.

    Args:
        run: The record; None where only the evaluation was kept.
        evaluation: What was concluded about it.
    """
    return story_of(run_view(run, evaluation))


def story_of(view: RunView) -> tuple[Paragraph, ...]:
    """Returns the story of a run of which the view is there already."""
    judged = _is_judged(view)
    parts = [
        _paragraph("asked", "Asked", _asked(view)),
        _paragraph("ended", "How it ended", _ended(view, judged=judged)),
        _paragraph("back", "What came back", _came_back(view)),
        _paragraph("prompt", "What reached the prompt", _packed(view)),
    ]
    if judged:
        parts += [
            _paragraph("used", "What was used", _used(view)),
            _paragraph("said", "What the answer says", _said(view)),
            _paragraph("cited", "Citations", _cited(view)),
        ]
    parts += [*blame(view.evaluation), _paragraph("open", "Not checked", _not_checked(view, judged=judged))]
    return tuple(part for part in parts if part.sentences)


def _paragraph(key: str, heading: str, sentences: Sequence[Sentence]) -> Paragraph:
    return Paragraph(key, heading, tuple(sentences))


def _is_judged(view: RunView) -> bool:
    """Whether the answer was; without the record, results and claims tell it of a run that did not end normally."""
    evaluation = view.evaluation
    if view.run is not None:
        return view.run.answer_is_whole
    if evaluation.status in ("ok", "partial") or evaluation.claims:
        return True
    return any(result.reason == "refusal" for result in evaluation.results)


# -- until the prompt


def _asked(view: RunView) -> list[Sentence]:
    question = view.evaluation.question
    if question is None or not question.strip():
        return [("No question was recorded.",)]
    return [(*quoted(question, LONGEST_QUESTION),)]


def _ended(view: RunView, *, judged: bool) -> list[Sentence]:
    evaluation, run = view.evaluation, view.run
    tried = _tried(run)
    if evaluation.status == "ok":
        return tried
    said: list[Sentence] = [(ENDED[evaluation.status],)]
    if run is not None and run.error:
        said = [(ENDED[evaluation.status].removesuffix("."), ": ", *quoted(run.error), ".")]
    if not judged:
        said.append(("What there is of its answer is not judged." if evaluation.answer else "It gave no answer.",))
    return said + tried


def _tried(run: RagRun | None) -> list[Sentence]:
    if run is None:
        return []
    said: list[Sentence] = []
    if "withheld" in run.flags:
        said.append(("Its texts were withheld, because the redaction failed.",))
    if run.attempts:
        errors = joined([quoted(error) for error in dict.fromkeys(tried.error for tried in run.attempts)])
        said.append((f"On the way {counted(len(run.attempts), 'try', 'tries')} failed: ", *errors, "."))
    return said


def _came_back(view: RunView) -> list[Sentence]:
    run = view.run
    if run is None:
        return [(f"The evaluation names {counted(len(view.chunks), 'chunk')}.",
                 " The run's record was not kept, so which steps and queries found them is not known.")]  # fmt: skip
    if not run.stages:
        return [("No retrieval step was seen.",)]
    rounds = max(stage.round for stage in run.stages)
    shown, more = run.stages[: FIRST + 1], len(run.stages) - FIRST - 1
    steps = joined([_step(stage) for stage in shown], last="; ", between="; ")
    said: list[Sentence] = [(*_capital(steps), f"; {counted(more, 'more step')} followed." if more > 0 else ".")]
    if rounds > 1:
        said.append((f"There were {rounds:,} rounds of search.",))
    return said + _queries(run)


def _step(stage: Stage) -> Sentence:
    name: Sentence = (" ", *quoted(stage.name, LONGEST_NAME)) if stage.name else ()
    return (STEPS[stage.kind], *name, f" returned {counted(len(stage.items), 'chunk') if stage.items else 'no chunk'}")


def _queries(run: RagRun) -> list[Sentence]:
    """What was sent where it is not the question."""
    asked = " ".join((run.question or "").split())
    sent = [query for stage in run.stages if stage.query and (query := " ".join(stage.query.split()))]
    others = list(dict.fromkeys(query for query in sent if query != asked))
    if not others:
        return []
    named = joined([quoted(query) for query in others[:FIRST]], last=", " if len(others) > FIRST else " and ")
    more = f" and {len(others) - FIRST:,} more" if len(others) > FIRST else ""
    noun, verb = ("query", "was") if len(others) == 1 else ("queries", "were")
    besides = "Besides" if asked in sent else "Instead of"
    return [(f"{besides} the question, the {noun} ", *named, f"{more} {verb} sent.")]


def _packed(view: RunView) -> list[Sentence]:
    inside = [chunk for chunk in view.chunks if chunk.in_prompt]
    outside = [chunk.rank for chunk in view.chunks if not chunk.in_prompt]
    if not view.chunks:
        return []
    if not inside and view.run is not None and not view.run.answer_is_whole:
        return [("The run did not get as far as a prompt.",)]
    said: list[Sentence] = [(_how_many(view, len(inside), len(view.chunks)),)]
    if outside and inside:
        said.append(("Left out: ", *refs("chunks", outside), "."))
    cut = [chunk for chunk in inside if chunk.coverage is not None and chunk.coverage < WHOLE]
    said += [
        (*_capital(_chunk(one)), f" was cut off: {as_probability(one.coverage)} of it reached the prompt.")
        for one in cut[:FIRST]
    ]
    if len(cut) > FIRST:
        said.append((f"{_and_more(len(cut) - FIRST, 'chunk was', 'chunks were')} cut off as well.",))
    return said


def _how_many(view: RunView, inside: int, chunks: int) -> str:
    """How many of the chunks reached the prompt, and how that is known."""
    source = view.run.context_source if view.run is not None else "prompt"
    if not inside:
        how = "no chunk" if chunks == 1 else f"none of the {chunks:,} chunks"
    elif inside == chunks:
        how = {1: "the one chunk", 2: "both chunks"}.get(chunks, f"all {chunks:,} chunks")
    else:
        how = f"{inside:,} of {chunks:,} chunks"
    if source == "last_stage":
        return f"The prompt was not seen; by the last step's list, {how} reached it."
    if source == "given":
        return f"By the log, {how} reached it."
    return f"{how[0].upper()}{how[1:]} reached it."


# -- the answer


def _used(view: RunView) -> list[Sentence]:
    inside = [chunk for chunk in view.chunks if chunk.in_prompt]
    if view.evaluation.answer_kind != "answer" or not inside:
        return []
    by_use = {
        use: [chunk for chunk in inside if chunk.use == use] for use in ("used", "uncertain", "unused", "unknown")
    }
    used = by_use["used"]
    if len(by_use["unknown"]) == len(inside):
        return [("Which chunks the answer used is not known.",)]
    said: list[Sentence] = [(_how_many_used(len(used), len(inside)),)]
    said += [_backs(view, chunk) for chunk in used[:FIRST]]
    if len(used) > FIRST:
        said.append((f"{_and_more(len(used) - FIRST, 'chunk was', 'chunks were')} used.",))
    for use, words in (("uncertain", "Perhaps used: "), ("unused", "Not used: "), ("unknown", "Use unknown: ")):
        if by_use[use]:
            said.append((words, *refs("chunks", [chunk.rank for chunk in by_use[use]]), "."))
    return said


def _how_many_used(used: int, total: int) -> str:
    if total == 1:
        return f"The answer {'used' if used else 'did not surely use'} the one chunk in the prompt."
    if used == total:
        return f"The answer used {'both' if total == 2 else f'all {total:,}'} chunks in the prompt."
    return f"Of the {total:,} chunks in the prompt, the answer used {format(used, ',') if used else 'none for sure'}."


def _backs(view: RunView, chunk: ChunkView) -> Sentence:
    """The claims that a chunk backs, alone or with others."""
    alone: dict[int, None] = {}
    helps: dict[int, None] = {}
    for item in chunk.backing:
        claim = view.claims[item.claim]
        if claim.verdict == "supported":
            (alone if item.probability >= SUPPORTED_FROM else helps)[claim.claim.index] = None
    rest = [index for index in helps if index not in alone]
    backed = [
        (words, *refs("claims", indices))
        for words, indices in (("backs ", list(alone)), ("helps to back ", rest))
        if indices
    ]
    return (*_capital(_chunk(chunk)), " ", *(joined(backed) if backed else ("backs no claim by itself",)), ".")


def _said(view: RunView) -> list[Sentence]:
    evaluation = view.evaluation
    if evaluation.answer_kind == "empty":
        return [("There is no answer.",)]
    if evaluation.answer_kind == "refusal":
        return [("The answer declines: ", *quoted(evaluation.answer or ""))]
    claims = [claim for claim in view.claims if claim.verdict != "none"]
    if not claims:
        return [("The answer makes no claim that needs a source.",)]
    by_verdict = {name: [claim for claim in claims if claim.verdict == name] for name in VERDICTS}
    said: list[Sentence] = [(_tally(Counter(claim.verdict for claim in claims)),)]
    said += _contradicted(view, by_verdict["conflict"])
    said += [("No chunk backs ", *_claim(claim), ".") for claim in by_verdict["unsupported"][:FIRST]]
    if (more := len(by_verdict["unsupported"]) - FIRST) > 0:
        said.append((f"{_and_more(more, 'claim is', 'claims are')} not backed either.",))
    if by_verdict["uncertain"] and len(by_verdict["uncertain"]) < len(claims):
        indices = [claim.claim.index for claim in by_verdict["uncertain"]]
        said.append(("It is uncertain whether the context backs ", *refs("claims", indices), "."))
    return said


def _tally(verdicts: Counter[str]) -> str:
    """How many claims have which verdict."""
    total = verdicts.total()
    if len(verdicts) == 1:
        words = VERDICTS[next(iter(verdicts))][2]
        every = {1: "The one claim", 2: "Both claims"}.get(total, f"All {total:,} claims")
        return f"{every} of the answer {'is' if total == 1 else 'are'} {words}."
    parts = [f"{verdicts[name]:,} {words}" for name, (_, _, words) in VERDICTS.items() if verdicts[name]]
    return f"The answer makes {total:,} claims: {', '.join(parts[:-1])} and {parts[-1]}."


def _contradicted(view: RunView, claims: Sequence[ClaimView]) -> list[Sentence]:
    """The claims in conflict; which chunk is against which is known where there is one claim or one chunk."""
    against = sorted({view.chunks[place].rank for claim in claims for place in claim.against})
    known = against if len(claims) == 1 or len(against) == 1 else []
    who: Sentence = _capital(refs("chunks", known)) if known else ("The context",)
    verb = " contradict " if len(known) > 1 else " contradicts "
    said: list[Sentence] = [(*who, verb, *_claim(claim), ".") for claim in claims[:FIRST]]
    if len(claims) > FIRST:
        said.append((f"{_and_more(len(claims) - FIRST, 'claim is', 'claims are')} contradicted.",))
    if against and not known:
        said.append(("The chunks against them: ", *refs("chunks", against)[1:], "."))
    return said


def _cited(view: RunView) -> list[Sentence]:
    citations = view.citations
    if view.evaluation.answer_kind != "answer":
        return []
    if not citations:
        return [("The answer cites nothing.",)]
    bad = [citation for citation in citations if not citation.ok]
    said: list[Sentence] = [(_how_many_hold(len(citations) - len(bad), len(citations)),)]
    said += [_fault(view, citation) for citation in bad[:FIRST]]
    if len(bad) > FIRST:
        said.append((f"{_and_more(len(bad) - FIRST, 'citation does', 'citations do')} not hold.",))
    return said


def _how_many_hold(good: int, total: int) -> str:
    if total == 1:
        return f"The one citation {'holds' if good else 'does not hold'}."
    if good == total:
        return "Both citations hold." if total == 2 else f"All {total:,} citations hold."
    if not good:
        return "Neither of the 2 citations holds." if total == 2 else f"None of the {total:,} citations holds."
    return f"{good:,} of {total:,} citations {'holds' if good == 1 else 'hold'}."


def _fault(view: RunView, item: CitationView) -> Sentence:
    """What is wrong with one citation."""
    citation, outcome = item.citation, citation_outcome(item.citation)
    start: Sentence = (*_capital(refs("citations", (citation.index,))), ", ", *quoted(citation.marker, LONGEST_NAME))
    claim = view.claims[item.claim].claim.index if item.claim is not None else None
    if outcome == "dangling":
        at: Sentence = () if claim is None else (" at ", *refs("claims", (claim,)))
        return (*start, *at, ", points to nothing in the prompt.")
    statement: Sentence = ("its statement",) if claim is None else refs("claims", (claim,))
    points: Sentence = (
        (", points to ", *refs("chunks", (citation.target_rank,)))
        if citation.target_rank is not None
        else (", points to a chunk",)
    )
    if outcome == "misplaced":
        backing = view.claims[item.claim].backing if item.claim is not None else ()
        better = list(dict.fromkeys(view.chunks[one.chunk].rank for one in backing))
        who = refs("chunks", better) if better else ("another chunk",)
        return (*start, *points, ", but ", *who, " back " if len(better) > 1 else " backs ", *statement, ".")
    return (*start, *points, ", and no chunk backs ", *statement, ".")


# -- what nobody looked at


def _not_checked(view: RunView, *, judged: bool) -> list[Sentence]:
    said: list[Sentence] = []
    of_chunks, of_answer = _labels(view)
    kind = view.evaluation.answer_kind
    wonders = [] if of_chunks else ["whether the right chunks were retrieved"]
    if judged and kind == "answer" and not of_answer:
        wonders.append("whether the answer is right")
    elif judged and kind == "refusal" and not (of_chunks or of_answer):
        wonders.append("whether the refusal is right")
    if wonders:
        missing = "right answer was" if of_chunks else "labels of chunks were" if of_answer else "labels were"
        said.append((f"No {missing} given, so it is not known {' and '.join(wonders)}.",))
    if judged and kind == "answer" and of_answer and not _is_compared(view):
        said.append(("The right answer is known, but the answer was not compared with it (measure AnswerMatch).",))
    if view.run is not None and view.run.context_source == "last_stage":
        said.append(("The prompt was not seen: what was left out of it or cut off is not known.",))
    if view.unread:
        said.append((Quote(view.unread),))
    return said


def _is_compared(view: RunView) -> bool:
    """Whether the answer was compared with the right one, or nothing was measured at all."""
    results = view.evaluation.results
    return not results or any(result.metric.startswith("AnswerMatch") for result in results)


def _labels(view: RunView) -> tuple[bool, bool]:
    """Whether there are labels of chunks, and a right answer; without the record, as far as results rest on them."""
    if view.run is None:
        rest = [one for one in view.results if one.value is not None and one.labels in ("gold", "judge")]
        answers = [one for one in rest if one.metric.startswith("AnswerMatch")]
        return len(answers) < len(rest), bool(answers)
    given = [labels for labels in (view.run.gold, view.run.judge) if labels is not None]
    of_chunks = any((one.relevance, one.evidence_sets, one.spans) != (None, None, None) for one in given)
    return of_chunks, any(one.answer is not None for one in given)


# -- words


def _claim(view: ClaimView) -> Sentence:
    return (*refs("claims", (view.claim.index,)), ", ", *quoted(view.claim.text.rstrip().removesuffix(".")))


def _chunk(chunk: ChunkView) -> Sentence:
    """A chunk by its number and what tells people which it is."""
    return (*refs("chunks", (chunk.rank,)), " (", *quoted(chunk.caption or chunk.id, LONGEST_NAME), ")")


def _capital(sentence: Sentence) -> Sentence:
    first: Part = sentence[0]
    return (first[:1].upper() + first[1:], *sentence[1:]) if isinstance(first, str) else sentence


def _and_more(number: int, one: str, many: str) -> str:
    return f"{number:,} more {one if number == 1 else many}"
