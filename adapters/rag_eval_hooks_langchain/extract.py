"""LangChain objects to record parts: snapshots that stay as they are when the host changes its objects later.

These functions run on the host's thread, so they copy references and containers, to a bounded depth and number of
entries, and nothing else.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.prompt_values import ChatPromptValue, PromptValue, StringPromptValue

from rag_eval_hooks.capture import FOR_THE_HOST, Item, Items, Message, Opaque, Reply, Resume, guarded

__all__ = [
    "document_lists",
    "items_from_documents",
    "items_from_found",
    "message_from",
    "prompt_from",
    "prompt_from_messages",
    "prompt_from_texts",
    "reply_from",
    "reply_from_result",
    "snapshot",
    "tool_lists",
]

ROLES = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessageChunk": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "tool",
    "FunctionMessageChunk": "tool",
}
MEDIA = frozenset(
    "image image_url input_image audio input_audio output_audio video video_url file input_file document media "
    "text-plain".split()
)
"""Types of blocks that hold something other than text, or a whole document."""
MEDIA_HOLDERS = ("source", "image_url", "input_audio", "audio", "file", "video_url")
MEDIA_PAYLOADS = ("data", "base64", "file_data", "url", "image_url", "file_id", "id")
TEXT_KEYS = ("page_content", "text", "content")
"""Where a mapping that stands for a document has its text."""
MAX_DEPTH = 6
MAX_ENTRIES = 100
MAX_TOP_ENTRIES = 1_000
"""Of an input or output itself: the question and the answer may stand anywhere in a graph's state."""
MAX_CITATIONS = 2_000

WITHOUT_DOCUMENTS = frozenset((str, AIMessage, AIMessageChunk, ChatPromptValue, StringPromptValue))
"""What most chain runs return. Asked for first: `isinstance` is slow where a pydantic object is not what it is asked
for."""

# A named tuple's own constructor is a Python function; at every message of the host this halves the time.
_new = tuple.__new__


def items_from_documents(documents: Sequence[Document]) -> Items:
    """Returns a snapshot of a list of documents: ids, texts, and copies of their metadata.

    A document that is not as LangChain promises keeps its rank, with what can be read of it, and is counted.
    """
    if not isinstance(documents, (list, tuple)):
        return _items_one_by_one(documents)
    kept: list[Item] = []
    try:
        for document in documents:
            text = document.page_content
            if type(text) is not str:
                return _items_one_by_one(documents)
            kept.append((document.id, text, {**document.metadata}, None))
    except FOR_THE_HOST:
        raise
    except BaseException:  # noqa: BLE001  it is met again, and counted, one document at a time
        return _items_one_by_one(documents)
    return Items(kept)


def _items_one_by_one(documents: Any) -> Items:
    """Returns the same of a list in which something is amiss; an iterator is the host's to read."""
    kept: list[Item] = []
    malformed = 0
    if isinstance(documents, Collection) and not isinstance(documents, (str, Mapping)):
        for document in documents:
            item: Item = (None, "", {}, None)
            is_whole = False
            with guarded("langchain.document"):
                item, is_whole = _item_from(document)
            kept.append(item)
            malformed += not is_whole
    else:
        malformed = 1
    items = Items(kept)
    items.malformed = malformed
    return items


def _item_from(document: Any) -> tuple[Item, bool]:
    """Returns what can be read of something in a list of documents, and whether it is all that there should be."""
    if isinstance(document, str):
        return (None, document, {}, None), False
    text = getattr(document, "page_content", None)
    metadata = getattr(document, "metadata", None)
    fields = dict(metadata) if isinstance(metadata, Mapping) else None
    item = (getattr(document, "id", None), _held(text), fields or {}, None)
    return item, fields is not None and isinstance(text, str)


def _held(content: Any) -> Any:
    """Returns content that may be kept as it is; of anything that may change later, or hold much, the type's name."""
    return (
        content if content is None or isinstance(content, (str, int, float)) else Opaque(f"<{type(content).__name__}>")
    )


def message_from(message: BaseMessage) -> Message:
    """Returns a snapshot of a message."""
    content = message.content
    role = ROLES.get(message.type) or str(getattr(message, "role", message.type))
    # Only AI messages have tool calls, and asking a pydantic object for a field it lacks is slow, as is `isinstance`.
    calls_tools = role == "assistant" and bool(getattr(message, "tool_calls", None))
    return _new(Message, (role, content if type(content) is str else _blocks(content), calls_tools))


def _blocks(content: Any) -> Any:
    return [_block(block) for block in content] if isinstance(content, (list, tuple)) else _held(content)


def _block(block: Any) -> Any:
    """Returns a snapshot of one content block: text as it is, anything else by type and size."""
    if not isinstance(block, dict):
        return _held(block)
    kind = block.get("type")
    if kind in MEDIA:
        text = _text_in(block)
        return {"type": "text", "text": text} if text is not None else _media(kind, block)
    return {**block}


