"""Reads the numbers of the context as operands: each with its value, its unit and the words and years it stands for."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.derived.tables import Table, find_tables
from rag_eval_hooks.attribution.evidence import Evidence, anchors_of
from rag_eval_hooks.attribution.terms import SPACELESS_FROM, single_characters, stem, terms
from rag_eval_hooks.attribution.units import CURRENCIES, MONTHS, ORDINAL_WORDS, SCALES, UNITS

__all__ = ["MAX_OPERANDS_READ", "Operand", "Operands", "is_year", "labels_of", "light", "title_of", "unit_words"]

MAX_OPERANDS_READ = 1_500
"""Numbers of the context that are read as operands: a page of tables has some hundreds, and each claim looks at all."""
MOST_IN_SENTENCE = 60
"""Numbers, and years, of one sentence that are read: one with more is no sentence."""
LONGEST_HEADING = 200
SHORT_TEXT = 120
"""Characters of a text up to which all its words may name its numbers: an entry of fields."""
BETWEEN = " ,;、/&和及与andoretuy"
"""What may stand between the numbers of one list."""
SEGMENT = re.compile(
    r"(?<!\d),|,(?!\d)|;|、|\(|\)|[。:]|(?<!\w)(?:and|while|whereas|but|und|während|aber|et|tandis|mais|y|mientras|pero)(?!\w)|而|和"
)
BEHIND = re.compile(r"[ -]([^\W\d_]{4,20})|([米人名个吨箱])")
ORDINAL = re.compile(rf"(?:^|\W)(?:{'|'.join(ORDINAL_WORDS)}|\d{{1,3}}(?:st|nd|rd|th|er|re|ère|ème|e|º))$|^第")
MONTH = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(name for name in MONTHS if len(name) > 2)})(?![^\W\d_])")
TITLE = re.compile(r"([^\W\d_]{2,20})[ -]$")
ENDING = re.compile(r"(?:ern|en|er|em|es|e|n|s)$")
LONG_WORD = 7
TOTAL = re.compile(r"(?<!\w)(?:sub)?(?:total|sum|overall|gesamt|summe|insgesamt|somme|suma)(?!\w)|合计|总计|总和|共计")
MEASURE = re.compile(
    r"[(\[]([^()\[\]\n]{1,30})[)\]]|(?<!\w)in ([^\W\d_]{1,12}(?: [^\W\d_]{1,12})?)|,\s{0,2}([^\s,]{1,8})\s*$"
)
CJK_SCALE = re.compile("百万|千万|万|亿|億|萬")
WORD = re.compile(r"[^\W\d_]+|[$€£¥%]|m[23]")


class Operand(NamedTuple):
    """A number of the context."""

    chunk: int
    """Index of the distinct text."""
    place: int
    """Its sentence."""
    start: int
    """Where it begins in the folded text."""
    end: int
    values: tuple[float, ...]
    """Its readings in the base unit: 1,234 may be 1.234."""
    dimension: str | None
    factor: float
    """What its unit is worth in the base unit, the scale of its column included."""
    is_year: bool
    day: tuple[int, int, int] | None
    """The full date it is part of."""
    own: frozenset[str]
    """The words it stands for: its row and column, or its part of the sentence."""
    wide: frozenset[str]
    """The other words of its sentence or table."""
    periods: frozenset[str]
    """The years, quarters and months it is of."""
    groups: tuple[tuple[str, int, int], ...]
    """The column, row, sentence and list it belongs to."""
    is_total: bool
    """Whether it is itself called a total."""
    title: str = ""
    """The word right before it: `line 4` may be a name."""
    noun: str = ""
    """The word right behind it."""
    is_rescaled: bool = False
    """Whether its scale or unit stands elsewhere, in the name of its column."""

    def value(self, reading: int) -> float:
        """Returns one of its readings: 0 as English writes numbers, 1 the other one."""
        return self.values[-1 if reading else 0]


def is_year(anchor: Anchor) -> bool:
    """Whether a value is a calendar year."""
    return anchor.key is None and len(anchor.raw) == 4 and anchor.raw.isdecimal() and 1000 <= int(anchor.raw) <= 2199


@cache
def unit_words() -> frozenset[str]:
    """Returns the stems of scales, units and currencies: a number has them, they do not name it."""
    words = (stem(name) for name in (*UNITS, *CURRENCIES, *SCALES) if name.isalpha())
    return frozenset(light(word) for word in words if word[0] < SPACELESS_FROM)


def light(term: str) -> str:
    """Returns a stem without the endings that other languages than English inflect by: Mitglieder, Mitgliedern."""
    if len(term) < LONG_WORD or term[0] >= SPACELESS_FROM:
        return term
    return ENDING.sub("", term)


def labels_of(text: str) -> frozenset[str]:
    """Returns what may name a number in a folded text: its terms."""
    found = {light(term) for term, _, _ in terms(text)} - unit_words()
    if not text.isascii():
        found.update(single_characters(text))
    found.update([f"month:{MONTHS[word]}" for word in MONTH.findall(text)])
    found.update([term.partition("'")[2] for term in found if "'" in term[1:4]])  # l'usine
    return frozenset(found)


class Operands:
    """The numbers of all texts, read when first asked for."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.found: list[Operand] = []
        self.tables: dict[int, list[Table]] = {}
        self.was_cut = False
        self.counted: set[str] = set()
        """Words right behind numbers that are no years: what they count."""
        places: dict[int, list[int]] = {}
        for place, sentence in enumerate(evidence.sentences):
            places.setdefault(sentence.chunk, []).append(place)
        for chunk in range(len(evidence.texts)):
            if len(self.found) >= MAX_OPERANDS_READ:
                self.was_cut = True
                break
            self._read(chunk, places.get(chunk, []))
        del self.found[MAX_OPERANDS_READ:]

    def as_amount(self, text: str, anchor: Anchor) -> Anchor:
        """Returns a number that looks like a year as a plain one where it counts what other numbers count."""
        if is_year(anchor) and _word_behind(text, anchor) in self.counted - {""}:
            return anchor._replace(raw="")
        return anchor

    def _read(self, chunk: int, places: Sequence[int]) -> None:
        evidence = self.evidence
        text = evidence.texts[chunk].text
        tables = find_tables(text) if "|" in text or "\t" in text else []
        self.tables[chunk] = tables
        row_at = {
            row[0].start: (number, table, index)
            for number, table in enumerate(tables)
            for index, row in enumerate(table.rows)
        }
        self.counted.update(
            _word_behind(text, one)
            for place in places
            for one in evidence.anchors[place]
            if one.raw and not is_year(one)
        )
        years = {anchor.raw for place in places for anchor in evidence.anchors[place] if is_year(anchor)}
        only_year = frozenset(f"year:{raw}" for raw in years) if len(years) == 1 else frozenset[str]()
        heading = labels_of(text if len(text) <= SHORT_TEXT else text[: min(LONGEST_HEADING, text.find("\n") + 1)])
        for place in places:
            anchors = [
                self.as_amount(text, one)
                for one in evidence.anchors[place]
                if not ORDINAL.search(text[one.start - 1 : one.end] if one.start else text[: one.end])
            ]
            if anchors and len(self.found) >= MAX_OPERANDS_READ:
                self.was_cut = True
                return
            if not anchors:
                continue
            sentence = evidence.sentences[place]
            begin = next(
                (at for at in range(sentence.start, min(sentence.end, sentence.start + 12)) if at in row_at), None
            )
            if begin is not None:
                self._read_row(chunk, place, *row_at[begin], heading, only_year)
            else:
                self._read_sentence(chunk, place, anchors, heading, only_year)

    def _read_row(
        self,
        chunk: int,
        place: int,
        number: int,
        table: Table,
        index: int,
        heading: frozenset[str],
        only_year: frozenset[str],
    ) -> None:
        text = self.evidence.texts[chunk].text
        row = table.rows[index]
        if index == 0 and table.has_header:
            return
        name = text[row[0].start : min(row[0].end, row[0].start + LONGEST_HEADING)]
        before = text[max(0, table.start - LONGEST_HEADING) : table.start].strip().rpartition("\n")[2]
        for column, cell in enumerate(row):
            if len(self.found) >= MAX_OPERANDS_READ:
                self.was_cut = True
                return
            # Read by cell: over its border, april and 26 would be a date.
            anchors = [
                one._replace(start=cell.start + one.start, end=cell.start + one.end)
                for one in anchors_of(text[cell.start : cell.end])
            ]
            inside = [one for one in anchors if one.values]
            if not inside or (column == 0 and not is_year(inside[0])):
                continue
            header = ""
            if table.has_header and column < len(table.rows[0]):
                header = text[table.rows[0][column].start : table.rows[0][column].end]
            named = f"{name} ; {header}"
            own = labels_of(named) | _numbered(named)
            months = [key for key in own if key.startswith("month:")]
            periods = (_periods(named) or only_year).union(months if len(months) == 1 else ())
            wide = labels_of(before) | heading
            groups: tuple[tuple[str, int, int], ...] = (
                ("column", chunk * 1000 + number, column),
                ("row", chunk * 1000 + number, index),
                ("table", chunk, number),
            )
            scale, dimension, factor = _measure(f"{header} ; {before}")
            for one in inside[:2] if column else inside[:1]:
                found = _operand(chunk, place, one, anchors, own, wide, periods, groups)
                if one.dimension is None and not is_year(one):
                    found = found._replace(
                        values=tuple(value * scale * factor for value in found.values),
                        dimension=dimension,
                        factor=scale * factor,
                        is_rescaled=scale != 1.0 or dimension is not None,
                    )
                self.found.append(found._replace(is_total=bool(TOTAL.search(named))))

    def _read_sentence(
        self, chunk: int, place: int, anchors: Sequence[Anchor], heading: frozenset[str], only_year: frozenset[str]
    ) -> None:
        text = self.evidence.texts[chunk].text
        _, start, end, _ = self.evidence.sentences[place]
        numbers = [one for one in anchors if one.values and not is_year(one)]
        years = [one for one in anchors if is_year(one)]
        if len(numbers) + len(years) > MOST_IN_SENTENCE:
            self.was_cut = True
            numbers, years = numbers[:MOST_IN_SENTENCE], years[:MOST_IN_SENTENCE]
            last = max(one.start for one in (*numbers, *years))
            anchors = [one for one in anchors if one.start <= last]
        cuts = [start, *(match.end() for match in SEGMENT.finditer(text, start, end)), end]
        whole = labels_of(text[start:end])
        periods = _assigned(numbers, anchors, only_year)
        segment = 0
        held: dict[int, frozenset[str]] = {}
        names: dict[int, frozenset[str]] = {}
        measured: dict[int, Anchor] = {}
        run: list[Anchor] = []
        measure = _measure(text[start : numbers[0].start]) if numbers and ":" in text[start:end] else (1.0, None, 1.0)
        in_order = sorted([*numbers, *years], key=lambda one: one.start)
        for one in in_order:
            while segment + 2 < len(cuts) and cuts[segment + 1] <= one.start:
                segment += 1
            if segment not in held:
                # One without a word of its own goes on with those of the segment before.
                first = segment
                while first >= 0 and not held.setdefault(first, _names_in(text[cuts[first] : cuts[first + 1]])):
                    first -= 1
                held[segment] = held[max(first, 0)]
            if run and not text[run[-1].end : one.start].strip(BETWEEN):
                run.append(one)
            else:
                run = [one]
            names[one.start] = held[segment].difference([f"#{one.raw}"])
            if len(run) > 1 and one.dimension is not None:
                measured.update((other.start, one) for other in run if other.dimension is None and not is_year(other))
            if len(run) > 1:
                shared = frozenset[str]().union(*(names[other.start] for other in run))
                names.update((other.start, shared) for other in run)
        wide = whole | heading
        for one in in_order:
            groups = (("sentence", chunk, place), ("list", chunk, 0))
            unit = measured.get(one.start)  # 12, 15 and 18 minutes
            if unit is not None:
                one = one._replace(dimension=unit.dimension, factor=unit.factor)
            found = _operand(
                chunk,
                place,
                one,
                anchors,
                names[one.start],
                wide,
                periods.get(one.start, frozenset()),
                groups,
            )
            months = [key for key in found.own if key.startswith("month:")]
            if len(months) == 1:
                found = found._replace(periods=found.periods.union(months))
            found = found._replace(title=title_of(text, one), noun=_word_behind(text, one))
            if one.dimension is None and not found.is_year and measure != (1.0, None, 1.0):
                scale, dimension, factor = measure
                found = found._replace(
                    values=tuple(value * scale * factor for value in found.values),
                    dimension=dimension,
                    factor=scale * factor,
                    is_rescaled=True,
                )
            lead = text[max(start, one.start - 30) : one.start]
            self.found.append(found._replace(is_total=bool(TOTAL.search(lead))))


