"""How long a framework's calls take without and with handlers: variants that take turns in one process.

Batches of the variants take turns, in any order, so that a slow moment of the machine hits all of them. A variant is a
handler in the config of the calls, something attached to the process around a batch, or both.
"""

import asyncio
import contextlib
import gc
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rag_eval_hooks.hooks import Hooks

__all__ = [
    "ANSWER",
    "QUESTION",
    "Batch",
    "Variant",
    "awaited",
    "calls",
    "compare",
    "cpu",
    "span_exporter",
    "text",
]

QUESTION = "When did the harbour of Basel open?"
ANSWER = "The harbour opened in 1906 [3]. It lies on the Rhine [1]. A second basin followed in 1936 [4]."
WORDS = (
    "water trade river goods crane barge grain authority basin customs lock freight coal oil steel winter summer "
    "flood channel bank quay railway tariff council voyage pilot master crew north south upper lower large small old "
    "new first later often seldom every other many between under after before during against within"
).split()


def text(number: int) -> str:
    """A text of 1 kB that is unlike those of other numbers."""
    words = [WORDS[(number * 7919 + i * i * 31 + i * 17) % len(WORDS)] for i in range(220)]
    words[10:10] = f"The harbour number {number} opened in {1900 + number * 6} on the Rhine.".split()
    for end in range(25, 200, 14):
        words[end] = words[end] + "."
    return " ".join(words)[:1000]


@dataclass
class Variant:
    """One way of making the calls."""

    name: str
    config: Any = None
    """What the calls are given."""
    hooks: Hooks | None = None
    """Those of ours, whose counts are shown."""
    attached: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    """Around the measured batch, where a config is not enough."""
    settle: Callable[[], Any] = lambda: None
    """After the batch, not measured: finishes what was left for later."""
    close: Callable[[], Any] = lambda: None


def span_exporter() -> Any:
    """An OpenTelemetry exporter that drops what it gets."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Dropping(SpanExporter):
        def export(self, spans: Any) -> Any:  # noqa: ARG002
            return SpanExportResult.SUCCESS

    return Dropping()


# Calls ---------------------------------------------------------------------------------------------------------------

Batch = Callable[[Any, int], list[float]]
"""Makes so many calls with a config, one after the other; returns how long each took, in milliseconds."""


def calls(ask: Callable[[Any], Any]) -> Batch:
    """A batch of calls of a function, which is given the config."""

    def batch(config: Any, size: int) -> list[float]:
        times = []
        for _ in range(size):
            began = time.perf_counter()
            ask(config)
            times.append((time.perf_counter() - began) * 1_000)
        return times

    return batch


def awaited(runner: asyncio.Runner, ask: Callable[[Any], Any]) -> Batch:
    """A batch of calls of an asynchronous function."""

    async def asked(config: Any, size: int) -> list[float]:
        times = []
        for _ in range(size):
            began = time.perf_counter()
            await ask(config)
            times.append((time.perf_counter() - began) * 1_000)
        return times

    return lambda config, size: runner.run(asked(config, size))


# Figures -------------------------------------------------------------------------------------------------------------


def compare(name: str, call: Batch, variants: Sequence[Variant], rounds: int, size: int) -> None:
    """Prints how much longer the calls take with each variant than with the first, which is bare; closes them all."""
    bare_config = variants[0].config
    times: dict[str, list[list[float]]] = {variant.name: [] for variant in variants}
    used: dict[str, list[float]] = {variant.name: [] for variant in variants}
    shuffled = random.Random(1)
    for number in range(-2, rounds):  # the first rounds warm up
        if number == 0:
            gc.collect()
            gc.freeze()  # from here on a collection is quick
        # In any order: what a variant leaves behind (garbage, cold caches, threads) must not always meet the same one.
        for variant in shuffled.sample(variants, len(variants)):
            gc.collect()
            call(bare_config, 2)
            with variant.attached():
                began = time.process_time()
                batch = call(variant.config, size)
                seconds = time.process_time() - began
            if number >= 0:
                times[variant.name].append(batch)
                used[variant.name].append(seconds)
            variant.settle()
    gc.unfreeze()
    bare = times[variants[0].name]
    print(f"{name}: bare {statistics.median(chain.from_iterable(bare)):.3f} ms")
    for variant in variants[1:]:
        lost = variant.hooks.stats()["queue_full"] if variant.hooks is not None else 0
        mine = times[variant.name]
        low, high = _interval(mine, bare, shuffled)
        share = statistics.median(used[variant.name]) / statistics.median(used[variants[0].name])
        print(
            f"  {variant.name:<13} {_ratio(mine, bare, statistics.median):.3f} x  [{low:.3f}, {high:.3f}]"
            f"  mean {_ratio(mine, bare, statistics.fmean):.3f} x"
            f"  p90 {_ratio(mine, bare, _ninth):.3f} x"
            f"  cpu {share:.3f} x" + (f"  queue_full {lost}" if lost else "")
        )
    for variant in variants:
        variant.close()


def _ratio(times: list[list[float]], bare: list[list[float]], figure: Callable[[list[float]], float]) -> float:
    return figure(list(chain.from_iterable(times))) / figure(list(chain.from_iterable(bare)))


def _interval(times: list[list[float]], bare: list[list[float]], shuffled: random.Random) -> tuple[float, float]:
    """The middle 95 % of the ratio of medians when the rounds are drawn anew, with replacement."""
    pairs = list(zip(times, bare, strict=True))
    ratios = []
    for _ in range(200):
        mine, other = zip(*shuffled.choices(pairs, k=len(pairs)), strict=True)
        ratios.append(_ratio(list(mine), list(other), statistics.median))
    ratios.sort()
    return ratios[4], ratios[-5]


def _ninth(values: list[float]) -> float:
    return statistics.quantiles(values, n=10)[-1]


def cpu(call: Batch, variants: Sequence[Variant], size: int) -> None:
    """Prints process time per question, all threads; of ours before anything is evaluated, and with all evaluated."""
    figures: dict[str, float] = {}
    for variant in variants:
        with variant.attached():
            call(variant.config, 20)
            variant.settle()
            began = time.process_time()
            call(variant.config, size)
            seconds = time.process_time() - began
        figures[variant.name if variant.hooks is None else f"{variant.name} without evaluation"] = seconds
        if variant.hooks is not None:
            left = variant.hooks.flush(600)
            figures[f"{variant.name} with evaluation"] = time.process_time() - began
            assert left == 0, f"{left} records were not evaluated"
        variant.close()
    print("CPU per question: " + ", ".join(f"{name} {used / size * 1_000:.2f} ms" for name, used in figures.items()))