def _text_in(block: dict[str, Any]) -> Any:
    """Returns the text of a block that holds a document as text, as providers and LangChain write it; else None."""
    source = block.get("source")
    if isinstance(source, dict):
        if source.get("type") == "text":
            return source.get("data")
        return _blocks(source.get("content")) if source.get("type") == "content" else None
    plain = str(block.get("mime_type") or "").startswith("text/") or block.get("type") == "text-plain"
    return block.get("text") or (block.get("data") if plain else None)


def _media(kind: str, block: dict[str, Any]) -> dict[str, Any]:
    """Returns type, kind of content and size of a block; its data is not kept, not even by reference."""
    holders = [block, *(block[key] for key in (kind, *MEDIA_HOLDERS) if isinstance(block.get(key), dict))]
    payload = next(
        (one[key] for one in holders for key in MEDIA_PAYLOADS if isinstance(one.get(key), (str, bytes, bytearray))),
        None,
    )
    named = (one.get(key) for one in holders for key in ("mime_type", "media_type", "format"))
    mime_type = next((name for name in named if isinstance(name, str)), None)
    size = None if payload is None else len(payload)
    if isinstance(payload, str) and payload.startswith("data:"):
        head, comma, _ = payload[:200].partition(",")
        mime_type = mime_type or head[5:].partition(";")[0]
        size = len(payload) - len(head) - len(comma)
    # LangChain shows some blocks to callbacks in one provider's format: an image is an image in all of them.
    what = kind.removeprefix("input_").removeprefix("output_").removesuffix("_url")
    return {"type": what, "mime_type": mime_type, "size": size}


def prompt_from_messages(messages: Sequence[BaseMessage]) -> tuple[Message, ...]:
    """Returns a snapshot of what a chat model was given."""
    return tuple([message_from(message) for message in messages])


def prompt_from_texts(prompts: Sequence[str]) -> tuple[Message, ...]:
    """Returns a snapshot of what a text model was given."""
    return tuple([Message("user", prompt) for prompt in prompts])


def reply_from_result(response: LLMResult) -> Reply:
    """Returns a snapshot of what a model call returned: the first generation's content, and the token counts."""
    generations = response.generations
    first = generations[0][0] if generations and generations[0] else None
    if first is None:
        return Reply("", False, _usage_from_output(response))
    message = getattr(first, "message", None)
    if message is None:
        return Reply(first.text or "", False, _usage_from_output(response))
    content = message.content
    usage = getattr(message, "usage_metadata", None)
    return _new(
        Reply,
        (
            content if type(content) is str else _blocks(content),
            bool(getattr(message, "tool_calls", None)),
            {**usage} if isinstance(usage, dict) and usage else _usage_from_output(response),
            _citations_beside(message),
            _cost_beside(message),
        ),
    )


def _cost_beside(message: BaseMessage) -> Any:
    """Returns the cost that some providers put among their own token counts."""
    usage = message.response_metadata.get("token_usage") if message.response_metadata else None
    return usage.get("cost") if isinstance(usage, dict) else None


def _citations_beside(message: BaseMessage) -> list[Any] | None:
    """Returns a snapshot of the citations that some providers put beside the content; those in blocks are there."""
    beside = message.additional_kwargs
    if not beside:
        return None
    found = beside.get("citations") or beside.get("annotations")
    return [snapshot(one) for one in found[:MAX_CITATIONS]] if isinstance(found, (list, tuple)) and found else None


def _usage_from_output(response: LLMResult) -> Mapping[str, Any] | None:
    output = response.llm_output
    usage = output.get("token_usage") if isinstance(output, dict) else None
    return dict(usage) if isinstance(usage, Mapping) else None


def document_lists(value: Any) -> tuple[Items, ...]:
    """Returns the lists of documents in a chain's output: the output itself, or in a mapping or state update.

    A mapping in a mapping is looked into as well, and no deeper. Documents may come in pairs with their scores, as
    vector stores return them.
    """
    kind = type(value)
    if kind in WITHOUT_DOCUMENTS:
        return ()
    if kind is not dict:
        if isinstance(value, str):  # of a class of its own, as messages of langchain-core 1 give their text
            return ()
        if isinstance(value, (list, tuple)):
            items = _items_in(value)
            return () if items is None else (items,)
        if not isinstance(value, dict):
            # A LangGraph Command carries its state update; known by name, because langgraph is optional.
            value = value.update if kind.__name__ == "Command" else None
            if not isinstance(value, dict):
                return ()
    lists: list[Items] = []
    for item in value.values():
        if type(item) not in WITHOUT_DOCUMENTS:
            for inner in item.values() if type(item) is dict else (item,):
                items = None if type(inner) in WITHOUT_DOCUMENTS else _items_in(inner)
                if items is not None:
                    lists.append(items)
    return tuple(lists)


