"""Whether the options of `Hooks` can be used; every message names the argument, the value, and what to give instead."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rag_eval_hooks.errors import ConfigError, MetricSpecError
from rag_eval_hooks.metrics import Metric, parse_metric
from rag_eval_hooks.metrics.base import MAX_K

__all__ = ["MAX_K", "MOST", "check_seconds", "check_share", "check_whole", "checked_metrics", "checked_sinks"]

MOST = 1_000_000_000_000
"""More records or bytes than this cannot be kept in memory; the containers refuse some larger numbers."""

LONGEST_S = 1_000_000_000.0
"""More seconds than this (30 years) cannot be waited for on every platform."""


def check_whole(name: str, value: Any, *, at_least: int, at_most: int = MOST) -> None:
    """Raises `ConfigError` unless `value` is a whole number from `at_least` to `at_most`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        raise ConfigError(f"{name}: expected a whole number from {at_least}, got {_shown(value)}")
    if value > at_most:
        raise ConfigError(f"{name}: expected a whole number from {at_least} to {at_most}, got {_shown(value)}")


def check_seconds(name: str, value: Any) -> None:
    """Raises `ConfigError` unless `value` is a finite number of seconds from 0."""
    if not _is_number(value) or not 0 <= value <= LONGEST_S:
        raise ConfigError(f"{name}: expected seconds from 0 to {LONGEST_S:.0f}, got {_shown(value)}")


def check_share(name: str, value: Any) -> None:
    """Raises `ConfigError` unless `value` is in (0, 1]."""
    if not _is_number(value) or not 0 < value <= 1:
        raise ConfigError(f"{name}: expected a number above 0 and up to 1, got {_shown(value)}")


def checked_metrics(metrics: Sequence[Metric | str]) -> tuple[Metric, ...]:
    """Returns the measures as values, in their order.

    Raises:
        ConfigError: If it is no list, or an entry is neither a measure nor the name of one.
    """
    if isinstance(metrics, (str, Metric)) or not isinstance(metrics, Iterable):
        raise ConfigError(f'metrics: expected a list such as [P(k=5), "R@10"], got {metrics!r}')
    return tuple([_metric(metric) for metric in metrics])


def checked_sinks(sinks: Any) -> tuple[Any, ...]:
    """Returns the sinks in their order; one sink alone is taken as a list of one.

    Raises:
        ConfigError: If an entry is no sink.
    """
    if callable(getattr(sinks, "write", None)):
        sinks = (sinks,)
    if isinstance(sinks, (str, bytes)) or not isinstance(sinks, Iterable):
        raise ConfigError(f"sinks: expected a list such as [SqlSink({_text(sinks)})], got {sinks!r}")
    checked = tuple(sinks)
    for sink in checked:
        if isinstance(sink, type):
            raise ConfigError(f"sinks: expected a sink, got the class {sink.__name__}; build one: {sink.__name__}(...)")
        for method in ("write", "flush", "close"):
            if not callable(getattr(sink, method, None)):
                raise ConfigError(
                    f"sinks: expected objects with write(run, evaluation), flush() and close(), got {sink!r} without "
                    f"{method}; derive it from rag_eval_hooks.sinks.Sink, or wrap a function in FunctionSink"
                )
    return checked


def _metric(metric: Any) -> Metric:
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        raise ConfigError(f'metrics: expected measures or their names, such as P(k=5) or "P@5", got {metric!r}')
    try:
        return parse_metric(metric)
    except MetricSpecError as error:
        raise ConfigError(f"metrics: {error}") from error


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, str) else "..."


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**18:  # Python writes no number of more than some thousand digits
        return "a number of more than 18 digits"
    return repr(value)


def _is_number(value: Any) -> bool:
    # Some whole numbers are too large to be asked whether they are finite.
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and math.isfinite(value)
    )
