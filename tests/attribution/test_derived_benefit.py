"""Numbers that differ from what was computed, or that chance could compute, and are no slip and no result."""

import pytest

from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.record import Evaluation

ACME = (
    "Acme had 1,200 employees in 2020 and 1,500 in 2021. Its revenue was 30 million euros in 2020 and 36 million euros "
    "in 2021."
)
TABLE = "| year | revenue | cost |\n|---|---|---|\n| 2019 | 120 | 80 |\n| 2020 | 150 | 90 |\n| 2021 | 170 | 95 |"
TICKET = "A ticket costs 12 euros. There is a 25 % discount for groups of ten."


def _said(text: str, claim: str) -> Evaluation:
    return evaluate(read_run({"question": "", "contexts": [text], "answer": claim}))


@pytest.mark.parametrize(
    ("text", "claim", "is_wrong"),
    [
        (ACME, "Revenue rose by 25 % in 2021.", True),
        (ACME, "Revenue rose by less than 25 % in 2021.", False),
        (ACME, "Revenue rose by more than 15 % in 2021.", False),
        (ACME, "Revenue rose by more than 25 % in 2021.", True),
        (ACME, "Revenue rose by almost 21 % in 2021.", False),
        (ACME, "Revenue rose by almost 30 % in 2021.", True),
        (ACME, "Revenue rose by 20 percent, not by 25 percent.", False),
        (ACME, "Revenue in 2020 was 17 % lower than in 2021.", False),
        (ACME, "Revenue rose from 30 million euros in 2020 to 36 million euros in 2021, by 17 %.", True),
        (TABLE, "Between 2019 and 2021 revenue grew by 50, an average of 25 a year.", False),
        (TICKET, "Ten people in a group pay 90 euros in total.", False),
    ],
)
def test_a_slip_in_computing(text: str, claim: str, is_wrong: bool) -> None:
    evaluation = _said(text, claim)
    assert any(not one.right for found in evaluation.claims for one in found.derived) is is_wrong
    assert ("computation_error" in [one.kind for one in evaluation.findings]) is is_wrong


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Room 101 and room 205 are free. The rent is 400 euros.", "Room 306 is free."),
        (TABLE, "Between 2019 and 2021 revenue grew by about 19 % a year."),
    ],
)
def test_what_chance_computes_is_no_result(text: str, claim: str) -> None:
    (found,) = _said(text, claim).claims
    assert found.derived == ()
    assert found.verdict != "supported"


def test_a_difference_is_shown_the_way_round_that_the_claim_means() -> None:
    (found,) = _said(TABLE, "The revenue of 2021 less the cost of 2021 is 75.").claims
    (derived,) = found.derived
    assert (derived.formula, derived.result, derived.right) == ("170 - 95", 75.0, True)
    assert [one.text for one in derived.operands] == ["170", "95"]
