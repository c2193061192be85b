"""The chunk ledger of one trace: its retrieval steps as stages, with one pool of chunks."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rag_eval_hooks.capture.foreign import fields_of, id_of, number_of, text_of
from rag_eval_hooks.capture.trace import Items, Step, Trace
from rag_eval_hooks.record import Chunk, ItemKeys, Stage, StageItem, chunk_id
from rag_eval_hooks.record.clean import clean_text
from rag_eval_hooks.record.item_keys import first_id
from rag_eval_hooks.record.run import StageKind

__all__ = ["Ledger", "Lineage", "build_ledger"]

MIN_SHARED = 12
"""Characters of a text from which its standing in another is no accident."""

PARALLEL = "RunnableParallel"
"""Beginning of the name of a step whose branches get the same input: none of them works on what another found."""


class Lineage:
    """Who runs below whom in one trace."""

    def __init__(self, trace: Trace) -> None:
        self._steps = {step.run_id: step for step in trace.steps}

    def ancestors(self, step: Step) -> Iterable[Step]:
        """Yields the steps around a step, innermost first."""
        seen: set[Hashable] = {step.run_id}
        above = self._steps.get(step.parent_id) if step.parent_id is not None else None
        while above is not None and above.run_id not in seen:
            seen.add(above.run_id)
            yield above
            above = self._steps.get(above.parent_id) if above.parent_id is not None else None

    def parallel(self, one: Step, other: Step) -> bool:
        """Whether two steps run in different branches of a step that gives all its branches the same input."""
        around = {above.run_id for above in (one, *self.ancestors(one))}
        meet = next((above for above in (other, *self.ancestors(other)) if above.run_id in around), None)
        if meet is None or meet in (one, other):
            return False
        return isinstance(meet.name, str) and meet.name.startswith(PARALLEL)

    def below(self, step: Step, *kinds: str) -> bool:
        """Whether a step runs inside one of the given kinds."""
        return any(above.kind in kinds for above in self.ancestors(step))


@dataclass
class _Listing:
    """One list of chunks on its way to a stage."""

    step: Step
    places: tuple[int, ...]
    scores: tuple[float | None, ...]
    parent: "_Listing | None" = None
    children: "list[_Listing]" = field(default_factory=list)
    kind: StageKind = "retrieve"
    round: int = 1
    final: bool = True


@dataclass(frozen=True)
class Ledger:
    """What was retrieved."""

    chunks: tuple[Chunk, ...]
    """Every distinct chunk."""
    stages: tuple[Stage, ...]
    """The lists, in order of start."""
    retrieval_ended: float | None
    """When the first search ended, on the collector's clock; None if none did."""
    queries: frozenset[str]
    """The queries that were sent."""
    attempts: bool
    """Whether searches of failed attempts were left out of what counts."""


def build_ledger(trace: Trace, lineage: Lineage, keys: ItemKeys) -> Ledger:
    """Returns the retrieval steps of a trace.

    A retriever around others counts instead of them; a chain or tool that returns items without a retriever below is
    a search of its own, or, where it returns a choice of items that were there before, a postprocessing of those.
    Where nothing was searched, the items that the question came with count.
    """
    pool = _Pool(keys)
    listings = _retriever_listings(trace, lineage, pool)
    rounds = _number_rounds(listings)
    _add_implicit(trace, lineage, pool, listings, rounds)
    if not listings:
        listings += _given(trace, pool)
    attempts = _drop_attempts(trace, lineage, listings)
    listings.sort(key=lambda listing: listing.step.started)
    ends = [listing.step.ended for listing in listings if listing.step.ended is not None]
    return Ledger(
        chunks=pool.chunks(),
        stages=tuple(_stage(listing, trace.id_text) for listing in listings),
        retrieval_ended=min(ends) if ends else None,
        queries=frozenset(
            query for query in (_query(step) for step in trace.steps if step.kind == "retriever") if query is not None
        ),
        attempts=attempts,
    )


def _retriever_listings(trace: Trace, lineage: Lineage, pool: "_Pool") -> list[_Listing]:
    """Returns the lists that retrievers returned, in order of start, each tied to the retriever around it."""
    by_run: dict[Hashable, _Listing] = {}
    for step in trace.steps:  # a step comes after those around it
        if step.kind != "retriever" or type(step.output) is not Items:
            continue
        listing = by_run[step.run_id] = _Listing(step, *pool.add(step.output))
        listing.parent = next(
            (by_run[above.run_id] for above in lineage.ancestors(step) if above.run_id in by_run), None
        )
        if listing.parent is not None:
            listing.parent.children.append(listing)
    for listing in by_run.values():
        listing.kind = _kind(listing, pool)
        _own_scores(listing)
        _link_derived(listing, pool)
    return list(by_run.values())


