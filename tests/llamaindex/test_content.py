"""What messages hold: blocks, media, thoughts, citations; and what providers say of tokens and cost."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.query_engine import CustomQueryEngine
from llamaindex_expected import expected, streamed
from llamaindex_fakes import ANSWER, QUESTION, TEXTS, FakeLLM, FakeRetriever, FakeTextLLM, engine
from llamaindex_versions import since_core
from pydantic import BaseModel
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment

pytestmark = pytest.mark.usefixtures("offline")

PIXELS = b"iVBORw0KGgo" * 1_000


def block(kind: str, **fields: Any) -> Any:
    """A content block of this kind, if the version has it."""
    if not hasattr(types, kind):
        pytest.skip(f"this version has no {kind}")
    return getattr(types, kind)(**fields)


def text(words: str) -> Any:
    return block("TextBlock", text=words)


class Blocks(CustomQueryEngine):
    """Asks with these blocks between what was found and the question."""

    blocks: list[Any]
    llm: Any
    keys: str = "a"

    def custom_query(self, query_str: str) -> str:
        found = FakeRetriever(self.keys).retrieve(query_str)
        message = ChatMessage(role="user", blocks=[text(found[0].node.get_content()), *self.blocks, text(query_str)])
        return str(self.llm.chat([message]).message.content)


def ask_with(attachment: Attachment, *blocks: Any, said: Any = ANSWER, keys: str = "a") -> dict[str, Any]:
    """The whole record of a question that comes with blocks; their data is nowhere in it."""
    Blocks(blocks=list(blocks), llm=FakeLLM(say=lambda _: said), keys=keys).query(QUESTION)
    run = only_run(attachment)
    assert PIXELS.decode() not in run.model_dump_json()
    return whole(run)


def plain(**changes: Any) -> dict[str, Any]:
    search = [f"1 retrieve FakeRetriever({QUESTION}): a=0.9"]
    return expected(**{"chunks": "a", "stages": search, "context": "a", **changes})


needs_blocks = since_core(0, 12, 10)


# Prompts -------------------------------------------------------------------------------------------------------------


@needs_blocks
@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        pytest.param(
            "ImageBlock",
            {"image": PIXELS, "image_mimetype": "image/png"},
            {"kind": "image", "mime_type": "image/png"},
            id="image",
        ),
        pytest.param(
            "ImageBlock",
            {"url": "https://a.org/b.png", "image_mimetype": "image/png"},
            {"kind": "image", "mime_type": "image/png", "size": 19},
            id="address of an image",
        ),
        pytest.param(
            "AudioBlock", {"audio": PIXELS, "format": "wav"}, {"kind": "audio", "mime_type": "wav"}, id="sound"
        ),
        pytest.param(
            "DocumentBlock",
            {"data": PIXELS, "document_mimetype": "application/pdf"},
            {"kind": "document", "mime_type": "application/pdf"},
            id="file",
        ),
        pytest.param(
            "VideoBlock",
            {"video": PIXELS, "video_mimetype": "video/mp4"},
            {"kind": "video", "mime_type": "video/mp4"},
            id="film",
        ),
    ],
)
def test_media_in_the_prompt(attachment: Attachment, kind: str, fields: Any, told: dict[str, Any]) -> None:
    """Told by kind and size, never by content."""
    found = ask_with(attachment, block(kind, **fields))
    (media,) = found.pop("media")
    assert 0 < media.pop("size") <= 4 * len(PIXELS)
    assert media == {"place": "prompt"} | {key: value for key, value in told.items() if key != "size"}
    assert found == plain()


@needs_blocks
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        pytest.param("ThinkingBlock", {"content": TEXTS["b"]}, id="what the model thought before"),
        pytest.param("ToolCallBlock", {"tool_name": "find", "tool_kwargs": {"q": TEXTS["b"]}}, id="call of a tool"),
        pytest.param("CachePoint", {"cache_control": {"type": "ephemeral"}}, id="mark for the provider's cache"),
    ],
)
def test_blocks_that_are_no_text_of_the_prompt(attachment: Attachment, kind: str, fields: Any) -> None:
    found = ask_with(attachment, block(kind, **fields), keys="ab")
    assert found == expected(chunks="a b", stages=[f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8"], context="a")


@needs_blocks
def test_a_document_in_a_block_that_can_be_cited(attachment: Attachment) -> None:
    """Its text is in the prompt."""
    citable = block("CitableBlock", title="b", source="b.txt", content=[text(TEXTS["b"])])
    assert ask_with(attachment, citable, keys="ab") == expected(
        chunks="a b", stages=[f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8"], context="a b"
    )


@needs_blocks
def test_a_question_of_several_blocks(attachment: Attachment) -> None:
    from llama_index.core.chat_engine import SimpleChatEngine
    from llama_index.core.memory import ChatMemoryBuffer

    asked = ChatMessage(role="user", blocks=[text("Look:"), block("ImageBlock", image=PIXELS), text("Which city?")])
    memory = ChatMemoryBuffer.from_defaults(token_limit=3_000)
    SimpleChatEngine.from_defaults(llm=FakeLLM(), memory=memory).chat(asked)  # type: ignore[arg-type]
    run = only_run(attachment)
    assert run.question == "Look:\nWhich city?"


# Answers -------------------------------------------------------------------------------------------------------------


def saying(*blocks: Any) -> ChatMessage:
    return ChatMessage(role="assistant", blocks=list(blocks))


@needs_blocks
def test_an_answer_in_several_blocks(attachment: Attachment) -> None:
    assert ask_with(attachment, said=saying(text("It passes"), text("Basel [1]."))) == plain(
        answer="It passes\nBasel [1]."
    )


@needs_blocks
def test_thoughts_are_no_part_of_the_answer(attachment: Attachment) -> None:
    thought = block("ThinkingBlock", content="Is it Bern? No, Basel.", num_tokens=9)
    assert ask_with(attachment, said=saying(thought, text(ANSWER))) == plain()


@needs_blocks
def test_an_image_in_the_answer(attachment: Attachment) -> None:
    found = ask_with(
        attachment, said=saying(text("See:"), block("ImageBlock", image=PIXELS, image_mimetype="image/png"))
    )
    (media,) = found.pop("media")
    assert (media["place"], media["kind"], media["mime_type"]) == ("answer", "image", "image/png")
    assert found == plain(answer="See:")


def citation(cited: str, **where: int) -> Any:
    return block("CitationBlock", cited_content=text(cited), source="a.txt", title="a", additional_location_info=where)


@needs_blocks
def test_citations_in_blocks(attachment: Attachment) -> None:
    """A citation stands behind the text that it is about; its own places are those in the source."""
    said = saying(
        text("In short:"),
        text("It passes through Basel."),
        citation("passes through Basel", document_index=0, start_char_index=31, end_char_index=51),
    )
    answer = "In short:\nIt passes through Basel."
    cited = {"start": 10, "end": 34, "index": 0, "title": "a", "cited_text": "passes through Basel"}
    assert ask_with(attachment, said=said) == plain(answer=answer, citations={"provided": (cited,)})
    assert attachment.last is not None
    (mark,) = attachment.last.evaluation.citations
    assert (mark.origin, mark.target, mark.supported, mark.problem) == ("provider", "a", True, None)


@needs_blocks
def test_a_citation_before_any_text_is_of_the_whole_answer(attachment: Attachment) -> None:
    said = saying(citation("passes through Basel", document_index=0), text("It passes through Basel."))
    cited = {"index": 0, "title": "a", "cited_text": "passes through Basel"}
    assert ask_with(attachment, said=said) == plain(answer="It passes through Basel.", citations={"provided": (cited,)})


@pytest.mark.parametrize(
    ("given", "provided"),
    [
        pytest.param(
            {"citations": [{"start": 10, "end": 15, "text": "Basel", "document_ids": ["a"]}]},
            {"start": 10, "end": 15, "id": "a"},
            id="with documents",
        ),
        pytest.param(
            {"annotations": [{"type": "url_citation", "start_index": 10, "end_index": 15, "url": "https://a.org"}]},
            {"start": 10, "end": 15, "url": "https://a.org"},
            id="annotations",
        ),
        pytest.param({"citations": ["https://a.org"]}, {"label": 1, "url": "https://a.org"}, id="numbered addresses"),
    ],
)
def test_citations_beside_the_message(attachment: Attachment, given: Any, provided: dict[str, Any]) -> None:
    said = ChatMessage(role="assistant", content=ANSWER, additional_kwargs=given)
    ask_run = engine(llm=FakeLLM(say=lambda _: said), keys="a")
    ask_run.query(QUESTION)
    assert whole(only_run(attachment)) == plain(citations={"provided": (provided,)})


# What it took --------------------------------------------------------------------------------------------------------


class Counts(BaseModel):
    """Token counts as objects of a provider's client hold them."""

    prompt_tokens: int = 12
    completion_tokens: int = 3
    prompt_tokens_details: Any = None


