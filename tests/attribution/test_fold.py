"""Folding makes the same words compare equal and keeps the way back to the original."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.fold import SAME, STABLE, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        pytest.param("The Plain Text", "the plain text", id="plain"),
        pytest.param("Caf&eacute; &amp; &#66;ar", "café & bar", id="entities"),
        pytest.param("&bogus; & alone", "&bogus; & alone", id="what is no entity stays"),
        pytest.param("<td>Night</td><td>0.18</td>", " night  0.18 ", id="tags part words"),
        pytest.param("<tr><td>a</td></tr><tr><td>b</td></tr>", "\n a \n\n b \n", id="rows part lines"),
        pytest.param("a < b and c > d", "a < b and c > d", id="comparisons are no tags"),
        pytest.param("ﬁlter eﬃciency", "filter efficiency", id="ligatures"),
        pytest.param("１２０名", "120名", id="full width"),
        pytest.param("so\u00adft zero\u200bwidth", "soft zerowidth", id="invisible characters"),
        pytest.param("Rule\x00 14\x07", "rule 14", id="control characters"),
        pytest.param("E\u0301tude", "étude", id="combining marks"),
        pytest.param("7\u20118 \u22124", "7-8 -4", id="dashes"),
        pytest.param("“x” ‘y’", "\"x\" 'y'", id="quotes"),
        pytest.param("2\u202f400 litres, 8\u00a0am", "2,400 litres, 8 am", id="a tight space joins thousands only"),
        pytest.param("\u1112\u1161\u11ab", "한", id="decomposed Hangul"),
        pytest.param("Straße", "strasse", id="a letter that folds to two"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text).text == folded


def test_a_span_leads_back_to_its_source() -> None:
    text = "The Caf&eacute; ﬁlls <b>up</b>"
    folded = fold(text)
    start = folded.text.index("café")
    assert text[slice(*folded.span(start, start + 4))] == "Caf&eacute;"
    start = folded.text.index("fills")
    assert text[slice(*folded.span(start, start + 5))] == "ﬁlls"
    assert folded.locate(text.index("up"), text.index("up") + 2) == (
        folded.text.index("up"),
        folded.text.index("up") + 2,
    )


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200) | st.text(
    alphabet="aB1 \n<b>&amp;\x00\u0301éßﬁ’…\u00a0\u200b\u00ad中，か\u3099\u1100\u1161가\u11a8", max_size=40
)


@given(TEXTS)
def test_every_folded_character_has_a_source_in_order(text: str) -> None:
    folded = fold(text)
    spans = [folded.span(place, place + 1) for place in range(len(folded.text))]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)


@given(TEXTS)
def test_a_place_leads_back_to_the_first_character_whose_source_is_not_before_it(text: str) -> None:
    folded = fold(text)
    starts = [folded.span(place, place + 1)[0] for place in range(len(folded.text))]
    for offset in range(len(text) + 1):
        first = next((place for place, start in enumerate(starts) if start >= offset), len(starts))
        assert folded.locate(offset, offset) == (first, first)


def test_stable_characters_only_lose_their_case() -> None:
    """What `STABLE` lists is not normalised, so it must not change, nor join the character before it."""
    parts = [unicodedata.decomposition(chr(code)).split() for code in range(sys.maxunicode)]
    joining = {chr(int(part[1], 16)) for part in parts if len(part) == 2 and part[0][0] != "<"}
    for char in filter(re.compile(f"[{STABLE}]").match, map(chr, range(0xFFFF))):
        assert unicodedata.normalize("NFKC", char).translate(SAME).casefold() == char.lower()
        assert len(char.lower()) == 1
        assert unicodedata.combining(char) == 0
        assert char not in joining
