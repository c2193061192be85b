"""LlamaIndex's nodes to record parts: ids, bare texts, metadata and scores, whatever a list holds.

These functions run on the host's thread, so they copy references and containers, and nothing else.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput
from llama_index.core.workflow import Event

from rag_eval_hooks.capture import FOR_THE_HOST, Item, Items, Opaque, guarded

__all__ = [
    "are_nodes",
    "are_tools",
    "event_fields",
    "held",
    "items_from_found",
    "items_from_nodes",
    "node_lists",
]

LABEL = re.compile(r"Source \d{1,6}:\n")
"""What `CitationQueryEngine` puts above each text that it hands on."""
TOOL = "Tool name: "
"""With what the text of a node begins that stands for a tool."""
DOCUMENT_KEY = "ref_doc_id"
"""Under which the document that a node was cut from goes into the metadata, where that has no such entry."""
TEXT_KEYS = ("text", "content", "page_content")
"""Where a mapping that stands for a node has its text."""


def items_from_nodes(nodes: Sequence[NodeWithScore], *, may_be_labelled: bool = False) -> Items:
    """Returns a snapshot of a list of nodes: ids, bare texts without the metadata header, metadata, and scores.

    A node that is not as LlamaIndex promises keeps its rank, with what can be read of it, and is counted.

    Args:
        nodes: The list.
        may_be_labelled: Whether the texts may have the numbers above them that `CitationQueryEngine` writes there; if
            all have, they are left away.
    """
    if not isinstance(nodes, (list, tuple)):
        return _items_one_by_one(nodes)
    kept: list[Item] = []
    try:
        for scored in nodes:
            node = scored.node
            text = node.text if type(node) is TextNode else node.get_content(metadata_mode=MetadataMode.NONE)
            if type(text) is not str:
                return _items_one_by_one(nodes)
            kept.append((node.node_id, text, _fields(node), scored.score))
    except FOR_THE_HOST:
        raise
    except BaseException:  # noqa: BLE001  it is met again, and counted, one node at a time
        return _items_one_by_one(nodes)
    if may_be_labelled and kept and LABEL.match(kept[0][1]):
        labels = [LABEL.match(item[1]) for item in kept]
        if all(labels):
            return Items(
                [
                    (item[0], item[1][label.end() :].removesuffix("\n"), item[2], item[3])
                    for item, label in zip(kept, labels, strict=True)
                    if label
                ]
            )
    return Items(kept)


def _fields(node: BaseNode) -> dict[str, Any]:
    fields = {**node.metadata}
    if node.relationships and DOCUMENT_KEY not in fields:
        document = node.ref_doc_id
        if document:
            fields[DOCUMENT_KEY] = document
    start = getattr(node, "start_char_idx", None)
    if start is not None and "start_index" not in fields:
        fields["start_index"], fields["end_index"] = start, getattr(node, "end_char_idx", None)
    return fields


def _items_one_by_one(nodes: Any) -> Items:
    """Returns the same of a list in which something is amiss; an iterator is the host's to read."""
    kept: list[Item] = []
    malformed = 0
    if isinstance(nodes, Collection) and not isinstance(nodes, (str, Mapping)):
        for node in nodes:
            item: Item = (None, "", {}, None)
            is_whole = False
            with guarded("llamaindex.node"):
                item, is_whole = _item_from(node)
            kept.append(item)
            malformed += not is_whole
    else:
        malformed = 1
    items = Items(kept)
    items.malformed = malformed
    return items


def _item_from(value: Any) -> tuple[Item, bool]:
    """Returns what can be read of something in a list of nodes, and whether it is all that there should be."""
    if isinstance(value, str):
        return (None, value, {}, None), False
    node = value.node if isinstance(value, NodeWithScore) else value
    score = value.score if isinstance(value, NodeWithScore) else None
    if not isinstance(node, BaseNode):
        return (None, held(getattr(node, "text", None)), {}, score), False
    fields: dict[str, Any] | None = None
    with guarded("llamaindex.node.metadata"):
        fields = _fields(node) if isinstance(node.metadata, Mapping) else None
    text: Any = None
    with guarded("llamaindex.node.text"):
        text = node.get_content(metadata_mode=MetadataMode.NONE)
    is_whole = fields is not None and isinstance(text, str) and isinstance(value, NodeWithScore)
    return (node.node_id, held(text), fields or {}, score), is_whole


def node_lists(value: Any) -> tuple[Items, ...]:
    """Returns the lists of nodes in what a step or tool returned: the result itself, or a field of an event in it."""
    if isinstance(value, ToolOutput):
        value = value.raw_output
    if isinstance(value, (list, tuple)):
        return (items_from_nodes(value),) if are_nodes(value) else ()
    if isinstance(value, Event):
        value = event_fields(value)
    if not isinstance(value, dict):
        return ()
    return tuple([items_from_nodes(item) for item in value.values() if are_nodes(item)])


def are_nodes(value: Any) -> bool:
    """Whether a value is a list of nodes."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, NodeWithScore) for one in value)


def are_tools(nodes: Any) -> bool:
    """Whether nodes stand for tools, as those of an `ObjectIndex` do in which an agent looks for tools."""
    return isinstance(nodes, (list, tuple)) and bool(nodes) and all(_is_tool(one) for one in nodes)


def _is_tool(found: Any) -> bool:
    node = getattr(found, "node", None) if isinstance(found, NodeWithScore) else None
    return (
        isinstance(node, TextNode)
        and node.excluded_llm_metadata_keys == ["name"]
        and list(node.metadata) == ["name"]
        and node.text.startswith(TOOL)
    )


def event_fields(event: Event) -> dict[str, Any]:
    """Returns the fields of a workflow's event, those that its class declares and those it was given besides."""
    return {**event.__dict__, **(getattr(event, "_data", None) or {})}


def items_from_found(found: Any) -> Items:
    """Returns a snapshot of what hand-written code found: nodes, texts, mappings with a text, pairs with a score.

    Anything else keeps its rank, with what can be read of it, and is counted.
    """
    if isinstance(found, (str, BaseNode, NodeWithScore)):
        found = [found]
    if not isinstance(found, Collection) or isinstance(found, Mapping):
        return _items_one_by_one(found)
    return items_from_nodes([_node_from(one) for one in found])


def _node_from(value: Any) -> Any:
    value, score = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    if isinstance(value, NodeWithScore):
        return value if score is None else NodeWithScore(node=value.node, score=float(score))
    if isinstance(value, str):
        value = {"text": value}
    if isinstance(value, Mapping):
        text = next((value[key] for key in TEXT_KEYS if isinstance(value.get(key), str)), None)
        if text is None:
            return value
        metadata = value.get("metadata")
        fields = metadata if isinstance(metadata, Mapping) else {k: v for k, v in value.items() if v is not text}
        identifier = value.get("id", value.get("node_id"))
        # LlamaIndex would make up an id; an empty one says that there is none.
        node = TextNode(text=text, metadata=dict(fields), id_="" if identifier is None else str(identifier))
        return NodeWithScore(node=node, score=None if score is None else float(score))
    if isinstance(value, BaseNode):
        return NodeWithScore(node=value, score=None if score is None else float(score))
    return value


def held(content: Any) -> Any:
    """Returns content that may be kept as it is; of anything that may change later, or hold much, the type's name."""
    return (
        content if content is None or isinstance(content, (str, int, float)) else Opaque(f"<{type(content).__name__}>")
    )
