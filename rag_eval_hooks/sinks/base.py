"""What a sink promises: `write`, `flush`, `close`, and what happens with threads, forks and failures."""

import os
import weakref
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from rag_eval_hooks.errors import RagEvalHooksError
from rag_eval_hooks.record import Evaluation, RagRun

__all__ = ["Sink", "SinkError"]


class SinkError(RagEvalHooksError):
    """A record could not be stored; the message names the place and the fault, never the record's text."""


class Sink(ABC):
    """Base of all sinks: takes one finished run and its evaluation at a time.

    Threads: a caller writes from one thread at a time (the background worker, or `replay`); the sinks of this package
    may be shared by several threads all the same. `write` may do I/O and may block, so it is never called on the
    host's own thread.

    Failure: `write` stores the whole record or raises, and after a raise the next `write` is tried afresh. The
    worker counts a raise as `sink_error` and goes on; a sink does not retry by itself and keeps no queue.

    Forks: the sinks of this package notice a fork and open their file or connection anew in the child.

    The run and the evaluation are frozen; a sink does not change them or what their metadata holds.
    A subclass overrides `write`, and `flush` and `close` where there is something to do.
    """

    def open(self) -> None:
        """Reaches the place now, to find a fault before the first record; `write` does it by itself otherwise.

        Raises:
            SinkError: If nothing can be stored there.
        """
        return

    @abstractmethod
    def write(self, run: RagRun, evaluation: Evaluation) -> None:
        """Stores one run and its evaluation.

        Raises:
            SinkError: If the record could not be stored; nothing of it is then left half-written.
        """

    def flush(self) -> None:
        """Returns when what was written would survive the end of the process."""
        return

    def close(self) -> None:
        """Flushes and lets go of files and connections; calling it again does nothing."""
        self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ForkAwareSink(Sink):
    """A sink that is told in the child after a fork, where locks may be held by threads that are gone."""

    def __init__(self) -> None:
        _fork_aware.add(self)

    @abstractmethod
    def _after_fork(self) -> None:
        """Makes new locks and drops what the parent still uses; runs in the child before anything else."""


_fork_aware: weakref.WeakSet[ForkAwareSink] = weakref.WeakSet()


def _tell_sinks() -> None:
    for sink in tuple(_fork_aware):
        sink._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell_sinks)
