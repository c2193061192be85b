"""Pipelines as tutorials and services write them, with several searches or calls for one question: one whole record."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_fakes import FakeChat, FakeRetriever, documents, join, rag
from usual_record import ANSWER, QUESTION, usual
from whole_record import only_run, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

PROMPT = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("human", "{question}")])


@pytest.fixture(params=["invoke", "stream"])
def ask(request: pytest.FixtureRequest, handler: RagEvalCallbackHandler) -> Any:
    def asked(chain: Runnable[Any, Any], value: Any = QUESTION) -> dict[str, Any]:
        config = {"callbacks": [handler]}
        if request.param == "stream":
            list(chain.stream(value, config=config))
        else:
            chain.invoke(value, config=config)
        return whole(only_run(handler))

    return asked


def by_word(query: str) -> list[Document]:
    return documents("b" if "harbours" in query else "ac" if "course" in query else "ab")


def saying(text: str) -> Runnable[Any, Any]:
    """A call that says one thing, whatever it is asked."""
    return FakeChat(say=lambda _: text) | StrOutputParser()


def asking(words: str) -> Runnable[Any, Any]:
    return ChatPromptTemplate.from_messages([("human", words)])


# Rewritten queries ---------------------------------------------------------------------------------------------------


def test_the_search_for_a_rewritten_question(ask: Any) -> None:
    rewrite = asking("Rewrite: {question}") | saying("Basel harbours")
    chain = RunnablePassthrough.assign(context=rewrite | FakeRetriever(find=by_word) | join) | PROMPT | FakeChat()
    assert ask(chain | StrOutputParser(), {"question": QUESTION}) == usual(
        chunks="b", stages=["1 retrieve FakeRetriever(Basel harbours): b"], usage="2 200>10"
    )


def test_the_search_for_a_made_up_document(ask: Any) -> None:
    """The made-up passage is the query; it is not the answer, however much it looks like one."""
    passage = "The Rhine's course leads by Basel."
    made_up = asking("Write a passage on: {question}") | saying(passage)
    chain = RunnablePassthrough.assign(context=made_up | FakeRetriever(find=by_word) | join) | PROMPT | FakeChat()
    assert ask(chain | StrOutputParser(), {"question": QUESTION}) == usual(
        chunks="a c", stages=[f"1 retrieve FakeRetriever({passage}): a c"], usage="2 200>10"
    )


def fuse(lists: Sequence[list[Document]]) -> list[Document]:
    best: dict[str, tuple[float, Document]] = {}
    for found in lists:
        for rank, document in enumerate(found, 1):
            key = str(document.id)
            best[key] = (best.get(key, (0.0, document))[0] + 1 / (60 + rank), document)
    return [document for _, document in sorted(best.values(), key=lambda one: -one[0])]


def test_the_fused_lists_of_several_queries(ask: Any) -> None:
    """One search for each query, side by side; the fused list is what counts."""
    queries = asking("Write queries: {question}") | saying("Rhine\nBasel harbours") | str.splitlines
    found = queries | FakeRetriever(find=by_word).map() | RunnableLambda(fuse)
    run = ask(
        RunnablePassthrough.assign(context=found | join) | PROMPT | FakeChat() | StrOutputParser(),
        {"question": QUESTION},
    )
    assert set(run.pop("stages")) == {
        "1 retrieve FakeRetriever(Rhine): a b (inner)",
        "1 retrieve FakeRetriever(Basel harbours): b (inner)",
        "1 fuse fuse: b a",  # 1/62 + 1/61, and 1/61
    }
    assert set(run.pop("chunks").split()) == {"a", "b"}
    assert run == usual(chunks=None, stages=None, context="b a", usage="2 200>10")


def test_a_question_and_a_wider_one(ask: Any) -> None:
    """Step-back prompting: both searches reach one prompt."""
    wider = asking("Step back: {question}") | saying("What is the course of the Rhine?")
    plain = (lambda asked: asked["question"]) | FakeRetriever(keys="b")
    chain = (
        RunnablePassthrough.assign(wide=wider | FakeRetriever(find=by_word))
        | RunnablePassthrough.assign(narrow=plain)
        | RunnablePassthrough.assign(context=lambda found: join([*found["narrow"], *found["wide"]]))
        | PROMPT
        | FakeChat()
        | StrOutputParser()
    )
    assert ask(chain, {"question": QUESTION}) == usual(
        chunks="a c b",
        stages=[
            "1 retrieve FakeRetriever(What is the course of the Rhine?): a c",
            f"2 retrieve FakeRetriever({QUESTION}): b",
        ],
        context="b a c",
        usage="2 200>10",
    )


# Several calls -------------------------------------------------------------------------------------------------------


def test_a_router_before_the_search(ask: Any) -> None:
    """The call that chose the chain is not the answer."""
    route = asking("Topic of: {question}") | saying("rivers")
    chains = {"rivers": rag(), "cheese": rag(retriever=FakeRetriever(keys="d"))}

    def chosen(asked: dict[str, str]) -> Runnable[Any, Any]:
        return RunnableLambda(lambda _: asked["question"]) | chains[asked["topic"]]

    chain = RunnablePassthrough.assign(topic=route) | RunnableLambda(chosen)
    assert ask(chain, {"question": QUESTION}) == usual(usage="2 200>10")


def test_sub_questions_with_answers_of_their_own(handler: RagEvalCallbackHandler) -> None:
    """One record for the whole question: both searches, the last answer, and what all three calls got."""

    def sub(question: str, keys: str, said: str) -> str:
        return str(rag(FakeChat(say=lambda _: said), FakeRetriever(keys=keys)).invoke(question))

    def answer(question: str) -> str:
        parts = [sub("Where is it?", "a", "It passes Basel."), sub("How many are there?", "b", "There are three.")]
        said = FakeChat(say=lambda _: "Basel has three.").invoke([("human", f"{question}\n" + "\n".join(parts))])
        return str(said.content)

    RunnableLambda(answer).invoke(QUESTION, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == usual(
        answer="Basel has three.",
        chunks="a b",
        stages=["1 retrieve FakeRetriever(Where is it?): a", "2 retrieve FakeRetriever(How many are there?): b"],
        citations=None,
        usage="3 300>15",
        flags=("several_prompts",),
    )


def test_an_answer_that_is_checked_afterwards(ask: Any) -> None:
    """The answer stands in the output beside the verdict on it; the check adds nothing to the context."""
    answer = rag(FakeChat(), FakeRetriever(keys="ab"))
    chain = RunnablePassthrough.assign(reply=(lambda asked: asked["question"]) | answer) | RunnablePassthrough.assign(
        verdict=asking("Is it grounded? {reply}") | saying("yes")
    )
    assert ask(chain, {"question": QUESTION}) == usual(chunks="a b", usage="2 200>10")


def test_an_answer_that_is_checked_and_returned_alone(ask: Any) -> None:
    def check(reply: str) -> str:
        verdict = FakeChat(say=lambda _: "It is grounded in the documents.").invoke([("human", f"Check: {reply}")])
        return reply if "grounded" in str(verdict.content) else "I do not know."

    assert ask(rag() | RunnableLambda(check)) == usual(usage="2 200>10")


def test_an_answer_that_another_call_rewrites(ask: Any) -> None:
    """The last text is the answer; the documents are those of the draft's call."""
    polish = asking("Make it formal: {draft}") | saying("The river passes the city of Basel.")
    chain = rag() | (lambda draft: {"draft": draft}) | polish
    assert ask(chain) == usual(
        answer="The river passes the city of Basel.", citations=None, usage="2 200>10", flags=("several_prompts",)
    )