def tool_lists(output: Any) -> tuple[Items, ...]:
    """Returns the lists of documents that a tool returned: its output, or the artifact of a message in it."""
    artifact = getattr(output, "artifact", None)
    lists = document_lists(output if artifact is None else artifact)
    if type(output).__name__ == "Command" and isinstance(output.update, dict):
        messages = output.update.get("messages")
        for message in messages if isinstance(messages, (list, tuple)) else ():
            lists += document_lists(getattr(message, "artifact", None))
    return lists


def _items_in(value: Any) -> Items | None:
    """Returns a snapshot of a list of documents, or of pairs of document and score; None if it is no such list."""
    if not isinstance(value, (list, tuple)) or not value:
        return None
    if isinstance(value[0], Document):
        return items_from_documents(value) if all(isinstance(one, Document) for one in value) else None
    if _is_scored(value[0]) and all(_is_scored(one) for one in value):
        return _with_scores(items_from_documents([document for document, _ in value]), [score for _, score in value])
    return None


def _with_scores(items: Items, scores: Sequence[Any]) -> Items:
    scored = Items([(*item[:3], score) for item, score in zip(items, scores, strict=True)])
    scored.malformed = items.malformed
    return scored


def _is_scored(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Document) and _is_number(value[1])


def _is_number(value: Any) -> bool:
    """Whether a value is a number, also one of numpy's."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)) or hasattr(value, "__float__")


def items_from_found(found: Any) -> Items:
    """Returns a snapshot of what hand-written code found: documents, texts, mappings with a text, pairs with a score.

    Anything else keeps its rank, with what can be read of it, and is counted.
    """
    if isinstance(found, (str, Document)):
        found = [found]
    if not isinstance(found, Collection) or isinstance(found, Mapping):
        return _items_one_by_one(found)
    scores: list[Any] = []
    documents: list[Any] = []
    for one in found:
        document, score = one if isinstance(one, tuple) and len(one) == 2 and _is_number(one[1]) else (one, None)
        documents.append(_document_from(document))
        scores.append(score)
    return _with_scores(items_from_documents(documents), scores)


def _document_from(value: Any) -> Any:
    if isinstance(value, str):
        return Document(page_content=value)
    if isinstance(value, Mapping):
        text = next((value[key] for key in TEXT_KEYS if isinstance(value.get(key), str)), None)
        if text is not None:
            metadata = value.get("metadata")
            fields = metadata if isinstance(metadata, Mapping) else {k: v for k, v in value.items() if v is not text}
            identifier = value.get("id")
            return Document(
                page_content=text, metadata=dict(fields), id=None if identifier is None else str(identifier)
            )
    return value


def prompt_from(value: Any) -> tuple[Message, ...] | None:
    """Returns a snapshot of what a model was given by hand: a text, messages in any of LangChain's forms, or None."""
    if value is None:
        return None
    if isinstance(value, str):
        return prompt_from_texts([value])
    if isinstance(value, PromptValue):
        return prompt_from_messages(value.to_messages())
    return prompt_from_messages(convert_to_messages([value] if isinstance(value, BaseMessage) else value))


def reply_from(value: Any) -> Reply:
    """Returns a snapshot of what a model said: its text, or its message."""
    if isinstance(value, BaseMessage):
        return reply_from_result(LLMResult(generations=[[ChatGeneration(message=value)]]))
    return Reply(value if isinstance(value, (str, list)) else str(value))


def snapshot(value: Any, depth: int = 0) -> Any:
    """Returns a copy of an input or output that later changes do not reach.

    Messages and documents become their snapshots; mappings, lists, dataclasses and pydantic objects are copied some
    levels deep; of long lists the end is kept, where the newest message is. Anything else is named by its type.
    """
    if type(value) is str or value is None or isinstance(value, (str, int, float)):
        return value
    limit = MAX_ENTRIES if depth else MAX_TOP_ENTRIES
    if depth < MAX_DEPTH:
        if isinstance(value, dict):
            return {key: snapshot(item, depth + 1) for key, item in islice(value.items(), limit)}
        if isinstance(value, (list, tuple)):
            items = _items_in(value)
            if items is not None:
                return items
            return [snapshot(item, depth + 1) for item in value[-MAX_ENTRIES:]]
    if isinstance(value, BaseMessage):
        return message_from(value)
    if isinstance(value, Document):
        return items_from_documents([value])
    if type(value).__name__ == "Command" and getattr(value, "resume", None) is not None:
        return Resume(snapshot(value.resume, depth + 1))
    if isinstance(value, PromptValue):
        return list(prompt_from_messages(value.to_messages()))
    if depth < MAX_DEPTH:
        if isinstance(value, Mapping):
            return {key: snapshot(item, depth + 1) for key, item in islice(value.items(), limit)}
        fields = getattr(value, "__dict__", None)
        if type(fields) is dict and not callable(value):
            return {
                key: snapshot(item, depth + 1)
                for key, item in islice(fields.items(), limit)
                if isinstance(key, str) and not key.startswith("_")
            }
    return Opaque(f"<{type(value).__name__}>")
