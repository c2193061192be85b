"""Cuts folded text into terms that compare: stems of words, and bigrams where a script writes no blanks."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from rag_eval_hooks.attribution.lexicon import IRREGULAR

__all__ = [
    "HIRAGANA",
    "OPENING",
    "SPACELESS",
    "SPACELESS_FROM",
    "STOPWORDS",
    "asks",
    "letters",
    "openings",
    "plain_terms",
    "plain_words",
    "single_characters",
    "stem",
    "stems_of_word",
    "terms",
    "words",
]

SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
SPACELESS_FROM = "\u0e00"
"""First character of the scripts that write no blanks, as far as this module is concerned."""
# Vowel signs and other marks belong to the word, though they are no letters: Indic scripts, Arabic, Hebrew, accents.
INDIC = "".join(f"{chr(at)}-{chr(at + 0x63)}{chr(at + 0x71)}-{chr(at + 0x7F)}" for at in range(0x900, 0xE00, 0x80))
MARKS = f"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670{INDIC}"
LETTERS = rf"[^\W\d_{SPACELESS}]+(?:[{MARKS}]+[^\W\d_{SPACELESS}]*)*+"
WORD = re.compile(rf"[{SPACELESS}]+|{LETTERS}(?:'{LETTERS})?")
BLANKED_WORD = re.compile(rf"{LETTERS}(?:'{LETTERS})?")
ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
ANY_WORD = re.compile(r"\w+")
# Replacing characters in all text at once and cutting at blanks is several times as fast as a regular expression.
ASCII_WORDS = "".join(char if char.isalnum() or char == "_" else " " for char in map(chr, range(128)))
ANY_LETTERS = re.compile(r"[^\W\d_]+")
ASCII_BARE_LETTERS = "".join(char if char.isalpha() else " " for char in map(chr, range(128)))
ASCII_LETTERS = "".join(char if char.islower() or char == "'" else " " for char in map(chr, range(128)))
SCRIPT_RUN = re.compile(
    r"[\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[\u30a0-\u30ff]+|[\u3040-\u309f]+|[\uac00-\ud7af]+"
    r"|[\u0e00-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+"
)
HAN_FUNCTION = re.compile("[的了是为為在于於和与與及或也就都而且着吧吗呢把被由从到对向等其该此这那]")
HIRAGANA = re.compile(r"[\u3040-\u309f]")
STOPWORDS = frozenset(
    # English
    "a about above after again all also am an and any are as at be because been before being between both but by can "
    "could did do does doing done each either else ever every for from further get gets got had has have having he her "
    "here hers him his how however i if in into is it its itself just let like made make makes may me might more most "
    "much must my need no nor not of off on once one only onto or other others our out over own per quite rather same "
    "shall she should since so some such than that the their them then there these they this those through thus to too "
    "under until up upon us use used uses using very was we were what when where whether which while who whom whose "
    "why will with within without would yes yet you your said says never none nobody neither cannot "
    # German, French, Spanish, Italian, Portuguese, Dutch
    "der die das den dem des ein eine einen einem einer und oder ist sind war im ins am vom zum zur mit auf für von "
    "bei nach aus auch sich nicht wird werden wie es er sie wir ihr zu als dass le la les un une et ou est sont "
    "dans du au aux en pour par sur avec ce cette qui que il elle ne pas se sa son leur el los las una y o es del "
    "al para por con su lo no gli uno e è sono di da nel della che per non os as um uma ao do em na het een van op "
    "te zijn met voor dat".split()
)
VOWELS = frozenset("aeiouy")
OPENING = 3
"""How many letters at the beginning of a word tell words without a common stem apart."""
MAX_REMEMBERED = 100_000
LONGEST_REMEMBERED = 40
"""Letters of a word; a text without blanks is no word, and would be kept for long."""


def terms(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields the terms of a folded text with their half-open spans: stems of words, bigrams of spaceless scripts.

    Stop words and digits are left out.

    >>> [term for term, _, _ in terms("the founders opened 3 offices")]
    ['founder', 'open', 'offic']
    >>> [term for term, _, _ in terms("青禾公司的营收")]
    ['青禾', '禾公', '公司', '营收']
    """
    if text.isascii():
        for match in ASCII_WORD.finditer(text):
            word = match.group()
            if word not in STOPWORDS:
                yield _STEMS[word], *match.span()
        return
    for match in WORD.finditer(text):
        word = match.group()
        if word[0] < SPACELESS_FROM:
            if word not in STOPWORDS:
                yield _STEMS[word], match.start(), match.end()
            continue
        for run in SCRIPT_RUN.finditer(word):
            yield from _bigrams(run.group(), match.start() + run.start())


def plain_terms(text: str, start: int, end: int) -> list[str]:
    """Returns the terms of `text[start:end]` without their places and with stop words, much faster than `terms`.

    >>> plain_terms("the founders opened", 0, 19)
    ['the', 'founder', 'open']
    """
    text = text[start:end]
    if text.isascii():
        said = ASCII_WORD.findall(text) if "'" in text else text.translate(ASCII_LETTERS).split()
        return list(map(_STEMS.__getitem__, said))
    found: list[str] = []
    for word in WORD.findall(text):
        if word[0] < SPACELESS_FROM:
            found.append(_STEMS[word])
        else:
            for run in SCRIPT_RUN.findall(word):
                for part in HAN_FUNCTION.split(run):
                    found += [part] if len(part) == 1 else map("".join, pairwise(part))
    return found


