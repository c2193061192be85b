"""`MemorySink`: the newest records, in this process."""

import threading
from collections import deque

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.sinks.base import ForkAwareSink

__all__ = ["MemorySink"]


class MemorySink(ForkAwareSink):
    """Keeps the newest records in memory, for tests and notebooks.

    Args:
        limit: How many records to keep; the oldest goes first and is counted in `dropped`.

    Raises:
        ConfigError: If `limit` is not a whole number from 1.
    """

    def __init__(self, limit: int = 1000) -> None:
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ConfigError(f"limit: expected a whole number from 1, got {limit!r}")
        super().__init__()
        self.limit = limit
        self.dropped = 0
        """How many records were let go because the limit was reached."""
        self._kept: deque[tuple[RagRun, Evaluation]] = deque()
        self._lock = threading.Lock()

    @property
    def records(self) -> list[tuple[RagRun, Evaluation]]:
        """The kept (run, evaluation) pairs, oldest first; a new list each time."""
        with self._lock:
            return list(self._kept)

    def write(self, run: RagRun, evaluation: Evaluation) -> None:
        """Keeps one record; the oldest one goes where the limit is reached."""
        with self._lock:
            self._kept.append((run, evaluation))
            if len(self._kept) > self.limit:
                self._kept.popleft()
                self.dropped += 1

    def clear(self) -> None:
        """Forgets all records and the count of dropped ones."""
        with self._lock:
            self._kept.clear()
            self.dropped = 0

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
