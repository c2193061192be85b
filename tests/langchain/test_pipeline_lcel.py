"""Pipelines written in the expression language, of many shapes: one whole record for each question."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import Runnable, RunnableBranch, RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_fakes import FakeChat, FakeRetriever, documents, join, rag
from pydantic import BaseModel
from usual_record import ANSWER, QUESTION, ask, usual
from whole_record import only_run, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

PROMPT = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])


# Shapes that give the usual record -----------------------------------------------------------------------------------


def with_sources(keys: str = "abc", said: str = ANSWER) -> Runnable[Any, Any]:
    """Returns the documents along with the answer, as the tutorials do."""
    model = FakeChat(say=lambda _: said)
    answer = RunnablePassthrough.assign(context=lambda found: join(found["context"])) | PROMPT | model
    sources = RunnableParallel(context=FakeRetriever(keys=keys), question=RunnablePassthrough())
    return sources.assign(answer=answer | StrOutputParser())


def picked() -> Runnable[Any, Any]:
    return with_sources().pick("answer")


def in_steps() -> Runnable[Any, Any]:
    """A dict that grows from step to step."""
    return (
        RunnablePassthrough.assign(docs=lambda found: FakeRetriever().invoke(found["question"]))
        | RunnablePassthrough.assign(context=lambda found: join(found["docs"]))
        | RunnablePassthrough.assign(answer=PROMPT | FakeChat() | StrOutputParser())
    )


def glue() -> Runnable[Any, Any]:
    """One function that calls the rest by itself."""

    def answer(question: str) -> str:
        found = FakeRetriever().invoke(question)
        return str(FakeChat().invoke(PROMPT.invoke({"context": join(found), "question": question})).content)

    return RunnableLambda(answer)


def function_that_returns_a_chain() -> Runnable[Any, Any]:
    return RunnableLambda(lambda _: rag())


def branch() -> Runnable[Any, Any]:
    small_talk = RunnableLambda(lambda _: "Hello!")
    return RunnableBranch((lambda question: "hello" in question, small_talk), rag())


def message_answer() -> Runnable[Any, Any]:
    return {"context": FakeRetriever() | join, "question": RunnablePassthrough()} | PROMPT | FakeChat()


def text_prompt() -> Runnable[Any, Any]:
    prompt = PromptTemplate.from_template("Answer {question} from:\n{context}")
    return {"context": FakeRetriever() | join, "question": RunnablePassthrough()} | prompt | FakeChat()


def bound() -> Runnable[Any, Any]:
    return rag(FakeChat().bind(stop=["\n\n"])).with_config(run_name="rag").with_types(input_type=str)


@pytest.mark.parametrize(
    "make", [picked, glue, function_that_returns_a_chain, branch, message_answer, text_prompt, bound, rag]
)
def test_a_question_as_text(handler: RagEvalCallbackHandler, make: Any) -> None:
    assert ask(make(), handler) == usual()


@pytest.mark.parametrize("make", [with_sources, in_steps])
def test_an_answer_with_its_documents(handler: RagEvalCallbackHandler, make: Any) -> None:
    chain = make()
    value: Any = {"question": QUESTION} if make is in_steps else QUESTION
    result = chain.invoke(value, config={"callbacks": [handler]})
    assert result["answer"] == ANSWER
    assert whole(only_run(handler)) == usual()


def test_a_question_in_a_mapping(handler: RagEvalCallbackHandler) -> None:
    chain = (
        {
            "context": (lambda asked: asked["question"]) | FakeRetriever() | join,
            "question": lambda asked: asked["question"] + " In " + asked["language"],
        }
        | PROMPT
        | FakeChat()
        | StrOutputParser()
    )
    assert ask(chain, handler, {"question": QUESTION, "language": "French"}) == usual()


# Branches and parallels ----------------------------------------------------------------------------------------------


def test_a_branch_without_retrieval_is_a_record_without_context(handler: RagEvalCallbackHandler) -> None:
    chain = RunnableBranch((lambda question: "hello" in question, FakeChat(say=lambda _: "Hello!")), rag())
    assert ask(chain, handler, "hello there") == usual(
        question="hello there", answer="Hello!", chunks=None, stages=None, context=None, citations=None
    )


@pytest.mark.parametrize("way", ["invoke", "stream"])
@pytest.mark.parametrize("are_with_sources", [True, False])
def test_two_chains_side_by_side_are_one_question_with_two_answers(
    handler: RagEvalCallbackHandler, are_with_sources: bool, way: str
) -> None:
    """Two searches, two prompts, both answers go to the user: the context is what both calls got."""
    rhine, cheese = with_sources("ab"), with_sources("d", "Cheese has holes [1].")
    if not are_with_sources:
        rhine, cheese = rhine.pick("answer"), cheese.pick("answer")
    chain = RunnableParallel(rhine=rhine, cheese=cheese)
    list(getattr(chain, way)(QUESTION, config={"callbacks": [handler]}))
    run = whole(only_run(handler))
    stages = {stage[2:] for stage in run.pop("stages")}  # they run in threads: either may be the first
    assert stages == {f"retrieve FakeRetriever({QUESTION}): a b", f"retrieve FakeRetriever({QUESTION}): d"}
    assert set(run.pop("chunks").split()) == {"a", "b", "d"}
    assert set(run.pop("context").split()) == {"a", "b", "d"}
    answers = json.loads(run.pop("answer"))  # a stream gives its parts as they come
    assert answers == {"rhine": ANSWER, "cheese": "Cheese has holes [1]."}
    assert run.pop("llm_text") in answers.values()
    assert run == usual(
        answer=None,
        chunks=None,
        stages=None,
        context=None,
        citations=None,
        usage="2 200>10",
        flags=("several_prompts",),
    )


def test_two_retrievers_side_by_side_whose_documents_are_joined(handler: RagEvalCallbackHandler) -> None:
    both = RunnableParallel(x=FakeRetriever(keys="ab"), y=FakeRetriever(keys="c"))
    run = ask(rag(retriever=both | (lambda found: found["x"] + found["y"])), handler)
    retrieved = {stage[2:] for stage in run.pop("stages")}
    assert retrieved == {
        f"retrieve FakeRetriever({QUESTION}): a b (inner)",
        f"retrieve FakeRetriever({QUESTION}): c (inner)",
        "fuse RunnableLambda: a b c",
    }
    assert set(run.pop("chunks").split()) == {"a", "b", "c"}
    assert run == usual(chunks=None, stages=None, context="a b c")


# Structured answers --------------------------------------------------------------------------------------------------


class Cited(BaseModel):
    answer: str
    sources: list[int]


class Weather(BaseModel):
    place: str
    degrees: float


JSON = '{"answer": "It passes Basel [1].", "sources": [1]}'


@pytest.mark.parametrize("parser", [PydanticOutputParser(pydantic_object=Cited), JsonOutputParser()])
def test_a_structured_answer_with_an_answer_field(handler: RagEvalCallbackHandler, parser: Any) -> None:
    """The answer is the field; the call's own text, which is JSON around it, is kept apart."""
    chain = rag(FakeChat(say=lambda _: JSON)) | parser
    assert ask(chain, handler) == usual(llm_text=JSON)


