"""What holds for every registered measure: a new one is covered the day it is added."""

import doctest
import inspect
import json
import math
import pickle
import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from rag_eval_hooks import metrics
from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import Metric, default_metrics, measure, metric_classes, parse_metric
from rag_eval_hooks.metrics.base import Need
from rag_eval_hooks.record import Attribution, Gold, GoldSpan, MetricResult, RagRun, read_run
from rag_eval_hooks.record.evaluation import AnswerKind
from rag_eval_hooks.record.reasons import MEASURE_REASONS
from rag_eval_hooks.testing import make_attribution, make_run

CLASSES = list(metric_classes().values())


def variants(cls: type[Metric]) -> list[Metric]:
    """The measure with each choice of each parameter, and with and without a cut-off."""
    found = [cls()]
    hints = get_type_hints(cls)
    for field in fields(cls):
        hint = hints[field.name]
        choices: tuple[Any, ...] = get_args(hint) if get_origin(hint) is Literal else ()
        if field.name == "k":
            choices = (1, 5, 1_000)
        elif field.name in cls.ranges:
            low, high = cls.ranges[field.name]
            choices = (low, (low + high) / 3, high)
        assert choices, f"{cls.name}.{field.name}: teach this test some values of {hint}"
        found += [cls(**{field.name: choice}) for choice in choices]
    return found


VARIANTS = [metric for cls in CLASSES for metric in variants(cls)]

ALL_LABELS = Gold(
    relevance={"a": 3, "b": 0, "c": 1},
    evidence_sets=(("a", "c"), ("e",)),
    used=("a", "c"),
    utility=dict.fromkeys("abcde", 0.5),
    answer="An answer.",
)
SPANS = Gold(spans=(GoldSpan(document="x", start=0, end=10),))
RUNS: dict[str, RagRun] = {
    "nothing at all": RagRun(run_id="r"),
    "short form of nothing": read_run({"question": None, "contexts": None, "answer": None}),
    "no answer": make_run("abc", answer=None),
    "blank answer": make_run("abc", answer=" \n\t "),
    "no context": make_run(""),
    "retrieved but nothing packed": make_run("abc", context=""),
    "packed but nothing retrieved": make_run("", context="abc"),
    "failed": make_run("ab", status="error", answer=None),
    "gold of nothing": make_run("ab", relevance={}, evidence_sets=[], used=[], gold_answer=""),
    "gold of zeros": make_run("ab", relevance={"a": 0, "b": -1}),
    "gold with empty sets": make_run("ab", evidence_sets=["", ""]),
    "gold elsewhere": make_run("ab", relevance={"z": 1}, used="z"),
    "absurd grades": make_run("ab", relevance={"a": 1e308, "b": 5e-324}),
    "repeats": make_run("aaaa", relevance={"a": 1}, used="a", evidence_sets=["aa"]),
    "all labels": make_run("abcde", question="What did Acme sell in 2021?", gold=ALL_LABELS, judge=ALL_LABELS),
    "gold spans of a document nobody has": make_run("ab", gold=SPANS, judge=SPANS),
    "gold spans of chunks that do not say their place": read_run(
        {"contexts": [{"id": "a", "metadata": {"source": "x"}}], "gold": SPANS.model_dump()}
    ),
    "gold spans": read_run(
        {"contexts": [{"id": "a", "metadata": {"source": "x", "position": [0, 9]}}], "gold": SPANS.model_dump()}
    ),
    "nulls and numbers": read_run({"contexts": [{"id": None}, {"id": 3}, None, ""], "answer": [{"text": "x"}]}),
}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
class TestDeclaration:
    def test_docstring_states_meaning_and_formula(self, cls: type[Metric]) -> None:
        text = inspect.getdoc(cls) or ""
        assert text.splitlines()[0].endswith("."), "the first line stands alone"
        assert any(line.startswith((f"{cls.name} =", f"{cls.name}@k =")) for line in text.splitlines()), "formula"

    def test_docstring_has_an_example_that_runs(self, cls: type[Metric]) -> None:
        module = sys.modules[cls.__module__]
        (found,) = doctest.DocTestFinder(recurse=False).find(cls, cls.__name__, module=module, globs=dict(vars(module)))
        assert any(cls.__name__ in example.source for example in found.examples)
        assert doctest.DocTestRunner().run(found).failed == 0

    def test_version_and_needs_are_declared(self, cls: type[Metric]) -> None:
        assert type(cls.version) is int
        assert cls.version >= 1
        assert cls.needs
        assert cls.needs <= set(get_args(Need))

    def test_catalogue_says_when_to_take_it_and_when_not(self, cls: type[Metric]) -> None:
        for text in (cls.use_when, cls.avoid_when):
            assert text.endswith(".")
            assert len(text) < 200

    def test_numbers_have_a_range(self, cls: type[Metric]) -> None:
        numbers = {name for name, hint in get_type_hints(cls).items() if hint in (int, float)}
        assert {field.name for field in fields(cls)} & numbers == set(cls.ranges)
        for name, (low, high) in cls.ranges.items():
            for beyond in (low - 1, high + 1, math.nan):
                with pytest.raises(MetricSpecError, match=f"{cls.name}: {name} must be"):
                    cls(**{name: beyond})

    def test_is_a_frozen_value(self, cls: type[Metric]) -> None:
        assert is_dataclass(cls)
        assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert cls() == cls()
        assert hash(cls()) == hash(cls())

    def test_parameters_are_documented(self, cls: type[Metric]) -> None:
        """A text under each parameter, in the class that declares it."""
        for field in fields(cls):
            owner = next(base for base in cls.__mro__ if field.name in inspect.get_annotations(base))
            lines = inspect.getsource(owner).splitlines()
            place = next(number for number, line in enumerate(lines) if line.strip().startswith(f"{field.name}:"))
            assert lines[place + 1].strip().startswith('"""'), f"{cls.name}.{field.name}"


