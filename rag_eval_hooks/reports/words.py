"""What the page and the terminal say: the words, symbols and numbers a reader sees."""

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import Metric, parse_metric
from rag_eval_hooks.record import Finding, MetricResult, RagRun
from rag_eval_hooks.record.reasons import FAILED, REASONS

__all__ = [
    "ADVICE",
    "ENDED",
    "FINDINGS",
    "PROBLEMS",
    "STAGES",
    "STATUSES",
    "USES",
    "VERDICTS",
    "as_number",
    "as_probability",
    "counted",
    "failed_tries",
    "finding_text",
    "finding_title",
    "finding_words",
    "measure_words",
    "person_number",
    "reason_words",
    "rests_on",
    "within_one",
    "without_value",
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
    "partial": "finished, seen only in part",
    "interrupted": "interrupted, waiting for input",
    "abandoned": "left by the reader before the answer ended",
    "cancelled": "cancelled",
    "error": "ended with an error",
    "timeout": "ran out of time",
    "evicted": "never seen to end",
}
"""By status of a run: how it ended, as in `run r1, <words>` and `3 <words>`.

`partial` says nothing of a fault: it began inside a pipeline whose beginning was not seen.
"""

ENDED: Final[dict[str, str]] = {
    "ok": "The run finished.",
    "partial": "The run finished, but only part of it was seen.",
    "interrupted": "The run was interrupted and waits for input.",
    "abandoned": "The reader left before the answer ended.",
    "cancelled": "The run was cancelled.",
    "error": "The run ended with an error.",
    "timeout": "The run ran out of time.",
    "evicted": "The run was never seen to end.",
}
"""By status of a run: how it ended, as a sentence."""

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

ADVICE: Final[dict[str, str]] = {
    "zero_recall": "Check that the evidence is in the index; then look at the query sent and try a hybrid search.",
    "missed_evidence": "Retrieve more chunks, or search once more for what the question leaves unsaid.",
    "incomplete_evidence": "Retrieve more chunks, or search for each part of the question on its own.",
    "wrong_evidence": "Filter the search by what the question names (year, version, name), or put it into the chunks.",
    "lost_before_prompt": "Raise the prompt's budget or the reranker's top_n.",
    "truncated": "Raise the limit on a chunk's length in the prompt, or cut the documents into smaller chunks.",
    "unused_evidence": "Put the evidence first and fewer chunks beside it, or ask for all that the question needs.",
    "distracted": "Put fewer chunks into the prompt, or rerank so that those without an answer drop out.",
    "unsupported_claim": "Ask for nothing beyond the context, and check whether the missing evidence is in the index.",
    "conflicting_claim": "Compare the claim with the chunk: the model misread it, or the chunk is wrong or outdated.",
    "computation_error": "Let a tool do the sum, or ask for the steps and check them.",
    "lucky_guess": "Do not count on it: the model knew this by itself, so look at why retrieval did not give it.",
    "wrong_refusal": "Soften the instruction to refuse, or put the evidence first in the prompt.",
    "right_refusal": "If the question should be answerable, add what is missing to the index.",
    "dangling_citation": "Number the chunks in the prompt, and say which numbers there are and where they begin.",
    "unsupported_citation": "Ask for a citation only where the chunk says the same, or leave the statement out.",
    "misplaced_citation": "Check that the numbers in the prompt follow the order after reranking.",
    "missing_citation": "Ask for a citation behind every statement.",
}
"""By kind of finding: what to look at or to do next."""

ANSWER_REASONS: Final[dict[str, str]] = {
    "no_gold": "no right answer was given",
    "no_judge": "a judge gave no right answer",
}
"""What these words mean for a measure that needs the right answer, which labels of chunks do not give."""

RANKS_NAMED: Final = re.compile(r"(?:: [0-9]+)? \((?:chunks at )?ranks [0-9][0-9, ]*(?:and [0-9]+ more)?(\)|; )")
"""`: 2 (ranks 1, 3)`, or the beginning of ` (ranks 1, 3; the shortest 40%)`."""


def within_one(metric: str, value: float) -> bool:
    """Returns whether a value is a share that a bar can show: of a measure that lies within [0, 1], too.

    >>> within_one("P@5", 1.0), within_one("T@5", 0.1), within_one("FirstUse", 1.0), within_one("no such measure", 2.0)
    (True, False, False, False)
    """
    found = _measure(metric)
    low, high = (0.0, 1.0) if found is None else found.bounds
    return low >= 0 and high <= 1 and 0 <= value <= 1


