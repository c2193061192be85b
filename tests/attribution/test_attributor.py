"""One settings object reaches attribution on every way in."""

import json
from math import log
from pathlib import Path

import pytest

from rag_eval_hooks import Attributor, Evaluation, RagEvalHooksError, evaluate, read_run
from rag_eval_hooks.attribution import Background, Calibration
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks.replay import replay

LINE = {"id": "r", "question": "How tall?", "contexts": ["The mast is 31 metres tall."], "answer": "It is 31 m tall."}


def test_a_reading_knows_the_background_it_was_given() -> None:
    background = Background({"mast": 3}, words=10, bigrams=0)
    assert Reading(read_run(LINE), Attributor(background)).background is background
    assert Reading(read_run(LINE)).background is Background.default()


@pytest.mark.parametrize(
    ("attributor", "name"),
    [
        pytest.param(None, "tier0", id="none"),
        pytest.param(Attributor(), "tier0", id="nothing in it"),
        pytest.param(Attributor(calibration=Calibration()), "tier0+calibrated", id="calibrated"),
        pytest.param(Attributor(Background({}, words=0, bigrams=0)), "tier0+background", id="background"),
    ],
)
def test_evaluations_say_what_they_were_made_by(tmp_path: Path, attributor: Attributor | None, name: str) -> None:
    evaluation = evaluate(read_run(LINE), attributor=attributor)
    assert evaluation.made_by.attributor == name
    log, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    log.write_text(json.dumps(LINE) + "\n", "utf-8")
    replay(log, out, attributor=attributor)
    assert Evaluation.model_validate_json(out.read_text("utf-8")) == evaluation


@pytest.mark.parametrize(
    "wrong", [{"background": {}}, {"calibration": 0.5}, {"support_model": object()}, {"background": Background}]
)
def test_a_part_of_another_type_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RagEvalHooksError, match=f"^{next(iter(wrong))}: expected "):
        Attributor(**wrong)  # type: ignore[arg-type]
    with pytest.raises(RagEvalHooksError, match=r"^attributor: expected an Attributor"):
        Hooks(attributor=wrong)  # type: ignore[arg-type]


def test_citations_count_only_where_asked_for() -> None:
    """A cited chunk gains 1.5 log-odds of use; chunks that are not cited, and claims, stay as they are."""
    run = read_run({"contexts": ["The mast is tall.", "Sails are white."], "answer": "The gaff is short [2]."})
    plain, counted = evaluate(run, ()), evaluate(run, (), Attributor(count_citations=True))
    before, after = plain.chunks[1].use_probability or 0.0, counted.chunks[1].use_probability or 0.0
    assert log(after / (1 - after)) - log(max(before, 1e-4) / (1 - max(before, 1e-4))) == pytest.approx(1.5)
    assert counted.chunks[0] == plain.chunks[0]
    assert counted.claims == plain.claims
    assert counted.made_by.attributor == "tier0+citations"
