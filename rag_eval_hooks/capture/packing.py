"""Which retrieved items reached the prompt, and in which order."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = ["Hit", "find_in_prompt", "in_word"]

MIN_HEAD = 40
"""Shortest cut-off text, in characters, that counts as the beginning of an item."""
SHINGLE_WORDS = 8
MIN_SHINGLE_SHARE = 0.5
SHORT = 12
"""Texts below this length must stand alone in the prompt: they also occur by chance inside words."""

_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"(?<=[.!?]) |(?<=[。！？])")


class Hit(NamedTuple):
    """One item found in a prompt."""

    item: int
    """Index of the item in the list that was looked for."""
    position: int
    """Where in the prompt, as a character offset that orders hits of the same prompt."""
    match: Literal["exact", "head", "shingle"]
    """How it was found."""
    coverage: float
    """Share of the item's characters in the prompt, in (0, 1]."""


class _Claims:
    """Stretches of the prompt that are already explained by an item; sorted, never overlapping."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def free(self, start: int, end: int) -> bool:
        place = bisect_right(self.starts, start)
        if place and self.ends[place - 1] > start:
            return False
        return place == len(self.starts) or self.starts[place] >= end

    def skip(self, start: int) -> int:
        """Returns the end of the stretch that covers `start`, or `start` + 1."""
        place = bisect_right(self.starts, start)
        return self.ends[place - 1] if place and self.ends[place - 1] > start else start + 1

    def add(self, start: int, end: int) -> None:
        place = bisect_left(self.starts, start)
        self.starts.insert(place, start)
        self.ends.insert(place, end)


def find_in_prompt(texts: Sequence[str], prompt: str) -> list[Hit]:
    """Returns the items of `texts` that are in `prompt`, in prompt order.

    An item is looked for as it is, then with white space levelled, then by its longest beginning (cut off by a
    budget), then by 8-word shingles (re-formatted; at least half of them), then by whole sentences (picked out of it).
    Longer texts go first and claim their
    stretch, so that a text inside another is not counted twice, and equal texts take successive occurrences.

    Args:
        texts: The items, in retrieval order; an item may be given twice. Blank texts are never found.
        prompt: All text the generator got, except its own earlier turns.

    >>> [(hit.item, hit.match) for hit in find_in_prompt(["b b", "a a"], "Context: a a / b b")]
    [(1, 'exact'), (0, 'exact')]
    """
    order = sorted((index for index, text in enumerate(texts) if text.strip()), key=lambda i: -len(texts[i]))
    claims = _Claims()
    hits: list[Hit] = []
    missing: list[int] = []
    for index in order:
        found = _claim_exact(texts[index], prompt, claims)
        if found is None:
            found = _claim_variant(texts[index], prompt, claims)
        if found is None:
            missing.append(index)
        else:
            hits.append(Hit(index, found, "exact", 1.0))
    if missing:
        hits.extend(_find_altered(texts, missing, prompt, claims))
    return sorted(hits, key=lambda hit: (hit.position, hit.item))


def _claim_exact(text: str, prompt: str, claims: _Claims) -> int | None:
    size = len(text)
    start = prompt.find(text)
    while start >= 0:
        end = start + size
        if claims.free(start, end) and (size >= SHORT or _stands_alone(prompt, start, end)):
            claims.add(start, end)
            return start
        start = prompt.find(text, claims.skip(start))
    return None


def _claim_variant(text: str, prompt: str, claims: _Claims) -> int | None:
    """Looks for the text without outer white space, and as it reads inside JSON (tool messages)."""
    for variant in _variants(text):
        found = _claim_exact(variant, prompt, claims)
        if found is not None:
            return found
    return None


def _variants(text: str) -> list[str]:
    bare = text.strip()
    forms = [bare, json.dumps(bare)[1:-1], json.dumps(bare, ensure_ascii=False)[1:-1]]
    return [form for form in dict.fromkeys(forms) if form != text]


def _stands_alone(prompt: str, start: int, end: int) -> bool:
    inside_left = start > 0 and in_word(prompt[start - 1]) and in_word(prompt[start])
    inside_right = end < len(prompt) and in_word(prompt[end]) and in_word(prompt[end - 1])
    return not inside_left and not inside_right


def in_word(character: str) -> bool:
    """Returns whether a character is part of a word that goes on until a space or sign.

    >>> in_word("a"), in_word("7"), in_word("-"), in_word("文"), in_word("")
    (True, True, False, False, False)
    """
    return character.isalnum() and character < "\u2e80"  # from there on scripts do not put spaces between words


def _find_altered(texts: Sequence[str], missing: Sequence[int], prompt: str, raw: _Claims) -> list[Hit]:
    """Looks for items whose text was changed on the way; works on the prompt with white space levelled."""
    level = _Level(prompt)
    claims = _Claims()
    for start, end in zip(raw.starts, raw.ends, strict=True):
        first, last = level.at(start), level.at(end)
        if last > first:
            claims.add(first, last)
    hits: list[Hit] = []
    left: list[tuple[int, str]] = []
    for index in missing:
        text = " ".join(texts[index].split())
        found = _claim_exact(text, level.text, claims)
        if found is None:
            left.append((index, text))
        else:
            hits.append(Hit(index, level.back(found), "exact", 1.0))
    rest: list[tuple[int, str]] = []
    heads = [(_longest_head(text, level.text), index, text) for index, text in left]
    for size, index, text in sorted(heads, key=lambda head: (-head[0], head[1])):
        found = _claim_exact(text[:size].rstrip(), level.text, claims) if size >= MIN_HEAD else None
        if found is None:
            rest.append((index, text))
        else:
            hits.append(Hit(index, level.back(found), "head", size / len(text)))
    if rest:
        hits.extend(_find_shingled(rest, level, claims))
        known = {hit.item for hit in hits}
        hits.extend(_find_sentences([(index, text) for index, text in rest if index not in known], level, claims))
    return hits


def _longest_head(text: str, prompt: str) -> int:
    """Returns how many of the text's first characters stand together in the prompt."""
    low, high = 0, len(text) - 1
    if high < MIN_HEAD or text[:MIN_HEAD] not in prompt:
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        if text[:middle] in prompt:
            low = middle
        else:
            high = middle - 1
    return low


