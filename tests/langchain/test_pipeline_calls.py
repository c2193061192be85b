"""The same whole record, whichever way a pipeline is called; and one for each question of a call with many."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, rag
from usual_record import ANSWER, QUESTION, usual
from versions import classic
from ways_to_ask import CHAIN_WAYS
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


# Pipelines -----------------------------------------------------------------------------------------------------------


def _retrieval_chain() -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{input}")])
    stuff = classic("chains.combine_documents").create_stuff_documents_chain(FakeChat(), prompt)
    return classic("chains").create_retrieval_chain(FakeRetriever(), stuff)


def _fused() -> Runnable[Any, Any]:
    found = [FakeRetriever(keys="ab"), FakeRetriever(keys="bc")]
    return rag(retriever=classic("retrievers").EnsembleRetriever(retrievers=found, weights=[0.5, 0.5]))


def _extracting(messages: Sequence[BaseMessage]) -> str:
    text = "\n".join(str(message.content) for message in messages)
    keys = [key for key in TEXTS if TEXTS[key] in text]
    return f"Extract of {keys[0]} here." if len(keys) == 1 else "It passes Basel [1]."


def _map_reduce() -> Runnable[Any, Any]:
    qa = classic("chains").RetrievalQA
    return qa.from_chain_type(FakeChat(say=_extracting), chain_type="map_reduce", retriever=FakeRetriever())


def _reranked() -> Runnable[Any, Any]:
    return rag(retriever=FakeRetriever() | RunnableLambda(lambda found: found[1::-1]).with_config(run_name="rerank"))


def inner(keys: str) -> str:
    return f"1 retrieve FakeRetriever({QUESTION}): {' '.join(keys)} (inner)"


PIPELINES: dict[str, tuple[Callable[[], Runnable[Any, Any]], Any, dict[str, Any]]] = {
    "lcel": (rag, QUESTION, usual()),
    "reranked in plain code": (
        _reranked,
        QUESTION,
        usual(stages=[inner("abc"), "1 postprocess rerank: b a"], context="b a"),
    ),
    "retrieval chain": (_retrieval_chain, {"input": QUESTION}, usual(citations=None)),
    "ensemble": (
        _fused,
        QUESTION,
        usual(
            chunks="b a c",
            stages=[f"1 fuse EnsembleRetriever({QUESTION}): b a c", inner("ab"), inner("bc")],
            context="b a c",
        ),
    ),
    "map_reduce": (
        _map_reduce,
        {"query": QUESTION},
        usual(citations=None, usage="4 400>20", flags=("several_prompts",)),
    ),
}


@pytest.mark.parametrize("way", CHAIN_WAYS)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_one_question(pipeline: str, way: str) -> None:
    make, value, expected = PIPELINES[pipeline]
    with RagEvalCallbackHandler() as handler:
        CHAIN_WAYS[way](make(), value, {"callbacks": [handler], "tags": ["prod"], "metadata": {"topic": "rivers"}})
        run = only_run(handler)
        # Who maps tags the whole call; its questions inherit that.
        assert whole(run) == expected | {"tags": ("prod",), "metadata": {"topic": "rivers"}}


# Many questions in one call ------------------------------------------------------------------------------------------

KEYS = ["ab", "bc", "cd", "da", "abc", "bcd"]
QUESTIONS = [f"What of {keys}?" for keys in KEYS]


def by_question() -> Runnable[Any, Any]:
    """Each question names its documents, and the answer names the question."""

    def find(query: str) -> list[Document]:
        return documents(query[len("What of ") : -1])

    return rag(FakeChat(say=lambda messages: f"This of {messages[-1].content[8:]}"), FakeRetriever(find=find))


EXPECTED = [
    usual(question=question, answer=f"This of {keys}?", chunks=" ".join(keys))
    for question, keys in zip(QUESTIONS, KEYS, strict=True)
]

MANY: dict[str, Callable[[Any, Any], Any]] = {
    "batch": lambda chain, config: chain.batch(QUESTIONS, config=config),
    "batch, two at a time": lambda chain, config: chain.batch(QUESTIONS, config={**config, "max_concurrency": 2}),
    "abatch": lambda chain, config: asyncio.run(chain.abatch(QUESTIONS, config=config)),
    "map": lambda chain, config: chain.map().invoke(QUESTIONS, config=config),
    "amap": lambda chain, config: asyncio.run(chain.map().ainvoke(QUESTIONS, config=config)),
    "map in batches": lambda chain, config: chain.map().batch([QUESTIONS[:2], QUESTIONS[2:]], config=config),
    "as completed": lambda chain, config: list(chain.batch_as_completed(QUESTIONS, config=config)),
    "a map below a map": lambda chain, config: chain.map().map().invoke([QUESTIONS[:2], QUESTIONS[2:]], config=config),
}


# Traps 6 and 7.
@pytest.mark.parametrize("way", MANY)
def test_many_questions_in_one_call_are_one_record_each(way: str) -> None:
    """A chain's `batch` goes step by step: all searches begin before the first has ended."""
    with RagEvalCallbackHandler() as handler:
        MANY[way](by_question(), {"callbacks": [handler]})
        runs = {run.question: whole(run) for run in runs_of(handler)}
        assert [runs[question] for question in QUESTIONS] == EXPECTED
        assert len(runs) == len(QUESTIONS)


def test_a_batch_in_which_one_question_fails_keeps_the_others() -> None:
    def find(query: str) -> list[Document]:
        if query == QUESTIONS[1]:
            raise TimeoutError
        return documents(query[len("What of ") : -1])

    chain = rag(FakeChat(say=lambda messages: f"This of {messages[-1].content[8:]}"), FakeRetriever(find=find))
    with RagEvalCallbackHandler() as handler:
        chain.batch(QUESTIONS, config={"callbacks": [handler]}, return_exceptions=True)
        runs = {run.question: whole(run) for run in runs_of(handler)}
        failed = {"question": QUESTIONS[1], "status": "error", "error": "TimeoutError", "usage": "0 None>None"}
        assert runs.pop(QUESTIONS[1]) == failed | {"context_source": "last_stage"}
        assert [runs[question] for question in runs] == [EXPECTED[QUESTIONS.index(str(question))] for question in runs]
        assert len(runs) == len(QUESTIONS) - 1


def test_a_map_over_documents_inside_a_question_is_no_question() -> None:
    """`.map()` over what was found: one record, with all its calls."""
    summarise = (lambda document: [("human", f"Shorten: {document.page_content}")]) | FakeChat(say=_extracting)
    answer = (lambda said: [("human", "\n".join(one.content for one in said))]) | FakeChat()
    with RagEvalCallbackHandler() as handler:
        (FakeRetriever() | summarise.map() | answer).invoke(QUESTION, config={"callbacks": [handler]})
        assert whole(only_run(handler)) == usual(
            citations=None, usage="4 400>20", flags=("several_prompts",), answer=ANSWER
        )


def test_a_bare_retriever_asked_many_questions() -> None:
    with RagEvalCallbackHandler() as handler:
        FakeRetriever().batch(QUESTIONS, config={"callbacks": [handler]})
        runs = {run.question: whole(run) for run in runs_of(handler)}
        assert [runs[question] for question in QUESTIONS] == [
            usual(
                question=question,
                answer=None,
                context_source="last_stage",
                context="a:assumed:1.00 b:assumed:1.00 c:assumed:1.00",
                citations=None,
                usage="0 None>None",
                answer_usage=None,
            )
            for question in QUESTIONS
        ]
