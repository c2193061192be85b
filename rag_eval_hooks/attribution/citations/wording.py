"""Finds marks without brackets: superscripts, tags, `Source 1`, addresses, and ids and file names in running text."""

import re
from collections.abc import Iterator

from rag_eval_hooks.attribution.citations.entries import NUMBERS, Entries, Read, mark_at
from rag_eval_hooks.attribution.citations.mark import Mark, Span
from rag_eval_hooks.capture.packing import in_word

__all__ = ["addresses", "bare_names", "superscripts", "tags", "worded"]

SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[⁻,˒ ]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}){0,10}")
SUPER_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒ ", "0123456789-,,")
SUPER_SIGNS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
# A superscript behind one of these, or behind a word, is a mark; behind a unit (m², cm³), a variable or a number it is
# an exponent.
STOPS = frozenset(".,;:!?)]\"'”’»。，；：！？）】」%")
SPACELESS_FROM = "\u3040"
"""From here on scripts write words without a blank between them: a raised number may follow any of their letters."""
MIN_WORD = 4
"""Fewer letters before a raised number may be a unit or a variable."""
TAG = re.compile(r"<(/?)(cite|citation|ref|reference|sup|source|footnote|co)\b(:?)([^<>]{0,300})>", re.I)
ATTRIBUTE = re.compile(
    r"""(?:^|[\s:,])(?:[\w-]+[ \t]*=[ \t]*)?(?:"([^"<>]{1,300})"|'([^'<>]{1,300})'|([^\s"'=/,<>]{1,300}))"""
)
ONLY_NUMBERS = re.compile(rf"[ \t]{{0,4}}\[?(?:#|n)?({NUMBERS})\]?[ \t]{{0,4}}")
MAX_INSIDE = 200
"""Characters between tags that may name an item; more are text that the tags enclose."""
MAX_TEXT = 5_000
"""Characters that tags may enclose; with more between them, they do not belong together."""
SOURCE_PLURALS = {"source": "s", "quelle": "n", "fuente": "s", "fonte": "s", "来源": ""}
"""Words that mean a source of the answer whatever their number, with the ending of the plural."""
ITEM_PLURALS = {
    "document": "s",
    "passage": "s",
    "chunk": "s",
    "excerpt": "s",
    "dokument": "e",
    "documento": "s",
    "文档": "",
    "资料": "",
}
"""Words that mean one where there is an item of their number: documents may have numbers of their own."""
PLURALS = SOURCE_PLURALS | ITEM_PLURALS
WORDED = re.compile(
    rf"(?:{'|'.join(f'{word}(?:{ending})?' for word, ending in PLURALS.items())})"
    r"[ \t]{0,2}(?:no\.[ \t]?|nr\.[ \t]?|#)?(\d{1,4}(?:(?:[ \t]?[,、&-][ \t]?|[ \t](?:and|und|et|y|e)[ \t]"
    r"|[ \t]?[和与][ \t]?)\d{1,4})*)"
    r"(?![\w%°€$]|[.,:]\d)(?P<colon>[ \t]?[:：])?",
    re.I,
)
NAMES_SOURCE = re.compile("|".join(SOURCE_PLURALS), re.I)
AND = re.compile(r"[ \t]?(?:\b(?:and|und|et|y|e)\b|[&和与])[ \t]?")
ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'“”’】）。，；]{3,2000}")
MAX_REPEATS = 2_000
"""Places of one word or name that are looked at."""


