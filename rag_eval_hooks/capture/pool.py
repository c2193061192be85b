"""The distinct chunks of one trace, and which of them were cut or rewritten from which."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rag_eval_hooks.capture.foreign import fields_of, id_of, number_of, text_of
from rag_eval_hooks.capture.forms import levelled
from rag_eval_hooks.capture.trace import Item, Items
from rag_eval_hooks.record import Chunk, ItemKeys, chunk_id
from rag_eval_hooks.record.item_keys import first_id

__all__ = ["Pool"]

_MADE_UP = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""An id that a framework gives what has none."""
MIN_SHARED = 12
"""Characters of a text from which its standing in another is no accident."""


@dataclass
class _PoolChunk:
    """One distinct chunk while the ledger is being made."""

    id: str
    text: str
    metadata: dict[str, Any]
    given_id: bool
    """Whether the framework gave the id."""
    derived_from: str | None = None
    _bare: dict[str, Any] | None = None

    @cached_property
    def level(self) -> str:
        """The text, levelled: rewriting does not keep white space."""
        return levelled(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words."""
        return frozenset(self.level.lower().split())

    def bare(self, keys: ItemKeys) -> dict[str, Any]:
        """Returns its metadata without scores, which rewriting keeps."""
        if self._bare is None:
            self._bare = {key: value for key, value in self.metadata.items() if key not in keys.score}
        return self._bare


class Pool:
    """Distinct chunks by id and text."""

    def __init__(self, keys: ItemKeys) -> None:
        self._keys = keys
        self._index: dict[tuple[str, str], int] = {}
        self._chunks: list[_PoolChunk] = []

    def add(self, items: Items, copied: Sequence[int] = ()) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
        """Returns the place of each item's chunk, new or known, and the item's score.

        Args:
            items: The list.
            copied: Places of chunks that it was made from: an item with the text of one of them is that one, whatever
                its id, since frameworks give copies new ids.
        """
        originals = {self._chunks[place].level: place for place in reversed(copied)}
        places: list[int] = []
        scores: list[float | None] = []
        for item in items:
            identifier, text, is_given = self._named(item)
            place = self._index.get((identifier, text), len(self._chunks))
            if place == len(self._chunks) and originals:
                place = originals.get(levelled(text), place)
            if place == len(self._chunks):
                self._index[identifier, text] = place
                self._chunks.append(_PoolChunk(identifier, text, fields_of(item[2]), is_given))
            places.append(place)
            score = item[3]
            scores.append(number_of(score) if score is not None else _score_in(item[2], self._keys))
        return tuple(places), tuple(scores)

    def _named(self, item: Item) -> tuple[str, str, bool]:
        """Returns an item's id and text, and whether the framework gave the id."""
        text = text_of(item[1])
        known = id_of(item[0]) or _id_in(item[2], self._keys)
        return known or chunk_id(text), text, known is not None

    def traced(self, items: Items, sources: Sequence[int]) -> list[list[int]]:
        """Returns, for each item of a list, the sources that it is, or that it was cut or rewritten from."""
        found: list[list[int]] = []
        for item in items:
            identifier, text, is_given = self._named(item)
            place = self._index.get((identifier, text))
            if place is not None and place in sources:
                found.append([place])
                continue
            chunk = _PoolChunk(identifier, text, fields_of(item[2]), is_given)
            same = [source for source in sources if self._chunks[source].level == chunk.level]
            found.append(same or self._origins(chunk, sources) or self._same_metadata(chunk, sources))
        return found

    def is_copy(self, item: Item) -> bool:
        """Whether an item has an id of its own, but the text of a chunk or a part of it."""
        identifier, text, is_given = self._named(item)
        same = (one for one in self._chunks if one.id == identifier)
        return is_given and not any(same) and any(text in one.text for one in self._chunks)

    def holds(self, text: str) -> bool:
        """Whether a chunk has this text."""
        return any(one.text == text for one in self._chunks)

    def id(self, place: int) -> str:
        """Returns the id of a chunk."""
        return self._chunks[place].id

    def text(self, place: int) -> str:
        """Returns the text of a chunk."""
        return self._chunks[place].text

    def origin_id(self, place: int) -> str | None:
        """Returns the id of the chunk that a chunk was cut or rewritten from, where `derive` has found it."""
        return self._chunks[place].derived_from

    def derive(self, places: Sequence[int], sources: Sequence[int]) -> None:
        """Notes from which of the sources each chunk of a list was cut or rewritten, if that can be told."""
        taken = set(places)
        for place in places:
            chunk = self._chunks[place]
            if place in sources or chunk.derived_from is not None:
                continue
            others = [source for source in dict.fromkeys(sources) if source != place]
            origins = self._origins(chunk, others) or self._same_metadata(chunk, others)
            # Of overlapping sources that both hold the text, each gives one of the chunks, in order.
            origin = next((one for one in origins if one not in taken), origins[0] if origins else None)
            if origin is not None:
                taken.add(origin)
                chunk.derived_from = self._chunks[origin].id

    def name_copies(self, places: Iterable[int]) -> None:
        """Gives chunks that were cut from others, and got made-up ids, the ids of those: labels name them by these.

        A chunk is known by its id and its text, so several may have one id.
        """
        for place in places:
            chunk = self._chunks[place]
            if chunk.derived_from is not None and _MADE_UP.fullmatch(chunk.id):
                chunk.id = chunk.derived_from

    def origins(self, place: int, sources: Iterable[int]) -> list[int]:
        """Returns the sources from which a chunk was cut, or that were put into it, as their ids and texts tell."""
        return self._origins(self._chunks[place], [source for source in dict.fromkeys(sources) if source != place])

    def _origins(self, chunk: _PoolChunk, sources: Iterable[int]) -> list[int]:
        others = [(source, self._chunks[source]) for source in sources]
        if chunk.given_id and (same := [source for source, other in others if other.id == chunk.id]):
            return same
        text = chunk.level
        if len(text) >= MIN_SHARED and (around := [source for source, other in others if text in other.level]):
            return around
        within = [source for source, other in others if len(other.level) >= MIN_SHARED and other.level in text]
        return within if len(within) == 1 else []  # what was put together from several comes from none of them

    def _same_metadata(self, chunk: _PoolChunk, sources: Iterable[int]) -> list[int]:
        """Returns the source of a rewritten chunk: the only one with its metadata, or of several the likest by far."""
        bare = chunk.bare(self._keys)
        same = [source for source in sources if bare and self._chunks[source].bare(self._keys) == bare]
        if len(same) > 1:
            words = chunk.words
            shared = {source: len(words & self._chunks[source].words) for source in same}
            best = max(shared.values())
            same = [source for source in same if shared[source] == best and 2 * best > len(words)]
        return same if len(same) == 1 else []

    def chunks(self) -> tuple[Chunk, ...]:
        """Returns the chunks for the record, by place."""
        return tuple(
            Chunk(
                id=one.id,
                text=one.text,
                metadata=one.metadata,
                source=first_id(one.metadata, self._keys.source),
                page=first_id(one.metadata, self._keys.page),
                derived_from=one.derived_from,
            )
            for one in self._chunks
        )


def _id_in(metadata: Any, keys: ItemKeys) -> str | None:
    return first_id(metadata, keys.id) if isinstance(metadata, Mapping) else None


def _score_in(metadata: Any, keys: ItemKeys) -> float | None:
    for key in keys.score if isinstance(metadata, Mapping) else ():
        number = number_of(metadata.get(key))
        if number is not None:
            return number
    return None
