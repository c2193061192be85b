"""Groundedness, EvidenceCompleteness and the citation measures."""

import pytest

from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.testing import make_attribution, make_run

RUN = make_run("abc")
NAMES = (
    "Groundedness",
    "EvidenceCompleteness@2",
    "CitationPrecision",
    "CitationRecall",
    "CitationRecall(over=all)",
    "CitationCoverage",
)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(["+1", "-"], 1 / 2, id="one of two"),
        pytest.param(["+1", "+2", "~"], 2 / 2, id="what needs no evidence is on neither side"),
        pytest.param(["+1", "!", "?", "-"], 1 / 4, id="conflict and doubt are no support"),
        pytest.param(["-"], 0, id="a true zero"),
    ],
)
def test_groundedness(claims: list[str], expected: float) -> None:
    found = make_attribution(RUN, claims=claims)
    assert parse_metric("Groundedness").score(RUN, found).value == expected
    assert parse_metric("EvidenceCompleteness").score(RUN, found).value == expected


@pytest.mark.parametrize(("k", "expected"), [(1, 1 / 4), (2, 2 / 4), (3, 3 / 4), (9, 3 / 4)])
def test_evidence_completeness_looks_at_the_first_items_only(k: int, expected: float) -> None:
    found = make_attribution(RUN, claims=["+1", "+2", "+1,3", "-"])
    assert parse_metric(f"EvidenceCompleteness@{k}").score(RUN, found).value == expected


@pytest.mark.parametrize(
    ("claims", "citations", "precision", "recall", "over_all", "coverage"),
    [
        pytest.param(["+1", "+2"], [(0, 1)], 1 / 1, 1 / 2, 1 / 2, 1 / 2, id="one of two is cited"),
        pytest.param(["+1"], [(0, 1), (0, None)], 1 / 2, 1 / 1, 1 / 1, 1 / 1, id="a dangling one costs precision"),
        pytest.param(["+1"], [(0, None)], 0, 0, 0, 1 / 1, id="only a dangling one"),
        pytest.param(["+1"], [(0, 2, False)], 0, 0, 0, 1 / 1, id="only a misplaced one"),
        pytest.param(["-"], [(0, 1)], 1 / 1, 0, 0, 1 / 1, id="part of an unbacked claim is backed"),
        pytest.param(["+1", "~"], [(0, 1)], 1 / 1, 1 / 1, 1 / 2, 1 / 1, id="over all claims"),
        pytest.param(["+1"], [(0, 1), (None, 2, False)], 1 / 2, 1 / 1, 1 / 1, 1 / 1, id="one belongs to no claim"),
        pytest.param(["+1", "+2"], [], None, 0, 0, 0, id="no citations at all"),
        pytest.param(["~"], [], None, None, 0, None, id="nothing to back"),
    ],
)
def test_citations(
    claims: list[str],
    citations: list[tuple[int | None, int | None]],
    precision: float | None,
    recall: float | None,
    over_all: float | None,
    coverage: float | None,
) -> None:
    found = make_attribution(RUN, claims=claims, citations=citations)
    values = [parse_metric(name).score(RUN, found).value for name in NAMES[2:]]
    assert values == [precision, recall, over_all, coverage]


def test_own_reasons() -> None:
    found = make_attribution(RUN)
    reasons = [parse_metric(name).score(RUN, found).reason for name in NAMES]
    assert reasons == ["no_claims", "no_claims", "no_citations", "no_claims", "no_claims", "no_claims"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("run", "kind", "reason"),
    [
        (make_run("", status="error"), "refusal", "incomplete_run"),
        (make_run("", answer=""), "empty", "no_answer"),
        (make_run(""), "refusal", "refusal"),
        (make_run(""), "answer", "no_context"),
        (make_run("ab", used="a", answer=None), "empty", "no_answer"),
    ],
)
def test_reasons_in_order(name: str, run: RagRun, kind: str, reason: str) -> None:
    result = parse_metric(name).score(run, make_attribution(run, kind=kind))  # type: ignore[arg-type]
    assert (result.value, result.reason, result.labels) == (None, reason, "used")


@pytest.mark.parametrize("name", NAMES)
def test_without_attribution_the_caller_is_told(name: str) -> None:
    assert parse_metric(name).score(RUN).reason == "no_attribution"
