"""Ready-made chains (retrieval, question answering, document and conversation chains): one whole record for each."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_fakes import TEXTS, FakeChat, FakeRetriever, documents, join
from usual_record import ANSWER, QUESTION, ask, usual
from versions import classic
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::PendingDeprecationWarning", "ignore:The apply_and_parse method"
)

SYSTEM = ("system", "Answer from:\n{context}")
UNNUMBERED: dict[str, Any] = {"citations": None}
"""The ready-made chains put documents into the prompt without numbers."""


def key_of(text: str) -> str:
    """The keys of the documents in a prompt."""
    return "".join(key for key in TEXTS if TEXTS[key] in text)


def all_text(messages: Sequence[BaseMessage]) -> str:
    return "\n".join(str(message.content) for message in messages)


# create_retrieval_chain ----------------------------------------------------------------------------------------------


def stuff(model: FakeChat) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([SYSTEM, ("human", "{input}")])
    return classic("chains.combine_documents").create_stuff_documents_chain(model, prompt)


def test_a_retrieval_chain(handler: RagEvalCallbackHandler) -> None:
    chain = classic("chains").create_retrieval_chain(FakeRetriever(), stuff(FakeChat()))
    assert ask(chain, handler, {"input": QUESTION}) == usual(**UNNUMBERED)


def test_a_retrieval_chain_that_finds_nothing(handler: RagEvalCallbackHandler) -> None:
    chain = classic("chains").create_retrieval_chain(FakeRetriever(keys=""), stuff(FakeChat(say=lambda _: "Unknown.")))
    assert ask(chain, handler, {"input": QUESTION}) == usual(
        answer="Unknown.", chunks=None, stages=[f"1 retrieve FakeRetriever({QUESTION}): "], context=None, **UNNUMBERED
    )


def condensing(messages: Sequence[BaseMessage]) -> str:
    """Rewrites a question where it is asked to, else answers."""
    return "harbours in Basel" if "standalone" in all_text(messages) else "It has three."


HISTORY = [("human", QUESTION), ("ai", ANSWER)]
FOLLOW_UP = "How many harbours has it?"


# Trap 14.
def test_a_history_aware_retriever(handler: RagEvalCallbackHandler) -> None:
    """The question is the user's, not the condensed one; the condensing call is not the answer."""
    model = FakeChat(say=condensing)
    condense = ChatPromptTemplate.from_messages(
        [("system", "Make a standalone question."), MessagesPlaceholder("chat_history"), ("human", "{input}")]
    )
    retriever = classic("chains").create_history_aware_retriever(model, FakeRetriever(keys="b"), condense)
    chain = classic("chains").create_retrieval_chain(retriever, stuff(model))
    assert ask(chain, handler, {"input": FOLLOW_UP, "chat_history": HISTORY}) == usual(
        question=FOLLOW_UP,
        answer="It has three.",
        chunks="b",
        stages=["1 retrieve FakeRetriever(harbours in Basel): b"],
        usage="2 200>10",
        **UNNUMBERED,
    )


def test_a_history_aware_retriever_without_history(handler: RagEvalCallbackHandler) -> None:
    model = FakeChat(say=condensing)
    condense = ChatPromptTemplate.from_messages([("system", "Make a standalone question."), ("human", "{input}")])
    retriever = classic("chains").create_history_aware_retriever(model, FakeRetriever(keys="b"), condense)
    chain = classic("chains").create_retrieval_chain(retriever, stuff(model))
    assert ask(chain, handler, {"input": FOLLOW_UP}) == usual(
        question=FOLLOW_UP, answer="It has three.", chunks="b", **UNNUMBERED
    )


# RetrievalQA and the document chains ---------------------------------------------------------------------------------


def qa(kind: str, model: FakeChat, **options: Any) -> Runnable[Any, Any]:
    return classic("chains").RetrievalQA.from_chain_type(
        model, chain_type=kind, retriever=FakeRetriever(), return_source_documents=True, **options
    )


