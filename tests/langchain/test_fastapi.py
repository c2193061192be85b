"""A client that leaves a streamed answer behind FastAPI: one record, with what it was sent, and nothing left open."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any, Literal

import pytest
from langchain_fakes import FakeChat, rag

from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler

pytest.importorskip("fastapi", reason="a package of the dev extra")
pytest.importorskip("httpx", reason="a package of the dev extra")

import httpx
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

Leaving = Literal["never", "while the model is awaited", "while a piece is being sent", "and sending fails"]


class ClosedStream(StreamingResponse):
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)


def connection(app: Any, leaving: Leaving, paused: asyncio.Event) -> Any:
    """The application behind a client that leaves after two pieces."""

    async def connected(scope: Any, receive: Any, send: Any) -> None:
        pieces, left = 0, asyncio.Event()

        async def hear() -> Any:
            await (paused if leaving == "while the model is awaited" else left).wait()
            return {"type": "http.disconnect"}

        async def say(message: Any) -> None:
            nonlocal pieces
            pieces += message["type"] == "http.response.body"
            if pieces > 2 and leaving == "while a piece is being sent":
                left.set()
                await asyncio.Event().wait()
            if pieces > 2 and leaving == "and sending fails":
                raise OSError("gone")
            await send(message)

        version = "2.4" if leaving == "and sending fails" else "2.3"
        try:
            await app({**scope, "asgi": {"version": "3.0", "spec_version": version}}, hear, say)
        except ClientDisconnect:
            assert leaving == "and sending fails"
        if leaving != "never":
            await send({"type": "http.response.body"})

    return connected


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Streams end because somebody ends them, and not because the garbage collector happens to come."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("leaving", "read", "status", "answer"),
    [
        pytest.param("never", "one two three four", "ok", "one two three four", id="never"),
        pytest.param("while the model is awaited", "one two ", "cancelled", "one two ", id="model"),
        # The third piece was on its way.
        pytest.param("while a piece is being sent", "one two ", "abandoned", "one two three ", id="sending"),
        pytest.param("and sending fails", "one two ", "abandoned", "one two three ", id="failing"),
    ],
)
@pytest.mark.usefixtures("no_collection")
def test_a_client_that_leaves(leaving: Leaving, read: str, status: str, answer: str) -> None:
    async def main(handler: RagEvalCallbackHandler) -> None:
        pause, paused = asyncio.Event(), asyncio.Event()
        model = FakeChat(say=lambda _: "one two three four")
        if leaving == "while the model is awaited":
            model = FakeChat(say=model.say, pause=pause, paused=paused)
        chain = rag(model).with_config(callbacks=[handler])
        app = FastAPI()

        @app.get("/ask")
        async def ask(question: str) -> StreamingResponse:
            return ClosedStream(chain.astream(question))

        transport = httpx.ASGITransport(connection(app, leaving, paused))
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            assert (await client.get("/ask", params={"question": "Q?"})).text == read
        for _ in range(100):  # LangChain's inner streams are closed by the loop, one after the other
            await asyncio.sleep(0)
        handler.hooks._tick()
        (record,) = handler.records
        assert (record.run.status, record.run.question, record.run.answer) == (status, "Q?", answer)
        assert [record.run.chunks[item.chunk].id for item in record.run.context] == ["a", "b", "c"]
        assert handler.stats()["open"] == 0
        assert handler.collector.open_ids == 0

    with RagEvalCallbackHandler(Hooks(grace_s=0)) as handler:
        asyncio.run(main(handler))
        assert len(handler.records) == 1
