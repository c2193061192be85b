"""Whether anything goes wrong or grows when very many questions are put to LlamaIndex in one process.

Run: python benchmarks/stress_llamaindex.py [--count 300] [--queries 10000]

Two parts, which tests/llamaindex/test_stress.py asserts and this prints with its figures:

- `count` distinct questions in each of nine ways (query and chat engines and workflows, in threads and event loops, at
  once and as streams, read also in other threads than asked in), all at the same time: how many records are right as a
  whole, and what is left in the tables.
- `queries` questions of which every tenth ends badly (cancelled in the search or in the model call, a stream that is
  left, that breaks, or that is never read): records by status, ids remembered, and the memory that Python has allocated
  since the start, by `tracemalloc`, which makes it slow.
"""

import argparse
import gc
import os
import platform
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from rag_eval_hooks_llamaindex import Hooks, attach

sys.path.extend([str(Path(__file__).parent.parent / "tests" / folder) for folder in ("llamaindex", "support")])

from llamaindex_stress import MANY_WAYS, EndingBadly, ask_in_all_ways_at_once, is_right, left_in_tables
from many_questions import CountingSink, questions

STEP = 1_000


def _all_ways(count: int) -> None:
    total = len(MANY_WAYS) * count
    attachment = attach(keep=total, max_open=total, queue_items=total)
    began = time.perf_counter()
    ways = ask_in_all_ways_at_once(count)
    asked = time.perf_counter() - began
    left = attachment.flush(600)
    right = sum(is_right(record.run, ways[str(record.run.question)]) for record in attachment.records)
    print(f"{len(MANY_WAYS)} ways at once ({', '.join(MANY_WAYS)}), {count} questions each:")
    print(f"  {right} of {total} records right, {left} not evaluated; {asked:.1f} s, {total / asked:.0f} questions/s")
    print(f"  left in tables: {_words(left_in_tables(attachment))}; remembered {attachment.collector.remembered_ids}")
    print(f"  counts: {_words({word: number for word, number in attachment.stats().items() if number})}")
    attachment.detach().close(60)


def _ending_badly(queries: int) -> None:
    sink, expected = CountingSink(), Counter[str]()
    attachment = attach(Hooks([sink], keep=0, grace_s=0.0, queue_items=2 * STEP))
    print(f"{queries} questions, every tenth ends badly:")
    tracemalloc.start()
    for done in range(STEP, queries + 1, STEP):
        expected += EndingBadly().ask_many(questions(STEP, prefix=f"{done}-"))
        attachment.hooks._tick()  # the worker's timer, which delivers what was left open
        attachment.flush(600)
        gc.collect()
        kilobytes = tracemalloc.get_traced_memory()[0] / 1_000
        left, remembered = sum(left_in_tables(attachment).values()), attachment.collector.remembered_ids
        print(f"  after {done:6}: {kilobytes:9.1f} kB allocated, {left} left in tables, {remembered} ids remembered")
    tracemalloc.stop()
    print(f"  asked: {_words(expected)}; records: {_words(sink.statuses)}")
    print(f"  counts: {_words({word: number for word, number in attachment.stats().items() if number})}")
    attachment.detach().close(60)


def _words(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {number}" for word, number in sorted(numbers.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--queries", type=int, default=10_000)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    _all_ways(options.count)
    _ending_badly(options.queries)


if __name__ == "__main__":
    main()
