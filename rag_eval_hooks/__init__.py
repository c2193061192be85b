"""Live evaluation of RAG pipelines without a model call.

`evaluate(run)` says which chunks the answer used, what that means for context precision, evidence and citations, and
which stage is to blame. Adapters (`rag_eval_hooks_langchain`) make the run from a live pipeline; `read_run` makes it
from a log.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag_eval_hooks.attribution import Attributor
    from rag_eval_hooks.errors import RagEvalHooksError
    from rag_eval_hooks.pipeline import evaluate
    from rag_eval_hooks.record import Evaluation, RagRun, read_run

__all__ = ["Attributor", "Evaluation", "RagEvalHooksError", "RagRun", "evaluate", "read_run"]

# Loaded on first use: a service that imports the package at start-up pays for the stages when it needs them.
_HOMES = {
    "Attributor": "rag_eval_hooks.attribution",
    "Evaluation": "rag_eval_hooks.record",
    "RagEvalHooksError": "rag_eval_hooks.errors",
    "RagRun": "rag_eval_hooks.record",
    "evaluate": "rag_eval_hooks.pipeline",
    "read_run": "rag_eval_hooks.record",
}


def __getattr__(name: str) -> Any:
    """Loads a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Lists the public names, loaded or not."""
    return sorted({*globals(), *__all__})
