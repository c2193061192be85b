"""Builds runs and attributions for tests in a line: for this package's tests and for those of your own measures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from rag_eval_hooks.record import (
    Attribution,
    Chunk,
    ChunkVerdict,
    Citation,
    Claim,
    ContextItem,
    Gold,
    RagRun,
    Stage,
    StageItem,
    Support,
    pool_chunks,
)
from rag_eval_hooks.record.evaluation import AnswerKind, CitationProblem, Verdict

__all__ = ["make_attribution", "make_run"]

VERDICTS: Mapping[str, Verdict] = {
    "+": "supported",
    "-": "unsupported",
    "!": "conflict",
    "?": "uncertain",
    "~": "unsupported",
}


def make_run(
    retrieved: Iterable[str | tuple[str, str]] = (),
    *,
    context: Iterable[str | tuple[str, str]] | None = None,
    relevant: Collection[str] | None = None,
    relevance: Mapping[str, float] | None = None,
    evidence_sets: Iterable[Iterable[str]] | None = None,
    used: Iterable[str] | None = None,
    gold_answer: str | None = None,
    question: str | None = "A question?",
    answer: str | None = "An answer.",
    k: int | None = None,
    **more: Any,
) -> RagRun:
    """Returns a run with one retrieval step.

    Args:
        retrieved: The list, best first: ids (a text is read letter by letter, `"ab"` is two chunks) or pairs of id
            and text. A plain id gets the text `Passage <id>.`, so a repeated id is an exact repeat.
        context: What the generator got, in the same form; by default all that was retrieved.
        relevant: Ids of relevant chunks (grade 1).
        relevance: Grades by id, where they differ; wins over `relevant`.
        evidence_sets: Alternative sets of ids; each may be a text of one-letter ids.
        used: Ids the answer used, by a person's judgement.
        gold_answer: The right answer; an empty text says that there is none.
        question: What the user asked.
        answer: What the user got.
        k: The run's cut-off.
        **more: Any other field of `RagRun`, such as `status` or `metadata`.

    >>> make_run("aba", relevant={"b"}).retrieved_ids
    ('a', 'b', 'a')
    """
    listed = [_chunk(item) for item in retrieved]
    given = None if context is None else [_chunk(item) for item in context]
    pool, places = pool_chunks(listed + (given or []))
    stage = Stage(items=tuple(StageItem(chunk=place) for place in places[: len(listed)]))
    in_prompt = places[: len(listed)] if given is None else places[len(listed) :]
    grades = dict(relevance) if relevance is not None else None
    if grades is None and relevant is not None:
        grades = dict.fromkeys(relevant, 1.0)
    gold = Gold(
        relevance=grades,
        evidence_sets=None if evidence_sets is None else tuple(tuple(one) for one in evidence_sets),
        used=None if used is None else tuple(used),
        answer=gold_answer,
    )
    fields: dict[str, Any] = {
        "run_id": "run-1",
        "question": question,
        "answer": answer,
        "chunks": pool,
        "stages": (stage,) if listed else (),
        "context": tuple(ContextItem(chunk=place) for place in in_prompt),
        "gold": gold if gold != Gold() else None,
        "k": k,
    }
    return RagRun(**(fields | more))


def make_attribution(
    run: RagRun,
    *,
    used: Collection[int] = (),
    uncertain: Collection[int] = (),
    conflict: Collection[int] = (),
    claims: Sequence[str] = (),
    citations: Sequence[tuple[int | None, int | None] | tuple[int | None, int | None, Literal[False]]] = (),
    kind: AnswerKind = "answer",
) -> Attribution:
    """Returns an attribution for `run` that says what you say.

    Args:
        run: The run it is about; every chunk of its ledger gets a verdict.
        used: Ranks (from 1) of the chunks that were used; the others are unused, with probability 0.1.
        uncertain: Ranks of the chunks whose use is uncertain.
        conflict: Ranks of the chunks that state another value than the answer.
        claims: One code a claim: `+` supported (`+1|3` by the chunks at ranks 1 and 3, each alone; `+1,3` by both
            together), `-` unsupported, `!` in conflict, `?` uncertain, `~` needs no evidence.
        citations: One tuple a citation: index of its claim (or None), rank of its target (None: dangling), and False
            where the target does not back the claim.
        kind: Whether there is an answer to judge.

    >>> run = make_run("ab")
    >>> found = make_attribution(run, used=[2], claims=["+2", "-"], citations=[(0, 2), (1, None)])
    >>> [claim.verdict for claim in found.claims], [citation.problem for citation in found.citations]
    (['supported', 'unsupported'], [None, 'dangling'])
    """
    ids = [run.chunks[index].id for index in run.ledger]
    cited = {entry[1] for entry in citations}
    chunks = tuple(
        ChunkVerdict(
            rank=rank,
            id=identifier,
            in_prompt=rank <= len(run.context),
            cited=rank in cited,
            use="used" if rank in used else "uncertain" if rank in uncertain else "unused",
            use_probability=0.9 if rank in used else 0.5 if rank in uncertain else 0.1,
            conflict=rank in conflict,
        )
        for rank, identifier in enumerate(ids, 1)
    )
    made = tuple(_claim(index, code, ids, citations) for index, code in enumerate(claims))
    return Attribution(
        answer_kind=kind,
        chunks=chunks,
        claims=made,
        citations=tuple(_citation(index, entry, ids, made) for index, entry in enumerate(citations)),
    )


def _chunk(item: str | tuple[str, str]) -> Chunk:
    return Chunk(id=item, text=f"Passage {item}.") if isinstance(item, str) else Chunk(id=item[0], text=item[1])


def _claim(index: int, code: str, ids: Sequence[str], citations: Sequence[tuple[Any, ...]]) -> Claim:
    verdict = VERDICTS.get(code[:1])
    if verdict is None:
        raise ValueError(f"claim code {code!r}: expected one of {' '.join(VERDICTS)}, such as '+1,2'")
    ranks = [int(rank) for rank in code[1:].replace("|", ",").split(",") if rank.strip()]
    backs = 0.4 if "," in code else 0.9
    return Claim(
        index=index,
        text=f"Claim {index}.",
        span=(index, index + 1),
        verdict=verdict,
        probability={"supported": 0.9, "uncertain": 0.5}.get(verdict, 0.1),
        supported_by=tuple(Support(rank=rank, id=ids[rank - 1], probability=backs, spans=((0, 1),)) for rank in ranks),
        needs_evidence=not code.startswith("~"),
        citations=tuple(number for number, entry in enumerate(citations) if entry[0] == index),
    )


def _citation(index: int, entry: tuple[Any, ...], ids: Sequence[str], claims: Sequence[Claim]) -> Citation:
    claim, rank, supported = entry[0], entry[1], entry[1] is not None and (len(entry) == 2 or bool(entry[2]))
    problem: CitationProblem | None = None
    if rank is None:
        problem = "dangling"
    elif not supported:
        backed_elsewhere = claim is not None and claims[claim].verdict == "supported"
        problem = "misplaced" if backed_elsewhere else "unsupported"
    return Citation(
        index=index,
        marker=f"[{rank or 99}]",
        span=(index, index + 1),
        target=None if rank is None else ids[rank - 1],
        target_rank=rank,
        exists=rank is not None,
        supported=supported,
        claim=claim,
        problem=problem,
    )
