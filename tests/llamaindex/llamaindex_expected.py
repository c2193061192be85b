"""The usual record of a question to a fake engine, to be changed to what a way of asking makes of it."""

from typing import Any

from llamaindex_fakes import ANSWER, QUESTION

__all__ = ["expected", "streamed", "unread"]


def expected(**changes: Any) -> dict[str, Any]:
    """Returns, as `whole` does, one search for a, b and c, all of them in the prompt of one call.

    Args:
        **changes: What is different; None where the record has no such field.
    """
    asked = changes.get("question", QUESTION)
    record = {
        "question": asked,
        "answer": ANSWER,
        "chunks": "a b c",
        "stages": [f"1 retrieve FakeRetriever({asked}): a=0.9 b=0.8 c=0.7"],
        "context": "a b c",
        "context_source": "prompt",
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }
    return {key: value for key, value in (record | changes).items() if value is not None}


def streamed(**changes: Any) -> dict[str, Any]:
    """Returns `expected` of a question whose answer streamed: the fakes' streams tell no token counts."""
    return expected(**{"usage": "1 None>None", "answer_usage": "1 None>None", **changes})


def unread(**changes: Any) -> dict[str, Any]:
    """Returns `streamed` of a question whose model was not called, or not seen: the last search is its context."""
    assumed = {"context": "a:assumed:1.00 b:assumed:1.00 c:assumed:1.00", "context_source": "last_stage"}
    return streamed(**{"answer": None, **assumed, "usage": "0 None>None", "answer_usage": None, **changes})
