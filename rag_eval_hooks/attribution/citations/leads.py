"""Tells marks that stand before what they back (`According to [1], ...`, `[2] says ...`) from those behind it."""

import re
from collections.abc import Sequence

from rag_eval_hooks.attribution.citations.mark import Mark, Span

__all__ = ["with_leads"]

LEAD = re.compile(
    r"(?:\b(?:according to|based on|as (?:stated|noted|mentioned|described|reported|shown|explained|indicated|"
    r"documented|listed|seen|per|given)(?: in| by| on)?|(?:stated|noted|described|reported|shown) (?:in|by)|"
    r"laut|gemäß|zufolge|selon|d'après|según|de acuerdo con|secondo|segundo)"
    r"|根据|依据|據|根據|按照|据)[ \t]{0,2}(?:the )?[ \t]{0,2}$",
    re.I,
)
WEAK_LEAD = re.compile(r"(?:\b(?:in|from|per|by|as|nach|in der|dans|en)|在)[ \t]{0,2}(?:the )?[ \t]{0,2}$", re.I)
VERB = re.compile(
    r"[ \t]{0,2}(?:(?:(?:also|further|clearly|explicitly|only) )?(?:says?|states?|notes?|reports?|mentions?|shows?|"
    r"claims?|indicates?|explains?|adds|describes?|confirms?|lists?|gives?|specif(?:y|ies)|finds?|found|suggests?|argues?|"
    r"observes?|points? out|tells?|writes?|puts|sagt|besagt|nennt|erwähnt|berichtet|zeigt|erklärt|dit|indique|précise|"
    r"mentionne|affirme|dice|indica|señala|menciona|afirma|diz|afferma)(?:(?: us)?,? that|,? dass| que| che)?"
    r"(?![\w'’])|"
    r"(?:中)?(?:指出|提到|表明|表示|显示|认为|说明|声称|记载|称|说)(?:，|,)?|によると、?|では、?|에 따르면)[ \t]{0,2}",
    re.I,
)
COMMA = re.compile(r"[ \t]{0,2}[,，、:：]?[ \t]{0,2}")
TOGETHER = re.compile(r"[ \t]{0,2}(?:[,;&，、]|and|und|et|y|和|与)?[ \t]{0,2}")
OPENS = re.compile(
    r"(?:^|[.!?。！？,;:，；：(（\n\-–—*•>]|\b(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|"
    r"和|而|但))[ \t*_>\"“]{0,4}$",
    re.I,
)
WINDOW = 60


def with_leads(answer: str, marks: Sequence[Mark]) -> list[Mark]:
    """Returns the marks with `leads` set, and with the words around them that only say who says it hidden.

    Args:
        answer: The answer's text.
        marks: Its marks, in order.
    """
    found: list[Mark] = []
    following: Mark | None = None
    for mark in reversed(marks):
        together = following is not None and mark.end <= following.start <= mark.end + WINDOW
        together = (
            together and following is not None and TOGETHER.fullmatch(answer, mark.end, following.start) is not None
        )
        led = _led(answer, mark, following if together and following is not None and following.about is None else None)
        found.append(led)
        following = led
    return found[::-1]


def _led(answer: str, mark: Mark, following: Mark | None) -> Mark:
    if mark.about is not None or mark.leads or mark.form == "provider":
        return mark
    begin = max(0, mark.start - WINDOW)
    bracket = 1 if answer[mark.start - 1 : mark.start] in ("(", "（", "[") else 0
    lead = LEAD.search(answer, begin, mark.start - bracket)
    weak = None if lead else WEAK_LEAD.search(answer, begin, mark.start - bracket)
    at = lead.start() if lead else weak.start() if weak else mark.start
    is_open = OPENS.search(answer[max(0, at - WINDOW) : at]) is not None
    if following is not None and following.leads:
        return _hiding(mark, (at if is_open else mark.start, mark.start), (mark.end, following.start))
    verb = VERB.match(answer, mark.end)
    if verb and (mark.form != "number" or is_open or not lead):
        return _hiding(
            mark, (at if lead and is_open else mark.start, mark.start), (mark.end, verb.end() if is_open else mark.end)
        )
    comma = COMMA.match(answer, mark.end)
    end = comma.end() if comma else mark.end
    has_comma = bool(comma and comma.group().strip())
    goes_on = answer[end : end + 1] not in ("", "\n", ".", "!", "?", "。")
    if is_open and goes_on and ((lead and (has_comma or following is None)) or (weak and has_comma)):
        return _hiding(mark, (at, mark.start), (mark.end, end))
    if lead and not is_open:
        return mark._replace(hidden=((at, mark.start), *mark.hidden))
    return mark


def _hiding(mark: Mark, before: Span, behind: Span) -> Mark:
    around = [span for span in (before, behind) if span[0] < span[1]]
    return mark._replace(leads=True, hidden=tuple(sorted((*around, *mark.hidden))))
