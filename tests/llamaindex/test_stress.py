"""More questions than a desk ever asks: every record right, nothing lost, nothing left behind."""

import asyncio
import gc
import tracemalloc
from collections import Counter

import pytest
from llamaindex_stress import (
    MANY_WAYS,
    EchoFlow,
    EndingBadly,
    ask_in_all_ways_at_once,
    is_right,
    left_in_tables,
)
from many_questions import LOSSES, CountingSink, questions

from rag_eval_hooks.capture import Limits
from rag_eval_hooks_llamaindex import Attachment, Hooks, attach, handler, listeners


@pytest.mark.slow
def test_all_ways_of_asking_at_the_same_time() -> None:
    """300 distinct questions in each of nine ways: 2700 of 2700 records are what they must be."""
    count = 300
    total = count * len(MANY_WAYS)
    # Nothing may be lost: a gather opens all its questions at once, and evaluation takes second place.
    with attach(keep=total, max_open=total, queue_items=total) as attachment:
        ways = ask_in_all_ways_at_once(count)
        assert attachment.flush(300) == 0
        runs = [record.run for record in attachment.records]
        assert sorted(str(run.question) for run in runs) == sorted(ways)
        assert [run for run in runs if not is_right(run, ways[str(run.question)])] == []
        assert set(left_in_tables(attachment).values()) == {0}
        assert attachment.collector.remembered_ids <= Limits().tombstones
        stats = attachment.stats()
        assert {word: stats[word] for word in LOSSES} == dict.fromkeys(LOSSES, 0)
        assert (stats["opened"], stats["evaluated"]) == (total, total)


@pytest.mark.slow
def test_ten_thousand_questions_of_which_a_thousand_end_badly() -> None:
    """Tables are empty after the sweep, memory stays as it is, and the counts add up."""
    sink = CountingSink()
    traced: dict[int, int] = {}
    expected: Counter[str] = Counter()
    # No grace time: what a cancelled task left open is delivered by the next sweep.
    with attach(Hooks([sink], keep=0, grace_s=0.0, queue_items=2_000)) as attachment:
        tracemalloc.start()
        for done in range(0, 10_000, 1_000):
            asking = EndingBadly()
            expected += asking.ask_many(questions(1_000, prefix=f"{done}-"))
            attachment.hooks._tick()  # the worker's timer
            assert set(left_in_tables(attachment).values()) == {0}
            assert attachment.collector.remembered_ids <= Limits().tombstones
            assert attachment.flush(120) == 0
            del asking
            gc.collect()
            traced[done + 1_000] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert sink.statuses == dict(expected) == {"ok": 9_000, "cancelled": 400, "abandoned": 400, "error": 200}
        # As many ids are remembered at 4,000 questions as ever; since then, all of them have been replaced. What grows
        # are the 50 workflows in a thousand questions, see below. An id that is left of each question takes 90 bytes.
        assert abs(traced[7_000] - traced[4_000]) < 150_000
        assert abs(traced[10_000] - traced[4_000]) < 150_000
        stats = attachment.stats()
        assert {word: stats[word] for word in LOSSES} == dict.fromkeys(LOSSES, 0)
        assert stats["opened"] == stats["submitted"] == stats["evaluated"] == stats["written"] == 10_000
        assert (stats["open"], stats["queued"]) == (0, 0)


def test_finished_workflows_are_remembered_up_to_a_bound(
    attachment: Attachment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "MAX_UNDER_WAY", 20)

    async def ask(question: str) -> None:
        await EchoFlow(timeout=60).run(query=question)

    for question in questions(50):
        asyncio.run(ask(question))
        assert len(handler._spans._workflows) <= 20
    runs = [record.run for record in attachment.records]
    assert len(runs) == 50
    assert all(is_right(run, "workflow") for run in runs)
