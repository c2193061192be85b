"""An NLI model or cross-encoder in an ONNX file: reads both texts at once."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.support_models.onnx_model import OnnxModel, RunOptions
from rag_eval_hooks.support_models.text_model import read_json

__all__ = ["OnnxCrossEncoder"]


class OnnxCrossEncoder(OnnxModel):
    """The probability that a premise supports a hypothesis, by a model that reads the pair.

    Of a model with several outputs it is the softmax of the one for entailment; of a model with one, its sigmoid.
    May be called from any thread.

    Args:
        model_path: The ONNX file; takes `input_ids`, and `attention_mask` and `token_type_ids` where it has them.
        tokenizer_path: Its `tokenizer.json`, or the `vocab.txt` of a WordPiece tokeniser; by default beside the model.
        entailment: Which output says that the premise supports the hypothesis, from 0; by default the one that
            `id2label` in the `config.json` beside the model calls `entailment`. A model with one output needs none.
        max_tokens: A pair is cut to this many tokens, its longer text first.
        options: `batch_size`, `timeout_s`, `threads` and `name`, as `RunOptions` says.

    Raises:
        MissingExtraError: If onnxruntime, tokenizers or numpy is not installed.
        ConfigError: If a file is missing or cannot be used, or nothing says which output is entailment.
    """

    def __init__(
        self,
        model_path: str | Path,
        tokenizer_path: str | Path | None = None,
        *,
        entailment: int | None = None,
        max_tokens: int = 512,
        **options: Unpack[RunOptions],
    ) -> None:
        super().__init__(
            model_path, tokenizer_path, outputs=["logits"], sample=[("a", "a")], max_tokens=max_tokens, **options
        )
        self._entailment = self._which(entailment)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Returns the probability of support of each pair (premise, hypothesis); NaN where the time was over."""
        scores: list[float] = []
        for logits, _ in self._model.run(pairs, self._output):
            logits = logits.astype("float64")
            if self._entailment is None:
                found = 1.0 / (1.0 + self._model.np.exp(-logits[:, 0].clip(-60.0, 60.0)))
            else:
                powers = self._model.np.exp(logits - logits.max(axis=1, keepdims=True))
                found = powers[:, self._entailment] / powers.sum(axis=1)
            scores.extend(found.tolist())
        return scores + [math.nan] * (len(pairs) - len(scores))

    def _which(self, entailment: int | None) -> int | None:
        """What the model gives decides whether a label is needed and which there are."""
        path, dimensions = self._model.path, len(self._shape)
        if dimensions != 2:
            raise ConfigError(
                f"model_path: {path} gives {dimensions} dimensions, expected pairs x labels; "
                "for an embedding model take OnnxEmbedder"
            )
        labels = self._shape[1]
        if labels == 1 and entailment in (None, 0):
            return None
        if entailment is not None:
            if isinstance(entailment, bool) or not isinstance(entailment, int) or not 0 <= entailment < labels:
                raise ConfigError(f"entailment: expected an index from 0 to {labels - 1}, got {entailment!r}")
            return entailment
        config = path.with_name("config.json")
        names = read_json(config).get("id2label")
        named = {str(label).lower(): index for index, label in names.items()} if isinstance(names, dict) else {}
        index = str(named.get("entailment", ""))
        if not index.isdecimal() or int(index) >= labels:
            said = f"calls them {', '.join(sorted(named))}" if named else "does not name them"
            raise ConfigError(f"entailment: the model has {labels} outputs and {config} {said}; give the index")
        return int(index)
