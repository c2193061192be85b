"""Words of scripts whose vowels are marks stay whole, and compare with and without the marks that writers leave out."""

import pytest

from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.terms import WORD, plain_terms, terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("पुल १९३१ में खुला।", ["पुल", "में", "खुला"], id="Hindi"),
        pytest.param("গ্রন্থাগার খোলা।", ["গ্রন্থাগার", "খোলা"], id="Bengali"),
        pytest.param("சென்னை நகரம்", ["சென்னை", "நகரம்"], id="Tamil"),
        pytest.param("كِتَابٌ مُحَمَّد كتـــاب", ["كتاب", "محمد", "كتاب"], id="Arabic points and stretching"),
        pytest.param("שָׁלוֹם", ["שלום"], id="Hebrew points"),
        pytest.param("İzmir", ["izmir"], id="Turkish dotted I"),
        pytest.param("x\u0302y wa\u0301ter", ["x\u0302y", "wáter"], id="accents of their own"),
        pytest.param("می\u200cشود", ["میشود"], id="a zero-width non-joiner"),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    folded = fold(text)
    assert [term for term, _, _ in terms(folded.text)] == words
    assert plain_terms(folded.text, 0, len(folded.text)) == words


def test_places_lead_back_to_the_original() -> None:
    text = "هذا كِتَاب قديم"
    folded = fold(text)
    spans = {term: text[slice(*folded.span(start, end))] for term, start, end in terms(folded.text)}
    assert spans["كتاب"] == "كِتَاب"


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        pytest.param("क्", ["क्" * 50_000], id="letters with marks are one word"),
        pytest.param("े", [], id="marks alone are none"),
        pytest.param("a\u0301", ["a\u0301" * 50_000], id="letters with accents are one word"),
        pytest.param("م\u064b", ["م\u064b" * 50_000], id="letters with points are one word"),
        pytest.param("a'", ["a'a"] * 25_000, id="a word has one apostrophe"),
    ],
)
def test_long_runs_of_marks_end(piece: str, words: list[str]) -> None:
    assert WORD.findall(piece * 50_000) == words
