"""Tells marks that stand before what they back (`According to [1], ...`, `[2] says ...`) from those behind it."""

import re
from collections.abc import Iterator, Sequence

from rag_eval_hooks.attribution.citations.mark import Mark

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
"""Characters around a mark that are read for the words that introduce it."""


def with_leads(answer: str, marks: Sequence[Mark]) -> list[Mark]:
    """Returns the marks with `leads` set, and with the words around them that only say who says it hidden.

    Args:
        answer: The answer's text.
        marks: Its marks, in order.
    """
    found: list[Mark] = []
    for group in _groups(answer, marks):
        found += _led(answer, group)
    return found


def _groups(answer: str, marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """Yields the marks that stand together: `[1][2]`, `[1] and [2]`."""
    group: list[Mark] = []
    for mark in marks:
        if group and not (
            mark.start <= group[-1].end + WINDOW and TOGETHER.fullmatch(answer, group[-1].end, mark.start)
        ):
            yield group
            group = []
        group.append(mark)
    if group:
        yield group


def _led(answer: str, group: list[Mark]) -> list[Mark]:
    first, last = group[0], group[-1]
    if any(mark.about is not None or mark.leads for mark in group):
        return group
    bracket = 1 if answer[first.start - 1 : first.start] in ("(", "（", "[") else 0
    around = (answer, max(0, first.start - WINDOW), first.start - bracket)
    lead = LEAD.search(*around)
    weak = None if lead else WEAK_LEAD.search(*around)
    phrase = lead or weak
    at = phrase.start() if phrase else first.start
    is_open = OPENS.search(answer[max(0, at - WINDOW) : at]) is not None
    verb = VERB.match(answer, last.end)
    if verb and (is_open or not lead):
        return _hiding(group, at if lead and is_open else first.start, verb.end() if is_open else last.end)
    comma = COMMA.match(answer, last.end)
    end = comma.end() if comma else last.end
    has_comma = comma is not None and not comma.group().isspace() and end > last.end
    goes_on = answer[end : end + 1] not in ("", "\n", ".", "!", "?", "。")
    if is_open and goes_on and (lead or (weak and has_comma)):
        return _hiding(group, at, end)
    if lead and not is_open:
        return [first._replace(hidden=((at, first.start), *first.hidden)), *group[1:]]
    return group


def _hiding(group: list[Mark], start: int, end: int) -> list[Mark]:
    """Returns the marks as such that lead, with what stands around and between them hidden."""
    led = []
    at = start
    for mark in group:
        between = [(at, mark.start)] if at < mark.start else []
        led.append(mark._replace(leads=True, hidden=tuple(sorted((*between, *mark.hidden)))))
        at = max(span[1] for span in ((mark.start, mark.end), *mark.hidden))
    if at < end:
        led[-1] = led[-1]._replace(hidden=(*led[-1].hidden, (at, end)))
    return led
