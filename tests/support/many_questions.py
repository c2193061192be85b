"""Many distinct questions, and what the record of each must be: for the stress tests of all adapters."""

import threading
from typing import Any

from rag_eval_hooks.capture import Collector
from rag_eval_hooks.record import RagRun

__all__ = [
    "LOSSES",
    "THREADS",
    "CountingSink",
    "answer_about",
    "expected_record",
    "facts_about",
    "left_in_collector",
    "questions",
    "token_of",
    "without_ids_and_times",
]

THREADS = 16
LOSSES = ("discarded", "evicted", "timeout", "too_many_steps", "queue_full", "closed", "failed_record", "late")
"""Words of `stats()` that are 0 where nothing went wrong."""


def questions(count: int, prefix: str = "") -> list[str]:
    """Distinct questions, each with a token that its documents and its answer repeat."""
    return [f"What about T{prefix}{number:04d}x ?" for number in range(count)]


def token_of(text: str) -> str:
    """The token that ties a question to its documents and its answer."""
    return next(word for word in text.replace("?", " ").replace(".", " ").split() if word.startswith("T"))


def facts_about(question: str) -> dict[str, str]:
    """What the search for a question finds: two texts by id, with its token."""
    token = token_of(question)
    return {f"{token}-{number}": f"Fact {number} about {token} and nothing else." for number in (1, 2)}


def answer_about(question: str) -> str:
    return f"It is {token_of(question)} indeed."


def without_ids_and_times(run: RagRun) -> RagRun:
    """Returns a record in which only what differs from run to run is blank; whether a first token came stays."""
    stages = tuple(stage.model_copy(update={"run_id": "", "duration_ms": 0.0}) for stage in run.stages)
    first = run.time_to_first_token_ms
    times = {"started_at": 0.0, "duration_ms": 0.0, "time_to_first_token_ms": None if first is None else 0.0}
    return run.model_copy(update={"run_id": "", "stages": stages, **times})


def expected_record(question: str, captured_by: str, *, streamed: bool, **fields: Any) -> RagRun:
    """The whole record of a question whose search is `FakeRetriever`, without ids and times.

    Args:
        question: The question.
        captured_by: As the record says.
        streamed: Whether the answer was streamed.
        **fields: What else the record says, or says instead.
    """
    usage = {"input_tokens": 100, "output_tokens": 5, "model_calls": 1}
    return RagRun.model_validate(
        {
            "run_id": "",
            "status": "ok",
            "question": question,
            "answer": answer_about(question),
            "chunks": [{"id": key, "text": text} for key, text in facts_about(question).items()],
            "stages": [
                {
                    "kind": "retrieve",
                    "name": "FakeRetriever",
                    "query": question,
                    "items": [{"chunk": 0}, {"chunk": 1}],
                    "round": 1,
                    "final": True,
                    "run_id": "",
                    "duration_ms": 0.0,
                }
            ],
            "context": [{"chunk": number, "match": "exact", "coverage": 1.0} for number in (0, 1)],
            "context_source": "prompt",
            "started_at": 0.0,
            "duration_ms": 0.0,
            "time_to_first_token_ms": 0.0 if streamed else None,
            "usage": usage,
            "answer_usage": usage,
            "captured_by": captured_by,
            **fields,
        }
    )


def left_in_collector(collector: Collector) -> dict[str, int]:
    """What is still kept for single runs, by table; all 0 once every question is through. Ids of delivered runs are
    remembered for a while and are not counted here, see `Collector.remembered_ids`."""
    return {
        "open ids": collector.open_ids,
        "open records": collector.open_records,
        "events": len(collector._events),
        "roots": len(collector._roots),
        "mapping": len(collector._mapping),
        "marked": len(collector._marked),
        "tokens": len(collector._tokens),
        "parts": len(collector._by_parts),
        "said": len(collector._said),
    }


class CountingSink:
    """Counts records by status; keeps none."""

    def __init__(self) -> None:
        self.statuses: dict[str, int] = {}
        self._lock = threading.Lock()

    def write(self, run: Any, evaluation: Any) -> None:
        with self._lock:
            self.statuses[run.status] = self.statuses.get(run.status, 0) + 1

    def flush(self) -> None: ...

    def close(self) -> None: ...