def test_retrieval_qa(handler: RagEvalCallbackHandler) -> None:
    assert ask(qa("stuff", FakeChat()), handler, {"query": QUESTION}) == usual(**UNNUMBERED)


def extracting(messages: Sequence[BaseMessage]) -> str:
    """Maps each document to a sentence of its own; reduces those to an answer."""
    keys = key_of(all_text(messages))
    if len(keys) == 1:
        return f"Extract of {keys} here."
    assert all(f"Extract of {key} here." in all_text(messages) for key in "abc")
    return "It passes Basel."


MAPPED = {
    "answer": "It passes Basel.",
    "citations": None,
    "usage": "4 400>20",
    "flags": ("several_prompts",),
}


# Trap 15.
def test_retrieval_qa_that_maps_and_reduces(handler: RagEvalCallbackHandler) -> None:
    """The last prompt holds no document; the answer rests on what all four calls got."""
    assert ask(qa("map_reduce", FakeChat(say=extracting)), handler, {"query": QUESTION}) == usual(**MAPPED)


def refining(messages: Sequence[BaseMessage]) -> str:
    keys = key_of(all_text(messages))
    drafts = {"a": "It passes Basel, draft one.", "b": "It passes Basel, draft two.", "c": "It passes Basel."}
    return drafts[keys]


def test_retrieval_qa_that_refines(handler: RagEvalCallbackHandler) -> None:
    """Each call got one document and, as its own earlier turn, the answer so far."""
    assert ask(qa("refine", FakeChat(say=refining)), handler, {"query": QUESTION}) == usual(
        **MAPPED | {"usage": "3 300>15"}
    )


def test_retrieval_qa_that_refines_with_a_text_model(handler: RagEvalCallbackHandler) -> None:
    model: Any = FakeListLLM(
        responses=["It passes Basel, draft one.", "It passes Basel, draft two.", "It passes Basel."]
    )
    assert ask(qa("refine", model), handler, {"query": QUESTION}) == usual(
        **MAPPED | {"usage": "3 None>None", "answer_usage": "1 None>None"}
    )


def ranking(messages: Sequence[BaseMessage]) -> str:
    key = key_of(all_text(messages))
    return {"a": "It passes Basel.\nScore: 90", "b": "Three harbours.\nScore: 40", "c": "No answer.\nScore: 0"}[key]


def test_retrieval_qa_that_maps_and_ranks(handler: RagEvalCallbackHandler) -> None:
    """One answer wins: its context is the document of its call, whatever the other calls read."""
    assert ask(qa("map_rerank", FakeChat(say=ranking)), handler, {"query": QUESTION}) == usual(
        answer="It passes Basel.",
        llm_text="It passes Basel.\nScore: 90",
        context="a",
        citations=None,
        usage="3 300>15",
    )


@pytest.mark.parametrize("way", ["invoke", "stream"])
def test_a_document_chain_that_is_given_documents(handler: RagEvalCallbackHandler, way: str) -> None:
    """Nothing was searched in this run: what the question came with counts as retrieved."""
    chain = classic("chains.question_answering").load_qa_chain(FakeChat(say=refining), chain_type="refine")
    inputs = {"input_documents": documents("abc"), "question": QUESTION}
    list(getattr(chain, way)(inputs, config={"callbacks": [handler]}))
    run = whole(only_run(handler))
    assert run == usual(**MAPPED | {"usage": "3 300>15"}, stages=["1 retrieve RefineDocumentsChain: a b c"])


def test_a_stuff_chain_that_is_given_documents(handler: RagEvalCallbackHandler) -> None:
    given = {"input": QUESTION, "context": documents("abc")}
    assert ask(stuff(FakeChat()), handler, given) == usual(
        stages=["1 retrieve stuff_documents_chain: a b c"], **UNNUMBERED
    )


def test_documents_given_beside_a_search_are_not_retrieved(handler: RagEvalCallbackHandler) -> None:
    """They may be the ones that should be found."""
    chain = classic("chains").create_retrieval_chain(FakeRetriever(keys="ab"), stuff(FakeChat()))
    assert ask(chain, handler, {"input": QUESTION, "reference": documents("ad")}) == usual(chunks="a b", **UNNUMBERED)


