"""What a told story is made of: sentences that keep our own words, text from outside, and references apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rag_eval_hooks.reports.words import person_number

__all__ = ["Paragraph", "Part", "Quote", "Ref", "Sentence", "Tone", "a_few", "as_text", "joined", "quoted", "refs"]

LONGEST_QUOTE = 100
MOST_NUMBERS = 8
NOUNS = {"claims": "claim", "citations": "citation", "chunks": "chunk"}

Tone = Literal["plain", "cause", "good"]


@dataclass(frozen=True)
class Quote:
    """Text from outside, on one line; nothing else is taken from it, so whoever shows it has to make it harmless."""

    text: str


@dataclass(frozen=True)
class Ref:
    """A claim, citation or chunk by its number."""

    what: str
    """`claims`, `citations` or `chunks`, as in `Finding.refs`."""
    number: int
    """The number that the record has: claims and citations from 0, chunks by rank."""

    @property
    def shown(self) -> str:
        """The number that people see."""
        return str(person_number(self.what, self.number))


Part = str | Quote | Ref
Sentence = tuple[Part, ...]


@dataclass(frozen=True)
class Paragraph:
    """A few sentences about one thing."""

    key: str
    """One word for what it is about."""
    heading: str
    sentences: tuple[Sentence, ...]
    tone: Tone = "plain"
    """`cause` marks what failed first, `good` that nothing did."""

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The claims, citations and chunks that it names, in order, each once."""
        parts = (part for sentence in self.sentences for part in sentence)
        return tuple(dict.fromkeys(part for part in parts if isinstance(part, Ref)))


def as_text(sentence: Sentence) -> str:
    """Returns a sentence as text, with the text from outside as it is: not fit for a terminal or a page.

    >>> as_text((*refs("claims", (0, 2)), " say ", *quoted("yes")))
    'claims 1 and 3 say "yes"'
    """
    return "".join(
        part if isinstance(part, str) else part.text if isinstance(part, Quote) else part.shown for part in sentence
    )


def quoted(text: str, limit: int = LONGEST_QUOTE) -> Sentence:
    r"""Returns text from outside in quotation marks, on one line and cut.

    >>> as_text(quoted("one\n two  three", limit=8))
    '"one two…"'
    """
    return '"', Quote(on_one_line(text, limit)), '"'


def on_one_line(text: str, limit: int) -> str:
    """Returns a text with single spaces, cut behind `limit` characters; of a huge one only the beginning is read."""
    short = " ".join(text[: limit * 8].split())
    if len(short) > limit:
        return short[: limit - 1].rstrip() + "…"
    return short + "…" if len(text) > limit * 8 else short


def refs(what: str, numbers: Sequence[int]) -> Sentence:
    """Returns a noun with the numbers of what it names, the first few of many.

    >>> as_text(refs("chunks", (3,))), as_text(refs("citations", range(20)))
    ('chunk 3', 'citations 1, 2, 3, 4, 5, 6, 7, 8 and 12 more')
    """
    noun = NOUNS[what] if len(numbers) == 1 else what
    return f"{noun} ", *a_few([Ref(what, number) for number in numbers])


def a_few(parts: Sequence[Part]) -> Sentence:
    """Returns parts in a row, the first few of many.

    >>> a_few("ab"), a_few("abcdefghij")[-4:]
    (('a', ' and ', 'b'), ('g', ', ', 'h', ' and 2 more'))
    """
    if len(parts) > MOST_NUMBERS:
        return *joined(
            [(part,) for part in parts[:MOST_NUMBERS]], last=", "
        ), f" and {len(parts) - MOST_NUMBERS:,} more"
    return joined([(part,) for part in parts])


def joined(items: Iterable[Sentence], last: str = " and ", between: str = ", ") -> Sentence:
    """Returns several as one.

    >>> "".join(joined([("a",), ("b",), ("c",)])), "".join(joined([("a",)]))
    ('a, b and c', 'a')
    """
    rows = list(items)
    parts: list[Part] = []
    for place, item in enumerate(rows):
        if place:
            parts.append(last if place == len(rows) - 1 else between)
        parts += item
    return tuple(parts)
