"""What the word or sign before a number says about it."""

from typing import NamedTuple

from rag_eval_hooks.attribution.anchors.measures import EAST_ASIAN_FROM
from rag_eval_hooks.attribution.units import CURRENCIES, MONTHS

__all__ = ["Cue", "cue_before"]

LOOK_BACK = 24
OPENING, CLOSING = "([\"'*~≈", "\"'*.,:;"


class Cue(NamedTuple):
    """A word before a number."""

    kind: str
    """`month`, `version`, `fiscal`, `money`, `rounded`, `minus`."""
    value: str
    """Which month, which currency; 0, 1 or -1 for `about`, `more than`, `less than`."""
    start: int
    """Where the word begins."""


def _all(kind: str, value: str, words: str) -> dict[str, tuple[str, str]]:
    return {word.replace("_", " "): (kind, value) for word in words.split()}


LAST_WORD: dict[str, tuple[str, str]] = {
    **{name: ("month", str(number)) for name, number in MONTHS.items()},
    **_all("version", "single", "release version versions ver rev revision python v"),
    **_all("version", "", "build section sec chapter figure fig table clause §"),
    **_all("fiscal", "", "fy fiscal geschäftsjahr"),
    **_all("minus", "", "minus moins menos"),
    **_all("ad", "", "ad a.d"),
    **_all("rounded", "0", "about around approximately approx roughly circa ca c etwa ungefähr environ unos cerca"),
    **_all("rounded", "1", "over exceeding exceeds exceeded above über mehr_als"),
    **_all("rounded", "-1", "nearly almost under below fast knapp unter presque casi"),
    **_all("two", "", "than als de of del year rund"),
    **{
        name: ("money", code)
        for name, code in CURRENCIES.items()
        if name.isascii() and len(name) in (2, 3) and name.isalpha() and name != "won"
    },
}
LAST_TWO: dict[tuple[str, str], tuple[str, str]] = {
    **{(word, "than"): ("rounded", "1") for word in ("more", "greater", "larger", "higher")},
    **{(word, "than"): ("rounded", "-1") for word in ("less", "fewer", "lower", "smaller")},
    ("mehr", "als"): ("rounded", "1"),
    ("weniger", "als"): ("rounded", "-1"),
    ("plus", "de"): ("rounded", "1"),
    ("más", "de"): ("rounded", "1"),
    ("moins", "de"): ("rounded", "-1"),
    ("menos", "de"): ("rounded", "-1"),
    **{(word, "year"): ("fiscal", "") for word in ("fiscal", "financial")},
    **{(name, of): ("month", str(number)) for name, number in MONTHS.items() for of in ("of", "de", "del")},
}
EAST_ASIAN: dict[str, tuple[str, str]] = {
    **_all("rounded", "0", "约 約 약"),
    **_all("rounded", "1", "超过 超過 多于 大于 高于"),
    **_all("rounded", "-1", "不到 不足 少于 低于 将近 接近"),
}


def cue_before(text: str, start: int, free: int) -> Cue | None:
    """Returns the cue right before `start`, not looking back beyond `free`."""
    if start <= free:
        return None
    last = text[start - 1]
    if last >= EAST_ASIAN_FROM:
        piece = text[max(free, start - 2) : start]
        for size in (2, 1):
            found = EAST_ASIAN.get(piece[-size:])
            if found:
                return Cue(*found, start - size)
        return None
    if last in "~≈":
        return Cue("rounded", "0", start - 1)
    since = max(free, start - LOOK_BACK)
    if last == " ":  # the common case, without cutting the text into words
        word = text[max(since, text.rfind(" ", since, start - 1) + 1) : start - 1]
        if word.isalpha() and word not in LAST_WORD:
            return None
    words = text[since:start].split()
    if not words:
        return None
    word = words[-1].lstrip(OPENING).rstrip(CLOSING)
    found = LAST_WORD.get(word)
    if found is None:
        return Cue("rounded", "0", start - 1) if words[-1][-1] in "~≈" else None
    begin = text.rfind(word, since, start)
    if found[0] == "two":
        if word == "rund":
            return Cue("rounded", "0", begin)
        if len(words) < 2:
            return None
        first = words[-2].lstrip(OPENING).rstrip(CLOSING)
        found = LAST_TWO.get((first, word))
        if found is None:
            return None
        begin = text.rfind(first, since, begin)
    return Cue(*found, begin)
