"""Provenance: whether a reader could find the place again that an answer rests on."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import UseSource, use_flags
from rag_eval_hooks.metrics.levels import document_of, page_of
from rag_eval_hooks.metrics.spans import character_range
from rag_eval_hooks.record import Attribution, Chunk, MetricResult, RagRun
from rag_eval_hooks.record.item_keys import first_id

Place = tuple[str | None, str | None, str | None, tuple[int, int] | None]
"""Document, page, row and character range."""

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
    character range (`start_index`, `char_start`, `start` or `position`). What contradicts itself names no place: `page`
    and `page_number` that differ, or an id that chunks of other documents or places carry as well.

    >>> from rag_eval_hooks.record import read_run
    >>> run = read_run({"contexts": [{"id": "a", "metadata": {"source": "a.pdf", "page": 3}}, {"id": "b"}],
    ...                 "gold": {"used": ["a", "b"]}})
    >>> Provenance().score(run).value
    0.5
    """

    version: ClassVar[int] = 2
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
        places: dict[str, set[Place]] = {}
        for chunk in run.chunks:
            places.setdefault(chunk.id, set()).add(_place(chunk))
        return self.scored(sum(_is_placed(chunk) and len(places[chunk.id]) == 1 for chunk in used) / len(used))


def _place(chunk: Chunk) -> Place:
    return document_of(chunk), page_of(chunk), first_id(chunk.metadata, ROW_KEYS), character_range(chunk)


def _is_placed(chunk: Chunk) -> bool:
    document, page, row, stretch = _place(chunk)
    pages = {first_id(chunk.metadata, (key,)) for key in ("page", "page_number")} - {None}
    return document is not None and len(pages) < 2 and (page, row, stretch) != (None, None, None)
