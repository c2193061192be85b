"""The demo's pipeline: retriever, numbered context, prompt, chat model, text."""

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks_langchain.demo.model import CARELESS, ExtractiveChatModel, careless_model
from rag_eval_hooks_langchain.demo.reading import numbered

__all__ = ["PROMPT", "build_chain", "build_model"]

_INSTRUCTIONS = (
    "You answer questions about the Python language from the numbered context alone. "
    "After each sentence, cite the item that supports it, as [1]. "
    "If the context does not hold the answer, reply: I don't know: the given context does not answer this."
)
PROMPT = ChatPromptTemplate.from_messages(
    [
        ("system", _INSTRUCTIONS),
        ("human", "{context}\n\nQuestion: {question}"),
    ]
)


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
    if name in (None, "extractive"):
        return ExtractiveChatModel()
    if name == CARELESS:
        return careless_model()
    if name is None or ":" not in name:
        raise ConfigError(f"unknown model {name!r}; give extractive, {CARELESS} or provider:name (openai:gpt-5-mini)")
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


def build_chain(retriever: BaseRetriever, model: BaseChatModel) -> Runnable[str, str]:
    """Returns the pipeline as one runnable: a question in, an answer out."""
    context = retriever | RunnableLambda(numbered)
    chain = {"context": context, "question": RunnablePassthrough()} | PROMPT | model | StrOutputParser()
    return chain.with_config(run_name="python_reference_qa")
