"""Chunks about what the question asks for, but for another year, date, period, version or code."""

import pytest

from rag_eval_hooks import evaluate, read_run


@pytest.mark.parametrize(
    ("question", "context", "wrong"),
    [
        pytest.param("What was Arden's revenue in 2017?", "Arden's revenue in 2016 was 5 million.", True, id="year"),
        pytest.param("What was Arden's revenue in 2017?", "Arden's revenue in 2017 was 5 million.", False, id="same"),
        pytest.param(
            "What was Arden's revenue in 2017?",
            "Arden's revenue in 2016 was 5 million. In 2017 it was 6 million.",
            False,
            id="both years",
        ),
        pytest.param("What was Arden's revenue in 2017?", "The lake froze in 2016.", False, id="another topic"),
        pytest.param("Who was CEO of Acme in 2015?", "Jane Roe was CEO of Acme from 2012 to 2018.", False, id="a span"),
        pytest.param("What does error E-404 mean?", "Error E-405 means that a pump is dry.", True, id="code"),
        pytest.param("What was Arden's revenue?", "Arden's revenue in 2016 was 5 million.", False, id="no year asked"),
        pytest.param("Sales of Q3 2021?", "Sales of Q2 2021 were 40.", True, id="quarter"),
        pytest.param(
            "What is new in version 3.12 of Tolva?", "New in version 3.11 of Tolva: groups.", True, id="version"
        ),
        pytest.param(
            "What are the top 3 sights of Oslo?", "Oslo has 5 top sights.", False, id="a count is no designation"
        ),
        pytest.param("青禾公司2017年的营收是多少？", "青禾公司2016年的营收为5亿元。", True, id="Chinese"),
    ],
)
def test_wrong_value(question: str, context: str, wrong: bool) -> None:
    run = read_run({"question": question, "contexts": [context, "Nothing of it."], "answer": "It was 5 million."})
    assert [chunk.wrong_value for chunk in evaluate(run).chunks] == [wrong, False]


def test_overlapping_chunks_share_the_verdict() -> None:
    """A sentence in the overlap of two windows counts for both; a third window that lacks it stays unused."""
    one = "Tolva was founded by Mara Lind. It makes sails. The mast is 12 m long."
    two = "The mast is 12 m long. The hull is made of oak. It was built in Oslo."
    three = "The harbour has 40 berths. Boats leave at noon."
    run = read_run(
        {"question": "How long is the mast?", "contexts": [one, two, three], "answer": "The mast is 12 m long."}
    )
    chunks = evaluate(run).chunks
    assert [chunk.use for chunk in chunks] == ["used", "used", "unused"]
    assert chunks[0].use_probability == chunks[1].use_probability
