"""An NLI model or cross-encoder in an ONNX file: reads both texts at once."""

import math
from collections.abc import Sequence
from pathlib import Path

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.support_models.text_model import TextModel, read_json

__all__ = ["OnnxCrossEncoder"]


class OnnxCrossEncoder:
    """The probability that a premise supports a hypothesis, by a model that reads the pair.

    Of a model with several outputs it is the softmax of the one for entailment; of a model with one, its sigmoid.
    May be called from any thread.

    Args:
        model_path: The ONNX file; takes `input_ids`, and `attention_mask` and `token_type_ids` where it has them.
        tokenizer_path: Its `tokenizer.json`, or the `vocab.txt` of a WordPiece tokeniser; by default beside the model.
        entailment: Which output says that the premise supports the hypothesis, from 0; by default the one that
            `id2label` in the `config.json` beside the model calls `entailment`. A model with one output needs none.
        max_tokens: A pair is cut to this many tokens, its longer text first.
        batch_size: How many pairs go in at once.
        timeout_s: How long one call may take; a pair that is not reached gets no probability. Looked at between
            batches, so the last one may go past it.
        threads: How many threads one run of the model may take.
        name: How evaluations call it; by default `onnx-` and the start of the file's SHA-256.

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
        outputs = self._model.outputs
        self._output = "logits" if "logits" in outputs else outputs[0]
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
        """Runs the model once: what it gives decides whether a label is needed and which there are."""
        path = self._model.path
        try:
            shape = self._model.run_batch([("a", "a")], self._output)[0].shape
        except Exception as error:
            raise ConfigError(f"model_path: {path} does not run on a pair of texts: {type(error).__name__}") from error
        if len(shape) != 2:
            raise ConfigError(
                f"model_path: {path} gives {len(shape)} dimensions, expected pairs x labels; "
                "for an embedding model take OnnxEmbedder"
            )
        labels = shape[1]
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
