"""Which part of the answer a mark speaks for, whether its target backs that part, and what should be cited at all."""

import pytest

from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.metrics import CitationCoverage, CitationRecall

CONTEXTS = [
    {"id": "c1", "text": "Halle Ltd was founded in 1990 by two brothers."},
    {"id": "c2", "text": "Halle Ltd has 40 employees in Ghent."},
    {"id": "c3", "text": "The canteen of Halle Ltd serves fish on Fridays."},
]
FOUNDED, STAFF = "Halle Ltd was founded in 1990", "Halle Ltd has 40 employees"


def checked(answer: str, question: str = "What is known of the company?") -> list[tuple[str, str, str | None]]:
    """Marker, the words it speaks for, and its problem."""
    run = read_run({"question": question, "contexts": CONTEXTS, "answer": answer})
    return [
        (one.marker, answer[slice(*one.part)].strip(" ,.") if one.part else "", one.problem)
        for one in attribute(run).citations
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(f"{FOUNDED} [1].", [("[1]", FOUNDED, None)], id="behind its sentence"),
        pytest.param(f"{FOUNDED}. [1]", [("[1]", FOUNDED, None)], id="behind the stop"),
        pytest.param(
            f"{FOUNDED} [1] and has 40 employees [2].",
            [("[1]", FOUNDED, None), ("[2]", "and has 40 employees", None)],
            id="each behind its clause",
        ),
        pytest.param(
            f"{FOUNDED} [2] and has 40 employees [1].",
            [("[2]", FOUNDED, "misplaced"), ("[1]", "and has 40 employees", "misplaced")],
            id="swapped",
        ),
        pytest.param(f"According to [1], {FOUNDED}.", [("[1]", FOUNDED, None)], id="According to"),
        pytest.param(f"[2] says that {STAFF}.", [("[2]", STAFF, None)], id="the mark says it"),
        pytest.param(f"As stated in [2], {STAFF}.", [("[2]", STAFF, None)], id="as stated in"),
        pytest.param(
            f"{FOUNDED}. [2] states that {STAFF}.", [("[2]", STAFF, None)], id="the mark opens a later sentence"
        ),
        pytest.param(
            f"According to [1], {FOUNDED}, while [2] says {STAFF}.",
            [("[1]", FOUNDED, None), ("[2]", STAFF, None)],
            id="two that lead",
        ),
        pytest.param(
            f"According to [1] and [2], {FOUNDED} and {STAFF}.",
            [("[1]", f"{FOUNDED} and {STAFF}", None), ("[2]", f"{FOUNDED} and {STAFF}", None)],
            id="two that lead together",
        ),
        pytest.param(
            f"According to [1], {FOUNDED} [2].",
            [("[1]", FOUNDED, None), ("[2]", FOUNDED, "misplaced")],
            id="led and closed",
        ),
        pytest.param(f"Source 2: {STAFF}.", [("Source 2", STAFF, None)], id="Source 2:"),
        pytest.param(f"Source 1 says that {STAFF}.", [("Source 1", STAFF, "misplaced")], id="the wrong source says it"),
        pytest.param(f"{STAFF} according to [2].", [("[2]", STAFF, None)], id="according to, behind"),
        pytest.param(
            f'<cite id="1">{FOUNDED}</cite> and <cite id="2">has 40 employees</cite>.',
            [('<cite id="1">', FOUNDED, None), ('<cite id="2">', "has 40 employees", None)],
            id="tags around their words",
        ),
        pytest.param(f"Laut [2] {STAFF}.", [("[2]", STAFF, None)], id="German"),
        pytest.param(
            "Halle Ltd owns 900 ships [1].", [("[1]", "Halle Ltd owns 900 ships", "unsupported")], id="unsupported"
        ),
        pytest.param(f"{FOUNDED} [9].", [("[9]", FOUNDED, "dangling")], id="dangling"),
        pytest.param(f"{FOUNDED} [1][2].", [("[1]", FOUNDED, None), ("[2]", FOUNDED, "misplaced")], id="side by side"),
        pytest.param("[1][2]", [("[1]", "", "unsupported"), ("[2]", "", "unsupported")], id="only citations"),
    ],
)
def test_part_and_problem(answer: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert checked(answer) == expected


def test_the_words_that_lead_are_no_part_of_the_claim() -> None:
    run = read_run(
        {"question": "?", "contexts": CONTEXTS, "answer": f"According to [1], {FOUNDED}. [2] says that {STAFF}."}
    )
    assert [(claim.text, claim.verdict) for claim in attribute(run).claims] == [
        (f"{FOUNDED}.", "supported"),
        (f"{STAFF}.", "supported"),
    ]


@pytest.mark.parametrize(
    ("answer", "question", "needed"),
    [
        pytest.param(f"{FOUNDED} [1]. {STAFF}.", "What of Halle?", [True, True], id="statements"),
        pytest.param(f"Hello! {FOUNDED}.", "What of Halle?", [False, True], id="a greeting"),
        pytest.param(f"{FOUNDED}. Do you want more?", "What of Halle?", [True, False], id="a question"),
        pytest.param(f"{FOUNDED}. I don't know the rest.", "What of Halle?", [True, False], id="a refusal"),
        pytest.param(
            f"You asked when Halle Ltd was founded. {FOUNDED}.",
            "When was Halle Ltd founded?",
            [False, True],
            id="asked",
        ),
        pytest.param(
            f"The founding year of the house. {FOUNDED}.",
            "What is the founding year of the house?",
            [False, True],
            id="words",
        ),
        pytest.param("Halle Ltd was founded in 1990.", "Was Halle Ltd founded in 1990?", [True], id="a decision"),
        pytest.param("Ghent is larger.", "Which is larger, Ghent or Halle?", [True], id="a choice"),
        pytest.param(
            f"{FOUNDED} [1]. {STAFF} [2]. In summary, Halle Ltd was founded in 1990 and has 40 employees.",
            "What of it?",
            [True, True, False],
            id="a summary",
        ),
        pytest.param(
            f"{FOUNDED} [1]. In summary, Halle Ltd was founded in 1990 and has 700 employees.",
            "What of it?",
            [True, True],
            id="a summary with something new",
        ),
        pytest.param(
            f"{FOUNDED}. In short, {FOUNDED}.", "What of it?", [True, True], id="a summary of what is not cited"
        ),
        pytest.param(f"There are several reasons for that. {FOUNDED}.", "Why?", [False, True], id="a transition"),
        pytest.param(f"Let us look at each of them. {FOUNDED}.", "What?", [False, True], id="an announcement"),
        pytest.param(f"**History of the house**\n{FOUNDED}.", "What?", [False, True], id="a heading in bold"),
        pytest.param("哈勒公司成立于1990年[1]。总之，哈勒公司成立于1990年。", "?", [True, False], id="Chinese summary"),
    ],
)
def test_what_needs_a_citation(answer: str, question: str, needed: list[bool]) -> None:
    claims = attribute(read_run({"question": question, "contexts": CONTEXTS, "answer": answer})).claims
    assert [claim.needs_evidence and claim.needs_citation for claim in claims] == needed


def test_a_summary_costs_no_recall_and_stays_a_claim_to_be_backed() -> None:
    """Two cited statements and their summary: 2/2 need a citation and have a good one, of all claims 2/3 do."""
    answer = f"{FOUNDED} [1]. {STAFF} [2]. In summary, Halle Ltd was founded in 1990 and has 40 employees."
    run = read_run({"question": "What of it?", "contexts": CONTEXTS, "answer": answer})
    found = attribute(run)
    assert [claim.needs_evidence for claim in found.claims] == [True, True, True]
    assert CitationRecall().score(run, found).value == 1.0
    assert CitationCoverage().score(run, found).value == 1.0
    assert CitationRecall(over="all").score(run, found).value == pytest.approx(2 / 3)
    assert [claim.lacks_citation for claim in found.claims] == [False, False, False]


def test_a_backed_claim_without_a_mark_lacks_its_citation() -> None:
    run = read_run(
        {"question": "What of it?", "contexts": CONTEXTS, "answer": f"{FOUNDED} [1]. {STAFF}. It owns ships."}
    )
    assert [claim.lacks_citation for claim in attribute(run).claims] == [False, True, False]


def test_the_evaluation_names_the_rule_of_the_numbers() -> None:
    def numbering(citations: object) -> object:
        run = read_run({"question": "?", "contexts": CONTEXTS, "answer": FOUNDED, "citations": citations})
        found = evaluate(run).numbering
        assert found is not None
        return found.base, found.rule

    assert numbering(None) == (1, "assumed")
    assert numbering({"base": 0}) == (0, "given")
    assert numbering({"provided": []}) == (1, "assumed")
