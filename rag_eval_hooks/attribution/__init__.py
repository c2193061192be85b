"""Which chunks the answer used, which claims the context backs, and whether each citation holds."""

from rag_eval_hooks.attribution.attribute import ATTRIBUTOR, ATTRIBUTOR_VERSION, attribute

__all__ = ["ATTRIBUTOR", "ATTRIBUTOR_VERSION", "attribute"]
