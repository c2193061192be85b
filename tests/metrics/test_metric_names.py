"""Names: what can be typed, what is printed, and what the errors say."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import (
    AP,
    NDCG,
    RR,
    CitationRecall,
    ContextPrecision,
    Groundedness,
    Metric,
    P,
    R,
    base,
    metric_classes,
    parse_metric,
    register,
)
from rag_eval_hooks.record import Attribution, MetricResult, RagRun


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("nDCG@10", NDCG(k=10)),
        ("P(denominator=returned)@5", P(denominator="returned", k=5)),
        ("P(labels=used)@5", P(labels="used", k=5)),
        ("AP(norm=min)@3", AP(norm="min", k=3)),
        ("nDCG(gain=linear,ideal=pool)@7", NDCG(gain="linear", ideal="pool", k=7)),
        ("R(empty=zero)", R(empty="zero")),
        ("RR", RR()),
        ("Groundedness", Groundedness()),
        ("CitationRecall(over=all)", CitationRecall(over="all")),
    ],
)
def test_canonical_names_are_read_and_written(text: str, metric: Metric) -> None:
    assert parse_metric(text) == metric
    assert str(metric) == text
    assert hash(parse_metric(text)) == hash(metric)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" nDCG @ 10 ", "nDCG@10"),
        ("P()@5", "P@5"),
        ("P(denominator=k)@5", "P@5"),
        ("nDCG( ideal = pool , gain = linear )", "nDCG(gain=linear,ideal=pool)"),
        ("P@005", "P@5"),
    ],
)
def test_other_spellings_become_the_canonical_name(text: str, canonical: str) -> None:
    assert str(parse_metric(text)) == canonical


def test_at_sign_sets_the_cut_off() -> None:
    assert str(NDCG(gain="linear") @ 10) == "nDCG(gain=linear)@10"
    assert (P(k=5) @ 3) == P(k=3)
    with pytest.raises(MetricSpecError, match="Groundedness takes no cut-off"):
        Groundedness() @ 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", r"unknown metric 'ndgc'; did you mean 'nDCG'\? `rag-eval-hooks metrics` lists all"),
        ("contextprecision", r"did you mean 'ContextPrecision'\?"),
        ("Recall@5", r"unknown metric 'Recall'; did you mean 'R'\?"),
        ("Precision", r"did you mean 'P'\?"),
        ("MRR@10", r"did you mean 'RR'\?"),
        ("MAP", r"did you mean 'AP'\?"),
        ("faithfulness", r"did you mean 'Groundedness'\?"),
        ("success", r"did you mean 'Hit'\?"),
        ("hit_rate", r"did you mean 'Hit'\?"),
        ("P(map=1)", r"no parameter 'map'; "),
        ("Zzzzzzzz", r"unknown metric 'Zzzzzzzz'; `rag-eval-hooks metrics` lists all"),
        (
            "P(denominatr=returned)",
            r"no parameter 'denominatr'; did you mean 'denominator'\? it takes labels, empty.*lists all",
        ),
        ("Groundedness(a=b)", "no parameter 'a'; it takes none"),
        ("P(denominator=all)", "denominator must be k or returned, got 'all'"),
        ("P(denominator)", "expected parameter=value, got 'denominator'"),
        ("P(denominator=k,denominator=k)", "denominator is given twice"),
        ("P(k=5)", "write the cut-off as P@5"),
        ("P@0", "k must be a whole number from 1"),
        ("P@-1", "k must be a whole number from 1"),
        ("P@1.5", "k must be a whole number from 1"),
        ("P@nan", "k must be a whole number from 1"),
        ("P@", "k must be a whole number from 1"),
        ("P@٣", "k must be a whole number from 1"),
        ("P@99999999999999", "k must be a whole number from 1"),
        ("Groundedness@5", "Groundedness takes no cut-off"),
        ("P@5@6", "cannot read 'P@5@6' as a measure"),
        ("P(a=(b))", "cannot read"),
        ("", "cannot read ''"),
        ("x" * 10_000, "unknown metric 'xxx"),
    ],
)
def test_errors_say_what_to_do(text: str, message: str) -> None:
    with pytest.raises(MetricSpecError, match=message) as caught:
        parse_metric(text)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("k", [0, -1, 1.0, float("nan"), "5", True, 10**10])
def test_a_cut_off_is_checked_when_the_measure_is_built(k: object) -> None:
    with pytest.raises(MetricSpecError, match="P: k must be a whole number"):
        P(k=k)  # type: ignore[arg-type]
    with pytest.raises(MetricSpecError, match="P: k must be a whole number"):
        P() @ k


def test_what_is_no_text_is_no_name() -> None:
    with pytest.raises(MetricSpecError, match="cannot read 5 as a measure"):
        parse_metric(5)  # type: ignore[arg-type]


@pytest.fixture
def _registry_restored() -> object:
    before = dict(base._registry)
    yield
    base._registry.clear()
    base._registry.update(before)


@dataclass(frozen=True, kw_only=True)
class Blend(Metric):
    """A made-up measure with a number. Blend = share"""

    share: float = 0.5
    steps: int = 2
    mode: Literal["a", "b"] = "a"

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        return self.scored(self.share)


@pytest.mark.usefixtures("_registry_restored")
class TestOwnMeasures:
    def test_are_typed_like_the_built_in_ones(self) -> None:
        register(Blend)
        assert metric_classes()["Blend"] is Blend
        assert parse_metric("Blend(share=0.25,steps=3)") == Blend(share=0.25, steps=3)
        assert str(Blend(share=2)) == "Blend(share=2)"
        assert parse_metric("Blend(share=2)") == Blend(share=2.0)

    @pytest.mark.parametrize(
        "text", ["Blend(share=nan)", "Blend(share=inf)", "Blend(share=x)", "Blend(steps=1.5)", "Blend(mode=c)"]
    )
    def test_bad_parameters_are_refused(self, text: str) -> None:
        register(Blend)
        with pytest.raises(MetricSpecError, match=r"Blend: (share|steps|mode) must be"):
            parse_metric(text)

    def test_may_be_defined_again(self) -> None:
        register(Blend)
        assert register(Blend) is Blend

    def test_may_not_take_anothers_name(self) -> None:
        @dataclass(frozen=True, kw_only=True)
        class Other(Blend):
            """Another. P = 1"""

            name: ClassVar[str] = "P"

        with pytest.raises(MetricSpecError, match=r"P is already .*precision\.P; rename one"):
            register(Other)

    def test_must_be_a_dataclass_of_its_own(self) -> None:
        class Plain(Blend):
            """Plain. x = 1"""

        with pytest.raises(MetricSpecError, match="put @dataclass"):
            register(Plain)

    def test_must_say_what_they_mean(self) -> None:
        @dataclass(frozen=True, kw_only=True)
        class Silent(Blend):
            pass

        with pytest.raises(MetricSpecError, match="has no docstring"):
            register(Silent)

    def test_parameters_need_defaults_that_can_be_typed(self) -> None:
        @dataclass(frozen=True, kw_only=True)
        class Bare(Blend):
            """Bare. x = 1"""

            must: float

        @dataclass(frozen=True, kw_only=True)
        class Listed(Blend):
            """Listed. x = 1"""

            ids: tuple[str, ...] = ()

        with pytest.raises(MetricSpecError, match="every parameter a default"):
            register(Bare)
        with pytest.raises(MetricSpecError, match=r"Listed\.ids: a parameter is a Literal"):
            register(Listed)


def test_measures_are_values() -> None:
    assert {ContextPrecision(k=5), parse_metric("ContextPrecision@5")} == {ContextPrecision(k=5)}
    with pytest.raises(AttributeError):
        P(k=5).k = 6  # type: ignore[misc]
