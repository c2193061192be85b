"""Many questions at once through one handler: each record holds its own question, chunks and answer, nothing else."""

import pytest
from langchain_fakes import echo_chain
from langchain_stress import MANY_WAYS, expected_record, left_in_tables
from many_questions import questions, without_ids_and_times

from rag_eval_hooks_langchain import RagEvalCallbackHandler

COUNT = 300


@pytest.mark.parametrize("way", MANY_WAYS)
def test_every_record_is_its_own_questions(way: str) -> None:
    asked = questions(COUNT)
    with RagEvalCallbackHandler() as handler:
        MANY_WAYS[way](echo_chain(), {"callbacks": [handler]}, asked)
        assert handler.flush(60) == 0
        runs = {record.run.question: record.run for record in handler.records}
        assert sorted(runs) == asked
        for question, run in runs.items():
            expected = expected_record(question, run.captured_by, streamed="stream" in way)
            assert without_ids_and_times(run) == expected
        assert set(left_in_tables(handler).values()) == {0}
        assert handler.collector.remembered_ids == 9 * COUNT
        stats = handler.stats()
        assert (stats["opened"], stats["submitted"], stats["evaluated"], stats["late"]) == (COUNT, COUNT, COUNT, 0)
