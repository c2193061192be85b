"""Whether anything goes wrong or grows when very many questions run through one LangChain handler.

Run: python benchmarks/stress_langchain.py [--count 300] [--invokes 10000]

Two parts, which tests/langchain/test_stress.py asserts and this prints with its figures:

- `count` distinct questions in each of six ways (threads and event loops, invoked, streamed, batched), all at the same
  time: how many records are right as a whole, and what is left in the tables.
- `invokes` questions of which every tenth is an asyncio task that is cancelled during the search or the model call:
  records by status, ids remembered, and the memory that Python has allocated since the start, by `tracemalloc`.
"""

import argparse
import gc
import os
import platform
import sys
import time
import tracemalloc
from pathlib import Path

from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

sys.path.extend([str(Path(__file__).parent.parent / "tests" / folder) for folder in ("langchain", "support")])

from langchain_fakes import echo_chain
from langchain_stress import MANY_WAYS, Cancelling, ask_in_all_ways_at_once, expected_record, left_in_tables
from many_questions import CountingSink, questions, without_ids_and_times

STEP = 1_000
SHOWN = (2_000, 6_000, 10_000)


def _all_ways(count: int) -> None:
    total = len(MANY_WAYS) * count
    hooks = Hooks(keep=total, max_open=total, queue_items=total)
    handler = RagEvalCallbackHandler(hooks)
    began = time.perf_counter()
    streamed = ask_in_all_ways_at_once(echo_chain(), {"callbacks": [handler]}, count)
    asked = time.perf_counter() - began
    left = handler.flush(600)
    right = sum(
        without_ids_and_times(record.run)
        == expected_record(
            str(record.run.question), record.run.captured_by, streamed=streamed[str(record.run.question)]
        )
        for record in handler.records
    )
    print(f"{len(MANY_WAYS)} ways at once ({', '.join(MANY_WAYS)}), {count} questions each:")
    print(f"  {right} of {total} records right, {left} not evaluated; {asked:.1f} s, {total / asked:.0f} questions/s")
    print(f"  left in tables: {_words(left_in_tables(handler))}; remembered {handler.collector.remembered_ids}")
    print(f"  counts: {_words({word: number for word, number in handler.stats().items() if number})}")
    handler.close(60)


def _cancelled(invokes: int) -> None:
    sink, asking = CountingSink(), Cancelling()
    hooks = Hooks([sink], keep=0, grace_s=0.0, queue_items=2 * STEP)
    handler = RagEvalCallbackHandler(hooks)
    cancelled = 0
    print(f"{invokes} questions, every tenth cancelled:")
    tracemalloc.start()
    for done in range(STEP, invokes + 1, STEP):
        cancelled += asking.ask_many({"callbacks": [handler]}, questions(STEP, prefix=f"{done}-"))
        hooks._tick()  # the worker's timer, which delivers what was left open
        handler.flush(600)
        gc.collect()
        if done in SHOWN or done == invokes:
            kilobytes = tracemalloc.get_traced_memory()[0] / 1_000
            remembered = handler.collector.remembered_ids
            left = sum(left_in_tables(handler).values())
            print(
                f"  after {done:6}: {kilobytes:9.1f} kB allocated, {left} left in tables, {remembered} ids remembered"
            )
    tracemalloc.stop()
    print(f"  {cancelled} tasks cancelled; records: {_words(sink.statuses)}")
    print(f"  counts: {_words({word: number for word, number in handler.stats().items() if number})}")
    handler.close(60)


def _words(numbers: dict[str, int]) -> str:
    return ", ".join(f"{word} {number}" for word, number in numbers.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--invokes", type=int, default=10_000)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    _all_ways(options.count)
    _cancelled(options.invokes)


if __name__ == "__main__":
    main()