def asks(text: str) -> bool:
    """Whether a folded sentence ends in a question mark, marks that close a quotation or a bracket left out.

    >>> asks('how tall is "the mast?"'), asks("it is tall.")
    (True, False)
    """
    return text.rstrip(" \n\"'*_)")[-1:] == "?"


def words(text: str) -> list[str]:
    """Returns the runs of letters, digits and underscores of a folded text.

    >>> words("it's 2.5 km")
    ['it', 's', '2', '5', 'km']
    """
    return text.translate(ASCII_WORDS).split() if text.isascii() else ANY_WORD.findall(text)


def letters(text: str) -> list[str]:
    """Returns the runs of letters of a folded text.

    >>> letters("it's 2.5 km")
    ['it', 's', 'km']
    """
    return text.translate(ASCII_BARE_LETTERS).split() if text.isascii() else ANY_LETTERS.findall(text)


def plain_words(text: str, spans: Sequence[tuple[int, int]]) -> list[list[str]]:
    """Returns, for each span of a folded text, its words (of scripts that write blanks), much faster than `terms`.

    In ASCII text, quotation marks may hang on to a word, and more than one word may hang together by them.

    >>> plain_words("the founders' opened. 3 offices", [(0, 21), (21, 31)])
    [['the', "founders'", 'opened'], ['offices']]
    """
    if text.isascii():
        letters = text.translate(ASCII_LETTERS)
        return [letters[start:end].split() for start, end in spans]
    return [BLANKED_WORD.findall(text, start, end) for start, end in spans]


def stems_of_word(word: str) -> list[str]:
    """Returns the stems of one of the words that `plain_words` gives; stop words stand for themselves.

    >>> stems_of_word("'policies'")
    ['policy']
    """
    if "'" in word and word.isascii():
        return [_STEMS[part] for part in ASCII_WORD.findall(word)]
    return [_STEMS[word]]


def openings(stems: Collection[str]) -> set[str]:
    """Returns the first `OPENING` letters that words without an apostrophe with one of these stems can have.

    >>> sorted(openings({"policy"})), sorted(openings({"fly"})), sorted(openings({"eg"})), sorted(openings({"buy"}))
    (['pol'], ['fle', 'fli', 'flo', 'fly'], ['eg', 'egg'], ['bou', 'bui', 'buy'])
    """
    found = {stem[:OPENING] for stem in stems}
    found.update(*(_IRREGULAR_OPENINGS[stem] for stem in _IRREGULAR_OPENINGS.keys() & stems))
    short = [stem for stem in found if stem in stems]
    found.update(stem[:-1] + "i" for stem in short if len(stem) == OPENING and stem.endswith("y"))
    found.update(stem + stem[-1] for stem in short if len(stem) == OPENING - 1)
    return found


def single_characters(text: str) -> list[str]:
    """Returns the characters of scripts without blanks that stand alone, or between function characters."""
    parts = (part for run in SCRIPT_RUN.findall(text) for part in HAN_FUNCTION.split(run))
    return [part for part in parts if len(part) == 1]


def _base_forms() -> dict[str, str]:
    """Returns the base form of each irregular form, by `lexicon.IRREGULAR`."""
    groups = [group.split() for group in IRREGULAR.split(", ")]
    return {form: base for base, *forms in groups for form in forms}


class _Stems(dict[str, str]):
    """Stems by word, remembered up to a bound: a plain look-up is what makes indexing fast."""

    def __missing__(self, word: str) -> str:
        """Finds the stem of a new word; stop words stand for themselves."""
        found = word if word in STOPWORDS else stem(word)
        if len(word) <= LONGEST_REMEMBERED:
            if len(self) >= MAX_REMEMBERED:
                self.clear()
            self[word] = found
        return found


def stem(word: str) -> str:
    """Returns a word without its commonest English endings; other words mostly stay as they are.

    >>> [stem(word) for word in ("opens", "opening", "opened", "policies", "tower's", "class", "stopped", "written")]
    ['open', 'open', 'open', 'policy', 'tower', 'class', 'stop', 'writ']
    """
    word = _BASE_FORMS.get(word, word)
    if word.endswith("'s"):
        return stem(word[:-2])
    word = word.replace("'", "")
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3 and not VOWELS.isdisjoint(base):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "ls" else base
            break
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _bigrams(run: str, at: int) -> Iterator[tuple[str, int, int]]:
    last = 0
    for cut in [*HAN_FUNCTION.finditer(run), None]:
        end = cut.start() if cut else len(run)
        if end - last == 1:
            yield run[last:end], at + last, at + end
        for place in range(last, end - 1):
            yield run[place : place + 2], at + place, at + place + 2
        last = cut.end() if cut else end


_BASE_FORMS = _base_forms()
_IRREGULAR_OPENINGS: dict[str, set[str]] = {}
for _form, _base in _BASE_FORMS.items():
    _IRREGULAR_OPENINGS.setdefault(stem(_base), set()).add(_form[:OPENING])
_STEMS = _Stems()
