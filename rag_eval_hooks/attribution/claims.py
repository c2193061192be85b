"""Cuts an answer into statements with exact offsets: sentences, list items and table rows."""

import bisect
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.marks import Mark, code_spans, legend_spans, reasoning_spans
from rag_eval_hooks.attribution.refusal import SentenceKind, opening_end, sentence_kind, statement_start
from rag_eval_hooks.attribution.units import MONTHS

__all__ = ["Statement", "assign_marks", "blank", "sentence_ends", "split_statements"]

BLOCK_START = re.compile(r"[ \t]*(?:[-*+•‣◦·][ \t]+|\(?\d{1,3}[.)、][ \t]+|\(\d{1,3}\)[ \t]*|\(?[a-zA-Z]\)[ \t]+)")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
# Possessive, and only at the start of a run: a long run of stops must not be tried from each of its places.
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]»*_]*+(?=\s|$)|[。！？｡]++[\"'」』”’）)》*_]*")
WORD_BEFORE = re.compile(r"[^\W\d_][^\W\d_.]*(?:\.[^\W\d_]+)*$")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st mt gen col lt sgt rev hon pres gov e.g i.e eg ie cf vs viz approx ca no nos nr vol ch "
    "sec fig figs eq eqs pp p ed eds al dept est jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k u.n a.m p.m "
    "bzw bspw ggf evtl inkl exkl zzgl einschl vgl abs art ref str tel hr fr mio mrd mln tsd mag dipl ing geb gest jh "
    "chr av sra dra srta ud uds pág núm art op n ul godz tys ул г им тыс млн".split()
)
MONTH_OR_ORDINAL = re.compile(
    r"(?:"
    + "|".join(sorted(MONTHS, key=len, reverse=True))
    + r")\b|(?:jahrhundert|kapitel|klasse|platz|auflage|etage|stock|"
    r"tag|monat|jahr|mal|spieltag|runde|teil|band|semester|quartal|oktober|stelle)\w*",
    re.I,
)
ORDINAL_BEFORE = re.compile(
    r"\b(?:am|vom|zum|im|der|den|dem|des|das|die|bis|ab|seit|beim|zur|ein|eine|und|dne|od|do)\s+\d{1,2}$", re.I
)
# These end a sentence only before a word that opens one.
SUFFIXES = frozenset(["inc", "ltd", "co", "corp", "etc", "llc", "bros", "a.m", "p.m", "u.s", "u.k"])
OPENERS = frozenset(
    "the a an it he she they we you i this that these those in on at for from by as if when while however but and its "
    "their there here his her our your according after before since although because both each all some many "
    "most".split()
)
SINGLE_LETTER = re.compile(r"[^\W\d_]\.")
SINGLE_LETTER_BEFORE = re.compile(r"(?<!\w)[^\W\d_]\.\s*$")
SHORT_LINE = 60


class Statement(NamedTuple):
    """One sentence, list item or table row of an answer."""

    start: int
    """Where it begins in the answer."""
    end: int
    """Where it ends, citation marks at its end left out."""
    kind: SentenceKind
    """What it is for."""


def blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Returns `text` with the spans replaced by spaces, so that offsets stay."""
    parts: list[str] = []
    last = 0
    for start, end in spans:
        if start < last:
            continue
        parts.append(text[last:start])
        parts.append(re.sub(r"[^\n]", " ", text[start:end]))
        last = end
    parts.append(text[last:])
    return "".join(parts)


def split_statements(answer: str, marks: Sequence[Mark]) -> list[Statement]:
    """Returns the statements of an answer in order; code blocks, headings, source lists and rules state nothing.

    Args:
        answer: The answer's text.
        marks: Its citation marks, as `find_marks` gives them.
    """
    fences = [span for span in code_spans(answer) if "\n" in answer[slice(*span)]]
    hidden = sorted(
        [(mark.start, mark.end) for mark in marks] + fences + legend_spans(answer) + reasoning_spans(answer)
    )
    text = blank(answer, hidden)
    statements: list[Statement] = []
    for start, end in _blocks(text):
        for first, last in _sentences(text, start, end):
            trimmed = _trim(text, first, last)
            if trimmed is None:
                continue
            first, last = trimmed
            lowered = text[first:last].lower().replace("’", "'")
            kind = sentence_kind(lowered)
            if len(lowered) == last - first:
                if kind == "refusal" and (cut := statement_start(lowered)):
                    first, kind = first + cut, "statement"
                elif kind == "statement":
                    first += opening_end(lowered)
            statements.append(Statement(first, last, kind))
    return statements


def assign_marks(answer: str, statements: Sequence[Statement], marks: Sequence[Mark]) -> list[int | None]:
    """Returns, for each mark, the index of its statement: the one around it, else the one it closes, else the next."""
    starts = [statement.start for statement in statements]
    owners: list[int | None] = []
    # Where a line begins with a mark, its marks stand before their sentences.
    opening = {mark.start for mark in marks if mark.start == 0 or answer[mark.start - 1] == "\n"}
    for mark in marks:
        before = bisect.bisect_right(starts, mark.start) - 1
        after = before + 1 if before + 1 < len(statements) else None
        if before < 0:
            owners.append(after)
            continue
        if mark.start < statements[before].end or after is None:
            owners.append(before)
            continue
        line = answer.rfind("\n", 0, mark.start) + 1
        opens_line = line > statements[before].end or line in opening
        owners.append(after if opens_line and "\n" not in answer[mark.end : starts[after]] else before)
    return owners


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yields where sentences end in `text[start:end]`, as offsets into `text`; `end` itself is not among them."""
    for match in SENTENCE_END.finditer(text, start, end):
        if match.end() < end and (text[match.start()] in "。！？｡" or _closes(text, start, match)):
            yield match.end()


