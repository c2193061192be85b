"""The forms in which an item may stand in a prompt, and those of the prompt in which it is looked for."""

import json
import re
from bisect import bisect_right
from functools import cached_property

__all__ = ["MIN_HEAD", "SHINGLE", "ItemForms", "PromptForms", "levelled"]

MIN_HEAD = 40
"""Shortest cut-off text, in characters, that counts as the beginning of an item; one of a script without spaces says
as much as two letters."""
SHINGLE = 8
"""Pieces in a row: words, or characters of scripts without spaces."""

_WORD = re.compile(r"\S+")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean: each character is a piece of its own, as a word elsewhere."""
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_UNSPACED_ONE = re.compile(rf"[{_UNSPACED}]")
_SENTENCE_END = re.compile(r"(?<=[.!?]) |(?<=[。！？])")


def levelled(text: str) -> str:
    """Returns a text with every run of white space as one space, and none around it.

    >>> levelled(" a\\n  b ")
    'a b'
    """
    return " ".join(text.split())


class ItemForms:
    """One item, as it may stand in a prompt; each form is made when it is first needed.

    Args:
        text: The item's text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def as_written(self) -> tuple[str, ...]:
        """The text itself, without outer white space, and as it reads inside JSON (tool messages)."""
        bare = self._text.strip()
        escaped = (json.dumps(bare)[1:-1], json.dumps(bare, ensure_ascii=False)[1:-1])
        return tuple(dict.fromkeys((self._text, bare, *escaped)))

    @cached_property
    def level(self) -> str:
        """The text, levelled."""
        return levelled(self._text)

    @cached_property
    def least_head(self) -> int:
        """How many of its first characters are enough to be its beginning.

        >>> ItemForms("a" * 90).least_head, ItemForms("河" * 90).least_head
        (40, 20)
        """
        said = 0
        for size, character in enumerate(self.level[:MIN_HEAD]):
            if said >= MIN_HEAD:
                return size
            said += 2 if _UNSPACED_ONE.match(character) else 1
        return MIN_HEAD

    @cached_property
    def pieces(self) -> list[str]:
        """Its words, and its characters of scripts without spaces."""
        return _PIECE.findall(self.level)

    def part(self, start: int, end: int) -> str:
        """Returns the text from one piece to before another.

        >>> ItemForms("in  the Alps").part(0, 2)
        'in the'
        """
        spans = self._spans
        return self.level[spans[start][0] : spans[end - 1][1]] if start < end else ""

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [piece.span() for piece in _PIECE.finditer(self.level)]

    @property
    def shingle_count(self) -> int:
        """How many shingles it has."""
        return max(len(self.pieces) - SHINGLE + 1, 0)

    @cached_property
    def shingles(self) -> dict[int, list[int]]:
        """By shingle, where it begins among the pieces."""
        return _shingles(self.pieces)

    @cached_property
    def sentences(self) -> list[str]:
        """Its sentences that are long enough to be recognised."""
        sentences = [ItemForms(sentence) for sentence in _SENTENCE_END.split(self.level)]
        return [sentence.level for sentence in sentences if len(sentence.level) >= sentence.least_head]


class PromptForms:
    """A prompt with every run of white space replaced by one space, and the way back to its offsets."""

    def __init__(self, prompt: str) -> None:
        self._words: list[str] = []
        self._raw_starts: list[int] = []
        self._starts: list[int] = []
        offset = 0
        for word in _WORD.finditer(prompt):
            self._words.append(word.group())
            self._raw_starts.append(word.start())
            self._starts.append(offset)
            offset += word.end() - word.start() + 1
        self.text = " ".join(self._words)

    @cached_property
    def pieces(self) -> list[re.Match[str]]:
        """Its words, and its characters of scripts without spaces."""
        return list(_PIECE.finditer(self.text))

    @cached_property
    def shingles(self) -> dict[int, list[int]]:
        """By shingle, where it begins among the pieces."""
        return _shingles([piece.group() for piece in self.pieces])

    def at(self, raw: int) -> int:
        """Returns the levelled offset of an offset in the prompt."""
        place = bisect_right(self._raw_starts, raw) - 1
        if place < 0:
            return 0
        return self._starts[place] + min(raw - self._raw_starts[place], len(self._words[place]))

    def back(self, offset: int) -> int:
        """Returns the offset in the prompt of a levelled offset."""
        place = bisect_right(self._starts, offset) - 1
        return self._raw_starts[place] + offset - self._starts[place] if place >= 0 else 0


def _shingles(pieces: list[str]) -> dict[int, list[int]]:
    """Returns where each run of pieces begins, by its hash: numbers are compared much faster than their words."""
    found: dict[int, list[int]] = {}
    for place in range(len(pieces) - SHINGLE + 1):
        found.setdefault(hash(tuple(pieces[place : place + SHINGLE])), []).append(place)
    return found
