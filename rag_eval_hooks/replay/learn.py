"""Learns a background of term frequencies from a log, for a first pass before it is evaluated."""

import os

from rag_eval_hooks.attribution import Background
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.replay.replay import OnProgress, lines_of

__all__ = ["learn_background"]


def learn_background(source: str | os.PathLike[str], *, on_progress: OnProgress | None = None) -> Background:
    """Returns how common terms are in the chunks of a log's runs, frozen; it begins with the package's background.

    Lines that cannot be read are skipped. Memory is bounded, see `RollingBackground`: of a very long log, what stands
    at its end weighs most.

    Args:
        source: JSONL of runs, or a store.
        on_progress: Called after each line with the bytes read and the size in bytes, where it is known.

    Raises:
        ConfigError: If it is standard input, which can be read only once.
        InputError: If the source cannot be opened.
    """
    if os.fspath(source) == "-":
        raise ConfigError("standard input can be read only once; save the log to a file to learn a background from it")
    background = Background.rolling()
    with lines_of(source, on_progress) as lines:
        for line in lines:
            if line.run is not None:
                background.observe(chunk.text for chunk in line.run.chunks)
    return background.freeze()
