"""Reads the computation that a claim spells out: it names the operation, and its operands stand in it or before it.

`Sales were 480 in 2020 and 600 in 2021, an increase of 25%` leaves one reading, whatever else the texts hold.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.anchor_index import anchors_of
from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.derived.aim import Aim, states, without
from rag_eval_hooks.attribution.derived.candidates import Candidate, group_candidates, pair_candidates
from rag_eval_hooks.attribution.derived.cues import FILLERS
from rag_eval_hooks.attribution.derived.formula import bare, written
from rag_eval_hooks.attribution.derived.operands import Operand, Operands, as_year, is_year, labels_of, word_behind
from rag_eval_hooks.attribution.derived.reach import readings_of
from rag_eval_hooks.attribution.terms import SPACELESS_FROM

__all__ = ["declared", "is_labelled", "names_total", "phrase_of", "spelled_out", "stated_values"]

LEAST_SCORE = 1.0
"""Score from which a cell under a declared scale is what the claim speaks of."""
MAX_VALUES = 12
"""Values of a claim, and of the one before it, that are taken as its operands."""
MAX_COUNT = 1000
PER_WITHIN = 60
BREAK = re.compile(r",(?!\d)|[;:，。、]|(?<!\w)(?:which|so|also|damit|donc|soit|por lo que|or)(?!\w)")
NAMES = {
    "sum": r"in total|total of|together|altogether|combined|sums? (?:up )?to|adds? up|added up|insgesamt|zusammen|"
    r"in summe|summe|en tout|au total|ensemble|en total|suman?|en conjunto|juntos|juntas|合计|共计|总计|总共|一共",
    "mean": r"average|averag(?:es|ed|ing)|mean|durchschnitt\w{0,6}|im schnitt|mittel|moyenne|promedio|media|平均",
    "share": r"share|quota|quote|ratio of \d\S{0,8}|equity ratio|proportion|percentage of|percent of|% of|fraction|"
    r"anteil|part|taux|proporción|cuota|porcentaje|占|占比|比例|比重",
    "change": r"increase[sd]?|rise|rose|grew|growth|gain(?:ed)?|fell|fall|drop(?:ped)?|decline[sd]?|decrease[sd]?|"
    r"reduc\w{1,8}|zuwachs|anstieg|zunahme|wachstum|plus|stieg\w{0,2}|gestiegen|rückgang|abnahme|gesunken|sank\w{0,2}|"
    r"minus|hausse|baisse|augment\w{1,8}|progress\w{1,8}|croissance|recul|aument\w{1,6}|subi\w{1,4}|incremento|"
    r"crec\w{1,8}|descen\w{1,6}|caída|bajó|增幅|降幅|涨幅|跌幅|增长|减少|下降|上升|增加|提高|上涨|降低",
    "difference": r"difference|gap|margin|unterschied|differenz|abstand|différence|écart|diferencia|ventaja|相差|"
    r"差距|差额",
    "per": r"per|a piece|apiece|each|je|pro|par|por|每|人均",
    "later": r"later|earlier|apart|plus tard|plus tôt|auparavant|später|danach|davor|zuvor|más tarde|después|antes|"
    r"相隔|历时|之后|年后",
}


def _pattern(words: str) -> re.Pattern[str]:
    """Returns a pattern of whole words, and of Chinese ones anywhere."""
    every = words.split("|")
    latin, han = [one for one in every if one[0] < SPACELESS_FROM], [one for one in every if one[0] >= SPACELESS_FROM]
    return re.compile("|".join([rf"(?<![^\W\d_])(?:{'|'.join(latin)})(?!\w)", *han]))


NAMED = {name: _pattern(words) for name, words in NAMES.items()}
MULTIPLES = (
    (
        2.0,
        re.compile(
            r"(?<!\w)(?:twice|double|two times|doppelt\w{0,2}|zweimal|le double|deux fois|el doble)(?!\w)|两倍|2倍"
        ),
    ),
    (3.0, re.compile(r"(?<!\w)(?:three times|triple|dreifach\w{0,2}|dreimal|trois fois|el triple)(?!\w)|三倍|3倍")),
    (0.5, re.compile(r"(?<!\w)(?:half|halb\w{0,2}|hälfte|moitié|mitad)(?!\w)|一半")),
)
OF_ONE_THING = frozenset(["change", "share", "sum", "mean", "difference"])
RATE = re.compile(
    r"(?<!\w)(?:(?:per|each|every|pro|je|par|por)(?: square)? ([^\W\d_]{2,20})"
    r"|(?:a|an|im|al) (year|month|week|day|hour|jahr|monat|año|mes|día)(?!\w))|每([年月天周人个])"
)


PART = re.compile(r"(?:%|percent|per cent|prozent|pour cent|por ciento) (?:of|von|der|des|dieser|de|du|del)(?!\w)")
MONTHLY = re.compile(
    r"(?<!\w)(?:per month|a month|monthly|(?:pro|im) monat|monatlich|par mois|al mes|por mes)(?!\w)|每月|月均"
)
YEARLY = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\w)(?:year|annual|jahr|an|año)|年")


class Value(NamedTuple):
    """A value of the claim, or of the one before, that a text states."""

    operand: Operand
    noun: str
    """What it counts, or its unit as it is written."""
    rate: str
    """What it is per: the stem of `kilowatt` in `150 dollars per kilowatt`."""
    back: int
    """How many claims before: 0 where the claim itself has it."""

    start: int
    """Where it stands in its claim."""

    @property
    def is_own(self) -> bool:
        """Whether the claim itself has it."""
        return not self.back


def declared(anchor: Anchor, aim: Aim, operands: Operands) -> Candidate | None:
    """Returns the cell that states a value by the scale that its column, row or caption declares."""
    if anchor.bound or is_year(anchor) or anchor.values[0] * anchor.factor == 0:
        return None
    found = [
        (aim.score(one), one)
        for one in operands.found
        if one.is_rescaled
        and one.factor != 1.0
        and any(abs(anchor.values[0] * anchor.factor - value) <= 1e-9 * abs(value) for value in one.values)
        and (anchor.dimension is None or one.dimension in (None, anchor.dimension))
    ]
    found = [pair for pair in found if pair[0] >= LEAST_SCORE or not pair[1].own.isdisjoint(aim.own_words)]
    score, best = max(found, key=lambda pair: pair[0], default=(0.0, None))
    if best is None:
        return None
    formula = f"{bare(best)} * {best.factor:,.12g}"
    return Candidate("conversion", "", anchor.values[0] * anchor.factor, anchor.dimension, (), formula, (best,), score)


def is_labelled(anchor: Anchor, aim: Aim, operands: Operands) -> bool:
    """Whether a cell or field states a value under a name that the claim has."""
    return any(states(anchor, one) and not one.own.isdisjoint(aim.own_words) for one in operands.found)


def names_total(readings: Sequence[Candidate]) -> bool:
    """Whether a claim spells out a share of what the texts call the total, so that no other whole can be meant."""
    return any(one.is_total for reading in readings if reading.cue == "share" for one in reading.operands)


def spelled_out(anchor: Anchor, aim: Aim, operands: Operands, values: Sequence[Value]) -> list[Candidate]:
    """Returns what the claim says was computed for a number: one candidate per reading, mostly one or none.

    Args:
        anchor: The number.
        aim: The claim it stands in.
        operands: The numbers of the context.
        values: The stated values of the claim and of those before it.
    """
    values = [one for one in values if one.back or one.start != anchor.start]
    if anchor.bound or is_year(anchor) or not values:
        return []
    phrase = phrase_of(aim.text, anchor)
    unit = _noun(aim.text, anchor)
    reading = readings_of(f"{aim.text} {' '.join(aim.previous)}")[0]
    for text in (phrase, aim.text):
        named = {name for name, pattern in NAMED.items() if pattern.search(text)}
        found = list(_read(anchor, unit, text, named, values, aim, reading))
        if found:
            return [one for one in found if not _is_of_another(phrase, one, aim, operands)]
    return []


def phrase_of(text: str, anchor: Anchor) -> str:
    """Returns the part of a claim that a number stands in."""
    start = max((match.end() for match in BREAK.finditer(text, 0, anchor.start)), default=0)
    end = BREAK.search(text, anchor.end)
    return text[start : end.start() if end else len(text)]


def _is_of_another(phrase: str, candidate: Candidate, aim: Aim, operands: Operands) -> bool:
    """Whether the number's part of the claim names what other numbers stand for: `..., while profit grew by 12%`."""
    if candidate.cue not in OF_ONE_THING:
        return False
    rest = aim.text.replace(phrase, " ")
    known = labels_of("\n".join((rest, *aim.previous))).union(*(one.own for one in candidate.operands))
    new = labels_of(without(phrase, anchors_of(phrase))) - known - FILLERS
    places = {(one.chunk, one.start) for one in candidate.operands}
    return any(not new.isdisjoint(one.own) for one in operands.found if (one.chunk, one.start) not in places)


