"""Messages, replies, inputs and outputs to record parts: snapshots that stay as they are when the host goes on.

These functions run on the host's thread, so they copy references and containers, to a bounded depth and number of
entries, and nothing else. A streamed response is never read here, nor asked for its text.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.base.response.schema import AsyncStreamingResponse, PydanticResponse, Response, StreamingResponse
from llama_index.core.chat_engine.types import AgentChatResponse, StreamingAgentChatResponse
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.tools import ToolOutput
from llama_index.core.workflow import Event, StopEvent
from pydantic import BaseModel

from rag_eval_hooks.capture import Message, Opaque, Reply, caught
from rag_eval_hooks_llamaindex.compat import blocks_of
from rag_eval_hooks_llamaindex.nodes import are_nodes, event_fields, held, items_from_found, items_from_nodes

__all__ = [
    "answer_text",
    "message_from",
    "prompt_from",
    "prompt_from_messages",
    "prompt_from_text",
    "query_text",
    "reply_from",
    "reply_from_chat",
    "reply_from_completion",
    "snapshot",
]

MAX_DEPTH = 6
MAX_ENTRIES = 100
MAX_TOP_ENTRIES = 1_000
MAX_CITATIONS = 2_000
MEDIA_FIELDS = ("data", "image", "audio", "video", "url", "path")
"""Where a block that is no text has its content; the first that is set counts."""
USAGE_KEYS = ("usage", "usage_metadata", "token_usage")
TOKEN_KEYS = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")


# Messages and replies ------------------------------------------------------------------------------------------------


def message_from(message: ChatMessage) -> Message:
    """Returns a snapshot of a message."""
    role = str(getattr(message.role, "value", message.role))
    role = "user" if role == "model" else "tool" if role == "function" else "assistant" if role == "chatbot" else role
    return Message(role, _content(message), role == "assistant" and _calls_tools(message))


def _content(message: ChatMessage) -> Any:
    """Returns a message's text, as LlamaIndex joins it; with what is no text by kind and size."""
    blocks = blocks_of(message)
    if blocks is None:
        return held(message.content)
    texts: list[str] = []
    media: list[dict[str, Any]] = []
    _sort_blocks(blocks, texts, media)
    text = "\n".join(texts)
    return [{"type": "text", "text": text}, *media] if media else text


def _sort_blocks(blocks: Any, texts: list[str], media: list[dict[str, Any]]) -> None:
    for block in blocks:
        kind = getattr(block, "block_type", None) or type(block).__name__
        if kind == "text":
            if isinstance(block.text, str):
                texts.append(block.text)
        elif kind == "citable":
            _sort_blocks(block.content, texts, media)
        elif kind not in ("citation", "thinking", "tool_call", "cache"):
            media.append(_media(kind, block))


def _media(kind: str, block: Any) -> dict[str, Any]:
    """Returns type, kind of content and size of a block; its data is not kept, not even by reference."""
    payload = next((value for name in MEDIA_FIELDS if (value := getattr(block, name, None)) is not None), None)
    named = (getattr(block, f"{kind}_mimetype", None), getattr(block, "format", None))
    size = len(payload) if isinstance(payload, (bytes, str)) else None
    if size is None and payload is not None and not hasattr(payload, "read"):
        size = len(str(payload))  # an address or a path
    return {"type": kind, "mime_type": next((name for name in named if isinstance(name, str)), None), "size": size}


def _calls_tools(message: ChatMessage) -> bool:
    if message.additional_kwargs and message.additional_kwargs.get("tool_calls"):
        return True
    return any(getattr(block, "block_type", None) == "tool_call" for block in blocks_of(message) or ())


def prompt_from_messages(messages: Sequence[ChatMessage]) -> tuple[Message, ...]:
    """Returns a snapshot of what a chat model was given; a message that cannot be read costs itself alone."""
    kept: list[Message] = []
    for message in messages:
        try:
            kept.append(message_from(message))
        except BaseException as error:  # noqa: BLE001  `caught` sorts it out
            caught("llamaindex.message", error)
    return tuple(kept)


