"""Finds marks in brackets: `[1]`, `[^1]`, `[source: a.pdf, p. 3]`, links, `【1†source】`, `(1)`, `(Smith 2020)`."""

import re
from collections.abc import Iterator

from rag_eval_hooks.attribution.citations.entries import NUMBERS, Entries, Read, is_year, mark_at
from rag_eval_hooks.attribution.citations.mark import Form, Mark, Span
from rag_eval_hooks.capture.packing import in_word

__all__ = ["lenticular", "round_names", "round_numbers", "square"]

SQUARE = re.compile(r"[\[［]([^\[\]［］\n]{1,300})[\]］]")
LINK = re.compile(
    r"\(<?([^()\s<>]{1,2000}(?:\([^()\s<>]{0,100}\)[^()\s<>]{0,200})?)>?(?:[ \t]{1,4}\"[^\"\n]{0,200}\")?\)"
)
ONLY_NUMBERS = re.compile(rf"[ \t]{{0,4}}{NUMBERS}[ \t]{{0,4}}")
FOOTNOTE = re.compile(r"\^([\w.-]{1,40})\^?")
LENTICULAR = re.compile(r"【([^【】\n]{1,300})】")
LENTICULAR_NUMBERS = re.compile(rf"[ \t]{{0,4}}({NUMBERS})[ \t]{{0,4}}")
ASSISTANT = re.compile(r"\d{1,6}:(\d{1,6})")
ROUND = re.compile(r"[(（]([^()（）\n]{1,300})[)）]")
YEAR = re.compile(r"([12]\d{3})[a-z]?(?:[,:] ?(?:pp?\. ?)?\d{1,5}(?:[-–]\d{1,5})?)?")
AUTHOR_BEFORE = re.compile(
    r"(?:[^\W\d_][\w'’-]{1,40}(?:,? (?:and|&|und|et|y) |, )){0,3}[^\W\d_][\w'’-]{1,40}(?:,? et al\.?| u\. ?a\.)?[ \t]?$"
)
INTERVAL = re.compile(
    r"(?:\b(?:ranges?|intervals?|arrays?|lists?|vectors?|tuples?|sets?|domain|matrix|slice|scale|between|bounds?)"
    r"(?: (?:is|of|in|are|was|from|equals?))?:?|[∈∉=≤≥⊂+/×]|[\"']:|区间|範囲)[ \t]?$",
    re.I,
)
INDEXED = re.compile(
    r"(?:(?<![\w.])[a-zA-Z_]|\w_\w*|[a-z][A-Z]\w*|\b[a-zA-Z_]\w*\(\w*\)|\b(?:arr|array|argv?|args|vals|vec|matrix|nums|df|rows?|cols?|buf|"
    r"ptr|str|obj|dict|dictionary|tuple))$"
)
CALLED = re.compile(r"\w\($")
ASSIGNED = re.compile(r"[ \t]?(?:[-+*/]?=(?!=)|\.\w+\(|[+*][ \t]?\[\d)")
MATHS = re.compile(r"[_^]\{$|\][ \t]?[+*][ \t]?$")
# A number in round brackets is a mark behind a clause: before a stop, the line's end, a conjunction, another mark.
CLAUSE_END = re.compile(
    r"[ \t]*(?:[.,;:!?。，；：！？、)]|$|\n|[(（]\d|(?:and|or|but|while|whereas|und|oder|aber|et|mais|y|pero)\b)", re.I
)
DIGIT_BEHIND = re.compile(r"[ \t]?\d")
"""Of a telephone number, or before what it counts."""
BEHIND_STOP = re.compile(r"[.!?。！？][ \t]{0,2}$")
COUNTS = re.compile(
    r"(?:^|[\n:;：；])[ \t>*-]*$|[,，][ \t]*$|\b(?:and|or|und|oder|et|ou|y|o|then|items?|steps?|points?|sections?|"
    r"options?|equations?|eqs?\.|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ \t]+$",
    re.I,
)
LINK_NAMES = re.compile(
    r"(?:source|link|here|ref|reference|quelle|fuente|hier|aquí|来源|链接|\d{1,4}|\^\d{1,4}|https?://.*)", re.I
)