def stated_values(aim: Aim, operands: Operands) -> list[Value]:
    """Returns the stated values of the claim and of the two before it, the claim's own first."""
    values: list[Value] = []
    for back, text in enumerate((aim.text, *aim.previous)):
        anchors = [as_year(text, one) for one in anchors_of(text)] if back else list(aim.named)
        anchors = anchors[:MAX_VALUES]
        for number, one in enumerate(anchors):
            noun = _noun(text, one)
            stated = [operand for operand in operands.found if one.values and _is_stated(one, noun, operand)]
            if not stated or any(operand is value.operand for operand in stated for value in values):
                continue
            best = max(stated, key=lambda operand: (aim.score(operand), -operand.start))
            until = min(anchors[number + 1].start if number + 1 < len(anchors) else len(text), one.end + PER_WITHIN)
            rate = RATE.search(text, one.end, until)
            values.append(Value(best, noun, _stem(rate[rate.lastindex or 0]) if rate else "", back, one.start))
    return values


def _is_stated(anchor: Anchor, noun: str, operand: Operand) -> bool:
    """Whether an operand states a value, and with the unit that stands behind it: 6 million barrels are no tonnes."""
    is_other = noun and anchor.dimension is None and operand.dimension is not None and not operand.is_rescaled
    return states(anchor, operand) and not (is_other and noun not in operand.written.lower())


