"""How late an event loop that serves LangChain questions becomes, without a handler, with ours, and with others.

Run: python benchmarks/loop_lag_langchain.py [--rounds 3] [--seconds 4] [--at-once 4]

A timer of 1 ms runs beside questions whose model takes 20 ms; printed is how much too late it was. Meanwhile records
are evaluated, and written by a sink that takes 20 ms or 200 ms for each, so that it also counts how long the loop's
thread waits for the interpreter's lock while the worker's thread holds it. `default` evaluates after 2 s without a
pause of the host, `never idle` at once, both with at most a tenth of a core. Variants take turns; `bare again` is the
noise.
"""

import argparse
import asyncio
import gc
import os
import platform
import statistics
import threading
import time
from collections.abc import Callable
from itertools import chain
from typing import Any

from langchain_core.runnables import Runnable
from overhead_langchain import QUESTION, NoOp, Variant, fake_chain, others, ours

from rag_eval_hooks.sinks import Sink


class SlowSink(Sink):
    """Takes its time for each record, like a database far away."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.awake = threading.Event()

    def write(self, run: Any, evaluation: Any) -> None:  # noqa: ARG002
        self.awake.wait(self.seconds)


async def _lags(waiting: Runnable[Any, Any], config: dict[str, Any], seconds: float, at_once: int) -> list[float]:
    """Returns how late a timer of 1 ms was, in milliseconds, while so many questions were under way all the time."""
    until = time.perf_counter() + seconds
    lags = []

    async def ask() -> None:
        while time.perf_counter() < until:
            await waiting.ainvoke(QUESTION, config=config)

    async def beat() -> None:
        while time.perf_counter() < until:
            due = time.perf_counter() + 0.001
            await asyncio.sleep(0.001)
            lags.append((time.perf_counter() - due) * 1_000)

    await asyncio.gather(beat(), *(ask() for _ in range(at_once)))
    return lags


def _served(name: str, seconds: float, **options: Any) -> Variant:
    """Ours with a slow sink; what is left at the end of a round is written quickly, before the next one's turn."""
    sink = SlowSink(seconds)
    variant = ours(name, sinks=[sink], queue_items=100_000, queue_bytes=10**10, **options)
    hooks = variant.hooks

    def settle() -> None:
        sink.awake.set()
        assert hooks is not None
        assert hooks.flush(300) == 0, "records were not evaluated"
        sink.awake.clear()

    variant.settle = settle
    return variant


def _loop_lag(runner: asyncio.Runner, rounds: int, seconds: float, at_once: int) -> None:
    waiting = fake_chain(seconds=0.02)
    variants = [
        Variant("bare"),
        Variant("bare again"),
        Variant("no-op", {"callbacks": [NoOp()]}),
        _served("default, sink of 20 ms", 0.02),
        _served("default, sink of 200 ms", 0.2),
        _served("never idle, sink of 20 ms", 0.02, patience_s=0.0),
        _served("never idle, sink of 200 ms", 0.2, patience_s=0.0),
        *others(),
    ]
    lags: dict[str, list[list[float]]] = {variant.name: [] for variant in variants}
    evaluated = dict.fromkeys(lags, 0)
    runner.run(_lags(waiting, {}, 0.5, at_once))
    for number in range(rounds):
        turn = number % len(variants)
        for variant in (*variants[turn:], *variants[:turn]):
            before = 0 if variant.hooks is None else variant.hooks.stats()["evaluated"]
            gc.collect()  # so that a full collection, 100 ms of everybody's time, is not counted for one of them
            with variant.attached():
                lags[variant.name].append(runner.run(_lags(waiting, variant.config, seconds, at_once)))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--at-once", type=int, default=4, help="questions under way at the same time")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    with asyncio.Runner() as runner:
        _loop_lag(runner, options.rounds, options.seconds, options.at_once)


if __name__ == "__main__":
    main()
