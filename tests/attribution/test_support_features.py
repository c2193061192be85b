"""What the heads of support and conflict go by, each number with a pencil."""

from collections.abc import Sequence
from math import log
from typing import Any

import pytest

from rag_eval_hooks.attribution.anchor_index import anchors_of
from rag_eval_hooks.attribution.opposites import recounts
from rag_eval_hooks.attribution.related import alternatives, exclusive_groups
from rag_eval_hooks.attribution.slots import is_designation, is_within, same_slot
from rag_eval_hooks.attribution.stance import stance_of
from rag_eval_hooks.attribution.support import FEATURES, Said, Source, support_features
from rag_eval_hooks.attribution.terms import asks, plain_terms


def said(text: str, keys: str, *, idf: Sequence[float] = (), names: str = "") -> Said:
    """A statement with these terms, each worth 1."""
    terms = tuple(keys.split())
    return Said(
        keys=terms,
        importance=(1.0,) * len(terms),
        idf=tuple(idf) or (1.0,) * len(terms),
        is_name=tuple(term in names.split() for term in terms),
        unknown_names=0,
        tokens=tuple(plain_terms(text, 0, len(text))),
        anchors=tuple(anchors_of(text)),
        text=text,
        stance=stance_of(text),
        is_question=asks(text),
    )


def source(text: str) -> Source:
    folded = text.lower()
    return Source(tuple(plain_terms(folded, 0, len(folded))), folded, ((text, 0, len(text)),), stance_of(folded))


def features(statement: Said, held: Sequence[float], values: Sequence[bool], text: str) -> dict[str, float]:
    found = support_features(statement, held, values, source(text), anchors_of(text.lower()))
    return dict(zip(FEATURES, found, strict=True))


def test_shares_of_terms_words_and_runs() -> None:
    """Of `the red mast is tall`, a source says all but `red`: 2 of its 4 pairs of words, 1 of its 3 triples."""
    statement = said("the red mast is tall", "red mast tall", idf=(0.5, 1.0, 0.5))
    found = features(statement, (0.0, 1.0, 1.0), (), "The mast is tall now")
    assert found == pytest.approx(
        dict.fromkeys(FEATURES, 0.0)
        | {
            "covered": 1 - 0.5 / 2,
            "words": 1 - 1 / 3,
            "tokens": 4 / 5,
            "pairs": 2 / 4,
            "triples": 1 / 3,
            "missing": log(1 + 1),
            "missing_idf": log(1 + 0.5),
            "rarest": 0.5,
            "gap": 4 / 8 * log(1 + 1),  # a source of 5 words counts as half a sentence
            "length": log(1 + 5),
            "source_length": log(1 + 5),
        }
    )


def test_what_is_missing_at_the_beginning_leads() -> None:
    """`of the old` is missing: a gap of 3, all of it at the beginning, with 2 function words; the source is 9 words."""
    statement = said("of the old mast", "old mast")
    found = features(statement, (0.0, 1.0), (), "mast beam deck sail keel hull bow stern rope")
    assert (found["gap"], found["lead"]) == (pytest.approx(log(4)), pytest.approx(log(4)))
    assert found["functions"] == pytest.approx(log(3))
    assert (found["tokens"], found["pairs"], found["triples"]) == (1 / 4, 0, 0)


def test_a_word_alone_has_no_runs() -> None:
    """Where there is no pair or triple to share, the share of words stands for it."""
    found = features(said("mast", "mast"), (1.0,), (), "the mast")
    assert (found["tokens"], found["pairs"], found["triples"]) == (1, 1, 1)


def test_names_that_are_missing() -> None:
    """One of two names is missing, and the source has two others: Anna, Berg (the first word of a text is none)."""
    statement = said("by carl from ulm", "carl ulm", names="carl ulm")
    found = features(statement, (0.0, 1.0), (), "Built by Anna Berg from ulm")
    assert (found["names"], found["missing_names"], found["lost_names"], found["other_names"]) == (2, 1, 0.5, 2)
    none = features(statement, (1.0, 1.0), (), "Built by Anna Berg from ulm")
    assert (none["missing_names"], none["lost_names"], none["other_names"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "missing", "other"),
    [
        pytest.param("It is 31 m tall.", 0, 0, id="stated"),
        pytest.param("It is 40 m tall.", 1, 1, id="another length"),
        pytest.param("It is 40 kg.", 1, 0, id="another dimension"),
        pytest.param("It is tall.", 1, 0, id="no value"),
    ],
)
def test_values(text: str, missing: int, other: int) -> None:
    """A missing value counts as one rare term: of the terms `tall` and 31 m, half is missing."""
    found = features(said("it is 31 m tall", "tall"), (1.0,), (not missing,), text)
    assert (found["numbers"], found["missing_numbers"], found["other_number"]) == (1, missing, other)
    assert found["covered"] == found["words"] == 1 - missing / 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("It opens on Tuesday.", 1, id="another day"),
        pytest.param("It opens on weekdays.", 0, id="no day"),
        pytest.param("It opens in blue.", 0, id="of another group"),
    ],
)
def test_a_value_in_words(text: str, expected: int) -> None:
    assert features(said("it opens on monday", "open monday"), (1.0, 0.0), (), text)["other_value"] == expected


