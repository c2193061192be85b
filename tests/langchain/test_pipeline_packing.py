"""What of the retrieved documents reached the prompt, as chains pack it: whole, in part, in another order, or not."""

import json
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, format_document
from langchain_core.prompts import PromptTemplate as Template
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, join, rag
from usual_record import QUESTION, ask, usual

from rag_eval_hooks_langchain import RagEvalCallbackHandler

Found = list[Document]


def plain(found: Found) -> str:
    return "\n\n".join(document.page_content for document in found)


def head(key: str, size: int) -> str:
    return f"{key}:head:{size / len(TEXTS[key]):.2f}"


def from_zero(found: Found) -> str:
    return "\n".join(f"Document [{number}]: {document.page_content}" for number, document in enumerate(found))


def as_json(found: Found) -> str:
    return json.dumps([{"id": number, "text": one.page_content} for number, one in enumerate(found, 1)])


def with_source(found: Found) -> str:
    template = Template.from_template("Source: {source}\nText: {page_content}")
    return "\n---\n".join(format_document(document, template) for document in found)


def wrapped(found: Found) -> str:
    return "\n\n".join(textwrap.fill(document.page_content, 30, initial_indent="  ") for document in found)


PACKED: list[Any] = [
    # Trap 16.
    pytest.param(lambda found: join(found[:2]), {"context": "a b"}, id="the first two"),
    pytest.param(
        lambda found: "\n".join(document.page_content[:60] for document in found),
        {"context": " ".join(head(key, 60) for key in "abc"), "citations": None},
        id="each cut off",
    ),
    pytest.param(
        lambda found: plain(found)[: len(TEXTS["a"]) + 2 + 50],
        {"context": f"a {head('b', 50)}", "citations": None},
        id="all of it cut off by a budget",
    ),
    pytest.param(lambda found: join(found[::-1]), {"context": "c b a"}, id="the best last"),
    pytest.param(lambda found: join(found[1:] + found[:1]), {"context": "b c a"}, id="the worst in the middle"),
    pytest.param(lambda _: "nothing", {"context": None, "citations": None}, id="none: known to be empty"),
    pytest.param(plain, {"citations": None}, id="without numbers"),
    pytest.param(from_zero, {"citations": {"base": 0, "rule": "prompt"}}, id="numbered from 0"),
    pytest.param(as_json, {}, id="as JSON"),
    pytest.param(with_source, {"citations": None}, id="with their metadata"),
    pytest.param(wrapped, {"citations": None}, id="lines re-flowed"),
    pytest.param(str, {"citations": None}, id="as Python shows documents"),
]


@pytest.mark.parametrize(("pack", "different"), PACKED)
def test_what_reached_the_prompt(
    handler: RagEvalCallbackHandler, pack: Callable[[Found], str], different: dict[str, Any]
) -> None:
    assert ask(rag(pack=pack), handler) == usual(**different)


def test_equal_texts_take_one_place_each(handler: RagEvalCallbackHandler) -> None:
    def find(_: str) -> Found:
        return [Document(id=key, page_content=TEXTS["a"]) for key in "xyz"]

    run = ask(rag(retriever=FakeRetriever(find=find), pack=lambda found: join(found[:2])), handler)
    assert run == usual(chunks="x y z", context="x y", texts=dict.fromkeys("xyz", TEXTS["a"]))


def test_a_text_inside_another_is_not_in_the_prompt_for_that(handler: RagEvalCallbackHandler) -> None:
    def find(_: str) -> Found:
        return [*documents("a"), Document(id="part", page_content="passes through Basel")]

    run = ask(rag(retriever=FakeRetriever(find=find), pack=lambda found: join(found[:1])), handler)
    assert run == usual(
        chunks="a part",
        context="a",
        texts={"part": "passes through Basel"},
        metadata_of={"a": {"source": "a.txt"}},
        sources="a.txt",
    )


PROMPTS: list[Any] = [
    pytest.param([("system", "{context}"), ("human", "{question}")], {}, id="system"),
    pytest.param([("human", "{context}\n\nQuestion: {question}")], {}, id="human"),
    pytest.param([("human", "{question}"), ("system", "Use:\n{context}")], {}, id="after the question"),
    pytest.param(
        [("system", "Be brief."), ("ai", "{context}"), ("human", "{question}")],
        {"context": None, "citations": None},
        id="only as something the model said before",
    ),
]


@pytest.mark.parametrize(("messages", "different"), PROMPTS)
def test_where_in_the_prompt_it_stands(
    handler: RagEvalCallbackHandler, messages: Sequence[Any], different: dict[str, Any]
) -> None:
    sources = {"context": FakeRetriever() | join, "question": RunnablePassthrough()}
    chain = sources | ChatPromptTemplate.from_messages(messages) | FakeChat() | StrOutputParser()
    assert ask(chain, handler) == usual(**different)


