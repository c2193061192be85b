"""More questions than a desk ever asks: every record right, nothing lost, nothing left behind."""

import gc
import tracemalloc
from collections import Counter

import pytest
from langchain_fakes import echo_chain
from langchain_stress import Cancelling, ask_in_all_ways_at_once, expected_record, left_in_tables
from many_questions import LOSSES, CountingSink, questions, without_ids_and_times

from rag_eval_hooks.capture import Limits
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

pytestmark = pytest.mark.slow


def test_all_ways_of_asking_at_the_same_time() -> None:
    """300 distinct questions in each of six ways: 1800 of 1800 records are what they must be."""
    count = 300
    # Nothing may be lost: a batch opens all its questions at once, and evaluation takes second place.
    hooks = Hooks(keep=6 * count, max_open=6 * count, queue_items=6 * count)
    with RagEvalCallbackHandler(hooks) as handler:
        streamed = ask_in_all_ways_at_once(echo_chain(), {"callbacks": [handler]}, count)
        assert handler.flush(300) == 0
        runs = {record.run.question: record.run for record in handler.records}
        wrong = [
            question
            for question, run in runs.items()
            if without_ids_and_times(run) != expected_record(question, run.captured_by, streamed=streamed[question])
        ]
        assert (len(handler.records), wrong) == (6 * count, [])
        assert runs.keys() == streamed.keys()
        assert set(left_in_tables(handler).values()) == {0}
        assert handler.collector.remembered_ids == 9 * 6 * count
        stats = handler.stats()
        assert {word: stats[word] for word in LOSSES} == dict.fromkeys(LOSSES, 0)
        assert (stats["opened"], stats["evaluated"]) == (6 * count, 6 * count)


def test_ten_thousand_questions_of_which_a_thousand_are_cancelled() -> None:
    """Tables are empty after the sweep, memory stays as it is, and the counts add up."""
    sink = CountingSink()
    asking = Cancelling()
    traced: dict[int, int] = {}
    # No grace time: what a cancelled task left open is delivered by the next sweep.
    hooks = Hooks([sink], keep=0, grace_s=0.0, queue_items=2_000)
    with RagEvalCallbackHandler(hooks) as handler:
        expected: Counter[str] = Counter()
        for done in range(0, 10_000, 1_000):
            if done == 2_000:
                tracemalloc.start()  # it slows everything down; what was there before is not counted
            cancelled = asking.ask_many({"callbacks": [handler]}, questions(1_000, prefix=f"{done}-"))
            expected.update(ok=1_000 - cancelled, cancelled=cancelled)
            hooks._tick()  # the worker's timer
            assert set(left_in_tables(handler).values()) == {0}
            assert handler.collector.remembered_ids <= Limits().tombstones
            assert handler.flush(120) == 0
            gc.collect()
            traced[done + 1_000] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert sink.statuses == dict(expected) == {"ok": 9_000, "cancelled": 1_000}
        # Between these two all that is remembered has been replaced, 90 bytes or more per id.
        assert abs(traced[10_000] - traced[5_000]) < 1_000_000
        stats = handler.stats()
        assert {word: stats[word] for word in LOSSES} == dict.fromkeys(LOSSES, 0)
        assert stats["opened"] == stats["submitted"] == stats["evaluated"] == stats["written"] == 10_000
        assert (stats["open"], stats["queued"]) == (0, 0)
