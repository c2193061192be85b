"""Compares an answer with the right one: by what kind of answer the right one is."""

from rag_eval_hooks.metrics.matching.match import match, states, without_marks
from rag_eval_hooks.metrics.matching.words import token_f1

__all__ = ["match", "states", "token_f1", "without_marks"]
