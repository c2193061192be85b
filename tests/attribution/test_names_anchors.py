"""Names, quoted terms, acronyms and identifiers: which stretches of a text are found."""

import pytest

from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.names import find_names


def names(text: str) -> list[tuple[str, str]]:
    return [(text[start:end], kind) for start, end, kind in find_names(fold(text).text, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The plant is in New Arden.", [("New Arden", "name")], id="inside a sentence"),
        pytest.param("Copper is a metal.", [], id="a sentence's first word"),
        pytest.param("Mira left. We miss Mira.", [("Mira", "name"), ("Mira", "name")], id="capitalised elsewhere"),
        pytest.param("Mira Sand left.", [("Mira Sand", "name")], id="two words at the start"),
        pytest.param("The Mill House is old.", [("Mill House", "name")], id="an article is no part"),
        pytest.param("She met Jan van der Meer.", [("Jan van der Meer", "name")], id="small words inside"),
        pytest.param("the University of Arden", [("University of Arden", "name")], id="of"),
        pytest.param("Did Mira's aunt Ona write?", [("Mira", "name"), ("Ona", "name")], id="possessive"),
        pytest.param("It runs on NASA and IBM servers.", [("NASA", "acronym"), ("IBM", "acronym")], id="two acronyms"),
        pytest.param("It runs on AWS.", [("AWS", "acronym")], id="acronym"),
        pytest.param(
            "call getUserName() or FooBar", [("getUserName", "identifier"), ("FooBar", "identifier")], id="id"
        ),
        pytest.param(
            'the term "dark fibre" and „Alte Mühle“', [("dark fibre", "quote"), ("Alte Mühle", "quote")], id="q"
        ),
        pytest.param("《三体》的作者", [("三体", "quote")], id="Chinese title"),
        pytest.param("ALL OF THIS IS LOUD", [], id="no small letters"),
        pytest.param("no names here at all", [], id="no capitals"),
        pytest.param("", [], id="empty"),
    ],
)
def test_names(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize("piece", ["A", "Ab ", "Ab-", "Ab of ", '"', "aB", "A&", "Ab.", "É"])
def test_hostile_repetition_ends(piece: str) -> None:
    text = (piece * 100_000)[:100_000] + "x"  # quadratic work would take minutes
    spans = find_names(fold(text).text, text)
    assert all(0 <= start < end <= len(text) for start, end, _ in spans)
