"""The demo's model as a chat model of LlamaIndex."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback

from rag_eval_hooks.demo.answering import EXTRACTIVE, MODELS, Extractive, tokens
from rag_eval_hooks.errors import ConfigError

__all__ = ["ExtractiveLLM", "build_model"]


class ExtractiveLLM(CustomLLM):
    """Says what the extractive model answers to the user's messages, whole or word by word."""

    extractive: Extractive = Extractive()

    @property
    def metadata(self) -> LLMMetadata:
        """Returns what LlamaIndex wants to know of a model: above all that all of the context fits into one prompt."""
        return LLMMetadata(context_window=32_000, is_chat_model=True, model_name=EXTRACTIVE)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        """Returns the answer."""
        return ChatResponse(message=_said(self._answer(messages)))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponseGen:
        """Yields the answer word by word."""

        def words() -> ChatResponseGen:
            so_far = ""
            for token in tokens(self._answer(messages)):
                so_far += token
                yield ChatResponse(message=_said(so_far), delta=token)

        return words()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:  # noqa: ARG002
        """Returns the answer to a prompt that is one text."""
        return CompletionResponse(text=self.extractive.answer(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:  # noqa: ARG002
        """Yields it at once."""

        def whole() -> CompletionResponseGen:
            answer = self.extractive.answer(prompt)
            yield CompletionResponse(text=answer, delta=answer)

        return whole()

    def _answer(self, messages: Sequence[ChatMessage]) -> str:
        return self.extractive.answer("\n".join(one.content or "" for one in messages if one.role == MessageRole.USER))


def _said(text: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, content=text)


def build_model(name: str | None = None) -> ExtractiveLLM:
    """Returns the model of that name.

    Args:
        name: None or `extractive` for the example's own model, `extractive-careless` for the same with bad habits.

    Raises:
        ConfigError: If there is no such model.
    """
    own = MODELS.get(EXTRACTIVE if name is None else name)
    if own is None:
        raise ConfigError(f"unknown model {name!r}; give {' or '.join(MODELS)}")
    return ExtractiveLLM(extractive=own)
