"""Provenance: whether a reader could find the place again that an answer rests on."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import UseSource, use_flags
from rag_eval_hooks.metrics.levels import document_of, first_id, page_of
from rag_eval_hooks.metrics.spans import character_range
from rag_eval_hooks.record import Attribution, Chunk, MetricResult, RagRun

__all__ = ["ROW_KEYS", "Provenance"]

ROW_KEYS = ("row", "row_index", "row_number", "line", "line_number")
"""Metadata keys that number a chunk's row, tried in this order."""


@register
@dataclass(frozen=True, kw_only=True)
class Provenance(Metric):
    """Share of the used items whose metadata says where they stand: the document, and the place in it.

    Provenance = used items with a document and a page, row or character range / used items

    The document is named by `document_id`, `doc_id`, `source`, `file_name`, `file_path`, `url` or `title`; the place
    by `page`, `page_number` or `page_label`, by `row`, `row_index`, `row_number`, `line` or `line_number`, or by a
    character range (`start_index`, `char_start`, `start` or `position`).

    >>> from rag_eval_hooks.record import read_run
    >>> run = read_run({"contexts": [{"id": "a", "metadata": {"source": "a.pdf", "page": 3}}, {"id": "b"}],
    ...                 "gold": {"used": ["a", "b"]}})
    >>> Provenance().score(run).value
    0.5
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "labels"})
    use_when: ClassVar[str] = "Readers must be able to check the source, or an index drops metadata on the way."
    avoid_when: ClassVar[str] = "The corpus has no pages or places, such as short records with an id each."

    labels: UseSource = "used"
    """Who says what was used: `gold.used` or else attribution, or a judge."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason: `nothing_used` where there is nothing to place."""
        flags, reason = use_flags(run, attribution, self.labels)
        if reason is not None:
            return self.not_scored(reason)
        used = [run.chunks[item.chunk] for item, flag in zip(run.context, flags, strict=True) if flag]
        if not used:
            return self.not_scored("nothing_used")
        return self.scored(sum(map(_is_placed, used)) / len(used))


def _is_placed(chunk: Chunk) -> bool:
    if document_of(chunk) is None:
        return False
    placed = page_of(chunk) is not None or first_id(chunk.metadata, ROW_KEYS) is not None
    return placed or character_range(chunk) is not None
