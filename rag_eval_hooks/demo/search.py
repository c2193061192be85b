"""BM25 search over the demo's chunks, on the package `bm25s`; each adapter's retriever asks it."""

import logging
from collections.abc import Sequence

from rag_eval_hooks.demo.reading import words
from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks.record import Chunk

__all__ = ["Bm25Index"]


class Bm25Index:
    """Finds the chunks that share the rarest words with a query; their headings (metadata `section`) count, too.

    Args:
        chunks: What is searched.
        k: How many chunks a search returns at most.

    Raises:
        ConfigError: If there are no chunks, or `k` is below 1.
        MissingExtraError: If `bm25s` is not installed.
    """

    def __init__(self, chunks: Sequence[Chunk], *, k: int = 5) -> None:
        if not chunks:
            raise ConfigError("an index needs at least one chunk")
        if k < 1:
            raise ConfigError(f"k is {k}; let a search return at least one chunk")
        try:
            import bm25s  # type: ignore[import-untyped]  # it ships no type information
        except ImportError as error:
            raise MissingExtraError("bm25s", "demo") from error
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self.k = k
        self.chunks = tuple(chunks)
        self._index = bm25s.BM25()
        self._index.index(
            [words(f"{chunk.metadata.get('section', '')} {chunk.text}") for chunk in chunks], show_progress=False
        )

    def search(self, query: str) -> list[tuple[Chunk, float]]:
        """Returns the best chunks with their scores, best first; equal scores keep the chunks' order.

        A chunk that shares no word with the query is not returned, so there may be fewer than `k`.
        """
        known = [word for word in dict.fromkeys(words(query)) if word in self._index.vocab_dict]
        if not known:
            return []
        scores = [float(score) for score in self._index.get_scores(known)]
        # Sorted here because bm25s picks the top k by partition, which leaves the order of ties open.
        best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[: self.k]
        return [(self.chunks[place], round(scores[place], 4)) for place in best if scores[place] > 0]
