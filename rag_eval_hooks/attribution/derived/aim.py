"""What a claim is about, as far as its computed numbers go: its words, years, cues and the numbers it names."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from rag_eval_hooks.attribution.anchor_index import anchors_of
from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.derived.cues import cues_in
from rag_eval_hooks.attribution.derived.operands import Operand, as_year, is_year, labels_of, light, title_of
from rag_eval_hooks.attribution.reading import Reading
from rag_eval_hooks.attribution.stance import stance_of
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.record.limits import MAX_QUESTION

__all__ = ["Aim", "aim_of", "narrowed", "states", "without"]

AROUND = 0.5
"""What a word of the question or of the sentence before counts beside one of the claim."""
BESIDE = 0.25
"""What a word of the claim counts beside one of the part around the number, where that is looked at alone."""
LEAST_WEIGHT = 0.4
WIDE = 0.4
"""What a word of the operand's sentence counts beside one of its own part of it."""
OF_PERIOD, OF_ANOTHER = 1.2, -0.8
NAMED, NAMED_BEFORE = 2.5, 1.2
"""What it counts that the claim, or the sentence before, states the operand itself."""
TOTAL = -0.4
MOST_NAMED = 40
"""Values that are looked for among the operands: a claim with more is a table."""


class Aim(NamedTuple):
    """What to look for."""

    text: str
    """The claim, folded."""
    start: int
    """Where it begins in the folded answer."""
    words: Mapping[str, float]
    """What names its operands: its terms, and with less weight those of the sentence before and of the question."""
    own_words: frozenset[str]
    """The claim's alone."""
    periods: frozenset[str]
    """Its years, quarters and months, or else the question's."""
    named: tuple[Anchor, ...]
    """Its values that texts state."""
    before: tuple[Anchor, ...]
    """The values of the sentence before and of the question."""
    cues: frozenset[str]
    """The operations it names."""
    cues_around: frozenset[str]
    """Those that the sentence before or the question names."""
    cue_spans: tuple[tuple[int, int], ...]
    """Where in `text` its cues stand."""
    titles: frozenset[str]
    """Its numbers with the word before them: a text's number behind the same word is part of a name."""
    direction: int
    """1 where it tells of something rising, -1 of falling, else 0."""
    previous: tuple[str, ...]
    """The two claims before it, folded, the nearest first."""

    def score(self, operand: Operand) -> float:
        """Returns how well an operand fits the claim's words, years and values."""
        if operand.title and operand.title in self.titles:
            return -1.0
        score = sum(self.words.get(term, 0.0) for term in operand.own)
        score += WIDE * sum(self.words.get(term, 0.0) for term in operand.wide - operand.own)
        periods = operand.periods
        if operand.is_year:
            periods = frozenset()
        if self.periods and periods:
            score += OF_PERIOD if periods & self.periods else OF_ANOTHER
        if self.names(operand):
            score += NAMED
        elif any(states(anchor, operand) for anchor in self.before):
            score += NAMED_BEFORE
        return score + TOTAL * operand.is_total

    def named_before(self, operand: Operand) -> bool:
        """Whether the claim, the sentence before it or the question states the operand's value."""
        return self.names(operand) or any(states(anchor, operand) for anchor in self.before)

    def names(self, operand: Operand) -> bool:
        """Whether the claim states the operand's value."""
        return any(states(anchor, operand) for anchor in self.named)