def test_a_draft_beside_the_final_answer(ask: Any) -> None:
    """Both are returned; the one that rests on the other is the answer."""
    final = asking("Improve: {draft}") | saying("The river passes the city of Basel.")
    chain = RunnablePassthrough.assign(draft=(lambda asked: asked["question"]) | rag()) | RunnablePassthrough.assign(
        final=final
    )
    assert ask(chain, {"question": QUESTION}) == usual(
        answer="The river passes the city of Basel.", citations=None, usage="2 200>10", flags=("several_prompts",)
    )


def test_follow_up_questions_beside_the_answer(ask: Any) -> None:
    """Suggestions that another call makes of the answer are returned under a key of their own."""
    more = asking("Suggest questions on: {answer}") | saying("How long is it? How deep is it?")
    chain = RunnablePassthrough.assign(answer=(lambda asked: asked["question"]) | rag()) | RunnablePassthrough.assign(
        suggestions=more
    )
    assert ask(chain, {"question": QUESTION}) == usual(answer=ANSWER, usage="2 200>10")


def test_an_answer_after_a_second_search(handler: RagEvalCallbackHandler) -> None:
    """The first answer was not good enough and is thrown away: what its call got is not the answer's context."""

    def answer(question: str) -> str:
        first = rag(FakeChat(say=lambda _: "I do not know."), FakeRetriever(keys="d")).invoke(question)
        assert first == "I do not know."
        return str(rag(retriever=FakeRetriever(keys="ab")).invoke("course of the Rhine"))

    RunnableLambda(answer).invoke(QUESTION, config={"callbacks": [handler]})
    assert whole(only_run(handler)) == usual(
        chunks="d a b",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): d", "2 retrieve FakeRetriever(course of the Rhine): a b"],
        context="a b",
        usage="2 200>10",
    )
