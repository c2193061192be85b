"""Many questions at once through one handler: each record holds its own question, chunks and answer, nothing else."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_fakes import echo_chain

from rag_eval_hooks_langchain import RagEvalCallbackHandler

COUNT = 300
QUESTIONS = [f"What about T{number:03d}x ?" for number in range(COUNT)]


def _threads(chain: Any, config: Any) -> None:
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda question: chain.invoke(question, config=config), QUESTIONS))


def _thread_streams(chain: Any, config: Any) -> None:
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda question: list(chain.stream(question, config=config)), QUESTIONS))


def _abatch(chain: Any, config: Any) -> None:
    asyncio.run(chain.abatch(QUESTIONS, config=config))


def _batch(chain: Any, config: Any) -> None:
    chain.batch(QUESTIONS, config={**config, "max_concurrency": 8})


def _astreams(chain: Any, config: Any) -> None:
    async def one(question: str) -> list[str]:
        return [chunk async for chunk in chain.astream(question, config=config)]

    async def main() -> None:
        await asyncio.gather(*(one(question) for question in QUESTIONS))

    asyncio.run(main())


@pytest.mark.parametrize("ask", [_threads, _thread_streams, _batch, _abatch, _astreams])
def test_every_record_has_its_own_question_chunks_and_answer(ask: Any) -> None:
    with RagEvalCallbackHandler() as handler:
        ask(echo_chain(), {"callbacks": [handler]})
        assert handler.flush(60) == 0
        runs = {record.run.question: record.run for record in handler.records}
        assert sorted(runs) == QUESTIONS
        for question, run in runs.items():
            token = str(question).split()[2]
            assert run.status == "ok"
            assert run.answer == f"It is {token} indeed."
            assert [chunk.id for chunk in run.chunks] == [f"{token}-1", f"{token}-2"]
            assert [chunk.id for chunk in run.context_chunks()] == [f"{token}-1", f"{token}-2"]
            assert run.stages[0].query == question
        collector = handler.hooks.collector(next(iter(runs.values())).captured_by)
        assert (collector.open_ids, collector.open_records) == (0, 0)
        stats = handler.stats()
        assert (stats["opened"], stats["submitted"], stats["evaluated"], stats["late"]) == (COUNT, COUNT, COUNT, 0)
