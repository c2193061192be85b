"""`FunctionSink`: hands each record to a function of the caller's."""

from collections.abc import Callable

from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.sinks.base import Sink

__all__ = ["FunctionSink"]


class FunctionSink(Sink):
    """Calls `function(run, evaluation)` for each record, on the worker's thread.

    What the function raises passes through: the worker counts it as `sink_error`.

    Raises:
        ConfigError: If `function` cannot be called.

    >>> FunctionSink(lambda run, evaluation: print(run.run_id)).close()
    """

    def __init__(self, function: Callable[[RagRun, Evaluation], object]) -> None:
        if not callable(function):
            raise ConfigError(f"function: expected something to call with (run, evaluation), got {function!r}")
        self._function = function

    def write(self, run: RagRun, evaluation: Evaluation) -> None:
        """Calls the function; its return value is ignored."""
        self._function(run, evaluation)
