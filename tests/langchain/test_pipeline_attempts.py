"""Retries and fallbacks: one record for a question, with the try that won, and the failed ones listed apart."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_fakes import FakeChat, FakeRetriever, documents, rag
from langchain_stress import MANY_WAYS
from usual_record import ANSWER, QUESTION, usual
from ways_to_ask import CHAIN_WAYS
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler


@pytest.fixture(params=["invoke", "ainvoke", "stream", "astream", "batch", "abatch"])
def ask(request: pytest.FixtureRequest, handler: RagEvalCallbackHandler) -> Callable[[Any], dict[str, Any]]:
    def asked(chain: Runnable[Any, Any]) -> dict[str, Any]:
        CHAIN_WAYS[request.param](chain, QUESTION, {"callbacks": [handler]})
        return whole(only_run(handler))

    return asked


def flaky(failures: int) -> FakeChat:
    """A model that fails the first times."""
    calls = count()

    def say(_: Sequence[BaseMessage]) -> str:
        if next(calls) < failures:
            raise ConnectionError
        return ANSWER

    return FakeChat(say=say)


def flaky_retriever(failures: int) -> FakeRetriever:
    calls = count()

    def find(_: str) -> list[Any]:
        if next(calls) < failures:
            raise TimeoutError
        return documents()

    return FakeRetriever(find=find)


def retried(runnable: Runnable[Any, Any], attempts: int = 3) -> Runnable[Any, Any]:
    return runnable.with_retry(stop_after_attempt=attempts, wait_exponential_jitter=False)


def broken(keys: str = "d") -> Runnable[Any, Any]:
    """A chain that finds something and then fails at the model."""
    return rag(FakeChat(error=ConnectionError()), FakeRetriever(keys=keys))


def search(keys: str = "a b c", inner: str = "") -> str:
    return f"1 retrieve FakeRetriever({QUESTION}): {keys}{inner}"


# Retries -------------------------------------------------------------------------------------------------------------

RETRIED = ["invoke", "ainvoke", "batch", "abatch"]
"""`with_retry` does nothing for streams."""


# Trap 11.
@pytest.mark.parametrize("ask", RETRIED, indirect=True)
def test_a_chain_that_is_retried_has_one_round_and_lists_the_failed_try(ask: Any) -> None:
    assert ask(retried(rag(flaky(1)))) == usual(
        stages=[search(inner=" (inner)"), search()],
        usage="2 100>5",
        attempts=["chain RunnableSequence: ConnectionError"],
        flags=("failed_attempts",),
    )


@pytest.mark.parametrize("ask", RETRIED, indirect=True)
def test_a_model_that_is_retried(ask: Any) -> None:
    assert ask(rag(retried(flaky(2)))) == usual(usage="3 100>5", attempts=["model FakeChat: ConnectionError"] * 2)


@pytest.mark.parametrize("ask", RETRIED, indirect=True)
def test_a_retriever_that_is_retried(ask: Any) -> None:
    """The failed searches gave no list; the one that found something is the only round."""
    assert ask(rag(retriever=retried(flaky_retriever(2)))) == usual(
        attempts=["retriever FakeRetriever: TimeoutError"] * 2
    )


@pytest.mark.parametrize("ask", RETRIED, indirect=True)
def test_all_retries_fail(ask: Any, handler: RagEvalCallbackHandler) -> None:
    """The last failure is the question's; the search that counts is the last one."""
    with pytest.raises(ConnectionError):
        ask(retried(rag(flaky(9)), attempts=2))
    assert whole(only_run(handler)) == usual(
        status="error",
        error="ConnectionError",
        answer=None,
        stages=[search(inner=" (inner)"), search()],
        usage="2 None>None",
        answer_usage="1 None>None",
        attempts=["chain RunnableSequence: ConnectionError"],
        flags=("failed_attempts",),
    )


@pytest.mark.parametrize("ask", ["stream", "astream"], indirect=True)
def test_a_stream_is_not_retried(ask: Any, handler: RagEvalCallbackHandler) -> None:
    with pytest.raises(ConnectionError):
        ask(retried(rag(flaky(1))))
    assert whole(only_run(handler)) == usual(
        status="error", error="ConnectionError", answer=None, usage="1 None>None", answer_usage="1 None>None"
    )


