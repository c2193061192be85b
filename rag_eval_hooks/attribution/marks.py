"""Finds citation marks in an answer: where they are and which items they name."""

import re
from collections.abc import Collection
from typing import NamedTuple

from rag_eval_hooks.record.limits import MAX_MARKS

__all__ = ["Mark", "code_spans", "find_marks", "legend_spans", "reasoning_spans"]

MAX_TARGETS = 200
MAX_INLINE_CODE = 2_000
FENCE = re.compile(r"^[ \t>]*+(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.M)
BACKTICKS = re.compile(r"`+")
FOOTNOTE_DEFINITION = re.compile(r"^[ \t]*\[\^[^\]\n]{1,40}\]:[^\n]*$", re.M)
LEGEND_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?[*_]{0,2}(?:sources?|references?|citations?|bibliography|footnotes|quellen|sources|"
    r"参考(?:资料|文献)|资料来源|来源|引用|出典|参照|출처)[*_]{0,2}[ \t]*[:：][*_]{0,2}[ \t]*$",
    re.M | re.I,
)
SOURCE_LINE = re.compile(
    r"^[ \t]*[*_(]{0,3}(?:sources?|references?|quellen?|fuentes?|fonti?|来源|出典|출처)[ \t]*[:：][^\n]{1,160}$",
    re.M | re.I,
)
LEGEND_LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\[?\^?[\w .:-]{1,40}\]|\d{1,3}[.)]|[-*+][ \t]|https?://|【)[^\n]*")

_range = r"\d{1,9}(?:[ \t]{0,4}[-–—][ \t]{0,4}\d{1,12})?"
NUMBERS = rf"{_range}(?:[ \t]{{0,4}}[,;，、][ \t]{{0,4}}{_range}){{0,50}}"
WORD = r"(?:sources?|docs?|documents?|contexts?|chunks?|passages?|refs?|references?|citations?|来源|文档|资料)"
MARK = re.compile(
    rf"\[\[(?P<linked>{NUMBERS})\]\]\([^()\s]{{1,2000}}\)"
    rf"|\[(?P<linked2>{NUMBERS})\]\(https?://[^()\s]{{1,2000}}\)"
    rf"|\[\^(?P<foot>[\w-]{{1,40}})\](?!:)"
    rf"|\[(?P<square>[ \t]{{0,4}}{NUMBERS}[ \t]{{0,4}})\](?!\()"
    rf"|\[(?P<word>{WORD})[ \t]{{0,4}}[:：#]?[ \t]{{0,4}}(?P<named>[^\[\]\n]{{1,200}})\](?!\()"
    r"|\[(?P<other>[^\[\]\n]{1,200})\](?![(:])"
    rf"|【(?:{WORD}[ \t]{{0,4}}[:：]?[ \t]{{0,4}})?(?P<lenticular>{NUMBERS})(?:†[^】\n]{{0,200}})?】"
    r"|(?P<super>(?<=[^\s\d⁰¹²³⁴⁵⁶⁷⁸⁹])[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[⁻,˒ ]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}){0,10})",
    re.I,
)
INTERVAL = re.compile(
    r"\b(?:ranges?|intervals?|arrays?|lists?|vectors?|tuples?|sets?|domain|matrix|slice)(?: (?:is|of|in|are|was|"
    r"from))?:?\s$",
    re.I,
)
INDEXED = re.compile(r"(?<![\w.])[a-zA-Z_]$")
REASONING = re.compile(r"<(/?)(think|thinking|reasoning|scratchpad|reflection)>", re.I)
SUPER_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
# A superscript after one of these is a mark; after a letter or unit (m², x³) it is an exponent.
SUPER_AFTER = frozenset(".,;:!?)]\"'”’»。，；：！？）】")


class Mark(NamedTuple):
    """One citation mark."""

    text: str
    """The mark as it stands in the answer (a link's address left out)."""
    start: int
    """Where the mark begins in the answer."""
    end: int
    """Where the mark, with a link's address, ends."""
    numbers: tuple[int, ...]
    """The numbers it names, in order, at most `MAX_TARGETS`; empty where it names an id."""
    name: str | None
    """The id it names, where it names one."""
    beyond: int | None
    """First number left out of a range that was too long to spell out."""

    @property
    def marker_end(self) -> int:
        """Where the mark itself ends, without a link's address."""
        return self.start + len(self.text)