def prompt_from_text(prompt: Any) -> tuple[Message, ...]:
    """Returns a snapshot of what a text model was given."""
    return (Message("user", prompt if isinstance(prompt, str) else held(prompt)),)


def prompt_from(value: Any) -> tuple[Message, ...] | None:
    """Returns a snapshot of what a model was given by hand: a text, a message or messages, or None."""
    if value is None:
        return None
    if isinstance(value, ChatMessage):
        value = [value]
    if isinstance(value, (list, tuple)) and all(isinstance(one, ChatMessage) for one in value):
        return prompt_from_messages(value)
    return prompt_from_text(value)


def reply_from_chat(response: ChatResponse | None) -> Reply | None:
    """Returns a snapshot of what a chat model returned; None where it gave no message, as a stream of no chunks does.

    Token counts are the provider's own, from its raw response.
    """
    message = getattr(response, "message", None)
    if response is None or not isinstance(message, ChatMessage):
        return None
    content = _content(message)
    calls_tools = _calls_tools(message)
    usage = _usage(response.raw, response.additional_kwargs, message.additional_kwargs)
    if not content and not calls_tools and usage is None:
        return None  # some streams end with an empty chunk: the tokens say what was said
    return Reply(content, calls_tools, usage, _citations(message))


def reply_from_completion(response: CompletionResponse | None) -> Reply | None:
    """Returns a snapshot of what a text model returned; None where it gave nothing."""
    if response is None:
        return None
    usage = _usage(response.raw, response.additional_kwargs, {})
    if not response.text and usage is None:
        return None
    return Reply(response.text, False, usage)


def reply_from(value: Any) -> Reply:
    """Returns a snapshot of what a model said, told by hand: its text, its message, or its response."""
    if isinstance(value, ChatMessage):
        return Reply(_content(value), _calls_tools(value), None, _citations(value))
    reply = None
    if isinstance(value, ChatResponse):
        reply = reply_from_chat(value)
    elif isinstance(value, CompletionResponse):
        reply = reply_from_completion(value)
    else:
        reply = Reply(value if isinstance(value, str) else str(value))
    return reply or Reply("")


