"""Pipelines of many shapes: one record per question, with the right stages, context and answer."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, join, rag
from pydantic import BaseModel

from rag_eval_hooks.record import RagRun
from rag_eval_hooks_langchain import RagEvalCallbackHandler


@pytest.fixture
def handler() -> Any:
    with RagEvalCallbackHandler() as handler:
        yield handler
        assert all(collector.open_ids == 0 for collector in handler.hooks._collectors.values())


def only(handler: RagEvalCallbackHandler) -> RagRun:
    (record,) = handler.records
    return record.run


def ids(run: RagRun, places: Any) -> list[str]:
    return [run.chunks[place].id for place in places]


def context(run: RagRun) -> list[tuple[str, str, float]]:
    return [(run.chunks[item.chunk].id, item.match, item.coverage) for item in run.context]


def stages(run: RagRun) -> list[tuple[str, list[str], list[float | None], int, bool]]:
    return [
        (
            stage.kind,
            ids(run, (item.chunk for item in stage.items)),
            [item.score for item in stage.items],
            stage.round,
            stage.final,
        )
        for stage in run.stages
    ]


class Outer(BaseRetriever):
    """A retriever around others, such as compression, reranking, fusion and multi-query retrievers."""

    inner: list[Any]
    queries: tuple[str, ...] = ()
    change: Any = None

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        found: list[Document] = []
        for number, retriever in enumerate(self.inner):
            sent = self.queries[number] if self.queries else query
            found += retriever.invoke(sent, config={"callbacks": run_manager.get_child()})
        return self.change(found)


# What reaches the prompt -------------------------------------------------------------------------------------------


def test_only_the_packed_documents_are_context(handler: RagEvalCallbackHandler) -> None:
    rag(pack=lambda found: join(found[:2])).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert context(run) == [("a", "exact", 1.0), ("b", "exact", 1.0)]
    assert ids(run, run.retrieved) == ["a", "b", "c"]
    assert run.context_source == "prompt"


def test_the_context_is_in_prompt_order(handler: RagEvalCallbackHandler) -> None:
    rag(pack=lambda found: join(found[::-1])).invoke("Q?", config={"callbacks": [handler]})
    assert [chunk.id for chunk in only(handler).context_chunks()] == ["c", "b", "a"]


def test_a_text_cut_off_by_a_budget_is_covered_in_part(handler: RagEvalCallbackHandler) -> None:
    rag(pack=lambda found: "\n".join(d.page_content[:60] for d in found)).invoke("Q?", config={"callbacks": [handler]})
    assert [(key, match, round(share, 6)) for key, match, share in context(only(handler))] == [
        (key, "head", round(60 / len(TEXTS[key]), 6)) for key in "abc"
    ]


def test_nothing_packed_is_an_empty_context_not_an_unknown_one(handler: RagEvalCallbackHandler) -> None:
    rag(pack=lambda _: "nothing").invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert (run.context, run.context_source) == ((), "prompt")
    assert ids(run, run.retrieved) == ["a", "b", "c"]


def test_equal_texts_take_one_place_each(handler: RagEvalCallbackHandler) -> None:
    def find(_: str) -> list[Document]:
        return [Document(id=key, page_content=TEXTS["a"]) for key in ("x", "y", "z")]

    rag(retriever=FakeRetriever(find=find), pack=lambda found: join(found[:2])).invoke(
        "Q?", config={"callbacks": [handler]}
    )
    assert context(only(handler)) == [("x", "exact", 1.0), ("y", "exact", 1.0)]


def test_map_reduce_takes_all_generation_prompts_together(handler: RagEvalCallbackHandler) -> None:
    def answer(question: str) -> str:
        model = FakeChat(say=lambda messages: "Part." if "Rhine" in str(messages[0].content) else "Whole answer.")
        found = FakeRetriever(keys="ab").invoke(question)
        parts = [model.invoke([("human", document.page_content)]).content for document in found]
        return str(model.invoke([("human", f"Join: {parts}")]).content)

    RunnableLambda(answer).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert (run.question, run.answer) == ("Q?", "Whole answer.")
    assert context(run) == [("a", "exact", 1.0), ("b", "exact", 1.0)]
    assert run.usage.model_calls == 3
    assert run.usage.input_tokens == 300


# Stages ------------------------------------------------------------------------------------------------------------


def test_a_compressing_retriever_counts_instead_of_its_base(handler: RagEvalCallbackHandler) -> None:
    def shorten(found: list[Document]) -> list[Document]:
        return [Document(id=d.id, page_content=d.page_content[:50], metadata=d.metadata) for d in (found[2], found[0])]

    rag(retriever=Outer(inner=[FakeRetriever()], change=shorten)).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert stages(run) == [
        ("refine", ["c", "a"], [None, None], 1, True),
        ("retrieve", ["a", "b", "c"], [None, None, None], 1, False),
    ]
    assert [chunk.text for chunk in run.context_chunks()] == [TEXTS["c"][:50], TEXTS["a"][:50]]
    assert [chunk.derived_from for chunk in run.context_chunks()] == ["c", "a"]


def test_a_reranking_retriever_gives_its_own_scores(handler: RagEvalCallbackHandler) -> None:
    def find(_: str) -> list[Document]:
        found = documents("abcd")
        for number, document in enumerate(found):
            document.metadata["score"] = 0.9 - number / 10
        return found

    def rerank(found: list[Document]) -> list[Document]:
        for document in found:  # in place, as some rerankers do
            document.metadata["relevance_score"] = 0.99 if document.id == "c" else 0.5
        return [found[2], found[0]]

    retriever = Outer(inner=[FakeRetriever(find=find)], change=rerank)
    rag(retriever=retriever).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert stages(run) == [
        ("rerank", ["c", "a"], [0.99, 0.5], 1, True),
        ("retrieve", ["a", "b", "c", "d"], [0.9, 0.8, 0.7, pytest.approx(0.6)], 1, False),
    ]
    assert [chunk.id for chunk in run.context_chunks()] == ["c", "a"]


def test_a_fused_list_does_not_show_its_sources_scores(handler: RagEvalCallbackHandler) -> None:
    def scored(keys: str) -> Any:
        def find(_: str) -> list[Document]:
            return [Document(id=d.id, page_content=d.page_content, metadata={"score": 0.5}) for d in documents(keys)]

        return FakeRetriever(find=find)

    retriever = Outer(inner=[scored("ab"), scored("cd")], change=lambda found: [found[2], found[0]])
    rag(retriever=retriever).invoke("Q?", config={"callbacks": [handler]})
    assert stages(only(handler)) == [
        ("fuse", ["c", "a"], [None, None], 1, True),
        ("retrieve", ["a", "b"], [0.5, 0.5], 1, False),
        ("retrieve", ["c", "d"], [0.5, 0.5], 1, False),
    ]


def test_other_queries_below_a_retriever_make_it_multi_query(handler: RagEvalCallbackHandler) -> None:
    inner = [FakeRetriever(keys="ab"), FakeRetriever(keys="c")]
    retriever = Outer(inner=inner, queries=("first", "second"), change=lambda found: found)
    rag(retriever=retriever).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert [stage[0] for stage in stages(run)] == ["multi_query", "retrieve", "retrieve"]
    assert [stage.query for stage in run.stages] == ["Q?", "first", "second"]
    assert run.question == "Q?"


def test_a_reranker_in_plain_code_after_the_retriever(handler: RagEvalCallbackHandler) -> None:
    reranked = FakeRetriever() | RunnableLambda(lambda found: [found[2], found[0]]).with_config(run_name="my_rerank")
    rag(retriever=reranked).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert stages(run) == [
        ("retrieve", ["a", "b", "c"], [None] * 3, 1, False),
        ("postprocess", ["c", "a"], [None] * 2, 1, True),
    ]
    assert [stage.name for stage in run.stages] == ["FakeRetriever", "my_rerank"]


def test_documents_found_by_plain_code_are_a_retrieval(handler: RagEvalCallbackHandler) -> None:
    search = RunnableLambda(lambda _: documents("ab")).with_config(run_name="my_search")
    rag(retriever=search).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert stages(run) == [("retrieve", ["a", "b"], [None] * 2, 1, True)]
    assert [chunk.id for chunk in run.context_chunks()] == ["a", "b"]


def test_two_retrievers_side_by_side(handler: RagEvalCallbackHandler) -> None:
    both = RunnableParallel(x=FakeRetriever(keys="ab"), y=FakeRetriever(keys="c")) | (
        lambda found: found["x"] + found["y"]
    )
    rag(retriever=both).invoke("Q?", config={"callbacks": [handler]})
    run = only(handler)
    assert sorted(ids(run, run.retrieved)) == ["a", "b", "c"]
    assert [chunk.id for chunk in run.context_chunks()] == ["a", "b", "c"]


# Questions and answers ---------------------------------------------------------------------------------------------


def test_each_question_of_a_map_is_a_record(handler: RagEvalCallbackHandler) -> None:
    rag().map().invoke(["first?", "second?"], config={"callbacks": [handler]})
    assert sorted(str(record.run.question) for record in handler.records) == ["first?", "second?"]
    assert {record.run.status for record in handler.records} == {"ok"}


def test_the_condensing_call_is_never_the_answer(handler: RagEvalCallbackHandler) -> None:
    def say(messages: Sequence[Any]) -> str:
        return "harbours Basel" if "Condense" in str(messages[0].content) else "It has three."

    def answer(inputs: dict[str, Any]) -> dict[str, Any]:
        model = FakeChat(say=say)
        query = str(model.invoke([("human", "Condense: " + inputs["input"])]).content)
        found = FakeRetriever(keys="b").invoke(query)
        text = model.invoke([("system", join(found)), ("human", inputs["input"])]).content
        return {"input": inputs["input"], "context": found, "answer": text}

    RunnableLambda(answer).invoke({"input": "And how many there?"}, config={"callbacks": [handler]})
    run = only(handler)
    assert (run.question, run.answer, run.llm_text) == ("And how many there?", "It has three.", None)
    assert run.stages[0].query == "harbours Basel"
    assert run.usage.model_calls == 2


@pytest.mark.parametrize(
    ("finish", "answer"),
    [
        pytest.param(lambda text: {"answer": text, "sources": ["a"]}, "It passes Basel [1].", id="answer key"),
        pytest.param(lambda text: {"question": "Q?", "said": text}, "It passes Basel [1].", id="the model's text"),
        pytest.param(lambda text: {"parts": [1], "n": 2}, '{"parts": [1], "n": 2}', id="JSON of a structure"),
        pytest.param(lambda text: [text, text], '["It passes Basel [1].", "It passes Basel [1]."]', id="list"),
        pytest.param(
            lambda text: AIMessage(content=[{"type": "text", "text": text}]), "It passes Basel [1].", id="blocks"
        ),
        pytest.param(
            lambda text: Structured(value="In short: " + text, sources=[1]),
            '{"value": "In short: It passes Basel [1].", "sources": [1]}',
            id="pydantic",
        ),
        pytest.param(lambda text: None, "It passes Basel [1].", id="no output: the model's text"),
    ],
)
def test_the_answer_is_the_roots_output_as_text(handler: RagEvalCallbackHandler, finish: Any, answer: str) -> None:
    (rag() | RunnableLambda(finish)).invoke("Q?", config={"callbacks": [handler]})
    assert only(handler).answer == answer


class Structured(BaseModel):
    value: str
    sources: list[int]


@pytest.mark.parametrize(
    "inputs",
    [
        {"question": "Q?", "language": "en"},
        {"input": "Q?", "chat_history": [("human", "before"), ("ai", "yes")]},
        {"messages": [("user", "before"), ("assistant", "yes"), ("user", "Q?")]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Q?"}]}]},
        [("human", "Q?")],
        {"my_key": "Q?"},
    ],
)
def test_the_question_is_found_in_many_inputs(handler: RagEvalCallbackHandler, inputs: Any) -> None:
    (RunnableLambda(lambda _: "rewritten") | rag()).invoke(inputs, config={"callbacks": [handler]})
    run = only(handler)
    assert run.question == "Q?"
    assert run.stages[0].query == "rewritten"
