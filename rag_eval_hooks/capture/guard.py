"""The fence between our code and the host's: whatever goes wrong on our side stays on our side, counted and logged."""

import logging
import os
import threading
import time
from types import TracebackType
from typing import Any

__all__ = ["caught_counts", "guarded", "guarded_work", "record_caught"]

LOG_INTERVAL_S = 60.0

_log = logging.getLogger(__name__)
_lock = threading.RLock()
_counts: dict[str, int] = {}
_logged_at: dict[str, float] = {}
_guards: dict[str, "_Guard"] = {}
_recorder: list[Any] | None = None


class _Guard:
    """Swallows exceptions of the given kinds and notes where they happened."""

    __slots__ = ("kinds", "place")

    def __init__(self, place: str, kinds: type[BaseException]) -> None:
        self.place = place
        self.kinds = kinds

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None:
            return False
        if not isinstance(error, self.kinds):
            return False
        _note(self.place, error)
        return True


def guarded(place: str) -> _Guard:
    """Returns a context manager that keeps exceptions of its block from the host.

    This and `guarded_work` are the only broad `except` in capture and adapters. Anything that is not an `Exception`
    (`KeyboardInterrupt`, `CancelledError`, `GeneratorExit`) passes unchanged. Safe to share between threads.

    Args:
        place: Where the block stands, as counted and logged, e.g. `langchain.on_retriever_end`.
    """
    guard = _guards.get(place)
    if guard is None:
        guard = _guards[place] = _Guard(place, Exception)
    return guard


def guarded_work(place: str) -> _Guard:
    """Returns a `guarded` for the worker's own thread: there `SystemExit` and its like are failures as well.

    A user's function that calls `sys.exit` must not end the thread; nobody above it waits for such a signal.

    Args:
        place: As for `guarded`.
    """
    return _Guard(place, BaseException)


def caught_counts() -> dict[str, int]:
    """Returns how many exceptions were swallowed in this process, by place."""
    with _lock:
        return dict(_counts)


def record_caught(into: list[Any] | None) -> None:
    """Switches the recording of swallowed exceptions on or off, so that tests can raise them.

    Frameworks swallow what handlers raise, so a test suite has to look into this list after each test.

    Args:
        into: The list that gets every exception from now on; None stops the recording.
    """
    global _recorder
    _recorder = into


def _note(place: str, error: BaseException) -> None:
    try:
        now = time.monotonic()
        with _lock:
            _counts[place] = _counts.get(place, 0) + 1
            due = now - _logged_at.get(place, -LOG_INTERVAL_S) >= LOG_INTERVAL_S
            if due:
                _logged_at[place] = now
        if _recorder is not None:
            _recorder.append(error)
        if due:
            # The message of a foreign exception may quote the user's texts: log its type and where it came from.
            _log.warning(
                "%s failed in %s at %s (%d so far); the application is not affected",
                type(error).__name__,
                place,
                _origin(error),
                _counts[place],
            )
    except Exception:  # noqa: BLE001, S110  a broken log handler must not reach the host either
        pass


def _origin(error: BaseException) -> str:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return "unknown place"
    return f"{os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno}"


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
