"""`rag-eval-hooks metrics`: which measure to take, and all about one."""

from dataclasses import fields

import pytest
from typer.testing import CliRunner

from rag_eval_hooks.cli.app import app
from rag_eval_hooks.metrics import metric_classes


def said(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["metrics", *arguments], env={"COLUMNS": "200", "TERM": "dumb"})
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("name", metric_classes())
def test_each_measure_says_when_and_when_not(name: str) -> None:
    text = said(name)
    cls = metric_classes()[name]
    assert f"\nWhen: {cls.use_when}\n" in text
    assert f"\nWhen not: {cls.avoid_when}\n" in text
    assert "\nValues: " in text
    for field in fields(cls):
        assert f"\n  {field.name}" in text
    assert text.count("\n      ") == len(fields(cls)), "each parameter is explained"


@pytest.mark.parametrize(
    ("situation", "names"),
    [
        ("one right answer in one place", "RR"),
        ("several relevant items, all alike", "AP"),
        ("graded relevance", "nDCG"),
        ("total of relevant items unknown", "T"),
        ("order of the prompt, for a model", "ContextPrecision"),
        ("what is in the prompt, for a model", "UDCG"),
    ],
)
def test_the_list_says_which_to_take(situation: str, names: str) -> None:
    (line,) = [line for line in said().splitlines() if line.startswith(situation)]
    assert line.split("│")[1].split()[0].strip(",") == names


def test_parameters_say_what_may_be_typed() -> None:
    text = said("T")
    assert "  alpha: number from 0 to 1 (default 0.5)" in text
    assert "  level: chunk | page | document (default chunk)" in text
    assert "      What a negative costs; a positive gains 1 - alpha." in text
    assert "a.pdf#page=3" in text
    assert "Levels:" not in said("FirstUse")
    assert "Values: -1 to 1" in text
    assert "Values: 1 and up" in said("FirstUse")
