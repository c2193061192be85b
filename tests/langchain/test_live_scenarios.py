"""What must hold while a request runs: the scenarios of the live mode, by their ids.

live-06, live-07 and live-14 are in `test_live_contexts`. Shown elsewhere:
- live-02, a retriever on its own: `test_invoke_and_stream.test_a_retriever_alone_is_a_record_without_an_answer`;
- live-12, copies and pickles: `test_guest.test_a_copy_is_the_same_handler_and_a_pickle_is_switched_off`, and a lock and
  an open file in the metadata: `test_operation_scenarios.test_objects_in_metadata_do_not_cost_the_record`;
- live-16, the import changes nothing: `test_processes.test_importing_changes_no_event_loop_policy_...`.

live-10 comes from frameworks whose spans end in any order; LangChain's roots end first only for streams that are left,
so here work that has begun is waited for, and what starts once everything has ended is late.
"""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.documents import Document
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult
from langchain_core.runnables import RunnableLambda
from langchain_fakes import FakeChat, FakeRetriever, documents, join, rag
from many_questions import token_of
from usual_record import ANSWER, expected
from versions import since_core
from ways_to_ask import cancelled_after
from whole_record import measured, only_run, runs_of, whole

from rag_eval_hooks import evaluate
from rag_eval_hooks.capture import Collector, Limits
from rag_eval_hooks.testing import make_run
from rag_eval_hooks_langchain import RagEvalCallbackHandler

# Many at once ------------------------------------------------------------------------------------------------------


class Waiting(FakeRetriever):
    """Answers each query when its turn comes."""

    turns: dict[str, asyncio.Event]
    began: Any

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        self.began.release()
        await self.turns[query].wait()
        assert self.find is not None
        return self.find(query)


# live-01
def test_fifty_questions_at_once_through_one_handler(handler: RagEvalCallbackHandler) -> None:
    """All searches are under way before the first returns, and they return in another order."""
    tokens = [f"T{number:02d}" for number in range(50)]

    def find(query: str) -> list[Document]:
        return [Document(id=f"{token_of(query)}-{n}", page_content=f"{token_of(query)} fact {n}.") for n in (1, 2)]

    async def main() -> None:
        turns = {f"q {token}": asyncio.Event() for token in tokens}
        began = asyncio.Semaphore(0)
        model = FakeChat(say=lambda messages: f"It is {token_of(str(messages[-1].content))}.")
        chain = rag(model, Waiting(turns=turns, began=began, find=find))
        asked = [asyncio.create_task(chain.ainvoke(query, config={"callbacks": [handler]})) for query in turns]
        for _ in asked:
            await began.acquire()
        for query in sorted(turns, key=lambda query: query[::-1]):
            turns[query].set()
        await asyncio.gather(*asked)

    asyncio.run(main())
    found = {run.question: whole(run) for run in runs_of(handler)}
    assert found == {
        f"q {token}": expected(
            question=f"q {token}",
            answer=f"It is {token}.",
            chunks=f"{token}-1 {token}-2",
            texts={f"{token}-1": f"{token} fact 1.", f"{token}-2": f"{token} fact 2."},
            stages=[f"1 retrieve Waiting(q {token}): {token}-1 {token}-2"],
            context=f"{token}-1 {token}-2",
        )
        for token in tokens
    }


# live-11
@pytest.mark.parametrize("first", ["one", "two"])
def test_searches_in_tasks_of_their_own(handler: RagEvalCallbackHandler, first: str) -> None:
    """They are in the record in order of start, whichever ends first."""

    async def main() -> None:
        turns = {"one": asyncio.Event(), "two": asyncio.Event()}
        began = asyncio.Semaphore(0)
        retriever = Waiting(turns=turns, began=began, find=lambda query: documents("a" if query == "one" else "b"))

        async def answer(question: str) -> str:
            searches = [asyncio.create_task(retriever.ainvoke(query)) for query in turns]
            for _ in searches:
                await began.acquire()
            turns[first].set()
            await searches[0 if first == "one" else 1]
            for turn in turns.values():
                turn.set()
            found = [document for documents in await asyncio.gather(*searches) for document in documents]
            return str((await FakeChat().ainvoke([("system", join(found)), ("human", question)])).content)

        await RunnableLambda(answer).ainvoke("Q?", config={"callbacks": [handler]})

    asyncio.run(main())
    assert whole(only_run(handler)) == expected(
        chunks="a b", stages=["1 retrieve Waiting(one): a", "2 retrieve Waiting(two): b"], context="a b"
    )