def test_qa_with_sources(handler: RagEvalCallbackHandler) -> None:
    say = FakeChat(say=lambda _: "It passes Basel.\nSOURCES: a.txt")
    chain = classic("chains").RetrievalQAWithSourcesChain.from_chain_type(say, retriever=FakeRetriever())
    run = ask(chain, handler, {"question": QUESTION})
    assert run == usual(answer="It passes Basel.\n", llm_text="It passes Basel.\nSOURCES: a.txt", **UNNUMBERED)


# Conversations -------------------------------------------------------------------------------------------------------


# Trap 14.
def test_a_conversational_retrieval_chain(handler: RagEvalCallbackHandler) -> None:
    chain = classic("chains").ConversationalRetrievalChain.from_llm(FakeChat(say=condensing), FakeRetriever(keys="b"))
    assert ask(chain, handler, {"question": FOLLOW_UP, "chat_history": [(QUESTION, ANSWER)]}) == usual(
        question=FOLLOW_UP,
        answer="It has three.",
        chunks="b",
        stages=["1 retrieve FakeRetriever(harbours in Basel): b"],
        usage="2 200>10",
        **UNNUMBERED,
    )


def test_a_conversational_retrieval_chain_with_its_own_memory(handler: RagEvalCallbackHandler) -> None:
    memory = classic("memory").ConversationBufferMemory(memory_key="chat_history", return_messages=True)
    memory.chat_memory.add_messages([HumanMessage(QUESTION), AIMessage(ANSWER)])
    chain = classic("chains").ConversationalRetrievalChain.from_llm(
        FakeChat(say=condensing), FakeRetriever(keys="b"), memory=memory
    )
    assert ask(chain, handler, {"question": FOLLOW_UP}) == usual(
        question=FOLLOW_UP,
        answer="It has three.",
        chunks="b",
        stages=["1 retrieve FakeRetriever(harbours in Basel): b"],
        usage="2 200>10",
        **UNNUMBERED,
    )


def with_history(sessions: dict[str, InMemoryChatMessageHistory]) -> Runnable[Any, Any]:
    """A chain that keeps each session's messages, and answers with the number of those it saw."""
    prompt = ChatPromptTemplate.from_messages([SYSTEM, MessagesPlaceholder("history"), ("human", "{question}")])
    counted = FakeChat(say=lambda messages: f"After {len(messages) - 2} messages: {messages[-1].content}")
    found = RunnableLambda(lambda asked: asked["question"]) | FakeRetriever(keys="ab") | join
    chain = RunnablePassthrough.assign(context=found) | prompt | counted | StrOutputParser()
    return RunnableWithMessageHistory(
        chain,
        lambda session_id: sessions.setdefault(session_id, InMemoryChatMessageHistory()),
        input_messages_key="question",
        history_messages_key="history",
    )


@pytest.mark.parametrize("way", ["invoke", "stream"])
def test_two_turns_of_two_sessions(handler: RagEvalCallbackHandler, way: str) -> None:
    """The question is the new message of each turn, not one of the history."""
    sessions: dict[str, InMemoryChatMessageHistory] = {}
    chain = with_history(sessions)
    for turn in ("First", "Second"):
        for session in ("x", "y"):
            config: Any = {"callbacks": [handler], "configurable": {"session_id": session}}
            asked = {"question": f"{turn} of {session}?"}
            list(chain.stream(asked, config)) if way == "stream" else chain.invoke(asked, config)
    runs = [whole(run) for run in runs_of(handler)]
    for run in runs:
        assert run.get("metadata", {}).keys() <= {"session_id"}  # since langchain-core 0.3.49 it is in the metadata
        run.pop("metadata", None)
    assert runs == [
        usual(question=f"{turn} of {session}?", answer=f"After {seen} messages: {turn} of {session}?", chunks="a b")
        for turn, seen in (("First", 0), ("Second", 2))
        for session in "xy"
    ]


