"""Lists of chunks on their way to the stages of a record: what each was made of, and what was done to it."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from rag_eval_hooks.capture.pool import Pool
from rag_eval_hooks.capture.trace import Step
from rag_eval_hooks.record import Stage, StageItem
from rag_eval_hooks.record.clean import clean_text
from rag_eval_hooks.record.run import StageKind

__all__ = ["Listing", "outermost", "query_of", "settle"]


class Listing:
    """One list of chunks on its way to a stage.

    Args:
        step: What returned it, or was handed it.
        places: The chunks' places in the pool, in order.
        scores: Their scores as they stood in the list, also those that an earlier list had given.
        attempt: The try that it was part of, if that failed.
        kind: What the step did; `settle` finds it out for postprocessors.
    """

    __slots__ = ("attempt", "kind", "made_of", "places", "returned", "round", "scores", "step", "within")

    def __init__(
        self,
        step: Step,
        places: tuple[int, ...],
        scores: tuple[float | None, ...],
        attempt: Hashable | None = None,
        kind: StageKind = "retrieve",
    ) -> None:
        self.step = step
        self.places = places
        self.returned = scores
        self.scores = scores
        """Those of the scores that the step gave itself; see `settle`."""
        self.attempt = attempt
        self.kind = kind
        self.round = 1
        self.made_of: list[Listing] = []
        """The lists it was made of."""
        self.within: list[Listing] = []
        """The lists that were made of it."""

    @property
    def counts(self) -> bool:
        """Whether it counts as retrieved: nothing was made of it, and it is not of a try that failed."""
        return not self.within and self.attempt is None

    @property
    def began(self) -> float:
        """When the first search for it started."""
        return min(one.step.started for one in _all_in(self))

    def takes(self, sources: Iterable["Listing"]) -> None:
        """Notes that it was made of these; a list that was made of them before is made of it from now on."""
        for source in sources:
            self.made_of.append(source)
            source.within.append(self)

    def goes_into(self, outer: "Listing") -> None:
        """Puts itself between a list and those of its own sources that the list was made of."""
        for source in self.made_of:
            if outer in source.within:
                source.within.remove(outer)
                outer.made_of.remove(source)
        outer.takes([self])

    def stage(self, id_text: Callable[[Any], str]) -> Stage:
        """Returns the stage that it becomes."""
        return Stage(
            kind=self.kind,
            name=self.step.name,
            query=query_of(self.step),
            items=tuple(
                StageItem(chunk=place, score=score) for place, score in zip(self.places, self.scores, strict=True)
            ),
            round=self.round,
            final=self.counts,
            run_id=id_text(self.step.run_id),
            duration_ms=self.step.duration_ms,
        )


def query_of(step: Step) -> str | None:
    """Returns what a search was asked."""
    return str(clean_text(step.input)) if step.kind == "retriever" and isinstance(step.input, str) else None


def outermost(listings: Sequence[Listing]) -> list[Listing]:
    """Returns those of which none of the others was made."""
    among = set(map(id, listings))
    return [one for one in listings if not any(id(other) in among for other in one.within)]


def settle(listings: Sequence[Listing], pool: Pool) -> None:
    """Finds out what was rewritten from what, which scores are whose, what postprocessors did, and the rounds."""
    for listing in sorted(listings, key=lambda one: one.step.ended or one.step.started):
        pool.derive(listing.places, [place for source in listing.made_of for place in source.places])
        if listing.kind == "inferred":
            pool.name_copies(listing.places)
        listing.scores = _own_scores(listing, pool)
        if listing.step.kind == "postprocessor" and listing.kind == "postprocess":
            listing.kind = _done(listing)
    _number_rounds(listings)


def _own_scores(listing: Listing, pool: Pool) -> tuple[float | None, ...]:
    """Returns its scores without those that it only passed on, also along with what it cut or rewrote."""
    if not listing.made_of:
        return listing.returned
    before: dict[int | str, set[float | None]] = {}
    for source in listing.made_of:
        for place, score in zip(source.places, source.returned, strict=True):
            before.setdefault(place, set()).add(score)
            before.setdefault(pool.id(place), set()).add(score)
    return tuple(
        None if score in before.get(place, ()) or score in before.get(pool.origin_id(place) or place, ()) else score
        for place, score in zip(listing.places, listing.returned, strict=True)
    )


def _done(listing: Listing) -> StageKind:
    """Returns what a postprocessor did: scored or ordered a list anew, rewrote it, or left some of it out."""
    inner = [place for source in listing.made_of for place in source.places]
    if not set(inner).issuperset(listing.places):
        return "refine"
    kept = set(listing.places)
    is_same_order = [place for place in inner if place in kept] == list(listing.places)
    is_scored = any(score is not None for score in listing.scores)
    return "postprocess" if is_same_order and not is_scored else "rerank"


def _number_rounds(listings: Sequence[Listing]) -> None:
    """Gives each list that counts a round of its own, in order of start, and what it was made of the same.

    What a failed try found does not count, and is of the round of what took its place.
    """
    began = {id(one): one.began for one in listings}
    rounds = sorted((one for one in listings if one.counts), key=lambda one: began[id(one)])
    starts = [began[id(one)] for one in rounds]
    for listing in listings:
        if listing.attempt is not None:
            listing.round = 1 + bisect_left(starts, listing.step.started)
    for number, listing in enumerate(rounds, 1):
        for one in _all_in(listing):
            one.round = number


def _all_in(listing: Listing) -> list[Listing]:
    """Returns a list, those it was made of, and those that they were made of."""
    found = {id(listing): listing}
    waiting = [listing]
    while waiting:
        for source in waiting.pop().made_of:
            if id(source) not in found:
                found[id(source)] = source
                waiting.append(source)
    return list(found.values())
