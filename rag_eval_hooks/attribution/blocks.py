"""Cuts an answer's Markdown into the blocks that sentences never cross: paragraphs, list items, table rows."""

import re
from collections.abc import Collection, Iterator

__all__ = ["blocks", "list_numbers"]

HAN_NUMBER = "[一二三四五六七八九十]{1,3}"
PICTURE = "[\u2190-\u245f\u2500-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
BLOCK_START = re.compile(
    r"[ \t]*(?:[-*+•‣◦·–—▪●○][ \t]+(?:\[[ xX]\][ \t]+)?|[・●■◆]"
    r"|\(?\d{1,3}[.)、．][ \t]+|\d{1,3}、|\(?[a-zA-Z]\)[ \t]+|\(?[ivx]{1,5}\)[ \t]+"
    rf"|[(（](?:\d{{1,3}}|{HAN_NUMBER})[)）][ \t]*|{HAN_NUMBER}、|[\u2460-\u24ff][ \t]*|{PICTURE}\ufe0f?[ \t]+)"
)
COUNTING = re.compile(r"(?<!\S)\(?(\d{1,3})[.)](?=[ \t])")
ITEM_NUMBER = re.compile(r"\(?(\d{1,3})[.)]")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{3,})[ \t]*")
DEFINITION = re.compile(r":[ \t]+")
MAX_HEADING = 100


def list_numbers(text: str) -> frozenset[int]:
    """Returns the numbers that can stand before list items: those written like `1.` or `1)` that count on from another.

    >>> sorted(list_numbers("1. Open the lid. 2. Wait. 12. They say so. Page 7")), sorted(list_numbers("12. It grew."))
    ([1, 2], [])
    """
    found = {int(number) for number in COUNTING.findall(text)}
    return frozenset(number for number in found if number < 2 or number - 1 in found or number + 1 in found)


def blocks(text: str, numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yields the spans of the blocks in order, without the marks of list items; headings and rules are no blocks.

    Args:
        text: An answer whose code, citation marks and source lists are blanked out.
        numbers: Its `list_numbers`; another number before a stop is what the answer says.
    """
    lines = text.split("\n")
    last_line = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    block: tuple[int, int] | None = None
    is_heading = is_term = in_table = False  # the block may turn out to be a heading, the term of a definition
    at = 0
    for number, line in enumerate(lines):
        start, end = at, at + len(line)
        at = end + 1
        body = line.lstrip(" \t>")
        start += len(line) - len(body)
        if is_heading and number < last_line and UNDERLINE.fullmatch(line):
            block = None
        in_table = in_table and "|" in body
        if not body.strip() or HEADING.match(line if body == line.lstrip() else body) or _is_rule(line):
            if block:
                yield block
            block = None
            continue
        is_header = "|" in body and number + 1 < len(lines) and _is_table_rule(lines[number + 1])
        if in_table or is_header or body.startswith("|") or body.count("|") >= 2:
            if block:
                yield block
            block = None
            in_table = in_table or is_header
            if not is_header and not _is_table_rule(line):
                yield (start, end)
            continue
        definition = DEFINITION.match(body)
        item = definition or BLOCK_START.match(body)
        if item and (counted := ITEM_NUMBER.match(body)) and int(counted.group(1)) not in numbers:
            item = None
        if block is not None and (not item or (definition and is_term)):
            block = (block[0], end)
            is_heading = is_term = False
            continue
        if block:
            yield block
        block = (start + (item.end() if item else 0), end)
        is_term = item is None
        is_heading = is_term and len(body) <= MAX_HEADING and body.rstrip()[-1] not in ".!?:;,。！？：；，"
    if block:
        yield block


def _is_rule(line: str) -> bool:
    """Whether a line only draws a line: `---`, `* * *`."""
    signs = "".join(line.split())
    return len(signs) >= 3 and set(signs) <= set("-*_=")


def _is_table_rule(line: str) -> bool:
    """Whether a line parts a table's header from its rows: `|---|:-:|`."""
    signs = "".join(line.split())
    return "--" in signs and set(signs) <= set("|:-")
