"""Runs and evaluations made by hand for the tests of reports; offsets are found in the texts, never counted."""

from collections.abc import Sequence
from typing import Any

from rag_eval_hooks.record import (
    Chunk,
    ChunkVerdict,
    Citation,
    Claim,
    ContextItem,
    Evaluation,
    Finding,
    Gold,
    MadeBy,
    MetricResult,
    RagRun,
    Stage,
    StageItem,
    Support,
    Usage,
)
from rag_eval_hooks.record.evaluation import FindingKind

MADE_BY = MadeBy(
    package="rag-eval-hooks 0", attributor="lexical", attributor_version="1", metrics={"ContextPrecision": 1}
)

ANSWER = (
    "Revenue rose to 5.2 million euros in 2023 [1]. That is 12 % more than in the year before [1, 3]. "
    "The growth came mainly from the cloud business [2]. Headcount fell to 310 [4]. "
    "The board expects the same again next year [9]. I hope this helps!"
)
TEXTS = (
    (
        "annual-report-2023#p12",
        "Key figures. In 2023 revenue rose to 5.2 million euros, up from 4.64 million euros in 2022. Margin was 18 %.",
    ),
    ("press-2023-03", "The company opened a second office in Lyon. Staff moved in during March 2023."),
    (
        "annual-report-2023#p14",
        "Growth of 12 % against 2022 was driven by cloud subscriptions, which now make up two thirds of revenue.",
    ),
    ("hr-note-7", "At the end of 2023 the group had 342 employees, eleven more than a year earlier."),
    ("annual-report-2021#p3", "In 2021 revenue was 4.1 million euros."),
)
SENTENCES = tuple(part if part.endswith("!") else part + "." for part in ANSWER.split(". ") if part)


def span(text: str, part: str) -> tuple[int, int]:
    """Where `part` stands in `text`."""
    start = text.index(part)
    return start, start + len(part)


def support(rank: int, probability: float, *parts: str) -> Support:
    """A support by the chunk of that rank, in those parts of its text."""
    name, text = TEXTS[rank - 1]
    return Support(rank=rank, id=name, probability=probability, spans=tuple(span(text, part) for part in parts))


def sample_run(run_id: str = "r1", **changes: Any) -> RagRun:
    """Five chunks retrieved and reranked, four of them in the prompt."""
    chunks = [
        Chunk(id=name, text=text, metadata={"source": name.partition("#")[0] + ".pdf", "page": place * 3, "lang": "en"})
        for place, (name, text) in enumerate(TEXTS, start=1)
    ]
    fields: dict[str, Any] = {
        "run_id": run_id,
        "question": "How did revenue develop in 2023, and what drove it?",
        "answer": ANSWER,
        "chunks": chunks,
        "stages": (
            Stage(
                name="bm25",
                final=False,
                items=[StageItem(chunk=c, score=s) for c, s in ((3, 9.1), (0, 8.4), (2, 7.7), (1, 5.0), (4, 4.2))],
            ),
            Stage(
                kind="rerank",
                items=[StageItem(chunk=c, score=s) for c, s in ((0, 0.98), (1, 0.71), (2, 0.66), (3, 0.4), (4, 0.12))],
            ),
        ),
        "context": [ContextItem(chunk=place, coverage=0.85 if place == 3 else 1.0) for place in range(4)],
        "context_source": "prompt",
        "gold": Gold(relevance={TEXTS[0][0]: 3, TEXTS[2][0]: 2, TEXTS[1][0]: 0}, answer="5.2 million euros; cloud"),
        "started_at": 1_710_000_000.0,
        "duration_ms": 1840.0,
        "time_to_first_token_ms": 410.0,
        "usage": Usage(input_tokens=1432, output_tokens=96, model_calls=1),
        "tags": ("finance", "v2"),
        "metadata": {"tenant": "acme", "prompt": {"version": 3}},
        "captured_by": "langchain 1.0",
    }
    return RagRun(**(fields | changes))


