"""What every adapter test has: a handler of its own, and a look at what our guards swallowed."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_eval_hooks.capture.guard import record_caught
from rag_eval_hooks_langchain import RagEvalCallbackHandler

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


@pytest.fixture
def handler() -> Iterator[RagEvalCallbackHandler]:
    """A handler with the usual options, closed after the test."""
    with RagEvalCallbackHandler() as handler:
        yield handler
