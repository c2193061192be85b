"""What the installed version of LlamaIndex has, and one name for what differs between versions.

The adapter supports llama-index-core 0.12 to 0.14, and the tests run on the oldest, the newest, and those between at
which something changed. A test that needs what a version lacks says so with a name from here, and is then skipped with
the reason. The file is not called `versions.py`: the tests of LangChain have one, and both are imported by name.
"""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import pytest
from llama_index.core.chat_engine.types import StreamingAgentChatResponse

from rag_eval_hooks_llamaindex.compat import CORE_VERSION, STREAMS_ARE_READ_FIRST

__all__ = [
    "CHATS_ARE_WRITTEN",
    "CORE_VERSION",
    "HAS_WORKFLOW_AGENTS",
    "MODEL_IS_CALLED_LATE",
    "STREAMS_ARE_READ_FIRST",
    "WORKFLOWS_VERSION",
    "needs_streams",
    "needs_writers",
    "since_core",
]

HAS_WORKFLOW_AGENTS = find_spec("llama_index.core.agent.workflow") is not None
"""Whether agents are workflows; before that they are chat engines."""

MODEL_IS_CALLED_LATE = CORE_VERSION >= (0, 14, 25)
"""Whether a streaming query calls the model only when its reader asks for the first token."""


CHATS_ARE_WRITTEN = hasattr(StreamingAgentChatResponse, "write_response_to_history_thread")
"""Whether a thread or task of its own writes a chat's streamed answer, as in later versions of 0.14; before that, for
most engines, its reader does."""


def _version(package: str) -> tuple[int, ...]:
    """The numbers of an installed package's version; () if it is not installed, which is older than every version."""
    try:
        return tuple(int(part) for part in version(package).split(".")[:2])
    except PackageNotFoundError:
        return ()


WORKFLOWS_VERSION = _version("llama-index-workflows")
"""() where workflows are still a part of the core."""


def _skip(is_there: bool, needed: str) -> pytest.MarkDecorator:
    reason = f"needs {needed}; llama-index-core is {version('llama-index-core')}"
    return pytest.mark.skipif(not is_there, reason=reason)


needs_streams = _skip(not STREAMS_ARE_READ_FIRST, "streamed answers that come word by word")
"""Marks a test of what happens in the middle of a stream: from 0.14.22 to 0.14.24 the query reads it to its end, and
hands on one piece."""


needs_writers = _skip(CHATS_ARE_WRITTEN, "chats whose streamed answer is written by a thread of its own")


def since_core(*wanted: int) -> pytest.MarkDecorator:
    """Marks a test of what llama-index-core has since a version: `@since_core(0, 13)`."""
    return _skip(wanted <= CORE_VERSION, f"llama-index-core >= {'.'.join(map(str, wanted))}")
