"""Who listens to LlamaIndex's events: one listener for each collector that something attached feeds."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from rag_eval_hooks.capture import Collector
from rag_eval_hooks.capture.scope import Belonging, scope_of

__all__ = ["MAX_UNDER_WAY", "Listener", "Listeners", "Wants", "belongs_to", "bounded"]

MAX_UNDER_WAY = 10_000
"""Entries of a table of what is under way; of what never ends, as a stream that nobody reads on, the oldest go."""

Wants = Callable[[Any], bool]
"""Says of the object that a question was put to whether the question is to be recorded."""


class Listener:
    """A collector, and what it is to take.

    Args:
        collector: What takes the events.
        wants: What each attachment wants, and whether it taps streamed answers; none any more if it only hears the rest
            of what runs.
    """

    __slots__ = ("collector", "wants")

    def __init__(self, collector: Collector, wants: Mapping[Wants, bool]) -> None:
        self.collector = collector
        self.wants = wants

    def is_for(self, instance: Any) -> bool:
        """Whether a question put to an object is to be recorded."""
        return any(wants(instance) for wants in self.wants)

    def taps(self, instance: Any) -> bool:
        """Whether an object's streamed answer is tapped; in a `question` block, to whatever it was put."""
        asked = [taps for wants, taps in self.wants.items() if wants(instance)]
        return any(asked or self.wants.values())


class Listeners:
    """All of them; the tuple is replaced as a whole, so that who goes through it need not lock."""

    def __init__(self) -> None:
        self.all: tuple[Listener, ...] = ()

    def add(self, collector: Collector, wants: Wants, *, taps: bool) -> None:
        """Lets a collector have what an attachment wants."""
        before = next((one for one in self.all if one.collector is collector), None)
        others = {} if before is None else before.wants
        listener = Listener(collector, {**others, wants: taps})
        self.all = (*(one for one in self._needed() if one is not before), listener)

    def remove(self, wants: Wants) -> bool:
        """Takes an attachment off; returns whether no other is left.

        A collector with questions under way hears how they end as long as there is another.
        """
        self.all = tuple(
            Listener(one.collector, {other: taps for other, taps in one.wants.items() if other != wants})
            for one in self.all
        )
        self.all = self._needed()
        return not any(one.wants for one in self.all)

    def _needed(self) -> tuple[Listener, ...]:
        return tuple(one for one in self.all if one.wants or one.collector.open_records)

    def knowing(self, run_id: str) -> list[Collector]:
        """Returns the collectors that have a run in one of their questions."""
        return [one.collector for one in self.all if one.collector.knows(run_id)]


def belongs_to(collector: Collector) -> bool:
    """Whether what starts in this context belongs to a question of a collector, by a `question` block or a tap."""
    scope = scope_of(collector)
    # One that is not known is over long ago, or was the parent process's.
    return isinstance(scope, Belonging) and collector.knows(scope.run_id)


def bounded(table: dict[Any, Any]) -> None:
    """Forgets the oldest entries of a table that has grown too long."""
    while len(table) > MAX_UNDER_WAY:
        with suppress(RuntimeError, StopIteration):  # another thread changed it just now
            table.pop(next(iter(table)), None)
