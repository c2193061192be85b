"""The chunk ledger of one trace: its retrieval steps as stages, with one pool of chunks."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag_eval_hooks.capture.ending import given_up
from rag_eval_hooks.capture.foreign import text_of
from rag_eval_hooks.capture.lineage import Lineage
from rag_eval_hooks.capture.packing import Packing
from rag_eval_hooks.capture.pool import Pool
from rag_eval_hooks.capture.texts import call_text, prompt_text
from rag_eval_hooks.capture.trace import Items, Step, Trace
from rag_eval_hooks.record import Chunk, ItemKeys, Stage, StageItem
from rag_eval_hooks.record.clean import clean_text
from rag_eval_hooks.record.run import StageKind

__all__ = ["Ledger", "build_ledger"]


@dataclass
class _Listing:
    """One list of chunks on its way to a stage."""

    step: Step
    places: tuple[int, ...]
    scores: tuple[float | None, ...]
    attempt: Hashable | None = None
    """The try that it was part of, if that failed."""
    children: "list[_Listing]" = field(default_factory=list)
    """The lists it was made of."""
    kind: StageKind = "retrieve"
    round: int = 1
    final: bool = True

    def __post_init__(self) -> None:
        self.began = self.step.started
        """When the first search for it started."""


@dataclass(frozen=True)
class Ledger:
    """What was retrieved."""

    chunks: tuple[Chunk, ...]
    """Every distinct chunk."""
    stages: tuple[Stage, ...]
    """The lists, in order of start."""
    retrieval_ended: float | None
    """When the first search ended, on the collector's clock; None if none did."""
    queries: Mapping[str, float]
    """The queries that were sent, each with the time when it was sent last."""
    attempts: bool
    """Whether searches of failed attempts were left out of what counts."""
    carried: tuple[int, ...]
    """Places of chunks that a graph's state holds beside those found for this question: from earlier ones."""


def build_ledger(trace: Trace, lineage: Lineage, keys: ItemKeys) -> Ledger:
    """Returns the retrieval steps of a trace.

    A retriever around others counts instead of them; a chain or tool that returns items without a retriever below is
    a search of its own, or, where it returns a choice of items that were there before, a postprocessing of those.
    Items that a step was handed and that nobody returned so are inferred: code that shows no run of its own changed
    what was found. Where nothing was searched, the items that the question came with count.
    """
    pool = Pool(keys)
    tries = _Tries(trace, lineage)
    listings = _retriever_listings(trace, lineage, pool, tries)
    carried = _add_implicit(trace, lineage, pool, listings, tries)
    _add_handed(trace, lineage, pool, listings, tries)
    if not listings:
        listings += _given(trace, pool)
    attempts = any(listing.final and listing.attempt is not None for listing in listings)
    _number_rounds(listings)
    listings.sort(key=lambda listing: listing.step.started)
    ends = [listing.step.ended for listing in listings if listing.step.ended is not None]
    return Ledger(
        chunks=pool.chunks(),
        stages=tuple(_stage(listing, trace.id_text) for listing in listings),
        retrieval_ended=min(ends) if ends else None,
        queries={query: step.started for step in trace.steps if (query := _query(step)) is not None},
        attempts=attempts,
        carried=carried,
    )


class _Tries:
    """Which steps were part of a try that failed."""

    def __init__(self, trace: Trace, lineage: Lineage) -> None:
        self._lineage = lineage
        self._failed = {step.run_id for step in given_up(trace, lineage)}

    def of(self, step: Step) -> Hashable | None:
        around = (above.run_id for above in self._lineage.ancestors(step)) if self._failed else ()
        return next((run_id for run_id in around if run_id in self._failed), None)


def _retriever_listings(trace: Trace, lineage: Lineage, pool: Pool, tries: _Tries) -> list[_Listing]:
    """Returns the lists that retrievers returned, in order of start, each tied to the retriever around it."""
    by_run: dict[Hashable, _Listing] = {}
    for step in trace.steps:  # a step comes after those around it
        if step.kind != "retriever" or type(step.output) is not Items:
            continue
        listing = by_run[step.run_id] = _Listing(step, *pool.add(step.output), tries.of(step))
        outer = next((by_run[above.run_id] for above in lineage.ancestors(step) if above.run_id in by_run), None)
        if outer is not None:
            outer.children.append(listing)
            listing.final = False
    for listing in by_run.values():
        listing.kind = _kind(listing, pool)
        _link_derived(listing, pool)
        _own_scores(listing, pool)
    return list(by_run.values())


