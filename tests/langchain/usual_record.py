"""The usual question of the pipeline tests, and its record, to be changed to what a pipeline makes of it."""

from typing import Any

from langchain_core.runnables import Runnable
from whole_record import only_run, whole

from rag_eval_hooks_langchain import RagEvalCallbackHandler

__all__ = ["ANSWER", "QUESTION", "ask", "expected", "usual"]

QUESTION = "Which city does the Rhine pass?"
ANSWER = "It passes Basel [1]."


def ask(chain: Runnable[Any, Any], handler: RagEvalCallbackHandler, value: Any = QUESTION) -> dict[str, Any]:
    """Asks a chain, and returns the whole record, the only one of the handler."""
    chain.invoke(value, config={"callbacks": [handler]})
    return whole(only_run(handler))


def usual(**changes: Any) -> dict[str, Any]:
    """Returns, as `whole` does, one search for a, b and c, all of them numbered in the prompt of one call.

    Args:
        **changes: What is different; None where the record has no such field.
    """
    asked = changes.get("question", QUESTION)
    keys = changes.get("chunks", "a b c")
    record = {
        "question": asked,
        "answer": ANSWER,
        "chunks": keys,
        "stages": [f"1 retrieve FakeRetriever({asked}): {keys}"],
        "context": keys,
        "context_source": "prompt",
        "citations": {"rule": "prompt"},
        "usage": "1 100>5",
        "answer_usage": "1 100>5",
    }
    return {key: value for key, value in (record | changes).items() if value is not None}


def expected(**changes: Any) -> dict[str, Any]:
    """Returns `usual` of the question `Q?`, for tests in which the words of the question say nothing."""
    return usual(**{"question": "Q?", **changes})
