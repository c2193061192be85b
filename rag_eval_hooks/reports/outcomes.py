"""What the findings of a run come to, and how many runs came to what."""

from collections.abc import Mapping
from typing import Literal

from rag_eval_hooks.diagnosis import FIRST_CAUSE_FROM
from rag_eval_hooks.diagnosis.rules import GOOD
from rag_eval_hooks.record import Evaluation
from rag_eval_hooks.reports.words import counted

__all__ = ["Outcome", "outcome_of", "outcomes_line"]

Outcome = Literal["cause", "unmarked", "hints", "good", "fine", "open"]

WORDS: dict[Outcome, str] = {
    "cause": "with a first cause",
    "unmarked": "with findings of which none is marked as the first",
    "hints": "with hints only",
    "good": "with a right refusal",
    "fine": "in which nothing wrong was found",
    "open": "without an answer to judge, and without findings",
}


def outcome_of(evaluation: Evaluation) -> Outcome:
    """Returns what an evaluation's findings come to; `unmarked` are those of versions that marked no first cause."""
    findings = evaluation.findings
    if any(finding.first_cause for finding in findings):
        return "cause"
    faults = [finding for finding in findings if finding.kind not in GOOD]
    if any(finding.confidence >= FIRST_CAUSE_FROM for finding in faults):
        return "unmarked"
    if faults:
        return "hints"
    if findings:
        return "good"
    return "fine" if evaluation.status in ("ok", "partial") and evaluation.answer_kind == "answer" else "open"


def outcomes_line(runs: int, outcomes: Mapping[Outcome, int]) -> str:
    """Returns in one line in how many runs something failed first, and what there is to say of the others.

    >>> outcomes_line(3, {"cause": 1, "fine": 2})
    'Of 3 runs: 1 with a first cause, 2 in which nothing wrong was found.'
    """
    said = [f"{count:,} {words}" for outcome, words in WORDS.items() if (count := outcomes.get(outcome, 0))]
    return f"Of {counted(runs, 'run')}: {', '.join(said)}." if said else "There are no runs."
