"""Reads the citations that a model's provider gives beside the text: in blocks, in annotations, in lists of sources."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from rag_eval_hooks.record.clean import clean_text, text_id
from rag_eval_hooks.record.run import ProvidedCitation

__all__ = ["MAX_PROVIDED", "block_citations", "listed_citations", "moved"]

MAX_PROVIDED = 2_000
"""Citations of one answer that are kept."""
MAX_TEXT = 2_000
MAX_PLACE = 10**9
LIST_KEYS = ("annotations", "citations")
NESTED = ("url_citation", "file_citation", "file_path", "document", "extras")
START_KEYS = ("start_index", "start", "startIndex")
END_KEYS = ("end_index", "end", "endIndex")
INDEX_KEYS = ("document_index", "doc_index", "source_index")
ID_KEYS = ("file_id", "document_id", "doc_id", "source_id", "id")
TITLE_KEYS = ("title", "document_title", "filename", "file_name", "source", "name")
URL_KEYS = ("url", "uri", "link")
CITED_KEYS = ("cited_text", "quote", "snippet", "content")
SOURCE_LISTS = ("document_ids", "sources", "documents")


def block_citations(blocks: Any, lengths: Mapping[int, int] | None = None) -> tuple[ProvidedCitation, ...]:
    """Returns the citations in a message's content blocks; what has no place in a block is about the whole block.

    Args:
        blocks: The message's content: a list of blocks, or a text, which has none.
        lengths: By the block's position, how many characters of the answer it gives.
    """
    if not isinstance(blocks, (list, tuple)):
        return ()
    return tuple(islice(_in_blocks(blocks, lengths or {}), MAX_PROVIDED))


def _in_blocks(blocks: Any, lengths: Mapping[int, int]) -> Iterator[ProvidedCitation]:
    offset = 0
    for position, block in enumerate(blocks):
        length = lengths.get(position, 0)
        if isinstance(block, Mapping) and length:
            text = block.get("text")
            for holder in (block, text) if isinstance(text, Mapping) else (block,):
                for key in LIST_KEYS:
                    for citation in _entries(holder.get(key)):
                        yield moved(citation, offset, length)
        offset += length


def listed_citations(value: Any) -> tuple[ProvidedCitation, ...]:
    """Returns the citations of a list that stands beside the whole answer; addresses alone are its numbered sources.

    >>> [(one.label, one.url) for one in listed_citations(["https://a.org", "https://b.org"])]
    [(1, 'https://a.org'), (2, 'https://b.org')]
    """
    return tuple(islice(_entries(value), MAX_PROVIDED))


def _entries(value: Any) -> Iterator[ProvidedCitation]:
    for number, raw in enumerate(islice(value, MAX_PROVIDED) if isinstance(value, (list, tuple)) else (), 1):
        if isinstance(raw, str) and raw.strip():
            key = "url" if "://" in raw else "id"
            yield ProvidedCitation(label=number, **{key: raw[:MAX_TEXT]})
        elif isinstance(raw, Mapping):
            yield from _entry(raw)


def _entry(raw: Mapping[str, Any]) -> Iterator[ProvidedCitation]:
    """Yields what one annotation cites: one source, or each of those it lists."""
    fields: dict[str, Any] = dict(islice(raw.items(), 100))
    for key in NESTED:
        inner = fields.get(key)
        if isinstance(inner, Mapping):
            fields = {**dict(islice(inner.items(), 100)), **fields}
    span = fields.get("span")
    start, end = span if isinstance(span, (list, tuple)) and len(span) == 2 else (None, None)
    found = ProvidedCitation(
        start=_place(_first(fields, START_KEYS) if start is None else start),
        end=_place(_first(fields, END_KEYS) if end is None else end),
        label=_place(fields.get("label")),
        index=_place(_first(fields, ("index", *INDEX_KEYS) if not _is_annotation(raw) else INDEX_KEYS)),
        id=text_id(_first(fields, ID_KEYS)),
        title=_text(fields, TITLE_KEYS),
        url=_text(fields, URL_KEYS),
        cited_text=_text(fields, CITED_KEYS),
    )
    several = [one for key in SOURCE_LISTS for one in _list(fields.get(key))]
    if not several:
        yield found
    for one in several[:MAX_PROVIDED]:
        if isinstance(one, Mapping):
            name = _first(one, ID_KEYS)
            document = one.get("document")
            inner = document if isinstance(document, Mapping) else one
            yield found.model_copy(
                update={
                    "id": text_id(name),
                    "title": _text(inner, TITLE_KEYS) or found.title,
                    "url": _text(inner, URL_KEYS) or found.url,
                }
            )
        elif text_id(one):
            yield found.model_copy(update={"id": text_id(one)})


def _is_annotation(raw: Mapping[str, Any]) -> bool:
    """Whether it is an annotation of OpenAI's: its `index` is a place in the text, not a document's number."""
    return str(raw.get("type", "")).endswith(("_citation", "file_path"))


def moved(citation: ProvidedCitation, offset: int, length: int) -> ProvidedCitation:
    """Returns the citation of a part of the answer with places that count from the answer's beginning.

    Args:
        citation: What was given; without a place, it is about the whole part.
        offset: Where the part begins.
        length: How long it is.
    """
    if citation.label is not None:
        return citation
    if citation.start is None or citation.end is None:
        return citation.model_copy(update={"start": offset, "end": offset + length})
    return citation.model_copy(update={"start": citation.start + offset, "end": citation.end + offset})


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)


def _list(value: Any) -> list[Any]:
    return list(value[:MAX_PROVIDED]) if isinstance(value, (list, tuple)) else []


def _place(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_PLACE else None


def _text(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    value = next((fields[key] for key in keys if isinstance(fields.get(key), str) and fields[key].strip()), None)
    return None if value is None else str(clean_text(value[:MAX_TEXT]))
