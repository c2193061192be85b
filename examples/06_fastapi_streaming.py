"""Streaming behind FastAPI: one handler for all requests, closed at shutdown; a client that leaves gives a record, too.

What the record of such a question says depends on what the stream was doing when the client left:

- It waited for the model, as here: most servers (uvicorn) have its task cancelled, and the chain ends with
  CancelledError. The status is `cancelled`.
- It waited for the client to take a piece, or the server let the sending fail (ASGI 2.4): the chain notices nothing,
  and its stream is left half-read until it is closed. The status is `abandoned`. `ClosedStream` closes it at once;
  without that the garbage collector does, some time later.

Either way the answer in the record is what had been handed over for sending.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag_eval_hooks.sinks import MemorySink
from rag_eval_hooks_langchain import RagEvalCallbackHandler

TEXT = "The pool is open from 7 to 21. On Sundays it closes at 18."
ANSWER = "The pool is open from 7 to 21 [1]. On Sundays it closes at 18 [1]."

search = RunnableLambda(lambda _: [Document(id="pool", page_content=TEXT)])
context = search | (lambda documents: f"[1] {documents[0].page_content}")
prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
model = FakeListChatModel(responses=[ANSWER], sleep=0.001)  # seconds between two letters
chain = {"context": context, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

# The application -----------------------------------------------------------------------------------------------------

sink = MemorySink()


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    handler = RagEvalCallbackHandler(sinks=[sink])
    app.state.chain = chain.with_config(callbacks=[handler])
    yield
    await asyncio.to_thread(handler.close, 10)  # in a thread, because it waits for what is still to be evaluated


class ClosedStream(StreamingResponse):
    """Closes the stream with the response, however that ends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)


app = FastAPI(lifespan=lifespan)


@app.get("/ask")
async def ask(question: str, request: Request) -> StreamingResponse:
    return ClosedStream(request.app.state.chain.astream(question), media_type="text/plain")


# Its clients, without a network --------------------------------------------------------------------------------------


def leaving(app: ASGIApp, after: int) -> ASGIApp:
    """Returns the application behind a connection that breaks after so many pieces, as uvicorn would report it."""

    async def connection(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        taken, left = 0, asyncio.Event()

        async def hear() -> Message:
            await left.wait()
            return {"type": "http.disconnect"}

        async def say(message: Message) -> None:
            nonlocal taken
            if not left.is_set():
                await send(message)
            taken += message["type"] == "http.response.body"
            if taken == after:
                left.set()

        await app(scope, hear, say)
        await send({"type": "http.response.body"})  # lets httpx show what it has got

    return connection


async def get(app: ASGIApp, question: str) -> str:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://pool") as client:
        return (await client.get("/ask", params={"question": question})).text


async def main() -> None:
    async with lifespan(app):  # a server does this at start and shutdown
        print("read:", await get(app, "When is the pool open?"))
        print("read:", await get(leaving(app, after=33), "And on Sundays?"), "... and left")


asyncio.run(main())

for run, evaluation in sink.records:
    print(f"\n{run.status}: {run.question}\n  sent: {run.answer}")
    for claim in evaluation.claims:
        print(f"  {claim.verdict}: {claim.text}")
