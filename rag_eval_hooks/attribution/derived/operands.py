"""Reads the numbers of the context as operands: each with its value, its unit and the words and years it stands for."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor
from rag_eval_hooks.attribution.derived.measure import NO_MEASURE, measure_of
from rag_eval_hooks.attribution.derived.tables import Table, find_tables
from rag_eval_hooks.attribution.evidence import Evidence, anchors_of
from rag_eval_hooks.attribution.terms import SPACELESS_FROM, single_characters, stem, terms
from rag_eval_hooks.attribution.units import CURRENCIES, MONTHS, ORDINAL_WORDS, SCALES, UNITS

__all__ = [
    "MAX_OPERANDS_READ",
    "Operand",
    "Operands",
    "is_year",
    "labels_of",
    "light",
    "title_of",
    "unit_words",
    "word_behind",
]

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
OF_YEARS = re.compile(r"(?<![^\W\d_])(?:year|founded|opened|built|jahr$|baujahr|année|año)|年份|年度|成立")
YEAR_AN = re.compile(r"(1\d\d\d|20\d\d) an")
TITLE = re.compile(r"([^\W\d_]{2,20})[ -]$")
ENDING = re.compile(r"(?:ern|en|er|em|es|e|n|s)$")
LONG_WORD = 7
TOTAL = re.compile(r"(?<!\w)(?:sub)?(?:total|sum|overall|gesamt|summe|insgesamt|somme|suma)(?!\w)|合计|总计|总和|共计")


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
    written: str = ""
    """How its text writes it, with its unit."""

    def value(self, reading: int) -> float:
        """Returns one of its readings: 0 as English writes numbers, 1 the other one."""
        return self.values[-1 if reading else 0]


def is_year(anchor: Anchor) -> bool:
    """Whether a value is a calendar year."""
    return anchor.key is None and len(anchor.raw) == 4 and anchor.raw.isdecimal() and 1000 <= int(anchor.raw) <= 2199


def as_year(text: str, anchor: Anchor) -> Anchor:
    """Returns `1891 an`, which is read as a French length of time, as the year it is before an English word."""
    match = YEAR_AN.fullmatch(text, anchor.start, anchor.end)
    if match is None:
        return anchor
    return anchor._replace(raw=match[1], end=match.end(1), dimension=None, factor=1.0)


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
        self.found = [one._replace(written=self._written(one)) for one in self.found[:MAX_OPERANDS_READ]]

    def _written(self, one: Operand) -> str:
        return self.evidence.original_of(one.chunk, one.start, one.end)

    def as_amount(self, text: str, anchor: Anchor) -> Anchor:
        """Returns a number that looks like a year as a plain one where it counts what other numbers count."""
        if is_year(anchor) and word_behind(text, anchor) in self.counted - {""}:
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
            word_behind(text, one)
            for place in places
            for one in evidence.anchors[place]
            if one.raw and not is_year(one)
        )
        years = {anchor.raw for place in places for anchor in evidence.anchors[place] if is_year(anchor)}
        only_year = frozenset(f"year:{raw}" for raw in years) if len(years) == 1 else frozenset[str]()
        title = text[: min(LONGEST_HEADING, text.find("\n") + 1)]
        heading = labels_of(text if len(text) <= SHORT_TEXT else title)
        for place in places:
            anchors = [
                self.as_amount(text, as_year(text, one))
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
                self._read_sentence(chunk, place, anchors, title, heading, only_year)

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
            is_name = column == 0 and not is_year(inside[0]) if inside else True
            if is_name and not (inside and len(table.rows) == 2 and table.has_header):
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
            scale, dimension, factor = measure_of(f"{header} ; {name} ; {before}")
            is_amount = (scale != 1.0 or dimension is not None) and not OF_YEARS.search(header or name)
            for one in inside[:2] if column else inside[:1]:
                one = one._replace(raw="") if is_amount and column and is_year(one) else one
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
        self,
        chunk: int,
        place: int,
        anchors: Sequence[Anchor],
        title: str,
        heading: frozenset[str],
        only_year: frozenset[str],
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
        is_field = bool(numbers) and ":" in text[start:end]
        measure = measure_of(f"{text[start : numbers[0].start]} ; {title}") if is_field else NO_MEASURE
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
            found = found._replace(title=title_of(text, one), noun=word_behind(text, one))
            if one.dimension is None and not found.is_year and measure != NO_MEASURE:
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


def word_behind(text: str, anchor: Anchor) -> str:
    """Returns the word right behind a number: 1742 inhabitants is no year where 4,210 inhabitants stands beside it."""
    match = BEHIND.match(text, anchor.end)
    return match[1] or match[2] if match else ""
