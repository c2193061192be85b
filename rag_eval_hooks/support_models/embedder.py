"""An embedding model in an ONNX file: reads each text alone and compares the vectors."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from rag_eval_hooks.attribution.log_odds import logistic
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.support_models.onnx_model import OnnxModel, RunOptions

__all__ = ["OnnxEmbedder"]

TOKEN_VECTORS, TEXT_VECTORS = 3, 2
"""Dimensions of an output with a vector for each token, and of one with a vector for each text."""


class OnnxEmbedder(OnnxModel):
    """The probability that a premise supports a hypothesis, by the cosine of their embeddings.

    probability = 1 / (1 + e^(-slope (cosine - middle))). A text's embedding is the output `sentence_embedding`, or the
    mean of its tokens' vectors. The default numbers fit all-MiniLM-L6-v2 to 1,400 labelled answers of BEGIN and FEVER
    Symmetric. A cosine tells topics apart, not whether a value or a negation agrees: a cross-encoder says more. May be
    called from any thread.

    Args:
        model_path: The ONNX file; takes `input_ids`, and `attention_mask` and `token_type_ids` where it has them.
        tokenizer_path: Its `tokenizer.json`, or the `vocab.txt` of a WordPiece tokeniser; by default beside the model.
        middle: The cosine at which support is as likely as not.
        slope: How fast the probability grows with the cosine.
        max_tokens: A text is cut to this many tokens.
        options: `batch_size`, `timeout_s`, `threads` and `name`, as `RunOptions` says.

    Raises:
        MissingExtraError: If onnxruntime, tokenizers or numpy is not installed.
        ConfigError: If a file is missing or cannot be used, or a number is out of range.
    """

    def __init__(
        self,
        model_path: str | Path,
        tokenizer_path: str | Path | None = None,
        *,
        middle: float = 0.7,
        slope: float = 4.5,
        max_tokens: int = 256,
        **options: Unpack[RunOptions],
    ) -> None:
        for argument, value, at_most in (("middle", middle, 1.0), ("slope", slope, 1_000.0)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= at_most:
                raise ConfigError(f"{argument}: expected a number above 0 and up to {at_most:g}, got {value!r}")
        self.middle, self.slope = float(middle), float(slope)
        outputs = ["sentence_embedding", "last_hidden_state"]
        super().__init__(model_path, tokenizer_path, outputs=outputs, sample=["a"], max_tokens=max_tokens, **options)
        if len(self._shape) not in (TEXT_VECTORS, TOKEN_VECTORS):
            raise ConfigError(
                f"model_path: {self._model.path} gives {len(self._shape)} dimensions, "
                "expected a vector for a text or token"
            )

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Returns the probability of support of each pair (premise, hypothesis); NaN where the time was over."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vectors: list[Any] = []
        for output, mask in self._model.run(texts, self._output):
            vectors.extend(self._unit(output.astype("float64"), mask))
        known = dict(zip(texts, vectors, strict=False))
        return [
            self._probability(float(known[premise] @ known[hypothesis]))
            if premise in known and hypothesis in known
            else math.nan
            for premise, hypothesis in pairs
        ]

    def _unit(self, output: Any, mask: Any) -> Any:
        """Returns one vector of length 1 for each text; a text without tokens has the zero vector."""
        if output.ndim == TOKEN_VECTORS:
            output = (output * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True).clip(1.0)
        lengths = self._model.np.sqrt((output * output).sum(axis=1, keepdims=True))
        return output / lengths.clip(1e-12)

    def _probability(self, cosine: float) -> float:
        return logistic(self.slope * (cosine - self.middle))
