"""Every way to ask an agent or a graph, by name: each takes the graph, its input and the config."""

import asyncio
from collections.abc import Callable
from typing import Any

__all__ = ["WAYS"]

Way = Callable[[Any, Any, Any], object]


def _stream(mode: Any) -> Way:
    return lambda graph, value, config: list(graph.stream(value, config=config, stream_mode=mode))


def _astream(mode: Any) -> Way:
    async def read(graph: Any, value: Any, config: Any) -> list[Any]:
        return [part async for part in graph.astream(value, config=config, stream_mode=mode)]

    return lambda graph, value, config: asyncio.run(read(graph, value, config))


async def _events(graph: Any, value: Any, config: Any) -> list[Any]:
    return [event async for event in graph.astream_events(value, config=config, version="v2")]


WAYS: dict[str, Way] = {
    "invoke": lambda graph, value, config: graph.invoke(value, config=config),
    "ainvoke": lambda graph, value, config: asyncio.run(graph.ainvoke(value, config=config)),
    "stream values": _stream("values"),
    "stream updates": _stream("updates"),
    "stream messages": _stream("messages"),
    "stream two modes": _stream(["updates", "messages"]),
    "astream values": _astream("values"),
    "astream updates": _astream("updates"),
    "astream messages": _astream("messages"),
    "astream_events": lambda graph, value, config: asyncio.run(_events(graph, value, config)),
}
