"""What the tests of this folder that run LlamaIndex need."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from event_loops import own_loop


@pytest.fixture(scope="module", autouse=True)
def loop() -> Iterator[None]:
    """The event loop of this thread."""
    with own_loop():
        yield
