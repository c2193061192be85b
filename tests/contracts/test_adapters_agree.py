"""The same pipeline in LangChain and in LlamaIndex gives the same record and the same evaluation.

What differs is the framework's own: ids of runs, times, names of components, and LangChain's habit of keeping a score
in a document's metadata.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from llama_index.core.chat_engine import CondensePlusContextChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_eval_hooks.capture.guard import record_caught
from rag_eval_hooks.demo.answering import Extractive
from rag_eval_hooks.demo.corpus import build_corpus
from rag_eval_hooks.demo.gold import GoldLookup
from rag_eval_hooks.demo.questions import QUESTIONS, Question
from rag_eval_hooks.demo.run import choose_questions
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.hooks import Captured
from rag_eval_hooks.record import RagRun
from rag_eval_hooks_langchain import RagEvalCallbackHandler
from rag_eval_hooks_langchain import demo as langchain_demo
from rag_eval_hooks_langchain.demo.chain import PROMPT, numbered
from rag_eval_hooks_llamaindex import Attachment, attach
from rag_eval_hooks_llamaindex import demo as llamaindex_demo

INDEX = Bm25Index(build_corpus(), k=5)
GOLD = GoldLookup(INDEX.chunks)
EMPTY = "Empty Response"
"""What LlamaIndex answers, without asking the model, where nothing was found."""
UNKNOWN = "xylophone zymurgy"


@pytest.fixture(autouse=True)
def nothing_swallowed() -> Iterator[None]:
    """What our guards swallowed is raised."""
    errors: list[Exception] = []
    record_caught(errors)
    yield
    record_caught(None)
    if errors:
        raise errors[0]


@pytest.fixture
def handler() -> Iterator[RagEvalCallbackHandler]:
    with RagEvalCallbackHandler(k=INDEX.k, gold=GOLD) as handler:
        yield handler


@pytest.fixture
def attachment() -> Iterator[Attachment]:
    with attach(k=INDEX.k, gold=GOLD) as attachment:
        yield attachment


@dataclass(frozen=True)
class Fails(Extractive):
    """A model that is out of reach."""

    def answer(self, prompt: str) -> str:
        raise ConnectionError("no route to host")


@dataclass(frozen=True)
class Says(Extractive):
    """A model that says what is written down, one after the other."""

    replies: list[str] = field(default_factory=list)

    def answer(self, prompt: str) -> str:
        return self.replies.pop(0)


class Chain:
    """The demo's pipeline in LangChain, asked in every way."""

    def __init__(self, handler: RagEvalCallbackHandler, model: Extractive) -> None:
        self.chain = langchain_demo.build_chain(
            langchain_demo.Bm25Retriever(index=INDEX), langchain_demo.ExtractiveChatModel(extractive=model)
        ).with_config(callbacks=[handler])

    def ask(self, way: str, question: str) -> str:
        if way == "at once":
            return self.chain.invoke(question)
        if way == "async":
            return asyncio.run(self.chain.ainvoke(question))
        if way == "stream":
            return "".join(self.chain.stream(question))
        if way == "async stream":
            return asyncio.run(_joined(self.chain.astream(question)))
        stream: Any = self.chain.stream(question)
        read = "".join(islice(stream, 3))
        stream.close()
        return read


class Engine:
    """The same in LlamaIndex."""

    def __init__(self, model: Extractive) -> None:
        self.retriever = llamaindex_demo.Bm25Retriever(INDEX)
        self.model = llamaindex_demo.ExtractiveLLM(extractive=model)

    def ask(self, way: str, question: str) -> str:
        streams = way not in ("at once", "async")
        engine = llamaindex_demo.build_engine(self.retriever, self.model, streaming=streams)
        if way == "at once":
            return str(engine.query(question))
        if way == "async":
            return str(asyncio.run(engine.aquery(question)))
        if way == "async stream":
            return asyncio.run(self._astream(engine, question))
        stream: Any = engine.query(question).response_gen  # type: ignore[union-attr]  # it streams
        if way == "stream":
            return "".join(stream)
        read = "".join(islice(stream, 3))
        stream.close()
        return read

    @staticmethod
    async def _astream(engine: Any, question: str) -> str:
        return await _joined((await engine.aquery(question)).async_response_gen())


async def _joined(stream: Any) -> str:
    return "".join([piece async for piece in stream])


Recorder = RagEvalCallbackHandler | Attachment


