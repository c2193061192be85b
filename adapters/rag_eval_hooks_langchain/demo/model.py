"""The demo's model as a chat model of LangChain."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from rag_eval_hooks.demo.answering import EXTRACTIVE, MODELS, Extractive, tokens
from rag_eval_hooks.errors import ConfigError, MissingExtraError

__all__ = ["ExtractiveChatModel", "build_model"]


class ExtractiveChatModel(BaseChatModel):
    """Says what the extractive model answers to the user's messages, whole or word by word."""

    extractive: Extractive = Extractive()

    @property
    def _llm_type(self) -> str:
        return EXTRACTIVE

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002  the signature is the framework's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=self._answer(messages)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002  the signature is the framework's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> Iterator[ChatGenerationChunk]:
        for token in tokens(self._answer(messages)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=token))

    def _answer(self, messages: Sequence[BaseMessage]) -> str:
        return self.extractive.answer("\n".join(str(one.text) for one in messages if one.type in ("human", "user")))


def build_model(name: str | None = None) -> BaseChatModel:
    """Returns the chat model of that name.

    Args:
        name: None or `extractive` for the example's own model, `extractive-careless` for the same with bad habits, or
            `provider:name` for any chat model that LangChain's `init_chat_model` knows (it needs the provider's package
            and key, and sends it questions and chunks).

    Raises:
        ConfigError: If there is no such model, or the provider's package or key is missing.
        MissingExtraError: If `provider:name` is asked for and `langchain` is not installed.
    """
    own = MODELS.get(EXTRACTIVE if name is None else name)
    if own is not None:
        return ExtractiveChatModel(extractive=own)
    if name is None or ":" not in name:
        raise ConfigError(f"unknown model {name!r}; give {', '.join(MODELS)} or provider:name (openai:gpt-5-mini)")
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise MissingExtraError("langchain", "demo") from error
    try:
        model = init_chat_model(name)
    except Exception as error:  # each provider's package raises errors of its own
        raise ConfigError(f"cannot build the model {name!r}: {error}") from error
    if not isinstance(model, BaseChatModel):
        raise ConfigError(f"{name!r} is no chat model; give provider:name")
    return model
