"""The story of a run, whole: every sentence that a reader gets in each situation."""

from typing import Any, get_args

import pytest
from report_samples import ANSWER, finding, first, following, poisoned, sample_evaluation, sample_run, span

from rag_eval_hooks.record import (
    Attempt,
    Chunk,
    ChunkVerdict,
    Citation,
    Claim,
    ContextItem,
    Evaluation,
    Finding,
    Gold,
    MetricResult,
    RagRun,
    Stage,
    StageItem,
    Support,
)
from rag_eval_hooks.record.evaluation import FindingKind
from rag_eval_hooks.record.redact import withheld
from rag_eval_hooks.record.run import STATUSES as ALL_STATUSES
from rag_eval_hooks.reports.sentences import Quote, Ref, as_text
from rag_eval_hooks.reports.story import story
from rag_eval_hooks.reports.words import ADVICE, ENDED

TEXTS = ("The mast is 31 metres tall.", "The mast was built in 1953.", "Tea is served at five.")
NAMES = ("mast-height", "mast-year", "tea-time")
QUESTION = "How tall is the mast?"
LABELS = Gold(relevance={"mast-height": 1}, answer="31 metres")
UNLABELLED = (
    "Not checked: No labels were given, so it is not known whether the right chunks were retrieved and whether the "
    "answer is right."
)


def told(run: RagRun | None, evaluation: Evaluation) -> list[str]:
    """A line a paragraph."""
    return [
        f"{part.heading}: {' '.join(as_text(sentence) for sentence in part.sentences)}"
        for part in story(run, evaluation)
    ]


def a_run(**changes: Any) -> RagRun:
    """Three chunks about a mast, all of them in the prompt, with labels."""
    fields: dict[str, Any] = {
        "run_id": "r",
        "question": QUESTION,
        "chunks": [Chunk(id=name, text=text) for name, text in zip(NAMES, TEXTS, strict=True)],
        "stages": [Stage(name="bm25", query=QUESTION, items=[StageItem(chunk=place) for place in range(3)])],
        "context": [ContextItem(chunk=place) for place in range(3)],
        "context_source": "prompt",
        "gold": LABELS,
    }
    return RagRun(**(fields | changes))


def an_evaluation(*sentences: str, **changes: Any) -> Evaluation:
    """Of an answer with these claims, each supported by the chunk of its number."""
    answer = " ".join(sentences)
    fields: dict[str, Any] = {
        "answer": answer,
        "question": QUESTION,
        "chunks": tuple(verdict(rank, "used" if rank <= len(sentences) else "unused") for rank in (1, 2, 3)),
        "claims": tuple(claim(answer, index, text) for index, text in enumerate(sentences)),
        "citations": (),
        "findings": (),
        "results": (),
    }
    return sample_evaluation("r", **(fields | changes))


def verdict(rank: int, use: Any, **changes: Any) -> ChunkVerdict:
    name = NAMES[rank - 1] if rank <= len(NAMES) else f"more-{rank}"
    fields: dict[str, Any] = {"in_prompt": True, "cited": False, "use_probability": None, "conflict": False}
    return ChunkVerdict(rank=rank, id=name, use=use, **(fields | changes))


def claim(
    answer: str, index: int, text: str, verdict: Any = "supported", by: tuple[tuple[int, float], ...] = ()
) -> Claim:
    supports = by or (((index + 1, 0.9),) if verdict == "supported" else ())
    return Claim(
        index=index,
        text=text,
        span=span(answer, text),
        verdict=verdict,
        probability=0.9 if verdict == "supported" else 0.1,
        supported_by=tuple(
            Support(rank=rank, id=NAMES[(rank - 1) % 3], probability=p, spans=()) for rank, p in supports
        ),
    )


def citation(index: int, marker: str, rank: int | None, at: int | None, problem: Any = None) -> Citation:
    return Citation(
        index=index,
        marker=marker,
        span=(0, 0),
        target=None if rank is None else NAMES[rank - 1],
        target_rank=rank,
        exists=rank is not None,
        supported=problem is None,
        claim=at,
        problem=problem,
    )


HEIGHT, YEAR, COLOUR, AGE = "The mast is 31 m tall.", "It dates from 1953.", "It is red.", "It is 90 years old."


