"""Every way to ask a LlamaIndex engine, with the answer read to its end."""

import asyncio
from typing import Any

from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llamaindex_fakes import QUESTION

__all__ = ["ONCE", "WAYS", "ask", "is_streamed"]

ONCE = ("query", "aquery")
WAYS = (*ONCE, "stream", "astream")


def is_streamed(way: str) -> bool:
    """Whether an engine that is asked this way has to be made with `streaming=True`."""
    return way.endswith("stream")


def ask(engine: Any, way: str, question: str = QUESTION) -> str:
    """Puts a question to a query engine, and returns the text of the answer, streamed or not."""
    if way in ("query", "stream"):
        response = engine.query(question)
        return "".join(response.response_gen) if isinstance(response, StreamingResponse) else str(response)

    async def asked() -> str:
        response = await engine.aquery(question)
        if isinstance(response, AsyncStreamingResponse):
            return "".join([word async for word in response.async_response_gen()])
        return str(response)

    return asyncio.run(asked())
