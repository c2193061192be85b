"""Where LlamaIndex's versions differ, or its own ways need help; each with what lets us delete it."""

import _thread
import re
import signal
import threading
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.instrumentation.span import active_span_id

__all__ = ["CORE_VERSION", "STREAMS_ARE_READ_FIRST", "active_span", "blocks_of", "interrupt_soon"]


def _core_version() -> tuple[int, ...]:
    """Returns the numbers of llama-index-core's version, also of one that is not released yet (`0.15.0rc1`)."""
    try:
        found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", version("llama-index-core"))
    except PackageNotFoundError:  # installed by other means than a package
        found = None
    return tuple(int(part or 0) for part in found.groups()) if found else ()


CORE_VERSION = _core_version()

STREAMS_ARE_READ_FIRST = (0, 14, 22) <= CORE_VERSION <= (0, 14, 24)
"""Whether the model's stream is read to its end before a streaming query returns. Until core 0.14.24 is not
supported."""

INTERRUPT_AFTER_S = 0.05


def blocks_of(message: ChatMessage) -> Any:
    """Returns a message's content blocks; None where messages have none yet. Until core 0.12.9 is not supported."""
    return getattr(message, "blocks", None)


def active_span() -> str | None:
    """Returns the id of the LlamaIndex span that the caller's code stands in, or None."""
    return active_span_id.get()


def interrupt_soon() -> None:
    """Sends a keyboard interrupt that came in the middle of our callback once more, a moment later.

    LlamaIndex keeps everything that a handler raises to itself, so that the user's Ctrl-C would be lost (all versions,
    0.12.0 to 0.14.25). Sent at once, it would arrive in the callback again.
    """
    timer = threading.Timer(INTERRUPT_AFTER_S, _interrupt)
    timer.daemon = True
    timer.start()


def _interrupt() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # wakes the thread, too, if it waits for something
    else:
        _thread.interrupt_main()
