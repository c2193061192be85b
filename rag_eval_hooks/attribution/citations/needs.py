"""Says which statements a reader expects to carry a citation."""

import re
from collections.abc import Collection, Sequence

from rag_eval_hooks.attribution.anchors import Anchor, fits
from rag_eval_hooks.attribution.claims import Statement
from rag_eval_hooks.attribution.evidence import anchors_of
from rag_eval_hooks.attribution.fold import Folded
from rag_eval_hooks.attribution.terms import terms
from rag_eval_hooks.attribution.wanted import Query
from rag_eval_hooks.record.limits import MAX_CLAIMS

__all__ = ["needs_citation"]

SUMMARY = re.compile(
    r"\W*(?:(?:in|to) (?:summary|short|conclusion|brief|sum(?: up)?|conclude|summari[sz]e|recap)|overall|all in all|"
    r"in a nutshell|in other words|altogether|taken together|zusammenfassend|zusammengefasst|kurz(?: gesagt|um)?|"
    r"insgesamt|alles in allem|en résumé|en bref|en somme|pour résumer|en resumen|en síntesis|en conclusión|"
    r"em resumo|in sintesi|in breve|总之|总而言之|综上(?:所述)?|总的来说|概括(?:来说|地说)|要するに|まとめると|"
    r"つまり|요약하면|정리하면|итак|в итоге|таким образом)(?!\w*-)"
)
TRANSITION = re.compile(
    r"\W*(?:(?:(?:now|next|so|first),? )?(?:let(?:'s| us| me) (?:now )?(?:look|see|go|take|break|consider|start|walk|"
    r"examine|explain|turn)\b[^.!?\d]{0,80}|"
    r"there (?:are|is) (?:several|many|various|some|a few|a number of|multiple|different|two|three|four|five|six) "
    r"(?:[\w-]+ ){0,3}(?:reasons?|factors?|ways?|steps?|points?|aspects?|options?|things|details|parts|answers?|"
    r"differences)"
    r"\b[^.!?\d,;]{0,60}|"
    r"(?:the|these|those) (?:following|points|steps|details|facts)\b[^.!?\d,;]{0,60}(?:follow|below|apply|as follows|"
    r"explained|listed|summari[sz]ed)[^.!?\d]{0,20}|here (?:are|is|'s)\b[^.!?\d]{0,80}|"
    r"(?:more )?details (?:are )?(?:follow|below)|"
    r"(?:that|this) (?:said|being said)|(?:im folgenden|nachfolgend)\b[^.!?\d]{0,80}|hier (?:sind|ist)\b[^.!?\d]{0,60}|"
    r"voici\b[^.!?\d]{0,60}|(?:下面|以下|接下来)[^。！？\d]{0,30}(?:如下|介绍|说明|总结|列出|看看)?)\W*)"
)
ASKED = re.compile(
    r"\W*(?:you (?:asked|want(?:ed)? to know|are asking|would like to know)|your question|the question|the user|"
    r"(?:sie|du) (?:haben?|hast)? ?(?:gefragt|fragen|fragst|möchten)|ihre frage|deine frage|"
    r"vous (?:avez demandé|demandez)|"
    r"votre question|(?:usted )?(?:pregunt(?:a|ó|aste)|su pregunta)|您(?:问|想知道)|你(?:问|想知道)|这个问题|问题是)"
)
ASKING = frozenset("ask question want know user wonder frag question pregunt demand".split())
# A statement that only repeats the words of these questions answers them.
DECIDES = re.compile(
    r"\W*(?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|should|may|might|must|isn't|aren't|doesn't|"
    r"ist|sind|war|waren|hat|haben|kann|können|wird|werden|darf|soll|muss|est-ce|est|sont|a-t|peut|es|son|está|están|hay|"
    r"puede|tiene|é|são)\b|.*(?:\b(?:or|oder|ou|whether|ob|si)\b|还是|是否|吗|か[？?]|까[？?])",
    re.S,
)
DECIDED = re.compile(r"\W*(?:yes|no|ja|nein|oui|non|sí|no|sim|não|да|нет|はい|いいえ|네|아니요|是的|不是|对)(?:\W|$)")
HEADING = re.compile(r"[ \t>]*(?:\d{1,2}[.)][ \t]+|[-*+][ \t]+)?(\*\*|__)[^*_\n]{1,80}\1[ \t]*:?[ \t]*")
SUMMED_UP = 0.8
"""Share of a summary's terms that cited statements before it must hold."""


