"""The fence between our code and the host's: whatever goes wrong on our side stays on our side, counted and logged."""

import logging
import os
import threading
import time
from types import TracebackType
from typing import Any

__all__ = ["FOR_THE_HOST", "caught", "caught_counts", "guarded", "guarded_work", "record_caught"]

LOG_INTERVAL_S = 60.0

FOR_THE_HOST = (KeyboardInterrupt, SystemExit)
"""What is never kept from the host; see `guarded`."""

_log = logging.getLogger(__name__)
_lock = threading.RLock()
_counts: dict[str, int] = {}
_logged_at: dict[str, float] = {}
_guards: dict[str, "_Guard"] = {}
_recorder: list[Any] | None = None


class _Guard:
    """Swallows exceptions but those of the given kinds, and notes where they happened."""

    __slots__ = ("place", "raised")

    def __init__(self, place: str, raised: tuple[type[BaseException], ...]) -> None:
        self.place = place
        self.raised = raised

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or isinstance(error, self.raised):
            return False
        _note(self.place, error)
        return True


def guarded(place: str) -> _Guard:
    """Returns a context manager that keeps exceptions of its block from the host.

    This, `caught` and `guarded_work` are where capture and adapters catch broadly; what reads foreign objects beside
    them (`capture.foreign`, the adapter's snapshots) takes a failure for "cannot be read", and says so. Safe to share
    between threads. What passes and what does not is one rule for all that runs on the host's thread:

    - `KeyboardInterrupt` and `SystemExit` pass unchanged. They reach a thread at any moment, in the middle of our work
      as well, and are meant for the host.
    - Everything else stays here, also what is no `Exception`. Nothing can await or yield inside a callback, so that a
      `CancelledError` or `GeneratorExit` in it is never the host's own cancellation: a method of a foreign object has
      raised it (a document's property, a mapping). Frameworks keep no `BaseException` from the host; it would end the
      question as if the host had cancelled it.

    Args:
        place: Where the block stands, as counted and logged, e.g. `langchain.on_retriever_end`.
    """
    guard = _guards.get(place)
    if guard is None:
        guard = _guards[place] = _Guard(place, FOR_THE_HOST)
    return guard


def caught(place: str, error: BaseException) -> None:
    """Does what `guarded` does, for callbacks that run at every event: there its two calls are felt.

    A plain `try` costs nothing while nothing fails:

        try:
            ...
        except BaseException as error:
            caught("langchain.on_llm_new_token", error)

    Args:
        place: As for `guarded`.
        error: What was raised.

    Raises:
        BaseException: The error itself, if it is meant for the host.
    """
    if isinstance(error, FOR_THE_HOST):
        raise error
    _note(place, error)


def guarded_work(place: str) -> _Guard:
    """Returns a `guarded` for the worker's own thread: there `SystemExit` and its like are failures as well.

    A user's function that calls `sys.exit` must not end the thread; nobody above it waits for such a signal.

    Args:
        place: As for `guarded`.
    """
    return _Guard(place, ())


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
    except FOR_THE_HOST:
        raise
    except BaseException:  # noqa: BLE001, S110  a broken log handler must not reach the host either
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
