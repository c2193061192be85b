"""Finds names in a text: runs of capitalised words, quoted terms, acronyms, identifiers.

Not used by attribution yet: `find_names` is what a check of names by role would stand on.
"""

import re

from rag_eval_hooks.attribution.terms import STOPWORDS

__all__ = ["find_names"]

MAX_NAMES = 1_000
QUOTED = re.compile(
    r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|„([^“”\n]{1,80})[“”]|«([^»\n]{1,80})»|「([^」\n]{1,80})」|『([^』\n]{1,80})』"
    r"|《([^》\n]{1,80})》"
)
# Words with a capital somewhere, in a run with one blank between them; `of`, `de`, `van`, `&` may join two.
_word = r"[^\W\d_]{0,60}?[^\W\d_a-z][\w&]{0,60}(?:[-'’.](?=\w)[\w&]{1,60}){0,4}"
RUN = re.compile(rf"(?<![\w'’-]){_word}(?: (?:(?:of|de|la|du|der|van|von|&) ){{0,2}}{_word}){{0,9}}")
SENTENCE_START = re.compile(r"(?:^|[.?!:;\n|])[\s\"'“‘(\[*#>-]{0,8}$")
JOINING = frozenset("of de la du der van von &".split())
POSSESSIVE = re.compile(r"['’]s?$")


def find_names(folded_text: str, original_text: str) -> list[tuple[int, int, str]]:
    """Returns the names of a text in order, as half-open spans of the original with their kind.

    Kinds are `quote` (inside quotation marks, without them), `acronym` (NASA), `identifier` (camelCase) and `name`
    (one capitalised word or several). The first word of a sentence is part of a name only if another capitalised word
    follows it at once or if it is capitalised inside a sentence elsewhere in the text; a stop word never is. A text
    without small letters, or in a script without capitals, has quoted terms only.

    Args:
        folded_text: The text folded, from which it is seen whether it has letters in both cases.
        original_text: The text as written.

    >>> text = "Ada Lovelace wrote for the Royal Society. She used NASA's getUserName."
    >>> [(text[start:end], kind) for start, end, kind in find_names(text.lower(), text)]
    [('Ada Lovelace', 'name'), ('Royal Society', 'name'), ('NASA', 'acronym'), ('getUserName', 'identifier')]
    """
    found = [(*match.span(match.lastindex or 0), "quote") for match in QUOTED.finditer(original_text)]
    if folded_text == original_text or not any(map(str.islower, original_text)):
        return found[:MAX_NAMES]
    quoted = {place for start, end, _ in found for place in (start, end - 1)}
    runs: list[tuple[int, list[str], bool]] = []
    inside: set[str] = set()
    for match in RUN.finditer(original_text):
        starts = SENTENCE_START.search(original_text, max(0, match.start() - 10), match.start()) is not None
        words = match.group().split(" ")
        inside.update(words[1:] if starts else words)
        runs.append((match.start(), words, starts))
    for start, words, starts in runs:
        for first, last, kind in _parts(start, words, starts, inside):
            if first not in quoted and last - 1 not in quoted:
                found.append((first, last, kind))
    found.sort()
    return found[:MAX_NAMES]


def _parts(start: int, words: list[str], starts_sentence: bool, inside: set[str]) -> list[tuple[int, int, str]]:
    """Cuts a run where a capitalised stop word or a possessive ends a name, and drops a mere sentence start."""
    parts: list[tuple[int, int, str]] = []
    kept: list[tuple[int, str]] = []
    at = start
    for place, word in enumerate([*words, ""]):
        bare = POSSESSIVE.sub("", word)
        is_stop = not bare or len(bare) < 2 or (bare.lower() in STOPWORDS and not (bare.isupper() and len(bare) > 1))
        joins = word in JOINING and bool(kept) and place + 1 < len(words)
        lonely = place == 0 and starts_sentence and _is_plain(bare) and len(words) == 1 and bare not in inside
        if (is_stop and not joins) or lonely:
            parts += _name(kept)
            kept = []
        else:
            kept.append((at, bare))
            if bare != word:
                parts += _name(kept)
                kept = []
        at += len(word) + 1
    return parts


def _name(kept: list[tuple[int, str]]) -> list[tuple[int, int, str]]:
    while kept and kept[-1][1] in JOINING:
        kept = kept[:-1]
    if not kept:
        return []
    word = kept[0][1]
    kind = "name"
    if len(kept) == 1 and not _is_plain(word):
        kind = "acronym" if word.upper() == word else "identifier"
    return [(kept[0][0], kept[-1][0] + len(kept[-1][1]), kind)]


def _is_plain(word: str) -> bool:
    """Whether only the first letter is a capital."""
    return word[1:] == word[1:].lower() and word[:1].isupper()
