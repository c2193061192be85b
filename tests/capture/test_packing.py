"""Which items reached the prompt: the arithmetic of coverage, and order by position."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.capture import find_in_prompt

A = "The harbour of Basel opened in 1906 and was enlarged twice before the second war began."
B = "Ships of up to 110 metres carry gravel, oil and containers from Rotterdam up the Rhine."
C = "Toll was lifted in 1868, when the Rhine states signed an act of navigation in Mannheim."


def found(texts: list[str], prompt: str) -> list[tuple[int, str, float]]:
    return [(hit.item, hit.match, round(hit.coverage, 3)) for hit in find_in_prompt(texts, prompt)]


@pytest.mark.parametrize(
    ("texts", "prompt", "expected"),
    [
        pytest.param([A, B], f"Context:\n{A}\n\n{B}\nQ?", [(0, "exact", 1.0), (1, "exact", 1.0)], id="in order"),
        pytest.param([A, B, C], f"{C} {A}", [(2, "exact", 1.0), (0, "exact", 1.0)], id="other order, one left out"),
        pytest.param([A], A, [(0, "exact", 1.0)], id="nothing but the item"),
        pytest.param([A], "Nothing of it.", [], id="not there"),
        pytest.param([A, A, A], f"{A}\n{A}", [(0, "exact", 1.0), (1, "exact", 1.0)], id="equal texts, two places"),
        pytest.param([A], f"{A}\n{A}", [(0, "exact", 1.0)], id="one item, twice in the prompt"),
        pytest.param([f"  {A}\n"], f"x {A} y", [(0, "exact", 1.0)], id="outer white space"),
        pytest.param([A.replace(" ", "\n")], f"x {A} y", [(0, "exact", 1.0)], id="lines re-flowed"),
        pytest.param([A + '\n"quoted"'], json.dumps([A + '\n"quoted"']), [(0, "exact", 1.0)], id="inside JSON"),
        pytest.param([A + " ü"], json.dumps([A + " ü"]), [(0, "exact", 1.0)], id="inside JSON, escaped"),
        pytest.param([A], f"{A[:60]}...", [(0, "head", round(60 / len(A), 3))], id="cut off"),
        pytest.param([A], A[:39], [], id="too little of it"),
        pytest.param(
            [A, B],
            f"{A[:50]}... {B[:45]}",
            [(0, "head", round(50 / len(A), 3)), (1, "head", round(45 / len(B), 3))],
            id="two cut off",
        ),
        pytest.param(
            [f"{A} {B} {C}"],
            f"Best: {B} Why?",
            [(0, "shingle", round(len(B) / (len(A) + len(B) + len(C) + 2), 3))],
            id="one sentence picked",
        ),
        pytest.param(
            [f"{A} {B}", f"{C} {B}"],
            f"Best: {B}",
            [(0, "shingle", round(len(B) / (len(A) + len(B) + 1), 3))],
            id="a picked sentence that two items share is the first one's",
        ),
        pytest.param([f"{A} It is so. {B}"], "It is so.", [], id="too short a sentence"),
        pytest.param([f"{A} {B} {C}"], f"Best: {B[:60]}", [], id="part of a sentence in the middle"),
        pytest.param(["", "  ", A], A, [(2, "exact", 1.0)], id="blank items are nowhere"),
        pytest.param(["Basel", A], A, [(1, "exact", 1.0)], id="a text inside another does not count twice"),
        pytest.param(
            ["Basel", A], f"{A} Basel", [(1, "exact", 1.0), (0, "exact", 1.0)], id="unless it has its own place"
        ),
        pytest.param(["Rhine"], "Rhineland", [], id="a short text must stand alone"),
        pytest.param(["莱茵河"], "请看莱茵河在哪里", [(0, "exact", 1.0)], id="a script without spaces"),
        pytest.param(
            ["莱茵河流经巴塞尔，然后向北转弯流去。"],
            "资料：莱茵河流经巴塞尔，然后向北转弯流去。问",
            [(0, "exact", 1.0)],
            id="Chinese",
        ),
    ],
)
def test_what_is_found(texts: list[str], prompt: str, expected: list[tuple[int, str, float]]) -> None:
    assert found(texts, prompt) == expected


def test_a_text_of_which_the_middle_was_kept() -> None:
    words = [f"w{number}" for number in range(40)]
    text, middle = " ".join(words), " ".join(words[5:35])
    ((item, match, coverage),) = found([text], f"Notes: {middle} end")
    assert (item, match) == (0, "shingle")
    # 30 of 40 words stayed; coverage counts their characters, not the spaces.
    assert coverage == round(len("".join(words[5:35])) / len("".join(words)), 3)


def test_less_than_half_of_the_shingles_is_too_little() -> None:
    words = [f"w{number}" for number in range(40)]  # 33 shingles of 8 words
    assert found([" ".join(words)], " ".join(words[1:24])) == []  # 23 words: 16 shingles
    assert len(found([" ".join(words)], " ".join(words[1:25]))) == 1  # 24 words: 17 shingles


def test_a_common_heading_is_not_the_beginning_of_an_item_left_out() -> None:
    heading = "Handbook of the harbour authority, edition of 2024, section "
    packed, left_out = heading + "1: " + A, heading + "2: " + B
    assert found([left_out, packed], f"Use this.\n{packed}") == [(1, "exact", 1.0)]


@given(st.lists(st.text(max_size=60), max_size=6), st.text(max_size=200))
def test_any_text_is_safe(texts: list[str], prompt: str) -> None:
    """Each item at most once, positions in order and inside the prompt, coverage in (0, 1]."""
    hits = find_in_prompt(texts, prompt)
    assert len({hit.item for hit in hits}) == len(hits)
    assert [hit.position for hit in hits] == sorted(hit.position for hit in hits)
    assert all(0 <= hit.position < max(len(prompt), 1) and 0 < hit.coverage <= 1 for hit in hits)


@given(st.permutations([A, B, C]), st.text(alphabet="xyz \n", max_size=30))
def test_whole_items_are_found_in_the_order_of_the_prompt(order: list[str], filler: str) -> None:
    texts = [A, B, C]
    assert [texts[hit.item] for hit in find_in_prompt(texts, filler.join(["", *order, ""]))] == order
