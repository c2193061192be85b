"""Where LangChain's versions, or its own faults, need help; each with what lets us delete it."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from rag_eval_hooks.capture import guarded

__all__ = ["FALLBACKS", "FALLBACKS_SEEN", "HIDDEN", "ambient_run", "fallback_parent", "note_branch", "note_fallbacks"]

HIDDEN = "langsmith:hidden"
"""Tag of steps that are the framework's own. Until langgraph 0.3 is no longer supported: what writes a node's output to
the state runs below the node, ends before it, and would show its documents first."""

FALLBACKS = "RunnableWithFallbacks"
"""Name of the runs to note."""

# Until `with_fallbacks` passes its run id on (langchain issue 36072; still so in langchain-core 1.8.3): the branches of
# `chain.with_fallbacks([...])` arrive without a parent, so that one question would give several records.
_wrapper: ContextVar["_Fallbacks | None"] = ContextVar("rag_eval_hooks_fallbacks", default=None)


FALLBACKS_SEEN: list[bool] = []
"""Not empty from the first run with fallbacks on: until then no event needs to look for one around it."""


class _Fallbacks:
    """A run with fallbacks, and its input, by which branches without a parent are known."""

    __slots__ = ("inputs", "run_id")

    def __init__(self, run_id: int, inputs: int) -> None:
        self.run_id = run_id
        self.inputs: int | None = inputs


def note_fallbacks(run_id: UUID, inputs: Any) -> None:
    """Remembers, in the caller's context, that a run with fallbacks has begun with this input object."""
    if not FALLBACKS_SEEN:
        FALLBACKS_SEEN.append(True)
    _wrapper.set(_Fallbacks(run_id.int, id(inputs)))


def note_branch(parent_id: int) -> None:
    """Notes that a branch names its parent, as those of streams do: then no run without one belongs to it.

    A stream stays open as long as its reader likes, and he may ask the same again meanwhile, with the same object.
    """
    wrapper = _wrapper.get()
    if wrapper is not None and wrapper.run_id == parent_id:
        wrapper.inputs = None


def fallback_parent(inputs: Any, is_open: Callable[[int], bool]) -> int | None:
    """Returns the open run with fallbacks that a run without a parent belongs to, if any.

    Equal inputs are not enough (many requests ask the same), so it must be the same object in the same context; while
    the run is open its input is alive, and so the object's id is its own.
    """
    wrapper = _wrapper.get()
    if wrapper is None or wrapper.inputs != id(inputs) or not is_open(wrapper.run_id):
        return None
    return wrapper.run_id


def ambient_run() -> int | None:
    """Returns the id of the LangChain run that the caller's code stands in, or None.

    The variable that holds it has no public reader in any version (langchain-core 0.3.0 to 1.8.3).
    """
    with guarded("compat.ambient_run"):
        from langchain_core.runnables.config import var_child_runnable_config  # see attach.py on what it loads

        config = var_child_runnable_config.get()
        parent = getattr(config.get("callbacks") if config else None, "parent_run_id", None)
        return parent.int if isinstance(parent, UUID) else None
    return None
