"""Lets other threads go on in the middle of long work, where somebody asked for it."""

from collections.abc import Callable
from contextvars import ContextVar

__all__ = ["PAUSE", "give_way"]

PAUSE: ContextVar[Callable[[], None] | None] = ContextVar("rag_eval_hooks_pause", default=None)
"""What to do between two pieces of work in this context; by default nothing."""


def give_way() -> None:
    """Marks a place between two pieces of work of about a millisecond.

    Python passes the interpreter on by itself only every 5 ms, so that an event loop in another thread may have to wait
    that long for an evaluation. The worker of `Hooks` pauses here for a moment, in which whoever waits goes on.
    """
    pause = PAUSE.get()
    if pause is not None:
        pause()