def test_a_structured_answer_without_one_is_its_json(handler: RagEvalCallbackHandler) -> None:
    said = '```json\n{"place": "Basel", "degrees": 21.5}\n```'
    chain = rag(FakeChat(say=lambda _: said)) | PydanticOutputParser(pydantic_object=Weather)
    assert ask(chain, handler) == usual(answer='{"place": "Basel", "degrees": 21.5}', llm_text=said)


def test_a_structured_answer_by_a_tool_call(handler: RagEvalCallbackHandler) -> None:
    """`with_structured_output` of most models: the text is empty, and the answer is the tool call's arguments."""
    from langchain_core.output_parsers.openai_tools import PydanticToolsParser

    def say(_: Sequence[BaseMessage]) -> AIMessage:
        call = {"name": "Cited", "args": {"answer": ANSWER, "sources": [1]}, "id": "1", "type": "tool_call"}
        return AIMessage(content="", tool_calls=[call])

    parser = PydanticToolsParser(tools=[Cited], first_tool_only=True)
    chain = {"context": FakeRetriever() | join, "question": RunnablePassthrough()} | PROMPT | FakeChat(say=say) | parser
    assert ask(chain, handler) == usual(usage="1 None>None", answer_usage="1 None>None")


# Documents that plain code finds, chooses or changes -----------------------------------------------------------------


