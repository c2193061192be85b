"""Objects as odd as a host may have them, and what the application sees of a call."""

from collections.abc import Callable
from typing import Any

__all__ = ["Bare", "Unreadable", "outcome"]


class Unreadable:
    """Raises whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]
    __repr__ = __str__


class Bare:
    """Has nothing that anybody asks for."""


def outcome(ask: Callable[[], Any]) -> tuple[type[Any], str]:
    """What the application sees: the answer, or its own error."""
    try:
        result = ask()
    except Exception as error:
        return type(error), str(error)
    return type(result), str(result)
