"""What of a run's metadata may be kept: nothing of the framework's own, and nothing that looks like a secret."""

from collections.abc import Mapping
from typing import Any

from rag_eval_hooks.capture.foreign import fields_of
from rag_eval_hooks.capture.framework_names import OWN_METADATA, OWN_TAGS

__all__ = ["kept_metadata", "kept_tags"]

SECRET_WORDS = ("authorization", "api_key", "apikey", "api-key", "secret", "password", "passwd", "credential", "cookie")
SECRET_ENDS = ("token", "bearer", "private_key", "access_key")


def kept_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metadata without the framework's own entries and without anything that looks like a secret."""
    return {
        key: _without_secrets(value)
        for key, value in fields_of(metadata).items()
        if not key.startswith(OWN_METADATA) and not _is_secret(key)
    }


def kept_tags(tags: tuple[Any, ...]) -> tuple[str, ...]:
    """Returns the user's tags."""
    return tuple(tag for tag in tags if isinstance(tag, str) and not tag.startswith(OWN_TAGS))


def _without_secrets(value: Any) -> Any:
    """Returns a plain value without the entries that look like secrets; its depth is bounded."""
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in value.items() if not _is_secret(key)}
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    return value


def _is_secret(key: str) -> bool:
    name = key.lower()
    return any(word in name for word in SECRET_WORDS) or name.endswith(SECRET_ENDS)
