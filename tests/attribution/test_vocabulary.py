"""The index finds the terms that cutting all text into terms would find."""

from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.sentences import sentence_bounds
from rag_eval_hooks.attribution.terms import OPENING, openings, plain_terms, stem, terms
from rag_eval_hooks.attribution.vocabulary import Vocabulary

WORDS = st.sampled_from(
    "founder founders founded o'neil o'neil's 'quoted' rock'n'roll flies fly adding ad policies policy the over overs"
    " straße élan θάλασσα 青禾公司的营收 营收 的人是 人 人口 かな 가나다 ไทย \ud800 😀 3 half . ! ? 。 \n ' - ,".split(
        " "
    )
) | st.text(alphabet="abc'es yingd营收的人", max_size=8)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join) | st.lists(WORDS, max_size=30).map("".join)


@given(TEXTS, TEXTS)
def test_finds_what_all_terms_hold(answer: str, chunk: str) -> None:
    wanted = {term for term, _, _ in terms(fold(answer).text)}
    folded = fold(chunk)
    bounds = sentence_bounds(folded, chunk)
    found: list[list[str]] = [[] for _ in bounds]
    for number, term in Vocabulary(wanted).find(folded.text, bounds):
        found[number].append(term)
    for held, (start, end) in zip(found, bounds, strict=True):
        assert wanted.intersection(held) == wanted.intersection(plain_terms(folded.text, start, end))


@given(st.text(alphabet="abdegilnsy'é", min_size=1, max_size=8))
def test_a_word_opens_as_its_stem_says(word: str) -> None:
    if "'" not in word:
        assert word[:OPENING] in openings({stem(word)})


def test_words_alike_are_found_by_their_beginning() -> None:
    lookup = Vocabulary({"foundation"})
    assert sorted(lookup.find("they founded a foundry", [(0, 12), (12, 22)])) == [(0, "found"), (1, "foundry")]
    assert lookup.alike("foundation") == ["found", "foundry"]
