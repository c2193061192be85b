"""Evaluates LlamaIndex pipelines live: call `attach()`, ask, and read `attachment.last`."""

from rag_eval_hooks.errors import MissingExtraError

try:
    import llama_index.core  # noqa: F401
except ImportError as error:
    raise MissingExtraError("llama-index-core", "llamaindex") from error

from rag_eval_hooks.capture import suppress_capture
from rag_eval_hooks.hooks import Captured, Hooks
from rag_eval_hooks.record import ItemKeys
from rag_eval_hooks_llamaindex.attach import Attachment, attach, attached, question

__all__ = [
    "Attachment",
    "Captured",
    "Hooks",
    "ItemKeys",
    "attach",
    "attached",
    "question",
    "suppress_capture",
]
