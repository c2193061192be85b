"""The view model: texts cut into segments, and what belongs to what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import ANSWER, TEXTS, sample_claims, sample_evaluation, sample_run, span

from rag_eval_hooks.metrics.levels import unit_of
from rag_eval_hooks.record import Chunk, ChunkVerdict, Claim, ContextItem, RagRun, Support
from rag_eval_hooks.reports.view import cut, run_view, shown_verdict

OFFSETS = st.tuples(st.integers(-3, 40), st.integers(-3, 40))
CLAIM_OFFSETS = st.tuples(st.integers(0, 60), st.integers(0, 60))


@given(text=st.text(max_size=30), spans=st.lists(OFFSETS, max_size=8))
def test_cut_keeps_the_text_and_marks_exactly_what_is_covered(text: str, spans: list[tuple[int, int]]) -> None:
    segments = cut(text, spans)
    assert "".join(segment.text for segment in segments) == text
    assert all(segment.text for segment in segments)
    marks = [segment.marks for segment in segments for _ in segment.text]
    for place, found in enumerate(marks):
        assert found == tuple(i for i, (start, end) in enumerate(spans) if start <= place < end)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([], [("abcdef", ())], id="no span"),
        pytest.param([(0, 2), (2, 4)], [("ab", (0,)), ("cd", (1,)), ("ef", ())], id="touching"),
        pytest.param([(0, 6), (2, 3)], [("ab", (0,)), ("c", (0, 1)), ("def", (0,))], id="nested"),
        pytest.param([(4, 99)], [("abcd", ()), ("ef", (0,))], id="past the end"),
        pytest.param([(3, 3), (5, 2), (50, 60)], [("abcdef", ())], id="empty, reversed and outside count as nothing"),
    ],
)
def test_cut(spans: list[tuple[int, int]], expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(segment.text, segment.marks) for segment in cut("abcdef", spans)] == expected


@given(
    answer=st.text(max_size=40), spans=st.lists(CLAIM_OFFSETS, max_size=4), places=st.lists(CLAIM_OFFSETS, max_size=4)
)
def test_any_spans_leave_answer_and_chunks_whole(
    answer: str, spans: list[tuple[int, int]], places: list[tuple[int, int]]
) -> None:
    text = "A chunk of text with thirty-six letters."
    claims = tuple(
        Claim(
            index=i,
            text="x",
            span=one,
            verdict="supported",
            probability=1,
            supported_by=(Support(rank=1, id="c", probability=1, spans=tuple(places)),),
        )
        for i, one in enumerate(spans)
    )
    verdict = ChunkVerdict(rank=1, id="c", in_prompt=True, cited=False, use="used", use_probability=1, conflict=False)
    run = RagRun(run_id="r", chunks=(Chunk(id="c", text=text),), context=(ContextItem(chunk=0),))
    view = run_view(run, sample_evaluation("r", answer=answer, claims=claims, citations=(), chunks=(verdict,)))
    assert "".join(piece.text for piece in view.answer) == answer
    assert "".join(piece.text for piece in view.chunks[0].segments) == text


def test_answer_pieces_know_their_claim_and_citations() -> None:
    view = run_view(sample_run(), sample_evaluation())
    pieces = {piece.text: (piece.claim, piece.citations) for piece in view.answer}
    assert pieces["Revenue rose to 5.2 million euros in 2023"] == (0, ())
    assert pieces["[1]"] == (None, (0,))
    assert pieces["[1, 3]"] == (None, (1, 2)), "a group is one mark and two citations"
    assert pieces["I hope this helps!"] == (5, ())


def test_a_mark_within_a_claim_is_a_piece_of_both() -> None:
    claim = sample_claims()[0].model_copy(
        update={"span": span(ANSWER, "Revenue rose to 5.2 million euros in 2023 [1].")}
    )
    view = run_view(None, sample_evaluation(claims=(claim,)))
    assert [(piece.text, piece.claim, piece.citations) for piece in view.answer[:3]] == [
        ("Revenue rose to 5.2 million euros in 2023 ", 0, ()),
        ("[1]", 0, (0,)),
        (".", 0, ()),
    ]


def test_overlapping_supports_are_cut_at_each_border() -> None:
    segments = run_view(sample_run(), sample_evaluation()).chunks[0].segments
    marked = [(segment.text, segment.marks) for segment in segments if segment.marks]
    assert marked == [
        ("In 2023 revenue rose to ", (0,)),
        ("5.2 million euros", (0, 1)),
        (", up from 4.64 million", (1,)),
    ]


def test_chunks_carry_what_the_record_says() -> None:
    first, *_, fourth, fifth = run_view(sample_run(), sample_evaluation()).chunks
    assert (first.text, first.source, first.page) == (TEXTS[0][1], "annual-report-2023.pdf", "3")
    assert [(place.stage, place.rank, place.score) for place in first.trail] == [("bm25", 2, 8.4), ("rerank", 1, 0.98)]
    assert (first.score, first.relevance, first.coverage) == (0.98, 3, 1.0), "the last stage's score"
    assert (fourth.coverage, fourth.relevance) == (0.85, None), "unjudged is not 0"
    assert (fifth.in_prompt, fifth.coverage) == (False, None)


def test_document_and_page_are_those_that_the_measures_count() -> None:
    metadata = {"file_name": "b.pdf", "source": "a.pdf", "page_label": "iv", "page": 6}
    chunk = Chunk(id=TEXTS[0][0], text="Tea.", metadata=metadata)
    run = sample_run(chunks=(chunk,) * 5)
    shown = run_view(run, sample_evaluation()).chunks[0]
    assert (shown.source, shown.page) == ("a.pdf", "6")
    assert f"{shown.source}#page={shown.page}" == unit_of(chunk, "page")


def test_a_conflict_names_the_chunk_against_the_claim() -> None:
    view = run_view(sample_run(), sample_evaluation())
    assert [claim.against for claim in view.claims] == [(), (), (), (3,), (), ()]


def test_without_the_record_there_are_verdicts_but_no_texts() -> None:
    view = run_view(None, sample_evaluation())
    assert not view.has_texts
    assert [(chunk.text, chunk.segments) for chunk in view.chunks] == [(None, ())] * 5
    assert [backing.chunk for backing in view.claims[1].backing] == [2, 0]


def test_a_repeated_id_gets_the_text_of_its_own_place() -> None:
    run = RagRun(
        run_id="r",
        chunks=(Chunk(id="doc", text="first"), Chunk(id="doc", text="second")),
        context=(ContextItem(chunk=0), ContextItem(chunk=1)),
    )
    verdicts = tuple(
        ChunkVerdict(
            rank=rank, id="doc", in_prompt=True, cited=False, use="unknown", use_probability=None, conflict=False
        )
        for rank in (1, 2)
    )
    view = run_view(run, sample_evaluation("r", chunks=verdicts, claims=(), citations=(), findings=()))
    assert [chunk.text for chunk in view.chunks] == ["first", "second"]


def test_references_to_what_is_not_there_are_left_out() -> None:
    stray = Support(rank=77, id="gone", probability=0.5, spans=((0, 9),))
    claim = sample_claims()[0].model_copy(update={"supported_by": (stray,)})
    view = run_view(sample_run(), sample_evaluation(claims=(claim,)))
    assert view.claims[0].backing == ()
    assert [citation.claim for citation in view.citations] == [0, None, None, None, None, None]


@pytest.mark.parametrize(
    ("verdict", "needs", "shown"),
    [
        ("unsupported", True, "unsupported"),
        ("unsupported", False, "none"),
        ("uncertain", False, "none"),
        ("supported", False, "supported"),
        ("conflict", False, "conflict"),
    ],
)
def test_a_claim_that_needs_no_evidence_is_not_called_unsupported(verdict: str, needs: bool, shown: str) -> None:
    claim = sample_claims()[0].model_copy(update={"verdict": verdict, "needs_evidence": needs})
    assert shown_verdict(claim) == shown
