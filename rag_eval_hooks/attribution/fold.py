"""Folds text so that the same words compare equal, and remembers where each character came from."""

import html
import re
import unicodedata
from bisect import bisect_left
from typing import NamedTuple

__all__ = ["Folded", "fold"]

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u02bc\u2032\uff07"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f\u200e\u200f"
# Vowel points that most texts leave out, and the dash that stretches a word: Hebrew, Arabic.
POINTS = "".join(
    map(chr, (*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x640, *range(0x64B, 0x653), 0x670))
)
TIGHT_SPACES = frozenset("\u00a0\u2007\u2009\u202f")
SAME = {
    **dict.fromkeys(map(ord, DASHES), "-"),
    **dict.fromkeys(map(ord, DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, SINGLE_QUOTES), "'"),
    **dict.fromkeys(map(ord, INVISIBLE + POINTS), ""),
    ord("İ"): "i",
}
BLOCK_TAGS = frozenset(
    "address article blockquote br caption dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre "
    "section table tbody tfoot thead title tr ul".split()
)
# Entities, tags, control characters, and runs of non-ASCII text with the letter before (it may carry a combining mark).
SPECIAL = re.compile(
    r"&(?:[a-zA-Z][a-zA-Z0-9]{1,30}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"
    r"|</?([a-zA-Z][a-zA-Z0-9]{0,15})(?:\s[^<>]{0,300})?/?>"
    r"|[\x00-\x08\x0b-\x1f\x7f]+"
    r"|[\x00-\x7f]?[^\x00-\x7f]+"
)
PLAIN = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\U0010ffff<&]*")
JAMO = re.compile("[\u1100-\u11ff]")


class Folded(NamedTuple):
    """Folded text with the way back to the original."""

    text: str
    """Lower case, NFKC, one form of dash and quote, without markup, invisible and control characters."""
    starts: list[int] | None
    """For each folded character, where its source begins in the original; None where nothing moved."""
    ends: list[int] | None
    """For each folded character, where its source ends in the original; None where nothing moved."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open span of the original text behind a half-open span of the folded one."""
        if self.starts is None or self.ends is None or start >= end:
            return (start, end)
        return (self.starts[start], self.ends[end - 1])

    def locate(self, start: int, end: int) -> tuple[int, int]:
        """Returns the half-open span of the folded text behind a half-open span of the original one."""
        if self.starts is None:
            return (start, end)
        return (bisect_left(self.starts, start), bisect_left(self.starts, end))


def fold(text: str) -> Folded:
    """Returns `text` folded for comparison; time and memory grow linearly with its length.

    >>> fold("The \\ufb01lter\\u2019s Caf&eacute; \\u2013 \\uff11\\uff12").text
    "the filter's café - 12"
    """
    if PLAIN.fullmatch(text):
        return Folded(text.lower(), None, None)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in SPECIAL.finditer(text):
        begin, end = match.span()
        if begin > last:
            parts.append(text[last:begin].lower())
            starts.extend(range(last, begin))
            ends.extend(range(last + 1, begin + 1))
        last = end
        source = match.group()
        tag = match.group(1)
        if source[0] == "&" and len(source) > 1 and source.endswith(";") and source.isascii():
            pieces = [(html.unescape(source), begin, end)]
        elif tag is not None:
            pieces = [("\n" if tag.lower() in BLOCK_TAGS else " ", begin, end)]
        elif source.isascii():
            pieces = [(" " if any(char in "\x0b\x0c\x0d" for char in source) else "", begin, end)]
        else:
            pieces = _clusters(source, begin)
        for piece, first, after in pieces:
            folded = _fold_piece(piece, text, first, after)
            parts.append(folded)
            if len(folded) == after - first:
                starts.extend(range(first, after))
                ends.extend(range(first + 1, after + 1))
            else:
                starts.extend([first] * len(folded))
                ends.extend([after] * len(folded))
    parts.append(text[last:].lower())
    starts.extend(range(last, len(text)))
    ends.extend(range(last + 1, len(text) + 1))
    return Folded("".join(parts), starts, ends)


def _fold_piece(piece: str, text: str, first: int, after: int) -> str:
    if piece in TIGHT_SPACES:
        # 2 400 with a no-break space is one number; with a plain space it may be two.
        between_digits = first > 0 and text[first - 1].isdigit() and text[after : after + 1].isdigit()
        return "," if between_digits else " "
    return unicodedata.normalize("NFKC", piece).translate(SAME).casefold()


def _clusters(run: str, begin: int) -> list[tuple[str, int, int]]:
    """Cuts a run into pieces that fold independently: the run itself where nothing changes length, else characters."""
    if not any(char in TIGHT_SPACES for char in run):
        folded = unicodedata.normalize("NFKC", run)
        if len(folded) == len(run) and len(folded.translate(SAME).casefold()) == len(run):
            return [(run, begin, begin + len(run))]
    pieces: list[tuple[str, int, int]] = []
    at = 0
    for place in range(1, len(run) + 1):
        joined = place < len(run) and (
            unicodedata.combining(run[place]) or (JAMO.match(run[place]) and JAMO.match(run[place - 1]))
        )
        if not joined:
            pieces.append((run[at:place], begin + at, begin + place))
            at = place
    return pieces