def test_nothing_is_wrong_and_everything_was_checked() -> None:
    evaluation = an_evaluation(HEIGHT, YEAR, citations=(citation(0, "[1]", 1, 0), citation(1, "[2]", 2, 1)))
    assert told(a_run(), evaluation) == [
        'Asked: "How tall is the mast?"',
        'What came back: The search "bm25" returned 3 chunks.',
        "What reached the prompt: All 3 chunks reached it.",
        (
            "What was used: Of the 3 chunks in the prompt, the answer used 2. "
            'Chunk 1 ("mast-height") backs claim 1. Chunk 2 ("mast-year") backs claim 2. Not used: chunk 3.'
        ),
        "What the answer says: Both claims of the answer are supported.",
        "Citations: Both citations hold.",
        "Nothing failed: Nothing wrong was found.",
    ]


def test_nothing_is_wrong_as_far_as_can_be_told_without_labels() -> None:
    run = a_run(gold=None, context_source="last_stage")
    assert told(run, an_evaluation(HEIGHT))[2:] == [
        "What reached the prompt: The prompt was not seen; by the last step's list, all 3 chunks reached it.",
        (
            "What was used: Of the 3 chunks in the prompt, the answer used 1. "
            'Chunk 1 ("mast-height") backs claim 1. Not used: chunks 2 and 3.'
        ),
        "What the answer says: The one claim of the answer is supported.",
        "Citations: The answer cites nothing.",
        "Nothing failed: Nothing wrong was found.",
        f"{UNLABELLED} The prompt was not seen: what was left out of it or cut off is not known.",
    ]


def test_a_fault_of_retrieval_with_what_follows_from_it() -> None:
    findings = (
        first(finding("wrong_evidence", "retrieval", 0.95, "Another is there (ranks 2).", chunks=(2,))),
        following(finding("zero_recall", "retrieval", 1, "The one relevant id is missing."), "wrong_evidence"),
        following(finding("unsupported_claim", "answer", 0.8, "Not backed.", claims=(0,)), "wrong_evidence"),
        following(finding("unsupported_citation", "citation", 0.8, "One.", citations=(0,)), "unsupported_claim"),
        finding("missing_citation", "citation", 0.7, "1 of 2 has none.", claims=(1,)),
    )
    answer = f"{HEIGHT} {YEAR}"
    evaluation = an_evaluation(
        HEIGHT,
        YEAR,
        claims=(claim(answer, 0, HEIGHT, "unsupported"), claim(answer, 1, YEAR)),
        chunks=tuple(verdict(rank, "used" if rank == 2 else "unused") for rank in (1, 2, 3)),
        citations=(citation(0, "[3]", 3, 0, "unsupported"),),
        findings=findings,
    )
    stages = [
        Stage(name="bm25", final=False, query="mast height", items=[StageItem(chunk=place) for place in range(3)]),
        Stage(kind="rerank", items=[StageItem(chunk=place) for place in range(3)]),
    ]
    assert told(a_run(stages=stages), evaluation) == [
        'Asked: "How tall is the mast?"',
        (
            'What came back: The search "bm25" returned 3 chunks; reranking returned 3 chunks. '
            'Instead of the question, the query "mast height" was sent.'
        ),
        "What reached the prompt: All 3 chunks reached it.",
        (
            "What was used: Of the 3 chunks in the prompt, the answer used 1. "
            'Chunk 2 ("mast-year") backs claim 2. Not used: chunks 1 and 3.'
        ),
        (
            "What the answer says: The answer makes 2 claims: 1 supported and 1 not supported. "
            'No chunk backs claim 1, "The mast is 31 m tall".'
        ),
        'Citations: The one citation does not hold. Citation 1, "[3]", points to chunk 3, and no chunk backs claim 1.',
        (
            "What failed first: Wrong evidence (retrieval; chunk 2; confidence 0.95): Another is there. "
            "What to do: filter the search by what the question names (year, version, name), or put it into the chunks."
        ),
        (
            "What follows from it: Nothing relevant found follows from it (confidence 1). "
            "Claim without support follows from it (claim 1; confidence 0.80). "
            'Citation without support follows from "claim without support" (citation 1; confidence 0.80).'
        ),
        (
            "What stands on its own: Citation missing (citations; claim 2; confidence 0.70): 1 of 2 has none. "
            "What to do: ask for a citation behind every statement."
        ),
    ]