def test_a_search_that_fails_in_a_stream_is_no_attempt(handler: RagEvalCallbackHandler) -> None:
    with pytest.raises(TimeoutError):
        list(rag(retriever=flaky_retriever(9)).stream(QUESTION, config={"callbacks": [handler]}))
    run = whole(only_run(handler))
    run.pop("flags", None)  # the other branch, which runs in a thread, may have had no time to end
    assert run == {
        "question": QUESTION,
        "status": "error",
        "error": "TimeoutError",
        "context_source": "last_stage",
        "usage": "0 None>None",
    }


# Fallbacks -----------------------------------------------------------------------------------------------------------


def fallen_back(*failed: str) -> dict[str, Any]:
    """What the record says when chains over these documents failed before the usual one."""
    return usual(
        chunks=" ".join([*failed, "a b c"]),
        stages=[*(search(keys, " (inner)") for keys in failed), search()],
        context="a b c",
        usage=f"{len(failed) + 1} 100>5",
        attempts=["chain RunnableSequence: ConnectionError"] * len(failed),
        flags=("failed_attempts",),
    )


# Trap 10.
def test_a_chain_with_fallbacks_has_the_documents_of_the_branch_that_won(ask: Any) -> None:
    assert ask(broken("d").with_fallbacks([rag()])) == fallen_back("d")


def test_fallbacks_of_fallbacks(ask: Any) -> None:
    assert ask(broken("d").with_fallbacks([broken("c").with_fallbacks([rag()])])) == usual(
        **fallen_back("d", "c") | {"chunks": "d c a b"}
    )


def test_fallbacks_that_are_not_needed(ask: Any) -> None:
    assert ask(rag().with_fallbacks([broken()])) == usual()


def test_fallbacks_inside_a_chain(ask: Any) -> None:
    """The chain with fallbacks is a step of another; the question is the outer one's."""
    asked, said = RunnableLambda(lambda asked: f"{asked}"), RunnableLambda(str.strip)
    assert ask(asked | broken("d").with_fallbacks([rag()]) | said) == fallen_back("d")


def test_a_model_with_fallbacks(ask: Any) -> None:
    model = FakeChat(error=ConnectionError()).with_fallbacks([FakeChat()])
    assert ask(rag(model)) == usual(usage="2 100>5", attempts=["model FakeChat: ConnectionError"])


def test_a_retriever_with_fallbacks(ask: Any) -> None:
    retriever = FakeRetriever(error=TimeoutError()).with_fallbacks([FakeRetriever()])
    assert ask(rag(retriever=retriever)) == usual(attempts=["retriever FakeRetriever: TimeoutError"])


def test_a_fallback_that_searches_elsewhere(ask: Any) -> None:
    """A retriever that finds nothing useful raises, and plain code takes over."""
    elsewhere = RunnableLambda(lambda _: documents("ab")).with_config(run_name="elsewhere")
    retriever = FakeRetriever(error=TimeoutError()).with_fallbacks([elsewhere])
    assert ask(rag(retriever=retriever)) == usual(
        chunks="a b", stages=["1 retrieve elsewhere: a b"], attempts=["retriever FakeRetriever: TimeoutError"]
    )


def test_all_fallbacks_fail(ask: Any, handler: RagEvalCallbackHandler) -> None:
    """LangChain raises the first failure; what the last branch found and sent is the record's."""
    with pytest.raises(ConnectionError):
        ask(broken("d").with_fallbacks([broken("c")]))
    assert whole(only_run(handler)) == usual(
        status="error",
        error="ConnectionError",
        answer=None,
        chunks="d c",
        stages=[search("d", " (inner)"), search("c")],
        context="c",
        usage="2 None>None",
        answer_usage="1 None>None",
        attempts=["chain RunnableSequence: ConnectionError"],
        flags=("failed_attempts",),
    )


# The same question, many times at once -------------------------------------------------------------------------------

COUNT = 40


