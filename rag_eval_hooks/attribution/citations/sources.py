"""What the items of the context can be called in an answer: by number, id, source name and page, address, author."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from rag_eval_hooks.attribution.citations.mark import Ranks
from rag_eval_hooks.record import Chunk, CitationStyle
from rag_eval_hooks.record.limits import MAX_CHUNK

__all__ = ["Sources"]

NAME_KEYS = (
    "source filename file_name file_path path title document_title doc_title document_id doc_id file_id "
    "source_id key name"
).split()
ADDRESS_KEYS = ("source", "url", "link", "uri", "href", "source_url", "file_path")
AUTHOR_KEYS = ("author", "authors", "creator", "creators")
YEAR_KEYS = ("year", "publication_year", "published", "publication_date", "date", "creation_date")
PAGE_KEYS = ("page_label", "page_number", "page_no", "page", "pages")
YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
WORD = re.compile(r"[^\W\d_][\w'’-]*")
LOCATOR = re.compile(
    r"[\s,;:#(-]{1,6}(?:(?:pages?|pp?|seiten?|s|página|pág|pagina)\b[.=]?|第|头)?[ \t]{0,4}(\d{1,6})"
    r"(?:[-–]\d{1,6})?[ \t]{0,4}(?:页|ページ|쪽)?\)?$",
    re.I,
)
EXTENSION = re.compile(r"\.[a-zA-Z][a-zA-Z0-9]{1,4}$")
DOCUMENT = re.compile(r"\.(?:pdf|md|txt|docx?|html?|csv|xlsx?|pptx?|json|rst|xml|ya?ml|epub|odt|rtf|tex)$", re.I)
BY_SHAPE = re.compile(r"[\d_./#:@]")
Key = TypeVar("Key", str, tuple[str, str])
MIN_STEM = 4
"""Shortest file name that is known without its ending, too."""
MAX_NAME = 300
"""Characters of a name; longer ones are texts."""
MAX_SAME = 50
"""Items that one name stands for, and authors of one item."""
MAX_NAMES = 300
"""Names that are looked for in running text."""
MAX_QUOTES = 200
"""How many quotations of one answer are looked up."""


class Sources:
    """The items an answer can cite, by rank from 1 in prompt order.

    What names several items (chunks of one file) gives all their ranks, the first first.

    Args:
        context: The items in prompt order.
        style: How numbers count.
        question: What was asked: a name that stands in it is what the answer is about.
    """

    def __init__(
        self, context: Sequence[Chunk] = (), style: CitationStyle | None = None, question: str | None = None
    ) -> None:
        style = style or CitationStyle()
        self.size = len(context)
        self.base = style.base
        self._labels: dict[int, int] | None = None
        if style.labels and len(style.labels) == self.size:
            self._labels = {}
            for rank, label in enumerate(style.labels, 1):
                if label is not None:
                    self._labels.setdefault(label, rank)
        self._context = context
        self._question = question or ""
        self._names: dict[str, list[int]] = {}
        self._addresses: dict[str, list[int]] = {}
        self._authors: dict[tuple[str, str], list[int]] = {}
        self._plain_names: dict[str, None] = {}
        self._level: list[str] | None = None
        self._quoted: dict[str, Ranks] = {}
        for rank, chunk in enumerate(context, 1):
            self._note(rank, chunk)
        listed = {one.label: one for one in style.provided if one.label is not None}
        found = {label: self.named(one.url or one.id or one.title or "") for label, one in listed.items()}
        self._listed: dict[int, Ranks] = found if any(found.values()) else {}

    @classmethod
    def numbered(cls, size: int, base: int = 1) -> "Sources":
        """Returns that many items without names."""
        found = cls(style=CitationStyle(base=base))
        found.size = size
        return found

    @property
    def last(self) -> int:
        """The highest number in use."""
        return max(self._labels, default=self.base - 1) if self._labels is not None else self.base + self.size - 1

    @property
    def plain_names(self) -> list[str]:
        """Ids and names that show by their shape that they are none of the language's words, the first `MAX_NAMES`."""
        return list(self._plain_names)[:MAX_NAMES]

    @property
    def has_authors(self) -> bool:
        """Whether any item's metadata names an author and a year."""
        return bool(self._authors)

    def number(self, number: int) -> tuple[int, ...]:
        """Returns the rank of the item with this number, by the provider's list of sources, else by the prompt."""
        if number in self._listed:
            return self._listed[number]
        if self._labels is not None:
            rank = self._labels.get(number)
            return () if rank is None else (rank,)
        rank = number - self.base + 1
        return (rank,) if 1 <= rank <= self.size else tuple(self._names.get(str(number), ()))

    def named(self, text: str) -> tuple[int, ...]:
        """Returns the ranks of the items of this id, source name or address, with or without a page behind it."""
        text = text.strip().strip("\"'“”`*").strip()
        if not text or len(text) > MAX_NAME:
            return ()
        found = self._names.get(_plain(text)) or self._addresses.get(_address(text))
        if found:
            return tuple(found)
        locator = LOCATOR.search(text, max(0, len(text) - 30))
        if locator is None:
            return ()
        name = text[: locator.start()].rstrip(" ,;:(")
        found = self._names.get(_plain(name)) or self._addresses.get(_address(name)) or []
        return self.on_page(found, locator.group(1))

    def on_page(self, ranks: Sequence[int], page: str) -> tuple[int, ...]:
        """Returns those of the items that are on this page; all where no item's page is known.

        Pages are compared as printed (`page_label`) where that is known; else counting from 1, else from 0.
        """
        pages = {rank: self._pages(rank) for rank in ranks}
        if not any(pages.values()):
            return tuple(ranks)
        for wanted in (page, str(int(page) - 1)):
            found = tuple(rank for rank in ranks if wanted in pages[rank])
            if found:
                return found
        return tuple(rank for rank in ranks if not pages[rank])

    def address(self, url: str) -> tuple[int, ...]:
        """Returns the ranks of the items from this address."""
        return tuple(self._addresses.get(_address(url), ()))

    def author(self, name: str, year: str) -> tuple[int, ...]:
        """Returns the ranks of the items by this author from this year, as their metadata says."""
        return tuple(self._authors.get((name.lower().removesuffix("'s").removesuffix("’s"), year[:4]), ()))

    def quoting(self, words: str, ranks: Ranks = ()) -> Ranks:
        """Returns the items whose text has these words, of those of these ranks where there are any."""
        wanted = " ".join(words.split())
        if self._level is None:
            self._level = [" ".join(chunk.text[:MAX_CHUNK].split()) for chunk in self._context]
        level = self._level
        if wanted not in self._quoted and len(self._quoted) < MAX_QUOTES:
            self._quoted[wanted] = tuple(rank for rank, text in enumerate(level, 1) if wanted and wanted in text)
        return tuple(rank for rank in self._quoted.get(wanted, ()) if not ranks or rank in ranks)

    def is_subject(self, name: str) -> bool:
        """Whether the question, or the text of an item, speaks of this name; a file may name itself in its text."""
        if name in self._question:
            return True
        own: set[int] = set()
        if DOCUMENT.search(name) or "://" in name:
            own = {*self._names.get(_plain(name), ()), *self._addresses.get(_address(name), ())}
        return any(rank not in own and name in chunk.text for rank, chunk in enumerate(self._context, 1))

    def _note(self, rank: int, chunk: Chunk) -> None:
        for name in self._called(chunk):
            last = name.replace("\\", "/").rpartition("/")[2]
            stem = EXTENSION.sub("", last)
            for form in {name, last} if len(stem) < MIN_STEM else {name, last, stem}:
                if len(form) > 1 and (form == chunk.id or not form.isdecimal()):
                    _add(self._names, _plain(form), rank)
            for form in dict.fromkeys((name, last) if name != chunk.id else (name,)):
                if (form == chunk.id or EXTENSION.search(form)) and _is_plain(form):
                    self._plain_names.setdefault(form)
        for address in (chunk.id, chunk.source, *(chunk.metadata.get(key) for key in ADDRESS_KEYS)):
            if isinstance(address, str) and "://" in address:
                _add(self._addresses, _address(address), rank)
        years = {year for key in YEAR_KEYS for year in YEAR.findall(_text(chunk.metadata.get(key)))[:1]}
        for word in _surnames(chunk.metadata) if years else ():
            for year in years:
                _add(self._authors, (word, year), rank)

    @staticmethod
    def _called(chunk: Chunk) -> Iterator[str]:
        yield chunk.id[:MAX_NAME]
        for name in (chunk.source, *(chunk.metadata.get(key) for key in NAME_KEYS)):
            if isinstance(name, str) and 1 < len(name.strip()) <= MAX_NAME:
                yield name.strip()

    def _pages(self, rank: int) -> list[str]:
        metadata = self._context[rank - 1].metadata
        for key in PAGE_KEYS:
            value = metadata.get(key)
            if value is not None and value != "":
                values = value if isinstance(value, list) else [value]
                return [str(int(one)) if isinstance(one, float) else str(one).strip() for one in values]
        return []


def _add(names: dict[Key, list[int]], name: Key, rank: int) -> None:
    ranks = names.setdefault(name, [])
    if rank not in ranks and len(ranks) < MAX_SAME:
        ranks.append(rank)


def _is_plain(name: str) -> bool:
    """Whether a name shows by its shape that it is no word."""
    return len(name) > 1 and "://" not in name and bool(BY_SHAPE.search(name)) and any(map(str.isalpha, name))


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


def _address(url: str) -> str:
    address = url.strip().strip("<>").partition("#")[0].lower()
    return address.partition("://")[2].removeprefix("www.").rstrip("/.,;:!?'\")") if "://" in address else address


def _text(value: Any) -> str:
    return value[:MAX_NAME] if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""


def _surnames(metadata: dict[str, Any]) -> Iterator[str]:
    for key in AUTHOR_KEYS:
        value = metadata.get(key)
        for author in value[:MAX_SAME] if isinstance(value, list) else [value]:
            if isinstance(author, dict):
                author = " ".join(_text(part) for part in author.values())
            for word in WORD.findall(_text(author)):
                if len(word) > 1:
                    yield word.lower()