def test_the_evidence_was_lost_before_the_prompt() -> None:
    findings = (
        first(finding("lost_before_prompt", "packing", 1, "1 of 1 relevant id did not arrive.", chunks=(3,))),
        following(finding("unsupported_claim", "answer", 0.8, "Not backed.", claims=(0,)), "lost_before_prompt"),
    )
    evaluation = an_evaluation(
        HEIGHT,
        chunks=(
            verdict(1, "unused"),
            verdict(2, "uncertain"),
            verdict(3, "unused", in_prompt=False),
        ),
        claims=(claim(HEIGHT, 0, HEIGHT, "unsupported"),),
        findings=findings,
    )
    run = a_run(context=[ContextItem(chunk=0), ContextItem(chunk=1, match="head", coverage=0.4)])
    assert told(run, evaluation)[2:] == [
        (
            "What reached the prompt: 2 of 3 chunks reached it. Left out: chunk 3. "
            'Chunk 2 ("mast-year") was cut off: 0.40 of it reached the prompt.'
        ),
        (
            "What was used: Of the 2 chunks in the prompt, the answer used none for sure. "
            "Perhaps used: chunk 2. Not used: chunk 1."
        ),
        (
            "What the answer says: The one claim of the answer is not supported. "
            'No chunk backs claim 1, "The mast is 31 m tall".'
        ),
        "Citations: The answer cites nothing.",
        (
            "What failed first: Lost before the prompt (prompt packing; chunk 3; confidence 1): "
            "1 of 1 relevant id did not arrive. What to do: raise the prompt's budget or the reranker's top_n."
        ),
        "What follows from it: Claim without support follows from it (claim 1; confidence 0.80).",
    ]


@pytest.mark.parametrize(
    ("claims", "chunks", "said"),
    [
        pytest.param((0,), (1,), 'Chunk 1 contradicts claim 1, "The mast is 31 m tall".', id="one of each"),
        pytest.param((0,), (1, 3), 'Chunks 1 and 3 contradict claim 1, "The mast is 31 m tall".', id="two chunks"),
        pytest.param(
            (0, 1),
            (1, 3),
            'The context contradicts claim 1, "The mast is 31 m tall". '
            'The context contradicts claim 2, "It dates from 1953". The chunks against them: 1 and 3.',
            id="which is against which is not known",
        ),
        pytest.param((0,), (), 'The context contradicts claim 1, "The mast is 31 m tall".', id="no chunk is named"),
    ],
)
def test_the_context_contradicts_the_answer(claims: tuple[int, ...], chunks: tuple[int, ...], said: str) -> None:
    answer = f"{HEIGHT} {YEAR}"
    made = tuple(
        claim(answer, index, text, "conflict" if index in claims else "supported")
        for index, text in enumerate((HEIGHT, YEAR))
    )
    conflict = finding("conflicting_claim", "answer", 0.7, "Another value.", claims=claims, chunks=chunks)
    lines = told(a_run(), an_evaluation(HEIGHT, YEAR, claims=made, findings=(first(conflict),)))
    start = (
        "Both claims of the answer are contradicted."
        if len(claims) == 2
        else "The answer makes 2 claims: 1 supported and 1 contradicted."
    )
    assert lines[4] == f"What the answer says: {start} {said}"
    assert lines[6].startswith("What failed first: Claim contradicts the context (answer; claim")
    assert "Another value. What to do: compare the claim with the chunk: the model misread it" in lines[6]


def test_citations_fail_in_each_way() -> None:
    marks = (
        citation(0, "[9]", None, 0, "dangling"),
        citation(1, "[3]", 3, 0, "misplaced"),
        citation(2, "[2]", 2, 1, "unsupported"),
        citation(3, "[8]", None, None, "dangling"),
        citation(4, "[7]", None, None, "dangling"),
        citation(5, "[1]", 1, 0),
    )
    findings = (
        first(finding("dangling_citation", "citation", 0.95, "3 do.", citations=(0, 3, 4))),
        finding("misplaced_citation", "citation", 0.6, "1 points elsewhere.", citations=(1,)),
    )
    lines = told(a_run(), an_evaluation(HEIGHT, YEAR, citations=marks, findings=findings))
    assert lines[5:] == [
        (
            "Citations: 1 of 6 citations holds. "
            'Citation 1, "[9]" at claim 1, points to nothing in the prompt. '
            'Citation 2, "[3]", points to chunk 3, but chunk 1 backs claim 1. '
            'Citation 3, "[2]", points to chunk 2, and no chunk backs claim 2. '
            "2 more citations do not hold."
        ),
        (
            "What failed first: Citation of nothing (citations; citations 1, 4 and 5; confidence 0.95): 3 do. "
            "What to do: number the chunks in the prompt, and say which numbers there are and where they begin."
        ),
        (
            "What stands on its own: Citation of the wrong chunk (citations; citation 2; confidence 0.60): "
            "1 points elsewhere. What to do: check that the numbers in the prompt follow the order after reranking."
        ),
    ]