def _noun(text: str, anchor: Anchor) -> str:
    """Returns the stem of what a number counts or of its unit."""
    noun = word_behind(text, anchor)
    if anchor.dimension is not None:
        words = re.findall(r"[^\W\d_]+", text[anchor.start : anchor.end])
        noun = words[-1] if words else noun
    return _stem(noun)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _read(
    anchor: Anchor, unit: str, text: str, named: set[str], values: Sequence[Value], aim: Aim, reading: int
) -> Iterator[Candidate]:
    amounts = [one for one in values if not one.operand.is_year]
    if anchor.dimension == "percent":
        plain = [one for one in amounts if one.operand.dimension != "percent"]
        wanted = "share" if "share" in named else "change" if "change" in named else None
        chosen = _nearest(plain)
        if wanted and len(chosen) == 2 and chosen[0].dimension == chosen[1].dimension:
            yield from _of(chosen, wanted, aim, reading)
        return
    alike = [one for one in amounts if _is_alike(anchor, unit, one)]
    if "later" in named and _is_years(anchor, unit):
        yield from _years(values)
        return
    others = [one for one in amounts if one not in alike]
    rates = [one for one in amounts if one.rate]
    yield from _by_rate(anchor, unit, rates, amounts, reading)
    own = [one for one in alike if one.is_own]
    percents = [one for one in others if one.operand.dimension == "percent" and one.is_own]
    if len(percents) == 1 and PART.search(aim.text):
        if len(own) == 1:
            yield from _of((own[0].operand, percents[0].operand), "part", aim, reading)
        return
    if "mean" in named and len(own) == 1 and MONTHLY.search(text) and YEARLY.search(aim.text):
        one = own[0].operand
        result, formula = one.value(reading) / 12, f"{bare(one)} / 12"
        yield Candidate("ratio", "mean", result, one.dimension, (one.factor,), formula, (one,), 2.0)
        return
    times = next((number for number, pattern in MULTIPLES if pattern.search(aim.text)), None)
    if times is not None and len(own) == 1 and not named & {"sum", "mean", "difference"} and anchor.dimension:
        one = own[0].operand
        formula = f"{times:g} * {bare(one)}"
        yield Candidate(
            "product", "ratio", one.value(reading) * times, one.dimension, (one.factor,), formula, (one,), 2.0
        )
    elif named & {"mean", "per"} and len(alike) == 1 and unit:
        yield from _quotient(text, alike[0], others, reading)
    elif "sum" in named and len(alike) == 1:
        yield from _counted(alike[0], others, reading)
    elif named & {"sum", "mean", "difference"} and len(alike) > 1:
        chosen = _nearest(alike)
        wanted = next(name for name in ("mean", "difference", "sum") if name in named)
        if len(chosen) == 2:
            yield from _of(chosen, wanted, aim, reading)
        else:
            groups = group_candidates(chosen, 2.0, reading)
            yield from (one for one in groups if one.operation == wanted != "difference")


