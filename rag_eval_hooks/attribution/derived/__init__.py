"""Numbers of the answer that no text states: are they computed from numbers that texts do state?"""

from rag_eval_hooks.attribution.derived.derivations import Derivations, derive

__all__ = ["Derivations", "derive"]
