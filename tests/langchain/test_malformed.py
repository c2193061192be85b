"""One thing that is not as LangChain promises costs itself at most: the rest of its list and its record stay."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableLambda
from langchain_fakes import TEXTS, FakeRetriever, documents, rag

from rag_eval_hooks.record import chunk_id
from rag_eval_hooks_langchain import Hooks, RagEvalCallbackHandler


class Unreadable:
    """Raises whatever is asked of it."""

    @property
    def page_content(self) -> str:
        raise RuntimeError

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


class Bare:
    pass


def broken(**fields: Any) -> Document:
    return Document.model_construct(**{"page_content": "x", "metadata": {}, **fields})


def ask(documents: Any) -> tuple[Any, dict[str, int]]:
    """The record of one question whose search returned this, and the counts."""
    with RagEvalCallbackHandler(linger_s=0) as handler:
        root, search, model = uuid4(), uuid4(), uuid4()
        handler.on_chain_start(None, "Q?", run_id=root, name="root")
        handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name="store")
        handler.on_retriever_end(documents, run_id=search, parent_run_id=root)
        handler.on_chat_model_start(None, [[HumanMessage(TEXTS["a"])]], run_id=model, parent_run_id=root, name="m")
        handler.on_llm_end(LLMResult(generations=[[ChatGeneration(message=AIMessage("Basel."))]]), run_id=model)
        handler.on_chain_end("Basel.", run_id=root)
        return handler.last, handler.stats()


@pytest.mark.parametrize(
    ("document", "text"),
    [
        pytest.param(broken(metadata=None), "x", id="metadata is None"),
        pytest.param(broken(metadata="page 3"), "x", id="metadata is no mapping"),
        pytest.param(broken(page_content=None), "", id="no text"),
        pytest.param(broken(page_content=5), "5", id="a number for a text"),
        pytest.param(broken(page_content=["x"]), "<list>", id="a list for a text"),
        pytest.param(Document.model_construct(metadata={}), "", id="the field is missing"),
        pytest.param(Bare(), "", id="no document at all"),
        pytest.param("only a text", "only a text", id="a plain text"),
        pytest.param(None, "", id="None"),
    ],
)
def test_a_malformed_document_keeps_its_rank_and_the_rest_of_the_list(document: Any, text: str) -> None:
    captured, stats = ask([*documents("a"), document, *documents("b")])
    run = captured.run
    assert [run.chunks[item.chunk].text for item in run.stages[0].items] == [TEXTS["a"], text, TEXTS["b"]]
    assert (run.status, run.flags, [item.chunk for item in run.context]) == ("ok", (), [0])
    assert (stats["malformed_item"], stats["opened"], stats["evaluated"]) == (1, 1, 1)


def test_a_document_that_raises_when_it_is_read_is_counted_and_the_rest_stay(caught: list[Exception]) -> None:
    captured, stats = ask([*documents("a"), Unreadable()])
    assert [chunk.text for chunk in captured.run.chunks] == [TEXTS["a"], ""]
    assert (captured.run.flags, stats["malformed_item"]) == ((), 1)
    assert [type(error) for error in caught] == [RuntimeError]
    caught.clear()


def test_whole_documents_are_not_counted() -> None:
    class Marked(str):
        __slots__ = ()

    _, stats = ask((*documents("a"), broken(page_content=Marked("x"))))
    assert stats["malformed_item"] == 0


@pytest.mark.parametrize("returned", [None, "a text", {"a": 1}, 7])
def test_what_is_no_list_ends_the_search_as_an_empty_one(returned: Any) -> None:
    captured, stats = ask(returned)
    assert (captured.run.stages[0].items, captured.run.flags, stats["malformed_item"]) == ((), (), 1)


def test_an_iterator_is_left_to_the_host() -> None:
    waiting: Iterator[Document] = iter(documents("ab"))
    captured, _ = ask(waiting)
    assert captured.run.stages[0].items == ()
    assert [document.id for document in waiting] == ["a", "b"]


def test_a_chain_whose_search_returns_a_malformed_document() -> None:
    """The same through a real chain, which packs only what has a text."""

    def pack(found: list[Document]) -> str:
        return "\n".join(document.page_content for document in found)

    retriever = FakeRetriever(find=lambda _: [*documents("a"), broken(metadata=None)])
    with RagEvalCallbackHandler() as handler:
        rag(retriever=retriever, pack=pack).invoke("Q?", config={"callbacks": [handler]})
        run = handler.last.run
    assert [chunk.text for chunk in run.chunks] == [TEXTS["a"], "x"]
    assert run.flags == ()


@pytest.mark.parametrize("content", [None, 5, object()])
def test_a_message_without_a_text_costs_no_call(content: Any) -> None:
    with RagEvalCallbackHandler() as handler:
        root, model = uuid4(), uuid4()
        prompt = [HumanMessage.model_construct(content=content, type="human"), HumanMessage("Q?")]
        handler.on_chain_start(None, "Q?", run_id=root, name="root")
        handler.on_chat_model_start(None, [prompt], run_id=model, parent_run_id=root, name="m")
        said = ChatGeneration.model_construct(message=AIMessage.model_construct(content=content, type="ai"))
        handler.on_llm_end(LLMResult.model_construct(generations=[[said]], llm_output=None), run_id=model)
        handler.on_chain_end("Basel.", run_id=root)
        run = handler.last.run
    assert (run.answer, run.usage.model_calls, run.flags) == ("Basel.", 1, ())


def test_what_cannot_be_read_starts_and_ends_all_the_same(caught: list[Exception]) -> None:
    unreadable: Any = object()
    with RagEvalCallbackHandler() as handler:
        root, model, tool = uuid4(), uuid4(), uuid4()
        handler.on_chain_start(None, "Q?", run_id=root, name="root")
        handler.on_tool_start(None, "Q?", run_id=tool, parent_run_id=root, name=unreadable)
        handler.on_tool_end(Unreadable(), run_id=tool)
        handler.on_chat_model_start(None, [[unreadable]], run_id=model, parent_run_id=root, name="m")
        handler.on_llm_end(unreadable, run_id=model)
        handler.on_chain_end("Basel.", run_id=root)
        run = handler.last.run
    assert (run.answer, run.usage.model_calls, run.flags) == ("Basel.", 1, ())
    assert len(caught) == 2  # the prompt and the reply
    caught.clear()


class Key:
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("config", "read"),
    [
        pytest.param({"tags": ["a", None, 5]}, lambda run: run.tags == ("a",), id="tags that are no texts"),
        pytest.param(
            {"metadata": {Key(): 1, "b": Unreadable(), "c": 3}},
            lambda run: run.metadata == {"b": "<Unreadable>", "c": 3},
            id="metadata",
        ),
        pytest.param(
            {"metadata": {"big": 10**5000, "c": 3}},
            lambda run: run.metadata == {"big": "<int of 16610 bits>", "c": 3},
            id="a number too long for a text",
        ),
        pytest.param({"name": 5}, lambda run: run.tags == (), id="a name that is no text"),
    ],
)
def test_a_field_that_cannot_be_read_costs_itself_and_not_the_record(
    config: dict[str, Any], read: Callable[[Any], bool]
) -> None:
    with Hooks(linger_s=0) as hooks:
        handler = RagEvalCallbackHandler(hooks)
        root, search = uuid4(), uuid4()
        handler.on_chain_start(None, "Q?", run_id=root, **{"name": "root", **config})
        handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name=config.get("name"))
        handler.on_retriever_end(documents("a"), run_id=search)
        handler.on_chain_end("Basel.", run_id=root)
        run = handler.last.run
        assert hooks.stats()["failed_record"] == 0
    assert read(run)


def test_a_document_whose_id_and_metadata_cannot_be_read() -> None:
    captured, stats = ask([broken(id=Unreadable(), metadata={Key(): 1, "page": 2, "odd": Unreadable(), 7: "s"})])
    (chunk,) = captured.run.chunks
    assert (chunk.id, chunk.text) == (chunk_id("x"), "x")
    assert chunk.metadata == {"page": 2, "odd": "<Unreadable>", "7": "s"}
    assert stats["failed_record"] == 0


def test_an_output_that_has_no_text() -> None:
    with RagEvalCallbackHandler() as handler:
        root, search = uuid4(), uuid4()
        handler.on_chain_start(None, "Q?", run_id=root, name="root")
        handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name="store")
        handler.on_retriever_end(documents("a"), run_id=search)
        handler.on_chain_end({Key(): "Basel.", "number": 10**5000}, run_id=root)
        assert len(handler.last.run.chunks) == 1


def test_an_answer_without_a_text_has_none() -> None:
    """Not the name of its type, which would be judged as if the user had read it."""
    odd = AIMessage.model_construct(content={"a": 1}, type="ai", additional_kwargs={}, response_metadata={})
    with RagEvalCallbackHandler() as handler:
        (FakeRetriever() | RunnableLambda(lambda _: odd)).invoke("Q?", config={"callbacks": [handler]})
        assert handler.last.run.answer == ""
