"""Reads values that came from the host's objects: a field that cannot be read is left out or described, no more.

Runs on the worker, never on the host's thread: it calls methods of foreign objects.
"""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, TypeVar

from rag_eval_hooks.record.clean import MAX_DEPTH, MAX_ITEMS, MAX_VALUES, clean_number, clean_text, json_value, text_id

__all__ = ["fields_of", "id_of", "number_of", "plain", "text_of"]

MAX_KEY_TEXT = 200

_T = TypeVar("_T")


def text_of(value: Any) -> str:
    """Returns a text as it is, the empty text for None, and a short description of anything else.

    >>> text_of("a"), text_of(None), text_of(5)
    ('a', '', '5')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return str(clean_text(value))
    return str(_attempt(lambda: json_value(value, MAX_DEPTH), _type_name(value)))


def id_of(value: Any) -> str | None:
    """Returns an id as text; None where there is none, or where it has no text."""
    return _attempt(lambda: text_id(value), None)


def number_of(value: Any) -> float | None:
    """Returns a finite float, or None for anything else."""
    return _attempt(lambda: clean_number(value), None)


def plain(value: Any, depth: int = 0, left: list[int] | None = None) -> Any:
    """Returns a plain JSON value, whatever the value is and whatever its methods raise; see `json_value`."""
    return _attempt(lambda: json_value(value, depth, left), _type_name(value))


def fields_of(value: Any) -> dict[str, Any]:
    """Returns a mapping's entries as plain JSON values, each read by itself; none if it is no mapping.

    >>> fields_of({"a": 1, 2: "b"}), fields_of(None)
    ({'a': 1, '2': 'b'}, {})
    """
    if not isinstance(value, Mapping):
        return {}
    entries: list[tuple[Any, Any]] = _attempt(lambda: list(islice(value.items(), MAX_ITEMS)), [])
    fields: dict[str, Any] = {}
    left = [MAX_VALUES - len(entries)]
    for key, item in entries:
        name = key if isinstance(key, str) else _attempt(lambda key=key: str(key), None)  # type: ignore[misc]
        if name is not None:
            fields[str(clean_text(name[:MAX_KEY_TEXT]))] = plain(item, 1, left)
    return fields


def _attempt(read: Callable[[], _T], otherwise: _T) -> _T:
    try:
        return read()
    except BaseException:  # noqa: BLE001  a foreign object's own methods may raise anything, on a thread of ours
        return otherwise


def _type_name(value: Any) -> str:
    return f"<{type(value).__name__}>"
