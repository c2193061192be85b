"""What holds for all runs that start in a context: they belong to a question, or are not captured at all."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

__all__ = ["IN_USE", "SCOPE", "SUPPRESSED", "Belonging", "enter", "leave", "suppress_capture"]


class Belonging:
    """Says of a context that what starts in it belongs to an open question.

    Args:
        collector: The collector that the question is open in; runs that others take are none of its.
        run_id: Id of the question's root.
        around: Id of the run that the context stands in, if any: what would run directly below it belongs here.
    """

    __slots__ = ("around", "collector", "is_open", "run_id")

    def __init__(self, collector: object, run_id: Hashable, around: Hashable | None) -> None:
        self.collector = collector
        self.run_id = run_id
        self.around = around
        self.is_open = True
        """False once the question has ended; tasks that outlive it keep the context."""


class _Suppressed:
    """Marks a context in which nothing is captured."""


SUPPRESSED = _Suppressed()
SCOPE: ContextVar[Belonging | _Suppressed | None] = ContextVar("rag_eval_hooks_scope", default=None)
"""What holds in this context; tasks and `asyncio.to_thread` take it along, plain threads do not. Set by `enter`."""
IN_USE: list[bool] = []
"""Not empty from the first `enter` in this process on: until then no event needs to look into its context."""


def enter(scope: Belonging | _Suppressed) -> Token[Belonging | _Suppressed | None]:
    """Lets a scope hold from here on in this context; returns what `SCOPE.reset` takes to end it."""
    if not IN_USE:
        IN_USE.append(True)
    return SCOPE.set(scope)


@contextmanager
def suppress_capture() -> Iterator[None]:
    """Leaves the runs of its block out of every record: model calls of judges, warm-ups, health checks.

    They are counted as `suppressed`. Holds for this task or thread and what is started from it with its context.
    """
    token = enter(SUPPRESSED)
    try:
        yield
    finally:
        SCOPE.reset(token)


def leave(variable: ContextVar[Any], token: Token[Any], value: object) -> None:
    """Ends what `value` was set for; in a generator that goes on in another context, as far as that can be done."""
    try:
        variable.reset(token)
    except ValueError:
        if variable.get() is value:
            variable.set(None)
