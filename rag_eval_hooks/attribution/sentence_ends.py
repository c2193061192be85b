"""Finds where sentences end in a passage of any script, not at abbreviations, in numbers or within a quotation.

Own rules, because syntok, nupunkt and pysbd cut fewer answers right (`benchmarks/attribution/sentences.py`).
"""

import re
from collections.abc import Iterator

from rag_eval_hooks.attribution.abbreviations import is_abbreviation, is_opener, is_ordinal

__all__ = ["FULL_STOPS", "INLINE_BULLETS", "LETTER_OR_DIGIT", "sentence_ends"]

FULL_STOPS = "。！？｡．؟۔।॥։።፧།။។៕๚๛‼⁇⁈⁉"
"""Stops that end a sentence with or without a blank behind them."""
INLINE_BULLETS = "•‣◦▪●"
CLOSING = r"(?:[ \u00a0\u202f]»(?!\w)|\]\([^()\s]{0,200}\)|[“‘«](?!\w)|[\"'”’)\]»›‹*_~」』）》】］｝])"
# Possessive, and only at the start of a run: a long run of stops must not be tried from each of its places.
SENTENCE_END = re.compile(
    rf"[.!?…](?<![.!?…][.!?…])[.!?…]*+{CLOSING}*+(?=\s|$)"
    rf"|[{FULL_STOPS}](?:[{FULL_STOPS}.!?…]|{CLOSING})*+"
    r"|[.!?](?=[A-Z][a-z]{0,9}\s)"
    r"|;(?<=[\u0370-\u03ff\u1f00-\u1fff];)(?=\s)"
    rf"|[{INLINE_BULLETS}](?<=[ \t].)(?=[ \t])"
    r"|:(?=[ \t]{1,4}\(?1[.)][ \t]{1,4}[^\W\d_])"
    r"|(?:ครับ|ค่ะ|คะ)(?=[ \t])"
)
WORD_BEFORE = re.compile(r"[^\s.,;:!?…()\[\]{}\"'“”„‘’«»*|/—–]+(?:\.[^\s.,;:!?…()\[\]{}\"'“”„‘’«»*|/—–]+)*$")
BEFORE_SENTENCE = " \t\n\r*_>\"'“‘„«»([¿¡"
LETTER_OR_DIGIT = re.compile(r"[^\W_]")
NAME_IN_LOWER_CASE = re.compile(r"[a-z]{1,3}[A-Z]|[a-z]\w{0,40}(?:\.[a-z_]{2}|_\w|\()")
LIST_NUMBER = re.compile(r"[\s*_]*\(?\d{1,2}")
ENCLOSURE = re.compile(r"[()\[\]（）「」『』【】“”„«»\"]")
PARTNER = {"(": ")", "[": "]", "（": "）", "「": "」", "『": "』", "【": "】", "„": "“"}
LOOK = 60
MAX_ENCLOSED = 300
MAX_DEPTH = 8
GOES_ON = re.compile(r"\(|[ \t*_]*(?:[,;:，、；：]|[—–-][ \t])|[ \t]*[をとがはにでものや]")
SAID = re.compile(r"[^\W\d_]{1,4}?[说說道问問喊叫答]")


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yields where sentences end in `text[start:end]`, as offsets into `text`; `end` itself is not among them."""
    last = start
    enclosed: list[tuple[int, int]] | None = None
    place = 0
    for match in SENTENCE_END.finditer(text, start, end):
        at = match.start() if match.group() in INLINE_BULLETS else match.end()
        if not start < at < end or not _closes(text, last, match):
            continue
        if enclosed is None:
            enclosed = _enclosures(text, start, end)
        while place < len(enclosed) and enclosed[place][1] < at - 1:
            place += 1
        if place < len(enclosed) and _is_inside(text, last, match, enclosed[place]):
            continue
        yield at
        last = at


def _closes(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a match ends the sentence that begins at `start`, as far as the words around it tell."""
    stop, at = text[match.start()], match.end()
    if stop in FULL_STOPS:
        if stop == "．" and text[at : at + 1].isdigit():
            return False
        is_quoted = text[at - 1] in "」』”’"
        return not (is_quoted and (GOES_ON.match(text, at) or (stop in "！？" and SAID.match(text, at))))
    if stop not in ".!?…":
        return True  # an inline list, or a mark that ends a sentence in one script only
    if match.start() > start and text[match.start() - 2 : match.start()] == "  ":
        return True  # a citation mark stood before the stop, so a sentence ends here whatever follows
    following = text[at : at + 80].lstrip(BEFORE_SENTENCE)
    if not text[at].isspace():  # a blank was forgotten, or this is a dotted name
        return text[match.start() - 2 : match.start()].islower() and is_opener(following)
    if following[:1].islower() and not _may_open(text, start, match, following):
        return False
    if stop == "." and text[match.start() + 1] not in ".!?…":
        before = text[max(start, match.start() - 24) : match.start()]
        if before[-1:].isdigit():
            return not LIST_NUMBER.fullmatch(text, start, match.start()) and not is_ordinal(before, following)
        word = WORD_BEFORE.search(before)
        return word is None or not is_abbreviation(word.group(), before[: word.start()], following)
    return True


def _may_open(text: str, start: int, match: re.Match[str], following: str) -> bool:
    """Whether a word in lower case may open a sentence: a name such as `iPhone`, or the answer knows no capitals."""
    if match.group()[-1] not in ".!?…":
        return False
    if match.group() == "." and NAME_IN_LOWER_CASE.match(following):
        return True
    first = LETTER_OR_DIGIT.search(text, start, min(start + LOOK, match.start()))
    if first is None or not first.group().islower():
        return False
    return text.count(" ", max(first.start(), match.start() - LOOK), match.start()) >= 2


def _is_inside(text: str, last: int, match: re.Match[str], enclosure: tuple[int, int]) -> bool:
    """Whether a match stands in brackets or quotation marks that are part of a longer sentence.

    Args:
        text: The text.
        last: Where the sentence begins.
        match: What may end it.
        enclosure: Where the outermost brackets or quotation marks around it open and close.
    """
    opens, closes = enclosure
    if not last <= opens < match.start() < closes:
        return False
    begun_before = LETTER_OR_DIGIT.search(text, max(last, opens - MAX_ENCLOSED), opens) is not None
    if match.end() > closes:  # the closing mark itself: only after 。） the sentence can still go on
        return begun_before and text[closes] in "）】" and match.end() == closes + 1
    return (
        begun_before or GOES_ON.match(text, closes + 1) is not None or text[closes + 1 : closes + 3].strip().islower()
    )


def _enclosures(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Returns where brackets and quotation marks open and close, the outermost ones only; long ones are left out."""
    waiting: list[tuple[str, int]] = []
    found: list[tuple[int, int]] = []
    for match in ENCLOSURE.finditer(text, start, end):
        mark, at = match.group(), match.start()
        depth = next((n for n in range(1, min(MAX_DEPTH, len(waiting)) + 1) if waiting[-n][0] == mark), None)
        if depth is not None:
            opened = waiting[-depth][1]
            del waiting[-depth:]
            if at - opened <= MAX_ENCLOSED:
                while found and found[-1][0] > opened:
                    found.pop()
                found.append((opened, at))
        elif mark in PARTNER:
            waiting.append((PARTNER[mark], at))
        elif mark in "“«":
            waiting.append(("”" if mark == "“" else "»", at))
        elif mark in '"»' and (at == start or not text[at - 1].isalnum()) and not text[at + 1 : at + 2].isspace():
            waiting.append((mark if mark == '"' else "«", at))
    return found
