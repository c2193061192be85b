"""Findings about retrieval: the evidence was not found. All need labels."""

from collections.abc import Iterator

from rag_eval_hooks.diagnosis.situation import Situation, count, items_in, refs
from rag_eval_hooks.record import Finding

__all__ = ["retrieval_findings"]

BY_LABELS = 1.0
"""Labels name the evidence sets, and the list is in the record: nothing is inferred."""
BY_RELEVANCE = 0.5
"""Relevant ids do not say that all of them are needed."""


def retrieval_findings(seen: Situation) -> Iterator[Finding]:
    """Yields `zero_recall`, `missed_evidence` or `incomplete_evidence`, at most one of them.

    Every step counts, also one whose result a later step dropped: that is packing's fault.
    """
    run = seen.run
    if not seen.relevant or (not run.stages and run.status != "ok"):
        return
    found = seen.relevant & seen.retrieved
    if not found:
        yield Finding(
            kind="zero_recall",
            stage="retrieval",
            confidence=seen.trust * BY_LABELS,
            why=f"None of the {count(len(seen.relevant), 'relevant id')} is among the {len(seen.retrieved)} retrieved.",
        )
        return
    if seen.set_in(seen.retrieved):
        return
    best = max(seen.sets, key=lambda one: len(items_in(one, seen.retrieved)) / len(one))
    have = items_in(best, seen.retrieved)
    share = f"{len(have)} of {count(len(best), 'id')}"
    if not have:
        yield Finding(
            kind="missed_evidence",
            stage="retrieval",
            confidence=seen.trust * BY_LABELS,
            why=f"Relevant ids were retrieved ({len(found)}), but none of any of the {len(seen.sets)} evidence sets.",
            refs=refs(chunks=seen.ranks_of(found)),
        )
        return
    which = f"the best-covered of {count(len(seen.sets), 'evidence set')}" if seen.sets_are_given else "the relevant"
    yield Finding(
        kind="incomplete_evidence",
        stage="retrieval",
        confidence=seen.trust * (BY_LABELS if seen.sets_are_given else BY_RELEVANCE),
        why=f"Retrieval found {share} of {which}; no set is complete.",
        refs=refs(chunks=seen.ranks_of(frozenset().union(*have))),
    )
