"""The demo's corpus: the Python language reference that every CPython ships, cut into chunks.

`pydoc_data.topics` holds the pages behind `help("with")`. Some pages repeat sections of others (`compound` holds all of
`with`, `specialnames` all of `customization`); a section is kept once, under the shortest page that holds it.
Texts differ a little between Python versions, so chunk ids do too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rag_eval_hooks.record import Chunk

__all__ = ["MAX_CHARS", "MIN_CHARS", "Section", "build_corpus", "reference_topics", "sections", "split_section"]

MIN_CHARS = 800
MAX_CHARS = 1200
"""A chunk grows to at least `MIN_CHARS`, where its page has that much, and never beyond `MAX_CHARS`."""

_LEAST_REST = 250
"""A cut leaves this much of the section for the next chunk, if it can."""

_HEADING = re.compile(r"^(?P<title>\S.*)\n(?P<rule>[*=\-~^\"])(?P=rule){2,}$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\S.*?(?=\n[ \t]*\n|\s*\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*\s+(?=[A-Z\"“(*‘])")
_CLAUSE_END = re.compile(r";\s+")
_LINE_END = re.compile(r"\n")
_CODE_LINE = re.compile(
    r"^\s*(?:>>>|\.\.\.)|::=|^\s*[|+]|[=({\[]\s*$|^\s*(?:def|class|return|import|print|for|with)\b.*:?$"
)

_GOOD, _POOR, _BAD = 0, 1, 2
"""How good a place between two pieces is for a cut: between stanzas, within one, within a sentence or code block."""


@dataclass(frozen=True)
class Section:
    """A heading and the text up to the next heading, as a half-open character range of its page."""

    topic: str
    title: str
    start: int
    end: int


@dataclass(frozen=True)
class _Piece:
    """A run of text that is never cut, and how good a place for a cut its beginning is."""

    start: int
    end: int
    cut_before: int


@cache
def reference_topics() -> Mapping[str, str]:
    """Returns the pages of the running Python's language reference by topic name."""
    from pydoc_data.topics import topics  # 0.5 MB of text, wanted by the demo alone

    return dict(topics)


@cache
def build_corpus() -> tuple[Chunk, ...]:
    """Returns the chunks of the language reference, in the order of topic and position.

    Returns:
        Chunks with `id` (`with#2`: the second chunk of the page `with`) and metadata `topic`, `source`
        (`pydoc:with`), `section` (the heading), `also_in` (other pages that hold the same sections) and `start`/`end`
        (half-open character range in the page). A chunk's text is that range of its page, unchanged.
    """
    pages = reference_topics()
    owners: dict[str, Section] = {}
    holders: dict[str, list[str]] = {}
    for topic in sorted(pages, key=lambda name: (len(pages[name]), name)):
        for section in sections(topic, pages[topic]):
            key = _section_key(pages[topic], section)
            owners.setdefault(key, section)
            holders.setdefault(key, []).append(topic)
    kept = {(one.topic, one.start): holders[key][1:] for key, one in owners.items()}
    chunks: list[Chunk] = []
    for topic in sorted(pages):
        own = [one for one in sections(topic, pages[topic]) if (one.topic, one.start) in kept]
        chunks += _topic_chunks(topic, pages[topic], own, kept)
    return tuple(chunks)


def sections(topic: str, text: str) -> tuple[Section, ...]:
    """Returns the page's sections, which together cover it from beginning to end."""
    heads = list(_HEADING.finditer(text))
    bounds = [head.start() for head in heads] + [len(text)]
    opening = [Section(topic, topic, 0, bounds[0])] if bounds[0] > 0 else []
    headed = [Section(topic, head["title"], head.start(), end) for head, end in zip(heads, bounds[1:], strict=True)]
    return (*opening, *headed)