def sample_claims() -> tuple[Claim, ...]:
    """The sample's sentences: supported twice, unsupported, in conflict, uncertain, and one that needs nothing."""
    parts: Sequence[tuple[str, str, float | None, tuple[Support, ...], tuple[int, ...]]] = (
        ("Revenue rose to 5.2 million euros in 2023", "supported", 0.97,
         (support(1, 0.97, "In 2023 revenue rose to 5.2 million euros"),), (0,)),
        ("That is 12 % more than in the year before", "supported", 0.88,
         (support(3, 0.85, "Growth of 12 % against 2022"), support(1, 0.61, "5.2 million euros, up from 4.64 million")),
         (1, 2)),
        ("The growth came mainly from the cloud business", "uncertain", 0.55,
         (support(3, 0.55, "was driven by cloud subscriptions"),), (3,)),
        ("Headcount fell to 310", "conflict", 0.03, (), (4,)),
        ("The board expects the same again next year", "unsupported", 0.04, (), (5,)),
        ("I hope this helps!", "unsupported", None, (), ()),
    )  # fmt: skip
    return tuple(
        Claim(
            index=index, text=text, span=span(ANSWER, text), verdict=verdict, probability=probability,  # type: ignore[arg-type]
            supported_by=supports, needs_evidence=probability is not None, citations=citations,
        )
        for index, (text, verdict, probability, supports, citations) in enumerate(parts)
    )  # fmt: skip


def sample_citations() -> tuple[Citation, ...]:
    """The sample's marks; `[1, 3]` is two, `[9]` points to nothing."""
    parts = (
        ("[1]", 1, 0, None, True), ("[1, 3]", 1, 1, None, True), ("[1, 3]", 3, 1, None, True),
        ("[2]", 2, 2, "misplaced", False), ("[4]", 4, 3, "unsupported", False), ("[9]", None, 4, "dangling", False),
    )  # fmt: skip
    return tuple(
        Citation(
            index=index, marker=marker, span=span(ANSWER, marker), claim=claim, problem=problem, supported=supported,  # type: ignore[arg-type]
            target=None if rank is None else TEXTS[rank - 1][0], target_rank=rank, exists=rank is not None,
        )
        for index, (marker, rank, claim, problem, supported) in enumerate(parts)
    )  # fmt: skip


def finding(kind: Any, stage: Any, confidence: float, why: str, **refs: tuple[int, ...]) -> Finding:
    """A finding in one line."""
    return Finding(kind=kind, stage=stage, confidence=confidence, why=why, refs=refs)


def first(one: Finding) -> Finding:
    """The finding as the first cause."""
    return one.model_copy(update={"first_cause": True})


def following(one: Finding, kind: FindingKind) -> Finding:
    """The finding as one that follows from another."""
    return one.model_copy(update={"explained_by": kind})