def test_a_search_in_plain_code(handler: RagEvalCallbackHandler) -> None:
    search = RunnableLambda(lambda _: documents("ab")).with_config(run_name="my_search")
    assert ask(rag(retriever=search), handler) == usual(chunks="a b", stages=["1 retrieve my_search: a b"])


def test_a_reranker_in_plain_code(handler: RagEvalCallbackHandler) -> None:
    rerank = RunnableLambda(lambda found: [found[2], found[0]]).with_config(run_name="my_rerank")
    assert ask(rag(retriever=FakeRetriever() | rerank), handler) == usual(
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b c (inner)", "1 postprocess my_rerank: c a"],
        context="c a",
    )


def test_a_shortener_in_plain_code(handler: RagEvalCallbackHandler) -> None:
    """The shortened texts are chunks of their own, which say what they were cut from."""

    def shorten(found: list[Document]) -> list[Document]:
        return [Document(page_content=one.page_content[10:60], metadata=one.metadata) for one in found[:2]]

    run = ask(rag(retriever=FakeRetriever() | RunnableLambda(shorten).with_config(run_name="shorten")), handler)
    names = run["chunks"].split()
    assert names[:3] == ["a", "b", "c"]
    short = names[3:]
    assert run == usual(
        chunks=run["chunks"],
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b c (inner)", f"1 postprocess shorten: {' '.join(short)}"],
        context=" ".join(short),
        texts={short[0]: documents("a")[0].page_content[10:60], short[1]: documents("b")[0].page_content[10:60]},
        metadata_of={name: {"source": f"{key}.txt"} for name, key in zip(names, "abcab", strict=True)},
        sources="a.txt b.txt c.txt a.txt b.txt",
        derived={short[0]: "a", short[1]: "b"},
    )


def test_documents_that_a_function_turns_into_text_stay_unseen(handler: RagEvalCallbackHandler) -> None:
    chain = rag(retriever=RunnableLambda(lambda _: join(documents())), pack=str)  # type: ignore[arg-type]
    assert ask(chain, handler) == usual(chunks=None, stages=None, context=None, citations=None)
    last = handler.last
    assert last is not None
    assert {one.reason for one in last.evaluation.results if one.metric.startswith("ContextPrecision")} == {
        "no_context"
    }


def test_an_answer_that_repeats_the_question_is_an_answer(handler: RagEvalCallbackHandler) -> None:
    """Its text is a query as well, but one that was sent before it was said."""
    assert ask(rag(FakeChat(say=lambda _: QUESTION)), handler) == usual(answer=QUESTION)


def test_question_and_answer_may_stand_anywhere_in_a_large_state(handler: RagEvalCallbackHandler) -> None:
    notes = {f"note {number}": "-" for number in range(300)}
    chain = RunnableLambda(lambda state: state["question"]) | rag() | (lambda said: {**notes, "answer": f"So: {said}"})
    shown = ask(chain, handler, {**notes, "question": QUESTION})
    assert shown == usual(answer=f"So: {ANSWER}", llm_text=ANSWER)
