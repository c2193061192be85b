"""Turns whatever a framework or a log holds into values that can be stored: valid text, finite numbers, plain JSON."""

import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

__all__ = ["JsonMap", "OptionalText", "Probability", "Text", "clean_number", "clean_text", "json_value", "text_id"]

MAX_DEPTH = 8
MAX_ITEMS = 1_000
MAX_VALUES = 20_000
"""Entries of all collections in a value together: what refers to itself in many places would have no end of them."""
MAX_VALUE_TEXT = 10_000
MAX_OPAQUE_TEXT = 200
MAX_INT_BITS = 600
COLLECTIONS = (Mapping, list, tuple, set, frozenset)


def clean_text(value: Any) -> Any:
    """Returns `value` with lone surrogates replaced by U+FFFD (split pairs are joined); other types pass through.

    >>> clean_text("mast \\ud83d ok")
    'mast � ok'
    """
    if not isinstance(value, str):
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def clean_number(value: Any) -> float | None:
    """Returns a finite float, or None for anything else (text that reads as a number counts as one).

    >>> clean_number("0.5"), clean_number(float("nan")), clean_number(None), clean_number(True)
    (0.5, None, None, None)
    """
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def text_id(value: Any) -> str | None:
    """Returns an id as text, so that `102` and `"102"` are one id; None, blank text and what cannot be read are none.

    >>> text_id(102), text_id("102"), text_id(102.0), text_id("  "), text_id(None)
    ('102', '102', '102', None, None)
    """
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        text = str(clean_text(str(value)))
    except Exception:  # noqa: BLE001  a foreign object's own methods may raise anything
        return None
    return text if text.strip() else None


def json_value(value: Any, depth: int = 0, left: list[int] | None = None) -> Any:
    """Returns a plain JSON value for `value`, whatever it is: numbers stay numbers, the rest becomes short text.

    Never raises; cycles and deep nesting end at `MAX_DEPTH`, long collections at `MAX_ITEMS`, and all of it at
    `MAX_VALUES`.

    >>> json_value({"a": (1, float("nan")), 2: {"x"}})
    {'a': [1, None], '2': ['x']}

    Args:
        value: Anything.
        depth: The level that it stands at.
        left: How many entries may still be kept, counted down; by default `MAX_VALUES`.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return json_value(value.value, depth + 1, left) if depth < MAX_DEPTH else _opaque(value)
    if isinstance(value, str):
        return clean_text(value[:MAX_VALUE_TEXT])
    if isinstance(value, int):
        if abs(value) < 2**63:
            return int(value)
        # Python refuses to write out very long integers.
        return str(value) if value.bit_length() <= MAX_INT_BITS else f"<int of {value.bit_length()} bits>"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if depth >= MAX_DEPTH:
        return _opaque(value)
    try:
        if isinstance(value, COLLECTIONS):
            left = [MAX_VALUES] if left is None else left
            left[0] -= min(len(value), MAX_ITEMS)
            if left[0] < 0:
                return f"<{type(value).__name__}, not stored: too much>"
        if isinstance(value, Mapping):
            return {
                str(clean_text(str(key)[:MAX_OPAQUE_TEXT])): json_value(item, depth + 1, left)
                for key, item, _ in zip(value.keys(), value.values(), range(MAX_ITEMS), strict=False)
            }
        if isinstance(value, COLLECTIONS):
            items = [item for item, _ in zip(value, range(MAX_ITEMS), strict=False)]
            return [json_value(item, depth + 1, left) for item in items]
        if type(value).__module__ == "numpy" and callable(getattr(value, "item", None)):
            return json_value(value.item(), depth + 1, left)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return f"<{type(value).__name__} of {len(value)} bytes>"
    except Exception:  # noqa: BLE001  a foreign object's own methods may raise anything
        return _opaque(value)
    return _opaque(value)


def _opaque(value: Any) -> str:
    """A short description of an object we do not look into."""
    if isinstance(value, COLLECTIONS):
        return f"<{type(value).__name__}, not stored: nested too deeply>"
    try:
        text = str(value)
    except Exception:  # noqa: BLE001  a foreign object's own methods may raise anything
        return f"<{type(value).__name__}>"
    if text.startswith("<") and " at 0x" in text:
        return f"<{type(value).__name__}>"
    return str(clean_text(text[:MAX_OPAQUE_TEXT]))


def _json_map(value: Any) -> Any:
    return json_value(value) if isinstance(value, Mapping) else value


Text = Annotated[str, BeforeValidator(clean_text)]
OptionalText = Annotated[str | None, BeforeValidator(clean_text)]
JsonMap = Annotated[dict[str, Any], BeforeValidator(_json_map)]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
