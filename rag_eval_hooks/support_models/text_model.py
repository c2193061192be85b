"""A text model in an ONNX file with its tokeniser: texts in, arrays out, within a time."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any

from rag_eval_hooks.errors import ConfigError, MissingExtraError

__all__ = ["TextModel", "read_json"]

EXTRA = "onnx"
INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
"""The inputs we can feed, and where a tokeniser's encoding holds them."""
MAX_BATCH = 256
MAX_TOKENS = 8_192
MAX_THREADS = 64
LONGEST_S = 86_400.0


class TextModel:
    """One session on one file, shared by threads: a session may run in several at once, the tokeniser is only read.

    Args:
        model_path: The ONNX file.
        tokenizer_path: A `tokenizer.json`, or the `vocab.txt` of a WordPiece tokeniser; by default the one beside
            the model.
        max_tokens: Texts are cut to this many tokens; a model of one fixed length has its own.
        batch_size: How many texts or pairs go in at once.
        timeout_s: How long one call may take; looked at between batches, so the last one may go past it.
        threads: How many threads one run of the model may take.

    Raises:
        MissingExtraError: If onnxruntime, tokenizers or numpy is not installed.
        ConfigError: If a file is missing or cannot be used, or a number is out of range.
    """

    def __init__(
        self,
        model_path: str | Path,
        tokenizer_path: str | Path | None,
        *,
        max_tokens: int,
        batch_size: int,
        timeout_s: float,
        threads: int,
    ) -> None:
        self.np = _required("numpy")
        runtime, tokenizers = _required("onnxruntime"), _required("tokenizers")
        _check_whole("max_tokens", max_tokens, MAX_TOKENS)
        _check_whole("batch_size", batch_size, MAX_BATCH)
        _check_whole("threads", threads, MAX_THREADS)
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not 0 < timeout_s <= LONGEST_S:
            raise ConfigError(f"timeout_s: expected seconds above 0 and up to {LONGEST_S:.0f}, got {timeout_s!r}")
        self.path = _file("model_path", model_path)
        self.batch_size, self.timeout_s = batch_size, float(timeout_s)
        vocabulary = _tokenizer_file(self.path, tokenizer_path)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads  # with one, no pool of threads is made that a fork would lose
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self.session = runtime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ConfigError(f"model_path: {self.path} is no ONNX model that runs here: {_first(error)}") from error
        with self.path.open("rb") as content:
            self.name = f"onnx-{hashlib.file_digest(content, 'sha256').hexdigest()[:8]}"
        self.inputs = self._known_inputs()
        self.outputs = [one.name for one in self.session.get_outputs()]
        try:
            self.tokenizer = _tokenizer(tokenizers, vocabulary)
        except Exception as error:
            raise ConfigError(f"tokenizer_path: {vocabulary} is no tokeniser: {_first(error)}") from error
        self._set_lengths(max_tokens)

    def run(self, texts: Sequence[str] | Sequence[tuple[str, str]], output: str) -> Iterator[tuple[Any, Any]]:
        """Yields, batch by batch, an output's array and the attention mask; ends early when the time is over."""
        end = monotonic() + self.timeout_s
        for start in range(0, len(texts), self.batch_size):
            if monotonic() >= end:
                return
            yield self.run_batch(texts[start : start + self.batch_size], output)

    def run_batch(self, texts: Sequence[str] | Sequence[tuple[str, str]], output: str) -> tuple[Any, Any]:
        """Returns an output's array and the attention mask of texts that go in at once."""
        encoded = self.tokenizer.encode_batch(list(texts))
        feed = {
            name: self.np.array([getattr(one, INPUTS[name]) for one in encoded], dtype=kind)
            for name, kind in self.inputs.items()
        }
        mask = self.np.array([one.attention_mask for one in encoded], dtype="float32")
        return self.session.run([output], feed)[0], mask

    def _known_inputs(self) -> dict[str, str]:
        found = {one.name: one.type for one in self.session.get_inputs()}
        unknown = sorted(set(found) - set(INPUTS))
        if unknown or "input_ids" not in found:
            raise ConfigError(
                f"model_path: {self.path} takes {', '.join(sorted(found))}; "
                f"expected a text model with input_ids and no more than {', '.join(INPUTS)}"
            )
        return {name: "int32" if kind == "tensor(int32)" else "int64" for name, kind in found.items()}

    def _set_lengths(self, max_tokens: int) -> None:
        """Sets truncation and padding once; changing them later would not be safe between threads."""
        shape = next(one.shape for one in self.session.get_inputs() if one.name == "input_ids")
        fixed = shape[1] if len(shape) == 2 and isinstance(shape[1], int) else None
        padding = self.tokenizer.padding or {}
        pad = {name: padding[name] for name in ("pad_id", "pad_token", "pad_type_id", "direction") if name in padding}
        if not pad:
            token = next((one for one in ("[PAD]", "<pad>") if self.tokenizer.token_to_id(one) is not None), None)
            pad = {} if token is None else {"pad_token": token, "pad_id": self.tokenizer.token_to_id(token)}
        self.tokenizer.enable_padding(length=fixed, **pad)
        self.tokenizer.enable_truncation(fixed or max_tokens)


def read_json(path: Path) -> dict[str, Any]:
    """Returns a JSON file's object, or an empty one where there is no file.

    Raises:
        ConfigError: If the file holds no JSON object.
    """
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as JSON: {_first(error)}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected a JSON object, got {type(data).__name__}")
    return data


def _required(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtraError(package, EXTRA) from error


def _check_whole(name: str, value: Any, at_most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= at_most:
        raise ConfigError(f"{name}: expected a whole number from 1 to {at_most}, got {value!r}")


def _file(name: str, path: str | Path) -> Path:
    path = Path(path)
    if not path.is_file():
        raise ConfigError(f"{name}: there is no file {path}")
    return path


def _tokenizer_file(model: Path, path: str | Path | None) -> Path:
    if path is not None:
        return _file("tokenizer_path", path)
    for name in ("tokenizer.json", "vocab.txt"):
        if (model.parent / name).is_file():
            return model.parent / name
    raise ConfigError(
        f"tokenizer_path: there is no tokenizer.json or vocab.txt in {model.parent}; give the path of the model's own"
    )


def _tokenizer(tokenizers: Any, path: Path) -> Any:
    if path.suffix == ".json":
        return tokenizers.Tokenizer.from_file(str(path))
    lowers = read_json(path.with_name("tokenizer_config.json")).get("do_lower_case", True)
    return tokenizers.BertWordPieceTokenizer(str(path), lowercase=bool(lowers))


def _first(error: BaseException) -> str:
    """An error's type and first line, without the rest of its story."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}"
