"""What counts as relevant, needed or used in a run: the one place where measures read labels."""

from collections.abc import Mapping
from itertools import chain
from typing import Literal

from rag_eval_hooks.metrics.levels import Level, roll_up
from rag_eval_hooks.metrics.spans import span_grades, span_items
from rag_eval_hooks.record import Attribution, Gold, RagRun

__all__ = [
    "EvidenceSet",
    "JudgedSource",
    "LabelSource",
    "UseSource",
    "evidence_sets",
    "given_labels",
    "grades",
    "judged_attribution",
    "needed_items",
    "no_labels",
    "relevant",
    "use_flags",
    "use_grades",
    "used_ids",
]

LabelSource = Literal["gold", "used", "judge"]
JudgedSource = Literal["gold", "judge"]
UseSource = Literal["used", "judge"]

EvidenceSet = tuple[frozenset[str], ...]
"""The items of one evidence set; any one of an item's ids provides it."""


def judged_attribution(run: RagRun, attribution: Attribution | None) -> Attribution | str:
    """Returns the attribution of an answer that can be judged, or the reason why nothing can be said that rests on it.

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
    return attribution if run.context else "no_context"


def given_labels(run: RagRun, labels: LabelSource) -> Gold | None:
    """Returns the labels that people (`gold`, `used`) or a judge gave, or None."""
    return run.judge if labels == "judge" else run.gold


def no_labels(labels: LabelSource) -> str:
    """Returns the reason of a measure that finds none of these labels, or nothing relevant among them."""
    return "no_judge" if labels == "judge" else "nothing_used" if labels == "used" else "no_gold"


def use_flags(
    run: RagRun, attribution: Attribution | None, labels: UseSource = "used"
) -> tuple[list[bool], str | None]:
    """Returns, for each item the generator got, whether the answer used it; or the reason why that is unknown.

    `gold.used` goes first: then the answer's kind does not matter. With `judge`, `judge.used` alone decides. An exact
    repeat (same id, same text) keeps its place but is never used: its first copy is.
    """
    given = given_labels(run, labels)
    said_used = given.used if given is not None else None
    if said_used is not None:
        if not run.context:
            return [], "no_context"
        ids = frozenset(said_used)
        said = [run.chunks[item.chunk].id in ids for item in run.context]
    elif labels == "judge":
        return [], "no_judge"
    else:
        found = judged_attribution(run, attribution)
        if isinstance(found, str):
            return [], found
        said = [verdict.use == "used" for verdict in found.chunks if verdict.in_prompt]
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
    found = judged_attribution(run, attribution)
    if isinstance(found, str):
        return frozenset(), found
    return frozenset(verdict.id for verdict in found.chunks if verdict.use == "used"), None


def grades(
    run: RagRun, attribution: Attribution | None, labels: LabelSource, level: Level = "chunk"
) -> tuple[Mapping[str, float], str | None]:
    """Returns the grade of each judged unit (id, page or document), or the reason why there are none.

    With `gold`, `gold.relevance`; where that is missing, each id of `gold.evidence_sets` has grade 1; where these are
    missing, too, each chunk has the grade of the best of `gold.spans` that it covers. With `judge`, the same from
    `run.judge`. With `used`, each used id has grade 1. A page or document has the best grade of its chunks.
    """
    graded: Mapping[str, float]
    if labels == "used":
        ids, reason = used_ids(run, attribution)
        if reason is not None:
            return {}, reason
        graded = dict.fromkeys(ids, 1.0)
    else:
        given = run.judge if labels == "judge" else run.gold
        if given is None:
            return {}, no_labels(labels)
        if given.spans and not given.relevance and not given.evidence_sets:
            return span_grades(run, given.spans, level)
        graded = _gold_grades(given)
    return _rolled(run, graded, level), None


def use_grades(
    run: RagRun, attribution: Attribution | None, level: Level = "chunk"
) -> tuple[Mapping[str, float], str | None]:
    """Returns 1 for each used unit and 0 for each that distracts, or the reason why that is unknown.

    One that the answer did not use and that states another value than the answer distracts. What is in neither group
    is unknown: it is no error to retrieve it.
    """
    ids, reason = used_ids(run, attribution)
    if reason is not None:
        return {}, reason
    graded = dict.fromkeys(ids, 1.0)
    by_person = run.gold is not None and run.gold.used is not None
    for verdict in attribution.chunks if attribution is not None else ():
        if verdict.conflict and (by_person or verdict.use == "unused"):
            graded.setdefault(verdict.id, 0.0)
    return _rolled(run, graded, level), None


def needed_items(run: RagRun, labels: JudgedSource, level: Level) -> tuple[tuple[EvidenceSet, ...], str | None]:
    """Returns the alternative evidence sets at a level, or the reason why there are none.

    `evidence_sets` go first; where they are missing, `spans` are the one set, each span an item; where these are
    missing, too, the relevant ids are. Ids of one set that roll up to one unit are one item.
    """
    given = given_labels(run, labels)
    if given is None:
        return (), no_labels(labels)
    if given.spans and not any(given.evidence_sets or ()):
        items, reason = span_items(run, given.spans, level)
        return ((items,) if reason is None else ()), reason
    sets = evidence_sets(given)
    if not sets:
        return (), no_labels(labels)
    units = roll_up(run, frozenset().union(*sets), level)
    return tuple(tuple({units[identifier] for identifier in one}) for one in sets), None


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


def _rolled(run: RagRun, graded: Mapping[str, float], level: Level) -> Mapping[str, float]:
    """The best grade of each unit at a level."""
    if level == "chunk":
        return graded
    rolled: dict[str, float] = {}
    for identifier, units in roll_up(run, graded, level).items():
        grade = graded[identifier]
        for unit in units:
            rolled[unit] = max(rolled.get(unit, grade), grade)
    return rolled
