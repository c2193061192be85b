"""Knows words that exclude each other, so that one in the place of the other is a contradiction."""

import re

__all__ = ["excludes"]

PAIRS = (
    ("before|vor dem|食前|之前", "after|nach dem|食後|之后"),
    ("above|over|more than|über|以上|超过", "below|under|less than|fewer than|unter|以下|低于"),
    ("at least|no less than|mindestens|minimum|至少", "at most|no more than|höchstens|maximum|至多|最多"),
    ("left|linke[rnms]?|links", "right|rechte[rnms]?|rechts"),
    ("open|opens|opened|geöffnet|offen", "closed|closes|shut|geschlossen"),
    (
        "allowed|permitted|legal|erlaubt|gestattet|允许|许可|許可",
        "forbidden|prohibited|banned|illegal|verboten|untersagt|禁止",
    ),
    ("accepted|approved|passed|angenommen|genehmigt", "rejected|declined|denied|refused|abgelehnt"),
    ("inside|indoors?", "outside|outdoors?"),
    ("earliest|first|erste[rnms]?", "latest|last|letzte[rnms]?"),
    ("always|immer|总是", "never|nie|niemals|从不"),
    ("all|every|alle", "some|several|einige"),
    ("hot|warm", "cold|cool"),
    ("true|correct", "false|incorrect"),
    ("win|wins|won", "lose|loses|lost"),
    ("cheaper|cheapest|smaller|smallest|lower|lowest", "dearer|larger|largest|bigger|biggest|higher|highest"),
    ("import|imports|imported", "export|exports|exported"),
)


def _pattern(words: str) -> re.Pattern[str]:
    plain = "|".join(word for word in words.split("|") if word < "\u3000")
    han = [word for word in words.split("|") if word >= "\u3000"]
    return re.compile("|".join([rf"\b(?:{plain})\b", *han]))


SIDES = tuple((_pattern(one), _pattern(other)) for one, other in PAIRS)


def excludes(said: str, source: str) -> bool:
    """Whether a folded text says one word of a pair and only one, and the source only the other.

    >>> excludes("dogs are allowed", "dogs are forbidden"), excludes("open on monday", "open on monday, else closed")
    (True, False)
    """
    for one, other in SIDES:
        mine = (one.search(said) is not None, other.search(said) is not None)
        if mine[0] == mine[1]:
            continue
        theirs = (one.search(source) is not None, other.search(source) is not None)
        if theirs[0] != theirs[1] and mine != theirs:
            return True
    return False