class Raw(BaseModel):
    usage: Counts = Counts()


class RawLLM(FakeLLM):
    """Returns this raw response of a provider, and what stands beside."""

    raw: Any = None
    beside: Any = None
    beside_message: Any = None

    def _answered(self) -> ChatResponse:
        message = ChatMessage(role="assistant", content=ANSWER, additional_kwargs=self.beside_message or {})
        return ChatResponse(message=message, raw=self.raw, additional_kwargs=self.beside or {})

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        return self._answered()

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        return self._answered()


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("given", "used"),
    [
        pytest.param({"raw": {"usage": {"prompt_tokens": 12, "completion_tokens": 3}}}, "1 12>3", id="OpenAI"),
        pytest.param({"raw": Raw()}, "1 12>3", id="an object"),
        pytest.param(
            {"raw": SimpleNamespace(usage=SimpleNamespace(input_tokens=12, output_tokens=3))}, "1 12>3", id="Anthropic"
        ),
        pytest.param(
            {
                "raw": {
                    "usage_metadata": {"prompt_token_count": 12, "candidates_token_count": 3, "total_token_count": 15}
                }
            },
            "1 12>3",
            id="Gemini",
        ),
        pytest.param({"raw": {"usage": {"inputTokens": 12, "outputTokens": 3}}}, "1 12>3", id="Bedrock"),
        pytest.param({"beside": {"prompt_tokens": 12, "completion_tokens": 3}}, "1 12>3", id="beside the response"),
        pytest.param(
            {"beside_message": {"prompt_tokens": 12, "completion_tokens": 3}}, "1 12>3", id="beside the message"
        ),
        pytest.param(
            {"raw": {"usage": {"prompt_tokens": 12, "completion_tokens": 3, "cost": 0.25}}}, "1 12>3 0.25", id="cost"
        ),
        pytest.param({"raw": {"usage": {"prompt_tokens": 12, "completion_tokens": 0}}}, "1 12>0", id="zero is a count"),
        pytest.param({"raw": {"usage": {"prompt_tokens": 12}}}, "1 12>None", id="one count only"),
        pytest.param({"raw": {"usage": None}}, "1 None>None", id="none"),
        pytest.param({"raw": {"usage": {}}}, "1 None>None", id="empty"),
        pytest.param({}, "1 None>None", id="no raw response"),
        pytest.param({"raw": "text"}, "1 None>None", id="a raw response of another kind"),
        pytest.param(
            {"raw": {"usage": {"prompt_tokens": -1, "completion_tokens": True}}}, "1 None>None", id="no counts"
        ),
    ],
)
def test_token_counts(attachment: Attachment, given: Any, used: str, is_async: bool) -> None:
    asked = engine(llm=RawLLM(**given))
    if is_async:
        asyncio.run(asked.aquery(QUESTION))
    else:
        asked.query(QUESTION)
    assert whole(only_run(attachment)) == expected(usage=used, answer_usage=used)


