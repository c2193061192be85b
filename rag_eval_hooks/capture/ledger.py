"""The chunk ledger of one trace: its retrieval steps as stages, with one pool of chunks."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_eval_hooks.capture.echoes import is_answers, is_check
from rag_eval_hooks.capture.ending import given_up
from rag_eval_hooks.capture.foreign import text_of
from rag_eval_hooks.capture.lineage import Lineage
from rag_eval_hooks.capture.listings import Listing, outermost, query_of, settle
from rag_eval_hooks.capture.packing import Packing
from rag_eval_hooks.capture.pool import Pool
from rag_eval_hooks.capture.texts import prompt_text
from rag_eval_hooks.capture.trace import Items, Step, Trace
from rag_eval_hooks.record import Chunk, ItemKeys, Stage
from rag_eval_hooks.record.run import StageKind

__all__ = ["Ledger", "build_ledger"]


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
    building = _Building(trace, lineage, Pool(keys))
    building.add_searches()
    building.add_others()
    listings = sorted(building.listings or building.given(), key=lambda listing: listing.step.started)
    settle(listings, building.pool)
    ends = [listing.step.ended for listing in listings if listing.step.ended is not None]
    return Ledger(
        chunks=building.pool.chunks(),
        stages=tuple(listing.stage(trace.id_text) for listing in listings),
        retrieval_ended=min(ends) if ends else None,
        queries={query: step.started for step in trace.steps if (query := query_of(step)) is not None},
        attempts=any(one.attempt is not None and not one.within for one in listings),
        carried=building.carried(),
    )


class _Building:
    """The lists of a trace while they are put together."""

    def __init__(self, trace: Trace, lineage: Lineage, pool: Pool) -> None:
        self._trace = trace
        self._lineage = lineage
        self.pool = pool
        self.listings: list[Listing] = []
        self._failed = {step.run_id for step in given_up(trace, lineage)}
        """The tries that failed."""
        self._chains = {step.parent_id for step in trace.steps if step.kind == "chain"}
        """Steps made of others, as graphs are."""
        self._searches: dict[Hashable, Listing] = {}
        """By retriever: what it returned."""
        self._around: dict[int, frozenset[Hashable]] = {}
        """By list: what returned it, and the steps around that."""
        self._inside: dict[Hashable, list[Listing]] = {}
        """By step: the lists at or below it."""
        self._handed: dict[Hashable, list[Listing]] = {}
        """By step: the lists that it was handed."""
        self._carried: set[int] = set()

    def _attempt(self, step: Step) -> Hashable | None:
        """Returns the failed try that a step was part of."""
        around = (above.run_id for above in self._lineage.ancestors(step)) if self._failed else ()
        return next((run_id for run_id in around if run_id in self._failed), None)

    def _add(self, listing: Listing, made_of: Iterable[Listing] = ()) -> None:
        """Adds a list; the search that it is part of, if any, was made of it."""
        listing.takes(made_of)
        around = [above.run_id for above in self._lineage.ancestors(listing.step)]
        outer = next((self._searches[run_id] for run_id in around if run_id in self._searches), None)
        if outer is not None:
            listing.goes_into(outer)
        self.listings.append(listing)
        at = (listing.step.run_id, *around)
        self._around[id(listing)] = frozenset(at)
        for run_id in at:
            self._inside.setdefault(run_id, []).append(listing)

    # Searches --------------------------------------------------------------------------------------------------------

    def add_searches(self) -> None:
        """Adds the lists that retrievers returned, in order of start, each tied to the retriever around it."""
        for step in self._trace.steps:  # a step comes after those around it
            items = step.output
            if step.kind == "retriever" and type(items) is Items and not is_check(items, step, self._trace, self.pool):
                listing = Listing(step, *self.pool.add(items), self._attempt(step))
                self._add(listing)
                self._searches[step.run_id] = listing
        for listing in self.listings:
            listing.kind = _search_kind(listing, self.pool)

    # What other steps show -------------------------------------------------------------------------------------------

    def add_others(self) -> None:
        """Adds lists that steps were handed or returned without a retriever event, in the order in which they did."""
        moments: list[tuple[float, bool, Step]] = []
        for step in self._trace.steps:
            if isinstance(step.input, Mapping) and not self._trace.is_root(step):
                moments.append((step.started, False, step))
            if step.lists:
                moments.append((step.started if step.ended is None else step.ended, True, step))
        for _, has_ended, step in sorted(moments, key=lambda moment: moment[:2]):
            if not has_ended:
                self._add_handed(step)
            elif step.kind == "postprocessor":
                self._add_postprocessed(step)
            else:
                self._add_returned(step)

    def _add_returned(self, step: Step) -> None:
        """Adds lists that a chain or tool returned, unless it only passed them on."""
        given = [_texts(items) for items in _given_lists(self._trace)]
        for items in step.lists:
            if _texts(items) in given:
                continue  # passed on, not found
            below = self._inside.get(step.run_id, [])
            is_made_of_others = step.run_id in self._chains
            if is_made_of_others and not below and not _reached_a_model(items, self._trace):
                continue  # no step of it found them: its state has them from an earlier question
            places, scores = self.pool.add(items)
            attempt = self._attempt(step)
            peers = self._there_at(step.ended, attempt)
            if any(one.places == places for one in peers) or (step.parent_id is not None and not items):
                continue
            sources, is_whole = self._sources(step, places, peers)
            if below and not (sources and is_whole and (len(below) == 1 or not self._trace.is_root(step))):
                self._carried.update(places if is_made_of_others else ())
                continue
            kind: StageKind = "retrieve" if not sources else "postprocess" if len(sources) == 1 else "fuse"
            self._add(Listing(step, places, scores, attempt, kind), sources)

    def _add_postprocessed(self, step: Step) -> None:
        """Adds what a postprocessor returned, even if it changed nothing."""
        for items in step.lists:
            attempt = self._attempt(step)
            sources = self._handed.get(step.run_id)
            if sources is None:
                sources = next(self._scopes(step, attempt), [])
            places, scores = self.pool.add(items)
            inside = [one for one in self._inside.get(step.run_id, []) if one not in sources]
            if any(one.places == places and one.returned == scores for one in inside):
                continue  # it handed everything on to another one
            self._add(Listing(step, places, scores, attempt, "postprocess"), outermost([*sources, *inside]))

    def _add_handed(self, step: Step) -> None:
        """Adds a list that a step was handed, where it is not what was found: code between has changed it unseen."""
        for items in step.input.values():
            if type(items) is not Items:
                continue
            if is_answers(items, step, self._trace, self.pool) or is_check(items, step, self._trace, self.pool):
                continue
            attempt = self._attempt(step)
            near, made_of = self._origin(items, step, attempt)
            places, scores = self.pool.add(items, [place for one in near for place in one.places])
            same = _standing_for(places, scores, near)
            if not same and (items or near):
                name = next((above.name for above in self._lineage.ancestors(step)), step.name)
                listing = Listing(_moment(step, name), places, scores, attempt, "inferred")
                self._add(listing, made_of if items else near)
                same = [listing]
            self._handed.setdefault(step.run_id, []).extend(same)

    def _origin(self, items: Items, step: Step, attempt: Hashable | None) -> tuple[list[Listing], list[Listing]]:
        """Returns the lists that a list was probably made of, and those of them that it shares anything with.

        They are those of the innermost step around that explain all of it, else most of it.
        """
        best: tuple[int, list[Listing], list[Listing]] | None = None
        for near in self._scopes(step, attempt):
            origins = self.pool.traced(items, list(dict.fromkeys(place for one in near for place in one.places)))
            explained = sum(map(bool, origins))
            if best is None or explained > best[0]:
                wanted = {origin for found in origins for origin in found}
                best = (explained, near, [one for one in near if wanted.intersection(one.places)])
            if explained == len(items):
                break
        return ([], []) if best is None else best[1:]

    def _scopes(self, step: Step, attempt: Hashable | None) -> Iterator[list[Listing]]:
        """Yields, from the innermost step around another outwards, the lists in it that nothing was made of so far."""
        there = self._there_at(step.started, attempt)
        seen = 0
        for above in (*self._lineage.ancestors(step), None):
            inside = [one for one in there if above is None or above.run_id in self._around[id(one)]]
            if len(inside) > seen:
                seen = len(inside)
                yield outermost(inside)

    def _there_at(self, moment: float | None, attempt: Hashable | None) -> list[Listing]:
        """Returns the lists of a try, or of none that failed, which had been returned by then."""
        return [
            one
            for one in self.listings
            if one.attempt == attempt and (moment is None or (one.step.ended is not None and one.step.ended <= moment))
        ]

    def _sources(self, step: Step, places: Sequence[int], listings: Sequence[Listing]) -> tuple[list[Listing], bool]:
        """Returns the lists that a step made its own from, and whether every chunk comes from them.

        A list that shares a chunk with earlier ones, has others besides, and leaves some of theirs out is a search that
        found the same again.
        """
        earlier = [one for one in outermost(listings) if not self._lineage.parallel(one.step, step)]
        held = {place for one in earlier for place in one.places}
        origins = {place: [place] if place in held else self.pool.origins(place, held) for place in places}
        wanted = {origin for found in origins.values() for origin in found}
        sources = [one for one in earlier if wanted.intersection(one.places)]
        is_whole = all(origins.values())
        taken_in = all(wanted.issuperset(one.places) for one in sources)
        return (sources if is_whole or taken_in else []), is_whole

    def given(self) -> list[Listing]:
        """Returns the lists that the question came with; beside a search they may be anything, as the ones wanted."""
        here = _moment(self._trace.root, self._trace.root.name)
        return [Listing(here, *self.pool.add(items)) for items in _given_lists(self._trace)]

    def carried(self) -> tuple[int, ...]:
        """Returns the places of chunks from earlier questions."""
        found = {self.pool.id(place) for listing in self.listings for place in listing.places}
        return tuple(sorted(place for place in self._carried if self.pool.id(place) not in found))


def _search_kind(listing: Listing, pool: Pool) -> StageKind:
    """Returns what a retriever did, by those around which it is."""
    inner = listing.made_of
    if not inner:
        return "retrieve"
    own = query_of(listing.step)
    if len({query_of(one.step) for one in inner} | ({own} if len(inner) == 1 else set())) > 1:
        return "multi_query"
    if len(inner) > 1:
        return "fuse"
    if (listing.places, listing.returned) == (inner[0].places, inner[0].returned):
        return "retrieve"  # it only chose or asked the other one
    texts = {pool.text(place) for place in inner[0].places}
    return "rerank" if all(pool.text(place) in texts for place in listing.places) else "refine"


def _standing_for(places: Sequence[int], scores: Sequence[float | None], near: Sequence[Listing]) -> list[Listing]:
    """Returns the lists that a list is: one of these, or all of them one after the other; none if it is another."""
    joined = dict.fromkeys(place for one in near for place in one.places)
    same = [*near] if tuple(joined) == places else [one for one in near if one.places == places][:1]
    known: dict[int, set[float | None]] = {}
    for one in same:
        for place, score in zip(one.places, one.returned, strict=True):
            known.setdefault(place, set()).add(score)
    is_rescored = any(
        score is not None and score not in known.get(place, ()) for place, score in zip(places, scores, strict=True)
    )
    return [] if is_rescored else same


def _moment(step: Step, name: str | None) -> Step:
    """Returns a step of that name that stands for the moment in which another started."""
    start = (step.parent_id, step.kind, name, None, step.started)
    return Step(step.run_id, start, (step.started, None, (), None), None)


def _reached_a_model(items: Items, trace: Trace) -> bool:
    """Whether something of the items stands in a prompt; True where no model was asked."""
    calls = [step for step in trace.steps if step.kind == "model"]
    packing = Packing([text_of(text) for text in _texts(items)])
    return not calls or any(packing.find(prompt_text(step)) for step in calls)


def _given_lists(trace: Trace) -> list[Items]:
    asked = trace.root.input
    values = [*asked.values()] if isinstance(asked, Mapping) else [asked]
    return [value for value in values if isinstance(value, Items)]


def _texts(items: Items) -> list[Any]:
    return [item[1] for item in items]
