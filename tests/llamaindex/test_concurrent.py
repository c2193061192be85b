"""Many questions at once: each record holds its own question, chunks and answer, nothing else."""

import pytest
from llamaindex_stress import MANY_WAYS, is_right, left_in_tables
from many_questions import answer_about, questions

from rag_eval_hooks_llamaindex import Attachment

COUNT = 300


@pytest.mark.parametrize("way", MANY_WAYS)
def test_every_record_is_its_own_questions(attachment: Attachment, way: str) -> None:
    asked = questions(COUNT)
    assert MANY_WAYS[way](asked) == [answer_about(question) for question in asked]
    assert attachment.flush(60) == 0
    runs = [record.run for record in attachment.records]
    assert sorted(str(run.question) for run in runs) == asked
    assert [run for run in runs if not is_right(run, way)] == []
    assert set(left_in_tables(attachment).values()) == {0}
    stats = attachment.stats()
    assert (stats["opened"], stats["submitted"], stats["evaluated"], stats["late"]) == (COUNT, COUNT, COUNT, 0)
