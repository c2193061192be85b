"""The chunk ledger of one trace: its retrieval steps as stages, with one pool of chunks."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_eval_hooks.capture.foreign import fields_of, id_of, number_of, text_of
from rag_eval_hooks.capture.packing import find_in_prompt
from rag_eval_hooks.capture.texts import prompt_text
from rag_eval_hooks.capture.trace import Items, Step, Trace
from rag_eval_hooks.record import Chunk, ItemKeys, Stage, StageItem, chunk_id
from rag_eval_hooks.record.clean import clean_text
from rag_eval_hooks.record.item_keys import first_id
from rag_eval_hooks.record.run import StageKind

__all__ = ["Ledger", "Lineage", "build_ledger"]


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
    carried: tuple[int, ...]
    """Places of chunks that a graph's state holds beside those found for this question: from earlier ones."""


def build_ledger(trace: Trace, lineage: Lineage, keys: ItemKeys) -> Ledger:
    """Returns the retrieval steps of a trace.

    A retriever around others counts instead of them; a chain or tool that returns items without a retriever below is
    a search of its own, or, where it returns a choice of items that were there before, a postprocessing of those.
    """
    pool = _Pool(keys)
    listings = _retriever_listings(trace, lineage, pool)
    rounds = _number_rounds(listings)
    carried = _add_implicit(trace, lineage, pool, listings, rounds)
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
        carried=carried,
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

    def id(self, place: int) -> str:
        return self._chunks[place].id

    def text(self, place: int) -> str:
        return self._chunks[place].text

    def derive(self, place: int, sources: Sequence[int]) -> None:
        """Notes from which of the sources a chunk was cut or rewritten, if that can be told."""
        chunk = self._chunks[place]
        if place in sources or chunk.derived_from is not None:
            return
        others = [self._chunks[source] for source in sources]
        same = [other for other in others if chunk.given_id and other.id == chunk.id]
        same = same or [other for other in others if len(chunk.text) >= 12 and chunk.text in other.text]
        bare = _without_scores(chunk.metadata, self._keys)
        same = same or [other for other in others if bare and _without_scores(other.metadata, self._keys) == bare]
        if len(same) == 1:
            chunk.derived_from = same[0].id

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
    sources = [place for child in listing.children for place in child.places]
    for place in listing.places if sources else ():
        pool.derive(place, sources)


def _add_implicit(
    trace: Trace, lineage: Lineage, pool: _Pool, listings: list[_Listing], number: int
) -> tuple[int, ...]:
    """Adds lists that chains and tools returned without a retriever event; returns the places of carried chunks."""
    carried: set[int] = set()
    shown: dict[Hashable, list[_Listing]] = {}
    """Listings at or below a step."""
    for listing in listings:
        for above in lineage.ancestors(listing.step):
            shown.setdefault(above.run_id, []).append(listing)
    around = {step.parent_id for step in trace.steps if step.kind == "chain"}
    """Steps made of others, as graphs are."""
    for step in sorted(trace.steps, key=lambda s: s.ended if s.ended is not None else float("inf")):
        for items in step.lists:
            below = shown.get(step.run_id, [])
            if step.run_id in around and not below and not _reached_a_model(items, trace):
                continue  # no step of it found them: its state has them from an earlier question
            places, scores = pool.add(items)
            if any(listing.places == places for listing in listings):
                continue
            if step.parent_id is not None and not items:
                continue
            sources = [one for one in listings if one.final and set(one.places) & set(places)]
            known = {place for source in sources for place in source.places}
            if below and not (sources and set(places) <= known and len(below) == 1):
                carried.update(places if step.run_id in around else ())
                continue
            listing = _Listing(step, places, scores)
            if sources:
                listing.kind = "postprocess" if len(sources) == 1 else "fuse"
                listing.round = min(source.round for source in sources)
                listing.children = sources
                _own_scores(listing)
                for source in sources:
                    source.final = False
            else:
                number += 1
                listing.round = number
            listings.append(listing)
            for above in (step, *lineage.ancestors(step)):
                shown.setdefault(above.run_id, []).append(listing)
    found = {pool.id(place) for listing in listings for place in listing.places}
    return tuple(sorted(place for place in carried if pool.id(place) not in found))


def _reached_a_model(items: Items, trace: Trace) -> bool:
    """Whether something of the items stands in a prompt; True where no model was asked."""
    texts = [text_of(item[1]) for item in items]
    prompts = [prompt_text(step) for step in trace.steps if step.kind == "model"]
    return not prompts or any(find_in_prompt(texts, prompt) for prompt in prompts)


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