def _number_rounds(listings: Sequence[_Listing]) -> None:
    """Gives each list that counts a round of its own, in order of start, and what it was made of the same.

    What a failed try found does not count, and is of the round of what took its place.
    """
    rounds = sorted((one for one in listings if one.final and one.attempt is None), key=lambda one: one.began)
    starts = [one.began for one in rounds]
    for listing in listings:
        if listing.attempt is not None:
            listing.round = 1 + bisect_left(starts, listing.step.started)
            listing.final = False
    for number, listing in enumerate(rounds, 1):
        waiting = [listing]
        while waiting:
            one = waiting.pop()
            one.round = number
            waiting += one.children


def _kind(listing: _Listing, pool: Pool) -> StageKind:
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


def _own_scores(listing: _Listing, pool: Pool) -> None:
    """Takes back scores that an outer stage only passed on, also along with what it cut or rewrote."""
    if not listing.children:
        return
    inner: dict[int | str, set[float | None]] = {}
    for child in listing.children:
        for place, score in zip(child.places, child.scores, strict=True):
            inner.setdefault(place, set()).add(score)
            inner.setdefault(pool.id(place), set()).add(score)
    listing.scores = tuple(
        None if score in inner.get(place, ()) or score in inner.get(pool.origin_id(place) or place, ()) else score
        for place, score in zip(listing.places, listing.scores, strict=True)
    )


def _link_derived(listing: _Listing, pool: Pool) -> None:
    pool.derive(listing.places, [place for child in listing.children for place in child.places])