class CountingStream(FakeLLM):
    """Tells the token counts with the last piece of a stream, as providers do."""

    def _stream(self, messages: Sequence[ChatMessage]) -> Any:
        pieces = list(super()._stream(messages))
        yield from pieces
        last = ChatMessage(role="assistant", content=pieces[-1].message.content)
        yield ChatResponse(message=last, delta="", raw={"usage": {"prompt_tokens": 12, "completion_tokens": 3}})


@pytest.mark.parametrize("is_async", [False, True])
def test_token_counts_at_the_end_of_a_stream(attachment: Attachment, is_async: bool) -> None:
    asked = engine(llm=CountingStream(), streaming=True)

    async def read() -> str:
        response: Any = await asked.aquery(QUESTION)
        return "".join([word async for word in response.async_response_gen()])

    response: Any = None if is_async else asked.query(QUESTION)
    assert (asyncio.run(read()) if response is None else "".join(response.response_gen)) == ANSWER
    assert whole(only_run(attachment)) == streamed(usage="1 12>3", answer_usage="1 12>3")


def test_token_counts_of_a_text_model(attachment: Attachment) -> None:
    """They stand beside its text."""
    engine(llm=FakeTextLLM()).query(QUESTION)
    assert whole(only_run(attachment)) == expected()


def test_several_calls_of_which_some_tell_nothing(attachment: Attachment) -> None:
    """A count that one call reports is a count; what the others took is not known to be nothing."""
    told = iter([{"usage": {"prompt_tokens": 12, "completion_tokens": 3}}, None, {"usage": {"prompt_tokens": 5}}])

    class Some(FakeLLM):
        def _response(self, messages: Sequence[ChatMessage]) -> ChatResponse:
            message = ChatMessage(role="assistant", content="Basel it is.")
            return ChatResponse(message=message, raw=next(told))

    engine(llm=Some(), response_mode="refine").query(QUESTION)
    assert whole(only_run(attachment)) == expected(
        answer="Basel it is.", usage="3 17>3", answer_usage="1 5>None", flags=("several_prompts",)
    )