# Trap 13.
def test_a_text_that_is_cut_before_the_prompt_is_linked_to_its_document_without_an_id(
    handler: RagEvalCallbackHandler,
) -> None:
    """Plain code that returns new documents, as extractors do: by its text, although the metadata is gone as well."""

    def middle(found: Found) -> Found:
        return [Document(page_content=document.page_content[10:50]) for document in found]

    run = ask(rag(retriever=FakeRetriever(keys="ab") | RunnableLambda(middle)), handler)
    first, second = run["chunks"].split()[2:]
    assert run == usual(
        chunks=f"a b {first} {second}",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b (inner)", f"1 postprocess middle: {first} {second}"],
        context=f"{first} {second}",
        texts={first: TEXTS["a"][10:50], second: TEXTS["b"][10:50]},
        metadata_of={key: {"source": f"{key}.txt"} for key in "ab"},
        sources="a.txt b.txt",
        derived={first: "a", second: "b"},
    )


# Trap 17.
def test_a_search_in_a_function_reranked_by_another_is_two_stages(handler: RagEvalCallbackHandler) -> None:
    search = RunnableLambda(lambda _: documents("abc")).with_config(run_name="my_search")
    rerank = RunnableLambda(lambda found: [found[2], found[0]]).with_config(run_name="my_rerank")
    assert ask(rag(retriever=search | rerank), handler) == usual(
        stages=["1 retrieve my_search: a b c (inner)", "1 postprocess my_rerank: c a"], context="c a"
    )


def test_two_searches_in_functions_that_find_some_of_the_same(handler: RagEvalCallbackHandler) -> None:
    """Neither is made of the other: both count."""

    def both(question: str) -> str:
        one = RunnableLambda(lambda _: documents("ab")).with_config(run_name="one").invoke(question)
        two = RunnableLambda(lambda _: documents("bc")).with_config(run_name="two").invoke(question)
        return join([*one, two[1]])

    assert ask(rag(retriever=RunnableLambda(both), pack=str), handler) == usual(
        stages=["1 retrieve one: a b", "2 retrieve two: b c"]
    )


def test_two_searches_in_functions_side_by_side_that_find_the_same(handler: RagEvalCallbackHandler) -> None:
    """Whichever ends first, the other was not made of it, although its list is the same in another order."""
    one = RunnableLambda(lambda _: documents("ab")).with_config(run_name="one")
    two = RunnableLambda(lambda _: documents("ba")).with_config(run_name="two")
    both = RunnableParallel(one=one, two=two)
    run = ask(rag(retriever=both, pack=lambda found: join(found["one"])), handler)  # type: ignore[call-overload]
    assert {stage[2:] for stage in run.pop("stages")} == {"retrieve one: a b", "retrieve two: b a"}
    assert set(run.pop("chunks").split()) == {"a", "b"}
    assert run == usual(chunks=None, stages=None, context="a b")


def test_a_function_that_adds_neighbours_takes_the_place_of_the_search(handler: RagEvalCallbackHandler) -> None:
    widen = RunnableLambda(lambda found: [*found, *documents("cd")]).with_config(run_name="widen")
    assert ask(rag(retriever=FakeRetriever(keys="ab") | widen), handler) == usual(
        chunks="a b c d",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b (inner)", "1 postprocess widen: a b c d"],
    )


def test_a_function_that_asks_two_retrievers_and_merges(handler: RagEvalCallbackHandler) -> None:
    """Fusion written by hand: the merged list counts, the two searches are its sources."""

    def hybrid(question: str) -> Found:
        one, two = FakeRetriever(keys="ab").invoke(question), FakeRetriever(keys="bc").invoke(question)
        return [one[1], one[0], two[1]]

    run = ask(rag(retriever=RunnableLambda(hybrid)), handler)
    assert run == usual(
        stages=[
            "1 fuse hybrid: b a c",
            f"1 retrieve FakeRetriever({QUESTION}): a b (inner)",
            f"1 retrieve FakeRetriever({QUESTION}): b c (inner)",
        ],
        context="b a c",
    )


def test_a_sentence_that_plain_code_picks_from_a_document(handler: RagEvalCallbackHandler) -> None:
    """Straight into the prompt, without a list of documents in between: in part, by the sentence's share."""

    def find(_: str) -> Found:
        return [Document(id="ab", page_content=f"{TEXTS['d']} {TEXTS['a']} {TEXTS['b']}"), *documents("c")]

    run = ask(rag(retriever=FakeRetriever(find=find), pack=lambda _: f"[1] {TEXTS['a']}"), handler)
    whole_text = f"{TEXTS['d']} {TEXTS['a']} {TEXTS['b']}"
    assert run == usual(
        chunks="ab c",
        context=f"ab:shingle:{len(TEXTS['a']) / len(whole_text):.2f}",
        texts={"ab": whole_text},
        metadata_of={"c": {"source": "c.txt"}},
        sources="c.txt",
    )


def test_a_summary_of_a_document_in_the_prompt_is_not_the_document(handler: RagEvalCallbackHandler) -> None:
    """Its calls' documents are the context: what the summaries were made of."""

    def say(messages: Sequence[BaseMessage]) -> str:
        return "Rhine by Basel." if "Summarise" in str(messages[0].content) else "It passes Basel [1]."

    def summarise(found: Found) -> str:
        said = FakeChat(say=say).invoke([("human", f"Summarise: {found[0].page_content}")])
        return f"[1] {said.content}"

    assert ask(rag(FakeChat(say=say), pack=summarise), handler) == usual(
        context="a", usage="2 200>10", flags=("several_prompts",), citations=None
    )