def as_number(value: float | None) -> str:
    """Returns a number as people read it: at most 4 decimals, no trailing zeros, never a false 0 or 1.

    >>> as_number(5 / 12), as_number(1.0), as_number(-0.1), as_number(0.0), as_number(0.00001), as_number(None)
    ('0.4167', '1', '-0.1', '0', '<0.0001', 'n/a')
    >>> as_number(0.99999)
    '>0.9999'
    """
    if value is None:
        return "n/a"
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    if value and text in ("0", "-0"):
        return "<0.0001" if value > 0 else ">-0.0001"
    if text == "1" and value < 1:
        return ">0.9999"
    return "0" if text == "-0" else text


def as_probability(value: float | None) -> str:
    """Returns a probability or share with 2 decimals; `0` and `1` stand for exactly these alone.

    >>> as_probability(0.984), as_probability(0.5), as_probability(1.0), as_probability(0.996), as_probability(0.004)
    ('0.98', '0.50', '1', '>0.99', '<0.01')
    """
    if value is None:
        return "n/a"
    if value in (0, 1):
        return f"{value:.0f}"
    text = f"{value:.2f}"
    return {"1.00": ">0.99", "0.00": "<0.01"}.get(text, text)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Returns a count with its noun.

    >>> counted(1, "run"), counted(1200, "run"), counted(0, "reply", "replies")
    ('1 run', '1,200 runs', '0 replies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def failed_tries(run: RagRun) -> str:
    """Returns what was tried in vain on the way, with the types of the errors; the empty text if nothing was."""
    return ", ".join(f"{tried.name or tried.kind} ({tried.error})" for tried in run.attempts)


def reason_words(reason: str | None, metric: str = "") -> str:
    """Returns in words why a measure has no value; a reason of another version as it is.

    >>> reason_words("no_gold", "R@5"), reason_words("no_gold", "AnswerMatch"), reason_words("failed:KeyError", "RR")
    ('no gold labels were given', 'no right answer was given', 'the measure failed (KeyError)')
    """
    reason = reason or "unknown"
    if reason.startswith(FAILED):
        return f"the measure failed ({reason.removeprefix(FAILED)})"
    if reason in ANSWER_REASONS:
        found = _measure(metric)
        if found is not None and "gold_answer" in found.needs:
            return ANSWER_REASONS[reason]
    return REASONS.get(reason, reason.replace("_", " "))


def without_value(results: Iterable[MetricResult]) -> dict[str, list[str]]:
    """Returns the measures that have no value, by the reason in words."""
    names: dict[str, list[str]] = {}
    for result in results:
        if result.value is None:
            names.setdefault(reason_words(result.reason, result.metric), []).append(result.metric)
    return names


def rests_on(metric: str, labels: str | None) -> str:
    """Returns what a measure's value rests on; empty where it needs no labels.

    A measure that can take several kinds of labels and was given use rests on the used chunks; one that looks at
    claims or citations alone rests on their attribution.

    >>> rests_on("ContextUse@5", "used"), rests_on("Groundedness", "used"), rests_on("R@5", "gold"), rests_on("X", None)
    ('used chunks', 'attribution', 'gold labels', '')
    """
    if not labels:
        return ""
    if labels != "used":
        return f"{labels} labels"
    found = _measure(metric)
    takes_labels = found is not None and any(field.name == "labels" for field in fields(found))
    return "used chunks" if takes_labels else "attribution"


def finding_words(kind: str) -> tuple[str, str]:
    """Returns a finding's title and what it says."""
    return FINDINGS.get(kind, (kind.replace("_", " ").capitalize(), ""))


def finding_title(kind: str) -> str:
    """Returns a finding's title as it stands within a sentence.

    >>> finding_title("lost_before_prompt")
    'lost before the prompt'
    """
    title = finding_words(kind)[0]
    return title[:1].lower() + title[1:]


def finding_text(finding: Finding) -> str:
    """Returns the evidence in one sentence, without the ranks that the finding's own references name as well."""
    if not finding.refs.get("chunks"):
        return finding.why
    return RANKS_NAMED.sub(lambda found: "" if found[1] == ")" else " (", finding.why)


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
    found = _measure(name)
    doc = type(found).__doc__ or "" if found is not None else ""
    return doc.strip().partition("\n")[0].replace("`", "")


def _measure(name: str) -> Metric | None:
    try:
        return parse_metric(name)
    except MetricSpecError:
        return None
