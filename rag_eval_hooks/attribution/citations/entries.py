"""Reads what stands inside a mark: numbers and ranges, labels of a legend, ids, source names with pages, authors."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rag_eval_hooks.attribution.citations.legend import Legend
from rag_eval_hooks.attribution.citations.mark import Form, Mark, Ranks, Span
from rag_eval_hooks.attribution.citations.sources import Sources

__all__ = ["MAX_TARGETS", "NUMBERS", "Entries", "Read", "is_year", "mark_at"]

MAX_TARGETS = 200
"""How many items one mark names at most."""
RANGE = r"\d{1,9}(?:[ \t]{0,4}[-–—][ \t]{0,4}\d{1,12})?"
NUMBERS = rf"{RANGE}(?:[ \t]{{0,4}}[,;，、][ \t]{{0,4}}{RANGE}){{0,50}}"
ONLY_NUMBERS = re.compile(rf"[ \t]{{0,4}}#?{NUMBERS}[ \t]{{0,4}}")
SOURCE_WORD = (
    r"(?:sources?|docs?|documents?|contexts?|chunks?|passages?|excerpts?|refs?|references?|citations?|cites?|ids?|files?|"
    r"quellen?|dokumente?|fuentes?|documentos?|fonti|fonte|来源|來源|文档|文件|资料|文献|参考|出典|資料|출처)"
)
PREFIX = re.compile(
    rf"(?:see|vgl\.|cf\.|siehe|voir|见)?[ \t]*{SOURCE_WORD}[ \t]*(?:ids?\b|no\.|nr\.)?[ \t]*([:：#=]?)[ \t]*", re.I
)
PAGE = re.compile(
    r"(?:pages?|pp?\.?|seiten?|s\.|página|pág\.?)[ \t]*(\d{1,6})(?:[ \t]*[-–][ \t]*\d{1,6})?|第(\d{1,6})[页頁ペ].{0,2}",
    re.I,
)
SPLIT = re.compile(
    r"[ \t]*[;,；，、][ \t]*(?:(?:and|und|et|y)[ \t]+)?|[ \t]+(?:and|und|et|y|&)[ \t]+|[ \t]*[和与及][ \t]*"
)
AUTHORS = re.compile(
    r"(?:see |e\.g\.,? |cf\. |vgl\. )?(?P<names>[^\W\d_][\w'’-]{1,40}"
    r"(?:(?:,? (?:and|&|und|et|y) |, | )[^\W\d_][\w'’.-]{1,40}){0,5})"
    r"(?:,? (?:et al\.?|u\. ?a\.|等))?[,，]? ?(?P<year>[12]\d{3})[a-z]?(?:[,:] ?(?:pp?\. ?)?\d{1,5}(?:[-–]\d{1,5})?)?"
)
WORD = re.compile(r"[^\W\d_][\w'’-]*")
HAS_SHAPE = re.compile(r"[\d_./#@]|[a-z][A-Z]")
MAX_PARTS = 50
"""Parts of one mark (`a.pdf; b.pdf`) that are read."""
MAX_TRIED = 5_000
"""How many places of one form are looked at; an answer with more of them holds something else than prose."""


class Read(NamedTuple):
    """What a mark names."""

    targets: tuple[Ranks, ...]
    """As `Mark.targets`."""
    is_cut: bool = False
    """As `Mark.is_cut`."""


class Entries:
    """Reads the inside of marks of one answer.

    Args:
        sources: The items that can be cited.
        legend: The answer's own list of sources.
    """

    def __init__(self, sources: Sources, legend: Legend) -> None:
        self.sources = sources
        self.legend = legend

    @staticmethod
    def places(pattern: re.Pattern[str], answer: str) -> Iterator[re.Match[str]]:
        """Yields where a pattern matches, the first `MAX_TRIED` places."""
        return islice(pattern.finditer(answer), MAX_TRIED)

    def may_name(self, inner: str) -> bool:
        """Whether a text may be a name that shows by its shape what it is, a word for a source, or an author's year."""
        return HAS_SHAPE.search(inner) is not None or PREFIX.match(inner) is not None

    def label(self, label: str) -> Ranks:
        """Returns what a label or number means: by the answer's list of sources, else by the prompt, else by name."""
        listed = self.legend.targets.get(label.lower())
        if listed is not None:
            here = self.sources.number(int(label)) if label.isdecimal() else ()
            return here if here and here[0] in listed else listed
        return self.sources.number(int(label)) if label.isdecimal() else self.sources.named(label)

    def numbers(self, raw: str) -> Read | None:
        """Returns what numbers and ranges name; None where they are years."""
        found: list[Ranks] = []
        is_cut = False
        last = max(
            self.sources.last, max((int(label) for label in self.legend.targets if label.isdecimal()), default=0)
        )
        for part in re.split(r"[,;，、]", raw.strip(" \t#")):
            bounds = [int(bound) for bound in re.split(r"[-–—]", part) if bound.strip()]
            if not bounds:
                continue
            low, high = min(bounds), max(bounds)
            if any(is_year(bound) and bound > last for bound in bounds):
                return None
            spelled = range(low, min(high, max(last, low)) + 1)
            room = MAX_TARGETS - len(found)
            found += [self.label(str(number)) for number in spelled[:room]]
            if high > spelled[-1] or len(spelled) > room:
                found.append(())
            is_cut = is_cut or high - low >= MAX_TARGETS or len(spelled) > room
            if len(found) >= MAX_TARGETS:
                break
        return Read(tuple(found), is_cut) if found else None

    def names(self, inner: str, *, only_shaped: bool = False) -> Read | None:
        """Returns what ids, source names and words with numbers name; None where the text is no citation.

        With a word for a source and a colon before it, what is unknown is a citation, too: of nothing.

        Args:
            inner: The text in the brackets.
            only_shaped: Whether a name without such a word must show by its signs that it is no word of the language.
        """
        inner = inner.strip()
        whole = self._bare(inner, only_shaped)
        if whole:
            return Read((whole,))
        prefix = PREFIX.match(inner)
        if prefix and prefix.end() < len(inner):
            rest = inner[prefix.end() :]
            if ONLY_NUMBERS.fullmatch(rest):
                return self.numbers(rest)
            named = self.sources.named(rest)
            if named:
                return Read((named,))
        return self._parts(inner, only_shaped)

    def authors(self, inner: str) -> Read | None:
        """Returns what authors with years name, `Smith et al., 2020; Jones 2019`; None where the text has none."""
        targets: list[Ranks] = []
        for part in inner.split(";")[:MAX_PARTS]:
            match = AUTHORS.fullmatch(part.strip())
            if match is None:
                return None
            targets.append(self.author(match["names"], match["year"]))
        return Read(tuple(targets))

    def author(self, names: str, year: str) -> Ranks:
        """Returns the items that any of these names wrote in this year."""
        return next(filter(None, (self.sources.author(name, year) for name in WORD.findall(names))), ())

    def _bare(self, text: str, only_shaped: bool) -> Ranks:
        if only_shaped and (not HAS_SHAPE.search(text) or text.isdecimal()):
            return ()
        found = self.sources.named(text) or self.legend.targets.get(text.lower(), ())
        return () if found and only_shaped and self.sources.is_subject(text) else found

    def _parts(self, inner: str, only_shaped: bool) -> Read | None:
        targets: list[Ranks] = []
        worded = marked = False
        for part in SPLIT.split(inner)[:MAX_PARTS]:
            page = PAGE.fullmatch(part)
            if page and targets:
                targets[-1] = self.sources.on_page(targets[-1], page.group(1) or page.group(2))
                continue
            prefix = PREFIX.match(part)
            if prefix and prefix.end() < len(part):
                worded, marked = True, bool(prefix.group(1))
                part = part[prefix.end() :]
            if ONLY_NUMBERS.fullmatch(part):
                read = self.numbers(part) if worded else None
                if read is None:
                    return None
                targets += read.targets
                continue
            named = self.sources.named(part) if worded else self._bare(part, only_shaped)
            if not named and not (worded and (marked or (prefix and " " not in part and HAS_SHAPE.search(part)))):
                return None
            targets.append(named)
        return Read(tuple(targets)) if targets else None


def is_year(number: int) -> bool:
    """Whether a number is written like a year."""
    return 1000 <= number <= 2999


def mark_at(answer: str, span: Span, read: Read, form: Form, hidden: Span | None = None) -> Mark:
    """Returns the mark that stands at a span of the answer; hidden is the mark itself, unless said otherwise."""
    return Mark(answer[slice(*span)], *span, read.targets, form, (hidden or span,), is_cut=read.is_cut)
