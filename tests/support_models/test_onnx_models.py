"""Models in ONNX files: what they say of a pair, within which time, and what is wrong with a file."""

import json
import math
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rag_eval_hooks.cli import main
from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks.support_models import OnnxCrossEncoder, OnnxEmbedder, open_support_model, text_model

Write = Callable[..., Path]


def describe(model: Path, **config: Any) -> None:
    model.with_name("config.json").write_text(json.dumps(config), "utf-8")


def test_one_output_is_a_sigmoid(classifier: Write) -> None:
    """The tiny model's logit is the hypothesis' sum less the premise's: 3 - 1 and 1 - (1 + 2)."""
    scores = OnnxCrossEncoder(classifier([1.0])).score([("1", "3"), ("1 2", "1")])
    assert scores == pytest.approx([1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2))])


@pytest.mark.parametrize("names", [{"0": "contradiction", "1": "ENTAILMENT", "2": "neutral"}, None])
def test_of_several_outputs_it_is_the_share_of_entailment(classifier: Write, names: dict[str, str] | None) -> None:
    """The logits are 2 times (0, 1, -1): e^2 / (1 + e^2 + e^-2)."""
    path = classifier([0.0, 1.0, -1.0])
    if names:
        describe(path, id2label=names)
    model = OnnxCrossEncoder(path, entailment=None if names else 1)
    assert model.score([("1", "3")]) == pytest.approx([math.exp(2) / (1 + math.exp(2) + math.exp(-2))])


def test_not_entailment_is_another_label(classifier: Write) -> None:
    path = classifier([1.0, 0.0])
    describe(path, id2label={"0": "not_entailment", "1": "entailment"})
    assert OnnxCrossEncoder(path).score([("1", "3")]) == pytest.approx([1 / (1 + math.exp(2))])


@pytest.mark.parametrize(
    ("labels", "entailment", "message"),
    [
        pytest.param(None, None, "entailment: the model has 2 outputs and .* does not name them; give the index"),
        pytest.param({"0": "no", "1": "yes"}, None, "calls them no, yes; give the index"),
        pytest.param({"7": "entailment"}, None, "give the index"),
        pytest.param(None, 2, "entailment: expected an index from 0 to 1, got 2"),
        pytest.param(None, True, "entailment: expected an index from 0 to 1, got True"),
    ],
)
def test_which_output_counts_must_be_known(
    classifier: Write, labels: dict[str, str] | None, entailment: int | None, message: str
) -> None:
    path = classifier([1.0, 0.0])
    if labels:
        describe(path, id2label=labels)
    with pytest.raises(ConfigError, match=message):
        OnnxCrossEncoder(path, entailment=entailment)


def test_an_embedding_is_the_mean_of_its_tokens_without_padding(embedder: Write) -> None:
    """Tokens are unit vectors at right angles, so (1) and (1, 2) have a cosine of 1 / sqrt 2, (1) and (2) of 0."""
    model = OnnxEmbedder(embedder(), middle=0.5, slope=2.0, batch_size=4)
    expected = [1 / (1 + math.exp(-2 * (cosine - 0.5))) for cosine in (1.0, 1 / math.sqrt(2), 0.0)]
    assert model.score([("1", "1"), ("1", "1 2"), ("1", "2")]) == pytest.approx(expected)


def test_an_embedding_that_the_model_pools_itself(embedder: Write) -> None:
    """This model's text embedding is its first token's vector: (1 2) equals (1)."""
    model = OnnxEmbedder(embedder(pooled=True), middle=0.5, slope=2.0)
    assert model.score([("1", "1 2"), ("2", "1 2")]) == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))])


def test_an_empty_text_has_a_probability(embedder: Write, classifier: Write) -> None:
    assert OnnxEmbedder(embedder()).score([("", "1"), ("", "")]) == pytest.approx([1 / (1 + math.exp(4.5 * 0.7))] * 2)
    assert OnnxCrossEncoder(classifier([1.0])).score([]) == []


@pytest.mark.parametrize("batch_size", [1, 2, 5, 64])
def test_batches_change_nothing(classifier: Write, embedder: Write, batch_size: int) -> None:
    pairs = [(str(1 + i % 3), " ".join(str(1 + j % 4) for j in range(i))) for i in range(1, 12)]
    path = classifier([0.1])
    assert OnnxCrossEncoder(path, batch_size=batch_size).score(pairs) == OnnxCrossEncoder(path).score(pairs)
    path = embedder()
    assert OnnxEmbedder(path, batch_size=batch_size).score(pairs) == pytest.approx(OnnxEmbedder(path).score(pairs))


def test_texts_are_cut_to_the_models_length(classifier: Write, embedder: Write) -> None:
    """With 4 tokens for a pair, ten ones and two twos leave two of each: 4 - 2. Some models take one length only."""
    expected = pytest.approx([1 / (1 + math.exp(-2))])
    pair = ("1 " * 10, "2 2")
    assert OnnxCrossEncoder(classifier([1.0]), max_tokens=4).score([pair]) == expected
    assert OnnxCrossEncoder(classifier([1.0], length=4)).score([pair]) == expected
    assert OnnxCrossEncoder(classifier([1.0], length=4)).score([("1", "3")]) == expected  # padded
    assert OnnxEmbedder(embedder(), max_tokens=1, middle=0.5).score([("1 2", "1 3")])[0] > 0.9


