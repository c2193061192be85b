"""The traps that LlamaIndex sets for whoever watches it, by their numbers, and where each has more tests.

| trap | what must hold | more |
|---|---|---|
| 30 | a streamed answer, however it is read | `test_streams` |
| 31 | streams that are not read, left, or break off | `test_stream_ends` |
| 32 | the reader's objects stay as they are | `test_streams`, `test_stream_protocol`, `test_guest` |
| 33 | chat engines, which show no query | `test_chat_streams` |
| 34 | an answer refined over several prompts | |
| 35 | numbered sources | |
| 36 | engines that ask other engines | |
| 37 | model calls that are not the answer, or show twice | |
| 38 | scores that are overwritten later | `test_guest.test_changes_after_the_event_...` |
| 39 | a postprocessor that shows nothing | |
| 40 | questions in one span, runs in one task | `test_question_block` |
| 41 | one engine, twice, and off again | `test_attach`, `test_detach` |
| 42 | faults of ours | `test_guest` |
| 43 | answers of every shape | |
| 44 | nothing found | |
"""

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import CondenseQuestionChatEngine
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.postprocessor import LLMRerank
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import CitationQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle
from llamaindex_engines import (
    STRUCTURED,
    THOUGHT,
    Asking,
    Ending,
    EndingIts,
    Structured,
    agent,
    ask_agent,
    chat,
    in_loop,
    memory,
    router,
    tools,
)
from llamaindex_expected import expected, streamed, unread
from llamaindex_fakes import ANSWER, LONG, QUESTION, FakeLLM, FakeRetriever, FakeTextLLM, engine
from llamaindex_versions import (
    HAS_WORKFLOW_AGENTS,
    MODEL_IS_CALLED_LATE,
    STREAMS_ARE_READ_FIRST,
    needs_streams,
    since_core,
)
from whole_record import only_run, runs_of, whole

from rag_eval_hooks_llamaindex import Attachment, attach


def streaming(answer: str = LONG, **options: Any) -> Any:
    return engine(answer, streaming=True, **options)


# Streams -------------------------------------------------------------------------------------------------------------


def test_trap_30_two_streams_read_in_turn_one_of_them_in_another_thread(attachment: Attachment) -> None:
    """Each record comes after its last token, with its own answer, model call and time of the first token."""
    first = streaming("Basel it is.").query("First?").response_gen
    second = streaming().query("Second?").response_gen
    said = [next(first), next(second)]
    assert attachment.records == ()
    thread = threading.Thread(target=lambda: said.extend(second))
    thread.start()
    thread.join(20)
    assert [run.question for run in runs_so_far(attachment)] == ["Second?"]
    said.extend(first)
    later, sooner = runs_of(attachment)
    assert whole(later) == streamed(question="Second?", answer=LONG)
    assert whole(sooner) == streamed(question="First?", answer="Basel it is.")
    assert None not in (later.time_to_first_token_ms, sooner.time_to_first_token_ms)


def runs_so_far(attachment: Attachment) -> list[Any]:
    return [record.run for record in attachment.records]


def test_trap_31_a_stream_that_is_never_read(attachment: Attachment) -> None:
    response = streaming().query(QUESTION)
    attachment.collector.sweep(time.monotonic() + 1_000)
    said = streamed(answer=LONG, llm_complete=True) if STREAMS_ARE_READ_FIRST else streamed(answer=None)
    record = unread() if MODEL_IS_CALLED_LATE else said
    assert whole(only_run(attachment)) == record | {"status": "timeout", "flags": ("open_children",)}
    assert str(response) == LONG


@needs_streams
def test_trap_31_a_stream_that_breaks_off(attachment: Attachment) -> None:
    broken = FakeLLM(say=lambda _: LONG, error=ConnectionError("gone"), fail_after=2)
    with pytest.raises(ConnectionError, match="gone"):
        list(streaming(llm=broken).query(QUESTION).response_gen)
    assert whole(only_run(attachment)) == streamed(status="error", error="ConnectionError", answer="one two")


