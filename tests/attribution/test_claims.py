"""How answers are cut into statements, and to which statement a mark belongs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.claims import assign_marks, split_statements
from rag_eval_hooks.attribution.marks import find_marks


def cut(answer: str) -> list[tuple[str, str]]:
    return [(answer[one.start : one.end], one.kind) for one in split_statements(answer, find_marks(answer, 9))]


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        pytest.param("One. Two! Three", ["One.", "Two!", "Three"], id="sentences"),
        pytest.param("It costs $3.50 in v2.1. Fine.", ["It costs $3.50 in v2.1.", "Fine."], id="decimals"),
        pytest.param(
            "Dr. J. Smith of Acme Inc. spoke, e.g. on law.",
            ["Dr. J. Smith of Acme Inc. spoke, e.g. on law."],
            id="abbreviations",
        ),
        pytest.param(
            "Made by Acme Inc. The rest is theirs.",
            ["Made by Acme Inc.", "The rest is theirs."],
            id="a suffix may end a sentence",
        ),
        pytest.param("他走了。她来了！谁？", ["他走了。", "她来了！", "谁？"], id="CJK stops"),
        pytest.param("- one\n- two\n  goes on\n", ["one", "two\n  goes on"], id="list items"),
        pytest.param("1. Open. Wait.\n2) Close", ["Open.", "Wait.", "Close"], id="numbered items"),
        pytest.param("Das Treffen ist am 3. Mai. Es endet.", ["Das Treffen ist am 3. Mai.", "Es endet."], id="a date"),
        pytest.param("Er lebte im 19. Jahrhundert.", ["Er lebte im 19. Jahrhundert."], id="an ordinal"),
        pytest.param(
            "He scored 3. Then he left.", ["He scored 3.", "Then he left."], id="a number that ends a sentence"
        ),
        pytest.param(
            "Frei, z. B. für Kinder, d. h. alle.", ["Frei, z. B. für Kinder, d. h. alle."], id="spaced letters"
        ),
        pytest.param(
            "Rund 1,23 Mio. Euro, vgl. Abs. 3.", ["Rund 1,23 Mio. Euro, vgl. Abs. 3."], id="German short forms"
        ),
        pytest.param("<think>No. Yes.</think>It opens.", ["It opens."], id="reasoning is no part of the answer"),
        pytest.param("It opens.\n\nSource: rules.pdf, page 3", ["It opens."], id="a source line"),
        pytest.param(
            "Based on the provided documents, it opens.", ["it opens."], id="an opening that names the sources"
        ),
        pytest.param("# Title\n\nText.", ["Text."], id="headings state nothing"),
        pytest.param(
            "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", ["1 | 2", "3 | 4"], id="table rows without the header"
        ),
        pytest.param("Before.\n```\ncode. More code.\n```\nAfter.", ["Before.", "After."], id="fenced code"),
        pytest.param(
            "Opens at 7:00 [1]. Closes at 9:00. [2]",
            ["Opens at 7:00", "Closes at 9:00."],
            id="marks at the end are left out",
        ),
        pytest.param(
            "It ends [1]. str.join() goes on [2].", ["It ends", "str.join() goes on"], id="a mark before the stop"
        ),
        pytest.param("Name: X\nAge: 5", ["Name: X", "Age: 5"], id="short lines"),
        pytest.param(f"{'wrapped ' * 9}\nGoes on.", [f"{'wrapped ' * 9}\nGoes on."], id="wrapped lines"),
        pytest.param(
            "He shouted “Stop!” and left.", ["He shouted “Stop!” and left."], id="a stop before a lower-case word"
        ),
        pytest.param("> Quoted. Twice.", ["Quoted.", "Twice."], id="block quotes"),
        pytest.param("?!... --- [1]", [], id="nothing"),
    ],
)
def test_split(answer: str, texts: list[str]) -> None:
    assert [text for text, _ in cut(answer)] == texts


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I don't know.", "refusal"),
        ("I'm sorry, but the provided context does not contain information about that.", "refusal"),
        ("Based on the given passages, there is no information about the price.", "refusal"),
        ("The documents do not mention who built it.", "refusal"),
        ("Unfortunately, I could not find the answer in the sources.", "refusal"),
        ("抱歉，根据提供的资料无法回答。", "refusal"),
        ("文档中没有提到价格。", "refusal"),
        ("わかりません。", "refusal"),
        ("Das weiß ich leider nicht.", "refusal"),
        ("Das steht leider nicht in den Dokumenten.", "refusal"),
        ("Die Dokumente enthalten dazu keine Informationen.", "refusal"),
        ("Leider kann ich diese Frage anhand des Kontexts nicht beantworten.", "refusal"),
        ("El contexto no contiene esa información.", "refusal"),
        ("N/A", "refusal"),
        ("Yes.", "courtesy"),
        ("Viele Grüße, Ihr Team", "courtesy"),
        ("Das steht nicht im Weg.", "statement"),
        ("In 1982 the Velvet Oars released the single 'I Don't Know'.", "statement"),
        ("I do not recommend it, the manual says.", "statement"),
        ("The contract does not mention a penalty.", "statement"),
        ("合同没有规定违约金。", "statement"),
        ("No evidence of water was found on the moon.", "statement"),
        ("Unknown species live here.", "statement"),
        ("Sure!", "courtesy"),
        ("I hope this helps.", "courtesy"),
        ("Here are the opening times:", "courtesy"),
        ("The steps are as follows:", "lead_in"),
        ("Would you like more?", "question"),
    ],
)
def test_kinds(sentence: str, kind: str) -> None:
    assert cut(sentence) == [(sentence, kind)]


def test_what_follows_a_refusal_in_one_sentence_is_the_statement() -> None:
    answer = "I couldn't find the price, but the warranty is 2 years [1]."
    assert cut(answer) == [("the warranty is 2 years", "statement")]


@pytest.mark.parametrize(
    ("answer", "owners"),
    [
        pytest.param("A one [1]. B two [2].", [0, 1], id="inside"),
        pytest.param("A one. [1] B two. [2]", [0, 1], id="after the stop"),
        pytest.param("[1] A one.\n[2] B two.", [0, 1], id="before, on the line"),
        pytest.param("A one.\n\n[1][2]", [0, 0], id="on a line of its own"),
        pytest.param("[1] A one. [2] B two.", [0, 1], id="before, throughout a line"),
        pytest.param("A one [1] and two [2].", [0, 0], id="twice in one"),
        pytest.param("[1]", [None], id="no statement"),
    ],
)
def test_owners(answer: str, owners: list[int | None]) -> None:
    marks = find_marks(answer, 9)
    assert assign_marks(answer, split_statements(answer, marks), marks) == owners


PIECES = st.sampled_from(
    ["A b", "c. ", "D! ", "[1]", "\n", "\n\n", "- ", "1. ", "| x | y |", "```\n", "`", "# ", "。", "e.g. ", " "]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_statements_are_in_order_and_inside_the_answer(answer: str) -> None:
    last = 0
    for one in split_statements(answer, find_marks(answer, 9)):
        assert last <= one.start < one.end <= len(answer)
        assert any(char.isalnum() for char in answer[one.start : one.end])
        last = one.end


@pytest.mark.parametrize(
    "piece", ["a. ", ".", "|", "- ", "word\n", "A.B.", "> ", "I don't know. ", ", but ", "x", "\n", "sorry "]
)
def test_hostile_repetition_ends(piece: str) -> None:
    assert len(cut(piece * 30_000)) <= 30_000
