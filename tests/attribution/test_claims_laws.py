"""What holds for the statements of every answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.claims import Statement, split_statements
from rag_eval_hooks.attribution.marks import find_marks
from rag_eval_hooks.attribution.sentence_ends import sentence_ends

# Nothing here makes a heading, fenced code, a citation mark, a number of a list item or an opening.
PIECES = (
    "Ann",
    "went",
    "9",
    "9. ",
    "3.5",
    "No",
    "art",
    "Dr",
    "J",
    "U.S",
    "z. B",
    "str.join",
    "塔高",
    "と",
    "है",
    "هل",
    "ครับ",
    "Что",
    ". ",
    ".",
    "! ",
    "? ",
    "… ",
    "... ",
    "。",
    "？",
    "।",
    "؟ ",
    "。）",
    "！”",
    ": ",
    "; ",
    ", ",
    " ",
    "  ",
    "\n",
    "\n\n",
    "(",
    ")",
    "“",
    "”",
    '"',
    "« ",
    " »",
    "„",
    "「",
    "」",
    "[",
    "](x)",
    "`",
    "**",
    "_",
    "\n- ",
    " • ",
    "\n> ",
    "|",
    "\n: ",
    "<br>",
    "✅ ",
    "\u00a0",
    "\u200b",
    "\u00ad",
)
ANSWERS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
MARKDOWN = st.lists(
    st.sampled_from(
        (*PIECES, "[1]", "\n# ", "\n---\n", "\n===\n", "|--|--|\n", "\n```\n", "\n~~~\n", "2. ", "\n1) ", "<li>")
    ),
    max_size=40,
).map("".join)


def statements(answer: str) -> list[Statement]:
    return split_statements(answer, find_marks(answer, 9))


@given(st.one_of(MARKDOWN, st.text(max_size=200)))
def test_statements_are_in_order_inside_the_answer_and_say_something(answer: str) -> None:
    last = 0
    for one in statements(answer):
        text = answer[one.start : one.end]
        assert last <= one.start < one.end <= len(answer)
        assert any(char.isalnum() for char in text)
        assert text == text.strip()
        last = one.end


@given(ANSWERS)
def test_no_letter_or_digit_is_lost(answer: str) -> None:
    covered = set().union(*(range(one.start, one.end) for one in statements(answer)))
    tags = {
        at for at in range(len(answer)) for shift in range(4) if answer.startswith("<br>", at - shift) and at >= shift
    }
    assert [char for at, char in enumerate(answer) if char.isalnum() and at not in covered | tags] == []


@given(ANSWERS)
def test_sentences_end_inside_the_passage_and_behind_a_character(answer: str) -> None:
    ends = list(sentence_ends(answer, 0, len(answer)))
    assert ends == sorted(set(ends))
    assert all(0 < at < len(answer) for at in ends)


@given(ANSWERS, ANSWERS)
def test_paragraphs_are_cut_independently(first: str, second: str) -> None:
    first, second = first.replace("`", ""), second.replace("`", "")
    gap = f"{first}\n\nEnd\n\n"
    shifted = [Statement(one.start + len(gap), one.end + len(gap), one.kind) for one in statements(second)]
    assert statements(gap + second) == statements(gap) + shifted


@pytest.mark.parametrize(
    "piece",
    [
        "(! ) ",
        "“a! ",
        '"a. b" ',
        "« x. ",
        "a\n---\n",
        "x\n: y\n",
        "a|b\n--|--\n",
        "[a. ](",
        "].(",
        "<br",
        "<li ",
        " • ",
        "J. K. ",
        "no. ",
        "am 3. ",
        "α; ",
        "。」と",
        "！”他",
        "(a. b) c ",
        '"(“«（「',
        "1) ",
        "．",
        "ครับ ",
        ". \u00a0» ",
        "`a. ",
    ],
)
def test_hostile_repetition_ends(piece: str) -> None:
    answer = piece * 30_000
    assert all(one.end <= len(answer) for one in split_statements(answer, []))
