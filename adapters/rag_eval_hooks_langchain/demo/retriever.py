"""A BM25 retriever over the demo's chunks, on the package `bm25s`."""

import logging
from collections.abc import Sequence
from typing import Any, Self

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr

from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks_langchain.demo.reading import words

__all__ = ["Bm25Retriever"]


class Bm25Retriever(BaseRetriever):
    """Returns the `k` chunks that share the rarest words with the query, best first; equal scores keep corpus order.

    Each returned document is a copy with its BM25 score in `metadata["score"]`. A chunk that shares no word with the
    query is not returned, so there may be fewer than `k`.
    """

    k: int = Field(default=5, ge=1)
    """How many chunks to return at most."""

    _documents: tuple[Document, ...] = PrivateAttr(default=())
    _index: Any = PrivateAttr(default=None)

    @classmethod
    def from_documents(cls, documents: Sequence[Document], *, k: int = 5) -> Self:
        """Returns a retriever over `documents`; their headings (metadata `section`) are searched as well.

        Raises:
            ConfigError: If there are no documents.
            MissingExtraError: If `bm25s` is not installed.
        """
        if not documents:
            raise ConfigError("a retriever needs at least one document")
        try:
            import bm25s  # type: ignore[import-untyped]  # it ships no type information
        except ImportError as error:
            raise MissingExtraError("bm25s", "demo") from error
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        retriever = cls(k=k)
        retriever._documents = tuple(documents)
        retriever._index = bm25s.BM25()
        retriever._index.index(
            [words(f"{document.metadata.get('section', '')} {document.page_content}") for document in documents],
            show_progress=False,
        )
        return retriever

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  the signature is the framework's
    ) -> list[Document]:
        known = [word for word in dict.fromkeys(words(query)) if word in self._index.vocab_dict]
        if not known:
            return []
        scores = [float(score) for score in self._index.get_scores(known)]
        # Sorted here because bm25s picks the top k by partition, which leaves the order of ties open.
        best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[: self.k]
        return [_scored(self._documents[place], scores[place]) for place in best if scores[place] > 0]


def _scored(document: Document, score: float) -> Document:
    metadata = {**document.metadata, "score": round(score, 4)}
    return Document(id=document.id, page_content=document.page_content, metadata=metadata)
