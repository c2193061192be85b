"""Values of one row belong together: a statement that crosses them is not backed."""

import pytest

from rag_eval_hooks import evaluate, read_run

YEARS = (
    "| year | revenue | profit |\n|---|---|---|\n"
    "| 2021 | 110 million | 12 million |\n| 2022 | 120 million | 15 million |"
)
PERIODS = (
    "Ostra notice periods\n| service | notice |\n|---|---|\n| 3 to 7 years | 2 months |\n"
    "| 8 to 11 years | 4 months |\n| 12 years | 6 months |"
)
TABS = "city\tbeds\tdoctors\nLune\t210\t31\nArvo\t180\t27"


@pytest.mark.parametrize(
    ("text", "claim", "verdict"),
    [
        (YEARS, "In 2022 the revenue was 120 million.", "supported"),
        (YEARS, "In 2022 the revenue was 110 million.", "unsupported"),
        (YEARS, "Revenue rose from 110 million in 2021 to 120 million in 2022.", "supported"),
        (YEARS, "In 2021 the profit was 12 million and the revenue 110 million.", "supported"),
        (YEARS, "In 2021 the profit was 12 million and the revenue 120 million.", "conflict"),
        (TABS, "Lune has 210 beds and 31 doctors.", "supported"),
        (TABS, "Lune has 210 beds and 27 doctors.", "conflict"),
    ],
)
def test_rows(text: str, claim: str, verdict: str) -> None:
    run = read_run({"question": "What does the table say?", "contexts": [text], "answer": claim})
    assert [one.verdict for one in evaluate(run).claims] == [verdict]


@pytest.mark.parametrize(("months", "verdict"), [(4, "supported"), (2, "unsupported"), (5, "conflict")])
def test_a_value_that_the_question_gives_finds_its_range(months: int, verdict: str) -> None:
    run = read_run(
        {
            "question": "What is the notice period at Ostra after nine years?",
            "contexts": [PERIODS],
            "answer": f"After nine years at Ostra, the notice period is {months} months.",
        }
    )
    assert [one.verdict for one in evaluate(run).claims] == [verdict]
