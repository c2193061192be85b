"""A model and an embedding for the LlamaIndex examples that need neither network nor key; yours take their place."""

import re
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback


class Scripted(CustomLLM):
    """A model that says what is written in its script, an entry a call, whole or word by word."""

    script: list[str]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:  # noqa: ARG002
        return CompletionResponse(text=self.script.pop(0))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:  # noqa: ARG002
        def words() -> CompletionResponseGen:
            text = ""
            for word in re.findall(r"\s*\S+", self.script.pop(0)):
                text += word
                yield CompletionResponse(text=text, delta=word)

        return words()


class WordEmbedding(BaseEmbedding):
    """Texts are close if they share words of a list."""

    words: list[str]

    def _vector(self, text: str) -> list[float]:
        return [float(word in text.lower()) for word in self.words] + [0.1]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._vector(query)
