"""AnswerMatch by the kind of the right answer: yes or no, lists, values and dates in any form, Chinese, negations."""

import pytest

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.metrics.matching.listed import items_of
from rag_eval_hooks.record import Gold
from rag_eval_hooks.testing import make_run

MATCH = parse_metric("AnswerMatch")


def score(answer: str, gold: str, question: str = "What is it?") -> float | None:
    run = make_run("a", answer=answer, question=question, gold=Gold(answer=gold))
    return MATCH.score(run, attribute(run)).value


WATERPROOF = "Is the device waterproof?"


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("Yes", "yes", 1),
        ("Yes, because the seal is tight.", "Yes", 1),
        ("No, it is not.", "Yes", 0),
        ("No, it is not.", "no", 1),
        ("The answer is no.", "No.", 1),
        ("Not really.", "no", 1),
        ("The device is waterproof.", "yes", 1),
        ("The device is not waterproof.", "yes", 0),
        ("The device is not waterproof.", "no", 1),
        ("The device isn't waterproof.", "no", 1),
        ("It weighs 3 kg.", "yes", 0),
        ("Norway is cold.", "no", 0),
        ("Ja, das ist so.", "ja", 1),
        ("Nein.", "ja", 0),
        ("Oui, bien sûr.", "oui", 1),
        ("Sí.", "si", 1),
        ("是的，可以使用。", "是", 1),
        ("不是。", "是", 0),
        ("否", "不是", 1),
        ("True", "yes", 1),
    ],
)
def test_yes_and_no(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold, WATERPROOF) == expected


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        pytest.param("Oslo, Bergen and Narvik", "Narvik, Oslo, Bergen", 1, id="order is free"),
        pytest.param("Oslo, Bergen", "Oslo; Bergen; Narvik", 2 * 1 * (2 / 3) / (1 + 2 / 3), id="P = 2/2, R = 2/3"),
        pytest.param("Oslo, Bergen, Paris", "Oslo; Bergen; Narvik", 2 / 3, id="P = R = 2/3"),
        pytest.param(
            "Oslo, Bergen, Narvik, Paris, Rome", "Oslo; Bergen; Narvik", 2 * 0.6 * 1 / 1.6, id="P = 3/5, R = 1"
        ),
        pytest.param("The sites are Oslo, Bergen and Narvik.", "Oslo; Bergen; Narvik", 1, id="in a sentence"),
        pytest.param("- Narvik\n- Oslo\n- Bergen", "Oslo\nBergen\nNarvik", 1, id="by lines"),
        pytest.param("Lyon, Rome", "Oslo; Bergen", 0, id="none of them"),
        pytest.param("12, 15 and 18", "18; 12; 15", 1, id="numbers"),
        pytest.param("1.5 km; 20 m", "1500 m; 20 m", 1, id="values convert"),
        pytest.param("北京、上海和广州", "上海、广州、北京", 1, id="Chinese"),
        pytest.param("北京、上海", "上海、广州、北京", 2 * 1 * (2 / 3) / (1 + 2 / 3), id="Chinese, P = 1, R = 2/3"),
        pytest.param("Smith, John", "Smith, John", 1, id="two parts with a comma are a name"),
        pytest.param("Visits began in Oslo. Narvik came later.", "Oslo; Narvik", 1, id="here and there"),
    ],
)
def test_lists(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        pytest.param("It is 31 m or 45 m tall.", "31 m", 1 / 2, id="two values joined by or"),
        pytest.param("30 m, or 31 m, or 32 m.", "31 m", 1 / 3, id="three of them"),
        pytest.param(
            "The mast is 31 m tall. The mast is 45 m tall.", "31 m", 1 / 2, id="the same sentence of another value"
        ),
        pytest.param("The mast is 31 m tall, the base is 5 m wide.", "31 m", 1, id="another thing has another value"),
        pytest.param("It is not 31 m but 45 m.", "31 m", 0, id="denied"),
        pytest.param("It is not 45 m but 31 m.", "31 m", 1, id="the other one is denied"),
        pytest.param("In 1931, 45 workers built the 31 m mast.", "31 m", 1, id="a year and a count beside it"),
        pytest.param("It took three hours.", "180 minutes", 1, id="words and units"),
        pytest.param("There were twenty-five.", "25", 1, id="number words"),
        pytest.param("It lasted 1.5 years.", "18 months", 1, id="months and years"),
        pytest.param("The bag is 2.5 kg.", "2500 g", 1, id="mass"),
        pytest.param("The film is 2 hours long.", "120 minutes", 1, id="time"),
        pytest.param("It is 3 kg.", "3 lb", 0, id="other units of mass"),
        pytest.param("Revenue was 1.2 billion euros.", "€1,200 million", 1, id="scales"),
        pytest.param("Sie kostet 1.250,50 Euro.", "1250.50 EUR", 1, id="German separators"),
        pytest.param("About 3.14.", "3.14159", 1, id="rounded"),
        pytest.param("About 3.15.", "3.14159", 0, id="rounded wrongly"),
        pytest.param("0.25", "25 %", 1, id="a share as a fraction"),
        pytest.param("a quarter of it", "25%", 1, id="a share in words"),
    ],
)
def test_values_and_contradictions(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("It began on 3 May 2021.", "2021-05-03", 1),
        ("It began on the 3rd of May, 2021.", "May 3, 2021", 1),
        ("Am 3. Mai 2021.", "2021-05-03", 1),
        ("Le 3 mai 2021.", "3.5.2021", 1),
        ("2021年5月3日", "May 3, 2021", 1),
        ("It began on 4 May 2021.", "2021-05-03", 0),
        ("It began on 3 May 2020.", "2021-05-03", 0),
        ("In May 2021.", "May 2021", 1),
        ("At 2:30 pm.", "14:30", 1),
        ("At 3:30 pm.", "14:30", 0),
    ],
)
def test_dates_and_times(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == expected


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("有三个。", "3", 1),
        ("3", "三", 1),
        ("一共二十五人。", "25人", 1),
        ("产值为1.2亿元。", "12000万元", 1),
        ("产值为1.3亿元。", "12000万元", 0),
        ("百分之二十", "20%", 1),
        ("不是北京", "北京", 0),
        ("北京", "北京", 1),
    ],
)
def test_chinese(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == expected


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("The capital is not Paris.", "Paris", 0),
        ("Nicht Paris.", "Paris", 0),
        ("not guilty", "not guilty", 1),
        ("Not Lyon, Paris.", "Paris", 2 * (1 / 3) * 1 / (1 / 3 + 1)),
    ],
)
def test_negated_words(answer: str, gold: str, expected: float) -> None:
    assert score(answer, gold) == pytest.approx(expected)


@pytest.mark.parametrize("gold", ["yes", "31 m", "Oslo; Bergen", "Paris", "三"])
def test_a_refusal_is_zero_whatever_the_kind(gold: str) -> None:
    assert score("I don't know.", gold) == 0


def test_what_is_a_list() -> None:
    assert items_of("May 3, 2021") == []
    assert items_of("1,200, 1,300 and 1,400") == ["1,200", "1,300", "1,400"]
    assert items_of("A long sentence about this and that, which goes on and on, is no list.") == []


@pytest.mark.parametrize(
    "text",
    [" " * 100_000, "a, " * 50_000, "1 or " * 20_000, "not " * 25_000, "、" * 100_000, "and " * 25_000, "\n" * 100_000],
)
@pytest.mark.parametrize("gold", ["yes", "31 m", "Oslo; Bergen; 1", "Paris"])
def test_long_hostile_answers_get_a_value(text: str, gold: str) -> None:
    value = score(f"x {text} y", gold)
    assert value is not None
    assert 0 <= value <= 1