def aim_of(reading: Reading, index: int, missing: Sequence[Anchor]) -> Aim:
    """Returns what the claim `reading.statements[index]` aims at.

    Args:
        reading: The answer read against its context.
        index: Which claim.
        missing: Its values that no text states.
    """
    text, start = reading.statement_text(index)
    previous = reading.statement_text(index - 1)[0] if index else ""
    asked = reading.asked
    around = f"{previous}\n{asked}"
    background = reading.background
    rest = without(text, missing)
    own = labels_of(rest)
    words = {term: AROUND * weight for term, weight in _weights(around, background).items()}
    words.update(_weights(rest, background))
    mine = [as_year(text, one) for one in anchors_of(text)]
    values = [one for one in mine if one not in missing]
    periods = _periods(text, mine, missing) or _periods(around, anchors_of(around), ())
    for anchor in values:
        if anchor.raw and not is_year(anchor):
            words[f"#{anchor.raw}"] = 1.0
        if anchor.key and anchor.key.startswith("code:"):
            words[anchor.key] = 1.0
    found = cues_in(text)
    cues = set(found)
    around_cues = set(cues_in(around))
    direction = stance_of(text).direction or _comparison(text)
    return Aim(
        text,
        start,
        words,
        own,
        periods,
        _distinct(values),
        _distinct([as_year(around, one) for one in anchors_of(around[:MAX_QUESTION])]),
        frozenset(cues),
        frozenset(around_cues),
        tuple(span for spans in found.values() for span in spans),
        frozenset(filter(None, (title_of(text, one) for one in values))),
        direction,
        tuple(reading.statement_text(before)[0] for before in (index - 1, index - 2) if before >= 0),
    )


def narrowed(aim: Aim, phrase: str) -> Aim:
    """Returns an aim at what the part of the claim around a number speaks of, not at the other numbers of the claim."""
    own = labels_of(without(phrase, anchors_of(phrase)))
    words = {
        term: weight * (1.0 if term in own else BESIDE)
        for term, weight in aim.words.items()
        if not term.startswith("#")
    }
    return aim._replace(
        words=words,
        own_words=own,
        named=(),
        before=(),
        periods=_periods(phrase, anchors_of(phrase), ()) or aim.periods,
        cues=frozenset(cues_in(phrase)),
        direction=stance_of(phrase).direction or _comparison(phrase),
    )


HIGHER = re.compile(
    r"(?<![^\W\d_])(?:more|higher|larger|bigger|longer|above|gain\w{0,3}|mehr|höher|größer|länger|plus de|más|"
    r"(?:is|was|were|went) up|up (?:by|from))(?![^\W\d_])|多|高于|高出"
)
LOWER = re.compile(
    r"(?<![^\W\d_])(?:less|fewer|lower|smaller|shorter|cheaper|below|lost|loss|shrank|weniger|niedriger|kleiner|"
    r"kürzer|billiger|moins|menos|(?:is|was|were|went) down|down (?:by|from))(?![^\W\d_])|少|低于"
)


def _comparison(text: str) -> int:
    return bool(HIGHER.search(text)) - bool(LOWER.search(text))


def _distinct(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Returns the first anchors with a value, each value once."""
    found = {(one.values, one.slack, one.dimension, one.factor, is_year(one)): one for one in anchors if one.values}
    return tuple(islice(found.values(), MOST_NAMED))


def _weights(text: str, background: Background) -> dict[str, float]:
    """Returns what each label of a text counts: the rarer, the more."""
    weights = dict.fromkeys(labels_of(text), 1.0)
    for term, _, _ in terms(text):
        weights[light(term)] = LEAST_WEIGHT + (1.0 - LEAST_WEIGHT) * background.idf(term)
    return weights


def _periods(text: str, anchors: Sequence[Anchor], missing: Sequence[Anchor]) -> frozenset[str]:
    return frozenset(
        [f"year:{one.raw}" for one in anchors if is_year(one) and one not in missing]
        + [label for label in labels_of(text) if label.startswith("month:")]
        + [one.key for one in anchors if one.key and one.key.split(":")[0] in ("quarter", "month", "half")]
    )


def states(anchor: Anchor, operand: Operand) -> bool:
    """Whether an anchor states an operand's value."""
    if (operand.is_year and not is_year(anchor)) or (
        anchor.dimension and operand.dimension and anchor.dimension != operand.dimension
    ):
        return False
    slack = anchor.slack * anchor.factor + 1e-9 * abs(anchor.values[0] * anchor.factor)
    return any(
        abs(value * anchor.factor - other) <= slack
        or (anchor.dimension is None and abs(value - other / operand.factor) <= slack)
        for value in anchor.values[:2]
        for other in operand.values
    )


def without(text: str, anchors: Sequence[Anchor]) -> str:
    """Returns a text with blanks in place of anchors."""
    for anchor in anchors:
        text = text[: anchor.start] + " " * (anchor.end - anchor.start) + text[anchor.end :]
    return text
