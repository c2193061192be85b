"""Whether a path can be the file of a sink, and where that is whatever the process does next."""

import os
from pathlib import Path

from rag_eval_hooks.errors import ConfigError

__all__ = ["file_path"]


def file_path(path: str | os.PathLike[str], *, example: str) -> Path:
    """Returns the absolute path of a file that is there or can be made.

    Absolute, because a service may change its working directory before the first write.

    Args:
        path: The file as the user named it.
        example: A file name to propose where the user named a folder.

    Raises:
        ConfigError: If it is a folder, or its folder does not exist.
    """
    named = Path(path)
    if named.is_dir():
        raise ConfigError(f"{named} is a folder; name a file in it, such as {named / example}")
    if not named.parent.is_dir():
        raise ConfigError(f"the folder {named.parent} does not exist; create it first")
    return named.absolute()
