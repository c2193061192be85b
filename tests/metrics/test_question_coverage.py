"""QuestionCoverage: what the question names, and whether the used evidence names it, too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.anchors import find_anchors, fits
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.metrics.question_anchors import AnchorText, question_anchors
from rag_eval_hooks.testing import make_attribution, make_run


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the revenue of Acme Corp in 2021?", ["value 2021", "name acme corp"]),
        ("Did Acme or Globex sell more?", ["name acme", "name globex"]),
        ("How long is the Golden Gate Bridge?", ["name golden gate bridge"]),
        ("Which pages quote \"never fear\" and 'so be it'?", ["quote never fear", "quote so be it"]),
        ("Who wrote “Emma” in 1815?", ["quote emma", "value 1815"]),
        ("What happened on 3 May 2021?", ["value 3 may 2021"]),
        ("Acme's price", []),
        ("What is Acme's price?", ["name acme"]),
        ("NASA landed when?", ["name nasa"]),
        ("Is it so? The answer. Then Acme?", ["name acme"]),
        ("What does the XK-200 weigh in kg?", ["value xk-200"]),
        ("How can I use it?", []),
        ("WHO OWNS ACME?", []),
        ("青禾公司2023年的营收是多少？", ["value 2023年"]),
        ("谁写了《红楼梦》？", ["quote 红楼梦"]),
        ("Acme in 2021 and Acme in 2021?", ["value 2021", "name acme"]),
        ("Was the US first?", ["name us"]),
        ("Is it Acme 7 Pro?", ["value 7", "name acme", "name pro"]),
        ("", []),
    ],
)
def test_anchors(question: str, expected: list[str]) -> None:
    assert [f"{anchor.kind} {anchor.words}" for anchor in question_anchors(question)] == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Did Acme win?", "ACME won.", True),
        ("Did Acme win?", "Acme's team won.", True),
        ("Did Acme win?", "Acmeville won.", False),
        ("Did Marie Curie win?", "Marie  Curie won.", True),
        ("Did Marie Curie win?", "Curie won.", False),
        ("Are 2500 people there?", "2,500 people", True),
        ("Are 2500 people there?", "2600 people", False),
        ("is it 5 km long?", "It is 5200 m long.", True),
        ("is it 5 km long?", "It is 5600 m long.", False),
        ("is it 5 kg?", "It is 5000 g.", True),
        ("is it 5000 g?", "It is 5 kg.", True),
        ("is it 5 kg?", "It is 5 km.", False),
        ("is it in version 2.4?", "It is in 2.4.", True),
        ("is it in version 2.4?", "It is in 2.40.", False),
        ("And on 3 May 2021?", "2021-05-03", True),
        ("And on 3 May 2021?", "2021-05-04", False),
        ("Are 3 people there?", "Three people are.", True),
        ("谁写了《红楼梦》？", "曹雪芹写了红楼梦。", True),
        ("谁写了《红楼梦》？", "吴承恩写了西游记。", False),
    ],
)
def test_a_text_states_an_anchor(question: str, text: str, expected: bool) -> None:
    (anchor,) = question_anchors(question)
    assert AnchorText(text).states(anchor) is expected


QUESTION = "Did Acme or Globex sell more than 100 in 2021?"  # four anchors
CHUNKS = [("a", "Acme sold 90 in 2021."), ("b", "Globex sold 100 in 2020."), ("c", "Initech sold 100.")]


@pytest.mark.parametrize(
    ("name", "used", "expected"),
    [
        pytest.param("QuestionCoverage", "a", 2 / 4, id="Acme, 2021"),
        pytest.param("QuestionCoverage", "b", 2 / 4, id="Globex, 100"),
        pytest.param("QuestionCoverage", "ab", 4 / 4, id="both together"),
        pytest.param("QuestionCoverage@1", "ab", 2 / 4, id="only the first"),
        pytest.param("QuestionCoverage@1", "b", 0 / 4, id="used below the cut-off"),
        pytest.param("QuestionCoverage", "c", 1 / 4, id="100"),
    ],
)
def test_value(name: str, used: str, expected: float) -> None:
    assert parse_metric(name).score(make_run(CHUNKS, question=QUESTION, used=used)).value == expected
    run = make_run(CHUNKS, question=QUESTION)
    found = make_attribution(run, used=["abc".index(one) + 1 for one in used])
    assert parse_metric(name).score(run, found).value == expected


def test_unknown() -> None:
    metric = parse_metric("QuestionCoverage")
    assert metric.score(make_run(CHUNKS, question="why so?", used="a")).reason == "no_anchors"
    assert metric.score(make_run(CHUNKS, question=None, used="a")).reason == "no_anchors"
    assert metric.score(make_run(CHUNKS, question=QUESTION, used="")).reason == "nothing_used"
    assert metric.score(make_run("", question=QUESTION, used="a")).reason == "no_context"


@given(st.text(max_size=200))
def test_any_question_is_read(question: str) -> None:
    for anchor in question_anchors(question):
        assert anchor.words
        assert bool(anchor.values) == (anchor.kind == "value")


PLAIN = st.text(alphabet=st.sampled_from("aAbBÄéßΣ'’ .-?!\"“”《》人物_("), max_size=60)


@given(PLAIN)
def test_a_text_states_its_own_quotes_and_names(question: str) -> None:
    text = AnchorText(question)
    for anchor in question_anchors(question):
        if anchor.kind != "value":
            assert text.states(anchor), anchor


NUMBERS = st.sampled_from(
    [
        *"5 5.0 5.2 0.05 5000 5,000 1.5 v1.5.2 1.5.2 2021 7:30 XK-5 $5 2021-05-03".split(),
        *("5 kg", "5000 g", "5 km", "5 %", "about 5", "3 May 2021", "May 2021", "5 million", "$5 million"),
    ]
)


@given(st.lists(NUMBERS, min_size=1, max_size=4), st.lists(NUMBERS, max_size=5))
def test_the_index_of_a_text_finds_what_comparing_all_values_finds(asked: list[str], stated: list[str]) -> None:
    text = ", and ".join(stated)
    values = find_anchors(fold(text).text)
    for anchor in question_anchors(" or ".join(asked)):
        if anchor.kind == "value":
            by_hand = all(any(fits(part, value) for value in values) for part in anchor.values)
            assert AnchorText(text).states(anchor) is by_hand