def code_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans of fenced and inline code, in order. An open fence reaches to the end."""
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in FENCE.finditer(answer):
        fence = match.group(1)
        if opened is None:
            opened = (match.start(), fence)
        elif fence[0] == opened[1][0] and len(fence) >= len(opened[1]) and match.group().strip(" \t>") == fence:
            spans.append((opened[0], match.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(answer)))
    outside: list[tuple[int, int]] = []
    at = 0
    for start, end in _inline_code(answer):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        if at == len(spans) or end <= spans[at][0]:
            outside.append((start, end))
    return sorted(spans + outside)


def _inline_code(answer: str) -> list[tuple[int, int]]:
    """Pairs runs of backticks of the same length within a paragraph; linear in the number of runs."""
    runs = [match.span() for match in BACKTICKS.finditer(answer)]
    following: dict[int, int] = {}
    partner: list[int | None] = [None] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        length = runs[place][1] - runs[place][0]
        partner[place] = following.get(length)
        following[length] = place
    spans: list[tuple[int, int]] = []
    place = 0
    while place < len(runs):
        other = partner[place]
        start, end = runs[place][0], runs[other][1] if other is not None else 0
        if other is not None and end - start <= MAX_INLINE_CODE and "\n\n" not in answer[start:end]:
            spans.append((start, end))
            place = other + 1
        else:
            place += 1
    return spans


def legend_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans of source lists: footnote definitions, and the lines under a heading `Sources:`."""
    spans = [match.span() for pattern in (FOOTNOTE_DEFINITION, SOURCE_LINE) for match in pattern.finditer(answer)]
    for match in LEGEND_HEADING.finditer(answer):
        end = match.end()
        found = False
        for line in re.finditer(r"\n([^\n]*)", answer[end : end + 20_000]):
            if line.group(1).strip() and not LEGEND_LINE.fullmatch(line.group(1)):
                break
            found = found or bool(line.group(1).strip())
            last = end + line.end()
            if found:
                end_of_block = last
        if found:
            spans.append((match.start(), end_of_block))
    return sorted(spans)


def reasoning_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans of a model's reasoning in tags (`<think>...</think>`); it is not the answer."""
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in REASONING.finditer(answer):
        closing, name = bool(match.group(1)), match.group(2).lower()
        if not closing and opened is None:
            opened = (match.start(), name)
        elif closing and opened is not None and opened[1] == name:
            spans.append((opened[0], match.end()))
            opened = None
    return spans


def find_marks(answer: str, items: int, base: int = 1, names: Collection[str] = ()) -> list[Mark]:
    """Returns the citation marks of an answer in order; work is linear in its length.

    Numbers in code and in source lists, indexes of a one-letter name (`a[0]`), exponents and years in brackets are no
    marks.

    Args:
        answer: The answer's text.
        items: How many items the generator got; a bracketed year is a mark only where there are that many.
        base: The number of the first item.
        names: Ids and source names of the items, in lower case; one in square brackets is a mark, too.
    """
    skipped = sorted(code_spans(answer) + legend_spans(answer) + reasoning_spans(answer))
    marks: list[Mark] = []
    at = 0
    for match in MARK.finditer(answer):
        while at < len(skipped) and skipped[at][1] <= match.start():
            at += 1
        if at < len(skipped) and skipped[at][0] < match.end():
            continue
        mark = _read(match, answer, items, base, names)
        if mark is not None:
            marks.append(mark)
            if len(marks) == MAX_MARKS:
                break
    return marks


def _read(match: re.Match[str], answer: str, items: int, base: int, names: Collection[str]) -> Mark | None:
    start, end = match.span()
    text = match.group()
    if match["other"] is not None:
        other = match["other"].strip()
        return Mark(text, start, end, (), other, None) if other.lower() in names else None
    if match["square"] is not None and INDEXED.search(answer, max(0, start - 3), start):
        return None  # a[0]
    if match["square"] is not None and INTERVAL.search(answer, max(0, start - 24), start):
        return None  # the range [1, 5]
    if match["super"] is not None:
        if answer[start - 1] not in SUPER_AFTER:
            return None
        raw = match["super"].translate(SUPER_DIGITS).replace("⁻", "-").replace("˒", ",").replace(" ", ",")
        return _numbered(raw, text, start, end, items, base)
    if match["foot"] is not None:
        foot = match["foot"]
        if foot.isdecimal():
            return _numbered(foot, text, start, end, items, base)
        return Mark(text, start, end, (), foot, None)
    if match["named"] is not None:
        named = match["named"].strip()
        if re.fullmatch(NUMBERS, named):
            return _numbered(named, text, start, end, items, base, name=named)
        return Mark(text, start, end, (), named, None)
    linked = match["linked"] or match["linked2"]
    if linked is not None:
        visible = text[: text.index("(")]
        return _numbered(linked, visible, start, end, items, base)
    return _numbered(match["square"] or match["lenticular"], text, start, end, items, base)


def _numbered(raw: str, text: str, start: int, end: int, items: int, base: int, name: str | None = None) -> Mark | None:
    numbers: list[int] = []
    beyond: int | None = None
    last = base + items - 1
    for part in re.split(r"[,;，、]", raw):
        bounds = [int(bound) for bound in re.split(r"[-–—]", part) if bound.strip()]
        if not bounds:
            continue
        low, high = bounds[0], bounds[-1]
        if len(bounds) == 1 and items < low and 1000 <= low <= 2999 and text.startswith("["):
            return None  # [2023] is a year
        if high < low:
            low, high = high, low
        spelled = range(low, min(high, max(last, low)) + 1)
        room = MAX_TARGETS - len(numbers)
        numbers.extend(spelled[:room])
        if high > spelled[-1] or len(spelled) > room:
            beyond = spelled[-1] + 1 if len(spelled) <= room else spelled[room]
    return Mark(text, start, end, tuple(numbers), name, beyond)
