"""How many bytes a finished trace holds, about: what bounds the queue."""

from typing import Any

from rag_eval_hooks.capture.trace import Trace

__all__ = ["size_of"]

MAX_DEPTH = 8
"""Levels of a snapshot that are looked at for its size; adapters keep no more."""
MAX_LOOKS = 200_000
"""Entries of a snapshot that are looked at: metadata that refers to itself in many places would have no end of them."""
SLOT = 64
"""Bytes counted for each entry of a list or mapping."""
OPAQUE = 200
"""Bytes counted for an object that is not looked into."""


def size_of(trace: Trace) -> int:
    """Estimates the bytes a finished trace holds; texts count whole although the host may share them."""
    size = 2_000 + 300 * len(trace.starts) + _bytes(trace.metadata)
    for start in trace.starts.values():
        size += _bytes(start[3])
    for _, output, lists, _ in trace.ends.values():
        size += _bytes(output)
        for items in lists:
            size += _bytes(items)
    for tokens in trace.tokens.values():
        size += 60 * len(tokens)
    return size


def _bytes(value: Any, depth: int = 0, left: list[int] | None = None) -> int:
    """Counts the characters of the texts in a snapshot, and something for what holds them; see `MAX_LOOKS`."""
    kind = type(value)
    if kind is str:
        return len(value)
    if value is None or kind is bool or kind is float or kind is int or depth > MAX_DEPTH:
        return 0
    if kind is dict:
        inner = value.values()
    elif issubclass(kind, (tuple, list)):
        inner = value
    else:  # the host's own, in a document's metadata: only asked for its length
        return len(value) if issubclass(kind, (str, bytes, bytearray)) else OPAQUE
    size = SLOT * len(value)
    if depth and value and type(next(iter(inner))) in (float, int):  # an embedding
        return size
    left = [MAX_LOOKS] if left is None else left
    left[0] -= len(value)
    return size if left[0] < 0 else size + sum([_bytes(one, depth + 1, left) for one in inner])
