"""What counts as relevant, needed or used in a run: the one place where measures read labels."""

from collections.abc import Mapping
from itertools import chain
from typing import Literal

from rag_eval_hooks.record import Attribution, Gold, RagRun

__all__ = ["LabelSource", "answer_gap", "evidence_sets", "grades", "relevant", "use_flags", "used_ids"]

LabelSource = Literal["gold", "used", "judge"]


def answer_gap(run: RagRun, attribution: Attribution | None) -> str | None:
    """Returns why nothing that rests on the answer can be said about this run, or None where it can.

    The order is fixed: `incomplete_run`, `no_answer`, `refusal`, `no_context`. `no_attribution` stands for one
    that is missing, which only a caller who scores a measure by hand can leave out.
    """
    if not run.answer_is_whole:
        return "incomplete_run"
    if attribution is None:
        return "no_attribution" if run.judged_answer.strip() else "no_answer"
    if attribution.answer_kind == "empty":
        return "no_answer"
    if attribution.answer_kind == "refusal":
        return "refusal"
    return None if run.context else "no_context"


def use_flags(run: RagRun, attribution: Attribution | None) -> tuple[list[bool], str | None]:
    """Returns, for each item the generator got, whether the answer used it; or the reason why that is unknown.

    `gold.used` goes first: then the answer's kind does not matter. An exact repeat (same id, same text) keeps its
    place but is never used: its first copy is.
    """
    gold_used = run.gold.used if run.gold is not None else None
    if gold_used is not None:
        if not run.context:
            return [], "no_context"
        ids = frozenset(gold_used)
        said = [run.chunks[item.chunk].id in ids for item in run.context]
    else:
        gap = answer_gap(run, attribution)
        if gap is not None or attribution is None:
            return [], gap
        said = [verdict.use == "used" for verdict in attribution.chunks if verdict.in_prompt]
        if len(said) != len(run.context):
            return [], "no_attribution"  # it is about another run
    seen: set[int] = set()
    flags: list[bool] = []
    for item, flag in zip(run.context, said, strict=True):
        flags.append(flag and item.chunk not in seen)
        seen.add(item.chunk)
    return flags, None


def used_ids(run: RagRun, attribution: Attribution | None) -> tuple[frozenset[str], str | None]:
    """Returns the ids of the used chunks, or the reason why they are unknown; `gold.used` goes first."""
    if run.gold is not None and run.gold.used is not None:
        return frozenset(run.gold.used), None
    gap = answer_gap(run, attribution)
    if gap is not None or attribution is None:
        return frozenset(), gap
    return frozenset(verdict.id for verdict in attribution.chunks if verdict.use == "used"), None


def grades(run: RagRun, attribution: Attribution | None, labels: LabelSource) -> tuple[Mapping[str, float], str | None]:
    """Returns the grade of each judged id, or the reason why there are none.

    With `gold`, `gold.relevance`; where that is missing, each id of `gold.evidence_sets` has grade 1. With `used`,
    each used id has grade 1. No part of a record holds a judge's grades yet, so `judge` says `no_judge`.
    """
    if labels == "judge":
        return {}, "no_judge"
    if labels == "used":
        ids, reason = used_ids(run, attribution)
        return dict.fromkeys(ids, 1.0), reason
    if run.gold is None:
        return {}, "no_gold"
    return _gold_grades(run.gold), None


def relevant(gold: Gold | None) -> frozenset[str]:
    """Returns the ids whose gold grade is above 0."""
    if gold is None:
        return frozenset()
    return frozenset(identifier for identifier, grade in _gold_grades(gold).items() if grade > 0)


def evidence_sets(gold: Gold | None) -> tuple[frozenset[str], ...]:
    """Returns the alternative sets that each suffice to answer; the relevant ids as the one set where none are given.

    Empty sets say nothing and are left out.
    """
    if gold is None:
        return ()
    sets = tuple(frozenset(one) for one in gold.evidence_sets or () if one)
    if sets:
        return sets
    ids = relevant(gold)
    return (ids,) if ids else ()


def _gold_grades(gold: Gold) -> Mapping[str, float]:
    if gold.relevance or not gold.evidence_sets:
        return gold.relevance or {}
    return dict.fromkeys(chain.from_iterable(gold.evidence_sets), 1.0)