REFUSED: dict[str, Any] = {
    "answer": "I do not know.",
    "answer_kind": "refusal",
    "claims": (),
    "chunks": tuple(verdict(rank, "unused") for rank in (1, 2, 3)),
}
WRONGLY = finding("wrong_refusal", "answer", 0.9, "The context held a whole set.", chunks=(1,))
RIGHTLY = finding("right_refusal", "answer", 0.95, "Gold says that it cannot be answered.")


@pytest.mark.parametrize(
    ("findings", "gold", "end"),
    [
        pytest.param(
            (first(WRONGLY),),
            LABELS,
            [
                (
                    "What failed first: Refused although it could answer (answer; chunk 1; confidence 0.90): "
                    "The context held a whole set. "
                    "What to do: soften the instruction to refuse, or put the evidence first in the prompt."
                )
            ],
            id="wrong",
        ),
        pytest.param(
            (RIGHTLY,),
            Gold(answer="", relevance={}),
            [
                (
                    "Nothing failed: Rightly refused (answer; confidence 0.95): Gold says that it cannot be answered. "
                    "What to do: if the question should be answerable, add what is missing to the index."
                )
            ],
            id="right",
        ),
        pytest.param(
            (),
            None,
            [
                "What failed first: Nothing wrong was found before the answer; whether it had to decline is not known.",
                (
                    "Not checked: No labels were given, so it is not known whether the right chunks were retrieved and "
                    "whether the refusal is right."
                ),
            ],
            id="nobody knows",
        ),
    ],
)
def test_a_refusal(findings: tuple[Finding, ...], gold: Gold | None, end: list[str]) -> None:
    assert told(a_run(gold=gold), an_evaluation(findings=findings, **REFUSED)) == [
        'Asked: "How tall is the mast?"',
        'What came back: The search "bm25" returned 3 chunks.',
        "What reached the prompt: All 3 chunks reached it.",
        'What the answer says: The answer declines: "I do not know."',
        *end,
    ]


def test_a_run_that_ended_with_an_error_before_the_prompt() -> None:
    run = a_run(status="error", error="TimeoutError", context=[], gold=None)
    evaluation = an_evaluation(
        status="error", answer=None, answer_kind="empty", chunks=(verdict(1, "unknown", in_prompt=False),)
    )
    assert told(run, evaluation) == [
        'Asked: "How tall is the mast?"',
        'How it ended: The run ended with an error: "TimeoutError". It gave no answer.',
        'What came back: The search "bm25" returned 3 chunks.',
        "What reached the prompt: The run did not get as far as a prompt.",
        "What failed first: That the run did not finish is all that is known: no finding names a cause.",
        "Not checked: No labels were given, so it is not known whether the right chunks were retrieved.",
    ]


def test_tries_that_failed_are_told_although_the_run_ended_well() -> None:
    tries = [Attempt(kind="model", name="chat", error=error) for error in ("TimeoutError", "KeyError", "TimeoutError")]
    lines = told(a_run(attempts=tries), an_evaluation(HEIGHT))
    assert lines[1] == 'How it ended: On the way 3 tries failed: "TimeoutError" and "KeyError".'
    lines = told(a_run(attempts=tries[:1], status="abandoned", answer="The"), an_evaluation(status="abandoned"))
    assert lines[1].endswith('On the way 1 try failed: "TimeoutError".')


def test_withheld_texts_are_told() -> None:
    run = withheld(a_run(gold=None))
    lines = told(run, an_evaluation(answer=None, answer_kind="empty", question=None, chunks=()))
    assert lines[1] == "How it ended: Its texts were withheld, because the redaction failed."


def test_an_answer_that_a_reader_left_is_judged_where_it_is_whole() -> None:
    run = a_run(status="abandoned", answer="The mast", llm_text=HEIGHT, llm_complete=True)
    lines = told(run, an_evaluation(HEIGHT, status="abandoned"))
    assert lines[1] == "How it ended: The reader left before the answer ended."
    assert "What the answer says: The one claim of the answer is supported." in lines
    assert lines[-1].startswith("Not checked: Judged is the model's whole text, 22 characters; the user saw only")
    lines = told(a_run(status="abandoned", answer="The mast"), an_evaluation(status="abandoned", answer="The mast"))
    assert "What there is of its answer is not judged." in lines[1]
    assert not [line for line in lines if line.startswith(("What was used", "What the answer says", "Citations"))]


