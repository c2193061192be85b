"""Models small enough to check with a pencil: the tokens are numbers, and a number's id is the number itself."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

LENGTH = ["batch", "length"]


def write_tokenizer(folder: Path) -> Path:
    tokenizer = Tokenizer(WordLevel({"[PAD]": 0, **{str(number): number for number in range(1, 10)}}, unk_token="9"))
    tokenizer.pre_tokenizer = Whitespace()
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def write_model(path: Path, nodes: list, tables: dict, inputs: dict, output: tuple) -> Path:
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])],
        [numpy_helper.from_array(np.array(value), name) for name, value in tables.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    save(model, str(path))
    return path


@pytest.fixture
def classifier(tmp_path: Path) -> Callable[..., Path]:
    """Writes a cross-encoder: its logits are `weights` times the sum of the hypothesis' numbers less the premise's."""

    def write(weights: list[float], length: int | str = "length") -> Path:
        write_tokenizer(tmp_path)
        nodes = [
            helper.make_node("Mul", ["token_type_ids", "two"], ["doubled"]),
            helper.make_node("Sub", ["doubled", "attention_mask"], ["sign"]),  # +1 hypothesis, -1 premise, 0 padding
            helper.make_node("Mul", ["input_ids", "sign"], ["signed"]),
            helper.make_node("ReduceSum", ["signed", "axes"], ["sum"], keepdims=1),
            helper.make_node("Cast", ["sum"], ["real"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["real", "weights"], ["logits"]),
        ]
        tables = {"two": np.int64(2), "axes": np.int64([1]), "weights": np.float32([weights])}
        inputs = {name: ["batch", length] for name in ("input_ids", "attention_mask", "token_type_ids")}
        return write_model(tmp_path / "model.onnx", nodes, tables, inputs, ("logits", ["batch", len(weights)]))

    return write


@pytest.fixture
def embedder(tmp_path: Path) -> Callable[..., Path]:
    """Writes an embedding model: a token's vector has a one at its number; `pooled`, a text is its first token."""

    def write(pooled: bool = False) -> Path:
        write_tokenizer(tmp_path)
        table = np.eye(10, dtype=np.float32)
        nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
        output = ("last_hidden_state", [*LENGTH, 10])
        tables = {"table": table}
        if pooled:
            nodes.append(helper.make_node("Gather", ["last_hidden_state", "zero"], ["sentence_embedding"], axis=1))
            output, tables = ("sentence_embedding", ["batch", 10]), {"table": table, "zero": np.int64(0)}
        return write_model(tmp_path / "model.onnx", nodes, tables, {"input_ids": LENGTH}, output)

    return write


@pytest.fixture
def odd_model(tmp_path: Path) -> Path:
    """A model that wants something no tokeniser gives."""
    write_tokenizer(tmp_path)
    nodes = [helper.make_node("Cast", ["pixels"], ["logits"], to=TensorProto.FLOAT)]
    return write_model(tmp_path / "model.onnx", nodes, {}, {"pixels": LENGTH}, ("logits", LENGTH))
