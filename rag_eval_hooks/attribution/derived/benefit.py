"""Says where a number that is not what was computed is no slip all the same: it gets the benefit of the doubt."""

import re

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.derived.candidates import Candidate

__all__ = ["is_a_name", "is_meant_so", "is_no_slip", "spans_years"]

WITHIN = 24
BY = r"(?:(?:by|in|at|on|of|the|um|bei|de|du|en|del) )?$"
HEDGED = re.compile(
    r"(?<![^\W\d_])(?:almost|nearly|about|around|roughly|approximately|approx\.|circa|ca\.|some|close to|"
    r"just (?:under|over)|fast|beinahe|knapp|rund|etwa|ungefähr|gut|presque|environ|près|casi|unos|unas|cerca) (?:a )?"
    + BY
    + r"|(?:约|大约|近|将近|差不多)$"
)
DENIED = re.compile(
    r"(?<![^\W\d_])(?:not|never|rather than|instead of|nicht|statt|pas|no) " + BY + r"|(?:不是|并非|而非)$"
)
NEAR = 0.1
"""How far off, of its size, a number with `about` or `almost` may be."""
YEARLY = re.compile(
    r"[^.;:!?\n]{0,12}?(?<![^\W\d_])(?:a year|per year|each year|every year|annually|per annum|p\.a\.|pro jahr|"
    r"jährlich|im jahr|par an|al año|por año)(?![^\W\d_])"
)
YEARLY_BEFORE = re.compile(r"(?:每年|年均)[^。，；]{0,8}$")
BASE = re.compile(
    r"(?<![^\W\d_])(?:than|compared (?:to|with)|relative to|versus|vs\.?|from|gegenüber|als|que|"
    r"par rapport à|respecto a)[^.,;:\d]{0,20}([12]\d{3})(?!\d)"
)
"""The year that a change is measured against."""
OVER_TIME = frozenset(["difference", "percentage_change"])
NAMES = re.compile(
    r"(?<![^\W\d_])(?:room|gate|flight|line|platform|track|bus|tram|route|highway|road|floor|level|building|house|page|"
    r"chapter|section|article|paragraph|clause|rule|figure|table|appendix|annex|step|item|question|exercise|volume|issue|"
    r"episode|season|version|release|model|type|class|category|grade|unit|ward|block|plot|lot|locker|seat|zone|port|"
    r"channel|no\.|nr\.|number|zimmer|raum|gleis|linie|flug|seite|kapitel|abschnitt|artikel|absatz|abbildung|tabelle|"
    r"schritt|frage|band|ausgabe|folge|staffel|nummer|hausnummer|salle|chambre|porte|vol|ligne|étage|chapitre|numéro|"
    r"sala|habitación|puerta|vuelo|línea|piso|página|capítulo|número)[ -]#?$"
)


def is_a_name(text: str, anchor: Anchor) -> bool:
    """Whether a number only tells one thing from others: nothing is computed from room 101, and room 306 is no result.

    >>> from rag_eval_hooks.attribution.anchors import find_anchors
    >>> [is_a_name(text, find_anchors(text)[0]) for text in ("room 306 is free", "there are 306 rooms")]
    [True, False]
    """
    return anchor.dimension is None and bool(NAMES.search(text, max(0, anchor.start - WITHIN), anchor.start))


def spans_years(text: str, anchor: Anchor, candidate: Candidate) -> bool:
    """Whether a number is given per year, and the candidate is what changed over several."""
    if candidate.operation not in OVER_TIME or len(candidate.operands) != 2:
        return False
    if not YEARLY.match(text, anchor.end) and not YEARLY_BEFORE.search(
        text, max(0, anchor.start - WITHIN), anchor.start
    ):
        return False
    years = _years(candidate)
    return len(years) == 2 and max(years) - min(years) > 1


def is_no_slip(text: str, anchor: Anchor, candidate: Candidate, others: list[Candidate]) -> bool:
    """Whether a number that differs from what was computed may be meant so, or computed in another way.

    Args:
        text: The claim, folded.
        anchor: The number.
        candidate: What it should be.
        others: Everything that was computed.
    """
    if is_meant_so(text, anchor, candidate):
        return True
    return any(_fits(anchor, candidate, other) for other in _in_other_ways(text, candidate, others))


def is_meant_so(text: str, anchor: Anchor, candidate: Candidate) -> bool:
    """Whether a claim denies a number, or gives it as a bound or about, and what was computed agrees with that."""
    before = text[max(0, anchor.start - WITHIN) : anchor.start]
    if DENIED.search(before):
        return True
    result = abs(candidate.result) / (anchor.factor if candidate.dimension == anchor.dimension else 1.0)
    value = abs(anchor.values[0])
    if HEDGED.search(before):
        return abs(result - value) <= NEAR * result
    return bool(anchor.bound) and (result - value) * anchor.bound >= 0


def _fits(anchor: Anchor, candidate: Candidate, result: float) -> bool:
    return fits(anchor, Anchor(0, 0, None, (result,), 0.0, candidate.dimension))


def _years(candidate: Candidate) -> set[int]:
    """Returns the years of its operands, where each has one."""
    years = [[int(one[5:]) for one in operand.periods if one.startswith("year:")] for operand in candidate.operands]
    return {one for (one,) in years} if all(len(one) == 1 for one in years) else set()


def _in_other_ways(text: str, candidate: Candidate, others: list[Candidate]) -> list[float]:
    """Returns a change as seen from its end, where the claim does so, and a product with a rate taken off or put on."""
    if candidate.operation == "percentage_change" and candidate.result != -1.0:
        years = _years(candidate)
        if not years or max(years) not in {int(match[1]) for match in BASE.finditer(text)}:
            return []
        return [abs(candidate.result / (1.0 + candidate.result))]
    if candidate.operation != "product":
        return []
    rates = {one.values[0] for other in others for one in other.operands if one.dimension == "percent" and one.values}
    return [candidate.result * factor for rate in sorted(rates) for factor in (1.0 - rate, 1.0 + rate)]
