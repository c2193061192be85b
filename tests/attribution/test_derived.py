"""Numbers that were computed: found with formula and operands, told where they are off, and not found by chance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.attribution.derived import derive
from rag_eval_hooks.attribution.derived.candidates import MOST_IN_GROUP
from rag_eval_hooks.attribution.derived.counts import bulleted, lists_in
from rag_eval_hooks.attribution.derived.cues import cues_in
from rag_eval_hooks.attribution.derived.operands import MAX_OPERANDS_READ, Operands
from rag_eval_hooks.attribution.derived.tables import find_tables
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.record import Attribution, Claim
from rag_eval_hooks.testing import make_run

TABLE = (
    "Sales by region (units)\n| Region | 2020 | 2021 |\n|---|---|---|\n| North | 120 | 150 |\n| South | 80 | 96 |\n"
    "| West | 45 | 61 |\n"
)


def attributed(contexts: list[str], answer: str, question: str = "What came of it?") -> Attribution:
    chunks = [(f"c{number}", text) for number, text in enumerate(contexts, 1)]
    return attribute(make_run(chunks, question=question, answer=answer))


def last_claim(contexts: list[str], answer: str, question: str = "What came of it?") -> Claim:
    return attributed(contexts, answer, question).claims[-1]


@pytest.mark.parametrize(
    ("contexts", "answer", "operation", "result", "formula"),
    [
        pytest.param(
            [TABLE],
            "Sales in the North grew by 25 % from 2020 to 2021.",
            "percentage_change",
            0.25,
            "(150 - 120) / 120",
            id="percentage change of a row",
        ),
        pytest.param(
            [TABLE],
            "In 2021, the total sales of all regions were 307 units.",
            "sum",
            307,
            "150 + 96 + 61",
            id="total of a column",
        ),
        pytest.param(
            [TABLE],
            "North and South together sold 246 units in 2021.",
            "sum",
            246,
            "150 + 96",
            id="two cells of a column",
        ),
        pytest.param(
            ["Revenue was 120 million euros in 2020.", "Revenue was 90 million euros in 2021."],
            "Revenue fell by 25 % from 2020 to 2021.",
            "percentage_change",
            -0.25,
            "(90 - 120) / 120",
            id="negative change over two chunks",
        ),
        pytest.param(
            ["The list price is 200 euros. A cash discount of 3 % is granted."],
            "With the cash discount you pay 194 euros.",
            "product",
            194,
            "200 * (1 - 3 %)",
            id="cash discount",
        ),
        pytest.param(
            ["The net price is 200 euros. VAT is 19 %."],
            "Including VAT, the price is 238 euros.",
            "product",
            238,
            "200 * (1 + 19 %)",
            id="VAT",
        ),
        pytest.param(
            ["Velmark has 50,000 inhabitants.", "The GDP of Velmark is 1.5 billion dollars."],
            "The GDP per capita of Velmark is 30,000 dollars.",
            "ratio",
            30000,
            "1.5 billion dollars / 50,000",
            id="per capita",
        ),
        pytest.param(
            ["The rate was 5 % in May and 7 % in June."],
            "The rate rose by 2 percentage points from May to June.",
            "difference",
            2,
            "7 % - 5 %",
            id="percentage points",
        ),
        pytest.param(
            ["The test scores were 12, 15, 19 and 20 points."],
            "On average, the test score was 16.5 points.",
            "mean",
            16.5,
            "(12 + 15 + 19 + 20) / 4",
            id="average of a list",
        ),
        pytest.param(
            ["The tower is 300 m tall. The chapel is 100 m tall."],
            "The tower is three times as tall as the chapel.",
            "ratio",
            3,
            "300 / 100",
            id="three times as tall",
        ),
        pytest.param(
            ["The first load weighs 1,250 kg.", "The second load weighs 3,400 kg."],
            "Together, the first and the second load weigh 4.65 t.",
            "sum",
            4.65,
            "1,250 + 3,400",
            id="in another unit",
        ),
        pytest.param(
            ["北厂产值为6500万元。", "南厂产值为7200万元。"],
            "北厂和南厂产值合计1.37亿元。",
            "sum",
            137000000,
            "6500 + 7200",
            id="in another scale",
        ),
        pytest.param(
            ["Ada Holm was born in 1815 and died in 1852."],
            "Ada Holm died at the age of 37.",
            "date_difference",
            37,
            "1852 - 1815",
            id="age",
        ),
        pytest.param(
            ["The festival opened on 3 June 2018 and closed on 21 June 2018."],
            "The festival lasted 18 days.",
            "date_difference",
            18,
            "2018-06-21 - 2018-06-03",
            id="days between dates",
        ),
        pytest.param(
            ["The lease began in 1998. The lease runs for 15 years."],
            "The lease ends in 2013.",
            "sum",
            2013,
            "1998 + 15",
            id="year and length",
        ),
        pytest.param(
            ["The signing countries are Chile, Ghana, Iceland and Peru."],
            "The treaty has four signing countries.",
            "count",
            4,
            "count of 4 items",
            id="count of a list",
        ),
        pytest.param(
            ["| Project | Budget |\n|---|---|\n| Alder | 310 |\n| Birch | 270 |\n| Cedar | 590 |\n"],
            "The table lists 3 projects.",
            "count",
            3,
            "count of 3 items",
            id="count of rows",
        ),
        pytest.param(
            ["The clinic has 400 employees.", "90 employees work part-time."],
            "Part-time employees account for 22.5 % of the employees.",
            "share",
            0.225,
            "90 / 400",
            id="share",
        ),
        pytest.param(
            ["The monthly rent of the hall is 450 euros."],
            "The hall costs 5,400 euros per year.",
            "product",
            5400,
            "450 * 12",
            id="months to years",
        ),
        pytest.param(
            ["Der Nordhafen schlug 1.200 Tonnen um, der Südhafen 800 Tonnen."],
            "Zusammen schlugen der Nordhafen und der Südhafen 2.000 Tonnen um.",
            "sum",
            2000,
            "1.200 + 800",
            id="German",
        ),
        pytest.param(
            ["青禾公司2020年营收为120万元。", "青禾公司2021年营收为150万元。"],
            "青禾公司2021年营收同比增长25%。",
            "percentage_change",
            0.25,
            "(150 - 120) / 120",
            id="Chinese",
        ),
        pytest.param(
            ["Month\tRain (mm)\nApril\t26\nMay\t62\n"],
            "From April to May, rain rose by 36 mm.",
            "difference",
            36,
            "62 - 26",
            id="tabs, with the unit in the column's name",
        ),
    ],
)
def test_a_computed_number_is_found_with_its_formula_and_supports_its_claim(
    contexts: list[str], answer: str, operation: str, result: float, formula: str
) -> None:
    claim = last_claim(contexts, answer)
    (derived,) = claim.derived
    assert (derived.operation, derived.formula, derived.right) == (operation, formula, True)
    assert derived.result == pytest.approx(result)
    assert claim.verdict == "supported"
    assert {support.rank for support in claim.supported_by} >= {operand.rank for operand in derived.operands}
    assert answer[slice(*derived.span)] == derived.value
    for operand in derived.operands:
        assert contexts[operand.rank - 1][slice(*operand.span)] == operand.text
        assert operand.id == f"c{operand.rank}"
    assert derived.tried >= 1


@pytest.mark.parametrize(
    ("contexts", "answer", "result"),
    [
        pytest.param([TABLE], "Sales in the North grew by 31 % from 2020 to 2021.", 0.25, id="row and years name them"),
        pytest.param(
            ["The rent was 120 euros in 2012.", "The rent was 150 euros in 2018."],
            "The rent rose from 120 euros to 150 euros, an increase of 30 %.",
            0.25,
            id="the claim states both values",
        ),
        pytest.param(
            ["The rail museum counted 410 visitors. The glass museum counted 230 visitors.", "The zoo counted 99."],
            "Together, the rail museum and the glass museum had 650 visitors.",
            640,
            id="sum",
        ),
        pytest.param(
            ["The list price is 200 euros. A cash discount of 3 % is granted."],
            "With the cash discount you pay 184 euros.",
            194,
            id="discount",
        ),
    ],
)
def test_a_slip_in_computing_is_a_conflict_with_the_right_value(
    contexts: list[str], answer: str, result: float
) -> None:
    claim = last_claim(contexts, answer)
    (derived,) = claim.derived
    assert not derived.right
    assert derived.result == pytest.approx(result)
    assert claim.verdict == "conflict"
    assert claim.probability is not None
    assert claim.probability <= 0.5
    assert claim.supported_by == ()


@pytest.mark.parametrize(
    ("contexts", "answer"),
    [
        (["Revenue was 120 in 2020 and 150 in 2021."], "The head office moved to Oslo with 37 people."),
        (["The bridge opened in 2016."], "The bridge opened in 2017."),
        (["The rate was 5 % in May and 7 % in June."], "The rate rose by 3 percentage points from May to June."),
        ([TABLE], "Sales in the North grew by 24 % from 2020 to 2021."),
        ([], "It grew by 25 %."),
    ],
)
def test_another_number_is_not_called_derived(contexts: list[str], answer: str) -> None:
    claim = last_claim(contexts, answer)
    assert not any(one.right for one in claim.derived)
    assert claim.verdict != "supported"


def test_the_operands_count_as_used_and_their_citations_hold() -> None:
    contexts = [
        "Revenue was 120 million euros in 2020.",
        "Revenue was 150 million euros in 2021.",
        "Costs were 7 euros.",
    ]
    found = attributed(contexts, "Revenue grew by 25 % from 2020 to 2021 [1][2].")
    assert [chunk.use for chunk in found.chunks] == ["used", "used", "unused"]
    assert [citation.supported for citation in found.citations] == [True, True]


def test_the_sentence_before_names_the_operands() -> None:
    contexts = ["Output was 400 tonnes in March and 500 tonnes in April."]
    answer = "Output was 400 tonnes in March and 500 tonnes in April. That is an increase of 25 %."
    claim = last_claim(contexts, answer)
    assert (claim.verdict, claim.derived[0].formula) == ("supported", "(500 - 400) / 400")


def test_equal_chunks_support_together() -> None:
    text = "The tower is 300 m tall. The chapel is 100 m tall."
    claim = last_claim([text, text], "The tower is three times as tall as the chapel.")
    assert [support.rank for support in claim.supported_by] == [1, 2]


def test_nothing_is_read_where_the_texts_state_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("operands were read")

    monkeypatch.setattr("rag_eval_hooks.attribution.derived.derivations.Operands", fail)
    answer = "In 2021, North sold 150 units. The mayor of Oslo counted 96 of them."
    assert attributed([TABLE], answer).claims
    with pytest.raises(AssertionError, match="were read"):
        attributed([TABLE], "North sold 151 units.")


def test_what_is_not_tried_is_said() -> None:
    rows = "\n".join(f"Entry {number} has {number * 7 + 100_000} items." for number in range(MAX_OPERANDS_READ))
    assert "derivations_cut" in attributed([rows], "In total there are 123456789 items.").limits
    many = " ".join(f"Plant {chr(97 + at % 26)} made {at * 13 + 1000.5} units." for at in range(60))
    assert "derivations_cut" in attributed([TABLE], many).limits
    assert "derivations_cut" not in attributed([TABLE], "North sold 151 units.").limits


def test_a_group_is_bounded() -> None:
    rows = "\n".join(f"| r{number} | {number + 1000} |" for number in range(MOST_IN_GROUP + 40))
    claim = last_claim([f"| Row | Weight |\n|---|---|\n{rows}\n"], "The total weight is 999999.")
    assert all(one.tried < 20_000 for one in claim.derived)


HOSTILE = [
    "1 ",
    "| 1 ",
    "1\t2\n",
    "12, ",
    "a and b, ",
    "1990 ",
    "- x\n",
    "1 % of ",
    "total ",
    "(",
    "、一",
    "in million (",
]


@pytest.mark.parametrize("token", HOSTILE)
def test_long_texts_of_one_token_are_read(token: str) -> None:
    text = token * 100_000
    assert isinstance(find_tables(text), list)
    assert isinstance(cues_in(text), dict)
    assert sum(1 for _ in bulleted(text)) < len(text)
    assert sum(1 for _ in lists_in(text, 0, len(text))) < len(text)


@pytest.mark.parametrize("token", HOSTILE)
def test_hostile_contexts_and_answers_end(token: str) -> None:
    found = attributed([token * 20_000, TABLE], f"In total it grew by 77 % to {token * 50}.")
    assert found.claims is not None


@given(st.lists(st.integers(100, 999), min_size=2, max_size=6, unique=True), st.integers(1, 60))
@settings(max_examples=30, deadline=None)
def test_a_sum_of_a_column_is_right_and_one_beside_it_is_not(values: list[int], off: int) -> None:
    names = ["Alder", "Birch", "Cedar", "Hazel", "Larch", "Maple"]
    rows = "\n".join(f"| {name} | {value} |" for name, value in zip(names, values, strict=False))
    context = f"| Tree | Fruits |\n|---|---|\n{rows}\n"
    total = sum(values)
    right = last_claim([context], f"In total, the trees bear {total:,} fruits.")
    assert total in values or [(one.result, one.right) for one in right.derived] == [(total, True)]
    wrong = last_claim([context], f"In total, the trees bear {total + off:,} fruits.")
    assert not any(one.right and one.operation == "sum" for one in wrong.derived)


def test_derive_is_pure() -> None:
    reading = Reading(make_run([("c1", TABLE)], answer="North and South together sold 246 units in 2021."))
    first = derive(reading)
    assert first.used == frozenset([0])
    assert Operands(reading.evidence).found == Operands(reading.evidence).found
