"""Reads the lists of sources in an answer: footnote definitions, and what stands below or behind `Sources:`."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from rag_eval_hooks.attribution.citations.sources import Sources

__all__ = ["Legend", "legend_spans", "read_legend"]

HEADING_WORDS = (
    r"(?:sources?(?: (?:used|cited))?|references?|citations?|bibliography|footnotes|works cited|quellen?|"
    r"quellenangaben|fuentes?|referencias|fonti|références|参考(?:资料|文献)|资料来源|来源|引用|出典|参照|출처)"
)
DEFINITION = re.compile(r"(?:^|(?<=\n))[ \t]*\[\^([^\]\n]{1,40})\]:([^\n]*)(?=\n|$)")
HEADING = re.compile(
    rf"\n[ \t]*+(?=[#*_(srcbfwqSRCBFWQ参资来引出출])(?:#{{1,6}}[ \t]*)?[*_(]{{0,3}}{HEADING_WORDS}[*_]{{0,3}}"
    r"[ \t]*(?P<colon>[:：])?[*_]{0,3}[ \t]*(?P<list>[^\n]{0,400})(?=\n)",
    re.I,
)
LINE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\[?\^?[\w .:-]{1,40}\]|\d{1,3}[.)]|[-*+][ \t]|https?://|【)[^\n]*")
ENTRY = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?(?:\[\^?([\w-]{1,40})\]|【(\d{1,6})】|\(?(\d{1,6})[.):]|"
    r"(?:source|document|doc|quelle|fuente|来源)[ \t]+(\d{1,6})\b)[ \t]*[:：.–—-]?[ \t]*([^\n]*)",
    re.I,
)
INLINE_ENTRY = re.compile(
    r"\[\^?([\w-]{1,40})\][ \t]*[:：=]?[ \t]*([^\[\]\n]*(?:\[[^\[\]\n]*\]\([^()\n]*\)[^\[\]\n]*)?)"
)
URL = re.compile(r"https?://[^\s<>()\[\]\"'】）]{3,2000}")
LINK_TEXT = re.compile(r"\[([^\[\]\n]{1,300})\]\(")
PARTS = re.compile(r"[ \t]+[-–—|][ \t]+|[ \t]*[(（,，;|][ \t]*")
LOOKS_FILED = re.compile(r"\.[a-z][a-z0-9]{1,4}\b|://")
MAX_BLOCK = 20_000
"""Characters below a heading that are read as its list."""
MAX_ENTRIES = 2_000
"""Entries of all lists that are read."""
MAX_LISTS = 2_000
"""Lists of one answer that are read."""


class Legend(NamedTuple):
    """The lists of sources of an answer."""

    spans: list[tuple[int, int]]
    """Where they stand; they state nothing and cite nothing."""
    targets: Mapping[str, tuple[int, ...]]
    """The ranks that a label stands for, where an entry names items; none where it names a file that is no item."""


def legend_spans(answer: str) -> list[tuple[int, int]]:
    """Returns the half-open spans of source lists: footnote definitions, and the lines under a heading `Sources:`."""
    return sorted((start, end) for start, end, _ in _lists(answer))


def read_legend(answer: str, sources: Sources) -> Legend:
    """Returns where the lists of sources stand, and which items their labels mean.

    As soon as one entry names an item by id, source name, page or address, the list counts by itself: the labels of
    entries that name another file or address mean no item. Entries that only tell a title in free words leave the
    label to the numbering of the prompt.
    """
    lists = list(_lists(answer))
    said: dict[str, str] = {}
    for _, _, entries in lists:
        for label, text in entries:
            if len(said) < MAX_ENTRIES:
                said.setdefault(label.lower(), text)
    found = {label: _resolve(text, sources) for label, text in said.items()}
    if any(found.values()):
        targets = {label: ranks for label, ranks in found.items() if ranks or LOOKS_FILED.search(said[label].lower())}
    else:
        targets = {}
    return Legend(sorted((start, end) for start, end, _ in lists), targets)


def _lists(answer: str) -> Iterator[tuple[int, int, list[tuple[str, str]]]]:
    """Yields each list's span and its entries: label and text."""
    if "[^" in answer:
        for match in islice(DEFINITION.finditer(answer), MAX_LISTS):
            yield match.start(), match.end(), [(match.group(1), match.group(2))]
    if ":" not in answer and "：" not in answer and "\n" not in answer:
        return
    lines = f"\n{answer}\n"  # so that the patterns begin with a line break, which is fast to look for
    for match in islice(HEADING.finditer(lines), MAX_LISTS):
        listed = match["list"].strip(" *_)")
        if listed and match["colon"]:
            yield match.start(), min(match.end() - 1, len(answer)), INLINE_ENTRY.findall(listed)
        if listed:
            continue
        end = match.end()
        last = 0
        entries: list[tuple[str, str]] = []
        for line in re.finditer(r"\n([^\n]*)", lines[end : end + MAX_BLOCK]):
            body = line.group(1)
            if body.strip() and not LINE.fullmatch(body):
                break
            if body.strip():
                last = end + line.end()
                entry = ENTRY.match(body)
                if entry:
                    entries.append((next(filter(None, entry.groups()[:4])), entry.group(5)))
        if last:
            yield match.start(), min(last - 1, len(answer)), entries


def _resolve(text: str, sources: Sources) -> tuple[int, ...]:
    """Returns the ranks of the items that an entry's text names."""
    text = text.strip()[:2_000]
    for url in URL.findall(text):
        if found := sources.address(url):
            return found
    link = LINK_TEXT.search(text)
    forms = [text, link.group(1) if link else "", text.rstrip(" .,;")]
    forms += [part for form in PARTS.split(text, 8)[:8] for part in (form, form.rstrip(" .)"))]
    for form in forms:
        if form and (found := sources.named(form)):
            return found
    return ()