def test_a_history_of_messages_only(handler: RagEvalCallbackHandler) -> None:
    """A chain from messages to a message: the question is the last one of the user."""
    sessions: dict[str, InMemoryChatMessageHistory] = {"x": InMemoryChatMessageHistory()}
    sessions["x"].add_messages([HumanMessage("Before?"), AIMessage("Yes.")])

    def answer(messages: list[BaseMessage]) -> BaseMessage:
        found = FakeRetriever().invoke(str(messages[-1].content))
        return FakeChat().invoke([("system", join(found)), *messages])

    chain = RunnableWithMessageHistory(RunnableLambda(answer), lambda session_id: sessions[session_id])
    chain.invoke([HumanMessage(QUESTION)], {"callbacks": [handler], "configurable": {"session_id": "x"}})
    run = whole(only_run(handler))
    run.pop("metadata", None)
    assert run == usual()


# Plain map and refine ------------------------------------------------------------------------------------------------


def test_map_and_reduce_written_by_hand(handler: RagEvalCallbackHandler) -> None:
    model = FakeChat(say=extracting) | StrOutputParser()
    each = (lambda document: document.page_content) | PromptTemplate.from_template("Extract: {text}") | model
    chain = FakeRetriever() | each.map() | (lambda parts: "Join:\n" + "\n".join(parts)) | model
    assert ask(chain, handler, QUESTION) == usual(**MAPPED)


def test_parts_of_an_answer_stand_in_the_order_in_which_they_were_read(handler: RagEvalCallbackHandler) -> None:
    """Not in that in which their calls began: side by side, any may be the first."""
    model = FakeChat(say=extracting)

    def answer(question: str) -> str:
        found = FakeRetriever().invoke(question)
        parts = [str(model.invoke([("human", document.page_content)]).content) for document in found]
        return str(model.invoke([("human", "Join:\n" + "\n".join(parts[::-1]))]).content)

    assert ask(RunnableLambda(answer), handler, QUESTION) == usual(**MAPPED, context="c b a")


def test_a_grader_does_not_add_its_document(handler: RagEvalCallbackHandler) -> None:
    """Each document was read by a call that said whether it is relevant; only the relevant ones reached the answer."""

    def say(messages: Sequence[BaseMessage]) -> str:
        text = all_text(messages)
        if "relevant?" in text:
            return "no" if TEXTS["c"] in text else "yes"
        return "Yes, it passes Basel [1]."

    def grade(found: list[Any]) -> list[Any]:
        grader = FakeChat(say=say)
        kept = []
        for document in found:
            verdict = grader.invoke([("human", f"Is this relevant? yes or no\n{document.page_content}")])
            kept += [document] if verdict.content == "yes" else []
        return kept

    prompt = ChatPromptTemplate.from_messages([SYSTEM, ("human", "{question}")])
    found = FakeRetriever() | RunnableLambda(grade) | join
    chain = {"context": found, "question": RunnablePassthrough()} | prompt | FakeChat(say=say) | StrOutputParser()
    assert ask(chain, handler, QUESTION) == usual(
        answer="Yes, it passes Basel [1].",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a b c (inner)", "1 postprocess grade: a b"],
        context="a b",
        usage="4 400>20",
    )


def test_a_grader_beside_an_answer_from_everything(handler: RagEvalCallbackHandler) -> None:
    """A verdict that is not used: the context is what the answering call got, and so is its order."""

    def say(messages: Sequence[BaseMessage]) -> str:
        return "relevant" if "Judge" in all_text(messages) else "The relevant city is Basel [1]."

    def answer(question: str) -> str:
        found = FakeRetriever().invoke(question)
        FakeChat(say=say).invoke([("human", f"Judge: {found[2].page_content}")])
        return str(FakeChat(say=say).invoke([("system", join(found[:2])), ("human", question)]).content)

    assert ask(RunnableLambda(answer), handler, QUESTION) == usual(
        answer="The relevant city is Basel [1].", context="a b", usage="2 200>10"
    )
