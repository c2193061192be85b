"""Bad parameters and labels are refused in words; unusual labels are said."""

import math

import pytest
from pydantic import ValidationError

from rag_eval_hooks.errors import InputError, MetricSpecError
from rag_eval_hooks.metrics import Fe, notes, parse_metric
from rag_eval_hooks.metrics.notes import unmatched_labels
from rag_eval_hooks.record import Gold, read_run
from rag_eval_hooks.record.item_keys import DOCUMENT_KEYS
from rag_eval_hooks.testing import make_run


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("F(beta=-1)", "F: beta must be a number from 0 to 1000, got -1.0"),
        ("F(beta=nan)", "F: beta must be a finite number, got nan"),
        ("F(beta=x)@5", "F: beta must be a finite number, got 'x'"),
        ("T(alpha=1.5)", "T: alpha must be a number from 0 to 1, got 1.5"),
        ("T(alpa=0.5)", r"T has no parameter 'alpa'; did you mean 'alpha'\?"),
        ("T@0", "T: k must be a whole number from 1 to 1000000000, got 0"),
        ("UDCG(labels=used)", "UDCG: labels must be gold or judge, got 'used'"),
        ("P(level=row)", "P: level must be chunk or page or document, got 'row'"),
        ("Provenance@5", "Provenance takes no cut-off"),
        ("CitationPrecision(rule=strict)", "CitationPrecision: rule must be part or alce, got 'strict'"),
        ("UDGC@5", r"unknown metric 'UDGC'; did you mean 'UDCG'\?"),
    ],
)
def test_an_error_names_the_measure_the_value_and_the_way_out(text: str, message: str) -> None:
    with pytest.raises(MetricSpecError, match=message):
        parse_metric(text)


@pytest.mark.parametrize("text", ["T(alpha=0.3)@5", "F(beta=2)@10", "F(beta=0.5)", "Fe@5", "P(level=page)@5"])
def test_names_with_numbers_read_back(text: str) -> None:
    assert str(parse_metric(text)) == text


@pytest.mark.parametrize("grade", [math.nan, math.inf, "x", None, []])
def test_a_gain_that_is_no_number_is_refused_where_it_is_read(grade: object) -> None:
    with pytest.raises(InputError, match=r"gold\.relevance\['a'\]: expected a finite number, got"):
        read_run({"contexts": [{"id": "a"}], "gold": {"relevance": {"a": grade}}})
    if grade != "x" and isinstance(grade, float):
        with pytest.raises(ValidationError, match="finite number"):
            Gold(relevance={"a": grade})


@pytest.mark.parametrize("name", ["P", "R", "Hit", "F", "RR", "AP", "nDCG", "nDCG(gain=linear)", "Fe", "T"])
def test_a_negative_gain_is_that_of_an_irrelevant_item(name: str) -> None:
    """trec_eval's qrels hold such grades; they are no error and take nothing away."""
    below = parse_metric(name).score(make_run("ab", relevance={"a": -2, "b": 1}))
    zero = parse_metric(name).score(make_run("ab", relevance={"a": 0, "b": 1}))
    assert below == zero
    assert below.value is not None


class TestNotes:
    def test_a_gold_id_that_names_no_item_counts_and_is_said(self) -> None:
        run = make_run("ab", relevance={"a": 1, "typo": 1})
        assert parse_metric("R").score(run).value == 1 / 2
        assert unmatched_labels(run) == {"typo"}
        assert notes(run) == (
            "gold: 1 of 2 labelled ids names no item of this run and counts as missed",
            "gold: 1 of 2 retrieved ids is not judged and counts as not relevant",
        )
        assert parse_metric("Judged").score(run).value == 1 / 2

    def test_evidence_sets_and_a_judge_are_looked_at_too(self) -> None:
        run = make_run("ab", evidence_sets=["ax", "y"], judge=Gold(relevance={"a": 1, "b": 0, "q": 1}))
        assert notes(run) == (
            "gold: 2 of 3 labelled ids name no item of this run and count as missed",
            "gold: 1 of 2 retrieved ids is not judged and counts as not relevant",
            "judge: 1 of 3 labelled ids names no item of this run and counts as missed",
        )

    def test_repeats_are_said(self) -> None:
        assert notes(make_run("aaa")) == ("2 of 3 retrieved items repeat an id and count once",)

    def test_a_short_list_and_missing_metadata_are_said_of_the_measure(self) -> None:
        run = make_run("ab")
        assert notes(run, [Fe(k=2), Fe(k=1), parse_metric("P(level=page)@2"), parse_metric("P@2")]) == (
            "Fe@2: fewer than 2k items were returned (pool_truncated)",
            f"P(level=page)@2: 2 of 2 chunks name no document ({', '.join(DOCUMENT_KEYS)}) and keep their own ids",
        )

    def test_spans_that_nothing_covers_are_said(self) -> None:
        spans = [{"document": "x", "start": start, "end": start + 10} for start in (0, 50, 90)]
        contexts = [{"id": "a", "metadata": {"source": "x", "position": [0, 20]}}]
        run = read_run({"contexts": contexts, "gold": {"spans": spans}})
        assert notes(run) == ("gold: 2 of 3 spans are covered by no chunk of this run",)
        assert notes(read_run({"contexts": contexts, "gold": {"spans": spans[:1]}})) == ()
        bare = read_run({"contexts": [{"id": "a", "metadata": {"source": "x"}}], "judge": {"spans": spans}})
        assert notes(bare) == ("judge: chunks do not say their character range, so nothing is known about the 3 spans",)

    def test_nothing_unusual_is_nothing_said(self) -> None:
        assert notes(make_run("ab", relevance={"a": 1, "b": 0}), [parse_metric("P@2")]) == ()
