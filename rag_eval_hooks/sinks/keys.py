"""Texts as a database can hold them: PostgreSQL has no NUL character, and index entries have a limit."""

import hashlib
from typing import overload

__all__ = ["MAX_KEY_BYTES", "run_key", "storable"]

MAX_KEY_BYTES = 1_000


@overload
def storable(text: str) -> str: ...
@overload
def storable(text: None) -> None: ...
def storable(text: str | None) -> str | None:
    r"""Returns `text` with NUL replaced by U+FFFD; the whole record beside it keeps the original.

    >>> storable("a\x00b"), storable(None)
    ('a�b', None)
    """
    return None if text is None else text.replace("\x00", "�")


def run_key(run_id: str) -> str:
    r"""Returns the text under which a run id is stored: itself, or its start and a hash where it does not fit.

    >>> run_key("r1"), run_key("a\x00b")
    ('r1', 'a�b#59b271ae1bbcb1d3')
    """
    if "\x00" not in run_id and len(run_id.encode("utf-8", "replace")) <= MAX_KEY_BYTES:
        return run_id
    digest = hashlib.sha256(run_id.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{storable(run_id)[:100]}#{digest}"
