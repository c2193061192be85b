"""What every test of the LlamaIndex adapter has: an attachment of its own, and a look at what our guards swallowed."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core import Settings
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM

from rag_eval_hooks.capture.guard import record_caught
from rag_eval_hooks_llamaindex import Attachment, attach, attached
from rag_eval_hooks_llamaindex.handler import remembered

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "support")]


@pytest.fixture(autouse=True)
def caught() -> Iterator[list[Exception]]:
    """What our guards swallowed; a test that provokes it takes this fixture and clears the list."""
    errors: list[Exception] = []
    record_caught(errors)
    yield errors
    record_caught(None)
    if errors:
        raise errors[0]


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """The event loop of this thread, which LlamaIndex's synchronous methods use, and would make and never close."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models for what takes them from the settings, which name a provider's otherwise."""
    monkeypatch.setattr(Settings, "_llm", MockLLM())
    monkeypatch.setattr(Settings, "_embed_model", MockEmbedding(embed_dim=4))


@pytest.fixture
def attachment() -> Iterator[Attachment]:
    """Attached to the whole process, with the usual options; detached and closed after the test.

    Until then nothing is under way any more, and no table of the handlers holds anything.
    """
    assert attached() is None
    with attach() as attachment:
        yield attachment
        assert remembered() == 0
