"""What was not text in a model call's prompt and reply: by kind and size, never by content."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from rag_eval_hooks.capture.trace import Message, Reply, Step
from rag_eval_hooks.record import Media
from rag_eval_hooks.record.clean import clean_text

__all__ = ["MAX_MEDIA", "media_of"]

MAX_MEDIA = 100
"""Blocks told of one call."""
MAX_WORD = 100


def media_of(call: Step | None) -> tuple[Media, ...]:
    """Returns the blocks of the answering call that are no text; adapters leave `{"type", "mime_type", "size"}`."""
    if call is None:
        return ()
    found: list[Media] = []
    messages = call.input if isinstance(call.input, tuple) else ()
    for message in messages:
        if isinstance(message, Message):
            found.extend(_blocks(message.content, "prompt"))
    if isinstance(call.output, Reply):
        found.extend(_blocks(call.output.content, "answer"))
    return tuple(found[:MAX_MEDIA])


def _blocks(content: Any, place: Literal["prompt", "answer"]) -> Iterator[Media]:
    for block in content if isinstance(content, (list, tuple)) else ():
        if isinstance(block, Mapping) and "size" in block and isinstance(block.get("type"), str):
            size = block["size"]
            yield Media(
                place=place,
                kind=str(clean_text(block["type"]))[:MAX_WORD],
                mime_type=_word(block.get("mime_type")),
                size=size if isinstance(size, int) and size >= 0 else None,
            )


def _word(value: Any) -> str | None:
    return str(clean_text(value))[:MAX_WORD] if isinstance(value, str) else None
