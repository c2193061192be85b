"""What a text takes a side on: whether it denies, rises or falls, and which words with an opposite it says."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rag_eval_hooks.attribution.terms import SPACELESS_FROM, stem

__all__ = ["OPPOSED", "Stance", "direction", "excludes", "stance_of"]

WORDS = re.compile(r"\w+")
LONGEST_WORD = 24
MAX_REMEMBERED = 100_000

NEGATING = frozenset(
    "not no never none neither nor cannot without denies denied nicht kein keine keiner keinen keinem keineswegs "
    "niemals nie ohne pas jamais aucun aucune sans non não nunca sin geen niet не нет لا لم ليس لن".split()
)
NEGATING_SPACELESS = re.compile(
    r"没有|沒有|不是|并非|未|不能|不会|不可|无法|不再|不(?!同|仅|过|断|管|论|但|只|少|久|等)|ない|ません|않|안 |없"
)
DENYING = frozenset(
    "barely hardly only exclusively solely incapable unable refuse refuses refused refusing fail fails failed failing "
    "avoid avoids avoided avoiding lack lacks lacked lacking absent absence never not no none without instead "
    "excluding except neither nor unsuccessful unsuccessfully deny denied denies cannot decline declines declined "
    "reject rejects rejected cancel cancels cancelled canceled abandon abandons abandoned nobody nothing".split()
)
FIRST_PERSON = frozenset("i me my mine we our us i'm i've i'd i'll".split())
RISING = re.compile(
    r"\b(?:rise[sn]?|rose|rising|increas\w*|grow(?:s|n|th|ing)?|grew|climb\w*|gain(?:s|ed)?|jump(?:s|ed)|surg\w+|"
    r"stieg\w*|gestiegen|wuchs\w*|gewachsen|erhöh\w*|zugenommen|augment\w*|aument\w*|subió|subieron)\b"
    r"|增长|增加|上升|上涨|提高|増加|上昇|증가|상승"
)
FALLING = re.compile(
    r"\b(?:fall(?:s|en|ing)?|fell|decreas\w*|declin\w*|drop(?:s|ped|ping)?|shr[aiu]nk\w*|reduc\w*|plung\w+|slump\w*|"
    r"sank\w*|sinkt|gesunken|fiel\w*|gefallen|verringer\w*|abgenommen|diminu\w*|disminu\w*|bajó|bajaron)\b"
    r"|下降|减少|降低|下跌|下滑|減少|低下|감소|하락"
)
PAIRS = (
    ("before, vor dem, 食前, 之前", "after, nach dem, 食後, 之后"),
    ("above, over, more than, über, 以上, 超过", "below, under, less than, fewer than, unter, 以下, 低于"),
    ("at least, no less than, mindestens, minimum, 至少", "at most, no more than, höchstens, maximum, 至多, 最多"),
    (
        "left, linke, linker, linken, linkem, linkes, links",
        "right, rechte, rechter, rechten, rechtem, rechtes, rechts",
    ),
    ("open, opens, opened, geöffnet, offen", "closed, closes, shut, geschlossen"),
    (
        "allowed, permitted, legal, erlaubt, gestattet, 允许, 许可, 許可",
        "forbidden, prohibited, banned, illegal, verboten, untersagt, 禁止",
    ),
    ("accepted, approved, passed, angenommen, genehmigt", "rejected, declined, denied, refused, abgelehnt"),
    ("inside, indoor, indoors", "outside, outdoor, outdoors"),
    (
        "earliest, first, erste, erster, ersten, erstem, erstes",
        "latest, last, letzte, letzter, letzten, letztem, letztes",
    ),
    ("always, immer, 总是", "never, nie, niemals, 从不"),
    ("all, every, alle", "some, several, einige"),
    ("hot, warm", "cold, cool"),
    ("true, correct", "false, incorrect"),
    ("win, wins, won", "lose, loses, lost"),
    (
        "cheaper, cheapest, smaller, smallest, lower, lowest",
        "dearer, larger, largest, bigger, biggest, higher, highest",
    ),
    ("import, imports, imported", "export, exports, exported"),
)
"""Words and phrases with their opposites."""

# The signs of a word or text are bits: these four, then one for each first word of a pair, then one for each second.
RISES, FALLS, NEGATES, DENIES = 1, 2, 4, 8
FIRST_SIDE = 4
SECOND_SIDE = FIRST_SIDE + len(PAIRS)
SIDE = (1 << len(PAIRS)) - 1


class Stance(NamedTuple):
    """The sides a folded text takes."""

    signs: int
    """Bits: what it has anywhere."""
    is_negated: bool
    """Whether it is negated an odd number of times."""
    is_first_person: bool
    """Whether it speaks of its writer."""

    @property
    def denies(self) -> bool:
        """Whether it says that something is not, or only just so."""
        return bool(self.signs & DENIES)

    @property
    def direction(self) -> int:
        """1 where it only tells of something rising, -1 of falling, 0 of neither or both."""
        return bool(self.signs & RISES) - bool(self.signs & FALLS)

    @staticmethod
    def joined(parts: Sequence["Stance"]) -> "Stance":
        """Returns the stance of several texts taken as one."""
        signs, is_negated, is_first_person = parts[0] if parts else _NONE
        for part in parts[1:]:
            signs |= part.signs
            is_negated ^= part.is_negated
            is_first_person |= part.is_first_person
        return Stance(signs, is_negated, is_first_person)


_NONE = Stance(0, False, False)


def stance_of(text: str) -> Stance:
    """Returns the stance of a folded text.

    >>> found = stance_of("profit didn't fall, and never did")
    >>> found.direction, found.denies, found.is_negated
    (-1, True, False)
    """
    words = WORDS.findall(text)
    signs = negations = 0
    for word in words:
        sign = _SIGNS[word]
        signs |= sign
        if sign & NEGATES:
            negations += 1
    for word in _PHRASES.keys() & words:
        for phrase, sign in _PHRASES[word]:
            found = len(phrase.findall(text))
            if found:
                signs |= sign
                negations += found if sign & NEGATES else 0
    if not text.isascii():
        negations += len(NEGATING_SPACELESS.findall(text))
        signs |= _direction_signs(text)
        for spaceless, sign in _SPACELESS_SIDES:
            if spaceless in text:
                signs |= sign
    return Stance(signs, bool(negations % 2), not FIRST_PERSON.isdisjoint(text.split()))


def excludes(one: Stance, other: Stance) -> bool:
    """Whether a text says one word of a pair and only one, and another text only its opposite.

    >>> excludes(stance_of("dogs are allowed"), stance_of("dogs are forbidden"))
    True
    >>> excludes(stance_of("open on monday"), stance_of("open on monday, else closed"))
    False
    """
    first, second = one.signs >> FIRST_SIDE & SIDE, one.signs >> SECOND_SIDE
    other_first, other_second = other.signs >> FIRST_SIDE & SIDE, other.signs >> SECOND_SIDE
    return bool(first & ~second & other_second & ~other_first or second & ~first & other_first & ~other_second)


def direction(word: str) -> int:
    """Returns 1 for a word of rising, -1 of falling, 0 of neither.

    >>> direction("grew"), direction("fell"), direction("profit")
    (1, -1, 0)
    """
    return _direction_of_word(word) if len(word) <= LONGEST_WORD else _direction(word)


def _direction(text: str) -> int:
    signs = _direction_signs(text)
    return bool(signs & RISES) - bool(signs & FALLS)


_direction_of_word = lru_cache(MAX_REMEMBERED)(_direction)


def _direction_signs(text: str) -> int:
    return RISES * bool(RISING.search(text)) | FALLS * bool(FALLING.search(text))


def _signs_of_word(word: str) -> int:
    """Returns the signs of a word of a script with blanks; to match it from its beginning is all there is to find."""
    signs = RISES * bool(RISING.match(word)) | FALLS * bool(FALLING.match(word)) | _SIDES.get(word, 0)
    return signs | NEGATES * (word in NEGATING) | DENIES * (word in DENYING)


class _Signs(dict[str, int]):
    """The signs of single words, remembered up to a bound."""

    def __missing__(self, word: str) -> int:
        """Finds the signs of a new word; for scripts without blanks the text as a whole is searched."""
        if word[0] >= SPACELESS_FROM:
            return 0
        signs = _signs_of_word(word)
        if len(word) <= LONGEST_WORD:
            if len(self) >= MAX_REMEMBERED:
                self.clear()
            self[word] = signs
        return signs


_SIGNS = _Signs()
_SIDES: dict[str, int] = {}
"""The signs of each phrase of `PAIRS`."""
for _number, _pair in enumerate(PAIRS):
    for _side, _shift in zip(_pair, (FIRST_SIDE, SECOND_SIDE), strict=True):
        for _phrase in _side.split(", "):
            _SIDES[_phrase] = _SIDES.get(_phrase, 0) | 1 << _number + _shift
_SPACELESS_SIDES = tuple((phrase, sign) for phrase, sign in _SIDES.items() if phrase >= SPACELESS_FROM)
_PHRASES: dict[str, list[tuple[re.Pattern[str], int]]] = {
    "to": [
        (re.compile(r"\b(?:fail(?:s|ed)?|refus(?:es|ed)) to\b"), NEGATES),
        (re.compile(r"\byet to\b"), DENIES),
    ],
    "t": [(re.compile(r"n't\b"), NEGATES), (re.compile(r"n ?'t\b"), DENIES)],
    "than": [(re.compile(r"\brather than\b"), DENIES)],
    "out": [(re.compile(r"\bleft out\b"), DENIES)],
    "down": [(re.compile(r"\bturned down\b"), DENIES)],
}
"""By their last word, the phrases of more than one word with their signs."""
for _phrase, _sign in _SIDES.items():
    if " " in _phrase:
        _PHRASES.setdefault(_phrase.rpartition(" ")[2], []).append((re.compile(rf"\b{_phrase}\b"), _sign))

OPPOSED = frozenset(stem(phrase) for phrase in _SIDES if phrase.isalpha())
"""The terms of words that have an opposite here."""