@pytest.mark.parametrize(
    ("statement", "text", "expected"),
    [
        pytest.param("it is open", "It is open.", {}, id="neither denies"),
        pytest.param("it never rains", "It rains.", {"denied": 1}, id="the statement denies"),
        pytest.param("it rains", "It never rains.", {"denies": 1}, id="the source denies"),
        pytest.param("it never rains", "It does not rain.", {"both_deny": 1}, id="both deny"),
        pytest.param("profit rose", "Profit fell.", {"reversed": 1}, id="the other direction"),
        pytest.param("dogs are allowed", "Dogs are forbidden.", {"reversed": 1}, id="the opposite word"),
        pytest.param("we won", "They won.", {"first_person": 1}, id="only the statement speaks of its writer"),
        pytest.param("we won", "We won.", {}, id="both speak of their writers"),
        pytest.param("is it open?", "It is open.", {"question": 1}, id="a question"),
    ],
)
def test_sides(statement: str, text: str, expected: dict[str, int]) -> None:
    names = ("denied", "denies", "both_deny", "reversed", "first_person", "question")
    found = features(said(statement, ""), (), (), text)
    assert {name: found[name] for name in names if found[name]} == expected


def value(text: str) -> Any:
    """The first value of a text."""
    return anchors_of(text)[0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("31 m", "2 km", True, id="two lengths"),
        pytest.param("31 m", "31 kg", False, id="a length and a mass"),
        pytest.param("31 m", "31", False, id="a length and a bare number"),
        pytest.param("31", "47", True, id="two counts"),
        pytest.param("in 1990", "in 2003", True, id="two years"),
        pytest.param("in 1990", "31", False, id="a year and a count"),
        pytest.param("v2.1.0", "v3.0.1", True, id="two versions"),
        pytest.param("5 march", "7 april", True, id="two days"),
        pytest.param("5 march", "31", False, id="a day and a count"),
        pytest.param("at 14:30", "v2.1.0", False, id="a time and a version"),
    ],
)
def test_same_slot(one: str, other: str, same: bool) -> None:
    assert same_slot(value(one), value(other)) is same
    assert same_slot(value(other), value(one)) is same


@pytest.mark.parametrize(
    ("claimed", "text", "within"),
    [
        pytest.param("in 2015", "from 2012 to 2018", True, id="a year between two"),
        pytest.param("in 2012", "from 2012 to 2018", False, id="the first year itself"),
        pytest.param("in 2020", "from 2012 to 2018", False, id="a year behind both"),
        pytest.param("in 2015", "in 2012", False, id="one year spans nothing"),
        pytest.param("15 apples", "from 2012 to 2018", False, id="no year"),
        pytest.param("24 december", "24 and 31 december", True, id="a day named apart from its month"),
        pytest.param("25 december", "24 and 31 december", False, id="another day"),
    ],
)
def test_is_within(claimed: str, text: str, within: bool) -> None:
    assert is_within(value(claimed), anchors_of(text)) is within


@pytest.mark.parametrize(
    ("text", "expected"),
    [("in 1990", True), ("5 march", True), ("v2.1.0", True), ("31", False), ("31 m", False), ("at 14:30", False)],
)
def test_is_designation(text: str, expected: bool) -> None:
    assert is_designation(value(text)) is expected


@pytest.mark.parametrize(
    ("statement", "text", "expected"),
    [
        pytest.param("3 goals in 2 games", "2 goals in 3 games", True, id="counts that are swapped"),
        pytest.param("3 goals in 2 games", "3 goals in 2 games", False, id="the same counts"),
        pytest.param("3 goals", "2 games", False, id="counts of something else"),
        pytest.param("3 goals", "1 goal, then 3 goals", False, id="one of two counts is the same"),
        pytest.param("2 goals", "3 goal", True, id="singular and plural count the same"),
        pytest.param("2 km of road", "3 km of road", False, id="a length counts nothing"),
        pytest.param("5 of them", "6 of them", False, id="a function word is nothing that is counted"),
    ],
)
def test_recounts(statement: str, text: str, expected: bool) -> None:
    assert recounts(statement, anchors_of(statement), [(text, anchors_of(text))]) is expected


def test_related_terms() -> None:
    assert alternatives("film") == alternatives("movi") == {"film", "movi", "pictur"}
    assert alternatives("mast") == frozenset()
    assert any({"monday", "tuesday"} <= group for group in exclusive_groups("monday"))
    assert exclusive_groups("mast") == ()
