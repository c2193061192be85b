"""Where finished evaluations go: memory, a JSONL file, a function, or an SQL database.

`SqlSink` and the store readers bring SQLAlchemy, so they are imported when first asked for.
"""

from typing import TYPE_CHECKING, Any

from rag_eval_hooks.sinks.base import Sink, SinkError
from rag_eval_hooks.sinks.function import FunctionSink
from rag_eval_hooks.sinks.jsonl import JsonlSink
from rag_eval_hooks.sinks.memory import MemorySink

if TYPE_CHECKING:
    from rag_eval_hooks.sinks.sql import SqlSink
    from rag_eval_hooks.sinks.store import read_newest, read_one, read_store

__all__ = [
    "FunctionSink",
    "JsonlSink",
    "MemorySink",
    "Sink",
    "SinkError",
    "SqlSink",
    "read_newest",
    "read_one",
    "read_store",
]

_STORE_READERS = ("read_newest", "read_one", "read_store")


def __getattr__(name: str) -> Any:
    if name == "SqlSink":
        from rag_eval_hooks.sinks.sql import SqlSink

        return SqlSink
    if name in _STORE_READERS:
        from rag_eval_hooks.sinks import store

        return getattr(store, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
