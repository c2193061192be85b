"""The fence: what it keeps from the host, what it lets through, and what it says."""

import asyncio
import logging
from typing import Any

import pytest

from rag_eval_hooks.capture import guard
from rag_eval_hooks.capture.guard import caught_counts, guarded, guarded_work


def test_an_exception_is_swallowed_counted_and_recorded(caught: list[Exception]) -> None:
    before = caught_counts().get("test.place", 0)
    for _ in range(3):
        with guarded("test.place"):
            raise ValueError("x")
    assert caught_counts()["test.place"] == before + 3
    assert len(caught) == 3
    caught.clear()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_meant_for_the_host_passes(error: type[BaseException]) -> None:
    with pytest.raises(error), guarded("test.base"):
        raise error
    one = error()
    with pytest.raises(error) as raised:
        guard.caught("test.base", one)
    assert raised.value is one
    assert "test.base" not in caught_counts()


@pytest.mark.parametrize("error", [ValueError, GeneratorExit, asyncio.CancelledError])
def test_what_only_a_foreign_object_can_have_raised_stays(
    error: type[BaseException], caught: list[BaseException]
) -> None:
    before = caught_counts().get("test.foreign", 0)
    with guarded("test.foreign"):
        raise error
    guard.caught("test.foreign", error())
    assert caught_counts()["test.foreign"] == before + 2
    assert [type(one) for one in caught] == [error, error]
    caught.clear()


@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError])
def test_on_the_workers_thread_nothing_passes(error: type[BaseException], caught: list[BaseException]) -> None:
    with guarded_work("test.work"):
        raise error
    assert [type(one) for one in caught] == [error]
    caught.clear()


def test_it_logs_once_per_interval_and_never_the_message(
    caught: list[Exception], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(guard.time, "monotonic", lambda: now[0])
    with caplog.at_level(logging.WARNING, "rag_eval_hooks"):
        for step in (0, 59, 1, 59):
            now[0] += step
            with guarded("test.log"):
                raise ValueError("ada@example.org")
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]  # at 0 and at 60 seconds
    assert "ValueError failed in test.log at test_guard.py:" in caplog.text
    assert "ada@example.org" not in caplog.text
    caught.clear()


def test_a_broken_log_handler_does_not_reach_the_host(caught: list[Exception]) -> None:
    class Broken(logging.Handler):
        def emit(self, record: Any) -> None:
            raise OSError

    log, handler = logging.getLogger("rag_eval_hooks"), Broken()
    log.addHandler(handler)
    try:
        with guarded("test.broken_log"):
            raise ValueError
    finally:
        log.removeHandler(handler)
    caught.clear()
