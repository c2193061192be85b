"""The event loop of this thread, which LlamaIndex's synchronous methods use, and would make and never close."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["own_loop"]


@contextmanager
def own_loop() -> Iterator[None]:
    """Gives the thread a loop, and closes it after the block."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()
