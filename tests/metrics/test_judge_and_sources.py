"""Labels of a judge; EvidenceConflict, Provenance, TokenUse; CitationPrecision by ALCE's rule."""

from dataclasses import fields
from typing import Any

import pytest

from rag_eval_hooks.metrics import metric_classes, parse_metric
from rag_eval_hooks.record import Attribution, ContextItem, Gold, Support, read_run
from rag_eval_hooks.testing import make_attribution, make_run


class TestJudge:
    RUN = make_run(
        "abcd",
        relevance={"a": 1},
        evidence_sets=["a"],
        used="a",
        judge=Gold(relevance={"c": 2, "d": 1}, evidence_sets=(("c", "z"),), used=("b",)),
    )

    @pytest.mark.parametrize(
        ("name", "by_gold", "by_judge"),
        [
            ("P{}", 1 / 4, 2 / 4),
            ("R{}@3", 1 / 1, 1 / 2),
            ("RR{}", 1 / 1, 1 / 3),
            ("Judged{}", 1 / 4, 2 / 4),
            ("EvidenceRecall{}", 1 / 1, 1 / 2),
            ("CompleteEvidence{}", 1, 0),
            ("AnyEvidence{}@2", 1, 0),
            ("ContextPrecision{}", 1 / 1, 1 / 2),
            ("ContextUse{}@1", 1 / 1, 0 / 1),
            ("FirstUse{}", 1, 2),
        ],
    )
    def test_decides_alone(self, name: str, by_gold: float, by_judge: float) -> None:
        assert parse_metric(name.format("")).score(self.RUN).value == by_gold
        result = parse_metric(name.format("(labels=judge)")).score(self.RUN)
        assert (result.value, result.labels) == (by_judge, "judge")

    @pytest.mark.parametrize("judge", [None, Gold(), Gold(relevance={})])
    @pytest.mark.parametrize(
        "name", [name for name, cls in metric_classes().items() if "labels" in {field.name for field in fields(cls)}]
    )
    def test_missing_labels_of_a_judge_are_named(self, name: str, judge: Gold | None) -> None:
        run = make_run("abcd", relevance={"a": 1}, used="a", gold_answer="x", judge=judge)
        result = parse_metric(f"{name}(labels=judge)").score(run, make_attribution(run, used=[1], claims=["+1"]))
        assert (result.value, result.reason, result.labels) == (None, "no_judge", "judge")

    def test_an_irrelevant_list_has_no_value_either(self) -> None:
        run = make_run("ab", judge=Gold(relevance={"a": 0}))
        assert parse_metric("P(labels=judge)").score(run).reason == "no_judge"
        assert parse_metric("P(labels=judge,empty=zero)").score(run).value == 0

    def test_is_read_from_a_log(self) -> None:
        run = read_run({"contexts": [{"id": 1}, {"id": 2}], "answer": "x", "judge": {"relevant_ids": [2]}})
        assert parse_metric("RR(labels=judge)").score(run).value == 1 / 2


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        pytest.param(["!"], 1 / 1, id="the only claim"),
        pytest.param(["!", "+1", "-", "?"], 1 / 4, id="one of four"),
        pytest.param(["+1", "~"], 0 / 2, id="none is a true zero"),
        pytest.param(["!", "~"], 1 / 2, id="of all claims"),
        pytest.param([], None, id="no claims"),
    ],
)
def test_evidence_conflict(claims: list[str], expected: float | None) -> None:
    run = make_run("ab")
    result = parse_metric("EvidenceConflict").score(run, make_attribution(run, claims=claims))
    assert (result.value, result.reason) == (expected, "no_claims" if expected is None else None)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"source": "a.pdf", "page": 0}, 1),
        ({"source": "a.pdf", "page_label": "iv"}, 1),
        ({"url": "https://a", "row": 3}, 1),
        ({"title": "A", "start_index": 0}, 1),
        ({"doc_id": 7, "position": [0, 9]}, 1),
        ({"source": "a.pdf"}, 0),
        ({"page": 3}, 0),
        ({"source": "", "page": 3}, 0),
        ({"source": "a.pdf", "page": None, "row": []}, 0),
        ({}, 0),
    ],
)
def test_provenance_takes_a_document_and_a_place(metadata: dict[str, Any], expected: float) -> None:
    run = read_run({"contexts": [{"id": "a", "metadata": metadata}, {"id": "b"}], "gold": {"used": ["a"]}})
    assert parse_metric("Provenance").score(run).value == expected


def test_provenance_of_what_was_used() -> None:
    contexts = [{"id": "a", "metadata": {"source": "a.pdf", "page": 3}}, {"id": "b"}, {"id": "c"}]
    run = read_run({"contexts": contexts, "answer": "x"})
    metric = parse_metric("Provenance")
    assert metric.score(run, make_attribution(run, used=[1, 2])).value == 1 / 2
    assert metric.score(run, make_attribution(run)).reason == "nothing_used"