def test_no_answer_at_all() -> None:
    empty = an_evaluation(answer=None, answer_kind="empty", chunks=(), question=None)
    assert told(a_run(gold=None, chunks=[], stages=[], context=[], question=None), empty) == [
        "Asked: No question was recorded.",
        "What came back: No retrieval step was seen.",
        "What the answer says: There is no answer.",
        (
            "What failed first: "
            "There is no answer, and no finding says why: look at what the model was given and returned."
        ),
        "Not checked: No labels were given, so it is not known whether the right chunks were retrieved.",
    ]


def test_only_the_evaluation_was_kept() -> None:
    results = (MetricResult(metric="R@5", value=0.5, labels="gold"), MetricResult(metric="P", value=1, labels="used"))
    assert told(None, an_evaluation(HEIGHT, results=results)) == [
        'Asked: "How tall is the mast?"',
        (
            "What came back: The evaluation names 3 chunks. "
            "The run's record was not kept, so which steps and queries found them is not known."
        ),
        "What reached the prompt: All 3 chunks reached it.",
        (
            "What was used: Of the 3 chunks in the prompt, the answer used 1. "
            'Chunk 1 ("mast-height") backs claim 1. Not used: chunks 2 and 3.'
        ),
        "What the answer says: The one claim of the answer is supported.",
        "Citations: The answer cites nothing.",
        "Nothing failed: Nothing wrong was found.",
        "Not checked: No right answer was given, so it is not known whether the answer is right.",
    ]
    assert told(None, an_evaluation(HEIGHT))[-1] == UNLABELLED


def test_without_the_record_results_tell_whether_an_answer_was_judged() -> None:
    refused = an_evaluation(status="abandoned", **REFUSED)
    assert not [line for line in told(None, refused) if "declines" in line]
    results = (MetricResult(metric="Groundedness", value=None, reason="refusal"),)
    assert [line for line in told(None, refused.model_copy(update={"results": results})) if "declines" in line]


def test_a_hint_is_no_cause() -> None:
    hint = finding("lost_before_prompt", "packing", 0.3, "Without labels this is a guess.", chunks=(3,))
    assert told(a_run(), an_evaluation(HEIGHT, findings=(hint,)))[-2:] == [
        "What failed first: Nothing is sure enough to be called a first cause.",
        (
            "Only hints: Lost before the prompt (prompt packing; chunk 3; confidence 0.30): "
            "Without labels this is a guess. What to do: raise the prompt's budget or the reranker's top_n."
        ),
    ]


def test_an_evaluation_of_an_older_version_marks_no_first_cause() -> None:
    old = an_evaluation(HEIGHT, findings=(finding("truncated", "packing", 0.9, "In part.", chunks=(1,)),))
    assert told(a_run(), old)[-2:] == [
        "What failed first: The evaluation does not mark what came first.",
        (
            "What was found: Truncated (prompt packing; chunk 1; confidence 0.90): In part. "
            "What to do: raise the limit on a chunk's length in the prompt, or cut the documents into smaller chunks."
        ),
    ]


def test_a_claim_takes_several_chunks_together() -> None:
    together = claim(HEIGHT, 0, HEIGHT, by=((1, 0.4), (2, 0.5)))
    chunks = (verdict(1, "used"), verdict(2, "used"), verdict(3, "used"))
    said = told(a_run(), an_evaluation(HEIGHT, claims=(together,), chunks=chunks))[3]
    assert said == (
        "What was used: The answer used all 3 chunks in the prompt. "
        'Chunk 1 ("mast-height") helps to back claim 1. Chunk 2 ("mast-year") helps to back claim 1. '
        'Chunk 3 ("tea-time") backs no claim by itself.'
    )


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ((QUESTION,), ""),
        ((None, "How  tall is\nthe mast?"), ""),
        (("a", "b"), ' Instead of the question, the queries "a" and "b" were sent.'),
        ((QUESTION, "a", "a"), ' Besides the question, the query "a" was sent.'),
        (("a", "b", "c", "d", "e"), ' Instead of the question, the queries "a", "b", "c" and 2 more were sent.'),
    ],
)
def test_queries_are_told_where_they_are_not_the_question(queries: tuple[str | None, ...], said: str) -> None:
    stages = [Stage(query=query, items=[StageItem(chunk=0)]) for query in queries]
    line = told(a_run(stages=stages), an_evaluation(HEIGHT))[1]
    assert line.startswith("What came back: The search returned 1 chunk")
    _, _, after = line.partition(" Instead" if "Instead" in said else " Besides")
    assert after == said.partition(" Instead" if "Instead" in said else " Besides")[2]