def _number_rounds(listings: Sequence[_Listing]) -> int:
    """Gives each outermost list a round of its own, and those below it the same; returns how many there are."""
    rounds = 0
    for listing in listings:
        if listing.parent is None:
            rounds += 1
            listing.round = rounds
        else:
            listing.round = listing.parent.round
            listing.final = False
    return rounds


@dataclass
class _PoolChunk:
    """One distinct chunk while the ledger is being made."""

    id: str
    text: str
    metadata: dict[str, Any]
    given_id: bool
    """Whether the framework gave the id."""
    derived_from: str | None = None

    @cached_property
    def level(self) -> str:
        """The text with white space levelled, which rewriting does not keep."""
        return " ".join(self.text.split())


class _Pool:
    """Distinct chunks by id and text."""

    def __init__(self, keys: ItemKeys) -> None:
        self._keys = keys
        self._index: dict[tuple[str, str], int] = {}
        self._chunks: list[_PoolChunk] = []

    def add(self, items: Items) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
        places: list[int] = []
        scores: list[float | None] = []
        for raw_id, raw_text, metadata, score in items:
            text = text_of(raw_text)
            known = id_of(raw_id) or _id_in(metadata, self._keys)
            identifier = known or chunk_id(text)
            place = self._index.setdefault((identifier, text), len(self._chunks))
            if place == len(self._chunks):
                self._chunks.append(_PoolChunk(identifier, text, fields_of(metadata), known is not None))
            places.append(place)
            scores.append(number_of(score) if score is not None else _score_in(metadata, self._keys))
        return tuple(places), tuple(scores)

    def text(self, place: int) -> str:
        return self._chunks[place].text

    def derive(self, places: Sequence[int], sources: Sequence[int]) -> None:
        """Notes from which of the sources each chunk of a list was cut or rewritten, if that can be told."""
        taken = set(places)
        for place in places:
            chunk = self._chunks[place]
            if place in sources or chunk.derived_from is not None:
                continue
            origins = self.origins(place, sources) or self._same_metadata(place, sources)
            # Of overlapping sources that both hold the text, each gives one of the chunks, in order.
            origin = next((one for one in origins if one not in taken), origins[0] if origins else None)
            if origin is not None:
                taken.add(origin)
                chunk.derived_from = self._chunks[origin].id

    def origins(self, place: int, sources: Iterable[int]) -> list[int]:
        """Returns the sources from which a chunk was cut, or that were put into it, as their ids and texts tell."""
        chunk = self._chunks[place]
        others = [(source, self._chunks[source]) for source in dict.fromkeys(sources) if source != place]
        if chunk.given_id and (same := [source for source, other in others if other.id == chunk.id]):
            return same
        text = chunk.level
        if len(text) >= MIN_SHARED and (around := [source for source, other in others if text in other.level]):
            return around
        within = [source for source, other in others if len(other.level) >= MIN_SHARED and other.level in text]
        return within if len(within) == 1 else []  # what was put together from several comes from none of them

    def _same_metadata(self, place: int, sources: Iterable[int]) -> list[int]:
        """Returns the source of a rewritten chunk: the only one with its metadata, or of several the likest by far."""
        chunk = self._chunks[place]
        bare = _without_scores(chunk.metadata, self._keys)
        same = [
            source
            for source in dict.fromkeys(sources)
            if bare and _without_scores(self._chunks[source].metadata, self._keys) == bare
        ]
        if len(same) > 1:
            words = set(chunk.level.lower().split())
            shared = {source: len(words & set(self._chunks[source].level.lower().split())) for source in same}
            best = max(shared.values())
            same = [source for source in same if shared[source] == best and 2 * best > len(words)]
        return same if len(same) == 1 else []

    def chunks(self) -> tuple[Chunk, ...]:
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


def _without_scores(metadata: Any, keys: ItemKeys) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in keys.score}


def _kind(listing: _Listing, pool: _Pool) -> StageKind:
    children = listing.children
    if not children:
        return "retrieve"
    own = _query(listing.step)
    if len({_query(child.step) for child in children} | ({own} if len(children) == 1 else set())) > 1:
        return "multi_query"
    if len(children) > 1:
        return "fuse"
    inner = {pool.text(place) for place in children[0].places}
    return "rerank" if all(pool.text(place) in inner for place in listing.places) else "refine"


def _own_scores(listing: _Listing) -> None:
    """Takes back scores that an outer stage only passed on: frameworks keep them in the item's metadata."""
    if not listing.children:
        return
    inner: dict[int, set[float | None]] = {}
    for child in listing.children:
        for place, score in zip(child.places, child.scores, strict=True):
            inner.setdefault(place, set()).add(score)
    listing.scores = tuple(
        None if score in inner.get(place, ()) else score
        for place, score in zip(listing.places, listing.scores, strict=True)
    )


