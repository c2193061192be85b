"""The demo's search and model: the same in every run, honest in their citations, and able to refuse."""

import re

import pytest

from rag_eval_hooks.demo.answering import MODELS, REFUSAL, Extractive, tokens
from rag_eval_hooks.demo.corpus import build_corpus
from rag_eval_hooks.demo.prompt import Passage, item_text, read_prompt, user_text
from rag_eval_hooks.demo.questions import QUESTIONS
from rag_eval_hooks.demo.reading import sentences, words
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Chunk

CORPUS = build_corpus()
INDEX = Bm25Index(CORPUS, k=5)

PROMPT = """[1] pydoc:cats
Cats sleep 12 hours a day. They are small.

[2] pydoc:dogs
Dogs sleep 9 hours every single night. [1]

[1] A dog's footnote that is numbered like a passage.

Question: How many hours do dogs sleep?"""


def _flat(text: str) -> str:
    return re.sub(r"[^\w]+", "", text)


def _prompt(question: str) -> str:
    found = [chunk for chunk, _ in INDEX.search(question)]
    items = [item_text(number, chunk.metadata["source"], chunk.text) for number, chunk in enumerate(found, 1)]
    return user_text("\n\n".join(items), question)


def test_search_returns_falling_scores() -> None:
    """Five chunks of the corpus, best first."""
    found = INDEX.search("What does str.casefold() return?")
    assert found[0][0].id == "string-methods#2"
    assert len(found) == 5
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert all(chunk in CORPUS for chunk, _ in found)


def test_search_order_is_deterministic() -> None:
    """A second index over the same chunks gives the same lists; equal scores keep the order of the corpus."""
    again = Bm25Index(CORPUS, k=5)
    for question in QUESTIONS:
        assert INDEX.search(question.text) == again.search(question.text)
    twins = [Chunk(id=name, text="The same words here") for name in "abcd"]
    found = Bm25Index([*twins, Chunk(id="e", text="Other")], k=3).search("words")
    assert [chunk.id for chunk, _ in found] == ["a", "b", "c"]


def test_search_returns_nothing_for_unknown_words() -> None:
    """A query without a word of the corpus has no results, not arbitrary ones."""
    assert INDEX.search("xylophone zymurgy") == []


def test_an_index_needs_chunks_and_a_length() -> None:
    with pytest.raises(ConfigError, match="at least one chunk"):
        Bm25Index([])
    with pytest.raises(ConfigError, match="k is 0"):
        Bm25Index(CORPUS, k=0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('What does the "with" statement do?', ["with", "statement"], id="keywords stay, filler goes"),
        pytest.param("The __exit__() methods", ["__exit__", "exit", "method"], id="special names also without dunders"),
        pytest.param("str.zfill(width)", ["str", "zfill", "width"], id="dotted names come apart"),
        pytest.param("operator OPERATION operators", ["operator", "oper", "operator"], id="endings are cut"),
        pytest.param("?!", [], id="nothing"),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """What search and model compare."""
    assert words(text) == expected


def test_read_prompt_is_not_misled_by_footnotes() -> None:
    """A chunk's own `[1]` at the start of a line opens no passage."""
    passages, question = read_prompt(PROMPT)
    assert question == "How many hours do dogs sleep?"
    assert [passage.number for passage in passages] == [1, 2]
    assert "footnote" in passages[1].text


def test_read_prompt_reads_its_own_format() -> None:
    """What `item_text` and `user_text` write, `read_prompt` reads back."""
    asked = "When is the else clause of a for loop executed?"
    passages, question = read_prompt(_prompt(asked))
    assert question == asked
    assert [passage.text for passage in passages] == [chunk.text.strip() for chunk, _ in INDEX.search(asked)]


def test_plain_numbering_is_read_too() -> None:
    """`[1] text` on one line is the other common form."""
    passages, question = read_prompt("[1] Cats are small.\n[2] Dogs are large.\n\nQuestion: Which?")
    assert passages == (Passage(1, "Cats are small."), Passage(2, "Dogs are large."))
    assert question == "Which?"


def test_sentences_leave_code_and_footnote_marks_out() -> None:
    """Only full sentences are quotable; an indented description carries its signature."""
    text = (
        "Title\n*****\n\nstr.up()\n\n   Return the text in capitals. [3]\n\n   >>> 'a'.up()\n   'A'\n\n"
        "A pre-\ncomputed value is kept here."
    )
    assert [one.text for one in sentences(Passage(1, text))] == [
        "str.up(): Return the text in capitals.",
        "A pre-computed value is kept here.",
    ]


def test_answer_cites_the_passage_it_quotes() -> None:
    """`hours`, `dogs` and `sleep` are all in the second passage; the citation stands before the full stop."""
    assert Extractive(max_sentences=1).answer(PROMPT) == "Dogs sleep 9 hours every single night [2]."


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("[1] Cats are small animals.\n\nQuestion: Who wrote Hamlet?", id="no shared word"),
        pytest.param("Question: How many hours do dogs sleep?", id="no context"),
        pytest.param("[1] Cats are small animals.\n\nQuestion: What is it?", id="no word that counts"),
        pytest.param("", id="nothing"),
    ],
)
def test_refusal(prompt: str) -> None:
    """Where nothing fits, the model says so."""
    assert Extractive().answer(prompt) == REFUSAL


def test_every_quoted_sentence_is_in_the_passage_it_cites() -> None:
    """Over all questions: real positions, and the words before each `[n]` stand in passage n (code marks aside)."""
    answered = 0
    for question in QUESTIONS:
        found = [chunk for chunk, _ in INDEX.search(question.text)]
        answer = Extractive().answer(_prompt(question.text))
        if answer == REFUSAL:
            continue
        answered += 1
        parts = re.split(r" \[(\d+)\][.!] ?", answer)
        assert parts[-1] == ""
        for quoted, number in zip(parts[0::2], parts[1::2], strict=False):
            source = _flat(re.sub(r"\s\[\d+\]", "", found[int(number) - 1].text))
            said = re.sub(r"^[\w.]+(?:\([^:]*\))?: ", "", quoted)
            assert _flat(said) in source, (question.text, quoted)
    assert answered >= 30


def test_an_answer_is_streamed_whole() -> None:
    """The pieces together are the text, blanks included."""
    answer = Extractive().answer(PROMPT)
    assert "".join(tokens(answer)) == answer
    assert len(tokens(answer)) > 3


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # zlib.crc32(question) % 3 picks the habit.
        pytest.param("How long do dogs sleep?", "Dogs sleep 9 hours every single night [3].", id="0: next number"),
        pytest.param("Do dogs sleep at night?", "Dogs sleep 10 hours every single night [2].", id="1: other value"),
        pytest.param(
            "How many hours do dogs sleep?",
            "Dogs sleep 9 hours every single night [2]. This behaviour was removed in Python 2.4",
            id="2: unsupported close",
        ),
    ],
)
def test_careless_model(question: str, expected: str) -> None:
    """The careless model has one of its documented habits, chosen by the question."""
    prompt = PROMPT.replace("How many hours do dogs sleep?", question)
    assert MODELS["extractive-careless"].answer(prompt).startswith(expected)
