"""Names that no text knows: a claim with one is not backed."""

import pytest

from rag_eval_hooks import evaluate, read_run

TEXT = (
    "The Varnholt Bridge in Lune was designed by Adela Brunswick and opened in 1887. It was paid for by the Silk Guild."
)


@pytest.mark.parametrize(
    ("question", "claim", "backed"),
    [
        ("Who designed it?", "The bridge in Lune was designed by Adela Brunswick.", True),
        ("Who designed it?", "The bridge in Lune was designed by Clara Whitford.", False),
        ("Who designed it?", "The bridge in Porto was designed by Adela Brunswick.", False),
        ("Who designed the one in Porto?", "The bridge in Porto was designed by Adela Brunswick.", True),
        ("Who paid for it?", "**Paid By:** the Silk Guild paid for the bridge.", True),
    ],
)
def test_a_name_that_is_nowhere(question: str, claim: str, backed: bool) -> None:
    run = read_run({"question": question, "contexts": [TEXT], "answer": claim})
    (found,) = evaluate(run).claims
    assert (found.verdict == "supported") is backed
    assert found.probability is not None
    assert (found.probability <= 0.25) is not backed


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Japan was neutral in the Second World War.", "Japan was neutral in World War II."),
        ("The factory in Italy opened in 1990.", "The Italian factory opened in 1990, in Italy."),
        ("Das Werk wurde 1990 eröffnet.", "Es wurde 1990 das Werk vom Eigentümer eröffnet."),
    ],
)
def test_a_name_in_another_form(text: str, claim: str) -> None:
    run = read_run({"question": "What happened?", "contexts": [text], "answer": claim})
    (found,) = evaluate(run).claims
    assert found.probability is not None
    assert found.probability > 0.25


def test_without_a_question_the_text_may_have_its_topic_from_elsewhere() -> None:
    run = read_run({"contexts": ["The film was shot in 1995."], "answer": "The filming of Dilwale was in 1995."})
    (found,) = evaluate(run).claims
    assert found.probability != 0.25