def square(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields marks in square brackets, and links to an item's address."""
    index_end = -1
    for match in entries.places(SQUARE, answer) if "[" in answer or "［" in answer else ():
        start, end = match.span()
        inner = match.group(1)
        if answer[start - 1 : start] == "[" and answer[end : end + 1] == "]":
            start, end = start - 1, end + 1
        link = LINK.match(answer, end) if answer[end : end + 1] == "(" else None
        if link is not None:
            mark = _linked(answer, (start, end), inner, link, entries)
            if mark is not None:
                yield mark
            continue
        if FOOTNOTE.fullmatch(inner):
            label = inner.strip("^")
            ranks = entries.label(label)
            if ranks or label.isdecimal() or label.lower() in entries.legend.targets:
                yield mark_at(answer, (start, end), Read((ranks,)), "number")
            continue
        if ONLY_NUMBERS.fullmatch(inner):
            if _is_code(answer, start, end, inner, entries) or start == index_end:
                index_end = end
                continue
            form: Form = "number"
            read = entries.numbers(inner)
        else:
            read, form = entries.names(inner), "name"
            if read is None and entries.sources.has_authors:
                read, form = entries.authors(inner), "author"
        if read is not None:
            yield mark_at(answer, (start, end), read, form)


def _linked(answer: str, span: Span, inner: str, link: re.Match[str], entries: Entries) -> Mark | None:
    """A link is a mark when it leads to an item, or when its text is one."""
    ranks = entries.sources.address(link.group(1)) or entries.sources.named(link.group(1))
    visible = inner.strip("^ ")
    numbers = ONLY_NUMBERS.fullmatch(visible)
    if numbers:
        read = Read((ranks,)) if ranks and visible.isdecimal() else entries.numbers(visible)
        return None if read is None else mark_at(answer, span, read, "link", (span[0], link.end()))
    if not ranks:
        read = entries.names(inner)
        return None if read is None else mark_at(answer, span, read, "link", (span[0], link.end()))
    in_brackets = answer[span[0] - 1 : span[0]] in ("(", "（")
    is_name = bool(LINK_NAMES.fullmatch(visible) or set(entries.sources.named(visible)) & set(ranks))
    is_apart = bool(BEHIND_STOP.search(answer, max(0, span[0] - 4), span[0])) or not span[0]
    ends_line = answer[link.end() : link.end() + 2].strip(" .") in ("", "\n")
    hides_all = in_brackets or is_name or (is_apart and ends_line)
    mark = mark_at(answer, (span[0], link.end()), Read((ranks,)), "link")
    return mark if hides_all else mark._replace(hidden=((span[0], span[0] + 1), (span[1] - 1, link.end())))


def _is_code(answer: str, start: int, end: int, inner: str, entries: Entries) -> bool:
    """Whether numbers in square brackets are an index, an array or an interval."""
    before = answer[max(0, start - 40) : start]
    if INDEXED.search(before) or CALLED.search(before) or MATHS.search(before) or ASSIGNED.match(answer, end):
        return True
    is_group = not inner.strip().isdecimal()
    if is_group and INTERVAL.search(before):
        return True
    if is_group and entries.sources.base > 0 and re.match(r"[ \t]*0\b", inner):
        return not entries.sources.number(0)
    return False


def lenticular(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields marks in lenticular brackets; behind a dagger, the name of a file is asked before the number."""
    for match in entries.places(LENTICULAR, answer) if "【" in answer else ():
        number, dagger, name = match.group(1).partition("†")
        named = entries.sources.named(name) if dagger else ()
        assistant = ASSISTANT.fullmatch(number.strip())
        read: Read | None
        if named:
            read = Read((named,))
        elif assistant:
            read = Read((entries.sources.number(int(assistant.group(1)) + entries.sources.base),))
        elif LENTICULAR_NUMBERS.fullmatch(number):
            read = entries.numbers(number)
        else:
            read = entries.names(number)
        if read is not None:
            yield mark_at(answer, match.span(), read, "number")


def round_names(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields marks in round brackets that name an item, and authors with years."""
    for match in entries.places(ROUND, answer) if "(" in answer or "（" in answer else ():
        start, end = match.span()
        inner = match.group(1)
        if ONLY_NUMBERS.fullmatch(inner) or answer[start - 1 : start] == "]":
            year = YEAR.fullmatch(inner.strip()) if entries.sources.has_authors else None
            before = AUTHOR_BEFORE.search(answer, max(0, start - 100), start) if year else None
            if year and before:
                name = entries.author(before.group(), year.group(1))
                if name:
                    yield mark_at(answer, (before.start(), end), Read((name,)), "author")
            continue
        if not entries.may_name(inner):
            continue
        read = entries.names(inner, only_shaped=True)
        form: Form = "name"
        if read is None and entries.sources.has_authors:
            read, form = entries.authors(inner), "author"
        if read is not None:
            yield mark_at(answer, (start, end), read, form)


def round_numbers(answer: str, entries: Entries) -> list[Mark]:
    """Returns numbers in round brackets where the answer uses them as marks; all or none of them.

    They are marks when each of them stands behind a clause, none counts items of a list (at a line's beginning, behind
    a colon or semicolon, before the words that it counts), and at least half of them are numbers of items.
    """
    found: list[Mark] = []
    known = 0
    for match in entries.places(ROUND, answer) if "(" in answer or "（" in answer else ():
        start, end = match.span()
        if not ONLY_NUMBERS.fullmatch(match.group(1)):
            continue
        read = entries.numbers(match.group(1))
        if read is None or any(is_year(int(number)) for number in re.findall(r"\d+", match.group(1))):
            continue
        before = answer[max(0, start - 40) : start]
        if DIGIT_BEHIND.match(answer, end):
            return []
        closes = CLAUSE_END.match(answer, end) or BEHIND_STOP.search(before)
        if not closes or COUNTS.search(before) or in_word(before[-1:]):
            return []
        known += all(read.targets)
        found.append(mark_at(answer, (start, end), read, "round"))
    return found if 2 * known >= len(found) and known else []
