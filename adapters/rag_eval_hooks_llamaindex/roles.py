"""What LlamaIndex's spans stand for: which of them are questions, searches, tools; and where their input is."""

from collections.abc import Callable
from inspect import BoundArguments
from typing import Any, Final, NamedTuple

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.chat_engine.types import BaseChatEngine, StreamingAgentChatResponse
from llama_index.core.node_parser.interface import NodeParser
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.response_synthesizers.base import BaseSynthesizer
from llama_index.core.tools import BaseTool
from llama_index.core.workflow import Workflow

from rag_eval_hooks.capture import Items, Kind
from rag_eval_hooks_llamaindex.extract import query_text, snapshot
from rag_eval_hooks_llamaindex.nodes import items_from_nodes

__all__ = ["ATTACHABLE", "MAX_KNOWN", "Role", "role_of"]

ATTACHABLE: Final = (BaseQueryEngine, BaseChatEngine, Workflow, BaseRetriever, BaseSynthesizer)
"""What can be asked a question, and so be attached to."""

MAX_KNOWN = 10_000
"""Classes that are remembered."""
_ID_TAIL = 37
"""Characters at the end of a span's id: a hyphen and a UUID."""


class Role(NamedTuple):
    """What a span stands for."""

    kind: Kind = "chain"
    is_question: bool = False
    """Whether it opens a record where none is open around it."""
    is_left_out: bool = False
    """Whether it says nothing of a question: embeddings, text splitters."""
    is_workflow: bool = False
    """Whether it is a workflow's run."""
    is_writer: bool = False
    """Whether it writes a chat's streamed answer to its end, beside the reader; its object then holds the text."""
    is_model: bool = False
    """Whether it may be a model call; only its events tell."""
    shows_lists: bool = False
    """Whether lists of nodes that it returns are looked at."""
    read: Callable[[BoundArguments], Any] | None = None
    """Returns a snapshot of its input."""
    name: str | None = None
    """What it is called; where it is None, by the class of its object."""
    named: Callable[[Any], str | None] | None = None
    """Returns the name that its object has been given, which then counts instead."""
    is_always_read: bool = False
    """Whether its input counts also inside a question."""


def role_of(span_id: str, instance: Any) -> Role:
    """Returns what a span stands for, by the class of its object and its method's name.

    Not by the class that its id names: up to core 0.12.5 that is the class that defines the method.
    """
    function = span_id[:-_ID_TAIL]
    key = (type(instance), function)
    role = _known.get(key)
    if role is None:
        if len(_known) >= MAX_KNOWN:  # classes made anew for each question
            _known.clear()
        role = _known[key] = _find(instance, function.rpartition(".")[2], function)
    return role


_known: dict[tuple[type, str], Role] = {}


def _first(arguments: BoundArguments) -> Any:
    return next(iter(arguments.arguments.values()), None)


def _query(arguments: BoundArguments) -> Any:
    return query_text(_first(arguments))


def _message(arguments: BoundArguments) -> Any:
    return snapshot(_first(arguments))


def _handed(arguments: BoundArguments) -> dict[str, Any]:
    nodes = arguments.arguments.get("nodes")
    return {
        "query": query_text(arguments.arguments.get("query")),
        "nodes": items_from_nodes(nodes, may_be_labelled=True) if isinstance(nodes, (list, tuple)) else Items(),
    }


def _postprocessed(arguments: BoundArguments) -> dict[str, Any] | None:
    nodes = arguments.arguments.get("nodes")
    return {"nodes": items_from_nodes(nodes)} if isinstance(nodes, (list, tuple)) else None


def _tool_name(tool: Any) -> str | None:
    name = getattr(tool.metadata, "name", None)
    return name if isinstance(name, str) else None


def _start_event(arguments: BoundArguments) -> Any:
    """Returns what a workflow was started with: its keyword arguments, or the start event of the user's own class."""
    given = dict(arguments.arguments)
    fields = given.pop("kwargs", None) or {}
    event = given.pop("start_event", None)
    given.pop("ctx", None)
    given.pop("stepwise", None)
    return snapshot(event if event is not None else {**given, **fields})


_ROLES: Final[tuple[tuple[type, frozenset[str], Role], ...]] = (
    (BaseQueryEngine, frozenset({"query", "aquery"}), Role(is_question=True, read=_query)),
    (
        BaseChatEngine,
        frozenset({"chat", "achat", "stream_chat", "astream_chat"}),
        Role(is_question=True, read=_message),
    ),
    (Workflow, frozenset({"run"}), Role(is_question=True, is_workflow=True, read=_start_event)),
    (
        BaseRetriever,
        frozenset({"retrieve", "aretrieve"}),
        Role("retriever", is_question=True, read=_query, is_always_read=True),
    ),
    (
        BaseSynthesizer,
        frozenset({"synthesize", "asynthesize"}),
        Role(is_question=True, read=_handed, is_always_read=True),
    ),
    (
        BaseNodePostprocessor,
        frozenset({"_postprocess_nodes", "_apostprocess_nodes", "postprocess_nodes", "apostprocess_nodes"}),
        Role("postprocessor", shows_lists=True, read=_postprocessed, is_always_read=True),
    ),
    (
        StreamingAgentChatResponse,
        frozenset({"write_response_to_history", "awrite_response_to_history"}),
        Role(is_writer=True),
    ),
    (BaseTool, frozenset({"call", "acall", "__call__"}), Role("tool", shows_lists=True, named=_tool_name)),
    (
        BaseLLM,
        frozenset(f"{a}{way}" for a in ("", "a") for way in ("chat", "complete", "stream_chat", "stream_complete")),
        Role(is_model=True),
    ),
)
"""By class and methods; the first that fits counts."""
_PLAIN: Final = Role(shows_lists=True)
_INSIDE: Final = Role()
"""Methods of those classes that run inside the ones above."""
_LEFT_OUT: Final = Role(is_left_out=True)


def _find(instance: Any, method: str, function: str) -> Role:
    for kind, methods, role in _ROLES:
        if isinstance(instance, kind) and method in methods:
            return role
    if isinstance(instance, (BaseEmbedding, NodeParser)):
        return _LEFT_OUT
    if isinstance(instance, (BaseRetriever, BaseQueryEngine, BaseChatEngine, BaseSynthesizer, BaseLLM)):
        return _INSIDE
    if instance is None:  # a step of a workflow since 2.0, or a function of the user's
        return _PLAIN._replace(name=function.rpartition("<locals>.")[2])
    if isinstance(instance, Workflow):
        return _PLAIN._replace(name=f"{type(instance).__name__}.{method}")
    return _PLAIN