def _names_in(text: str) -> frozenset[str]:
    return labels_of(text) | _numbered(text)


def _operand(
    chunk: int,
    place: int,
    anchor: Anchor,
    anchors: Sequence[Anchor],
    own: frozenset[str],
    wide: frozenset[str],
    periods: frozenset[str],
    groups: tuple[tuple[str, int, int], ...],
) -> Operand:
    year = is_year(anchor)
    day = None
    if year:
        for other in anchors:
            if other.start == anchor.start and (other.key or "").startswith("day:"):
                month, number = str(other.key)[4:].split("-")
                day = (int(anchor.raw), int(month), int(number))
    return Operand(
        chunk,
        place,
        anchor.start,
        anchor.end,
        tuple(value * anchor.factor for value in anchor.values[:2]),
        anchor.dimension,
        anchor.factor,
        year,
        day,
        own,
        wide,
        periods,
        groups,
        False,
    )


def _assigned(
    numbers: Sequence[Anchor], anchors: Sequence[Anchor], only_year: frozenset[str]
) -> dict[int, frozenset[str]]:
    """Returns the periods of each number of a sentence: in order where there are as many, else the nearest."""
    years = [one for one in anchors if is_year(one)]
    assigned: dict[int, frozenset[str]] = {}
    for index, number in enumerate(numbers):
        if not years:
            assigned[number.start] = only_year
        elif len(years) == len(numbers):
            assigned[number.start] = frozenset([f"year:{years[index].raw}"])
        else:
            nearest = min(
                years, key=lambda year: (min(abs(year.start - number.end), abs(number.start - year.end)), year.start)
            )
            assigned[number.start] = frozenset([f"year:{nearest.raw}"])
    return assigned


