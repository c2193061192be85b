"""What the answer owes to its context: whole runs with verdicts that a person can check."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks import Evaluation, evaluate, read_run


def judged(question: str, contexts: list[str], answer: str) -> Evaluation:
    items = [{"id": f"c{number}", "text": text} for number, text in enumerate(contexts, 1)]
    return evaluate(read_run({"id": "r", "question": question, "contexts": items, "answer": answer}))


def used(evaluation: Evaluation) -> list[str]:
    return [chunk.id for chunk in evaluation.chunks if chunk.use == "used"]


@pytest.mark.parametrize(
    ("question", "contexts", "answer", "expected"),
    [
        pytest.param(
            "How high is Mount Arvel?",
            ["Mount Brisk is 1,204 metres high.", "Mount Arvel is 3,377 metres high."],
            "Mount Arvel is 3,377 metres high.",
            ["c2"],
            id="the other mountain has another height",
        ),
        pytest.param(
            "How many seats has the hall?",
            ["The hall has 14 doors.", "The hall has 220 seats."],
            "220",
            ["c2"],
            id="a bare number",
        ),
        pytest.param(
            "What is the return window for shoes?",
            ["What is the return window for shoes? Ask the desk.", "Shoes may come back for 60 days."],
            "The return window for shoes is 60 days.",
            ["c2"],
            id="repeating the question is no evidence",
        ),
        pytest.param(
            "Where was the architect of the Fennel Tower born?",
            ["Odd Lund designed the Fennel Tower.", "Odd Lund was born in Narvik.", "The Fennel Inn serves soup."],
            "The architect of the Fennel Tower, Odd Lund, was born in Narvik.",
            ["c1", "c2"],
            id="two hops",
        ),
        pytest.param(
            "Wie hoch ist der Turm?",
            ["Der Turm ist 48,5 Meter hoch.", "Der Turm wurde 1902 gebaut."],
            "Der Turm ist 48,5 Meter hoch.",
            ["c1"],
            id="German",
        ),
        pytest.param(
            "北岭公司何时成立？",
            ["南山公司成立于2011年。", "北岭公司成立于一九九八年。"],
            "北岭公司成立于1998年。",
            ["c2"],
            id="Chinese numerals",
        ),
        pytest.param(
            "How long is the guarantee?",
            ["The guarantee is 5 years.", "The guarantee is 5 years.", "The shop is closed."],
            "The guarantee is 5 years.",
            ["c1", "c2"],
            id="equal chunks share the verdict",
        ),
        pytest.param("Who?", ["The bus runs.", "The shop sells."], "I don't know.", [], id="a refusal uses nothing"),
    ],
)
def test_used_chunks(question: str, contexts: list[str], answer: str, expected: list[str]) -> None:
    assert used(judged(question, contexts, answer)) == expected


@pytest.mark.parametrize(
    ("context", "answer", "verdict"),
    [
        pytest.param("The bridge opened in 1964.", "The bridge opened in 1964.", "supported", id="the same"),
        pytest.param("The bridge opened in 1964.", "The bridge opened in 1965.", "conflict", id="another year"),
        pytest.param("The pump is not sealed.", "The pump is sealed.", "conflict", id="negated"),
        pytest.param(
            "The vault is kept at 12 °C.", "The vault is kept at 21 °C.", "conflict", id="another temperature"
        ),
        pytest.param("The bridge opened in 1964.", "The ferry sank near Oslo.", "unsupported", id="something else"),
        pytest.param("Opens at 7:30.", "It opens at 8:30.", "conflict", id="another time"),
        pytest.param("Goods can be returned.", "Goods can never be returned.", "conflict", id="never"),
        pytest.param("The kettle has 24 months.", "The blue toaster has 24 months.", "unsupported", id="another thing"),
    ],
)
def test_verdicts(context: str, answer: str, verdict: str) -> None:
    (claim,) = judged("", [context], answer).claims
    assert claim.verdict == verdict


def test_supporting_spans_point_into_the_chunk() -> None:
    context = "The hall opened in 1990. It seats 300 people. The roof is copper."
    evaluation = judged("How many people?", [context], "It seats 300 people.")
    (support,) = evaluation.claims[0].supported_by
    assert [context[start:end] for start, end in support.spans] == ["It seats 300 people."]


def test_a_claim_lists_no_more_than_fifty_supports() -> None:
    contexts = [f"The hall seats 300 people. Note {number} follows." for number in range(30)] * 3
    evaluation = judged("How many people?", contexts, "The hall seats 300 people.")
    assert len(evaluation.claims[0].supported_by) == 50


WRAPPED = """A copy is made before the list is changed, so that a loop over it is not
disturbed. If the key is not found,
the default is returned."""


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("If the key is not found, the default is returned.", id="over a line break"),
        pytest.param(
            "A copy is made before the list is changed, so that a loop over it is not disturbed.",
            id="over a wrapped line",
        ),
        pytest.param(
            'A "copy" is made before the list is changed; so that a loop over it is *not* disturbed!',
            id="other punctuation",
        ),
    ],
)
def test_a_quote_is_supported_however_its_source_is_wrapped(answer: str) -> None:
    (claim,) = judged("", [WRAPPED], answer).claims
    assert claim.verdict == "supported"
    assert claim.probability is not None
    assert claim.probability >= 0.99


def test_a_quote_with_another_number_is_none() -> None:
    source = "The pump runs at 2.10 bar in the lower hall."
    assert judged("", [source], "The pump runs at 2 10 bar in the lower hall.").claims[0].verdict != "supported"


def test_equal_chunks_have_spans_of_their_own() -> None:
    """The same words with other markup and white space: one verdict, but each place in its own text."""
    contexts = ["x <p><b>The mast</b> is 31 m tall.</p> It is old.", "x The mast  is 31 m tall. It is old."]
    run = read_run({"contexts": contexts, "answer": "The mast is 31 m tall."})
    supports = evaluate(run).claims[0].supported_by
    assert [[contexts[one.rank - 1][slice(*span)] for span in one.spans] for one in supports] == [
        ["The mast</b> is 31 m tall."],
        ["The mast  is 31 m tall."],
    ]


def test_where_no_retrieval_was_seen_claims_are_uncertain() -> None:
    evaluation = judged("", [], "The Elbe passes Hamburg.")
    assert [(claim.verdict, claim.probability) for claim in evaluation.claims] == [("uncertain", None)]


def test_a_citation_may_name_the_id_or_the_source() -> None:
    contexts = [
        {"id": "a7", "text": "The lobby opens at 7:00."},
        {"text": "The pool opens at 9:00.", "metadata": {"source": "docs/pool.txt"}},
    ]
    answer = "The lobby opens at 7:00 [a7]. The pool opens at 9:00 [pool.txt]."
    assert [
        (one.marker, one.target_rank, one.supported)
        for one in evaluate(read_run({"contexts": contexts, "answer": answer})).citations
    ] == [("[a7]", 1, True), ("[pool.txt]", 2, True)]


def test_citation_faults_are_told_apart() -> None:
    evaluation = judged(
        "When do they open?",
        ["The lobby opens at 7:00.", "The pool opens at 9:00."],
        "The lobby opens at 7:00 [1]. The pool opens at 9:00 [1]. The spa opens at 5:00 [2]. The bar is shut [4].",
    )
    assert [(one.marker, one.target, one.supported, one.problem) for one in evaluation.citations] == [
        ("[1]", "c1", True, None),
        ("[1]", "c1", False, "misplaced"),
        ("[2]", "c2", False, "unsupported"),
        ("[4]", None, False, "dangling"),
    ]


def test_numbering_may_start_at_zero() -> None:
    run = read_run(
        {
            "contexts": [
                {"id": "a", "text": "The lobby opens at 7:00."},
                {"id": "b", "text": "The pool opens at 9:00."},
            ],
            "answer": "The lobby opens at 7:00 [0]. The pool opens at 9:00 [1].",
            "citations": {"base": 0},
        }
    )
    assert [(one.target, one.supported) for one in evaluate(run).citations] == [("a", True), ("b", True)]


def test_an_answer_that_was_cut_off_is_not_judged() -> None:
    run = read_run({"contexts": ["The lobby opens at 7:00."], "answer": "The lobby", "status": "abandoned"})
    evaluation = evaluate(run)
    assert evaluation.claims == ()
    assert [chunk.use for chunk in evaluation.chunks] == ["unknown"]


def test_more_statements_than_the_limit_are_uncertain_not_lost() -> None:
    answer = " ".join(f"Room {number} is blue." for number in range(600))
    claims = judged("", ["Room 5 is blue."], answer).claims
    assert len(claims) == 600
    assert claims[599].verdict == "uncertain"
    assert claims[599].probability is None


WORDS = st.sampled_from(
    [
        "The",
        "hall",
        "opens",
        "at",
        "7:00",
        "[1]",
        "[1-3]",
        "[9]",
        "三亿",
        "not",
        "\n",
        "- ",
        "|",
        "`",
        "```",
        "\x00",
        "é",
        "&amp;",
        "<b>",
        "5 km",
        ". ",
        "？",
        "\ud83d",
        "I don't know.",
        "2023-03-05",
        "[^1]",
        "(1)",
        "\u202e",
        "&#0;",
        "١٢",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=25).map(" ".join), st.text(max_size=60))


@settings(max_examples=300, deadline=None)
@given(question=st.none() | TEXTS, contexts=st.lists(st.none() | TEXTS, max_size=4), answer=st.none() | TEXTS)
def test_any_text_gives_a_sound_evaluation(
    question: str | None, contexts: list[str | None], answer: str | None
) -> None:
    """Laws of every evaluation: strict JSON, offsets that fit, ranks that exist, probabilities in [0, 1]."""
    run = read_run({"question": question, "contexts": contexts, "answer": answer})
    evaluation = evaluate(run)
    assert Evaluation.model_validate_json(evaluation.model_dump_json()) == evaluation
    assert evaluate(run) == evaluation
    assert [chunk.rank for chunk in evaluation.chunks] == list(range(1, len(contexts) + 1))
    text = evaluation.answer or ""
    for claim in evaluation.claims:
        assert claim.text == text[slice(*claim.span)]
        for support in claim.supported_by:
            source = run.chunks[run.ledger[support.rank - 1]].text
            assert all(0 <= start < end <= len(source) for start, end in support.spans)
    for citation in evaluation.citations:
        assert citation.marker == text[slice(*citation.span)]
        assert citation.exists == (citation.target_rank is not None) == (citation.target is not None)
        assert citation.exists or not citation.supported
        assert (citation.problem is None) == citation.supported
    marks_of_claims = [index for claim in evaluation.claims for index in claim.citations]
    assert sorted(marks_of_claims) == [one.index for one in evaluation.citations if one.claim is not None]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "word " * 40_000,
        "1 " * 40_000,
        "。" * 50_000,
        "a. " * 20_000,
        "\u0301" * 20_000,
        "&amp;" * 20_000,
        "<b>" * 20_000,
    ],
)
def test_hostile_text_ends_as_chunk_and_as_answer(text: str) -> None:
    evaluation = judged("word 1?", [text, "word 1"], text)
    assert len(evaluation.chunks) == 2


def test_a_version_may_stand_without_its_word() -> None:
    right = judged("", ["The parser supports 2.4 and 2.10."], "The parser supports version 2.4.").claims[0]
    wrong = judged("", ["The parser supports 2.10."], "The parser supports version 2.1.").claims[0]
    assert right.verdict == "supported"
    assert wrong.verdict != "supported"
