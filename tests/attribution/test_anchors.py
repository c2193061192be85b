"""Typed anchors: which written values are the same."""

import pytest

from rag_eval_hooks.attribution.anchors import find_anchors, fits
from rag_eval_hooks.attribution.evidence import anchors_of
from rag_eval_hooks.attribution.fold import fold


def agree(claimed: str, source: str) -> bool:
    """Whether each anchor of the claim is stated by some anchor of the source, and there is one."""
    mine, theirs = find_anchors(fold(claimed).text), find_anchors(fold(source).text)
    return bool(mine) and all(any(fits(one, other) for other in theirs) for one in mine)


@pytest.mark.parametrize(
    ("claimed", "source", "same"),
    [
        ("1200 dollars", "$1,200.00", True),
        ("19.5%", "0.195", True),
        ("in 2017", "in 2016", False),
        ("50 million crowns", "250 million crowns; 0.50%", False),
        ("about 85%", "85.19%", True),
        ("86%", "85.19%", False),
        ("5,000 metres", "5 km", True),
        ("5 March 2023", "2023-03-05", True),
        ("March 5, 2023", "5 March 2023", True),
        ("6 March 2023", "2023-03-05", False),
        ("in March 2023", "5 March 2023", True),
        ("release 2.1", "release 2.10", False),
        ("Python 3.1", "Python 3.10", False),
        ("4 °C", "\u22124 °C", False),
        ("18\u201325 °C", "between 18 and 25 °C", True),
        ("3.2k", "3,200", True),
        ("about 3.1 million", "3,124,000", True),
        ("3.1 million", "3,190,000", False),
        ("3亿元", "三亿元", True),
        ("1800万元", "一千八百万元", True),
        ("417.3亿元", "41730000000元", True),
        ("2023年3月5日", "二〇二三年三月五日", True),
        ("25 Liter", "2,5 Liter", False),
        ("2,400 litres", "2\u202f400 litres", True),
        ("2.400,50 Euro", "€2,400.50", True),
        ("K-77", "valve K77", True),
        ("R2", "R1", False),
        ("8 am", "8:00", True),
        ("7 pm", "19:00", True),
        ("7:00", "9:00", False),
        ("36-month", "36 months", True),
        ("3 years", "36 months", True),
        ("12 kg", "12 km", False),
        ("$12", "€12", False),
        ("21st", "21", True),
        ("2 Jahre", "24 Monate", True),
        ("3 Jahre", "24 Monate", False),
        ("2年", "24个月", True),
        ("三年", "36か月", True),
        ("in 2009年", "2009", True),
        ("03.05.2024", "3. Mai 2024", True),
        ("05/03/2024", "3 May 2024", True),
        ("05/03/2024", "5 March 2024", True),
        ("05/31/2024", "31 May 2024", True),
        ("05/04/2024", "3 May 2024", False),
        ("3 years", "3 to 5 working days", False),
        ("5 days", "3 to 5 working days", True),
    ],
)
def test_values(claimed: str, source: str, same: bool) -> None:
    assert agree(claimed, source) is same


@pytest.mark.parametrize(
    ("claimed", "source"), [("two years", "24 months"), ("zwölf", "12"), ("three million", "3,000,000")]
)
def test_number_words_have_units_and_scales(claimed: str, source: str) -> None:
    mine, theirs = anchors_of(claimed), anchors_of(source)
    assert len(mine) == len(theirs) == 1
    assert fits(mine[0], theirs[0])


@pytest.mark.parametrize("text", ["统一", "一个", "万一", "no numbers here", "第"])
def test_words_are_no_numbers(text: str) -> None:
    assert find_anchors(text) == []


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1,",
        "1 ",
        "a1",
        "a-1-",
        "a-",
        "三",
        "5 march ",
        "1:00 ",
        "1.",
        "$",
        "-1",
        "2019-",
        "1:",
        "1年",
        "1h",
        "1万",
        "q3 ",
        "1/",
        "三分之",
        "1e",
        "$1",
        "1 000 ",
        "5. ",
        "삼백",
        "年1月",
        "1⁄2",
        "fy",
        "1-a-",
        "about 5 ",
        "march ",
        "20世纪",
        "+1 ",
    ],
)
def test_hostile_repetition_ends(piece: str) -> None:
    text = piece * 20_000
    anchors = find_anchors(text)
    assert all(0 <= anchor.start < anchor.end <= len(text) for anchor in anchors)
