"""How late an event loop becomes that serves questions: variants take turns, a timer of 1 ms runs beside the questions.

Records are evaluated meanwhile, and written by a sink that takes 20 ms or 200 ms for each, so that it also counts how
long the loop's thread waits for the interpreter's lock while the worker's thread holds it.
"""

import argparse
import asyncio
import gc
import os
import platform
import statistics
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import chain
from typing import Any

from interleaved.variants import Variant

from rag_eval_hooks.sinks import Sink

__all__ = ["main", "served"]

Ask = Callable[[Any], Awaitable[Any]]
"""Puts one question with a variant's config; its model takes 20 ms."""


class SlowSink(Sink):
    """Takes its time for each record, like a database far away."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.awake = threading.Event()

    def write(self, run: Any, evaluation: Any) -> None:  # noqa: ARG002
        self.awake.wait(self.seconds)


async def _lags(ask: Ask, config: Any, seconds: float, at_once: int) -> list[float]:
    """Returns how late a timer of 1 ms was, in milliseconds, while so many questions were under way all the time."""
    until = time.perf_counter() + seconds
    lags = []

    async def asking() -> None:
        while time.perf_counter() < until:
            await ask(config)

    async def beat() -> None:
        while time.perf_counter() < until:
            due = time.perf_counter() + 0.001
            await asyncio.sleep(0.001)
            lags.append((time.perf_counter() - due) * 1_000)

    await asyncio.gather(beat(), *(asking() for _ in range(at_once)))
    return lags


def served(ours: Callable[..., Variant]) -> list[Variant]:
    """Returns ours with slow sinks: as it comes, which evaluates after 2 s without a pause, and evaluating at once.

    What is left at the end of a round is written quickly, before the next one's turn.

    Args:
        ours: Makes a variant of a name and options of hooks.
    """
    variants = []
    for name, options in (("default", {}), ("never idle", {"patience_s": 0.0})):
        for seconds in (0.02, 0.2):
            sink = SlowSink(seconds)
            title = f"{name}, sink of {seconds * 1_000:.0f} ms"
            variant = ours(title, sinks=[sink], queue_items=100_000, queue_bytes=10**10, **options)
            variant.settle = _settling(variant, sink)
            variants.append(variant)
    return variants


def _settling(variant: Variant, sink: SlowSink) -> Callable[[], None]:
    hooks = variant.hooks
    assert hooks is not None

    def settle() -> None:
        sink.awake.set()
        assert hooks.flush(300) == 0, "records were not evaluated"
        sink.awake.clear()

    return settle


def _compare(
    runner: asyncio.Runner, ask: Ask, variants: Sequence[Variant], rounds: int, seconds: float, at_once: int
) -> None:
    lags: dict[str, list[list[float]]] = {variant.name: [] for variant in variants}
    evaluated = dict.fromkeys(lags, 0)
    runner.run(_lags(ask, variants[0].config, 0.5, at_once))
    for number in range(rounds):
        turn = number % len(variants)
        for variant in (*variants[turn:], *variants[:turn]):
            before = 0 if variant.hooks is None else variant.hooks.stats()["evaluated"]
            gc.collect()  # so that a full collection, 100 ms of everybody's time, is not counted for one of them
            with variant.attached():
                lags[variant.name].append(runner.run(_lags(ask, variant.config, seconds, at_once)))
            if variant.hooks is not None:
                evaluated[variant.name] += variant.hooks.stats()["evaluated"] - before
            variant.settle()
    print(f"loop lag: {at_once} questions under way at once, model of 20 ms, {rounds} x {seconds:g} s each")
    for variant in variants:
        rest = f"  {evaluated[variant.name]} records evaluated meanwhile" if variant.hooks is not None else ""
        print(
            f"  {variant.name:<27} median {_over(lags[variant.name], statistics.median):6.3f} ms"
            f"  99 % below {_over(lags[variant.name], _ninety_ninth):6.3f} ms"
            f"  longest {_over(lags[variant.name], max):6.3f} ms (median of rounds)"
            f" {max(chain.from_iterable(lags[variant.name])):6.3f} ms (of all)" + rest
        )
        variant.close()


def _over(rounds: list[list[float]], figure: Callable[[list[float]], float]) -> float:
    return statistics.median(map(figure, rounds))


def _ninety_ninth(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[-1]


def main(description: str | None, ask: Ask, variants: Callable[[], Sequence[Variant]]) -> None:
    """Reads the command line, and prints the figures of all variants, of which the first is bare."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--at-once", type=int, default=4, help="questions under way at the same time")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    with asyncio.Runner() as runner:
        _compare(runner, ask, variants(), options.rounds, options.seconds, options.at_once)