# live-13
def test_the_same_handler_on_the_chain_the_model_and_the_call(handler: RagEvalCallbackHandler) -> None:
    chain = rag(FakeChat(callbacks=[handler])).with_config(callbacks=[handler])
    chain.invoke("Q?", config={"callbacks": [handler]})
    list(chain.stream("Q?", config={"callbacks": [handler]}))
    assert [whole(run) for run in runs_of(handler)] == [expected(), expected()]
    stats = handler.stats()
    assert (stats["opened"], stats["submitted"], stats["evaluated"], stats["late"]) == (2, 2, 2, 0)


# Ends that are not the usual one -----------------------------------------------------------------------------------


# live-03
def test_a_chain_that_fails_after_the_search(handler: RagEvalCallbackHandler) -> None:
    error = ValueError("no such template")

    def fail(_: Any) -> str:
        raise error

    with pytest.raises(ValueError, match="no such template") as raised:
        rag(pack=fail, retriever=FakeRetriever(keys="ab")).invoke("Q?", config={"callbacks": [handler]})
    assert raised.value is error
    assert whole(only_run(handler)) == {
        "question": "Q?",
        "status": "error",
        "error": "ValueError",
        "chunks": "a b",
        "stages": ["1 retrieve FakeRetriever(Q?): a b"],
        "context": "a:assumed:1.00 b:assumed:1.00",
        "context_source": "last_stage",
        "usage": "0 None>None",
    }
    assert set(measured(handler).values()) == {"incomplete_run"}


TWENTY = " ".join(f"w{number}" for number in range(20))


# live-04
def test_a_reader_who_leaves_a_stream(handler: RagEvalCallbackHandler) -> None:
    """LangChain reads the model to its end after the reader has left, which is kept apart from what was read."""
    got: list[str] = []
    for token in rag(FakeChat(say=lambda _: TWENTY)).stream("Q?", config={"callbacks": [handler]}):
        got.append(token)
        if len(got) == 5:
            break
    assert whole(only_run(handler)) == expected(
        answer="w0 w1 w2 w3 w4 ", llm_text=TWENTY, llm_complete=True, status="abandoned"
    )


# live-04
def test_a_reader_who_leaves_an_async_stream(handler: RagEvalCallbackHandler) -> None:
    async def read() -> None:
        got = 0
        async for _ in rag(FakeChat(say=lambda _: TWENTY)).astream("Q?", config={"callbacks": [handler]}):
            got += 1
            if got == 5:
                break

    asyncio.run(read())
    assert whole(only_run(handler)) == expected(
        answer="w0 w1 w2 w3 w4 ", status="abandoned", usage="1 None>None", answer_usage="1 None>None"
    )
    assert set(measured(handler).values()) == {"incomplete_run"}


# live-05
def test_searches_that_never_end() -> None:
    """100 000 of them: the table stays at its limit, every one is counted, and what is kept is level from 20 000 on."""
    seconds = [0.0]
    delivered = dict.fromkeys(("evicted", "timeout"), 0)

    def deliver(trace: Any) -> None:
        delivered[trace.forced] += 1

    limits = Limits(max_open=1_000, ttl_s=60.0, tombstones=5_000)
    collector = Collector(deliver, limits=limits, clock=lambda: seconds[0])
    for number in range(1, 100_001):
        collector.start(number, None, "retriever", "store", "q")
        if number % 20_000 == 0:
            assert (collector.open_records, collector.open_ids, collector.remembered_ids) == (1_000, 1_000, 6_000)
    assert delivered == {"evicted": 99_000, "timeout": 0}
    seconds[0] = 59.9
    collector.sweep()
    assert collector.open_records == 1_000
    seconds[0] = 60.0
    collector.sweep()
    assert (collector.open_records, collector.open_ids) == (0, 0)
    assert delivered == {"evicted": 99_000, "timeout": 1_000}
    stats = collector.stats()
    assert (stats["opened"], stats["evicted"], stats["timeout"]) == (100_000, 99_000, 1_000)


# live-10
def test_a_root_that_ends_before_the_work_below_it(handler: RagEvalCallbackHandler) -> None:
    root, search, model, late = uuid4(), uuid4(), uuid4(), uuid4()
    prompt = [HumanMessage(join(documents("a")))]
    reply = LLMResult(generations=[[ChatGeneration(message=AIMessageChunk(content=ANSWER))]])
    handler.on_chain_start(None, {"question": "Q?"}, run_id=root, name="workflow")
    handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name="store")
    handler.on_chain_end(None, run_id=root)
    handler.on_chat_model_start(None, [prompt], run_id=model, parent_run_id=root, name="chat")
    handler.on_retriever_end(documents("a"), run_id=search, parent_run_id=root)
    assert handler.hooks.flush() == 0
    assert handler.stats()["open"] == 1
    handler.on_llm_end(reply, run_id=model, parent_run_id=root)
    handler.on_retriever_start(None, "more?", run_id=late, parent_run_id=root, name="store")
    handler.on_retriever_end(documents("b"), run_id=late, parent_run_id=root)
    assert whole(only_run(handler)) == expected(
        chunks="a",
        stages=["1 retrieve store(Q?): a"],
        context="a",
        usage="1 None>None",
        answer_usage="1 None>None",
    )
    assert handler.stats()["late"] == 1


