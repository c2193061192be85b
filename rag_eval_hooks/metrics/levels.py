"""Rolls chunk ids up to pages and documents, by what the chunks' metadata says."""

from collections.abc import Iterable, Mapping
from typing import Literal

from rag_eval_hooks.record import Chunk, RagRun
from rag_eval_hooks.record.item_keys import DOCUMENT_KEYS, PAGE_KEYS, first_id

__all__ = [
    "Level",
    "document_of",
    "page_of",
    "ranked_units",
    "roll_up",
    "unit_of",
]

Level = Literal["chunk", "page", "document"]

PAGE_MARK = "#page="
"""Stands between document and page in the name of a page; gold may name pages this way, too."""


def document_of(chunk: Chunk) -> str | None:
    """Returns the document a chunk comes from, as captured or else as its metadata names it, or None.

    >>> document_of(Chunk(id="c1", metadata={"source": "a.pdf", "title": "A"}))
    'a.pdf'
    """
    return chunk.source or first_id(chunk.metadata, DOCUMENT_KEYS)


def page_of(chunk: Chunk) -> str | None:
    """Returns the page a chunk comes from, as text, or None."""
    return chunk.page or first_id(chunk.metadata, PAGE_KEYS)


def unit_of(chunk: Chunk, level: Level) -> str:
    """Returns what a chunk is at a level: its document, its page, or its own id.

    A chunk whose metadata does not name the document (for `page`, also the page) keeps its own id.

    >>> chunk = Chunk(id="c1", metadata={"source": "a.pdf", "page": 3})
    >>> [unit_of(chunk, level) for level in ("chunk", "page", "document")]
    ['c1', 'a.pdf#page=3', 'a.pdf']
    """
    if level == "chunk":
        return chunk.id
    document = document_of(chunk)
    if document is None or level == "document":
        return chunk.id if document is None else document
    page = page_of(chunk)
    return chunk.id if page is None else f"{document}{PAGE_MARK}{page}"


def ranked_units(run: RagRun, level: Level) -> tuple[str, ...]:
    """Returns the retrieved list at a level, one entry a chunk: a second chunk of the same page is a repeat."""
    if level == "chunk":
        return run.retrieved_ids
    units = [unit_of(chunk, level) for chunk in run.chunks]
    return tuple(units[index] for index in run.retrieved_places)


def roll_up(run: RagRun, ids: Iterable[str], level: Level) -> Mapping[str, frozenset[str]]:
    """Returns the units that each labelled id stands for at a level.

    An id is rolled up through the run's chunks that carry it (several, where a framework repeats ids). One that no
    chunk carries is taken as it is, so labels may name documents, or pages as `a.pdf#page=3`; at the level of
    documents such a page stands for its document.
    """
    if level == "chunk":
        return {identifier: frozenset((identifier,)) for identifier in ids}
    carried: dict[str, set[str]] = {}
    for chunk in run.chunks:
        carried.setdefault(chunk.id, set()).add(unit_of(chunk, level))
    return {
        identifier: frozenset(carried[identifier]) if identifier in carried else frozenset((_as_is(identifier, level),))
        for identifier in ids
    }


def _as_is(identifier: str, level: Level) -> str:
    document = identifier.rpartition(PAGE_MARK)[0] if level == "document" else ""
    return document or identifier
