"""Computations that a claim spells out, with operands in it or in the claim before it, are told right and wrong."""

import pytest

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.attribution.derived.measure import measure_of
from rag_eval_hooks.attribution.derived.spelled import BREAK, NAMED, PART, RATE
from rag_eval_hooks.record import Claim
from rag_eval_hooks.testing import make_run

KEY_FIGURES = (
    "Hollin Works, key figures (EUR million)\n\n| Item | 2019 | 2020 |\n|---|---|---|\n| Turnover | 320 | 400 |\n"
)
LEAVE = "Leave by grade:\n\nGrade\tBasic leave\tExtra leave\nClerk\t24 days\t6 days\nForeman\t35 days\t11 days\n"
GENERATION = "Generation in 2019\n\nSource\tOutput\nWind\t300 GWh\nWater\t410 GWh\nGas\t290 GWh\nTotal\t1,000 GWh\n"
SEASON = "Hawks, 2016 season\n\n| Games | Wins | Points scored |\n|---|---|---|\n| 30 | 17 | 2,400 |\n"
MINE = ["The reserves are 84 million tonnes of slate.", "At present 6 million tonnes per year are extracted."]
FOUNDED = ["The observatory was founded in 1822.", "In spring 1891 an assistant found the comet."]
PRICES = "Pass, prices\n\nAdult: 36 dinars\nStudent: 19 dinars\nLocker: 2 dinars per day\n"
UMSATZ = "Kennzahlen\n\n| Kennzahl | 2016 | 2017 |\n|---|---|---|\n| Umsatz in Millionen Euro | 250 | 290 |\n"
YUAN = "主要数据(单位:万元)\n\n| 项目 | 2020年 | 2021年 |\n|---|---|---|\n| 营业收入 | 5000 | 6200 |\n"


def last_claim(contexts: list[str], answer: str) -> Claim:
    chunks = [(f"c{number}", text) for number, text in enumerate(contexts, 1)]
    return attribute(make_run(chunks, question="What came of it?", answer=answer)).claims[-1]


@pytest.mark.parametrize(
    ("contexts", "answer", "right", "wrong", "formula"),
    [
        pytest.param(
            [KEY_FIGURES],
            "Turnover grew from 320 to 400 million euros in 2020, an increase of {}.",
            "25 %",
            "35 %",
            "(400 - 320) / 320",
            id="scale declared in the caption",
        ),
        pytest.param(
            [UMSATZ],
            "Der Umsatz stieg von 250 Millionen Euro (2016) auf 290 Millionen Euro (2017), ein Zuwachs von {}.",
            "16 %",
            "26 %",
            "(290 - 250) / 250",
            id="scale declared in the row",
        ),
        pytest.param(
            [YUAN],
            "营业收入由2020年的5000万元增至2021年的6200万元，增幅为{}。",
            "24%",
            "34%",
            "(6200 - 5000) / 5000",
            id="scale declared in Chinese",
        ),
        pytest.param(
            [LEAVE],
            "A clerk gets 24 days of basic leave plus 6 days of extra leave. In total that is {} per year.",
            "30 days",
            "33 days",
            "24 + 6",
            id="operands in the claim before",
        ),
        pytest.param(
            [GENERATION],
            "In 2019 wind supplied 300 GWh of a total of 1,000 GWh, a share of {}.",
            "30 %",
            "42 %",
            "300 / 1,000",
            id="share of a named total",
        ),
        pytest.param(
            [SEASON],
            "The Hawks scored 2,400 points in 30 games, an average of {} per game.",
            "80 points",
            "92 points",
            "2,400 / 30",
            id="average per thing",
        ),
        pytest.param(
            ["Nut bread (one batch, 2 loaves)\n\nFlour: 340 grams\nSugar: 95 grams\n"],
            "One batch takes 340 grams of flour, so a double batch takes twice as much, {}.",
            "680 grams",
            "710 grams",
            "2 * 340",
            id="twice",
        ),
        pytest.param(
            MINE,
            "The reserves are 84 million tonnes. With 6 million tonnes extracted per year, the slate lasts for {}.",
            "14 years",
            "17 years",
            "84 / 6",
            id="how long it lasts",
        ),
        pytest.param(
            FOUNDED,
            "The observatory was founded in 1822. The comet was found in 1891 by an assistant, which is {} later.",
            "69 years",
            "59 years",
            "1891 - 1822",
            id="years later",
        ),
        pytest.param(
            [PRICES],
            "An adult pays 36 dinars. Two adults therefore pay {} dinars together.",
            "72",
            "84",
            "36 * 2",
            id="price of two",
        ),
    ],
)
def test_a_spelled_out_computation_is_told(
    contexts: list[str], answer: str, right: str, wrong: str, formula: str
) -> None:
    true, false = (last_claim(contexts, answer.format(number)) for number in (right, wrong))
    assert (true.verdict, true.derived[-1].formula, true.derived[-1].right) == ("supported", formula, True)
    assert false.verdict == "conflict"
    assert (false.derived[-1].formula, false.derived[-1].right) == (formula, False)
    assert false.derived[-1].result == true.derived[-1].result


def test_an_equal_number_in_another_unit_is_no_operand() -> None:
    reserves = "The reserves are 84 million tonnes."
    answer = f"{reserves} With 6 million barrels extracted per year, the slate lasts for 17 years."
    assert last_claim(MINE, answer).derived == ()


def test_numbers_that_the_claim_names_for_something_else_are_no_operands() -> None:
    table = "| Item | 2020 | 2021 |\n|---|---|---|\n| Revenue | 480 | 600 |\n| Profit | 50 | 56 |\n"
    claim = last_claim([table], "Revenue rose from 480 in 2020 to 600 in 2021, while profit grew by 12 %.")
    assert (claim.verdict, [(one.formula, one.right) for one in claim.derived]) == (
        "supported",
        [("(56 - 50) / 50", True)],
    )


@pytest.mark.parametrize(
    ("heading", "scale", "dimension"),
    [
        ("key figures (eur million)", 1e6, "money:eur"),
        ("umsatz in millionen euro", 1e6, "money:eur"),
        ("chiffres consolidés en millions d'euros", 1e6, "money:eur"),
        ("revenue in thousands of dollars", 1e3, "money:usd"),
        ("主要数据(单位:万元)", 1e4, "money:cny-jpy"),
        ("area in square kilometres", 1.0, "area"),
        ("one box (5 kg)", 1.0, None),
    ],
)
def test_a_heading_declares_scale_and_unit(heading: str, scale: float, dimension: str | None) -> None:
    found = measure_of(heading)
    assert (found.scale, found.dimension) == (scale, dimension)


@pytest.mark.parametrize("token", ["in ", "en d'", "(", "per ", "per square ", "% of ", ", ", "average", "单位:", "1."])
def test_long_text_is_read_in_linear_time(token: str) -> None:
    text = token * 100_000
    assert measure_of(text).scale == 1.0
    for pattern in (BREAK, PART, RATE, *NAMED.values()):
        assert sum(1 for _ in pattern.finditer(text)) <= len(text)