def _add_implicit(
    trace: Trace, lineage: Lineage, pool: Pool, listings: list[_Listing], tries: _Tries
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
    given = [_texts(items) for items in _given_lists(trace)]
    for step in sorted(trace.steps, key=lambda s: s.ended if s.ended is not None else float("inf")):
        for items in step.lists:
            if _texts(items) in given:
                continue  # passed on, not found
            below = shown.get(step.run_id, [])
            is_post = step.kind == "postprocessor"
            if step.run_id in around and not below and not is_post and not _reached_a_model(items, trace):
                continue  # no step of it found them: its state has them from an earlier question
            places, scores = pool.add(items)
            attempt = tries.of(step)
            peers = [listing for listing in listings if listing.attempt == attempt]
            if is_post:
                peers = _nearest(step, lineage, peers)
            if any(one.places == places and (one.scores == scores or not is_post) for one in peers):
                continue
            if step.parent_id is not None and not items and not is_post:
                continue
            sources, is_whole = _sources(step, places, lineage, pool, peers) if items or not is_post else (peers, True)
            if below and not (sources and is_whole and (len(below) == 1 or not trace.is_root(step))):
                carried.update(places if step.run_id in around else ())
                continue
            listing = _Listing(step, places, scores, attempt)
            if sources:
                listing.kind = "postprocess" if len(sources) == 1 else "fuse"
                listing.children = sources
                listing.began = min(listing.began, *(source.began for source in sources))
                _link_derived(listing, pool)
                _own_scores(listing, pool)
                if is_post:
                    listing.kind = _post_kind(listing)
                for source in sources:
                    source.final = False
            listings.append(listing)
            for above in (step, *lineage.ancestors(step)):
                shown.setdefault(above.run_id, []).append(listing)
    found = {pool.id(place) for listing in listings for place in listing.places}
    return tuple(sorted(place for place in carried if pool.id(place) not in found))


def _add_handed(trace: Trace, lineage: Lineage, pool: Pool, listings: list[_Listing], tries: _Tries) -> None:
    """Adds lists that steps were handed where they are not what was found: code between has changed it unseen."""
    for step in trace.steps:
        if trace.is_root(step) or not isinstance(step.input, Mapping):
            continue
        for items in step.input.values():
            if type(items) is not Items or _are_answers(items, step, trace, pool):
                continue
            attempt = tries.of(step)
            near = _nearest(step, lineage, [one for one in listings if one.attempt == attempt])
            found = tuple(place for one in near for place in one.places)
            places, scores = pool.add(items, found)
            if places == tuple(dict.fromkeys(found)) or any(one.places == places for one in near):
                continue  # also where nothing was found and nothing handed on
            around = next(iter(lineage.ancestors(step)), step)
            listing = _Listing(_moment(step, around.name), places, scores, attempt, kind="inferred")
            listing.children = _sources(step, places, lineage, pool, near)[0] if items else near
            listing.began = min([step.started, *(source.began for source in listing.children)])
            _link_derived(listing, pool)
            _own_scores(listing, pool)
            for source in listing.children:
                source.final = False
            listings.append(listing)


def _nearest(step: Step, lineage: Lineage, listings: Sequence[_Listing]) -> list[_Listing]:
    """Returns the lists that count and were there before a step, those of the innermost step around it that has any."""
    earlier = [one for one in listings if one.final and one.step.started <= step.started]
    around = {id(one): {above.run_id for above in lineage.ancestors(one.step)} for one in earlier}
    for above in lineage.ancestors(step):
        inside = [one for one in earlier if above.run_id in around[id(one)]]
        if inside:
            return inside
    return earlier


def _are_answers(items: Items, step: Step, trace: Trace, pool: Pool) -> bool:
    """Whether what a step was handed is what models said before, as the answers to sub-questions are: nothing found."""
    texts = [text_of(text) for text in _texts(items)]
    said = [
        text
        for call in trace.steps
        if call.kind == "model" and call.ended is not None and call.ended <= step.started
        if (text := call_text(call).strip())
    ]
    return (
        bool(texts) and bool(said) and all(not pool.holds(text) and any(one in text for one in said) for text in texts)
    )


def _post_kind(listing: _Listing) -> StageKind:
    """Returns what a postprocessor did to one list: scored or ordered it anew, rewrote it, or left some of it out."""
    inner = [place for source in listing.children for place in source.places]
    if not set(inner).issuperset(listing.places):
        return "refine"
    kept = set(listing.places)
    is_same_order = [place for place in inner if place in kept] == list(listing.places)
    is_scored = any(score is not None for score in listing.scores)
    return "postprocess" if is_same_order and not is_scored else "rerank"


def _moment(step: Step, name: str | None) -> Step:
    """Returns a step of that name that stands for the moment in which another started."""
    start = (step.parent_id, step.kind, name, None, step.started)
    return Step(step.run_id, start, (step.started, None, (), None), None)


def _reached_a_model(items: Items, trace: Trace) -> bool:
    """Whether something of the items stands in a prompt; True where no model was asked."""
    calls = [step for step in trace.steps if step.kind == "model"]
    packing = Packing([text_of(text) for text in _texts(items)])
    return not calls or any(packing.find(prompt_text(step)) for step in calls)


def _given(trace: Trace, pool: Pool) -> Iterable[_Listing]:
    """Yields the lists that the question came with; beside a search they may be anything, as the ones wanted."""
    here = _moment(trace.root, trace.root.name)
    for items in _given_lists(trace):
        yield _Listing(here, *pool.add(items))


def _given_lists(trace: Trace) -> list[Items]:
    asked = trace.root.input
    values = [*asked.values()] if isinstance(asked, Mapping) else [asked]
    return [value for value in values if isinstance(value, Items)]


def _texts(items: Items) -> list[Any]:
    return [item[1] for item in items]


def _sources(
    step: Step, places: Sequence[int], lineage: Lineage, pool: Pool, listings: Sequence[_Listing]
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


def _query(step: Step) -> str | None:
    return str(clean_text(step.input)) if step.kind == "retriever" and isinstance(step.input, str) else None


def _stage(listing: _Listing, id_text: Callable[[Any], str]) -> Stage:
    step = listing.step
    return Stage(
        kind=listing.kind,
        name=step.name,
        query=_query(step),
        items=tuple(
            StageItem(chunk=place, score=score) for place, score in zip(listing.places, listing.scores, strict=True)
        ),
        round=listing.round,
        final=listing.final,
        run_id=id_text(step.run_id),
        duration_ms=step.duration_ms,
    )
