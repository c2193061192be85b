"""Finds runs whose gold ids and chunk ids have nothing in common, as after a change of how chunks are named."""

from typing import get_args

from rag_eval_hooks.metrics.levels import Level, unit_of
from rag_eval_hooks.record import RagRun

__all__ = ["match_gold"]

LEVELS: tuple[Level, ...] = get_args(Level)


def match_gold(run: RagRun) -> bool | None:
    """Returns whether any gold id names a chunk of the run, its page or its document; None without ids or chunks.

    >>> from rag_eval_hooks.testing import make_run
    >>> [match_gold(make_run("ab", relevance={name: 1})) for name in "az"], match_gold(make_run("ab"))
    ([True, False], None)
    """
    gold = run.gold
    if gold is None or not run.chunks:
        return None
    labelled = frozenset(gold.relevance or ()).union(*(gold.evidence_sets or ()))
    if not labelled:
        return None
    return any(unit_of(chunk, level) in labelled for chunk in run.chunks for level in LEVELS)