def sample_evaluation(run_id: str = "r1", **changes: Any) -> Evaluation:
    """What was concluded about `sample_run`."""
    uses = (("used", 0.98), ("unused", 0.04), ("used", 0.9), ("uncertain", 0.5), ("unused", 0.0))
    fields: dict[str, Any] = {
        "run_id": run_id,
        "status": "ok",
        "question": "How did revenue develop in 2023, and what drove it?",
        "answer": ANSWER,
        "answer_kind": "answer",
        "chunks": tuple(
            ChunkVerdict(
                rank=rank, id=TEXTS[rank - 1][0], in_prompt=rank < 5, cited=rank < 5, use=use, use_probability=p,  # type: ignore[arg-type]
                conflict=rank == 4,
            )
            for rank, (use, p) in enumerate(uses, start=1)
        ),
        "claims": sample_claims(),
        "citations": sample_citations(),
        "results": (
            MetricResult(metric="ContextPrecision", value=5 / 6, labels="used"),
            MetricResult(metric="ContextUse", value=0.5, labels="used"),
            MetricResult(metric="FirstUse", value=1.0, labels="used"),
            MetricResult(metric="Groundedness", value=0.4, labels=None),
            MetricResult(metric="EvidenceCompleteness", value=0.4, labels=None),
            MetricResult(metric="CitationPrecision", value=0.5, labels=None),
            MetricResult(metric="CitationRecall", value=0.4, labels=None),
            MetricResult(metric="nDCG@5", value=0.9508, labels="gold"),
            MetricResult(metric="R@5", value=None, reason="no_gold", labels="gold"),
            MetricResult(metric="RR", value=None, reason="failed:KeyError", labels="gold"),
        ),
        "findings": (
            first(finding("conflicting_claim", "answer", 0.9, "Another number: claims 3.", claims=(3,), chunks=(4,))),
            finding("dangling_citation", "citation", 1, "One mark points to nothing: citations 5.", citations=(5,)),
            following(
                finding("misplaced_citation", "citation", 0.7, "Misplaced: citations 3.", citations=(3,), chunks=(3,)),
                "conflicting_claim",
            ),
            finding("unsupported_claim", "answer", 0.65, "No chunk backs these: claims 4.", claims=(4,)),
        ),
        "made_by": MADE_BY,
    }  # fmt: skip
    return Evaluation(**(fields | changes))


def poisoned(payload: str) -> tuple[RagRun, Evaluation]:
    """A run with `payload` in every field that holds text from outside, and its evaluation."""
    answer = f"Claim {payload} ends. {payload} And {payload}!"
    claim_end = answer.index(" ends.") + len(" ends.")
    run = RagRun(
        run_id=payload,
        question=payload,
        answer=answer,
        chunks=(
            Chunk(
                id=payload,
                text=f"Before {payload} after",
                metadata={payload: payload, "source": payload, "page": payload},
            ),
            Chunk(id=payload + "2", text=payload),
        ),
        stages=(Stage(name=payload, query=payload, items=(StageItem(chunk=0, score=1.0), StageItem(chunk=1))),),
        context=(ContextItem(chunk=0),),
        gold=Gold(answer=payload, relevance={payload: 1}),
        error=payload,
        tags=(payload,),
        metadata={payload: payload, "nested": {payload: [payload]}},
        flags=(payload,),
        captured_by=payload,
    )
    marker = (claim_end + 1, claim_end + 1 + len(payload))
    evaluation = Evaluation(
        run_id=payload,
        status="ok",
        question=payload,
        answer=answer,
        answer_kind="answer",
        chunks=(
            ChunkVerdict(rank=1, id=payload, in_prompt=True, cited=True, use="used", use_probability=1, conflict=True),
            ChunkVerdict(
                rank=2, id=payload + "2", in_prompt=False, cited=False, use="unknown", use_probability=None,
                conflict=False,
            ),
        ),
        claims=(
            Claim(
                index=0, text=payload, span=(0, claim_end), verdict="supported", probability=1, citations=(0,),
                supported_by=(Support(rank=1, id=payload, probability=1, spans=((3, 7 + len(payload)),)),),
            ),
        ),
        citations=(
            Citation(
                index=0, marker=payload, span=marker, target=payload, target_rank=1, exists=True, supported=False,
                claim=0, problem="misplaced",
            ),
        ),
        results=(
            MetricResult(metric=payload, value=0.5),
            MetricResult(metric=payload + "2", value=None, reason=payload),
            MetricResult(metric=payload + "3", value=None, reason="failed:" + payload),
        ),
        findings=(
            Finding(
                kind="conflicting_claim", stage="answer", confidence=1, why=payload, first_cause=True,
                refs={payload: (1,), "claims": (0, 9), "chunks": (1,), "citations": (0,)},
            ),
        ),
        made_by=MadeBy(package=payload, attributor=payload, attributor_version=payload, metrics={payload: 1}),
    )  # fmt: skip
    return run, evaluation