class TestTokenUse:
    """Two chunks of ten characters."""

    RUN = make_run([("a", "0123456789"), ("b", "abcdefghij")])
    METRIC = parse_metric("TokenUse")

    def found(self, *supports: tuple[int, tuple[tuple[int, int], ...]], claim: str = "+1") -> Attribution:
        made = make_attribution(self.RUN, claims=[claim])
        backing = tuple(Support(rank=rank, id="x", probability=0.9, spans=spans) for rank, spans in supports)
        return made.model_copy(update={"claims": (made.claims[0].model_copy(update={"supported_by": backing}),)})

    @pytest.mark.parametrize(
        ("supports", "expected"),
        [
            pytest.param([(1, ((0, 5),))], 5 / 20, id="one span"),
            pytest.param([(1, ((0, 5), (3, 8)))], 8 / 20, id="overlapping spans count once"),
            pytest.param([(1, ((3, 8), (0, 10), (4, 5)))], 10 / 20, id="spans within spans"),
            pytest.param([(1, ((0, 8), (1, 2), (3, 5)))], 8 / 20, id="several spans within one"),
            pytest.param([(1, ((0, 5),)), (2, ((0, 10),))], 15 / 20, id="two chunks"),
            pytest.param([(1, ((0, 99),))], 10 / 20, id="no more than there is"),
            pytest.param([], 0 / 20, id="nothing backed"),
        ],
    )
    def test_value(self, supports: list[tuple[int, tuple[tuple[int, int], ...]]], expected: float) -> None:
        assert self.METRIC.score(self.RUN, self.found(*supports)).value == expected

    def test_only_supported_claims_count(self) -> None:
        assert self.METRIC.score(self.RUN, self.found((1, ((0, 5),)), claim="-")).value == 0

    def test_of_a_cut_chunk_what_reached_the_prompt_counts(self) -> None:
        """Half of a, all of b: 15 characters, of which at most 5 of a."""
        context = (ContextItem(chunk=0, coverage=0.5), ContextItem(chunk=1))
        run = self.RUN.model_copy(update={"context": context})
        assert self.METRIC.score(run, self.found((1, ((0, 3),)))).value == 3 / 15
        assert self.METRIC.score(run, self.found((1, ((0, 9),)))).value == 5 / 15

    def test_unknown(self) -> None:
        run = make_run([("a", "")])
        assert self.METRIC.score(run, make_attribution(run, claims=["+1"])).reason == "no_context"
        assert self.METRIC.score(self.RUN, make_attribution(self.RUN)).reason == "no_claims"


@pytest.mark.parametrize(
    ("claims", "citations", "alce", "part"),
    [
        pytest.param(["+1"], [(0, 1)], 1 / 1, 1 / 1, id="one good citation"),
        pytest.param(["+1"], [(0, 1), (0, 2, False)], 1 / 2, 1 / 2, id="the second backs nothing"),
        pytest.param(["+1|2"], [(0, 1), (0, 2)], 2 / 2, 2 / 2, id="either backs it alone: both relevant"),
        pytest.param(["+1,2"], [(0, 1), (0, 2)], 2 / 2, 2 / 2, id="only together: both needed"),
        pytest.param(["+1,2"], [(0, 1)], 0 / 1, 1 / 1, id="half of what it takes: the claim is not backed"),
        pytest.param(["+1,2"], [(0, 1), (0, 2), (0, 3, False)], 2 / 3, 2 / 3, id="and one too many"),
        pytest.param(["-"], [(0, 1, False)], 0 / 1, 0 / 1, id="nothing backs the claim"),
        pytest.param(["-"], [(0, 1)], 0 / 1, 1 / 1, id="part of a claim that is not backed"),
        pytest.param(["+1"], [(0, 1), (0, None)], 1 / 2, 1 / 2, id="a dangling citation is never good"),
        pytest.param(["+1"], [(0, 1), (None, 1)], 1 / 2, 2 / 2, id="a citation of no claim"),
        pytest.param(["+1"], [(0, 2, False), (0, 2, False), (0, 1)], 1 / 3, 1 / 3, id="one target twice"),
    ],
)
def test_citation_precision_by_alces_rule(
    claims: list[str], citations: list[tuple[int | None, int | None]], alce: float, part: float
) -> None:
    run = make_run("abc")
    found = make_attribution(run, claims=claims, citations=citations)
    assert parse_metric("CitationPrecision(rule=alce)").score(run, found).value == alce
    assert parse_metric("CitationPrecision").score(run, found).value == part
