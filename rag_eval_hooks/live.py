"""What an adapter's object shows of its hooks: results, counts, and the end."""

from collections.abc import Mapping
from difflib import get_close_matches
from inspect import signature
from typing import Any, Protocol

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Captured, Hooks

__all__ = ["LAST_WAIT_S", "Live", "hooks_from"]

LAST_WAIT_S = 2.0


class _HasHooks(Protocol):
    hooks: Hooks


class Live:
    """Mixed into what is attached to a framework: reads `self.hooks`."""

    @property
    def last(self: _HasHooks) -> Captured | None:
        """The newest finished record, with `.run` and `.evaluation`; None if there is none yet.

        Waits up to 2 seconds for questions that have just ended, so that it works right after the call; it is meant
        for the desk and blocks an event loop for that time. In a service, use sinks, or `hooks.last`. A stream that was
        left early, or a cancelled task, is recorded at once, without its grace time.
        """
        self.hooks.settle(LAST_WAIT_S)
        return self.hooks.last

    @property
    def records(self: _HasHooks) -> tuple[Captured, ...]:
        """The newest finished records, oldest first; waits like `last`."""
        self.hooks.settle(LAST_WAIT_S)
        return self.hooks.records

    def flush(self: _HasHooks, timeout: float = 5.0) -> int:
        """Waits until what has ended is evaluated and written; returns the number of records still waiting."""
        return self.hooks.flush(timeout)

    def close(self: _HasHooks, timeout: float = 5.0) -> int:
        """Finishes all records and closes the sinks; returns the number of records that were not written in time."""
        return self.hooks.close(timeout)

    @property
    def is_closed(self: _HasHooks) -> bool:
        """Whether `close` was called; what is asked from then on is counted as `closed`."""
        return self.hooks.is_closed

    def stats(self: _HasHooks) -> dict[str, int]:
        """Returns what happened to every question, by word; see `Hooks.stats`."""
        return self.hooks.stats()


def hooks_from(options: Mapping[str, Any]) -> Hooks:
    """Returns new hooks with these options; see `Hooks`.

    Raises:
        ConfigError: If there is no option of a name, or one is out of range.
    """
    known = list(signature(Hooks).parameters)
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
            raise ConfigError(f"unknown option {name!r}; {hint}")
    return Hooks(**options)