def test_trap_32_a_reader_who_also_listens_to_events(attachment: Attachment) -> None:
    """Another's handler holds the response and dumps its event; reader and record have the text all the same."""
    held: list[Any] = []

    class Other(BaseEventHandler):
        def handle(self, event: Any, **_: Any) -> None:
            if type(event).__name__ == "QueryEndEvent":
                event.model_dump()
                held.append(event.response)

    other = Other()
    handlers = get_dispatcher().event_handlers
    handlers.append(other)
    try:
        response = streaming().query(QUESTION)
        assert held == [response]
        assert (str(response), str(response), response.get_response().response) == (LONG, LONG, LONG)
    finally:
        handlers[:] = [one for one in handlers if one is not other]
    assert whole(only_run(attachment)) == streamed(answer=LONG)


# Chat engines --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["chat", "achat", "stream_chat", "astream_chat"])
def test_trap_33_a_chat_is_one_record(attachment: Attachment, way: str) -> None:
    async def ask() -> str:
        if way == "achat":
            return str(await chat().achat(QUESTION))
        response = await chat().astream_chat(QUESTION)
        return "".join([token async for token in response.async_response_gen()])

    if way == "chat":
        assert str(chat().chat(QUESTION)) == ANSWER
    elif way == "stream_chat":
        assert "".join(chat().stream_chat(QUESTION).response_gen) == ANSWER
    else:
        assert asyncio.run(ask()) == ANSWER
    assert whole(only_run(attachment)) == (streamed() if "stream" in way else expected())


# Synthesizers --------------------------------------------------------------------------------------------------------


def test_trap_34_an_answer_refined_over_prompts_that_hold_a_part_each(attachment: Attachment) -> None:
    """The context is what all calls got together, and the usage that of all of them."""
    asked: list[int] = []

    def say(_: Sequence[ChatMessage]) -> str:
        asked.append(1)
        return f"Draft {len(asked)} is about Basel and the Rhine."

    model = FakeLLM(say=say)
    assert engine(llm=model, response_mode="refine").query(QUESTION)
    record = whole(only_run(attachment))
    assert record == expected(
        answer="Draft 3 is about Basel and the Rhine.",
        context="a b c",
        usage="3 300>15",
        flags=("several_prompts",),
    )


def test_trap_35_numbers_stand_for_the_nodes_that_were_handed_on(attachment: Attachment) -> None:
    """The engine cuts the nodes into sources, in newer versions with ids of their own, and numbers them."""
    cited = CitationQueryEngine.from_args(
        None,  # type: ignore[arg-type]
        llm=FakeLLM(say=lambda _: "Basel has three harbours on the Rhine [2]."),
        retriever=FakeRetriever("ab"),
        text_splitter=TokenTextSplitter(chunk_size=400, chunk_overlap=0, tokenizer=str.split),
    )
    response = cited.query(QUESTION)
    assert [node.node.get_content().splitlines()[0] for node in response.source_nodes] == ["Source 1:", "Source 2:"]
    assert whole(only_run(attachment)) == expected(
        answer="Basel has three harbours on the Rhine [2].",
        chunks="a b",
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8"],
        context="a b",
        citations={"rule": "prompt"},
    )
    last = attachment.last
    assert last is not None
    assert [(mark.marker, mark.target) for mark in last.evaluation.citations] == [("[2]", "b")]


# Engines that ask engines --------------------------------------------------------------------------------------------


def test_trap_36_sub_questions(attachment: Attachment) -> None:
    parts = [{"sub_question": text, "tool_name": name} for text, name in (("Where?", "tool0"), ("How?", "tool1"))]
    plan = f"```json\n{json.dumps(parts)}\n```"
    asked = SubQuestionQueryEngine.from_defaults(
        tools(engine("In Basel.", "ab"), engine("It flows slowly.", "c")),
        llm=FakeLLM(),
        question_gen=LLMQuestionGenerator.from_defaults(llm=FakeLLM(say=lambda _: plan)),
        response_synthesizer=get_response_synthesizer(llm=FakeLLM(say=lambda _: "Slowly, in Basel.")),
        use_async=False,
        verbose=False,
    )
    assert str(asked.query(QUESTION)) == "Slowly, in Basel."
    assert whole(only_run(attachment)) == expected(
        answer="Slowly, in Basel.",
        stages=["1 retrieve FakeRetriever(Where?): a=0.9 b=0.8", "2 retrieve FakeRetriever(How?): c=0.9"],
        usage="4 400>20",
        flags=("several_prompts",),
    )


