"""Taken off while something runs: it is recorded to its end where anybody tells of that, and else as it stands."""

import threading

import pytest
from llamaindex_expected import expected, streamed, unread
from llamaindex_fakes import ANSWER, LONG, QUESTION, FakeRetriever, engine
from llamaindex_versions import MODEL_IS_CALLED_LATE, STREAMS_ARE_READ_FIRST
from whole_record import only_run, whole

from rag_eval_hooks_llamaindex import Attachment, attach


@pytest.mark.parametrize("other", [True, False])
def test_a_question_that_runs_when_we_are_taken_off(other: bool) -> None:
    """It is recorded to its end if anything else is attached; otherwise as it stands, since nobody hears of the end."""
    gate, entered = threading.Event(), threading.Event()
    asked = engine(retriever=FakeRetriever(gate=gate, entered=entered))
    elsewhere = engine()
    beside = attach(engine=elsewhere) if other else None
    attachment = attach()
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(str(asked.query(QUESTION))))
    thread.start()
    assert entered.wait(20)
    attachment.detach()
    gate.set()
    thread.join(20)
    assert answers == [ANSWER]
    stands = {
        "status": "evicted",
        "question": QUESTION,
        "context_source": "last_stage",
        "usage": "0 None>None",
        "flags": ("open_children",),
    }
    assert whole(only_run(attachment)) == (expected() if other else stands)
    attachment.close()
    if beside is not None:
        beside.detach()
        beside.close()


@pytest.mark.parametrize("tokens", [0, 2])
def test_a_stream_that_is_read_when_we_are_taken_off_ends_its_record(tokens: int) -> None:
    attachment = attach()
    stream = engine(LONG, streaming=True).query(QUESTION).response_gen
    text = "".join(next(stream) for _ in range(min(tokens, 1 if STREAMS_ARE_READ_FIRST else 2)))
    attachment.detach()
    assert attachment.records == ()
    assert text + "".join(stream) == LONG
    # Who reads the first token later calls the model where nobody hears it any more.
    unheard = unread(answer=LONG, flags=("no_model_events",))
    assert whole(only_run(attachment)) == (unheard if MODEL_IS_CALLED_LATE and tokens == 0 else streamed(answer=LONG))
    attachment.close()


def test_a_stream_that_is_left_after_we_were_taken_off(attachment: Attachment) -> None:
    response = engine(LONG, streaming=True).query(QUESTION)
    said = next(response.response_gen)
    attachment.detach()
    del response
    assert whole(only_run(attachment)) == streamed(
        status="abandoned", answer=said, **({"llm_complete": True} if STREAMS_ARE_READ_FIRST else {})
    )
