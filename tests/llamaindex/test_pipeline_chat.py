"""Chat engines: the question is the user's, what was said before is no context, rewriting it is no answer."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer
from llamaindex_expected import expected, streamed
from llamaindex_fakes import ANSWER, TEXTS, FakeLLM, FakeRetriever, engine, nodes
from llamaindex_versions import since_core
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")

WAYS = ("chat", "achat", "stream_chat", "astream_chat")
FOLLOW_UP = "And the Rhine there?"
CONDENSED = "Which Swiss city does the Rhine pass?"
BEFORE = [
    ChatMessage(role="user", content="Tell me about Swiss cheese."),
    ChatMessage(role="assistant", content=TEXTS["d"]),
]
"""What was said before: the model's own words are those of a chunk that may be found again."""
CHUNKS = {
    "question": FOLLOW_UP,
    "chunks": "a b d",
    "stages": [f"1 retrieve FakeRetriever({FOLLOW_UP}): a=0.9 b=0.8 d=0.7"],
    "context": "a b d",
}
REWRITTEN = CHUNKS | {"stages": [f"1 retrieve FakeRetriever({CONDENSED}): a=0.9 b=0.8 d=0.7"]}


def prompted(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(str(message.content) for message in messages).lower()


def say(messages: Sequence[ChatMessage]) -> str:
    """Rewrites a question, sums up a conversation, or answers."""
    asked = prompted(messages)
    if "follow up" in asked or "standalone" in asked:
        return CONDENSED
    return "They spoke of cheese." if "summary of the" in asked or "summarize" in asked else ANSWER


def chat(made: Any, way: str, message: str = FOLLOW_UP, **options: Any) -> str:
    """Says something to a chat engine, and returns the text of the answer, streamed or not."""
    if way == "chat":
        return str(made.chat(message, **options))
    if way == "stream_chat":
        return "".join(made.stream_chat(message, **options).response_gen)

    async def asked() -> str:
        if way == "achat":
            return str(await made.achat(message, **options))
        response = await made.astream_chat(message, **options)
        return "".join([word async for word in response.async_response_gen()])

    return asyncio.run(asked())


def remembering(*messages: ChatMessage) -> ChatMemoryBuffer:
    """A plain memory; the default one leaves a database open."""
    return ChatMemoryBuffer.from_defaults(chat_history=list(messages), token_limit=3_000)


def usual(way: str, calls: int = 1, **changes: Any) -> dict[str, Any]:
    """The usual record of so many calls, of which the last one streams if the chat does."""
    if "stream" in way:
        told = calls - 1
        return streamed(usage=f"{calls} {100 * told or None}>{5 * told or None}", **changes)
    return expected(usage=f"{calls} {100 * calls}>{5 * calls}", **changes)


# The engines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_chat_without_a_search(attachment: Attachment, way: str) -> None:
    made = SimpleChatEngine.from_defaults(llm=FakeLLM(say=say), memory=remembering())
    assert chat(made, way, chat_history=[*BEFORE]) == ANSWER
    assert whole(only_run(attachment)) == usual(way, question=FOLLOW_UP, chunks=None, stages=None, context=None)


@pytest.mark.parametrize("way", WAYS)
def test_a_chat_with_context(attachment: Attachment, way: str) -> None:
    made = ContextChatEngine.from_defaults(retriever=FakeRetriever("abd"), llm=FakeLLM(say=say), memory=remembering())
    assert chat(made, way, chat_history=[*BEFORE]) == ANSWER
    run = only_run(attachment)
    assert whole(run) == usual(way, **CHUNKS)
    assert (run.time_to_first_token_ms is not None) == ("stream" in way)


@pytest.mark.parametrize("way", WAYS)
def test_what_was_said_before_is_no_context(attachment: Attachment, way: str) -> None:
    """d is found, and left out of the prompt; that it stands in an earlier answer does not put it there."""
    from llama_index.core.postprocessor import SimilarityPostprocessor

    made = ContextChatEngine.from_defaults(
        retriever=FakeRetriever("abd"),
        llm=FakeLLM(say=say),
        memory=remembering(),
        node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.75)],
    )
    assert chat(made, way, chat_history=[*BEFORE]) == ANSWER
    inner, postprocessed = CHUNKS["stages"][0] + " (inner)", "1 postprocess SimilarityPostprocessor: a b"
    assert whole(only_run(attachment)) == usual(way, **(CHUNKS | {"stages": [inner, postprocessed], "context": "a b"}))


@pytest.mark.parametrize("way", WAYS)
def test_a_question_that_is_rewritten_before_the_search(attachment: Attachment, way: str) -> None:
    made = CondensePlusContextChatEngine.from_defaults(
        retriever=FakeRetriever("abd"), llm=FakeLLM(say=say), memory=remembering()
    )
    assert chat(made, way, chat_history=[*BEFORE]) == ANSWER
    assert whole(only_run(attachment)) == usual(way, 2, **REWRITTEN)


@pytest.mark.parametrize("way", WAYS)
def test_a_question_that_needs_no_rewriting(attachment: Attachment, way: str) -> None:
    made = CondensePlusContextChatEngine.from_defaults(
        retriever=FakeRetriever("abd"), llm=FakeLLM(say=say), memory=remembering()
    )
    assert chat(made, way) == ANSWER
    assert whole(only_run(attachment)) == usual(way, **CHUNKS)


