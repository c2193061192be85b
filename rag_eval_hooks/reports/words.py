"""What the page and the terminal say: the words, symbols and numbers a reader sees."""

from typing import Final

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import parse_metric

__all__ = [
    "FINDINGS",
    "PROBLEMS",
    "STAGES",
    "STATUSES",
    "USES",
    "VERDICTS",
    "as_number",
    "counted",
    "finding_words",
    "measure_words",
    "person_number",
    "reason_words",
    "within_one",
]

VERDICTS: Final[dict[str, tuple[str, str, str]]] = {
    "supported": ("✓", "+", "supported"),
    "unsupported": ("✗", "x", "not supported"),
    "conflict": ("≠", "!", "contradicted"),
    "uncertain": ("?", "?", "uncertain"),
    "none": ("·", ".", "needs no source"),
}
"""By verdict: symbol, symbol in plain ASCII, words. `none` stands for a claim that needs no evidence."""

USES: Final[dict[str, tuple[str, str, str]]] = {
    "used": ("●", "*", "used"),
    "unused": ("○", "o", "not used"),
    "uncertain": ("◐", "?", "perhaps used"),
    "unknown": ("–", "-", "use unknown"),
}
"""By use: symbol, symbol in plain ASCII, words."""

PROBLEMS: Final[dict[str, str]] = {
    "dangling": "there is no such item",
    "unsupported": "no chunk backs the statement",
    "misplaced": "another chunk backs the statement",
}

STAGES: Final[dict[str, str]] = {
    "retrieval": "Retrieval",
    "packing": "Prompt packing",
    "use": "Use of the context",
    "answer": "Answer",
    "citation": "Citations",
}

STATUSES: Final[dict[str, str]] = {
    "ok": "finished",
    "partial": "finished, part of the pipeline failed",
    "interrupted": "interrupted, waiting for input",
    "abandoned": "the reader left before the answer ended",
    "cancelled": "cancelled",
    "error": "ended with an error",
    "timeout": "ran out of time",
    "evicted": "never seen to end",
}

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    "zero_recall": ("Nothing relevant found", "No retrieved chunk is relevant to the question."),
    "missed_evidence": ("Evidence missed", "Relevant chunks exist that the search did not return."),
    "incomplete_evidence": ("Evidence incomplete", "Part of what the answer needs is not among the chunks."),
    "wrong_evidence": ("Wrong evidence", "The chunks are on the topic, but on another year, entity or unit."),
    "lost_before_prompt": ("Lost before the prompt", "A chunk was retrieved and then left out of the prompt."),
    "truncated": ("Truncated", "A chunk reached the prompt only in part."),
    "unused_evidence": ("Evidence unused", "The prompt held the evidence, and the answer does not use it."),
    "distracted": ("Distracted", "The answer follows a chunk that does not answer the question."),
    "unsupported_claim": ("Claim without support", "The answer states something that no chunk backs."),
    "conflicting_claim": ("Claim contradicts the context", "A chunk gives another value than the answer."),
    "computation_error": ("Computation error", "A computed value does not follow from the numbers in the chunks."),
    "lucky_guess": ("Right without evidence", "The answer is right, but the chunks do not back it."),
    "wrong_refusal": ("Refused although it could answer", "The chunks answer the question, and the answer declines."),
    "right_refusal": ("Rightly refused", "The chunks do not answer the question, and the answer says so."),
    "dangling_citation": ("Citation of nothing", "The mark points to an item that does not exist."),
    "unsupported_citation": (
        "Citation without support",
        "Neither the cited chunk nor another backs the statement.",
    ),
    "misplaced_citation": ("Citation of the wrong chunk", "Another chunk than the cited one backs the statement."),
    "missing_citation": ("Citation missing", "A statement that needs a source carries no citation."),
}
"""By kind of finding: title, and what it says."""

REASONS: Final[dict[str, str]] = {
    "no_context": "no chunk was retrieved",
    "no_answer": "there is no answer",
    "refusal": "the answer declines to answer",
    "no_gold": "no gold labels were given",
    "nothing_used": "the answer used no chunk",
    "no_citations": "the answer cites nothing",
    "no_claims": "the answer states nothing checkable",
    "incomplete_run": "the run did not finish, so its answer is not judged",
}


RANKS: Final = ("FirstUse",)
"""Measures that count from 1 instead of lying within [0, 1]."""


def within_one(metric: str, value: float) -> bool:
    """Returns whether a value is a share that a bar can show.

    >>> within_one("P@5", 1.0), within_one("T@5", -0.1), within_one("FirstUse", 1.0)
    (True, False, False)
    """
    return 0 <= value <= 1 and not metric.startswith(RANKS)


def as_number(value: float | None) -> str:
    """Returns a number as people read it: at most 4 decimals, no trailing zeros, never a false 0.

    >>> as_number(5 / 12), as_number(1.0), as_number(-0.1), as_number(0.0), as_number(0.00001), as_number(None)
    ('0.4167', '1', '-0.1', '0', '<0.0001', 'n/a')
    """
    if value is None:
        return "n/a"
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    if value and text in ("0", "-0"):
        return "<0.0001" if value > 0 else ">-0.0001"
    return "0" if text == "-0" else text


def counted(count: int, one: str, many: str | None = None) -> str:
    """Returns a count with its noun.

    >>> counted(1, "run"), counted(1200, "run"), counted(0, "reply", "replies")
    ('1 run', '1,200 runs', '0 replies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def reason_words(reason: str | None) -> str:
    """Returns in words why a measure has no value.

    >>> reason_words("nothing_used"), reason_words("failed:KeyError"), reason_words(None)
    ('the answer used no chunk', 'the measure failed (KeyError)', 'no reason was recorded')
    """
    if not reason:
        return "no reason was recorded"
    if reason.startswith("failed:"):
        return f"the measure failed ({reason.removeprefix('failed:')})"
    return REASONS.get(reason, reason.replace("_", " "))


def finding_words(kind: str) -> tuple[str, str]:
    """Returns a finding's title and what it says."""
    return FINDINGS.get(kind, (kind.replace("_", " ").capitalize(), ""))


def person_number(what: str, number: int) -> int:
    """Returns the number people see: records count claims and citations from 0 and ranks from 1, people from 1.

    >>> person_number("claims", 0), person_number("chunks", 1)
    (1, 1)
    """
    return number + 1 if what in ("claims", "citations") else number


def measure_words(name: str) -> str:
    """Returns in one sentence what a measure says: the first line of its docstring.

    Empty for a measure that this version does not know, in results stored by another.

    >>> measure_words("Hit@5"), measure_words("no such measure")
    ('Whether any relevant id is among the first k retrieved (success at k).', '')
    """
    try:
        doc = type(parse_metric(name)).__doc__ or ""
    except MetricSpecError:
        return ""
    return doc.strip().partition("\n")[0].replace("`", "")
