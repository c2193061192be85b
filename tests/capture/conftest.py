"""What every test of the capture stage has: a look at what our guards swallowed."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_eval_hooks.capture.guard import record_caught

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def caught() -> Iterator[list[Exception]]:
    """What our guards swallowed; a test that provokes it takes this fixture and clears the list."""
    errors: list[Exception] = []
    record_caught(errors)
    yield errors
    record_caught(None)
    if errors:
        raise errors[0]
