"""What a question asks about by name: its years, numbers, dates, codes, names and quoted terms."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from rag_eval_hooks.attribution.anchors import Anchor, find_anchors, fits
from rag_eval_hooks.attribution.claims import blank
from rag_eval_hooks.attribution.evidence import Evidence, fold_text, word_stream
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.terms import STOPWORDS

__all__ = ["MAX_QUESTION", "AnchorText", "QuestionAnchor", "question_anchors"]

MAX_QUESTION = 5_000
"""Characters of a question in which names and values are looked for."""
MAX_ANCHORS = 200
QUOTED = re.compile(
    r"\"([^\"\n]{1,100})\"|“([^”\n]{1,100})”|„([^“”\n]{1,100})[“”]|«([^»\n]{1,100})»|「([^」\n]{1,100})」|『([^』\n]{1,100})』"
    r"|《([^》\n]{1,100})》|(?<!\w)'([^'\n]{1,100})'(?!\w)|(?<!\w)‘([^’\n]{1,100})’(?!\w)"
)
NAME = re.compile(r"(?<![\w'’.-])[^\W\d_a-z][\w&-]*(?:['’][\w-]+)?(?: [^\W\d_a-z][\w&-]*(?:['’][\w-]+)?)*")
POSSESSIVE = re.compile(r"['’]s?$")
SENTENCE_START = re.compile(r"(?:^|[.?!:;\n¿¡])[\s\"'“‘(\[*-]*$")


class QuestionAnchor(NamedTuple):
    """One thing a question names; a text that answers it should name it, too."""

    kind: str
    """`value` (number, year, date, code), `name` or `quote`."""
    words: str
    """The folded words, one blank between them."""
    values: tuple[Anchor, ...] = ()
    """For a value, what must all be stated (a date is a year, a month and a day)."""


class AnchorText:
    """A text in which anchors are looked for; folded once, its values indexed when first asked for.

    >>> text = AnchorText("The Acme Corp. report of 3 May 2021 lists 2,500 people.")
    >>> [text.states(anchor) for anchor in question_anchors("Did Acme have 2500 people in 2020?")]
    [True, False, True]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = fold_text(text)
        self._stream = f" {word_stream(self._folded.text)} "

    def states(self, anchor: QuestionAnchor) -> bool:
        """Returns whether the text has the anchor: the same words in a row, or a value that fits."""
        if anchor.kind == "value":
            return all(map(self._has, anchor.values))
        if anchor.words.isascii():
            return f" {anchor.words} " in self._stream
        return anchor.words in self._stream  # a script without blanks between its words

    def _has(self, asked: Anchor) -> bool:
        if self._evidence.find_anchor(asked):
            return True
        # The index knows dates, versions and codes by one key; `version 2.4` is also stated by a bare 2.4.
        return asked.key is not None and any(fits(asked, one) for found in self._evidence.anchors for one in found)

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence([self._folded], [self._text], ())


def question_anchors(question: str) -> list[QuestionAnchor]:
    """Returns the distinct anchors of a question: quoted terms, then values, then names.

    A name is a run of words that begin with a capital letter. The first word of a sentence tells nothing, unless
    another of its letters is a capital (`NASA`), nor does any where the whole question is in capitals. Scripts
    without capitals have quoted terms and values only.

    >>> [(anchor.kind, anchor.words) for anchor in question_anchors('Did Marie Curie say "never fear" in 1911?')]
    [('quote', 'never fear'), ('value', '1911'), ('name', 'marie curie')]
    """
    text = question[:MAX_QUESTION]
    found: dict[tuple[str, str], QuestionAnchor] = {}
    rest = blank(text, [match.span() for match in QUOTED.finditer(text)])
    for anchor in (*_quotes(text), *_values(rest), *_names(rest)):
        if anchor.words:
            found.setdefault((anchor.kind, anchor.words), anchor)
    return list(found.values())[:MAX_ANCHORS]


def _quotes(text: str) -> Iterator[QuestionAnchor]:
    for match in QUOTED.finditer(text):
        yield QuestionAnchor("quote", _words(match[match.lastindex or 0]))


def _values(text: str) -> Iterator[QuestionAnchor]:
    folded = fold(text).text
    stretches: dict[tuple[int, int], list[Anchor]] = {}
    for anchor in find_anchors(folded):
        stretches.setdefault((anchor.start, anchor.end), []).append(anchor)
    for (start, end), anchors in stretches.items():
        yield QuestionAnchor("value", " ".join(folded[start:end].split()), tuple(anchors))


def _names(text: str) -> Iterator[QuestionAnchor]:
    folded, letters = fold(text), list(text)
    for anchor in find_anchors(folded.text):
        start, end = folded.span(anchor.start, anchor.end)
        letters[start:end] = "," * (end - start)  # no blank: what stood on both sides is no one name
    rest = "".join(letters)
    if not any(char.islower() for char in rest):
        return
    for match in NAME.finditer(rest):
        words = match.group().split(" ")
        if SENTENCE_START.search(rest, max(0, match.start() - 12), match.start()) and not _has_inner_capital(words[0]):
            words = words[1:]
        kept: list[str] = []
        for word in [*words, ""]:
            bare = POSSESSIVE.sub("", word)
            if bare[:1].isupper() and len(bare) > 1 and (bare.lower() not in STOPWORDS or bare.isupper()):
                kept.append(bare)
                continue
            if kept:
                yield QuestionAnchor("name", _words(" ".join(kept)))
            kept = []


def _has_inner_capital(word: str) -> bool:
    return any(char.isupper() for char in word[1:])


def _words(text: str) -> str:
    return word_stream(fold(text).text)
