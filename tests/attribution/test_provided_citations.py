"""Citations that the provider gives beside the text: where they are, what they mean, and what of them is nonsense."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.attribution import attribute

CONTEXTS = [
    {"id": "c1", "text": "The lobby opens at 7:00.", "metadata": {"title": "House rules", "url": "https://club.org/h"}},
    {"id": "c2", "text": "The pool opens at 9:00.", "metadata": {"source": "pool.pdf", "file_id": "file-2"}},
]
LOBBY, POOL = "The lobby opens at 7:00.", "The pool opens at 9:00."


def cited(answer: Any, provided: Any = None) -> list[tuple[str, str | None, bool, str, str]]:
    """Marker, target, whether it is supported, origin, and the words it speaks for."""
    run = read_run({"question": "When?", "contexts": CONTEXTS, "answer": answer, "citations": {"provided": provided}})
    return [
        (one.marker, one.target, one.supported, one.origin, run.judged_answer[slice(*one.part)] if one.part else "")
        for one in attribute(run).citations
    ]


@pytest.mark.parametrize(
    ("block", "target"),
    [
        pytest.param(
            {"citations": [{"type": "char_location", "cited_text": POOL, "document_index": 1}]}, "c2", id="index"
        ),
        pytest.param({"citations": [{"type": "char_location", "cited_text": POOL}]}, "c2", id="quoted words"),
        pytest.param({"citations": [{"document_title": "pool.pdf", "document_index": 1}]}, "c2", id="title"),
        pytest.param({"citations": [{"document_index": 9}]}, None, id="an index of nothing"),
        pytest.param(
            {"annotations": [{"type": "file_citation", "file_id": "file-2", "index": 23}]}, "c2", id="file id"
        ),
        pytest.param({"annotations": [{"type": "url_citation", "url": "https://club.org/h/"}]}, "c1", id="address"),
        pytest.param(
            {
                "annotations": [
                    {"type": "url_citation", "url_citation": {"url": "http://www.club.org/h", "end_index": 23}}
                ]
            },
            "c1",
            id="nested address",
        ),
        pytest.param(
            {"annotations": [{"type": "citation", "title": "A", "extras": {"document_index": 1}}]},
            "c2",
            id="LangChain's own",
        ),
        pytest.param(
            {"annotations": [{"start_index": 0, "end_index": 23, "url": "https://x.org"}]}, None, id="unknown"
        ),
    ],
)
def test_blocks_of_providers(block: dict[str, Any], target: str | None) -> None:
    answer = [{"type": "text", "text": LOBBY + " "}, {"type": "text", "text": POOL, **block}]
    assert cited(answer) == [("", target, target == "c2", "provider", POOL[:-1] + ".")]


def test_a_block_of_two_sentences_cites_for_both() -> None:
    answer = [{"type": "text", "text": f"{LOBBY} {POOL}", "citations": [{"document_index": 0}]}]
    assert cited(answer) == [("", "c1", True, "provider", LOBBY), ("", "c1", False, "provider", POOL)]


def test_a_mark_and_the_provider_that_say_the_same_are_one_citation() -> None:
    provided = [{"start": 0, "end": 23, "index": 1}, {"start": 0, "end": 23, "index": 0}]
    assert cited("The pool opens at 9:00 [2].", provided) == [
        ("", "c1", False, "provider", "The pool opens at 9:00"),
        ("[2]", "c2", True, "text", "The pool opens at 9:00"),
    ]


def test_the_provider_says_what_a_mark_means() -> None:
    answer = "The pool opens at 9:00【4:0†source】."
    provided = [{"type": "file_citation", "start_index": 22, "end_index": 34, "file_citation": {"file_id": "file-2"}}]
    assert cited(answer, provided) == [("【4:0†source】", "c2", True, "text", "The pool opens at 9:00")]


def test_numbered_sources_say_what_numbers_mean() -> None:
    assert cited("The pool opens at 9:00 [1].", ["pool.pdf", "https://club.org/h"])[0][:3] == ("[1]", "c2", True)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        pytest.param(25, 999, [POOL], id="beyond the end"),
        pytest.param(-5, 24, [LOBBY], id="before the beginning"),
        pytest.param(500, 600, [], id="outside"),
        pytest.param(20, 3, [], id="backwards"),
        pytest.param(7, 7, [], id="empty"),
    ],
)
def test_places_beyond_the_answer_are_cut_or_left_out_and_flagged(start: int, end: int, words: list[str]) -> None:
    run = read_run(
        {
            "question": "When?",
            "contexts": CONTEXTS,
            "answer": f"{LOBBY} {POOL}",
            "citations": {"provided": [{"start": start, "end": end, "index": 1}]},
        }
    )
    found = attribute(run)
    assert [run.judged_answer[slice(*one.part)] for one in found.citations if one.part] == words
    assert "offsets_cut" in found.limits


def test_overlapping_places_are_citations_of_their_own() -> None:
    provided = [{"start": 0, "end": 24, "index": 0}, {"start": 4, "end": 24, "index": 1}]
    assert [one[:3] for one in cited(LOBBY, provided)] == [("", "c1", True), ("", "c2", False)]


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "start end index start_index end_index url title file_id sources cited_text span type".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(st.lists(JUNK, max_size=6), st.sampled_from(["provided", "blocks"]))
@settings(max_examples=200, deadline=None)
def test_nothing_that_a_provider_gives_breaks_an_evaluation(junk: list[Any], where: str) -> None:
    answer: Any = f"{LOBBY} [1] {POOL}"
    run = read_run(
        {
            "question": "When?",
            "contexts": CONTEXTS,
            "answer": [{"type": "text", "text": answer, "citations": junk}] if where == "blocks" else answer,
            "citations": {"provided": junk if where == "provided" else []},
        }
    )
    evaluation = evaluate(run)
    evaluation.model_dump_json()
    for one in evaluation.citations:
        assert run.judged_answer[slice(*one.span)] == one.marker