def _link_derived(listing: _Listing, pool: _Pool) -> None:
    pool.derive(listing.places, [place for child in listing.children for place in child.places])


def _add_implicit(trace: Trace, lineage: Lineage, pool: _Pool, listings: list[_Listing], number: int) -> None:
    """Adds lists that chains and tools returned without a retriever event."""
    shown: dict[Hashable, list[_Listing]] = {}
    """Listings at or below a step."""
    for listing in listings:
        for above in lineage.ancestors(listing.step):
            shown.setdefault(above.run_id, []).append(listing)
    given = [_texts(items) for items in _given_lists(trace)]
    for step in sorted(trace.steps, key=lambda s: s.ended if s.ended is not None else float("inf")):
        for items in step.lists:
            if _texts(items) in given:
                continue  # passed on, not found
            below = shown.get(step.run_id, [])
            places, scores = pool.add(items)
            if any(listing.places == places for listing in listings):
                continue
            if step.parent_id is not None and not items:
                continue
            sources, is_whole = _sources(step, places, lineage, pool, listings)
            if below and not (sources and is_whole and (len(below) == 1 or not trace.is_root(step))):
                continue
            listing = _Listing(step, places, scores)
            if sources:
                listing.kind = "postprocess" if len(sources) == 1 else "fuse"
                listing.round = min(source.round for source in sources)
                listing.children = sources
                _own_scores(listing)
                _link_derived(listing, pool)
                for source in sources:
                    source.final = False
            else:
                number += 1
                listing.round = number
            listings.append(listing)
            for above in (step, *lineage.ancestors(step)):
                shown.setdefault(above.run_id, []).append(listing)


def _given(trace: Trace, pool: _Pool) -> Iterable[_Listing]:
    """Yields the lists that the question came with; beside a search they may be anything, as the ones wanted."""
    root = trace.root
    here = Step(root.run_id, (None, root.kind, root.name, None, root.started), (root.started, None, (), None), None)
    for number, items in enumerate(_given_lists(trace), 1):
        listing = _Listing(here, *pool.add(items))
        listing.round = number
        yield listing


def _given_lists(trace: Trace) -> list[Items]:
    asked = trace.root.input
    values = [*asked.values()] if isinstance(asked, Mapping) else [asked]
    return [value for value in values if isinstance(value, Items)]


def _texts(items: Items) -> list[Any]:
    return [item[1] for item in items]


def _sources(
    step: Step, places: Sequence[int], lineage: Lineage, pool: _Pool, listings: Sequence[_Listing]
) -> tuple[list[_Listing], bool]:
    """Returns the lists that a step made its own from, and whether every chunk comes from them.

    A list that shares a chunk with earlier ones, has others besides, and leaves some of theirs out is a search that
    found the same again.
    """
    earlier = [one for one in listings if one.final and not lineage.parallel(one.step, step)]
    held = {place for one in earlier for place in one.places}
    origins = {place: [place] if place in held else pool.origins(place, held) for place in places}
    wanted = {origin for found in origins.values() for origin in found}
    sources = [one for one in earlier if wanted.intersection(one.places)]
    is_whole = all(origins.values())
    taken_in = all(wanted.issuperset(one.places) for one in sources)
    return (sources if is_whole or taken_in else []), is_whole


def _drop_attempts(trace: Trace, lineage: Lineage, listings: Sequence[_Listing]) -> bool:
    """Takes searches of attempts that failed and were repeated out of what counts as retrieved."""
    if trace.root.error is not None or trace.root_ended is None:
        return False
    dropped = False
    for listing in listings:
        if any(above.error is not None and not trace.is_root(above) for above in lineage.ancestors(listing.step)):
            dropped = dropped or listing.final
            listing.final = False
    return dropped


def _query(step: Step) -> str | None:
    return str(clean_text(step.input)) if step.kind == "retriever" and isinstance(step.input, str) else None


def _stage(listing: _Listing, id_text: Callable[[Any], str]) -> Stage:
    step = listing.step
    return Stage(
        kind=listing.kind,
        name=step.name if isinstance(step.name, str) else None,
        query=_query(step),
        items=tuple(
            StageItem(chunk=place, score=score) for place, score in zip(listing.places, listing.scores, strict=True)
        ),
        round=listing.round,
        final=listing.final,
        run_id=id_text(step.run_id),
        duration_ms=None if step.ended is None else max((step.ended - step.started) * 1_000, 0.0),
    )
