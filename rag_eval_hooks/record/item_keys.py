"""Under which names frameworks and stores put what is known of a retrieved item into its metadata."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record.clean import text_id

__all__ = ["DOCUMENT_KEYS", "ID_KEYS", "PAGE_KEYS", "SCORE_KEYS", "ItemKeys", "first_id"]

ID_KEYS = ("chunk_id", "node_id", "_id", "id")
"""Metadata keys that hold an item's id, where the framework gives none itself; tried in this order."""
SCORE_KEYS = ("relevance_score", "rerank_score", "score", "_score", "similarity_score", "similarity")
"""Metadata keys in which frameworks and stores put an item's score; the first that holds a number counts."""
DOCUMENT_KEYS = ("document_id", "doc_id", "source", "file_name", "file_path", "url", "title", "ref_doc_id")
"""Metadata keys that name an item's document, tried in this order."""
PAGE_KEYS = ("page", "page_number", "page_label")
"""Metadata keys that number an item's page, tried in this order."""

_Keys = str | Iterable[str]


@dataclass(frozen=True)
class ItemKeys:
    """Which metadata keys hold an item's id, score, document and page.

    Your own names come first; the usual ones are tried after them.

    >>> ItemKeys(source="my_file").source[:2]
    ('my_file', 'document_id')

    Args:
        id: Ids, where the framework gives the item none: `chunk_id`, `node_id`, `_id`, `id`.
        score: Scores: `relevance_score`, `rerank_score`, `score`, `_score`, `similarity_score`, `similarity`.
        source: What the item was cut from: `document_id`, `doc_id`, `source`, `file_name`, `file_path`, `url`, `title`,
            `ref_doc_id` (LlamaIndex's id of the document, which it mostly makes up).
        page: Where in it: `page`, `page_number`, `page_label`.

    Raises:
        ConfigError: If a name is no text.
    """

    id: _Keys = ()
    score: _Keys = ()
    source: _Keys = ()
    page: _Keys = ()

    def __post_init__(self) -> None:
        usual = {"id": ID_KEYS, "score": SCORE_KEYS, "source": DOCUMENT_KEYS, "page": PAGE_KEYS}
        for field in fields(self):
            given = getattr(self, field.name)
            own = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
            if not all(isinstance(key, str) for key in own):
                raise ConfigError(f"ItemKeys({field.name}=...): expected names of metadata keys, got {given!r}")
            object.__setattr__(self, field.name, tuple(dict.fromkeys((*own, *usual[field.name]))))


def first_id(metadata: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    """Returns the first of these entries that is an id: a text that is not blank, or a number."""
    for key in keys:
        value = metadata.get(key)
        if value is not None and isinstance(value, (str, int, float)) and not isinstance(value, bool):
            identifier = text_id(value)
            if identifier is not None:
                return identifier
    return None