def only(recorder: Recorder) -> Captured:
    (captured,) = recorder.records
    return captured


def told(run: RagRun) -> dict[str, Any]:
    """What a record says, without what is the framework's own."""
    return {
        "question": run.question,
        "answer": run.answer,
        "llm_text": run.llm_text,
        "status": run.status,
        "error": run.error,
        "chunks": [
            (one.id, one.text, one.source, one.page, {k: v for k, v in one.metadata.items() if k != "score"})
            for one in run.chunks
        ],
        "stages": [
            (one.kind, one.query, one.round, one.final, [(item.chunk, item.score) for item in one.items])
            for one in run.stages
        ],
        "context": [(item.chunk, item.match, item.coverage) for item in run.context],
        "context_source": run.context_source,
        "citations": run.citations,
        "gold": run.gold,
        "k": run.k,
        "flags": run.flags,
        "calls": run.usage.model_calls,
        "has first token": run.time_to_first_token_ms is not None,
    }


def assert_alike(one: Captured, other: Captured) -> None:
    assert one.run.captured_by.startswith("langchain ")
    assert other.run.captured_by.startswith("llamaindex ")
    assert told(one.run) == told(other.run)
    shown, also = (json.loads(each.evaluation.model_dump_json()) for each in (one, other))
    assert shown.pop("run_id") != also.pop("run_id")
    assert shown == also


def ask_both(questions: Sequence[Question], chain: Chain, engine: Engine, way: str) -> None:
    for question in questions:
        assert chain.ask(way, question.text) == engine.ask(way, question.text)


def assert_all_alike(handler: RagEvalCallbackHandler, attachment: Attachment, questions: Sequence[Question]) -> None:
    ours, theirs = ({one.run.question: one for one in recorder.records} for recorder in (handler, attachment))
    assert list(ours) == list(theirs) == [question.text for question in questions]
    for question in questions:
        assert_alike(ours[question.text], theirs[question.text])
        assert len(ours[question.text].run.context) == INDEX.k


# The demo's questions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["at once", "async", "stream", "async stream"])
@pytest.mark.parametrize("careless", [False, True], ids=["careful", "careless"])
def test_a_sample_of_the_demos_questions(
    handler: RagEvalCallbackHandler, attachment: Attachment, way: str, careless: bool
) -> None:
    """One of each kind, answered well and badly."""
    questions = choose_questions(4)
    model = Extractive(careless=careless, min_fit=0.0 if careless else 0.5)
    ask_both(questions, Chain(handler, model), Engine(model), way)
    assert_all_alike(handler, attachment, questions)
    kinds = {finding.kind for one in handler.records for finding in one.evaluation.findings}
    assert ("right_refusal" in kinds) is not careless


@pytest.mark.slow
@pytest.mark.parametrize("way", ["at once", "stream"])
def test_all_of_the_demos_questions(handler: RagEvalCallbackHandler, attachment: Attachment, way: str) -> None:
    ask_both(QUESTIONS, Chain(handler, Extractive()), Engine(Extractive()), way)
    assert_all_alike(handler, attachment, QUESTIONS)


# Ends ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["at once", "async", "stream"])
def test_a_model_that_fails(handler: RagEvalCallbackHandler, attachment: Attachment, way: str) -> None:
    question = QUESTIONS[0].text
    for pipeline in (Chain(handler, Fails()), Engine(Fails())):
        with pytest.raises(ConnectionError):
            pipeline.ask(way, question)
    assert_alike(only(handler), only(attachment))
    run = only(attachment).run
    assert (run.status, run.error, len(run.chunks)) == ("error", "ConnectionError", INDEX.k)


def test_a_stream_that_is_left(handler: RagEvalCallbackHandler, attachment: Attachment) -> None:
    """Alike but for the rest of the answer: LangChain reads its model to the end all the same, LlamaIndex does not."""
    question = QUESTIONS[0].text
    read = {one.ask("left", question) for one in (Chain(handler, Extractive()), Engine(Extractive()))}
    ours, theirs = only(handler), only(attachment)
    assert (ours.run.status, {ours.run.answer}) == ("abandoned", read)
    assert (ours.run.llm_text is not None, theirs.run.llm_text) == (True, None)
    assert told(ours.run) | {"llm_text": None} == told(theirs.run)
    found, also = ([r for r in one.evaluation.results if r.labels == "gold"] for one in (ours, theirs))
    assert found == also
    assert len(found) == 8


