"""Which marks of an answer are citations, and what they name."""

import pytest

from rag_eval_hooks.attribution.marks import MAX_TARGETS, find_marks


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("Open [1].", [("[1]", (1,), None)], id="number"),
        pytest.param("Open [1][2].", [("[1]", (1,), None), ("[2]", (2,), None)], id="side by side"),
        pytest.param("Open [1, 3].", [("[1, 3]", (1, 3), None)], id="group"),
        pytest.param("Open [1-3].", [("[1-3]", (1, 2, 3), None)], id="range"),
        pytest.param("Open [3–1].", [("[3–1]", (1, 2, 3), None)], id="range with an en dash, backwards"),
        pytest.param("Open【2†source】.", [("【2†source】", (2,), None)], id="lenticular"),
        pytest.param("Open.[^1]\n\n[^1]: rules.pdf", [("[^1]", (1,), None)], id="footnote without its definition"),
        pytest.param("Open.¹ Closed.²", [("¹", (1,), None), ("²", (2,), None)], id="superscripts after a stop"),
        pytest.param("40 m² of x³", [], id="exponents"),
        pytest.param("Open [doc:abc].", [("[doc:abc]", (), "abc")], id="named"),
        pytest.param(
            "Open [Source 1], [source: 2].", [("[Source 1]", (1,), "1"), ("[source: 2]", (2,), "2")], id="source"
        ),
        pytest.param("Open [[1]](https://x.org/a).", [("[[1]]", (1,), None)], id="linked"),
        pytest.param("See [the page](https://x.org).", [], id="an ordinary link"),
        pytest.param("In [2023] it opened.", [], id="a year"),
        pytest.param("```\na[1]\n```py\nb[2] [3]", [], id="an open fence hides the rest"),
        pytest.param("```\na[1]\n```\n`b[2]` [3]", [("[3]", (3,), None)], id="code"),
        pytest.param("Open [1].\n\nSources:\n[1] Rules\n[2] More", [("[1]", (1,), None)], id="source list"),
        pytest.param("Sources differ [1].", [("[1]", (1,), None)], id="a sentence about sources"),
        pytest.param("Open [0].", [("[0]", (0,), None)], id="zero"),
        pytest.param("On [c3], in [A.PDF], [sic].", [("[c3]", (), "c3"), ("[A.PDF]", (), "A.PDF")], id="names"),
        pytest.param("The item a[0] and x[1], but Paris[2].", [("[2]", (2,), None)], id="indexes"),
    ],
)
def test_find_marks(answer: str, expected: list[tuple[str, tuple[int, ...], str | None]]) -> None:
    marks = find_marks(answer, items=3, names={"c3", "a.pdf"})
    assert [(mark.text, mark.numbers, mark.name) for mark in marks] == expected
    for mark in marks:
        assert answer[mark.start : mark.marker_end] == mark.text


def test_a_huge_range_is_cut_and_says_so() -> None:
    (mark,) = find_marks("Open [1-999999999].", items=2)
    assert mark.numbers == (1, 2)
    assert mark.beyond == 3
    (wide,) = find_marks("Open [1-500].", items=500)
    assert len(wide.numbers) == MAX_TARGETS
    assert wide.beyond == MAX_TARGETS + 1


@pytest.mark.parametrize("piece", ["[", "[1,", "`", "[1]", "[source ", "¹", "Sources:\n", "【1†", "[^", "]](", "~~~\n"])
def test_hostile_repetition_ends(piece: str) -> None:
    """Backtracking or quadratic work would make these take minutes."""
    assert len(find_marks(piece * 50_000, items=5)) <= 2_000
