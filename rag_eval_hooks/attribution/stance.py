"""What a text takes a side on: whether it denies, rises or falls, and which words with an opposite it says."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag_eval_hooks.attribution.terms import SPACELESS_FROM, stem, words

__all__ = ["NEGATING", "NEGATING_SPACELESS", "OPPOSED", "Stance", "direction", "excludes", "stance_of"]

LONGEST_WORD = 24
MAX_REMEMBERED = 100_000

NEGATING = (
    "not no never none neither nor cannot without denies denied nicht kein keine keiner keinen keinem keineswegs "
    "niemals nie ohne pas jamais aucun aucune sans non não nunca sin geen niet не нет لا لم ليس لن"
)
NEGATING_SPACELESS = re.compile(
    r"没有|沒有|不是|并非|未|不能|不会|不可|无法|不再|不(?!同|仅|过|断|管|论|但|只|少|久|等)|ない|ません|않|안 |없"
)
DENYING = (
    "barely hardly only exclusively solely incapable unable refuse refuses refused refusing fail fails failed failing "
    "avoid avoids avoided avoiding lack lacks lacked lacking absent absence never not no none without instead "
    "excluding except neither nor unsuccessful unsuccessfully deny denied denies cannot decline declines declined "
    "reject rejects rejected cancel cancels cancelled canceled abandon abandons abandoned nobody nothing"
)
FIRST_PERSON = frozenset("i me my mine we our us i'm i've i'd i'll".split())
RISING = (
    "rise rises risen rose rising increas* grow grows grown growth growing grew climb* gain gains gained jumps jumped "
    "surge* surgi* stieg* gestiegen wuchs* gewachsen erhöh* zugenommen augment* aument* subió subieron "
    "增长 增加 上升 上涨 提高 増加 上昇 증가 상승"
)
FALLING = (
    "fall falls fallen falling fell decreas* declin* drop drops dropped dropping shrank* shrink* shrunk* reduc* "
    "plunge* plungi* slump* sank* sinkt gesunken fiel* gefallen verringer* abgenommen diminu* disminu* bajó bajaron "
    "下降 减少 降低 下跌 下滑 減少 低下 감소 하락"
)
PAIRS = (
    ("before, within, until, vor dem, 食前, 之前", "after, nach dem, 食後, 之后"),
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
    ("optional, voluntary, freiwillig, 自愿", "mandatory, compulsory, obligatory, verpflichtend, 必须, 强制"),
    ("safe, harmless, unbedenklich", "unsafe, dangerous, contraindicated, harmful, gefährlich"),
    ("keep, keeps, kept, retain, retains, retained", "discard, discards, discarded, delete, deletes, deleted"),
    ("included, includes, covered, covers", "excluded, excludes"),
    ("buyer, buyers, 买家, 买方", "seller, sellers, 卖家, 卖方"),
    ("enabled, enable, enables", "disabled, disable, disables"),
    ("开放, 开馆", "关闭, 闭馆"),
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
    said = words(text)
    signs = negations = 0
    for sign in filter(None, map(_SIGNS.__getitem__, said)):  # most words have none
        signs |= sign
        if sign & NEGATES:
            negations += 1
    if not _LAST_WORDS.isdisjoint(said):
        for word in _LAST_WORDS.intersection(said):
            for pattern, sign in _PHRASES[word]:
                found = len(pattern.findall(text))
                if found:
                    signs |= sign
                    negations += found if sign & NEGATES else 0
    if not text.isascii():
        negations += len(NEGATING_SPACELESS.findall(text))
        for phrase, sign in _SPACELESS.items():
            if phrase in text:
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


def direction(term: str) -> int:
    """Returns 1 for a word or bigram of rising, -1 of falling, 0 of neither.

    >>> direction("grew"), direction("fell"), direction("profit"), direction("下降")
    (1, -1, 0, -1)
    """
    signs = _SIGNS[term] if term[0] < SPACELESS_FROM else _SPACELESS.get(term, 0)
    return bool(signs & RISES) - bool(signs & FALLS)


class _Signs(dict[str, int]):
    """The signs of single words, remembered up to a bound."""

    def __missing__(self, word: str) -> int:
        """Finds the signs of a new word; in scripts without blanks, words are not told apart."""
        if word[0] >= SPACELESS_FROM:
            return 0
        signs = 0
        for part in words(word):  # growth's
            signs |= _WORDS.get(part, 0)
            for sign, beginnings in _BEGINNINGS:
                if part.startswith(beginnings):
                    signs |= sign
        if len(word) <= LONGEST_WORD:
            if len(self) >= MAX_REMEMBERED:
                self.clear()
            self[word] = signs
        return signs


_SIGNS = _Signs()
_BEGINNINGS = tuple(
    (sign, tuple(word[:-1] for word in listed.split() if word.endswith("*")))
    for sign, listed in ((RISES, RISING), (FALLS, FALLING))
)
_signed = [
    *((sign, word) for sign, listed in ((RISES, RISING), (FALLS, FALLING)) for word in listed.split()),
    *((sign, word) for sign, listed in ((NEGATES, NEGATING), (DENIES, DENYING)) for word in listed.split()),
]
_sides: list[tuple[int, str]] = [
    (1 << number + shift, phrase)
    for number, pair in enumerate(PAIRS)
    for side, shift in zip(pair, (FIRST_SIDE, SECOND_SIDE), strict=True)
    for phrase in side.split(", ")
]
_WORDS: dict[str, int] = {}
"""The signs of whole words."""
_SPACELESS: dict[str, int] = {}
"""The signs of words of scripts without blanks."""
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
for _sign, _phrase in _signed + _sides:
    if " " in _phrase:
        _PHRASES.setdefault(_phrase.rpartition(" ")[2], []).append((re.compile(rf"\b{_phrase}\b"), _sign))
    elif not _phrase.endswith("*"):
        _table = _SPACELESS if _phrase >= SPACELESS_FROM else _WORDS
        _table[_phrase] = _table.get(_phrase, 0) | _sign

_LAST_WORDS = frozenset(_PHRASES)
OPPOSED = frozenset(stem(phrase) for _, phrase in _sides if phrase.isalpha())
"""The terms of words that have an opposite here."""
