"""Evaluates LangChain and LangGraph pipelines live: attach `RagEvalCallbackHandler` and read `handler.last`."""

from rag_eval_hooks.errors import MissingExtraError

try:
    import langchain_core  # noqa: F401
except ImportError as error:
    raise MissingExtraError("langchain-core", "langchain") from error

from rag_eval_hooks.capture import suppress_capture
from rag_eval_hooks.hooks import Captured, Hooks
from rag_eval_hooks.record import ItemKeys
from rag_eval_hooks_langchain.attach import attach, attached, detach, question
from rag_eval_hooks_langchain.handler import RagEvalCallbackHandler

__all__ = [
    "Captured",
    "Hooks",
    "ItemKeys",
    "RagEvalCallbackHandler",
    "attach",
    "attached",
    "detach",
    "question",
    "suppress_capture",
]
