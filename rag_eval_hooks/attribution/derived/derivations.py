"""Tries the numbers of a claim that no text states as computed from numbers that texts state."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.derived.aim import Aim, aim_of, narrowed
from rag_eval_hooks.attribution.derived.benefit import is_a_name
from rag_eval_hooks.attribution.derived.candidates import Candidate
from rag_eval_hooks.attribution.derived.cues import cues_in
from rag_eval_hooks.attribution.derived.operands import Operand, Operands, is_year
from rag_eval_hooks.attribution.derived.reach import Scored, candidates_for, scores_of
from rag_eval_hooks.attribution.derived.settle import Outcome, settle, settle_spelled
from rag_eval_hooks.attribution.derived.spelled import (
    declared,
    is_labelled,
    names_total,
    phrase_of,
    spelled_out,
    stated_values,
)
from rag_eval_hooks.attribution.derived.verdict import verdict_of
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.record import Derived, DerivedOperand
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = ["Derivations", "derive"]

MAX_CLAIMS_TRIED = 50
"""Claims of one answer with numbers that no text states: each is weighed against all operands."""
MAX_WEIGHED = 12_000
"""Claims times operands: some 2 s of work at most."""
YEAR_WITHIN = 14
YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|from|to|till|until|by|of|year|and|between|before|after|around|im|jahre?|seit|bis|von|und|vor|nach|en|"
    r"de|depuis|entre|et|y|desde|hasta|del|\d\d?)[ ,.-]{0,2}|[(/-]|[年月自从至到于在])$"
)
"""What stands before a year, rather than before another number of four digits."""
MAX_VALUES_TRIED = 4
"""Numbers of one claim that are tried."""


class Derivations(NamedTuple):
    """What was computed in an answer."""

    found: dict[int, tuple[Derived, ...]]
    """By index of the claim."""
    used: frozenset[int]
    """The distinct texts with operands of claims that are supported so."""


def derive(reading: Reading) -> Derivations:
    """Tries what no text states as computed, and puts what follows into the judgements of `reading`.

    Costs nothing but a look-up where the texts state every number; where they state it only in sentences that share no
    word with the claim, it is tried if the claim names an operation. A claim whose other parts the texts hold is
    supported by the operands' texts from then on; one whose number is off is a conflict.
    """
    found: dict[int, tuple[Derived, ...]] = {}
    used: set[int] = set()
    operands: Operands | None = None
    tried = 0
    if not reading.was_seen or not reading.evidence.texts:
        return Derivations(found, frozenset())
    for index, (statement, judgement) in enumerate(zip(reading.statements, reading.judged, strict=False)):
        if statement.kind != "statement" or judgement.support >= SUPPORTED_FROM:
            continue
        is_nowhere = dict(reading.values_nowhere(index)[:MAX_VALUES_TRIED])
        missing = list(is_nowhere)
        if not any(is_nowhere.values()) and not (missing and cues_in(reading.statement_text(index)[0])):
            continue
        operands = operands or Operands(reading.evidence)
        if tried >= MAX_CLAIMS_TRIED or tried * len(operands.found) >= MAX_WEIGHED:
            reading.left_out.add("derivations_cut")
            break
        tried += 1
        if operands.was_cut:
            reading.left_out.add("derivations_cut")
        aim = aim_of(reading, index, missing)
        outcomes: list[tuple[Anchor, Outcome]] = []
        for anchor in missing:
            cell = declared(anchor, aim, operands)
            if cell is not None:
                outcomes.append((anchor, Outcome(cell, True, 1)))
        aim = aim._replace(named=(*aim.named, *(anchor for anchor, _ in outcomes)))
        cells = [one for one in missing if not is_nowhere[one] and is_labelled(one, aim, operands)]
        scored = scores_of(aim, operands)
        values = stated_values(aim._replace(named=(*aim.named, *cells)), operands)
        for anchor in [one for one in missing if one not in aim.named and not is_a_name(aim.text, one)]:
            amount = operands.as_amount(aim.text, anchor)
            spelled = spelled_out(amount, aim, operands, values)
            outcome = settle_spelled(amount, aim, spelled, is_right=True) or _settle(
                amount, aim, operands, scored, spelled
            )
            if outcome is None and is_year(amount) and not YEAR_BEFORE.search(aim.text[: anchor.start][-YEAR_WITHIN:]):
                amount = amount._replace(raw="")
                outcome = settle(amount, aim, candidates_for(amount, aim, operands, scored))
                outcome = outcome if outcome is not None and outcome.is_right else None
            if outcome is not None and (outcome.is_right or is_nowhere[anchor]):
                outcomes.append((anchor, outcome))
        sizes = {float(len(outcome.candidate.operands)) for _, outcome in outcomes if outcome.is_right}
        # `All four quarters`: how many operands there are is no result.
        outcomes = [(one, outcome) for one, outcome in outcomes if outcome.is_right or one.values[0] not in sizes]
        if not outcomes:
            continue
        found[index] = tuple(_derived(reading, aim, anchor, outcome) for anchor, outcome in outcomes)
        settled = verdict_of(reading, index, aim, [one for one in missing if is_nowhere[one]], outcomes)
        if settled is not None:
            reading.replace(index, settled)
            if settled.support >= SUPPORTED_FROM:
                used.update(operand.chunk for _, outcome in outcomes for operand in outcome.candidate.operands)
    return Derivations(found, frozenset(used))


def _settle(
    amount: Anchor, aim: Aim, operands: Operands, scored: Scored, spelled: Sequence[Candidate]
) -> Outcome | None:
    """Returns how all the numbers in reach give a number; where they do not, what the claim spells out is wrong."""
    outcome = settle(amount, aim, candidates_for(amount, aim, operands, scored))
    is_found = outcome is not None and outcome.is_right
    phrase = phrase_of(aim.text, amount)
    if not is_found and not spelled and len(phrase) < len(aim.text) and aim.named and (cues := cues_in(phrase)):
        # `Revenue rose from 480 to 600, while profit grew by 12%`: the numbers it names are not the ones it means.
        apart = narrowed(aim, phrase)
        other = settle(amount, apart, candidates_for(amount, apart, operands, scores_of(apart, operands)))
        if other is not None and other.is_right and other.candidate.cue in cues:
            outcome = other
    if outcome is None or not outcome.is_right or names_total(spelled):
        outcome = settle_spelled(amount, aim, spelled, is_right=False) or outcome
    return outcome


def _derived(reading: Reading, aim: Aim, anchor: Anchor, outcome: Outcome) -> Derived:
    start, end = reading.answer_span(aim.start + anchor.start, aim.start + anchor.end)
    candidate = _as_said(anchor, outcome.candidate)
    return Derived(
        value=reading.answer[start:end],
        span=(start, end),
        formula=candidate.formula,
        operation=candidate.operation,
        result=round(_in_unit(anchor, candidate), 12),
        operands=tuple(_operands(reading, candidate.operands)),
        tried=outcome.tried,
        right=outcome.is_right,
    )


def _as_said(anchor: Anchor, candidate: Candidate) -> Candidate:
    """Returns a difference the way round that gives the claim's sign: 170 - 95, where the claim says 75."""
    if candidate.operation != "difference" or candidate.result >= 0 or anchor.values[0] < 0:
        return candidate
    first, sign, second = candidate.formula.partition(" - ")
    if not sign or " " in first.strip() + second.strip():
        return candidate
    return candidate._replace(
        formula=f"{second} - {first}", result=-candidate.result, operands=tuple(reversed(candidate.operands))
    )


def _in_unit(anchor: Anchor, candidate: Candidate) -> float:
    """Returns the result as the claim writes it: in its unit, a percentage as a fraction."""
    if candidate.dimension == "percent" or anchor.dimension in (None, "percent"):
        if anchor.dimension is None and candidate.dimension != "percent":
            options = (candidate.result, *(candidate.result / unit for unit in candidate.units))
            wanted = anchor.values[0]
            return min(options, key=lambda option: abs(option - wanted))
        return candidate.result
    return candidate.result / anchor.factor


def _operands(reading: Reading, operands: Sequence[Operand]) -> list[DerivedOperand]:
    listed = []
    for one in operands:
        position = reading.place_of.index(one.chunk)
        span = reading.span_of(position, one.chunk, one.start, one.end)
        if span is not None:
            chunk = reading.context[position]
            listed.append(DerivedOperand(rank=position + 1, id=chunk.id, span=span, text=chunk.text[slice(*span)]))
    return listed