def needs_citation(
    answer: str,
    folded: Folded,
    statements: Sequence[Statement],
    cited: Collection[int],
    question: str,
    query: Query,
) -> list[bool]:
    """Returns, for each statement, whether a reader expects it to carry a citation.

    Expected is one for each statement that says something checkable, but not for
    - a restatement of the question: all it says is in the question (unless that asks for a decision: `Is it ...?`,
      `A or B?`; then such a statement is the answer), or `You asked ...`;
    - a summary: it begins like one (`In short, ...`), all its values and most of its words are in cited statements
      before it;
    - a transition: it only announces what follows (`There are several reasons.`, `Let us look at each.`);
    - a heading: a line in bold letters, with text below it.

    A statement that carries a citation is counted as one that needs it.

    Args:
        answer: The answer's text.
        folded: The answer, folded, with citation marks blanked out.
        statements: Its statements.
        cited: Indices of those that carry a citation.
        question: What was asked, folded.
        query: Its terms and values.
    """
    decides = DECIDES.match(question) is not None
    before = _Before(folded, statements, sorted(cited))
    found: list[bool] = []
    for index, statement in enumerate(statements):
        if index in cited or statement.kind != "statement" or index >= MAX_CLAIMS:
            found.append(index in cited or statement.kind == "statement")
            continue
        text = folded.text[slice(*folded.locate(statement.start, statement.end))]
        if TRANSITION.fullmatch(text) or _is_heading(answer, statement):
            found.append(False)
        elif opening := SUMMARY.match(text):
            before.read(index)
            found.append(not before.holds(text[opening.end() :], query))
        else:
            found.append(not _restates(text, query, decides=decides))
    return found


def _restates(text: str, query: Query, *, decides: bool) -> bool:
    if (decides and not ASKED.match(text)) or DECIDED.match(text):
        return False
    said = {term for term, _, _ in terms(text)} - ASKING
    return bool(said) and said <= query.terms and all(map(query.holds, anchors_of(text)))


class _Before:
    """What the cited statements before a summary say."""

    def __init__(self, folded: Folded, statements: Sequence[Statement], cited: Sequence[int]) -> None:
        self._folded = folded
        self._statements = statements
        self._cited = cited
        self._read = 0
        self._terms: set[str] = set()
        self._values: list[Anchor] = []

    def read(self, index: int) -> None:
        """Takes in the cited statements before this one."""
        while self._read < len(self._cited) and self._cited[self._read] < index:
            statement = self._statements[self._cited[self._read]]
            text = self._folded.text[slice(*self._folded.locate(statement.start, statement.end))]
            self._terms.update(term for term, _, _ in terms(text))
            self._values += anchors_of(text)
            self._read += 1

    def holds(self, text: str, query: Query) -> bool:
        """Whether they hold all values and most of the words of a text."""
        said = {term for term, _, _ in terms(text)} - query.terms
        values = [anchor for anchor in anchors_of(text) if not query.holds(anchor)]
        return (
            self._read > 0
            and len(said & self._terms) >= SUMMED_UP * len(said)
            and all(any(fits(value, other) for other in self._values) for value in values)
        )


def _is_heading(answer: str, statement: Statement) -> bool:
    start = answer.rfind("\n", 0, statement.start) + 1
    end = answer.find("\n", statement.end)
    return end >= 0 and HEADING.fullmatch(answer, start, end) is not None and bool(answer[end : end + 400].strip())
