"""Says whether a stop behind a word marks an abbreviation or an initial rather than the end of a sentence."""

import re

from rag_eval_hooks.attribution.units import MONTHS

__all__ = ["ABBREVIATIONS", "is_abbreviation", "is_opener", "is_ordinal"]

# No sentence ends on these.
TITLES = frozenset(
    "mr mrs ms messrs dr prof gen col lt sgt capt cmdr maj rev hon pres gov sen rep e.g i.e eg ie cf vs viz approx "
    # German, French, Spanish, Italian, Portuguese, Dutch
    "resp bzw bspw ggf evtl inkl exkl zzgl einschl vgl ca tsd mag dipl ing hr fr geb gest z.b d.h u.a "
    "mm mme mlle p.ex sra srta dra ee p.ej sig sigg dott avv profa eng dhr mevr bijv d.w.z o.a "
    # Polish, Czech, Swedish, Turkish, Russian, Hindi
    "ul np tzn tzw godz tys m.in např tj tzv t.ex bl.a d.v.s ул им тыс т.е т.к напр проф акад डॉ प्रो श्री".split()
)
# Many of these are words, too: they are short forms only before a number.
BEFORE_NUMBER = frozenset(
    "no nos nr vol ch sec fig figs eq eqs p pp para est art ref tel abs op ed sect tab ex app cap chap núm núms pág "
    "págs pag blz n num s str jh chr av jg bd kap стр рис табл гл п ст тел".split()
) | {month for month in MONTHS if len(month) <= 4 and month not in ("may", "mai", "mayo", "juin", "juni", "août")}
# These end a sentence only before a word that opens one.
BEFORE_NAME = frozenset(
    "inc ltd co corp llc bros jr sr st ste mt ft ave blvd rd hwy al dept assn univ mio mrd mln млн млрд "
    "ud uds uu nº ts tp ths pgs gs".split()
)
ABBREVIATIONS = TITLES | BEFORE_NUMBER | BEFORE_NAME
OPENERS = frozenset(
    "the a an it he she they we you i this that these those in on at for from by as if when while however but and its "
    "their there here his her our your according after before since although because both each all some many most "
    "no nobody nothing not only today later then "
    "der die das er sie es wir ein eine dieser diese dieses im am beim auf bei mit nach seit aber auch hier dort "
    "zum zur le la les il elle ils elles un une ce cette ces on nous vous dans pour mais tout tous "
    "el los las una este esta estos en por para pero hay su lo gli uno questo questa nel per ma si "
    "o os as um uma ele ela isso este no na het een hij zij dit dat maar "
    "он она оно они это эта этот мы вы в на но там тогда здесь".split()
)
NUMBER = re.compile(r"[#№§(\[]?\d|[IVXLC]{2,6}\b|[B-HJ-Z]\b(?!\.)")
FIRST_WORD = re.compile(r"[^\W\d_]+")
SINGLE_LETTER = re.compile(r"[^\W\d_]\.")
SINGLE_LETTER_BEFORE = re.compile(r"(?<!\w)[^\W\d_]\.\s{0,3}$")
DOTTED_LETTERS = re.compile(r"[^\W\d_](?:[.-]{1,2}[^\W\d_])+")
BEFORE_INITIAL = "\"'“„‘«([*_-–—"
COUNTED = re.compile(r"(?:\d|\b[IVXLC]+)\s?$")
LETTERED = re.compile(
    r"\b(?:vitamine?|plan|option|type|typ|class|grade|group|gruppe|part|hepatitis|team|model|version|phase|level|"
    r"category|answer|antwort|point|punkt|step|table|appendix|annex|exhibit|gate|room|block|row|line|zone)\s$",
    re.I,
)
ORDERED = re.compile(
    r"(?:"
    + "|".join(sorted(MONTHS, key=len, reverse=True))
    + r")\b|(?:jahrhundert|kapitel|klasse|platz|auflage|etage|stock|"
    r"tag|monat|jahr|mal|spieltag|runde|teil|band|semester|quartal|oktober|stelle)\w*",
    re.I,
)
BEFORE_ORDINAL = re.compile(
    r"\b(?:am|vom|zum|im|der|den|dem|des|das|die|bis|ab|seit|beim|zur|ein|eine|und|dne|od|do)\s+\d{1,2}$", re.I
)


def is_opener(following: str) -> bool:
    """Whether a text begins with a word that often opens a sentence, such as an article or a pronoun."""
    word = FIRST_WORD.match(following)
    return word is not None and word.group().lower() in OPENERS


def is_abbreviation(word: str, before: str, following: str) -> bool:
    """Whether the stop behind a word belongs to the word.

    Args:
        word: What stands before the stop, back to the last blank.
        before: Some of the text before the word.
        following: Some of the text behind the stop, from its first letter or digit on; not in lower case.

    >>> is_abbreviation("No", "see ", "5 of the rules"), is_abbreviation("No", "", "It broke")
    (True, False)
    """
    name = word.lower()
    if name in TITLES:
        return True
    if name in BEFORE_NUMBER and NUMBER.match(following):
        return True
    if len(name) == 1 and name < "\u1100":
        return _is_initial(word, before, following)
    if name in BEFORE_NAME or DOTTED_LETTERS.fullmatch(name):
        return not is_opener(following)
    return False


def _is_initial(letter: str, before: str, following: str) -> bool:
    """Whether a letter with a stop is an initial (`J. Smith`) or part of a short form (`z. B.`)."""
    if LETTERED.search(before) or (before and not before[-1].isspace() and before[-1] not in BEFORE_INITIAL):
        return False  # plan B, b.org/?d
    if SINGLE_LETTER.match(following):
        return True
    if SINGLE_LETTER_BEFORE.search(before):
        return letter not in "дп"  # и т. д. may end a sentence
    if not letter.isupper() and COUNTED.search(before):
        return "\u0e00" <= letter <= "\u0eff"  # 9 h, 1911 г.; in Thai a stop ends nothing
    return letter not in "Iя" and not is_opener(following)


def is_ordinal(before: str, following: str) -> bool:
    """Whether a stop behind a number makes it an ordinal, as in `am 3. Mai` and `im 19. Jahrhundert`.

    Args:
        before: The text up to the stop, at least 16 characters where there are that many.
        following: Some of the text behind the stop.
    """
    number = re.search(r"\d+$", before[-4:])
    if number is None or len(number.group()) > 2:
        return False
    return bool(ORDERED.match(following)) or (bool(BEFORE_ORDINAL.search(before[-16:])) and not is_opener(following))
