"""Opens the model of a folder as its `config.json` describes it."""

from pathlib import Path

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.support_models.cross_encoder import OnnxCrossEncoder
from rag_eval_hooks.support_models.embedder import OnnxEmbedder
from rag_eval_hooks.support_models.text_model import read_json

__all__ = ["open_support_model"]


def open_support_model(folder: str | Path) -> OnnxCrossEncoder | OnnxEmbedder:
    """Returns the model in a folder of `model.onnx`, `tokenizer.json` (or `vocab.txt`) and `config.json`.

    It is taken as a cross-encoder where `architectures` in `config.json` names a `...ForSequenceClassification`, and
    as an embedding model otherwise.

    Raises:
        MissingExtraError: If onnxruntime, tokenizers or numpy is not installed.
        ConfigError: If there is no such folder, or a file in it is missing or cannot be used.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; give one that holds model.onnx, tokenizer.json and config.json")
    names = read_json(folder / "config.json").get("architectures")
    classifies = isinstance(names, list) and any(str(name).endswith("ForSequenceClassification") for name in names)
    return OnnxCrossEncoder(folder / "model.onnx") if classifies else OnnxEmbedder(folder / "model.onnx")