@pytest.mark.parametrize("way", WAYS)
def test_a_rewritten_question_to_an_engine(attachment: Attachment, way: str) -> None:
    """The engine's question is nested in the user's."""
    llm = FakeLLM(say=say)
    inside = engine(llm=llm, retriever=FakeRetriever("abd"), streaming="stream" in way)
    made = CondenseQuestionChatEngine.from_defaults(query_engine=inside, llm=llm, memory=remembering())
    assert chat(made, way, chat_history=[*BEFORE]) == ANSWER
    assert whole(only_run(attachment)) == usual(way, 2, **REWRITTEN)


@pytest.mark.parametrize("mode", ["simple", "condense_question", "context", "condense_plus_context", "best"])
def test_the_chats_of_an_index(attachment: Attachment, mode: str) -> None:
    index = VectorStoreIndex([one.node for one in nodes("a")])
    try:
        made = index.as_chat_engine(chat_mode=mode, llm=FakeLLM(say=say), memory=remembering())
    except Exception as error:
        pytest.skip(f"this version has no such chat: {error}")
    assert chat(made, "chat", chat_history=[*BEFORE]) == ANSWER
    run = only_run(attachment)
    assert (run.question, run.answer, run.status) == (FOLLOW_UP, ANSWER, "ok")
    assert [stage.query for stage in run.stages] == {"simple": [], "context": [FOLLOW_UP]}.get(mode, [CONDENSED])
    assert [run.chunks[item.chunk].id for item in run.context] == ["a"] * len(run.stages)


# Memories ------------------------------------------------------------------------------------------------------------


def two_turns(made: Any, way: str) -> None:
    chat(made, way, "What is in Basel?")
    chat(made, way, FOLLOW_UP)


@pytest.mark.parametrize("way", WAYS)
def test_two_turns_are_two_questions(attachment: Attachment, way: str) -> None:
    made = ContextChatEngine.from_defaults(retriever=FakeRetriever(), llm=FakeLLM(say=say), memory=remembering())
    two_turns(made, way)
    assert [whole(run) for run in runs_of(attachment)] == [
        usual(way, question=asked) for asked in ("What is in Basel?", FOLLOW_UP)
    ]


LONG_BEFORE = [
    ChatMessage(role="user", content="Tell me about Swiss cheese. " * 20),
    ChatMessage(role="assistant", content=TEXTS["d"] * 5),
    ChatMessage(role="user", content="And more? " * 20),
    ChatMessage(role="assistant", content="Yes. " * 20),
]


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_sums_up(attachment: Attachment, way: str) -> None:
    """A model sums up what was said before, in the middle of the question: a call that is not the answer."""
    memory = ChatSummaryMemoryBuffer.from_defaults(
        chat_history=[*LONG_BEFORE], llm=FakeLLM(say=lambda _: "They spoke of cheese."), token_limit=60
    )
    made = ContextChatEngine.from_defaults(retriever=FakeRetriever("abd"), llm=FakeLLM(say=say), memory=memory)
    assert chat(made, way) == ANSWER
    assert whole(only_run(attachment)) == usual(way, 2, **CHUNKS)


@since_core(0, 13)
@pytest.mark.parametrize("way", WAYS)
def test_the_newest_memory(attachment: Attachment, way: str) -> None:
    from llama_index.core.memory import Memory

    memory = Memory.from_defaults(session_id="one", token_limit=1_000)
    memory.put_messages([*BEFORE])
    made = CondensePlusContextChatEngine.from_defaults(
        retriever=FakeRetriever("abd"), llm=FakeLLM(say=say), memory=memory
    )
    assert chat(made, way) == ANSWER
    asyncio.run(memory.sql_store._async_engine.dispose())
    assert whole(only_run(attachment)) == usual(way, 2, **REWRITTEN)


# Ends ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["chat", "achat"])
def test_a_chat_whose_model_fails(attachment: Attachment, way: str) -> None:
    made = ContextChatEngine.from_defaults(
        retriever=FakeRetriever("abd"), llm=FakeLLM(error=ConnectionError("gone")), memory=remembering()
    )
    with pytest.raises(ConnectionError, match="gone"):
        chat(made, way)
    assert whole(only_run(attachment)) == usual(
        way, answer=None, status="error", error="ConnectionError", answer_usage="1 None>None", **CHUNKS
    ) | {"usage": "1 None>None"}


@pytest.mark.parametrize("way", ["chat", "achat"])
def test_a_rewriting_that_fails(attachment: Attachment, way: str) -> None:
    """There was no search, and no answer either."""
    made = CondensePlusContextChatEngine.from_defaults(
        retriever=FakeRetriever("abd"), llm=FakeLLM(error=ConnectionError("gone")), memory=remembering()
    )
    with pytest.raises(ConnectionError, match="gone"):
        chat(made, way, chat_history=[*BEFORE])
    run = only_run(attachment)
    assert (run.question, run.status, run.answer, run.stages) == (FOLLOW_UP, "error", None, ())


@since_core(0, 14, 24)
@pytest.mark.parametrize("way", ["stream_chat", "astream_chat"])
def test_nothing_found_for_a_chat(attachment: Attachment, way: str) -> None:
    """No model is called; who writes the stream for its reader knows what it came to. Up to 0.14.23 he does not."""
    made = ContextChatEngine.from_defaults(retriever=FakeRetriever(""), llm=FakeLLM(say=say), memory=remembering())
    said = chat(made, way)
    run = only_run(attachment)
    assert (run.answer, run.status, run.context) == (said, "ok", ())
