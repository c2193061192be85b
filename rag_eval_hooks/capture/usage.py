"""What the model calls of a question took: tokens and cost, as the providers report them."""

from collections.abc import Mapping, Sequence
from typing import Any

from rag_eval_hooks.capture.trace import Reply, Step
from rag_eval_hooks.record import Usage
from rag_eval_hooks.record.clean import clean_number

__all__ = ["cached_calls", "sum_usage"]

INPUT_NAMES = ("input_tokens", "prompt_tokens", "prompt_token_count", "inputTokens")
OUTPUT_NAMES = ("output_tokens", "completion_tokens", "candidates_token_count", "outputTokens")
MAX_TOKENS = 2**53
"""What is more counts nothing: readers of JSON and databases would take it for another number, or fail."""
COST_NAMES = ("total_cost", "cost")


def sum_usage(steps: Sequence[Step]) -> Usage:
    """Returns what all these model calls took; a count that no call reported is None, not 0."""
    totals: dict[str, int | None] = {"input": None, "output": None}
    cost: float | None = None
    for step in steps:
        reply = step.output
        if not isinstance(reply, Reply):
            continue
        usage = reply.usage
        for kind, names in (("input", INPUT_NAMES), ("output", OUTPUT_NAMES)):
            count = next((usage[name] for name in names if name in usage), None) if usage else None
            if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MAX_TOKENS:
                totals[kind] = (totals[kind] or 0) + count
        paid = _cost(reply)
        if paid is not None:
            cost = (cost or 0.0) + paid
    return Usage(input_tokens=totals["input"], output_tokens=totals["output"], model_calls=len(steps), cost=cost)


def cached_calls(steps: Sequence[Step]) -> bool:
    """Whether any answer came from a cache: LangChain then repeats the tokens, at a cost of 0."""
    return any(isinstance(step.output, Reply) and (step.output.usage or {}).get("total_cost") == 0 for step in steps)


def _cost(reply: Reply) -> float | None:
    usage: Mapping[str, Any] = reply.usage or {}
    reported = (reply.cost, *(usage.get(name) for name in COST_NAMES))
    numbers = (clean_number(value) for value in reported if isinstance(value, (int, float)))
    return next((number for number in numbers if number is not None and number >= 0), None)
