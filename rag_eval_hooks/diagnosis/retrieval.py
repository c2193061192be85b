"""Findings about retrieval: the evidence was not found, or it is about something else than was asked."""

from rag_eval_hooks.diagnosis.found import Found
from rag_eval_hooks.diagnosis.situation import Situation, count, items_in, listed

__all__ = ["incomplete_evidence", "missed_evidence", "wrong_evidence", "zero_recall"]

BY_LABELS = 1.0
"""Labels name the evidence sets, and the list is in the record: nothing is inferred."""
BY_RELEVANCE = 0.5
"""Relevant ids do not say that all of them are needed."""
ANOTHER_VALUE = 0.7
"""The question's year, date, version or code is in no chunk, and another stands in its place."""
ONLY_A_NAME = 0.45
"""A name of the question is in no chunk: they may leave it out (a table), or call it otherwise (`EU`)."""
LABELS_AGREE = 0.95
"""The same, and the labels say that the evidence is not there."""


def wrong_evidence(seen: Situation) -> Found | None:
    """The chunks are on the topic, but about another year, version or name than the question asks for."""
    wrong = seen.wrong_ranks
    if not wrong or seen.relevant & seen.retrieved:
        return None
    confidence = seen.trust * LABELS_AGREE if seen.relevant else _without_labels(seen)
    return Found(
        confidence,
        f"{_asked_for(seen)} is in none of the chunks, and the answer rests on {count(len(wrong), 'chunk')} about the "
        f"topic (ranks {listed(wrong)}).",
        chunks=wrong,
    )


def _without_labels(seen: Situation) -> float:
    is_flagged = any(one.wrong_value for one in seen.attribution.chunks)
    if is_flagged or _numbers(seen):
        return ANOTHER_VALUE
    return ONLY_A_NAME


def zero_recall(seen: Situation) -> Found | None:
    """None of the relevant ids was retrieved."""
    if not _is_judged(seen) or seen.relevant & seen.retrieved:
        return None
    ids = len(seen.relevant)
    what = "The one relevant id is not" if ids == 1 else f"None of the {ids} relevant ids is"
    return Found(seen.trust * BY_LABELS, f"{what} among the {len(seen.retrieved)} retrieved.")


def missed_evidence(seen: Situation) -> Found | None:
    """Relevant ids were retrieved, and nothing of any evidence set."""
    found = seen.relevant & seen.retrieved
    if not _is_judged(seen) or not found or any(items_in(one, seen.retrieved) for one in seen.sets):
        return None
    return Found(
        seen.trust * BY_LABELS,
        f"Relevant ids were retrieved ({len(found)}), but none of any of the {len(seen.sets)} evidence sets.",
        chunks=seen.ranks_of(found),
    )


def incomplete_evidence(seen: Situation) -> Found | None:
    """Part of an evidence set was retrieved, and no set wholly. Every step counts, also one that a later one undid."""
    if not _is_judged(seen) or seen.set_in(seen.retrieved):
        return None
    best = max(seen.sets, key=lambda one: len(items_in(one, seen.retrieved)) / len(one))
    have = items_in(best, seen.retrieved)
    if not have:
        return None
    which = f"the best-covered of {count(len(seen.sets), 'evidence set')}" if seen.sets_are_given else "the relevant"
    return Found(
        seen.trust * (BY_LABELS if seen.sets_are_given else BY_RELEVANCE),
        f"Retrieval found {len(have)} of {count(len(best), 'id')} of {which}; no set is complete.",
        chunks=seen.ranks_of(frozenset().union(*have)),
    )


def _is_judged(seen: Situation) -> bool:
    """Whether labels name something relevant, and the run got as far as retrieval."""
    return bool(seen.relevant) and (bool(seen.run.stages) or seen.run.status == "ok")


def _asked_for(seen: Situation) -> str:
    """What is missing, in its own words where it is a year, date, version or code."""
    numbers = _numbers(seen)
    if numbers:
        return f"What the question asks for ({', '.join(numbers[:3])})"
    return "What the question asks for by name" if seen.unmet_words else "The year, version or code that was asked for"


def _numbers(seen: Situation) -> list[str]:
    """The years, dates, versions and codes that were asked for and no chunk has."""
    return [word for word in seen.unmet_words if any(char.isdigit() for char in word)]