def test_an_agent_that_searches_often_is_told_in_short() -> None:
    stages = [Stage(round=number, items=[StageItem(chunk=0)] if number > 1 else []) for number in range(1, 21)]
    assert told(a_run(stages=stages), an_evaluation(HEIGHT))[1] == (
        "What came back: The search returned no chunk; the search returned 1 chunk; the search returned 1 chunk; "
        "the search returned 1 chunk; 16 more steps followed. There were 20 rounds of search."
    )


def test_two_hundred_chunks_are_no_wall_of_text() -> None:
    size = 200
    sentences = [f"Fact {number} holds." for number in range(size)]
    answer = " ".join(sentences)
    run = a_run(
        chunks=[Chunk(id=verdict(rank, "used").id, text="Word " * 100) for rank in range(1, size + 1)],
        stages=[Stage(items=[StageItem(chunk=place) for place in range(size)])],
        context=[ContextItem(chunk=place, coverage=0.5) for place in range(size // 2)],
    )
    evaluation = an_evaluation(
        *sentences,
        chunks=tuple(verdict(rank, "used", in_prompt=rank <= size // 2) for rank in range(1, size + 1)),
        claims=tuple(claim(answer, index, text, "unsupported") for index, text in enumerate(sentences)),
        citations=tuple(citation(index, f"[{index}]", None, index, "dangling") for index in range(size)),
        findings=(first(finding("truncated", "packing", 1, "In part.", chunks=tuple(range(1, 101)))),),
    )
    lines = told(run, evaluation)
    assert max(map(len, lines)) < 500
    assert "Left out: chunks 101, 102, 103, 104, 105, 106, 107, 108 and 92 more." in lines[2]
    assert lines[2].endswith("97 more chunks were cut off as well.")
    assert lines[3].endswith("97 more chunks were used.")
    assert lines[4].startswith("What the answer says: All 200 claims of the answer are not supported. ")
    assert lines[4].endswith("197 more claims are not backed either.")
    assert lines[5].startswith("Citations: None of the 200 citations holds. ")
    assert "chunks 1, 2, 3, 4, 5, 6, 7, 8 and 92 more; confidence 1" in lines[6]


def test_text_from_outside_is_never_among_our_own_words() -> None:
    run, evaluation = poisoned("PAYLOAD")
    parts = [part for one in story(run, evaluation) for sentence in one.sentences for part in sentence]
    assert not [part for part in parts if isinstance(part, str) and "PAYLOAD" in part]
    assert sum("PAYLOAD" in part.text for part in parts if isinstance(part, Quote)) == 5, (
        "question, step, chunk, mark, why"
    )
    assert not [part for part in parts if isinstance(part, Ref) and part.what not in ("claims", "citations", "chunks")]


def test_a_quote_is_one_line_and_short() -> None:
    evaluation = an_evaluation(HEIGHT, question="long\n" * 1_000_000, answer="x" * 1_000_000, answer_kind="refusal")
    quotes = [
        part for one in story(None, evaluation) for said in one.sentences for part in said if isinstance(part, Quote)
    ]
    assert len(quotes) == 2
    assert all(len(quote.text) <= 300 and "\n" not in quote.text for quote in quotes)


def test_a_story_names_what_it_is_about() -> None:
    parts = {one.key: one.refs for one in story(sample_run(), sample_evaluation(answer=ANSWER))}
    assert parts["used"] == (
        *(Ref("chunks", 1), Ref("claims", 0), Ref("claims", 1), Ref("chunks", 3)),
        *(Ref("chunks", 4), Ref("chunks", 2)),
    )
    assert parts["asked"] == ()


def test_every_kind_of_finding_has_advice_and_every_status_an_ending() -> None:
    assert set(ADVICE) == set(get_args(FindingKind))
    assert tuple(ENDED) == ALL_STATUSES
