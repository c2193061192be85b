"""Live evaluation of RAG pipelines without a model call.

`evaluate(run)` says which chunks the answer used, what that means for context precision, evidence and citations, and
which stage is to blame. Adapters (`rag_eval_hooks_langchain`) make the run from a live pipeline; `read_run` makes it
from a log.
"""

from rag_eval_hooks.errors import RagEvalHooksError
from rag_eval_hooks.pipeline import evaluate
from rag_eval_hooks.record import Evaluation, RagRun, read_run

__all__ = ["Evaluation", "RagEvalHooksError", "RagRun", "evaluate", "read_run"]
