"""What the support models in ONNX files share: how one is opened, named and tried out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.support_models.text_model import TextModel

__all__ = ["OnnxModel", "RunOptions"]


class RunOptions(TypedDict, total=False):
    """How a model is run, whatever it reads."""

    batch_size: int
    """How many texts or pairs go in at once; by default 8."""
    timeout_s: float
    """How long one call may take, by default 5 seconds; a pair that is not reached gets no probability. Looked at
    between batches, so the last one may go past it."""
    threads: int
    """How many threads one run of the model may take; by default 1."""
    name: str | None
    """How evaluations call it; by default `onnx-` and the start of the file's SHA-256."""


class OnnxModel:
    """A model that was opened and run once.

    Args:
        model_path: The ONNX file.
        tokenizer_path: Its tokeniser; by default the one beside the model.
        outputs: The first of these that it has is what is read of it, else its first output.
        sample: One text or pair, which it is run on once.
        max_tokens: A text or pair is cut to this many tokens.
        batch_size: This and what follows: see `RunOptions`.
        timeout_s: See there.
        threads: See there.
        name: See there.

    Raises:
        MissingExtraError: If onnxruntime, tokenizers or numpy is not installed.
        ConfigError: If a file is missing or cannot be used, or a number is out of range.
    """

    def __init__(
        self,
        model_path: str | Path,
        tokenizer_path: str | Path | None,
        *,
        outputs: Sequence[str],
        sample: Sequence[str] | Sequence[tuple[str, str]],
        max_tokens: int,
        batch_size: int = 8,
        timeout_s: float = 5.0,
        threads: int = 1,
        name: str | None = None,
    ) -> None:
        self._model = TextModel(
            model_path,
            tokenizer_path,
            max_tokens=max_tokens,
            batch_size=batch_size,
            timeout_s=timeout_s,
            threads=threads,
        )
        self.name = name or self._model.name
        has = self._model.outputs
        self._output = next((one for one in outputs if one in has), has[0])
        self._shape = self._try(sample)
        """Of what the model gave for the sample."""

    def _try(self, sample: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[int, ...]:
        try:
            shape: tuple[int, ...] = self._model.run_batch(sample, self._output)[0].shape
        except Exception as error:
            what = "a text" if isinstance(sample[0], str) else "a pair of texts"
            path = self._model.path
            raise ConfigError(f"model_path: {path} does not run on {what}: {type(error).__name__}") from error
        return shape