def _periods(text: str) -> frozenset[str]:
    return frozenset(
        [f"year:{one.raw}" for one in anchors_of(text) if is_year(one)]
        + [one.key for one in anchors_of(text) if one.key and one.key.split(":")[0] in ("quarter", "month", "half")]
    )


def title_of(text: str, anchor: Anchor) -> str:
    """Returns a bare number with the word right before it, as a name may be written: `line 4`."""
    if not anchor.raw or is_year(anchor):
        return ""
    match = TITLE.search(text, max(0, anchor.start - 22), anchor.start)
    return f"{match[1]} {anchor.raw}" if match else ""


def _numbered(text: str) -> frozenset[str]:
    """Returns codes and bare numbers as names: `plant 2`, `K-77`."""
    anchors: Iterable[Anchor] = anchors_of(text) if any(char.isdigit() for char in text) else ()
    return frozenset(
        [one.key for one in anchors if one.key and one.key.startswith("code:")]
        + [f"#{one.raw}" for one in anchors if one.raw and not is_year(one)]
    )


def _word_behind(text: str, anchor: Anchor) -> str:
    """Returns the word right behind a number: 1742 inhabitants is no year where 4,210 inhabitants stands beside it."""
    match = BEHIND.match(text, anchor.end)
    return match[1] or match[2] if match else ""


def _measure(text: str) -> tuple[float, str | None, float]:
    """Returns scale, dimension and factor that a column's name gives: `revenue (million euros)`, `weight in kg`."""
    scale, dimension, factor = 1.0, None, 1.0
    for match in MEASURE.finditer(text):
        for word in WORD.findall(match[1] or match[2] or match[3]):
            if word in SCALES and word not in ("cr", "mil") and scale == 1.0:
                scale = SCALES[word]
            elif word in CURRENCIES and dimension is None:
                dimension = f"money:{CURRENCIES[word]}"
            elif word in UNITS and dimension is None:
                dimension, factor = UNITS[word]
            elif word >= "\u3000" and scale == 1.0:
                sign = CJK_SCALE.match(word)
                rest = word[sign.end() :] if sign else word
                scale = SCALES[sign.group()] if sign else scale
                if rest in CURRENCIES:
                    dimension = f"money:{CURRENCIES[rest]}"
                elif rest in UNITS:
                    dimension, factor = UNITS[rest]
    return scale, dimension, factor
