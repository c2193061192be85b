"""What a text takes a side on, and when two texts contradict each other by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.opposites import opposes, reverses
from rag_eval_hooks.attribution.stance import PAIRS, Stance, direction, excludes, stance_of


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        pytest.param("it is open", False, id="plain"),
        pytest.param("it is not open", True, id="one word"),
        pytest.param("it isn't open", True, id="apostrophe"),
        pytest.param("it is not without charm", False, id="two are none"),
        pytest.param("it never fails to open", False, id="a word and a phrase"),
        pytest.param("it fails the test", False, id="half a phrase"),
        pytest.param("nothing knotted, a notable note", False, id="parts of words"),
        pytest.param("das ist nicht offen", True, id="German"),
        pytest.param("他不能去", True, id="Chinese"),
        pytest.param("这不仅便宜", False, id="Chinese, not only"),
        pytest.param("知りません", True, id="Japanese"),
    ],
)
def test_negation(text: str, negated: bool) -> None:
    assert stance_of(text).is_negated is negated


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        pytest.param("he refused", True, id="word"),
        pytest.param("he has yet to sign", True, id="phrase"),
        pytest.param("he has signed to him", False, id="last word of a phrase"),
        pytest.param("he did n't sign", True, id="set apart"),
        pytest.param("he signed", False, id="none"),
    ],
)
def test_denial(text: str, denies: bool) -> None:
    assert stance_of(text).denies is denies


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("rose", 1),
        ("increasing", 1),
        ("surged", 1),
        ("fell", -1),
        ("reduced", -1),
        ("rosette", 0),
        ("增长", 1),
        ("人", 0),
    ],
)
def test_direction_of_a_word_is_that_of_a_text_with_it(word: str, expected: int) -> None:
    assert direction(word) == expected
    assert stance_of(f"the price {word} then").direction == expected


def test_rising_and_falling_is_neither() -> None:
    assert stance_of("it rose, then fell").direction == 0


SIDES = [(one, other) for first, second in PAIRS for one in first.split(", ") for other in second.split(", ")]


@pytest.mark.parametrize(("one", "other"), SIDES)
def test_each_word_excludes_each_of_its_opposites(one: str, other: str) -> None:
    mine, theirs = stance_of(f"it is {one} here"), stance_of(f"it is {other} here")
    assert excludes(mine, theirs)
    assert excludes(theirs, mine)
    assert not excludes(mine, mine)
    assert not excludes(mine, stance_of(f"{one}, {other}"))


def test_a_reversal_undoes_a_negation() -> None:
    assert reverses(stance_of("dogs are allowed"), stance_of("dogs are not forbidden"))
    assert not opposed("dogs are allowed", "dogs are not forbidden")
    assert opposed("dogs are allowed", "dogs are forbidden")


@pytest.mark.parametrize(
    ("said", "source", "expected"),
    [
        ("the museum is open", "the museum is not open", True),
        ("the museum is no longer open", "the museum is open", True),
        ("the samples were tested", "the samples were tested at no charge", False),
        ("leave that has not been used lapses", "unused leave lapses", False),
        ("la dosis se fijó tras un estudio", "la dosis se fijó tras un estudio, que no mejoró nada", False),
        ("das spray wird angewendet", "das spray darf nicht angewendet werden", True),
        ("设备可以使用", "设备不能使用", True),
    ],
)
def test_what_is_negated_must_be_what_the_other_says(said: str, source: str, expected: bool) -> None:
    assert opposed(said, source) is expected


def opposed(said: str, source: str) -> bool:
    return opposes(stance_of(said), stance_of(source), said, source)


@given(st.lists(st.sampled_from("not never rose fell open closed i'm 不能 增长 以上 mast , .".split()), max_size=9))
def test_joined_is_the_stance_of_the_joined_text(words: list[str]) -> None:
    """Sentences are read one by one; none of these words makes a phrase with its neighbour."""
    assert Stance.joined([stance_of(word) for word in words]) == stance_of(" ".join(words))


@pytest.mark.parametrize("piece", ["not ", "n't ", "yet to ", "no more than ", "不", "安", "a'", "growth's ", "_"])
def test_repeated_without_end(piece: str) -> None:
    """A hundred thousand repetitions are read in one go."""
    text = piece * 100_000
    assert stance_of(text).signs == stance_of(piece * 2).signs
