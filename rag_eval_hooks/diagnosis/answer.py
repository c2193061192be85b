"""Findings about the answer: refusals, guesses, wrong sums, and claims that the context does not back."""

import re
from collections.abc import Sequence

from rag_eval_hooks.diagnosis.found import Found
from rag_eval_hooks.diagnosis.situation import UNSUPPORTED_AT_MOST, Situation, count, items_in, listed
from rag_eval_hooks.record import Claim, Derived

__all__ = [
    "computation_error",
    "conflicting_claim",
    "lucky_guess",
    "right_refusal",
    "unsupported_claim",
    "wrong_refusal",
]

SAID_BY_GOLD = 0.95
"""Gold says it, and a refusal is told from an answer by its words, which may mislead."""
SEEN_IN_LABELS = 0.9
"""Gold judged chunks and found none relevant, or a complete evidence set was in the context."""
PERCENT = re.compile(r"[%％]|per ?cent|prozent|pour ?cent|por ciento", re.IGNORECASE)
MISCALCULATED = 0.85
"""The claim names the operation and its operands; what is left is that it meant other numbers."""
CONFLICT_AT_MOST = 0.75
"""Of the contradictions that attribution finds in FEVER Symmetric, 73 % are contradictions."""


def lucky_guess(seen: Situation) -> Found | None:
    """The answer is right, and the chunks that the generator got neither state it nor gave it."""
    if not seen.answered or not seen.is_right or seen.context_states_answer:
        return None
    bare = [claim for claim in seen.checkable if claim.verdict in ("unsupported", "conflict")]
    is_at_odds = any(claim.verdict == "conflict" and seen.says_right(claim.text) for claim in bare)
    if not bare or not (seen.owes_nothing or is_at_odds):
        return None
    return Found(
        seen.trust * max(1 - (claim.probability or 0.0) for claim in bare),
        f"The answer is right by {seen.labeller}, and the context neither states it nor backs "
        f"{len(bare)} of {count(len(seen.checkable), 'claim')}.",
        claims=tuple(claim.index for claim in bare),
    )


def computation_error(seen: Situation) -> Found | None:
    """A computed number does not follow from the numbers it was computed from, which the context states."""
    wrong = [(claim, one) for claim in seen.checkable for one in claim.derived if not one.right]
    if not seen.answered or not wrong:
        return None
    _, first = wrong[0]
    claims = tuple(dict.fromkeys(claim.index for claim, _ in wrong))
    more = f" (and {count(len(wrong) - 1, 'more number')})" if len(wrong) > 1 else ""
    return Found(
        MISCALCULATED,
        f"The answer says {first.value}, but {first.formula} = {_as_written(first)}{more}.",
        claims=claims,
        chunks=tuple(sorted({operand.rank for _, one in wrong for operand in one.operands})),
    )


def _as_written(one: Derived) -> str:
    """The right value, as a percentage where the answer writes one."""
    return f"{100 * one.result:.6g} %" if PERCENT.search(one.value) else f"{one.result:.12g}"


def conflicting_claim(seen: Situation) -> Found | None:
    """The context says something else in the same place."""
    conflicting = [claim for claim in seen.checkable if claim.verdict == "conflict"]
    if not seen.answered or not conflicting:
        return None
    ranks = tuple(verdict.rank for verdict in seen.attribution.chunks if verdict.conflict)
    where = f" (chunks at ranks {listed(ranks)})" if ranks else ""
    return _claims(seen, conflicting, CONFLICT_AT_MOST, f"The context{where} contradicts", ranks)


def unsupported_claim(seen: Situation) -> Found | None:
    """The context does not back a claim."""
    if not seen.answered or not seen.unsupported:
        return None
    return _claims(seen, seen.unsupported, UNSUPPORTED_AT_MOST, "The context does not back")


def wrong_refusal(seen: Situation) -> Found | None:
    """The answer declines, although a whole evidence set was in the prompt."""
    if not seen.refused or seen.labels is None or _rightly(seen) is not None or not seen.set_in(seen.packed):
        return None
    complete = next(one for one in seen.sets if len(items_in(one, seen.packed)) == len(one))
    return Found(
        seen.trust * SEEN_IN_LABELS,
        f"The answer declines, although the context held all the evidence it takes ({count(len(complete), 'id')}).",
        chunks=seen.ranks_of(frozenset().union(*complete)),
    )


def right_refusal(seen: Situation) -> Found | None:
    """The answer declines, and labels say that there was nothing to answer from."""
    return _rightly(seen) if seen.refused else None


def _rightly(seen: Situation) -> Found | None:
    labels = seen.labels
    if labels is None:
        return None
    if labels.answer is not None and not labels.answer.strip():
        return Found(
            seen.trust * SAID_BY_GOLD,
            f"The answer declines, and {seen.labeller} says that the question cannot be answered.",
        )
    is_judged = labels.relevance is not None or labels.evidence_sets is not None
    if is_judged and not seen.relevant and not labels.answer:
        return Found(seen.trust * SEEN_IN_LABELS, f"The answer declines, and {seen.labeller} names no relevant chunk.")
    return None


def _claims(seen: Situation, claims: Sequence[Claim], at_most: float, why: str, ranks: tuple[int, ...] = ()) -> Found:
    return Found(
        at_most * max(0.5 if claim.probability is None else 1 - claim.probability for claim in claims),
        f"{why} {len(claims)} of {count(len(seen.checkable), 'claim')}.",
        claims=tuple(claim.index for claim in claims),
        chunks=ranks,
    )