def test_trap_36_a_router(attachment: Attachment) -> None:
    assert str(router(engine("No."), engine()).query(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == expected(usage="2 200>10")


def test_trap_36_a_condensed_question(attachment: Attachment) -> None:
    said = memory(
        ChatMessage(role="user", content="What is the Rhine?"), ChatMessage(role="assistant", content="A river.")
    )
    condenser = FakeLLM(say=lambda _: "Which city does the river Rhine pass?")
    asked = CondenseQuestionChatEngine.from_defaults(engine(), llm=condenser, memory=said)
    assert str(asked.chat(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == expected(
        stages=["1 retrieve FakeRetriever(Which city does the river Rhine pass?): a=0.9 b=0.8 c=0.7"],
        usage="2 200>10",
    )


# Model calls and scores ----------------------------------------------------------------------------------------------

RANKED = "Doc: 3, Relevance: 9\nDoc: 1, Relevance: 5"


def test_trap_37_a_reranking_call_is_not_the_answer(attachment: Attachment) -> None:
    rerank = LLMRerank(llm=FakeLLM(say=lambda _: RANKED), top_n=2)
    assert str(engine(node_postprocessors=[rerank]).query(QUESTION)) == ANSWER
    assert whole(only_run(attachment)) == expected(
        stages=[f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7 (inner)", "1 rerank LLMRerank: c=9 a=5"],
        context="c a",
        usage="2 200>10",
    )


@pytest.mark.parametrize("is_chat", [False, True])
def test_trap_37_a_call_that_is_handed_on_counts_once(attachment: Attachment, is_chat: bool) -> None:
    """The asynchronous method of a text model calls the synchronous one, and both tell so."""
    model = FakeTextLLM(is_chat=is_chat)
    assert str(asyncio.run(engine(llm=model).aquery(QUESTION))) == ANSWER
    assert whole(only_run(attachment)) == expected()


def test_trap_38_scores_that_fusion_overwrites(attachment: Attachment) -> None:
    """The searches keep the scores they gave, although the same objects have others afterwards."""
    fusion = QueryFusionRetriever(
        [FakeRetriever("ab"), FakeRetriever("bc")],
        llm=FakeLLM(),
        num_queries=1,
        mode="reciprocal_rerank",  # type: ignore[arg-type]
        use_async=False,
        similarity_top_k=3,
    )
    assert str(engine(retriever=fusion).query(QUESTION)) == ANSWER
    fused = f"b={1 / 60 + 1 / 61:g} a={1 / 60:g} c={1 / 61:g}"
    assert whole(only_run(attachment)) == expected(
        chunks="b a c",
        stages=[
            f"1 fuse QueryFusionRetriever({QUESTION}): {fused}",
            f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 (inner)",
            f"1 retrieve FakeRetriever({QUESTION}): b=0.9 c=0.8 (inner)",
        ],
        context="b a c",
    )


class Unseen(BaseNodePostprocessor):
    """Keeps the last two nodes; its asynchronous method is its own, and shows no span."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[:0:-1]

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[:0:-1]


@since_core(0, 12, 52)  # before that, asynchronous queries call the synchronous method
def test_trap_39_a_postprocessor_without_a_span_is_inferred(attachment: Attachment) -> None:
    assert str(asyncio.run(engine(node_postprocessors=[Unseen()]).aquery(QUESTION))) == ANSWER
    assert whole(only_run(attachment)) == expected(
        stages=[
            f"1 retrieve FakeRetriever({QUESTION}): a=0.9 b=0.8 c=0.7 (inner)",
            "1 inferred RetrieverQueryEngine: c b",
        ],
        context="c b",
    )


# What is a question --------------------------------------------------------------------------------------------------


def test_trap_40_two_queries_under_a_span_of_the_users(attachment: Attachment) -> None:
    @get_dispatcher("tests").span  # type: ignore[misc]
    def script() -> None:
        for text in ("First?", "Second?"):
            engine().query(text)

    script()
    assert [whole(run) for run in runs_of(attachment)] == [expected(question="First?"), expected(question="Second?")]


def test_trap_40_two_workflow_runs_in_one_task(attachment: Attachment) -> None:
    """Up to workflows 1 what comes after a run names it as its parent."""

    async def ask() -> None:
        for text in ("First?", "Second?"):
            assert await Asking(timeout=20).run(question=text) == ANSWER
        await engine().aquery("Third?")

    asyncio.run(ask())
    assert [whole(run) for run in runs_of(attachment)] == [
        expected(question="First?"),
        expected(question="Second?"),
        expected(question="Third?"),
    ]


def test_trap_40_two_workflow_runs_at_once(attachment: Attachment) -> None:
    async def ask() -> None:
        first = Asking(timeout=20).run(question="First?")
        second = Asking(timeout=20).run(question="Second?")
        assert await asyncio.gather(first, second) == [ANSWER, ANSWER]

    asyncio.run(ask())
    assert {run.question: whole(run) for run in runs_of(attachment)} == {
        "First?": expected(question="First?"),
        "Second?": expected(question="Second?"),
    }


def test_trap_41_one_engine_of_two() -> None:
    root = get_dispatcher()
    before = [id(one) for one in (*root.event_handlers, *root.span_handlers)]
    asked, other = engine(), engine()
    with attach(engine=asked) as attachment:
        assert attach(engine=asked) is attachment
        other.query("Other?")
        asked.query(QUESTION)
        assert whole(only_run(attachment)) == expected()
    assert [id(one) for one in (*root.event_handlers, *root.span_handlers)] == before


def test_trap_42_a_fault_of_ours_is_counted(
    attachment: Attachment, caught: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: Any, **__: Any) -> None:
        raise ValueError("ours")

    before = attachment.stats()["caught_in_process"]
    monkeypatch.setattr("rag_eval_hooks_llamaindex.calls.reply_from_chat", explode)
    assert str(engine().query(QUESTION)) == ANSWER
    assert attachment.stats()["caught_in_process"] == before + 1
    assert [str(error) for error in caught] == ["ours"]
    caught.clear()
    assert whole(only_run(attachment)) == expected(usage="1 None>None", answer_usage="1 None>None")


# Answers -------------------------------------------------------------------------------------------------------------


def test_trap_43_a_structured_answer(attachment: Attachment) -> None:
    assert Structured(None).query(QUESTION).response.name == "Basel"  # type: ignore[union-attr]
    assert whole(only_run(attachment)) == unread(answer=STRUCTURED, flags=("no_model_events",))


@pytest.mark.parametrize("how", ["a text", "a response", "a mapping", "an object"])
def test_trap_43_what_a_workflow_ends_with(attachment: Attachment, how: str) -> None:
    in_loop(lambda: Ending(timeout=20).run(question=QUESTION, how=how))
    said = STRUCTURED if how == "an object" else ANSWER
    assert whole(only_run(attachment)) == unread(answer=said, flags=("no_model_events",))


@since_core(0, 12, 52)
def test_trap_43_a_stop_event_of_the_users_own(attachment: Attachment) -> None:
    in_loop(lambda: EndingIts(timeout=20).run(question=QUESTION))
    assert whole(only_run(attachment)) == unread(answer=ANSWER, flags=("no_model_events",))


def test_trap_43_an_agents_output(attachment: Attachment) -> None:
    assert ask_agent(agent()) == ANSWER
    told = streamed() if HAS_WORKFLOW_AGENTS else expected()
    for field in ("chunks", "stages", "context"):
        del told[field]
    assert whole(only_run(attachment)) == told | {"llm_text": THOUGHT}


@pytest.mark.parametrize("way", ["query", "aquery", "stream"])
def test_trap_44_nothing_is_found(attachment: Attachment, way: str) -> None:
    asked = engine(keys="", streaming=way == "stream")
    response = asyncio.run(asked.aquery(QUESTION)) if way == "aquery" else asked.query(QUESTION)
    assert str(response) == "Empty Response"
    assert whole(only_run(attachment)) == {
        "question": QUESTION,
        "answer": "Empty Response",
        "stages": [f"1 retrieve FakeRetriever({QUESTION}): "],
        "context_source": "last_stage",
        "usage": "0 None>None",
        "flags": ("no_model_events",),
    }
