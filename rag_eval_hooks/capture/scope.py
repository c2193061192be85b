"""What holds for all runs that start in a context: they belong to a question, or are not captured at all."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["SCOPE", "Belonging", "Scope", "scope_of", "suppress_capture"]


class Scope:
    """Leaves what starts in a context out of every record; its subclass gives it to a question.

    It may end elsewhere than it began, and out of turn: generators are closed by other tasks, by the garbage collector,
    and after others that began later in the same context. A token of the variable would raise then, or bring back what
    is over; so each knows the one around it.
    """

    __slots__ = ("is_open", "outer")

    def __init__(self) -> None:
        self.outer: Scope | None = None
        """What held before."""
        self.is_open = True
        """False once the block has ended; tasks that outlive it keep the context."""

    def enter(self) -> None:
        """Makes it hold in this context."""
        self.outer = SCOPE.get()
        SCOPE.set(self)

    def leave(self) -> None:
        """Ends it for good; what held before holds again, unless something else holds here now."""
        self.is_open = False
        self.pause()

    def pause(self) -> None:
        """Lets it hold here no longer, until it is entered again."""
        while self.outer is not None and not self.outer.is_open:
            self.outer = self.outer.outer
        if SCOPE.get() is self:
            SCOPE.set(self.outer)


class Belonging(Scope):
    """Says of a context that what starts in it belongs to an open question.

    Args:
        collector: The collector that the question is open in; runs that others take are none of its.
        run_id: Id of the question's root.
        around: Id of the run that the context stands in, if any: what would run directly below it belongs here.
        owner: What the adapter wants to find again in the context.
    """

    __slots__ = ("around", "collector", "owner", "run_id")

    def __init__(self, collector: object, run_id: Hashable, around: Hashable | None, owner: object) -> None:
        super().__init__()
        self.collector = collector
        self.run_id = run_id
        self.around = around
        self.owner = owner


SCOPE: ContextVar[Scope | None] = ContextVar("rag_eval_hooks_scope", default=None)
"""What holds in this context; tasks and `asyncio.to_thread` take it along, plain threads do not."""


def scope_of(collector: object) -> Scope | None:
    """Returns what holds here for what a collector takes, or None: a question of its own, or that nothing is captured.

    Questions of other collectors inside of that, or that have ended, hold for nothing of its.
    """
    scope = SCOPE.get()
    while isinstance(scope, Belonging) and not (scope.collector is collector and scope.is_open):
        scope = scope.outer
    return scope


@contextmanager
def suppress_capture() -> Iterator[None]:
    """Leaves the runs of its block out of every record: model calls of judges, warm-ups, health checks.

    They are counted as `suppressed`. Holds for this task or thread and what is started from it with its context, also
    for a task that outlives the block.
    """
    scope = Scope()
    scope.enter()
    try:
        yield
    finally:
        scope.leave()
