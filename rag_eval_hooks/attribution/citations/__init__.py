"""How answers cite: what the items can be called, which signs and words name them, and what each mark speaks for."""

from rag_eval_hooks.attribution.citations.mark import Mark
from rag_eval_hooks.attribution.citations.sources import Sources

__all__ = ["Mark", "Sources"]