def _closes(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a full stop ends a sentence rather than an abbreviation, an initial or a quotation inside one."""
    at = match.end()
    if match.start() > start and text[match.start() - 2 : match.start()] == "  ":
        return True  # a citation mark stood before the stop, so a sentence ends here whatever follows
    following = text[at : at + 80].lstrip(" \t\n\r*_\"'“‘([")
    if following[:1].islower():
        return False
    if match.group()[0] != ".":
        return True
    if text[match.start() - 1].isdigit():
        return not _is_ordinal(text, start, match.start(), following)
    word = WORD_BEFORE.search(text, max(start, match.start() - 20), match.start())
    if word is None:
        return True
    name = word.group().lower()
    if len(name) == 1 and (SINGLE_LETTER.match(following) or SINGLE_LETTER_BEFORE.search(text, start, word.start())):
        return False  # z. B., d. h., i. d. R.
    if name in SUFFIXES:
        opener = re.match(r"[^\W\d_]+", following)
        return opener is None or opener.group().lower() in OPENERS
    if name in ABBREVIATIONS:
        return False
    is_initial = len(name) == 1 and word.group().isupper() and name != "i"
    return not is_initial


def _is_ordinal(text: str, start: int, stop: int, following: str) -> bool:
    """Whether a stop behind a number makes it an ordinal, as in `am 3. Mai` and `im 19. Jahrhundert`."""
    number = re.search(r"\d+$", text[max(start, stop - 4) : stop])
    if number is None or len(number.group()) > 2:
        return False
    before = text[max(start, stop - 16) : stop]
    return MONTH_OR_ORDINAL.match(following) is not None or ORDINAL_BEFORE.search(before) is not None


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yields the spans that sentences never cross: paragraphs, list items, table rows."""
    block: tuple[int, int] | None = None
    at = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        start, end = at, at + len(line)
        at = end + 1
        body = line.lstrip(" \t>")
        if not body.strip() or HEADING.match(line) or _is_rule(line) or _is_table_rule(line):
            if block:
                yield block
            block = None
            continue
        start += len(line) - len(body)
        if body.startswith("|") or body.count("|") >= 2:
            if block:
                yield block
            block = None
            is_header = number + 1 < len(lines) and _is_table_rule(lines[number + 1])
            if not is_header:
                yield (start, end)
            continue
        item = BLOCK_START.match(body)
        if item or block is None:
            if block:
                yield block
            block = (start + (item.end() if item else 0), end)
        else:
            block = (block[0], end)
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


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the sentences of a block; a short line that the next line does not continue ends one, too."""
    ends = set(sentence_ends(text, start, end))
    line_start = start
    for match in re.finditer(r"\n", text[start:end]):
        at = start + match.start()
        following = text[at + 1 : at + 40].lstrip()
        if at - line_start < SHORT_LINE and following and not following[0].islower():
            ends.add(at)
        line_start = at + 1
    last = start
    for at in sorted(ends):
        yield (last, at)
        last = at
    yield (last, end)


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Returns the span without blanks and table bars around it, and without a stop that a blanked mark left alone."""
    piece = text[start:end]
    if not any(char.isalnum() for char in piece):
        return None
    left = len(piece) - len(piece.lstrip(" \t\n\r|"))
    piece = piece.rstrip(" \t\n\r|")
    core = piece.rstrip(".!?…,;:")
    if core[-2:].isspace() and len(core) > 1:
        piece = core.rstrip()
    return (start + left, start + len(piece))
