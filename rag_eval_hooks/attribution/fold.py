"""Folds text so that the same words compare equal, and remembers where each character came from."""

import html
import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["STABLE", "Folded", "Moves", "fold"]

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u02bc\u2032\uff07"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u200e\u200f"
# Vowel points that most texts leave out, and the dash that stretches a word: Hebrew, Arabic.
POINTS = "".join(
    map(chr, (*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x640, *range(0x64B, 0x653), 0x670))
)
TIGHT_SPACES = "\u00a0\u2007\u2009\u202f"
SAME = {
    **dict.fromkeys(map(ord, DASHES), "-"),
    **dict.fromkeys(map(ord, DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, SINGLE_QUOTES), "'"),
    **dict.fromkeys(map(ord, INVISIBLE + POINTS), ""),
    ord("İ"): "i",
}
# Frequent, and one character for one: replaced in all text at once.
COMMON_SIGNS = tuple(zip("“”‘’–—，：！？（）", "\"\"''--,:!?()", strict=True))
BLOCK_TAGS = frozenset(
    "address article blockquote br caption dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre "
    "section table tbody tfoot thead title tr ul".split()
)
STABLE = (
    "\u00c0-\u00d6\u00d8-\u00de\u00e0-\u00f6\u00f8-\u00ff\u0410-\u044f\u0621-\u063a\u0641-\u064a\u3001\u3002"
    "\u300a\u300b\u3010\u3011\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
)
"""Characters outside ASCII of which folding only takes the case, and which join no character before them."""
# Most text is plain, so one cheap class comes first. Then: an entity, a tag, control characters, or a run to normalise.
SPECIAL = re.compile(
    rf"[^\t\n -%'-;=-~{STABLE}](?:"
    r"(?<=&)(?:[a-zA-Z][a-zA-Z0-9]{1,30}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"
    r"|(?<=<)/?([a-zA-Z][a-zA-Z0-9]{0,15})(?:\s[^<>]{0,300})?/?>"
    r"|(?<=[\x00-\x1f\x7f])[\x00-\x08\x0b-\x1f\x7f]*+"
    rf"|(?<=[^\x00-\x7f])[^\x00-\x7f{STABLE}]*+)"
)
TIGHT = re.compile(f"[{TIGHT_SPACES}]")
JAMO = re.compile("[\u1100-\u11ff]")


class Moves(NamedTuple):
    """Where the pieces of a folded text come from. A piece of the same length as its source goes by character."""

    at: "array[int]"
    """Where each piece begins in the folded text, and at last the folded text's length."""
    source: "array[int]"
    """Where each piece's source begins in the original."""
    length: "array[int]"
    """How long each piece's source is."""


class Folded(NamedTuple):
    """Folded text with the way back to the original."""

    text: str
    """Lower case, NFKC, one form of dash and quote, without markup, invisible and control characters."""
    moves: Moves | None
    """None where nothing moved."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open span of the original text behind a half-open span of the folded one."""
        if self.moves is None or start >= end:
            return (start, end)
        at, source, length = self.moves
        first, last = bisect_right(at, start) - 1, bisect_right(at, end - 1) - 1
        begin, after = source[first], source[last] + length[last]
        if at[first + 1] - at[first] == length[first]:
            begin += start - at[first]
        if at[last + 1] - at[last] == length[last]:
            after = source[last] + end - at[last]
        return (begin, after)

    def locate(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open span of the folded text behind a half-open span of the original one."""
        return (start, end) if self.moves is None else (self._place(self.moves, start), self._place(self.moves, end))

    @staticmethod
    def _place(moves: Moves, offset: int) -> int:
        """Where the first piece or character begins whose source begins at an offset or behind."""
        at, source, length = moves
        piece = bisect_right(source, offset) - 1
        if piece < 0:
            return 0
        inside = offset - source[piece]
        if at[piece + 1] - at[piece] == length[piece]:
            return min(at[piece] + inside, at[piece + 1])
        return at[piece] if inside == 0 else at[piece + 1]


def fold(text: str) -> Folded:
    """Returns `text` folded for comparison; time and memory grow linearly with its length.

    >>> fold("The \\ufb01lter\\u2019s Caf&eacute; \\u2013 \\uff11\\uff12").text
    "the filter's café - 12"
    """
    special = SPECIAL.search(text)
    if special is None:
        return Folded(text.lower(), None)
    if not text.isascii():
        for sign, plain in COMMON_SIGNS:
            text = text.replace(sign, plain)
    folding = _Folding(len(text))
    last = 0
    for match in SPECIAL.finditer(text, special.start()):
        begin, end = match.span()
        first = text[begin]
        if first > "\x7f" and begin > last:
            begin -= 1  # a combining mark belongs to the character before
        if begin > last:
            folding.add(text[last:begin].lower(), last, begin)
        last = end
        if first == "&":
            folding.add(_normal(html.unescape(match.group())), begin, end)
        elif first == "<":
            folding.add("\n" if match[1].lower() in BLOCK_TAGS else " ", begin, end)
        elif first <= "\x7f":
            folding.add(" " if any(char in "\x0b\x0c\x0d" for char in match.group()) else "", begin, end)
        else:
            for piece in _pieces(text, begin, end):
                folding.add(*piece)
    folding.add(text[last:].lower(), last, len(text))
    return folding.folded()


class _Folding:
    """Joins folded pieces, and notes where they come from once one of them has another length than its source."""

    def __init__(self, source_length: int) -> None:
        self._source_length = source_length
        self._parts: list[str] = []
        self._size = 0
        self._moves = Moves(array("i"), array("i"), array("i"))
        self._aligned_to: int | None = None
        """Where the last piece's source ends, if that piece goes by character."""

    def add(self, folded: str, begin: int, end: int) -> None:
        """Adds what `original[begin:end]` folds to."""
        if not folded:
            return
        at, source, length = self._moves
        aligned = len(folded) == end - begin
        if aligned and self._aligned_to == begin:
            length[-1] += end - begin
        else:
            at.append(self._size)
            source.append(begin)
            length.append(end - begin)
        self._aligned_to = end if aligned else None
        self._parts.append(folded)
        self._size += len(folded)

    def folded(self) -> Folded:
        """Returns all that was added."""
        at, _, length = self._moves
        unmoved = len(at) == 1 and self._aligned_to == length[0] == self._source_length
        at.append(self._size)
        return Folded("".join(self._parts), None if unmoved else self._moves)


def _normal(piece: str) -> str:
    return unicodedata.normalize("NFKC", piece).translate(SAME).casefold()


def _pieces(text: str, begin: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yields what a run folds to with its source: as a whole where no length changes, else by character cluster."""
    run = text[begin:end]
    if not TIGHT.search(run):
        folded = _normal(run)
        if len(folded) == len(run):
            yield folded, begin, end
            return
    start = begin
    for place in range(begin + 1, end + 1):
        if place < end and (
            unicodedata.combining(text[place]) or (JAMO.match(text[place]) and JAMO.match(text[place - 1]))
        ):
            continue
        piece = text[start:place]
        if piece in TIGHT_SPACES:
            # 2 400 with a no-break space is one number; with a plain space it may be two.
            between_digits = start > 0 and text[start - 1].isdigit() and text[place : place + 1].isdigit()
            yield "," if between_digits else " ", start, place
        else:
            yield _normal(piece), start, place
        start = place
