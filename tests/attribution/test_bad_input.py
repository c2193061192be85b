"""Whatever the text, an evaluation comes back that keeps its promises, and says what was left out of a large run."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_hooks import Evaluation, evaluate, read_run
from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.attribution.derived.operands import MOST_IN_SENTENCE
from rag_eval_hooks.record import Attribution
from rag_eval_hooks.record.limits import (
    LIMITS,
    MAX_ANSWER,
    MAX_CHUNK,
    MAX_CLAIMS,
    MAX_CONTEXT,
    MAX_MARKS,
    MAX_POSTINGS,
    MAX_QUESTION,
    MAX_SUPPORTS,
    MAX_TERMS,
    MAX_TEXTS,
)

PLAIN = "Goods can be returned within 30 days of delivery."
HURTFUL = st.sampled_from(
    "( [ [[ ((((( \" ' \"' ``` ` ~~~ ** _ | || > # - 1) 1. 1,1,1 1.1.1.1 .... …… !!! ?? 。 ！？ [1] [1-9] [^1] [^1]: "
    "【1】 [source: x] [[1]](http://a) ¹² <think> </think> <b> </td> &amp; &#0; &#x110000; 30 30. 30% $5 5km 1/2 12:30 "
    "v1.2 2024-01-31 jan 第一 三百万 〇零 万亿 的 的的 青禾公司 かな 가나 ไทย हिन्दी שלום العربية half one in two "
    "hundred mr. no not don't o'neil Goods returned days delivery the a straße ﬁ \ufdfa İ ſ e\u0301 \u0301 か\u3099 "
    "\u1100\u1161\u11a8 \u200b \u200d \u202e \u2066 \u00ad \ufeff \u00a0 \u202f \x00 \x0b \x1c \x7f \x85 "
    "\u2028 \ud800 \udfff 😀 👩‍👩‍👧 \U000e0041 sorry unknown Sources: based on".split(" ")
)
BLANKS = st.sampled_from(["", "", " ", "  ", "\n", "\n\n", "\t", "\r\n", ". "])
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.tuples(HURTFUL, BLANKS), max_size=25).map(lambda parts: "".join(map("".join, parts))),
    st.tuples(HURTFUL, BLANKS, st.integers(1, 300)).map(lambda parts: (parts[0] + parts[1]) * parts[2]),
    st.binary(max_size=60).map(lambda data: data.decode("latin-1")),
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4), TEXTS, st.data())
def test_laws_hold_for_any_text(question: str, contexts: list[str], answer: str, data: st.DataObject) -> None:
    given_run = {"id": "r", "question": question, "contexts": contexts, "answer": answer}
    run = read_run(given_run)
    evaluation = evaluate(run)
    stored = evaluation.model_dump_json()

    assert evaluate(read_run(given_run)).model_dump_json() == stored
    assert Evaluation.model_validate_json(stored) == evaluation
    json.loads(stored.encode(), parse_constant=pytest.fail)
    assert len(evaluation.chunks) == len(contexts)
    assert set(evaluation.limits) <= LIMITS.keys()

    judged, texts = run.judged_answer, [chunk.text for chunk in run.context_chunks()]
    for claim in evaluation.claims:
        assert judged[slice(*_within(claim.span, judged))] == claim.text
        for support in claim.supported_by:
            assert all(_within(span, texts[support.rank - 1]) for span in support.spans)
    for citation in evaluation.citations:
        assert judged[slice(*_within(citation.span, judged))] == citation.marker
    probabilities = [
        *(chunk.use_probability for chunk in evaluation.chunks),
        *(claim.probability for claim in evaluation.claims),
        *(support.probability for claim in evaluation.claims for support in claim.supported_by),
    ]
    assert all(value is None or (math.isfinite(value) and 0 <= value <= 1) for value in probabilities)


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS)
def test_equal_chunks_share_one_verdict_wherever_they_stand(contexts: list[str], answer: str) -> None:
    def uses(order: list[str]) -> list[tuple[str, float | None]]:
        run = read_run({"contexts": order, "answer": answer})
        pairs = zip(run.context_chunks(), attribute(run).chunks, strict=True)
        return [(chunk.text, verdict.use_probability) for chunk, verdict in pairs]

    doubled = uses(contexts + contexts)
    assert doubled[: len(contexts)] == doubled[len(contexts) :]
    assert doubled[: len(contexts)] == uses(contexts)
    interleaved = [text for text in contexts for _ in range(2)]
    assert uses(interleaved)[::2] == uses(contexts)


def _within(span: tuple[int, int], text: str) -> tuple[int, int]:
    assert 0 <= span[0] < span[1] <= len(text)
    return span


def _limits(question: str = "What?", contexts: list[str] | None = None, answer: str = PLAIN) -> tuple[str, ...]:
    run = {"question": question, "contexts": [PLAIN] if contexts is None else contexts, "answer": answer}
    return evaluate(read_run(run), metrics=()).limits


def _words(count: int) -> str:
    return " ".join(f"a{chr(97 + n // 26)}{chr(97 + n % 26)}b" for n in range(count))


def _sentences(size: int) -> str:
    text = " ".join(f"Room {number} is blue." for number in range(size // 16))
    return text[:size]


@pytest.mark.parametrize(
    ("run", "limits"),
    [
        pytest.param({}, (), id="nothing"),
        pytest.param({"question": "", "contexts": [], "answer": ""}, (), id="empty"),
        pytest.param({"question": "x" * MAX_QUESTION}, (), id="question at the limit"),
        pytest.param({"question": "x" * (MAX_QUESTION + 1)}, ("question_cut",), id="question"),
        pytest.param({"answer": "x" * (MAX_ANSWER + 1)}, ("answer_cut",), id="answer"),
        pytest.param({"answer": "It is so. " * MAX_CLAIMS}, (), id="claims at the limit"),
        pytest.param({"answer": "It is so. " * (MAX_CLAIMS + 1)}, ("claims_cut",), id="claims"),
        pytest.param({"answer": PLAIN + " [1]" * MAX_MARKS}, (), id="citations at the limit"),
        pytest.param({"answer": PLAIN + " [1]" * (MAX_MARKS + 1)}, ("citations_cut",), id="citations"),
        pytest.param({"answer": PLAIN + " [1, 1]" * (MAX_MARKS // 2)}, (), id="citations of lists at the limit"),
        pytest.param(
            {"answer": PLAIN + " [1, 1]" * (MAX_MARKS // 2) + " [1]"}, ("citations_cut",), id="citations of lists"
        ),
        pytest.param({"answer": _words(MAX_TERMS)}, (), id="terms of a statement at the limit"),
        pytest.param({"answer": _words(MAX_TERMS + 1)}, ("statement_cut",), id="terms of a statement"),
        pytest.param(
            {"answer": "The values are " + " ".join(f"{n}.5" for n in range(MAX_TERMS + 1)) + "."},
            ("statement_cut",),
            id="values of a statement",
        ),
        pytest.param({"contexts": [f"{PLAIN} {n}" for n in range(MAX_TEXTS)]}, (), id="texts at the limit"),
        pytest.param({"contexts": [f"{PLAIN} {n}" for n in range(MAX_TEXTS + 1)]}, ("texts_cut",), id="texts"),
        pytest.param({"contexts": [PLAIN] * MAX_SUPPORTS}, (), id="supports at the limit"),
        pytest.param({"contexts": [PLAIN] * (MAX_SUPPORTS + 1)}, ("supports_cut",), id="supports"),
        pytest.param({"contexts": ["x" * MAX_CHUNK]}, (), id="chunk at the limit"),
        pytest.param({"contexts": ["x" * (MAX_CHUNK + 1), PLAIN]}, ("chunk_cut",), id="chunk"),
        pytest.param({"contexts": ["Goods. " * (MAX_POSTINGS + 1)]}, ("terms_cut",), id="a frequent term"),
        pytest.param(
            {
                "contexts": [f"Goods cost {'7 and ' * MOST_IN_SENTENCE}8 euros."],
                "answer": "Goods cost 99 euros in total.",
            },
            ("derivations_cut",),
            id="numbers of a sentence",
        ),
    ],
)
def test_what_is_cut_is_flagged(run: dict[str, str], limits: tuple[str, ...]) -> None:
    assert _limits(**run) == limits


def test_the_use_of_an_unread_chunk_is_unknown() -> None:
    whole, rest = divmod(MAX_CONTEXT, MAX_CHUNK)
    texts = [f"{number} " + "x" * (MAX_CHUNK - 2) for number in range(whole)]
    assert rest == 0
    evaluation = evaluate(read_run({"contexts": [*texts, texts[0], PLAIN], "answer": PLAIN}), metrics=())
    assert evaluation.limits == ("context_cut",)
    assert [chunk.use for chunk in evaluation.chunks] == ["unused"] * (whole + 1) + ["unknown"]
    assert evaluation.chunks[-1].use_probability is None


def test_a_character_that_folds_to_many_counts_as_many() -> None:
    assert "context_cut" in _limits(contexts=["\ufdfa" * (MAX_CONTEXT // 18 + 1), PLAIN])


def test_evaluations_and_attributions_stored_without_limits_stay_readable() -> None:
    evaluation = evaluate(read_run({"contexts": [PLAIN], "answer": PLAIN}))
    old = evaluation.model_dump(mode="json")
    del old["limits"]
    assert Evaluation.model_validate_json(json.dumps(old)) == evaluation
    assert Attribution(answer_kind="empty").limits == ()


def _rows(count: int, step: int) -> str:
    return "| year | cost |\n|---|---|\n" + "\n".join(f"| {n} | {n * step % 9_973} |" for n in range(count))


@pytest.mark.parametrize(
    ("contexts", "answer"),
    [
        pytest.param([_sentences(10_000_000)], PLAIN, id="10 MB chunk"),
        pytest.param([f"Room {number} is blue." for number in range(10_000)], PLAIN, id="10,000 chunks"),
        pytest.param([PLAIN], _sentences(100_000), id="5,000 claims and more"),
        pytest.param([_sentences(100_000)], "(" * 100_000, id="brackets"),
        pytest.param(["000 " * 50_000], "000 " * 50_000, id="groups of three digits"),
        pytest.param(["[" * 100_000], "[" * 100_000, id="marks never closed"),
        pytest.param(["1," * 50_000], "1," * 50_000, id="a number without end"),
        pytest.param(["." * 100_000], "." * 100_000, id="stops"),
        pytest.param(["e" + "\u0301" * 100_000], "e" + "\u0301" * 100_000, id="combining marks"),
        pytest.param(["\u200b" * 100_000], "\u200b" * 100_000, id="zero width"),
        pytest.param(["\ud800" * 100_000], "\udfff" * 100_000, id="surrogates"),
        pytest.param(["\u202eشركة " * 20_000], "\u202eشركة " * 20_000, id="right to left"),
        pytest.param(["&" * 100_000], "&a" * 50_000, id="entities never closed"),
        pytest.param(["'" * 100_000], "a'" * 50_000, id="apostrophes"),
        pytest.param(['"' * 100_000], '"(' * 50_000, id="nested quotes"),
        pytest.param(["word " * 100_000], "word " * 100_000, id="one word"),
        pytest.param(["1\t2\t3\n" * 10_000], "1\t2\t3\n" * 10_000, id="rows of equal values"),
        pytest.param([_rows(8_000, 1)], _rows(1_000, 7), id="tables"),
        pytest.param(["|" + "7 | 8 | " * 20_000], "|" + "7 | 9 | " * 20_000, id="a row without end"),
        pytest.param(["5 km and 3 m in 2 h " * 10_000], "6 km and 4 m in 3 h " * 10_000, id="values in one sentence"),
        pytest.param(["3 May 2001 - 4 May 2002, " * 8_000], "2001-05-03/2001-05-04 " * 8_000, id="dates"),
        pytest.param(["in " + "2001, " * 30_000], "The total is 4711.", id="years in one sentence"),
        pytest.param(["It costs 5 euros. " * 10_000], "It has 5 foos. " * 10_000, id="numbers of another thing"),
        pytest.param(["8 to 11 years. " * 10_000], "It is 9 years 97 days old. " * 500, id="ranges"),
    ],
)
def test_large_and_repetitive_text_comes_back(contexts: list[str], answer: str) -> None:
    """Quadratic work would take minutes here."""
    evaluation = evaluate(read_run({"question": "Which room?", "contexts": contexts, "answer": answer}), metrics=())
    assert len(evaluation.chunks) == len(contexts)