def _is_alike(anchor: Anchor, unit: str, one: Value) -> bool:
    """Whether a value is of the number's kind: its dimension, or what both count as far as both say so."""
    if anchor.dimension is not None:
        return one.operand.dimension == anchor.dimension
    return one.operand.dimension is None and (not unit or not one.noun or one.noun == unit)


def _is_years(anchor: Anchor, unit: str) -> bool:
    return (anchor.dimension == "months" and anchor.factor == 12.0) or unit == "年"


def _nearest(values: Sequence[Value]) -> list[Operand]:
    """Returns the claim's own values, with those of one or two claims before where it has fewer than two."""
    chosen: list[Operand] = []
    for back in range(3):
        if len(chosen) < 2:
            chosen = [one.operand for one in values if one.back == back] + chosen
    return chosen


def _of(pair: Sequence[Operand], wanted: str, aim: Aim, reading: int) -> Iterator[Candidate]:
    """Yields what an operation gives for two operands; a share is that of the smaller one in the larger one."""
    low, high = sorted(abs(one.value(reading)) for one in pair)
    for one in pair_candidates(pair[0], pair[1], 2.0, reading, aim.direction):
        if wanted == "share" and pair[0].periods != pair[1].periods and pair[0].periods and pair[1].periods:
            return  # two years of one thing are no part and whole
        if one.cue == wanted and (wanted != "share" or not high or abs(one.result - low / high) < 1e-12):
            yield one
            return


def _years(values: Sequence[Value]) -> Iterator[Candidate]:
    years = _nearest([one for one in values if one.operand.is_year])
    if len(years) == 2:
        yield from (one for one in pair_candidates(years[0], years[1], 2.0, 0, 0) if one.dimension == "months")


def _by_rate(
    anchor: Anchor, unit: str, rates: Sequence[Value], amounts: Sequence[Value], reading: int
) -> Iterator[Candidate]:
    """Yields 150 dollars per kilowatt times 8 kilowatts, and how many years 96 tonnes last at 6 tonnes per year."""
    for rate, other in ((rate, other) for rate in rates for other in amounts if other is not rate):
        mine, theirs = rate.operand, other.operand
        if other.noun == rate.rate and mine.dimension == anchor.dimension and mine.dimension is not None:
            result = mine.value(reading) * theirs.value(reading) / theirs.factor
            formula = " * ".join(written((mine, theirs)))
            yield Candidate("product", "product", result, mine.dimension, (), formula, (mine, theirs), 2.0)
        lasts = unit and rate.rate == unit and rate.noun == other.noun and not other.rate
        if lasts and anchor.dimension in ("months", "time") and mine.value(reading):
            result = theirs.value(reading) / mine.value(reading) * anchor.factor
            formula = " / ".join(written((theirs, mine)))
            yield Candidate("ratio", "per", result, anchor.dimension, (), formula, (theirs, mine), 2.0)


def _quotient(text: str, whole: Value, others: Sequence[Value], reading: int) -> Iterator[Candidate]:
    """Yields the value of the number's kind divided by that of what the claim names behind `per`."""
    names = {_stem(match[match.lastindex or 0]) for match in RATE.finditer(text)}
    over = [one for one in others if one.noun in names] or (others if len(others) == 1 else [])
    if len(over) == 1 and over[0].operand.value(reading):
        one, other = whole.operand, over[0].operand
        result = one.value(reading) / (other.value(reading) / other.factor)
        formula = " / ".join(written((one, other)))
        yield Candidate("ratio", "per", result, one.dimension, (one.factor,), formula, (one, other), 2.0)


def _counted(one: Value, others: Sequence[Value], reading: int) -> Iterator[Candidate]:
    """Yields a price times how many of what it is for: `an adult pays 38`, `two adults`."""
    counts = [
        other
        for other in others
        if other.is_own and other.noun and other.operand.dimension is None and other.operand.value(0) <= MAX_COUNT
    ]
    if len(counts) == 1 and not one.is_own:
        price, count = one.operand, counts[0].operand
        formula = f"{bare(price)} * {bare(count)}"
        result = price.value(reading) * count.value(0)
        yield Candidate("product", "sum", result, price.dimension, (price.factor,), formula, (price, count), 2.0)
