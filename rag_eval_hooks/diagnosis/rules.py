"""The table of rules: every kind of finding, its stage, and which later findings it explains.

The order is the order of causes: the stages as data passes them, and within a stage the more specific kind first. The
first rule of the table that holds with enough confidence names the first cause.
"""

from collections.abc import Callable
from typing import NamedTuple

from rag_eval_hooks.diagnosis import answer, citation, packing, retrieval, use
from rag_eval_hooks.diagnosis.found import Found
from rag_eval_hooks.diagnosis.situation import Situation
from rag_eval_hooks.record.evaluation import FindingKind, FindingStage

__all__ = ["FIRST_CAUSE_FROM", "GOOD", "RULES", "Rule"]

FIRST_CAUSE_FROM = 0.5
"""A finding is a first cause, and so an alarm, from this confidence; below it is a hint."""
GOOD: frozenset[FindingKind] = frozenset({"right_refusal"})
"""Findings that are no fault."""

CLAIMS: tuple[FindingKind, ...] = ("unsupported_claim", "conflicting_claim")
CITATIONS: tuple[FindingKind, ...] = ("unsupported_citation", "misplaced_citation")
SAYS_OTHERWISE: tuple[FindingKind, ...] = ("unused_evidence", *CITATIONS)
ANSWER: tuple[FindingKind, ...] = ("distracted", "lucky_guess", "computation_error", *CLAIMS, *CITATIONS)


class Rule(NamedTuple):
    """One row of the table."""

    kind: FindingKind
    stage: FindingStage
    holds: Callable[[Situation], Found | None]
    """Returns what there is to say, or None."""
    explains: tuple[FindingKind, ...] = ()
    """Later findings that follow from this one."""


RULES: tuple[Rule, ...] = (
    Rule("wrong_evidence", "retrieval", retrieval.wrong_evidence, ("zero_recall", "missed_evidence", *ANSWER)),
    Rule("zero_recall", "retrieval", retrieval.zero_recall, ANSWER),
    Rule("missed_evidence", "retrieval", retrieval.missed_evidence, ANSWER),
    Rule("incomplete_evidence", "retrieval", retrieval.incomplete_evidence, ANSWER),
    Rule("lost_before_prompt", "packing", packing.lost_before_prompt, ("unused_evidence", *ANSWER)),
    Rule("truncated", "packing", packing.truncated, ("unused_evidence", *ANSWER)),
    Rule("distracted", "use", use.distracted, ("unused_evidence", *CLAIMS, *CITATIONS)),
    Rule("lucky_guess", "answer", answer.lucky_guess, (*CLAIMS, *CITATIONS)),
    Rule("computation_error", "answer", answer.computation_error, (*CLAIMS, *CITATIONS)),
    Rule("conflicting_claim", "answer", answer.conflicting_claim, SAYS_OTHERWISE),
    Rule("unsupported_claim", "answer", answer.unsupported_claim, SAYS_OTHERWISE),
    # Evidence may lie unused because the answer says something else: then that is what went wrong first.
    Rule("unused_evidence", "use", use.unused_evidence, CITATIONS),
    Rule("wrong_refusal", "answer", answer.wrong_refusal),
    Rule("right_refusal", "answer", answer.right_refusal),
    Rule("dangling_citation", "citation", citation.dangling_citation),
    Rule("misplaced_citation", "citation", citation.misplaced_citation),
    Rule("unsupported_citation", "citation", citation.unsupported_citation),
    Rule("missing_citation", "citation", citation.missing_citation),
)
