"""The frameworks that the demo can run in, and the way to each one's pipeline, which the adapter holds."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from types import MappingProxyType
from typing import Protocol

from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks.hooks import Hooks

__all__ = ["BOTH", "FRAMEWORKS", "Ask", "Build", "Pipeline", "pipelines"]

FRAMEWORKS: Mapping[str, str] = MappingProxyType({"langchain": "LangChain", "llamaindex": "LlamaIndex"})
"""How each is called, by the name that options and records use."""
BOTH = "both"

Ask = Callable[[str, Mapping[str, str]], str]
"""Puts a question to a pipeline and returns the answer; the metadata goes to the question's record."""


class Pipeline(Protocol):
    """A framework's pipeline."""

    def attached(self, hooks: Hooks) -> AbstractContextManager[Ask]:
        """Gives the way to ask it; what is asked in the block goes to the hooks."""


Build = Callable[[Bm25Index, str | None], Pipeline]
"""Builds a pipeline over an index, with the model of that name."""


def pipelines(wanted: str | None = None) -> tuple[dict[str, Build], tuple[MissingExtraError, ...]]:
    """Returns the ways to build the pipeline by framework, and what is missing for those that are not installed.

    Args:
        wanted: A framework's name, or `both`; None takes those that are installed.

    Raises:
        ConfigError: If there is no such framework.
        MissingExtraError: If one that was asked for is not installed, or none is.
    """
    if wanted is not None and wanted not in (*FRAMEWORKS, BOTH):
        raise ConfigError(f"unknown framework {wanted!r}; give {', '.join(FRAMEWORKS)} or {BOTH}")
    found: dict[str, Build] = {}
    missing: list[MissingExtraError] = []
    for framework in FRAMEWORKS if wanted in (None, BOTH) else [wanted]:
        try:
            found[framework] = import_module(f"rag_eval_hooks_{framework}.demo").DemoPipeline
        except MissingExtraError as error:
            missing.append(error)
    if missing and (wanted is not None or not found):
        raise MissingExtraError(missing[0].package, "demo") from missing[0]
    return found, tuple(missing)
