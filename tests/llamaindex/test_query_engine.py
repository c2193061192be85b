"""The plain query engine: one right record, at once and as a stream, in every way to call it."""

import asyncio
from typing import Any

import pytest
from llamaindex_fakes import ANSWER, QUESTION, engine
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

EXPECTED = {
    "question": QUESTION,
    "answer": ANSWER,
    "chunks": "a b c",
    "stages": [f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7"],
    "context": "a b c",
    "context_source": "prompt",
    "usage": "1 100>5",
    "answer_usage": "1 100>5",
}
STREAMED = EXPECTED | {"usage": "1 None>None", "answer_usage": "1 None>None"}


def test_query(attachment: Attachment) -> None:
    assert str(engine().query(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == EXPECTED


def test_aquery(attachment: Attachment) -> None:
    assert str(asyncio.run(engine().aquery(QUESTION))) == ANSWER
    assert whole(only_run(attachment)) == EXPECTED


def test_stream(attachment: Attachment) -> None:
    response: Any = engine(streaming=True).query(QUESTION)
    assert attachment.records == ()
    assert "".join(response.response_gen) == ANSWER
    run = only_run(attachment)
    assert whole(run) == STREAMED
    assert run.time_to_first_token_ms is not None


@pytest.mark.parametrize("read", ["async_response_gen", "get_response"])
def test_astream(attachment: Attachment, read: str) -> None:
    async def ask() -> str:
        response: Any = await engine(streaming=True).aquery(QUESTION)
        if read == "get_response":
            return str(await response.get_response())
        return "".join([word async for word in response.async_response_gen()])

    assert asyncio.run(ask()) == ANSWER
    assert whole(only_run(attachment)) == STREAMED
