"""Sentences end where readers of each script see an end, and Markdown is cut into its parts."""

import pytest

from rag_eval_hooks.attribution.claims import split_statements
from rag_eval_hooks.attribution.marks import find_marks


def cut(answer: str) -> list[str]:
    return [answer[one.start : one.end] for one in split_statements(answer, find_marks(answer, 9))]


@pytest.mark.parametrize(
    "sentences",
    [
        pytest.param(["دفتر مفتوح.", "أين البرج؟", "هنا."], id="Arabic"),
        pytest.param(["دروازہ بند ہے۔", "کیا وہ کھلے گا؟"], id="Urdu"),
        pytest.param(["हॉल खुला है।", "डॉ. राव आए॥", "वे गए।"], id="Hindi"),
        pytest.param(["হল খোলা।", "কুকুর নয়।"], id="Bengali"),
        pytest.param(["សាលបើក។", "អរគុណ៕", "បិទ។"], id="Khmer"),
        pytest.param(["ခန်းမဖွင့်သည်။", "ပိတ်သည်။"], id="Burmese"),
        pytest.param(["Դուռը բաց է։", "Մուտք չկա։"], id="Armenian"),
        pytest.param(["በሩ ክፍት ነው።", "ውሻ አይገባም።"], id="Amharic"),
        pytest.param(["Πού είναι;", "Εδώ είναι."], id="Greek"),
        pytest.param(["ประตูเปิดครับ", "ปิดเวลา 18.00 น. ทุกวันครับ"], id="Thai"),
        pytest.param(
            ["Где он?", "Он пришёл в 1911 г. с сестрой.", "Там были столы и т. д.", "Вход свободный."], id="Russian"
        ),
        pytest.param(["Il y a du pain, etc.", "Le n° 3, p. ex., est cher.", "Où est-il ?"], id="French"),
        pytest.param(["¿Está?", "¡Sí!", "Vive en EE. UU. desde 1998.", "Véase núm. 4."], id="Spanish"),
        pytest.param(
            ["Es gibt Brot usw.", "Der Laden hat z. B. Milch, d. h. alles.", "Am 3. Mai schließt er."], id="German"
        ),
    ],
)
def test_scripts(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        pytest.param(["门开着！", "价格是３．５元。", "“真的吗？”他问。", "是。"], id="Chinese"),
        pytest.param(
            ["門は開いている。", "彼は「遅い。帰る。」と言った。", "（理由は不明。）", "終わり。"], id="Japanese"
        ),
        pytest.param(["塔高80米（建于1820年。后来重修。）现已关闭。", "它是斜的。"], id="brackets within a sentence"),
    ],
)
def test_scripts_without_blanks(sentences: list[str]) -> None:
    assert cut("".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        pytest.param(["Is it open?", "No.", "It closed."], id="no is a word, too"),
        pytest.param(
            ["We saw modern art.", "See No. 5 and Art. 7.", "See Fig. B and Sec. IV now."], id="before a number"
        ),
        pytest.param(["Take vitamin C.", "The rest is in plan B.", "J. R. Moss and P.D. Wren wrote it."], id="letters"),
        pytest.param(["She lives in the U.S. with him.", "He left the U.S.", "It rained."], id="dotted letters"),
        pytest.param(["I am 5.", "She is 7.", "He came 1st.", "We left."], id="numbers that are no ordinals"),
        pytest.param(
            ["See v2.1 at a.org/b.c?d.", "iPhones cost 3.5.", "json.dump writes x.txt."], id="names in lower case"
        ),
        pytest.param(["the hall opens at 9.", "it closes at 5.", "ask there."], id="no capitals at all"),
        pytest.param(["The rule says: “Stop. Wait. Go.”", "Few know it."], id="a quotation in a sentence"),
        pytest.param(
            ["“Stop. Wait.” he said.", "“We go.”", "She “ran. Fast.” and left."], id="a quotation that goes on"
        ),
        pytest.param(["It leans (why? Who knows.) to the left.", "(It is old.)", "It stands."], id="round brackets"),
        pytest.param(["See [the guide. Part 2](https://x.org/a.b).", "Use `a. B` now."], id="links and code"),
        pytest.param(["« Partons. »", "Il a dit « Oui ! » et partit.", "Fin."], id="guillemets"),
        pytest.param(["»Halt! Zurück!«, rief er.", "Da steht „Nein.“", "Alle gehen."], id="German quotes"),
    ],
)
def test_stops(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


def test_a_forgotten_blank_ends_a_sentence_but_a_dotted_name_does_not() -> None:
    assert cut("It is open.It closes.\nCall fmt.Println first.") == [
        "It is open.",
        "It closes.",
        "Call fmt.Println first.",
    ]


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        pytest.param("Hours\n=====\nIt opens.\n\nPrices\n---\nIt is free.", ["It opens.", "It is free."], id="setext"),
        pytest.param("It opens.\n---\nIt closes.", ["It opens.", "It closes."], id="a rule below a sentence"),
        pytest.param("Paris\n---\n", ["Paris"], id="an answer above a rule"),
        pytest.param(
            "Year | Guests\n--- | ---\n2019 | 12\n2020 | 3", ["2019 | 12", "2020 | 3"], id="a table without bars"
        ),
        pytest.param("Run:\n~~~\na. B\n~~~\nDone.", ["Run:", "Done."], id="tilde fences"),
        pytest.param("1. Run:\n    ```\n    a. B\n    ```\nDone.", ["Run:", "Done."], id="an indented fence"),
        pytest.param("> ```\n> a. B\n> ```\nDone.", ["Done."], id="a fence in a block quote"),
        pytest.param(
            "```a. B``` is short.\nIt runs.", ["```a. B``` is short.", "It runs."], id="three backticks inline"
        ),
        pytest.param("Use `a\nb` now. Wait.", ["Use `a\nb` now.", "Wait."], id="inline code that is wrapped"),
        pytest.param(
            "Quorum\n: Half of them.\n: Two thirds. At times.",
            ["Quorum\n: Half of them.", "Two thirds.", "At times."],
            id="definitions",
        ),
        pytest.param("Rooms: • Hall • Attic\n• A • B", ["Rooms:", "Hall", "Attic", "A", "B"], id="inline bullets"),
        pytest.param("1. Pay. 2. Sign it. 3. Wait.", ["Pay.", "Sign it.", "Wait."], id="inline numbers"),
        pytest.param("Steps: 1) Pay. 2) Sign.", ["Steps:", "Pay.", "Sign."], id="inline numbers in brackets"),
        pytest.param("12. They were built late.", ["12. They were built late."], id="a number that is the answer"),
        pytest.param(
            "After the long repairs of the year 1931 the new bridge was opened on May\n12. It closed.",
            ["After the long repairs of the year 1931 the new bridge was opened on May\n12.", "It closed."],
            id="a wrapped number",
        ),
        pytest.param("1、护照\n（2）照片\n三、表格", ["护照", "照片", "表格"], id="Chinese numbers"),
        pytest.param("- [x] Paid\n- [ ] Signed", ["Paid", "Signed"], id="tasks"),
        pytest.param("✅ Dogs may enter\n🚫 no bikes", ["Dogs may enter", "no bikes"], id="pictures as bullets"),
        pytest.param(
            "It is tall.<br>It leans.<ul><li>Red</li><li>Blue</li></ul>",
            ["It is tall.", "It leans.", "Red", "Blue"],
            id="HTML",
        ),
        pytest.param("> # Title\n> It opens.", ["It opens."], id="a heading in a block quote"),
        pytest.param("塔高80米[1]。它斜。[2]", ["塔高80米", "它斜。"], id="marks before a full-width stop"),
    ],
)
def test_markdown(answer: str, texts: list[str]) -> None:
    assert cut(answer) == texts