def _usage(raw: Any, *beside: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the token counts in a provider's raw response, an object or a mapping, or those that stand beside it."""
    try:
        for key in USAGE_KEYS:
            found = raw.get(key) if isinstance(raw, Mapping) else getattr(raw, key, None) if raw is not None else None
            counts = _plain_counts(found)
            if counts:
                return counts
        for fields in beside:
            counts = {key: fields[key] for key in TOKEN_KEYS if key in fields} if fields else {}
            if counts:
                return counts
    except BaseException as error:  # noqa: BLE001
        caught("llamaindex.usage", error)
    return None


def _plain_counts(usage: Any) -> dict[str, Any] | None:
    if usage is None:
        return None
    fields = usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", None)
    if not isinstance(fields, Mapping):
        return None
    return {
        key: value
        for key, value in islice(fields.items(), MAX_ENTRIES)
        if isinstance(key, str) and isinstance(value, (int, float))
    }


def _citations(message: ChatMessage) -> list[Any] | None:
    """Returns a snapshot of the citations in a message: its citation blocks, or what the provider put beside it.

    A citation block stands behind the block of text that it is about; its places are the source's.
    """
    found: list[Any] = []
    end = 0
    about: dict[str, int] = {}
    try:
        for block in blocks_of(message) or ():
            kind = getattr(block, "block_type", None)
            if kind == "text" and isinstance(block.text, str):
                start = end + 1 if about else 0  # a line break is between texts
                end = start + len(block.text)
                about = {"start_index": start, "end_index": end}
            elif kind == "citation":
                cited = block.cited_content
                text = cited.text if cited.block_type == "text" else None
                where = dict(block.additional_location_info or {})
                found.append({**where, **about, "cited_text": text, "source": block.source, "title": block.title})
        if not found and message.additional_kwargs:
            beside = message.additional_kwargs.get("citations") or message.additional_kwargs.get("annotations")
            if isinstance(beside, (list, tuple)):
                kept = [snapshot(one) for one in beside[:MAX_CITATIONS]]
                found = [None if isinstance(one, Opaque) else one for one in kept]  # its place counts
    except BaseException as error:  # noqa: BLE001
        caught("llamaindex.citations", error)
    return found[:MAX_CITATIONS] or None


# Inputs and outputs --------------------------------------------------------------------------------------------------


def query_text(query: Any) -> Any:
    """Returns the text of a query; None where it has none (an embedding, an image)."""
    if type(query) is str:
        return query
    return query.query_str if isinstance(query, QueryBundle) else snapshot(query)


def answer_text(result: Any) -> str | None:
    """Returns the text of an answer that did not stream."""
    return result.response if isinstance(result, (Response, AgentChatResponse)) else None


def snapshot(value: Any, depth: int = 0) -> Any:
    """Returns a copy of an input or output that later changes do not reach.

    Responses become their answer, messages and nodes their snapshots; mappings, lists, events and other objects are
    copied some levels deep; of long lists the end is kept, where the newest message is. Anything else, streams among
    it, is named by its type.
    """
    if type(value) is str or value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (Response, AgentChatResponse)):
        return value.response
    if isinstance(value, PydanticResponse):
        return snapshot(value.response, depth + 1)
    if isinstance(value, (StreamingResponse, AsyncStreamingResponse)):
        return value.response_txt  # None until it has been read
    if isinstance(value, StreamingAgentChatResponse):
        return (value.response or None) if value.is_done else None  # its writer may have come to the end already
    if isinstance(value, ChatResponse):
        return reply_from_chat(value)
    if isinstance(value, CompletionResponse):
        return value.text
    if isinstance(value, ChatMessage):
        return message_from(value)
    if isinstance(value, QueryBundle):
        return value.query_str
    if isinstance(value, ToolOutput):
        return snapshot(value.raw_output, depth + 1)
    if isinstance(value, (NodeWithScore, BaseNode)):
        return items_from_found([value])
    if depth >= MAX_DEPTH:
        return Opaque(f"<{type(value).__name__}>")
    if isinstance(value, (list, tuple)):
        if are_nodes(value):
            return items_from_nodes(value)
        return [snapshot(item, depth + 1) for item in value[-MAX_ENTRIES:]]
    if isinstance(value, StopEvent):
        return snapshot(_stop_value(value), depth + 1)
    return _fields_snapshot(value, depth)


def _stop_value(event: StopEvent) -> Any:
    """Returns what a workflow gave back: the result, or the fields of a stop event of the user's own class."""
    fields = event_fields(event)
    if event.__class__ is StopEvent or set(fields) == {"result"}:
        return event.result
    return fields


def _fields_snapshot(value: Any, depth: int) -> Any:
    fields: Any = value if isinstance(value, Mapping) else None
    if isinstance(value, Event):
        fields = event_fields(value)
        if isinstance(fields.get("response"), ChatMessage):
            return message_from(fields["response"])  # an agent's output; beside it stands all that the provider sent
    elif fields is None and not callable(value):
        fields = getattr(value, "__dict__", None)
    if not isinstance(fields, Mapping) or (not fields and not isinstance(value, (Mapping, BaseModel))):
        return Opaque(f"<{type(value).__name__}>")
    limit = MAX_ENTRIES if depth else MAX_TOP_ENTRIES
    return {
        key: snapshot(item, depth + 1)
        for key, item in islice(fields.items(), limit)
        if isinstance(value, Mapping) or (isinstance(key, str) and not key.startswith("_"))
    }