@pytest.mark.parametrize("way", MANY_WAYS)
def test_the_same_question_at_once_is_a_record_each_time(way: str, handler: RagEvalCallbackHandler) -> None:
    MANY_WAYS[way](broken("d").with_fallbacks([rag()]), {"callbacks": [handler]}, [QUESTION] * COUNT)
    assert handler.flush(60) == 0
    assert [whole(run) for run in runs_of(handler)] == [fallen_back("d")] * COUNT


def test_a_plain_search_that_is_repeated_counts_once(handler: RagEvalCallbackHandler) -> None:
    """The second try finds the same as the first, without a retriever."""
    search = RunnableLambda(lambda _: documents("abc")).with_config(run_name="my_search")
    rerank = RunnableLambda(lambda found: [found[2], found[0]]).with_config(run_name="my_rerank")
    retried(rag(flaky(1), search | rerank)).invoke(QUESTION, config={"callbacks": [handler]})
    found = "1 retrieve my_search: a b c (inner)"
    assert whole(only_run(handler)) == usual(
        stages=[found, "1 postprocess my_rerank: c a (inner)", found, "1 postprocess my_rerank: c a"],
        context="c a",
        usage="2 100>5",
        attempts=["chain RunnableSequence: ConnectionError"],
        flags=("failed_attempts",),
    )


def test_many_questions_in_a_batch_of_which_some_fall_back(handler: RagEvalCallbackHandler) -> None:
    def say(messages: Sequence[BaseMessage]) -> str:
        if "odd" in str(messages[-1].content):
            raise ConnectionError
        return ANSWER

    questions = ["even 0?", "odd 1?", "even 2?", "odd 3?"]
    chain = rag(FakeChat(say=say)).with_fallbacks([rag(retriever=FakeRetriever(keys="ab"))])
    chain.batch(questions, config={"callbacks": [handler]})
    runs = {run.question: whole(run) for run in runs_of(handler)}
    even = {question: usual(question=question) for question in questions[::2]}
    odd = {
        question: usual(
            question=question,
            stages=[
                f"1 retrieve FakeRetriever({question}): a b c (inner)",
                f"1 retrieve FakeRetriever({question}): a b",
            ],
            context="a b",
            usage="2 100>5",
            attempts=["chain RunnableSequence: ConnectionError"],
            flags=("failed_attempts",),
        )
        for question in questions[1::2]
    }
    assert runs == even | odd
    assert len(handler.records) == len(questions)


def test_many_questions_in_a_batch_of_which_some_are_retried(handler: RagEvalCallbackHandler) -> None:
    """LangChain repeats only those that failed."""
    calls = count()

    def say(messages: Sequence[BaseMessage]) -> str:
        if "odd" in str(messages[-1].content) and next(calls) < 2:
            raise ConnectionError
        return ANSWER

    questions = ["even 0?", "odd 1?", "even 2?", "odd 3?"]
    retried(rag(FakeChat(say=say))).batch(questions, config={"callbacks": [handler]})
    runs = {run.question: whole(run) for run in runs_of(handler)}
    even = {question: usual(question=question) for question in questions[::2]}
    found = "1 retrieve FakeRetriever({}): a b c"
    odd = {
        question: usual(
            question=question,
            stages=[f"{found.format(question)} (inner)", found.format(question)],
            usage="2 100>5",
            attempts=["chain RunnableSequence: ConnectionError"],
            flags=("failed_attempts",),
        )
        for question in questions[1::2]
    }
    assert runs == even | odd
    assert len(handler.records) == len(questions)


def test_a_map_over_questions_that_fall_back(handler: RagEvalCallbackHandler) -> None:
    broken("d").with_fallbacks([rag()]).map().invoke([QUESTION, QUESTION], config={"callbacks": [handler]})
    assert [whole(run) for run in runs_of(handler)] == [fallen_back("d")] * 2


def test_another_question_while_a_stream_with_fallbacks_is_open_is_its_own(handler: RagEvalCallbackHandler) -> None:
    """The same text object, as a constant is."""
    stream = rag().with_fallbacks([rag()]).stream(QUESTION, config={"callbacks": [handler]})
    next(stream)
    rag().invoke(QUESTION, config={"callbacks": [handler]})
    assert ANSWER.endswith("".join(stream))
    assert [whole(run) for run in runs_of(handler)] == [usual(), usual()]
