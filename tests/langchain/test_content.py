"""What prompts, answers and documents can hold: blocks, media, structured answers, cost, ids and places."""

import asyncio
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, join, rag
from versions import since_core
from whole_record import only_run, whole

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import chunk_id
from rag_eval_hooks_langchain import ItemKeys, RagEvalCallbackHandler

QUESTION = "Where does the Rhine turn?"
PIXELS = "iVBORw0KGgo" * 1_000


def ask_with(block: Any, say: Any = lambda _: "It passes Basel [1].") -> dict[str, Any]:
    """The record of a question that comes with a block, and whether the block's data is anywhere in it."""

    def answer(question: str) -> Any:
        found = FakeRetriever(keys="a").invoke(question)
        content = [{"type": "text", "text": question}, block]
        return FakeChat(say=say).invoke([SystemMessage(join(found)), HumanMessage(content)])

    with RagEvalCallbackHandler() as handler:
        RunnableLambda(answer).invoke(QUESTION, config={"callbacks": [handler]})
        run = only_run(handler)
        assert PIXELS not in run.model_dump_json()
        return whole(run)


PLAIN: dict[str, Any] = {
    "question": QUESTION,
    "answer": "It passes Basel [1].",
    "chunks": "a",
    "stages": [f"1 retrieve FakeRetriever({QUESTION}): a"],
    "context": "a",
    "context_source": "prompt",
    "citations": {"rule": "prompt"},
    "usage": "1 100>5",
    "answer_usage": "1 100>5",
}


@pytest.mark.parametrize(
    ("block", "kind", "mime_type", "size"),
    [
        ({"type": "image", "base64": PIXELS, "mime_type": "image/png"}, "image", "image/png", len(PIXELS)),
        (
            {"type": "image", "source_type": "base64", "data": PIXELS, "mime_type": "image/png"},
            "image",
            "image/png",
            11_000,
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXELS}},
            "image",
            "image/png",
            11_000,
        ),
        (
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{PIXELS}"}},
            "image",
            "image/jpeg",
            11_000,
        ),
        ({"type": "image_url", "image_url": "https://a.org/b.png"}, "image", None, 19),
        ({"type": "input_audio", "input_audio": {"data": PIXELS, "format": "wav"}}, "audio", "wav", 11_000),
        ({"type": "file", "file": {"file_data": PIXELS, "filename": "a.pdf"}}, "file", None, 11_000),
        ({"type": "file", "base64": PIXELS, "mime_type": "application/pdf"}, "file", "application/pdf", 11_000),
        ({"type": "video", "data": PIXELS.encode()}, "video", None, 11_000),
        ({"type": "image"}, "image", None, None),
    ],
)
def test_media_are_told_by_kind_and_size(block: Any, kind: str, mime_type: str | None, size: int | None) -> None:
    told = {"place": "prompt", "kind": kind} | ({"mime_type": mime_type} if mime_type else {})
    assert ask_with(block) == PLAIN | {"media": (told | ({} if size is None else {"size": size}),)}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": TEXTS["b"]}},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": TEXTS["b"]}]}},
        {"type": "text-plain", "text": TEXTS["b"], "mime_type": "text/plain"},
        {"type": "search_result", "source": "b.txt", "title": "b", "content": [{"type": "text", "text": TEXTS["b"]}]},
    ],
)
def test_a_document_in_a_block_of_its_own_is_in_the_prompt(block: Any) -> None:
    def answer(question: str) -> Any:
        FakeRetriever(keys="ab").invoke(question)
        return FakeChat().invoke([HumanMessage([block, {"type": "text", "text": question}])])

    with RagEvalCallbackHandler() as handler:
        RunnableLambda(answer).invoke(QUESTION, config={"callbacks": [handler]})
        run = only_run(handler)
        assert [run.chunks[item.chunk].id for item in run.context] == ["b"]
        assert run.media == ()


