"""Text made to hurt: work stays about linear (quadratic work would take minutes), output bounded."""

import pytest

from rag_eval_hooks import evaluate, read_run

PLAIN = "Goods can be returned within 30 days of delivery."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "<think>" + "I should look again. " * 4_000 + "</think>" + PLAIN, id="reasoning on the answer's line"
        ),
        pytest.param("<think>" * 10_000 + "</x", id="reasoning never closed"),
        pytest.param(" " * 60_000 + PLAIN, id="blanks before"),
        pytest.param("a" + " " * 60_000 + "b", id="blanks inside"),
        pytest.param("| x" + " " * 60_000 + "| 30 days |", id="a wide table cell"),
        pytest.param("a" + "\u202f" * 30_000 + "b", id="narrow blanks"),
        pytest.param("5" + "千" * 8_000, id="unit after unit"),
        pytest.param("!" * 20_000 + "x", id="stops before a letter"),
        pytest.param("…" * 20_000, id="ellipses"),
        pytest.param("！" * 24_000, id="full-width stops"),
        pytest.param("[source" + " " * 60_000, id="a mark that never ends"),
        pytest.param("x [1]" + " " * 30_000 + "and" + " " * 30_000 + "y [2]", id="a clause far away"),
        pytest.param("[1-9] " * 8_000, id="marks without end"),
        pytest.param(" ".join(f"Room {number} is blue." for number in range(700)), id="claims without end"),
    ],
)
def test_as_answer_and_as_chunk(text: str) -> None:
    contexts = [text, PLAIN, *(f"Room 5 is blue. {number}" for number in range(60))]
    evaluation = evaluate(read_run({"question": "What?", "contexts": contexts, "answer": text}))
    assert len(evaluation.chunks) == len(contexts)
    assert len(evaluation.citations) <= 2_000
    assert all(len(claim.supported_by) <= 50 for claim in evaluation.claims)


@pytest.mark.parametrize(
    "answer",
    [
        "Sure, kettles explode.",
        "Of course the warranty lasts a lifetime.",
        "Please note that goods cannot be returned.",
        "If you need a refund, the company pays double.",
        "Thank you letters are sent by the CEO.",
        "Dear customers pay double.",
        "Great question: the CEO was arrested",
        "当然可以免费退货。",
        "如有损坏，公司双倍赔偿。",
        "希望酒店免费。",
        "No information is ever shared with third parties.",
        "Not available on Mondays: the pool.",
    ],
)
def test_a_polite_or_evasive_opening_does_not_hide_a_statement(answer: str) -> None:
    evaluation = evaluate(read_run({"contexts": [PLAIN], "answer": answer}))
    assert evaluation.answer_kind == "answer"
    assert [claim.needs_evidence for claim in evaluation.claims] == [True]


@pytest.mark.parametrize(
    "answer",
    [
        "I'm afraid that isn't covered in the material I have.",
        "Dazu kann ich leider keine Auskunft geben.",
        "Questo non è menzionato nei documenti.",
    ],
)
def test_refusals_in_other_words(answer: str) -> None:
    assert evaluate(read_run({"contexts": [PLAIN], "answer": answer})).answer_kind == "refusal"


@pytest.mark.parametrize(
    "answer", ["The range is [1, 5].", "The interval [0, 1] is closed.", "The array [1, 2, 3] is sorted."]
)
def test_intervals_are_no_citations(answer: str) -> None:
    assert evaluate(read_run({"contexts": [PLAIN], "answer": answer})).citations == ()


def test_all_of_a_long_range_exist() -> None:
    evaluation = evaluate(read_run({"contexts": [PLAIN] * 40, "answer": f"{PLAIN[:-1]} [1-40]."}))
    assert [citation.target_rank for citation in evaluation.citations] == list(range(1, 41))