# Other pipelines -----------------------------------------------------------------------------------------------------


def test_nothing_found(handler: RagEvalCallbackHandler, attachment: Attachment) -> None:
    """Neither asks its model: the chain is made to do as LlamaIndex does."""

    def answer(documents: list[Document]) -> Runnable[Any, str] | str:
        return EMPTY if not documents else StrOutputParser()

    chain = langchain_demo.Bm25Retriever(index=INDEX) | RunnableLambda(answer)
    said = chain.invoke(UNKNOWN, config={"callbacks": [handler]})
    assert said == Engine(Extractive()).ask("at once", UNKNOWN) == EMPTY
    assert_alike(only(handler), only(attachment))
    run = only(attachment).run
    assert (run.status, run.context, run.usage.model_calls) == ("ok", (), 0)
    assert [(stage.kind, stage.items) for stage in run.stages] == [("retrieve", ())]
    assert only(attachment).evaluation.answer_kind == "refusal"


class FirstTwo(BaseNodePostprocessor):
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[:2]


def test_a_choice_of_what_was_found(handler: RagEvalCallbackHandler, attachment: Attachment) -> None:
    """A function that returns fewer documents, a postprocessor that returns fewer nodes."""
    question = QUESTIONS[0].text
    model = langchain_demo.build_model()
    first_two = RunnableLambda(lambda documents: documents[:2])
    context = langchain_demo.Bm25Retriever(index=INDEX) | first_two | RunnableLambda(numbered)
    chain = {"context": context, "question": RunnablePassthrough()} | PROMPT | model | StrOutputParser()
    said = chain.invoke(question, config={"callbacks": [handler]})
    engine = llamaindex_demo.build_engine(
        llamaindex_demo.Bm25Retriever(INDEX), llamaindex_demo.build_model(), node_postprocessors=[FirstTwo()]
    )
    assert str(engine.query(question)) == said
    assert_alike(only(handler), only(attachment))
    run = only(attachment).run
    assert [(stage.kind, len(stage.items)) for stage in run.stages] == [("retrieve", 5), ("postprocess", 2)]
    assert len(run.context) == 2


CONDENSE = "Chat so far:\n{chat_history}\nRewrite as a question of its own: {question}"
SYSTEM = "Answer from this alone.\n\n{context_str}"
HISTORY = (("user", "Tell me of statements."), ("assistant", "Python has break, continue and pass."))
FOLLOW_UP = "What does the first one do?"
CONDENSED = "What does the break statement terminate?"
REPLY = "It terminates the nearest enclosing loop [1]. It was added in Python 9."


def test_a_follow_up_question_that_a_model_rewrites(handler: RagEvalCallbackHandler, attachment: Attachment) -> None:
    """The question is the user's; the rewritten one is what was searched for; the rewriting call is not the answer."""
    model = langchain_demo.ExtractiveChatModel(extractive=Says(replies=[CONDENSED, REPLY]))
    condense = ChatPromptTemplate.from_messages([("human", CONDENSE)]) | model | StrOutputParser()
    answer = ChatPromptTemplate.from_messages([("system", SYSTEM), *HISTORY, ("human", "{question}")]) | model
    context = condense | langchain_demo.Bm25Retriever(index=INDEX) | RunnableLambda(numbered)
    chain = RunnablePassthrough.assign(context_str=context) | answer | StrOutputParser()
    asked = {"question": FOLLOW_UP, "chat_history": "\n".join(f"{role}: {text}" for role, text in HISTORY)}
    said = chain.invoke(asked, config={"callbacks": [handler]})
    engine = CondensePlusContextChatEngine.from_defaults(
        llamaindex_demo.Bm25Retriever(INDEX),
        llm=llamaindex_demo.ExtractiveLLM(extractive=Says(replies=[CONDENSED, REPLY])),
        memory=ChatMemoryBuffer.from_defaults([ChatMessage(role=role, content=text) for role, text in HISTORY]),
        condense_prompt=CONDENSE,
        context_prompt=SYSTEM,
    )
    assert str(engine.chat(FOLLOW_UP)) == said == REPLY
    assert_alike(only(handler), only(attachment))
    run = only(attachment).run
    assert (run.question, run.stages[0].query, run.usage.model_calls) == (FOLLOW_UP, CONDENSED, 2)
    assert [claim.verdict for claim in only(attachment).evaluation.claims] == ["supported", "unsupported"]
