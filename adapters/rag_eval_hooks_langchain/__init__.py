"""Evaluates LangChain and LangGraph pipelines live: attach `RagEvalCallbackHandler` and read `handler.last`."""

from rag_eval_hooks.errors import MissingExtraError

try:
    import langchain_core  # noqa: F401
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error

from rag_eval_hooks.hooks import Captured, Hooks
from rag_eval_hooks_langchain.handler import RagEvalCallbackHandler

__all__ = ["Captured", "Hooks", "RagEvalCallbackHandler"]
