"""Lists in which nothing was found: answers that are handed on, and what an answer is checked against."""

from collections.abc import Mapping

from rag_eval_hooks.capture.foreign import text_of
from rag_eval_hooks.capture.pool import Pool
from rag_eval_hooks.capture.texts import call_text
from rag_eval_hooks.capture.trace import Items, Opaque, Step, Trace

__all__ = ["is_answers", "is_check"]


def is_answers(items: Items, step: Step, trace: Trace, pool: Pool) -> bool:
    """Whether what a step was handed is what was answered before, as the answers to sub-questions are."""
    texts = [text_of(item[1]) for item in items]
    said = _said_before(step, trace)
    return (
        bool(texts) and bool(said) and all(not pool.holds(text) and any(one in text for one in said) for text in texts)
    )


def is_check(items: Items, step: Step, trace: Trace, pool: Pool) -> bool:
    """Whether a step only compares an answer with what was found before, as LlamaIndex's evaluators do.

    What was found is made into a new index and searched for the answer, so it comes again, under other ids.
    """
    asked = step.input.get("query") if isinstance(step.input, Mapping) else step.input
    if not isinstance(asked, str) or not items or not any(one in asked for one in _said_before(step, trace)):
        return False
    return all(pool.is_copy(item) for item in items)


def _said_before(step: Step, trace: Trace) -> list[str]:
    """Returns what models had said, and what questions inside the question had been answered."""
    texts = (
        call_text(one) if one.kind == "model" else one.output
        for one in trace.steps
        if one.ended is not None and one.ended <= step.started
    )
    return [text.strip() for text in texts if isinstance(text, str) and not isinstance(text, Opaque) and text.strip()]