# live-17
def test_a_request_that_is_cancelled_while_the_model_streams(handler: RagEvalCallbackHandler) -> None:
    async def main() -> None:
        pause, paused = asyncio.Event(), asyncio.Event()
        chain = rag(FakeChat(say=lambda _: TWENTY, pause=pause, paused=paused))

        async def read() -> list[str]:
            return [chunk async for chunk in chain.astream("Q?", config={"callbacks": [handler]})]

        await cancelled_after(paused, read())

    asyncio.run(main())
    assert whole(only_run(handler)) == expected(
        answer="w0 w1 ",
        status="cancelled",
        error="CancelledError",
        usage="1 None>None",
        answer_usage="1 None>None",
    )
    assert set(measured(handler).values()) == {"incomplete_run"}


# What events may lack ----------------------------------------------------------------------------------------------


# live-08
def test_an_answer_from_a_cache_whose_model_events_are_missing(handler: RagEvalCallbackHandler) -> None:
    root, search = uuid4(), uuid4()
    handler.on_chain_start(None, {"question": "Q?"}, run_id=root, name="chain")
    handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name="store")
    handler.on_retriever_end(documents("ab"), run_id=search, parent_run_id=root)
    handler.on_chain_end({"answer": ANSWER}, run_id=root)
    assert whole(only_run(handler)) == {
        "question": "Q?",
        "answer": ANSWER,
        "chunks": "a b",
        "stages": ["1 retrieve store(Q?): a b"],
        "context": "a:assumed:1.00 b:assumed:1.00",
        "context_source": "last_stage",
        "usage": "0 None>None",
        "flags": ("no_model_events",),
    }


# live-08
@since_core(0, 3, 86)  # earlier ones need not tell that an answer was cached
def test_the_same_question_again_with_a_cache(handler: RagEvalCallbackHandler) -> None:
    chain = rag(FakeChat(cache=InMemoryCache()))
    for _ in range(2):
        assert chain.invoke("Q?", config={"callbacks": [handler]}) == ANSWER
    first, second = (whole(run) for run in runs_of(handler))
    assert first == expected()
    assert second == expected(usage="1 100>5 0", answer_usage="1 100>5 0", flags=("cached",))


# live-09
def test_events_without_a_description_of_the_component(handler: RagEvalCallbackHandler) -> None:
    root, search, model = uuid4(), uuid4(), uuid4()
    reply = LLMResult(generations=[[ChatGeneration(message=AIMessageChunk(content=ANSWER))]])
    handler.on_chain_start(None, {"question": "Q?"}, run_id=root, name="my chain")
    handler.on_retriever_start(None, "Q?", run_id=search, parent_run_id=root, name="my store")
    handler.on_retriever_end(documents("a"), run_id=search)
    handler.on_chat_model_start(
        None, [[HumanMessage(join(documents("a")))]], run_id=model, parent_run_id=root, name="my model"
    )
    handler.on_llm_end(reply, run_id=model)
    handler.on_chain_end({"answer": ANSWER}, run_id=root)
    assert whole(only_run(handler)) == expected(
        chunks="a",
        stages=["1 retrieve my store(Q?): a"],
        context="a",
        usage="1 None>None",
        answer_usage="1 None>None",
    )


# live-15
def test_tokens_that_are_blocks(handler: RagEvalCallbackHandler) -> None:
    class Blocks(FakeChat):
        def _chunks(self, messages: Any) -> Any:
            for content in ("Hi", [{"type": "text", "text": " there", "index": 0}], [{"type": "tool_use"}], ""):
                yield ChatGenerationChunk(message=AIMessageChunk(content=content))

    list((FakeRetriever() | join | Blocks()).stream("Q?", config={"callbacks": [handler]}))
    assert whole(only_run(handler)) == expected(answer="Hi there", usage="1 None>None", answer_usage="1 None>None")


# live-16
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_evaluation_inside_a_running_event_loop(loop: str) -> None:
    factory = None if loop == "asyncio" else pytest.importorskip("uvloop").new_event_loop
    run = make_run("ab", answer="It passes Basel [1].")

    async def main() -> Any:
        return evaluate(run)

    with asyncio.Runner(loop_factory=factory) as runner:
        assert runner.run(main()) == evaluate(run)
