"""Marks as such: ranges, limits, hostile text, and the laws that hold for every answer."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.attribution.citations.entries import MAX_TARGETS
from rag_eval_hooks.attribution.citations.sources import Sources
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.record import Chunk, CitationStyle, read_run
from rag_eval_hooks.record.limits import MAX_MARKS

SOURCES = Sources(
    [
        Chunk(id="c1", text="The lobby opens at 7:00.", metadata={"source": "rules.pdf", "page": 2}),
        Chunk(id="https://club.org/a", text="The pool.", metadata={"author": "Ann Smith", "year": 2020}),
        Chunk(
            id="x_9", text="The gym.", metadata={"source": "rules.pdf", "page": 3, "authors": ["B. Jones", {"n": 1}]}
        ),
    ]
)
PIECES = (
    "[1] [2-3] [1,2] [1-999999999] [^1] [^1]: \n [ ] ( ) (1) (2) (Smith 2020) Smith (2020) 【1†source】 【4:0†a】 ¹ "
    "[doc:c1] [source: rules.pdf, p. 2] c1 rules.pdf https://club.org/a ](https://club.org/a) <cite> </cite> "
    "<cite id=1/> ² . , ; "
    '<sup>1</sup> <ref "x"> Source 1: source 2 and 3 Sources:\n [1] rules.pdf ``` ` " “ ” > - 1. İ ß \ud800 \u0000 '
    "According to says 来源2 根据 （1） the lobby opens at 7:00"
).split(" ")


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40), st.sampled_from(["", " "]))
@example(pieces=["<ref", "```", "[1]", "```", ">"], blank="")
@settings(max_examples=400, deadline=None)
def test_every_mark_stands_in_the_answer_and_names_items(pieces: list[str], blank: str) -> None:
    answer = blank.join(pieces)
    end = 0
    for mark in find_marks(answer, SOURCES):
        assert 0 <= end <= mark.start < mark.end <= len(answer)
        assert answer[mark.start : mark.end] == mark.text
        assert mark.targets
        assert all(1 <= rank <= 3 for ranks in mark.targets for rank in ranks)
        assert list(mark.hidden) == sorted(mark.hidden)
        assert all(0 <= first < last <= len(answer) for first, last in (*mark.hidden, mark.about or (0, 1)))
        end = mark.end


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=25))
@settings(max_examples=100, deadline=None)
def test_every_answer_gets_citations_that_point_into_it(pieces: list[str]) -> None:
    contexts = [{"id": "c1", "text": "The lobby opens at 7:00."}, {"id": "c2", "text": "The pool."}]
    run = read_run({"question": "When?", "contexts": contexts, "answer": " ".join(pieces)})
    for citation in attribute(run).citations:
        assert run.judged_answer[slice(*citation.span)] == citation.marker
        assert citation.exists == (citation.target is not None)
        assert citation.part is None or 0 <= citation.part[0] < citation.part[1] <= len(run.judged_answer)


def test_a_huge_range_is_cut_and_says_so() -> None:
    (mark,) = find_marks("Open [1-999999999].", 2)
    assert mark.targets == ((1,), (2,), ())
    assert mark.is_cut
    (wide,) = find_marks("Open [1-500].", 500)
    assert len(wide.targets) == MAX_TARGETS + 1
    assert wide.is_cut
    (small,) = find_marks("Open [1-3].", 2)
    assert (small.targets, small.is_cut) == (((1,), (2,), ()), False)


def test_a_huge_range_is_among_the_limits() -> None:
    contexts = [{"id": "c1", "text": "The lobby opens at 7:00."}]
    found = attribute(
        read_run({"question": "When?", "contexts": contexts, "answer": "It opens at 7:00 [1-999999999]."})
    )
    assert "range_cut" in found.limits
    assert [one.exists for one in found.citations] == [True, False]


@pytest.mark.parametrize(
    ("style", "number", "rank"),
    [
        pytest.param(CitationStyle(base=0), 0, (1,), id="from zero"),
        pytest.param(CitationStyle(base=0), 3, (), id="from zero, none at three"),
        pytest.param(CitationStyle(labels=(3, 1, 7)), 1, (2,), id="labels out of order"),
        pytest.param(CitationStyle(labels=(3, 1, 7)), 2, (), id="no item with this label"),
        pytest.param(CitationStyle(labels=(3, None, 7)), 7, (3,), id="an item without a label"),
        pytest.param(CitationStyle(labels=(5,)), 1, (1,), id="labels of another context count for nothing"),
    ],
)
def test_numbers_count_as_the_prompt_does(style: CitationStyle, number: int, rank: tuple[int, ...]) -> None:
    sources = Sources([Chunk(id=f"d{place}") for place in range(3)], style)
    (mark,) = find_marks(f"It opens [{number}].", sources)
    assert mark.targets == (rank,)


HOSTILE = [
    "[",
    "[1,",
    "`",
    "[1]",
    "[source ",
    "¹",
    "Sources:\n",
    "【1†",
    "[^",
    "]](",
    "~~~\n",
    "(",
    "(1)",
    "(1, ",
    "<cite",
]
HOSTILE += [
    "<cite>",
    "<cite id=",
    "https://club.org/",
    "Source 1 and ",
    "c1",
    "Smith ",
    "(Smith",
    '"',
    "“",
    "\n[^1]:",
    "a_",
]
HOSTILE += [
    "[a](",
    "[1](http://",
    "according to ",
    "\nSources: [",
    "<sup>",
    "source: ",
    "rules.pdf, p. ",
    "\n",
    "\n ",
    "【4:",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_ends(piece: str) -> None:
    """Backtracking or quadratic work would make these take minutes."""
    assert len(find_marks(piece * 100_000, SOURCES)) <= MAX_MARKS