def test_what_is_not_reached_in_time_has_no_probability(
    classifier: Write, embedder: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock says 0 at the start, then 0.5, then 1.0: the time of 1 s is over before the second batch."""
    cross = OnnxCrossEncoder(classifier([1.0]), batch_size=1, timeout_s=1.0)
    vectors = OnnxEmbedder(embedder(), batch_size=2, timeout_s=1.0)
    for model, first in ((cross, 1 / (1 + math.exp(-2))), (vectors, 1 / (1 + math.exp(4.5 * 0.7)))):
        times = iter([0.0, 0.5, 1.0])
        monkeypatch.setattr(text_model, "monotonic", lambda times=times: next(times))
        scores = model.score([("1", "3"), ("1", "4"), ("3", "5")])
        assert scores[0] == pytest.approx(first)
        assert all(math.isnan(score) for score in scores[1:])


def test_threads_share_a_model(classifier: Write, embedder: Write) -> None:
    cross, vectors = OnnxCrossEncoder(classifier([0.3]), batch_size=2), OnnxEmbedder(embedder(), batch_size=2)
    work = [[(str(1 + i % 5), f"{1 + i % 4} {1 + j % 3} {1 + j}") for j in range(1, 8)] for i in range(40)]
    for model in (cross, vectors):
        alone = [model.score(pairs) for pairs in work]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(model.score, work)) == alone


def test_a_vocabulary_makes_a_tokeniser(classifier: Write) -> None:
    path = classifier([1.0])
    path.with_name("tokenizer.json").unlink()
    path.with_name("vocab.txt").write_text("[PAD]\none\ntwo\n[CLS]\n[SEP]\n[UNK]\n", "utf-8")
    # [CLS]=3 one=1 [SEP]=4 two=2 [SEP]=4: the hypothesis has 2 + 4, the premise 3 + 1 + 4.
    assert OnnxCrossEncoder(path).score([("One", "two")]) == pytest.approx([1 / (1 + math.exp(2))])
    path.with_name("tokenizer_config.json").write_text('{"do_lower_case": false}', "utf-8")
    assert OnnxCrossEncoder(path).score([("One", "two")]) == pytest.approx([1 / (1 + math.exp(6))])  # One is [UNK]=5


@pytest.mark.parametrize("package", ["numpy", "onnxruntime", "tokenizers"])
def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for kind in (OnnxCrossEncoder, OnnxEmbedder):
        with pytest.raises(MissingExtraError, match=rf'^{package} is not .* pip install "rag-eval-hooks\[onnx\]"$'):
            kind("model.onnx")


def test_a_missing_or_broken_file_is_named(classifier: Write, odd_model: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^model_path: there is no file .*none\.onnx$"):
        OnnxEmbedder(tmp_path / "none.onnx")
    with pytest.raises(ConfigError, match=r"^model_path: .*model\.onnx takes pixels; expected a text model"):
        OnnxCrossEncoder(odd_model)
    path = classifier([1.0])
    with pytest.raises(ConfigError, match=r"^tokenizer_path: there is no file .*other\.json$"):
        OnnxCrossEncoder(path, tmp_path / "other.json")
    (tmp_path / "other.json").write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match=r"^tokenizer_path: .*other\.json is no tokeniser"):
        OnnxCrossEncoder(path, tmp_path / "other.json")
    path.with_name("other.json").unlink()
    path.with_name("tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"^tokenizer_path: there is no tokenizer\.json or vocab\.txt in "):
        OnnxCrossEncoder(path)
    path.write_bytes(b"no model")
    path.with_name("tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match=r"^model_path: .*model\.onnx is no ONNX model that runs here: \w+: "):
        OnnxCrossEncoder(path)


def test_the_other_kind_of_model_is_refused(classifier: Write, embedder: Write) -> None:
    with pytest.raises(ConfigError, match=r"gives 3 dimensions, expected pairs x labels; .* take OnnxEmbedder"):
        OnnxCrossEncoder(embedder())


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 0},
        {"max_tokens": True},
        {"batch_size": 10**20},
        {"batch_size": 1.5},
        {"timeout_s": 0},
        {"timeout_s": math.nan},
        {"timeout_s": "1"},
        {"threads": -1},
        {"slope": math.inf},
        {"middle": 1.5},
    ],
)
def test_a_number_out_of_range_is_refused(embedder: Write, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"^{next(iter(wrong))}: expected "):
        OnnxEmbedder(embedder(), **wrong)


def test_a_folder_says_what_its_model_is(classifier: Write, embedder: Write, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is no folder; give one that holds model\.onnx"):
        open_support_model(tmp_path / "none")
    with pytest.raises(ConfigError, match=r"there is no file .*model\.onnx"):
        open_support_model(tmp_path)
    assert isinstance(open_support_model(embedder().parent), OnnxEmbedder)
    path = classifier([1.0])
    describe(path, architectures=["BertForSequenceClassification"])
    assert isinstance(open_support_model(path.parent), OnnxCrossEncoder)
    path.with_name("config.json").write_text("[1", "utf-8")
    with pytest.raises(ConfigError, match=r"config\.json cannot be read as JSON"):
        open_support_model(path.parent)


def test_the_command_says_what_is_missing_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(tmp_path / "log.jsonl"), "--support-model", str(tmp_path)])
    assert stopped.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"model_path: there is no file {tmp_path / 'model.onnx'}")


def test_a_model_is_called_by_its_content_or_as_said(classifier: Write) -> None:
    first = OnnxCrossEncoder(classifier([1.0])).name
    assert first == OnnxCrossEncoder(classifier([1.0])).name != OnnxCrossEncoder(classifier([2.0])).name
    assert first.startswith("onnx-")
    assert OnnxCrossEncoder(classifier([1.0]), name="mine").name == "mine"
