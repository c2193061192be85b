"""What the pipelines of a version of LlamaIndex do differently, beside `llamaindex_versions`."""

import inspect

import pytest
from llama_index.core import async_utils
from llamaindex_versions import CORE_VERSION

__all__ = ["needs_context_in_threads"]


def needs_context_in_threads(way: str) -> None:
    """Skips a test that gathers inside an event loop, which LlamaIndex does in a thread.

    Until 0.14.0 at least the thread knew nothing of the question around it, so that what ran there were questions of
    their own; in 0.12.0 it raised.
    """
    if way == "aquery" and "copy_context" not in inspect.getsource(async_utils):
        pytest.skip(f"the thread's context is lost in llama-index-core {CORE_VERSION}")