def test_an_image_in_the_answer() -> None:
    def say(_: Any) -> AIMessage:
        return AIMessage(
            [{"type": "text", "text": "See:"}, {"type": "image", "base64": PIXELS, "mime_type": "image/png"}]
        )

    assert ask_with({"type": "text", "text": "draw it"}, say) == PLAIN | {
        "answer": "See:",
        "media": ({"place": "answer", "kind": "image", "mime_type": "image/png", "size": 11_000},),
        "usage": "1 None>None",
        "answer_usage": "1 None>None",
    }


def test_the_question_of_a_message_with_an_image_is_its_text() -> None:
    image = {"type": "image", "base64": PIXELS, "mime_type": "image/png"}
    with RagEvalCallbackHandler() as handler:
        FakeChat().invoke([HumanMessage([{"type": "text", "text": "What is this?"}, image])], {"callbacks": [handler]})
        assert only_run(handler).question == "What is this?"


@pytest.mark.parametrize(
    ("usage", "metadata", "cost"),
    [
        ({"total_cost": 0.25}, {}, "1 100>5 0.25"),
        ({"total_cost": 0}, {}, "1 100>5 0"),
        ({}, {"token_usage": {"prompt_tokens": 100, "cost": 0.5}}, "1 100>5 0.5"),
        ({}, {"token_usage": {"cost": "free"}}, "1 100>5"),
        ({}, {}, "1 100>5"),
    ],
)
def test_cost_where_it_is_reported(usage: dict[str, Any], metadata: dict[str, Any], cost: str) -> None:
    def say(_: Any) -> AIMessage:
        counts = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105, **usage}
        message = AIMessage("It passes Basel [1].", response_metadata=metadata)
        message.usage_metadata = counts  # type: ignore[assignment]  # as caches and gateways leave it
        return message

    with RagEvalCallbackHandler() as handler:
        rag(FakeChat(say=say), FakeRetriever(keys="a")).invoke(QUESTION, config={"callbacks": [handler]})
        cached = {"flags": ("cached",)} if usage.get("total_cost") == 0 else {}
        assert whole(only_run(handler)) == PLAIN | {"usage": cost, "answer_usage": cost} | cached


def test_all_calls_and_the_answering_one_are_counted_apart() -> None:
    def answer(question: str) -> str:
        query = FakeChat(say=lambda _: "Rhine turn").invoke(question).content
        found = FakeRetriever(keys="a").invoke(query)
        return str(FakeChat().invoke([("system", join(found)), ("human", question)]).content)

    with RagEvalCallbackHandler() as handler:
        RunnableLambda(answer).invoke(QUESTION, config={"callbacks": [handler]})
        assert whole(only_run(handler)) == PLAIN | {
            "stages": ["1 retrieve FakeRetriever(Rhine turn): a"],
            "usage": "2 200>10",
        }


# Ids, scores and places of documents --------------------------------------------------------------------------------


def found_with(metadata: dict[str, Any], keys: ItemKeys | None = None, own_id: str | None = None) -> Any:
    def find(_: str) -> list[Document]:
        return [Document(page_content=TEXTS["a"], metadata=metadata, id=own_id)]

    with RagEvalCallbackHandler(item_keys=keys) as handler:
        FakeRetriever(find=find).invoke("Q?", config={"callbacks": [handler]})
        run = only_run(handler)
        (chunk,) = run.chunks
        return chunk.id, run.stages[0].items[0].score, chunk.source, chunk.page


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"chunk_id": "c7", "score": 0.5, "source": "a.pdf", "page": 3}, ("c7", 0.5, "a.pdf", "3")),
        ({"_id": 7, "relevance_score": "0.25", "file_name": "a.pdf", "page_label": "iv"}, ("7", 0.25, "a.pdf", "iv")),
        ({"node_id": "n", "similarity": 1, "url": "https://a.org"}, ("n", 1.0, "https://a.org", None)),
        ({"id": " ", "score": None, "source": None}, (chunk_id(TEXTS["a"]), None, None, None)),
        ({}, (chunk_id(TEXTS["a"]), None, None, None)),
    ],
)
def test_the_usual_keys(metadata: dict[str, Any], expected: Any) -> None:
    assert found_with(metadata) == expected


