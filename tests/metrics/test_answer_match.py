"""AnswerMatch: by values where the right answer is a value, else by words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.metrics.answer_match import token_f1
from rag_eval_hooks.record import Gold, RagRun
from rag_eval_hooks.testing import make_attribution, make_run

MATCH = parse_metric("AnswerMatch")


def score(answer: str, gold: str | None, *aliases: str) -> float | None:
    run = make_run("a", answer=answer, gold=Gold(answer=gold, aliases=aliases))
    return MATCH.score(run, attribute(run)).value


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        pytest.param("The mast is 31 metres tall.", "31 metres", 1, id="a value in a sentence"),
        pytest.param("The mast is 32 metres tall.", "31 metres", 0, id="another value"),
        pytest.param("It weighs 31 kg.", "31 metres", 0, id="another unit"),
        pytest.param("It is 31.", "31 metres", 1, id="a value without a unit fits any"),
        pytest.param("It is 1.5 km long.", "1500 m", 1, id="units convert"),
        pytest.param("About 31 metres.", "31.4 m", 1, id="rounded as the answer writes it"),
        pytest.param("It is 31.4 metres.", "31 m", 1, id="rounded as the right answer writes it"),
        pytest.param("It is 33 metres.", "31.4 m", 0, id="not rounded that far"),
        pytest.param("They made $2.4 million.", "2,400,000 dollars", 1, id="scale words and currency"),
        pytest.param("They made €2.4 million.", "$2.4 million", 0, id="another currency"),
        pytest.param("The rate rose to 19.5%.", "19.5 percent", 1, id="percent"),
        pytest.param("In 1931 it opened.", "1931", 1, id="a year"),
        pytest.param("It opened on May 3, 2021.", "2021-05-03", 1, id="a date in another form"),
        pytest.param("It opened on May 4, 2021.", "2021-05-03", 0, id="another day"),
        pytest.param("It opened in May 2021.", "2021-05-03", 0, id="no day"),
        pytest.param("Use version 2.3.1 of it.", "v2.3.1", 1, id="a version"),
        pytest.param("Use version 2.3.10 of it.", "v2.3.1", 0, id="another version"),
        pytest.param("营收为一千八百万元。", "1800万元", 1, id="Chinese numerals"),
        pytest.param("There are 12 people in the team.", "12 people", 1, id="a value and its word"),
        pytest.param("It was held in Paris in 1889.", "Paris, 1889", 1, id="values and words"),
        pytest.param("Lyon, 1889", "Paris, 1889", 1 / 2, id="the right value beside another word: P = R = 1/2"),
        pytest.param("There is no number in it.", "31 metres", 0, id="no value at all"),
        pytest.param("Paris 1890", "Paris 1889", 1 / 2, id="the wrong value leaves the words: P = R = 1/2"),
    ],
)
def test_values(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == expected


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        pytest.param("Paris", "Paris", 1, id="the same"),
        pytest.param("  the PARIS! ", "Paris", 1, id="case, blanks, punctuation, articles"),
        pytest.param("The capital is Paris.", "Paris", 2 * (1 / 3) * 1 / (1 / 3 + 1), id="P = 1/3, R = 1"),
        pytest.param("Marie Curie", "Marie Skłodowska Curie", 2 * 1 * (2 / 3) / (1 + 2 / 3), id="P = 1, R = 2/3"),
        pytest.param("very very good", "very good", 2 * (2 / 3) * 1 / (2 / 3 + 1), id="words are counted"),
        pytest.param("Lyon", "Paris", 0, id="nothing in common"),
        pytest.param("Café", "cafe\u0301", 1, id="one form of an accent"),
        pytest.param("北京市", "北京", 2 * (2 / 3) * 1 / (2 / 3 + 1), id="scripts without blanks by character"),
        pytest.param("រាជធានីភ្នំពេញ", "ភ្នំពេញ", 2 * (7 / 14) * 1 / (7 / 14 + 1), id="Khmer, 7 of 14 characters"),
        pytest.param("ရန်ကုန်မြို့", "ရန်ကုန်", 2 * (7 / 12) * 1 / (7 / 12 + 1), id="Burmese, 7 of 12 characters"),
        pytest.param("It is well-known.", "wellknown", 2 * (1 / 3) * 1 / (1 / 3 + 1), id="punctuation goes"),
    ],
)
def test_words(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == pytest.approx(expected)


def test_the_best_of_answer_and_aliases_counts() -> None:
    assert score("NYC", "New York City", "NYC", "New York") == 1
    assert score("It is 31 metres.", "102 feet", "31 m") == 1
    assert score("NYC", None, "NYC") == 1


def test_citation_marks_are_no_words() -> None:
    run = make_run([("a", "The capital is Paris.")], answer="Paris [1].", gold_answer="Paris")
    assert MATCH.score(run, attribute(run)).value == 1


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("I don't know.", "", 1),
        ("Paris.", "", 0),
        ("Paris.", "  ", 0),
        ("I don't know.", "Paris", 0),
        ("The context does not mention the price.", "", 1),
    ],
)
def test_refusals(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == expected


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, "no_gold"),
        ({"gold_answer": "x", "answer": None}, "no_answer"),
        ({"gold_answer": "x", "answer": " \n"}, "no_answer"),
        ({"gold_answer": "x", "status": "error"}, "incomplete_run"),
        ({"gold": Gold(relevance={"a": 1})}, "no_gold"),
    ],
)
def test_unknown(more: dict[str, Any], reason: str) -> None:
    run = make_run("a", **more)
    assert MATCH.score(run, attribute(run)).reason == reason


def test_a_judges_answer() -> None:
    run = make_run("a", answer="Paris", gold_answer="Lyon", judge=Gold(answer="Paris"))
    results = [
        parse_metric(name).score(run, make_attribution(run)) for name in ("AnswerMatch", "AnswerMatch(labels=judge)")
    ]
    assert [(result.value, result.labels) for result in results] == [(0, "gold"), (1, "judge")]
    assert parse_metric("AnswerMatch(labels=judge)").score(make_run("a")).reason == "no_judge"
    assert MATCH.score(run).reason == "no_attribution"


@given(st.text(max_size=60), st.text(max_size=60))
def test_token_f1_is_a_symmetric_share(one: str, two: str) -> None:
    assert 0 <= token_f1(one, two) <= 1
    assert token_f1(one, two) == pytest.approx(token_f1(two, one))
    assert token_f1(one, one) == 1


@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text_has_a_value_within_bounds(answer: str, gold: str) -> None:
    run: RagRun = make_run("a", answer=answer, gold_answer=gold)
    result = MATCH.score(run, attribute(run))
    assert result.reason == "no_answer" if result.value is None else 0 <= result.value <= 1


@given(st.integers(0, 10**6))
def test_a_whole_number_matches_itself_and_not_its_neighbour(number: int) -> None:
    assert score(f"It is {number}.", str(number)) == 1
    assert score(f"It is {number + 1}.", str(number)) == 0
