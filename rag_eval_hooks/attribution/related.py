"""Looks up what terms have to do with each other: which may stand for another, which exclude each other."""

from functools import cache

from rag_eval_hooks.attribution.lexicon import EXCLUSIVE, SAME
from rag_eval_hooks.attribution.terms import stem

__all__ = ["alternatives", "exclusive_groups"]

NOTHING: frozenset[str] = frozenset()


def alternatives(term: str) -> frozenset[str]:
    """Returns the terms that may stand for a term, itself among them where there are any."""
    return _same().get(term, NOTHING)


def exclusive_groups(term: str) -> tuple[frozenset[str], ...]:
    """Returns the groups of terms that exclude each other that a term is in: the days of the week, colours."""
    return _exclusive().get(term, ())


@cache
def _same() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in SAME.split(", "):
        members = frozenset(map(stem, group.split()))
        for member in members:
            found[member] = found.get(member, NOTHING) | members
    return found


@cache
def _exclusive() -> dict[str, tuple[frozenset[str], ...]]:
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for text in EXCLUSIVE:
        members = frozenset(map(stem, text.split()))
        for member in members:
            found[member] = (*found.get(member, ()), members)
    return found