def test_your_own_keys_come_first() -> None:
    keys = ItemKeys(id=["my_id"], score="my_score", source="my_file", page=("sheet",))
    metadata = {
        "my_id": 5,
        "my_score": 0.75,
        "my_file": "b.xlsx",
        "sheet": "2",
        "score": 0.1,
        "source": "no",
        "page": 9,
    }
    assert found_with(metadata, keys) == ("5", 0.75, "b.xlsx", "2")
    assert found_with({"score": 0.1, "source": "a.txt", "page": 9}, keys, own_id="own") == ("own", 0.1, "a.txt", "9")


def test_a_list_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected names of metadata keys"):
        ItemKeys(score=[1])  # type: ignore[list-item]
    with pytest.raises(ConfigError, match="item_keys: expected ItemKeys"):
        RagEvalCallbackHandler(item_keys={"score": "x"})


@pytest.mark.parametrize("wrap", [lambda found: found, lambda found: {"hits": found}], ids=["list", "mapping"])
def test_pairs_of_document_and_score_are_a_search(wrap: Any) -> None:
    """As vector stores return them from `similarity_search_with_score`."""
    search = RunnableLambda(lambda _: wrap([(one, 0.5) for one in documents("ab")])).with_config(run_name="store")
    pack = RunnableLambda(lambda hits: join([one for one, _ in (hits["hits"] if isinstance(hits, dict) else hits)]))
    with RagEvalCallbackHandler() as handler:
        (search | pack | FakeChat()).invoke(QUESTION, config={"callbacks": [handler]})
        assert whole(only_run(handler)) == PLAIN | {
            "chunks": "a b",
            "stages": ["1 retrieve store: a=0.5 b=0.5"],
            "context": "a b",
        }


# The beta of block events -------------------------------------------------------------------------------------------


@since_core(1, 4)
def test_a_stream_of_blocks_whose_loop_is_closed_at_once_has_its_whole_text() -> None:
    """Trap 29: the end of the call comes when the loop is closed, as a cancellation."""

    async def read(handler: RagEvalCallbackHandler) -> int:
        stream = await FakeChat().astream_events(QUESTION, version="v3", config={"callbacks": [handler]})
        return len([event async for event in stream])

    with RagEvalCallbackHandler() as handler:
        with pytest.warns(match="in beta"):
            assert asyncio.run(read(handler)) > 0
        assert whole(only_run(handler)) == {
            "question": QUESTION,
            "answer": "It passes Basel [1].",
            "context_source": "prompt",
            "usage": "1 100>5",
            "answer_usage": "1 100>5",
        }


def test_block_events_without_tokens_are_the_tokens() -> None:
    with RagEvalCallbackHandler() as handler:
        from uuid import uuid4

        run_id = uuid4()
        handler.on_chat_model_start({}, [[HumanMessage(QUESTION)]], run_id=run_id)
        for text in ("It ", "passes ", "Basel [1]."):
            handler.on_stream_event(
                {"event": "content-block-delta", "index": 0, "delta": {"type": "text-delta", "text": text}},
                run_id=run_id,
            )
        usage = {"input_tokens": 100, "output_tokens": 5}
        handler.on_stream_event({"event": "message-finish", "usage": usage}, run_id=run_id)
        handler.on_llm_error(asyncio.CancelledError(), run_id=run_id)
        run = only_run(handler)
        assert (run.status, run.answer, run.usage.input_tokens) == ("ok", "It passes Basel [1].", 100)
        assert run.time_to_first_token_ms is not None
        assert handler.collector.remembered_ids == 1