@pytest.mark.parametrize("metric", VARIANTS, ids=str)
class TestEveryVariant:
    def test_name_reads_back(self, metric: Metric) -> None:
        assert parse_metric(str(metric)) == metric
        assert pickle.loads(pickle.dumps(metric)) == metric  # noqa: S301  our own bytes; replay sends measures to workers
        assert str(pickle.loads(pickle.dumps(metric))) == str(metric)  # noqa: S301

    @pytest.mark.parametrize("name", RUNS)
    def test_never_raises_and_gives_a_number_or_a_reason(self, metric: Metric, name: str) -> None:
        run = RUNS[name]
        kinds: tuple[AnswerKind, ...] = get_args(AnswerKind)
        claims = ["+", "-", "~"]
        full = [make_attribution(run, used=[1], claims=claims, citations=[(0, None)], kind=kind) for kind in kinds]
        bare = [Attribution(answer_kind=kind) for kind in kinds]
        for attribution in (None, *bare, *full):
            result = metric.score(run, attribution)
            assert result.metric == str(metric)
            if result.value is None:
                assert result.reason in MEASURE_REASONS
            else:
                assert result.reason is None
                assert math.isfinite(result.value)
                assert metric.bounds[0] <= result.value <= metric.bounds[1]
            assert MetricResult.model_validate_json(result.model_dump_json()) == result

    def test_labels_are_always_said(self, metric: Metric) -> None:
        """The same labels with a value and without: an average never mixes two kinds."""
        with_value = metric.score(RUNS["all labels"], make_attribution(RUNS["all labels"], used=[1], claims=["+1"]))
        without = metric.score(RUNS["nothing at all"])
        assert with_value.labels == without.labels
        if "labels" in metric.needs or "claims" in metric.needs:
            assert with_value.labels is not None

    def test_has_a_value_where_everything_is_known(self, metric: Metric) -> None:
        run = RUNS["all labels"]
        found = make_attribution(run, used=[1, 3], claims=["+1", "-"], citations=[(0, 1)])
        result = metric.score(run, found)
        assert result.value is not None, result.reason


@pytest.mark.parametrize("k", [None, 1, 10])
@pytest.mark.parametrize("name", RUNS)
def test_a_set_of_measures_is_part_of_an_evaluation_that_is_strict_json(name: str, k: int | None) -> None:
    run = RUNS[name]
    found = make_attribution(run)
    results = measure(run, found, default_metrics(k))
    assert [result.metric for result in results] == [str(metric) for metric in default_metrics(k)]
    assert not [result for result in results if (result.reason or "").startswith("failed:")]
    for result in results:
        json.loads(result.model_dump_json(), parse_constant=pytest.fail)


def test_the_schema_explains_every_reason() -> None:
    said = MetricResult.model_json_schema()["properties"]["reason"]["description"]
    assert [word for word in MEASURE_REASONS if f"`{word}`: {MEASURE_REASONS[word]}" not in said] == []


def test_every_reason_named_in_the_code_of_measures_is_explained() -> None:
    """Also one that the runs above do not bring about."""
    for path in Path(metrics.__file__).parent.glob("*.py"):
        named = set(re.findall(r'"((?:no|nothing)_[a-z]+|refusal|incomplete_run)"', path.read_text(encoding="utf-8")))
        assert named - {"no_labels"} <= set(MEASURE_REASONS), path.name  # that one is a function


def test_names_differ_by_more_than_case() -> None:
    names = [name.lower() for name in metric_classes()]
    assert len(set(names)) == len(names)
