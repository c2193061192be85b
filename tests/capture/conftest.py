from collections.abc import Iterator

import pytest

from rag_eval_hooks.capture.guard import record_caught


@pytest.fixture(autouse=True)
def caught() -> Iterator[list[Exception]]:
    """What our guards swallowed; a test that provokes it takes this fixture and clears the list."""
    errors: list[Exception] = []
    record_caught(errors)
    yield errors
    record_caught(None)
    if errors:
        raise errors[0]
