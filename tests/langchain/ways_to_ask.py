"""Every way to ask a chain, and an agent or a graph, by name: each takes what to ask, its input and the config."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from langchain_core.runnables import Runnable
from langchain_core.runnables.base import RunnableEach

__all__ = ["CHAIN_WAYS", "GRAPH_WAYS", "cancelled_after"]

Way = Callable[[Any, Any, Any], object]

# Chains --------------------------------------------------------------------------------------------------------------


async def _all(stream: Any) -> list[Any]:
    return [chunk async for chunk in stream]


def _as_completed(chain: Runnable[Any, Any], value: Any, config: Any) -> None:
    list(chain.batch_as_completed([value], config=config))


async def _async_as_completed(chain: Runnable[Any, Any], value: Any, config: Any) -> None:
    await _all(chain.abatch_as_completed([value], config=config))


CHAIN_WAYS: dict[str, Way] = {
    "invoke": lambda chain, value, config: chain.invoke(value, config=config),
    "ainvoke": lambda chain, value, config: asyncio.run(chain.ainvoke(value, config=config)),
    "stream": lambda chain, value, config: list(chain.stream(value, config=config)),
    "astream": lambda chain, value, config: asyncio.run(_all(chain.astream(value, config=config))),
    "astream_events": lambda chain, value, config: asyncio.run(
        _all(chain.astream_events(value, config=config, version="v2"))
    ),
    "astream_log": lambda chain, value, config: asyncio.run(_all(chain.astream_log(value, config=config))),
    "transform": lambda chain, value, config: list(chain.transform(iter([value]), config=config)),
    "batch": lambda chain, value, config: chain.batch([value], config=config),
    "abatch": lambda chain, value, config: asyncio.run(chain.abatch([value], config=config)),
    "batch_as_completed": _as_completed,
    "abatch_as_completed": lambda chain, value, config: asyncio.run(_async_as_completed(chain, value, config)),
    "map": lambda chain, value, config: chain.map().invoke([value], config=config),
    "amap": lambda chain, value, config: asyncio.run(chain.map().ainvoke([value], config=config)),
    "streamed map": lambda chain, value, config: list(chain.map().stream([value], config=config)),
    "each": lambda chain, value, config: RunnableEach(bound=chain).invoke([value], config=config),
    "batch of maps": lambda chain, value, config: chain.map().batch([[value]], config=config),
    "config of its own": lambda chain, value, config: chain.with_config(config).invoke(value),
    "config twice": lambda chain, value, config: chain.with_config(config).invoke(value, config=config),
}

# Agents and graphs ---------------------------------------------------------------------------------------------------


def _stream(mode: Any) -> Way:
    return lambda graph, value, config: list(graph.stream(value, config=config, stream_mode=mode))


def _astream(mode: Any) -> Way:
    return lambda graph, value, config: asyncio.run(_all(graph.astream(value, config=config, stream_mode=mode)))


GRAPH_WAYS: dict[str, Way] = {
    "invoke": lambda graph, value, config: graph.invoke(value, config=config),
    "ainvoke": lambda graph, value, config: asyncio.run(graph.ainvoke(value, config=config)),
    "stream values": _stream("values"),
    "stream updates": _stream("updates"),
    "stream messages": _stream("messages"),
    "stream two modes": _stream(["updates", "messages"]),
    "astream values": _astream("values"),
    "astream updates": _astream("updates"),
    "astream messages": _astream("messages"),
    "astream_events": CHAIN_WAYS["astream_events"],
}


async def cancelled_after(begun: asyncio.Event | threading.Event, work: Coroutine[Any, Any, Any]) -> None:
    """Cancels a piece of work once it has come to where the event is set; the cancellation must reach who waits."""
    task = asyncio.create_task(work)
    if isinstance(begun, asyncio.Event):
        await begun.wait()
    else:
        await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