def superscripts(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields raised numbers that stand behind a stop or a word."""
    if not any(sign in answer for sign in SUPER_SIGNS):
        return
    for match in entries.places(SUPERSCRIPT, answer):
        start = match.start()
        if not _may_be_raised(answer, start):
            continue
        read = entries.numbers(match.group().translate(SUPER_DIGITS))
        if read is not None and (answer[start - 1] in STOPS or all(read.targets)):
            yield mark_at(answer, match.span(), read, "superscript")


def _may_be_raised(answer: str, start: int) -> bool:
    before = answer[max(0, start - MIN_WORD) : start]
    if not before or before[-1] in STOPS:
        return bool(before)
    return before[-1] >= SPACELESS_FROM or (len(before) >= MIN_WORD and before.isalpha())


def tags(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields marks written as tags: `<cite>1</cite>`, `<cite id="1"/>`, `<cite source="a.pdf">text</cite>`."""
    if "<" not in answer:
        return
    found = list(entries.places(TAG, answer))
    at = 0
    while at < len(found):
        opening = found[at]
        at += 1
        if opening.group(1):
            continue
        closing = found[at] if at < len(found) and not opening.group(4).endswith("/") else None
        if closing is not None and not (closing.group(1) and closing.group(2).lower() == opening.group(2).lower()):
            closing = None
        name = opening.group(2).lower()
        inside = answer[opening.end() : closing.start()] if closing is not None else ""
        is_short = closing is not None and len(inside) <= MAX_INSIDE
        if name == "sup" and not _may_be_raised(answer, opening.start()):
            continue
        read = _inside(inside, entries, name) if is_short else None
        if read is not None and closing is not None:
            at += 1
            yield mark_at(answer, (opening.start(), closing.end()), read, "tag")
            continue
        read = _attributes(opening.group(4).rstrip("/ "), entries)
        if read is None or name == "sup":
            continue
        if closing is not None and inside.strip() and len(inside) <= MAX_TEXT:
            at += 1
            yield mark_at(answer, opening.span(), read, "tag")._replace(
                hidden=(opening.span(), closing.span()), about=(opening.end(), closing.start()), leads=True
            )
        else:
            end = closing.end() if closing is not None and not inside.strip() else opening.end()
            yield mark_at(answer, (opening.start(), end), read, "tag")


def _inside(inside: str, entries: Entries, name: str) -> Read | None:
    numbers = ONLY_NUMBERS.fullmatch(inside)
    if numbers:
        return entries.numbers(numbers.group(1))
    return entries.names(inside.strip("[] ")) if inside.strip() and name != "sup" else None


def _attributes(text: str, entries: Entries) -> Read | None:
    """Returns what a tag's attributes name, the first that names something; of nothing, where one is an id."""
    unknown: Read | None = None
    for match in ATTRIBUTE.finditer(text):
        value = next(filter(None, match.groups()))
        numbers = ONLY_NUMBERS.fullmatch(value)
        read = entries.numbers(numbers.group(1)) if numbers else entries.names(value)
        if read is not None and any(read.targets):
            return read
        unknown = unknown or read or Read(((),))
    return unknown


def worded(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields `Source 1`, `Sources 1 and 2:`, `document 3` in running text.

    Where there is no such item, only what is called a source is a mark.
    """
    lowered = answer.lower()
    if len(lowered) != len(answer):  # a few capitals have longer small letters
        lowered = answer
    places = sorted(place for word in PLURALS for place in _places(lowered, word))
    end = 0
    for place in places:
        if place < end or in_word(answer[max(0, place - 1) : place]):
            continue
        match = WORDED.match(answer, place)
        if match is None:
            continue
        read = entries.numbers(AND.sub(",", match.group(1)))
        if read is None or not (all(read.targets) or NAMES_SOURCE.match(answer, place)):
            continue
        end = match.end()
        start = place
        stop = match.start("colon") if match["colon"] else end
        if answer[start - 1 : start] in ("(", "（") and answer[stop : stop + 1] in (")", "）"):
            start, stop = start - 1, stop + 1
            end = stop
        yield mark_at(answer, (start, stop), read, "word")._replace(hidden=((start, end),), leads=bool(match["colon"]))


def addresses(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields the addresses of items where the answer names them and does not speak of them."""
    for match in entries.places(ADDRESS, answer) if "://" in answer else ():
        url = match.group().rstrip(".,;:!?*_")
        ranks = entries.sources.address(url)
        if ranks and not entries.sources.is_subject(url):
            yield mark_at(answer, (match.start(), match.start() + len(url)), Read((ranks,)), "address")


def bare_names(answer: str, entries: Entries) -> Iterator[Mark]:
    """Yields ids and file names of items in running text, unless the question or another item speaks of them."""
    found: list[Mark] = []
    for name in entries.sources.plain_names:
        places = list(_places(answer, name))
        if not places or entries.sources.is_subject(name):
            continue
        ranks = entries.sources.named(name)
        for place in places:
            span = (place, place + len(name))
            if ranks and _stands_alone(answer, span):
                found.append(mark_at(answer, span, Read((ranks,)), "name"))
    yield from sorted(found, key=lambda mark: (mark.start, -mark.end))


def _stands_alone(answer: str, span: Span) -> bool:
    before, behind = answer[span[0] - 1 : span[0]], answer[span[1] : span[1] + 2]
    if before and (before in "_/@\\-.=" or in_word(before)):
        return False
    if in_word(behind[:1]):
        return False
    return not behind or (behind[0] not in "_/@\\-=(" and not (behind[0] in ".:" and behind[1:].isalnum()))


def _places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    count = 0
    while place >= 0 and count < MAX_REPEATS:
        yield place
        count += 1
        place = text.find(word, place + len(word))