def split_section(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Returns half-open ranges that cover `text[start:end]` but for white space, each at most `MAX_CHARS` long.

    Cuts fall between paragraphs, rather between an item and the next than within one, and within a paragraph only where
    it is longer than a chunk: then between sentences, clauses, or lines of code.
    """
    pieces = list(_pieces(text, start, end))
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(pieces):
        after = _end_of_chunk(pieces, first)
        ranges.append((pieces[first].start, pieces[after - 1].end))
        first = after
    return tuple(ranges)


def _topic_chunks(
    topic: str, text: str, own: Sequence[Section], kept: Mapping[tuple[str, int], list[str]]
) -> Iterator[Chunk]:
    """Yields the chunks of one page; neighbouring short sections share a chunk."""
    number = 0
    for group in _grouped(text, own):
        for start, end in split_section(text, group[0].start, group[-1].end):
            number += 1
            inside = [one for one in group if one.start < end and one.end > start]
            yield Chunk(
                id=f"{topic}#{number}",
                text=text[start:end],
                metadata={
                    "topic": topic,
                    "source": f"pydoc:{topic}",
                    "section": inside[0].title.replace('"', ""),
                    "also_in": sorted({name for one in inside for name in kept[one.topic, one.start]}),
                    "start": start,
                    "end": end,
                },
            )


def _grouped(text: str, own: Sequence[Section]) -> list[list[Section]]:
    groups: list[list[Section]] = []
    for section in own:
        if groups:
            group = groups[-1]
            size = len(text[group[0].start : section.end].strip())
            if group[-1].end == section.start and size <= MAX_CHARS:
                group.append(section)
                continue
        groups.append([section])
    return groups


def _end_of_chunk(pieces: Sequence[_Piece], first: int) -> int:
    """The index after the chunk's last piece: the best cut that leaves a chunk of the wanted size."""
    start = pieces[first].start
    if pieces[-1].end - start <= MAX_CHARS:
        return len(pieces)
    fitting = [after for after in range(first + 1, len(pieces)) if pieces[after - 1].end - start <= MAX_CHARS] or [
        first + 1
    ]
    fitting = [after for after in fitting if pieces[-1].end - pieces[after].start >= _LEAST_REST] or fitting
    for lowest, worst in ((MIN_CHARS, _GOOD), (MIN_CHARS // 2, _GOOD), (MIN_CHARS // 2, _POOR), (1, _POOR)):
        good = [
            after for after in fitting if pieces[after].cut_before <= worst and pieces[after - 1].end - start >= lowest
        ]
        if good:
            return good[-1]
    return fitting[-1]


def _pieces(text: str, start: int, end: int) -> Iterator[_Piece]:
    previous = ""
    for match in _PARAGRAPH.finditer(text, start, end):
        begin = text.rfind("\n", 0, match.start()) + 1
        begin = max(begin, start)
        paragraph = text[begin : match.end()]
        cut = _cut_quality(previous, paragraph)
        for number, (left, right) in enumerate(_short_enough(text, match.start(), match.end())):
            yield _Piece(left, right, cut if number == 0 else _POOR)
        previous = paragraph


def _cut_quality(previous: str, paragraph: str) -> int:
    """How good it is to cut between two paragraphs."""
    if not previous:
        return _GOOD
    if _HEADING.match(previous) or previous.rstrip().endswith((":", ",", "-")):
        return _BAD
    if _looks_like_code(paragraph) and _looks_like_code(previous):
        return _BAD
    if re.match(r"[a-z]+ [a-z]", paragraph.lstrip()):
        return _BAD
    return _POOR if paragraph.startswith(" ") else _GOOD


def _looks_like_code(paragraph: str) -> bool:
    lines = paragraph.splitlines()
    return paragraph.startswith("   ") and 2 * sum(bool(_CODE_LINE.search(line)) for line in lines) >= len(lines)


def _short_enough(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the paragraph's range, or, where it is longer than a chunk, ranges of its sentences, clauses or lines."""
    prose = not _looks_like_code("   " + text[start:end])
    yield from _divided(text, start, end, (_SENTENCE_END, _CLAUSE_END, _LINE_END) if prose else (_LINE_END,))


def _divided(text: str, start: int, end: int, ends: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    if end - start <= MAX_CHARS or not ends:
        yield start, end
        return
    left = start
    for right in (*(one.end() for one in ends[0].finditer(text, start, end)), end):
        piece = text[left:right].rstrip()
        if piece:
            yield from _divided(text, left, left + len(piece), ends[1:])
        left = right


def _section_key(text: str, section: Section) -> str:
    """The section's words, without the rule below its heading: that differs with its depth on the page."""
    return " ".join(_HEADING.sub(lambda head: head["title"], text[section.start : section.end]).split())
