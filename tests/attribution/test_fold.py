"""Folding makes the same words compare equal and keeps the way back to the original."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_hooks.attribution.fold import fold


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


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_every_folded_character_has_a_source_in_order(text: str) -> None:
    folded = fold(text)
    if folded.starts is None or folded.ends is None:
        assert len(folded.text) == len(text)
        return
    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert folded.starts == sorted(folded.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