def _find_shingled(rest: Sequence[tuple[int, str]], level: "_Level", claims: _Claims) -> list[Hit]:
    places: dict[tuple[str, ...], int] = {}
    words = level.words
    free = [claims.free(start, start + len(word)) for word, start in zip(words, level.starts, strict=True)]
    for place in range(len(words) - SHINGLE_WORDS + 1):
        if free[place] and free[place + SHINGLE_WORDS - 1]:
            places.setdefault(tuple(words[place : place + SHINGLE_WORDS]), place)
    hits: list[Hit] = []
    for index, text in rest:
        own = text.split(" ")
        shingles = [tuple(own[i : i + SHINGLE_WORDS]) for i in range(len(own) - SHINGLE_WORDS + 1)]
        found = [(i, places[shingle]) for i, shingle in enumerate(shingles) if shingle in places]
        if not found or len(found) < MIN_SHINGLE_SHARE * len(shingles):
            continue
        seen = {word for i, _ in found for word in range(i, i + SHINGLE_WORDS)}
        coverage = sum(len(own[word]) for word in seen) / sum(map(len, own))
        first = min(place for _, place in found)
        hits.append(Hit(index, level.back(level.starts[first]), "shingle", min(coverage, 1.0)))
    return hits


def _find_sentences(rest: Sequence[tuple[int, str]], level: "_Level", claims: _Claims) -> list[Hit]:
    """Looks for items of which code picked sentences; each stretch of the prompt explains one item."""
    hits: list[Hit] = []
    for index, text in sorted(rest):
        found: list[tuple[int, int]] = []
        for sentence in _SENTENCE_END.split(text):
            place = _claim_exact(sentence, level.text, claims) if len(sentence) >= MIN_HEAD else None
            if place is not None:
                found.append((place, len(sentence)))
        if found:
            coverage = sum(size for _, size in found) / len(text)
            hits.append(Hit(index, level.back(min(found)[0]), "shingle", min(coverage, 1.0)))
    return hits


class _Level:
    """A text with every run of white space replaced by one space, and the way back to its offsets."""

    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        self.raw_starts: list[int] = []
        self.starts: list[int] = []
        offset = 0
        for word in _WORD.finditer(text):
            self.words.append(word.group())
            self.raw_starts.append(word.start())
            self.starts.append(offset)
            offset += word.end() - word.start() + 1
        self.text = " ".join(self.words)

    def at(self, raw: int) -> int:
        """Returns the levelled offset of an offset in the text."""
        place = bisect_right(self.raw_starts, raw) - 1
        if place < 0:
            return 0
        return self.starts[place] + min(raw - self.raw_starts[place], len(self.words[place]))

    def back(self, offset: int) -> int:
        """Returns the offset in the text of a levelled offset."""
        place = bisect_right(self.starts, offset) - 1
        return self.raw_starts[place] + offset - self.starts[place] if place >= 0 else 0
