"""AnswerMatch: whether the answer is the right one, by values where the right one is a value, else by words."""

import re
import string
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.attribution.anchors import Anchor, find_anchors, fits
from rag_eval_hooks.attribution.claims import blank
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.terms import SPACELESS, terms
from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import JudgedSource, given_labels, no_labels
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["AnswerMatch", "states", "token_f1"]

MAX_TEXT = 100_000
MAX_VALUES = 100
"""Values of a right answer that are compared one by one; a longer one is a text, and compared by words."""
MAX_STATED = 1_000
"""Values of an answer that are looked at."""
ARTICLE = re.compile(r"\b(?:a|an|the)\b")
LETTER = re.compile(f"([{SPACELESS}])")
"""One character of a script that writes no blanks."""
ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)


@register
@dataclass(frozen=True, kw_only=True)
class AnswerMatch(Metric):
    """How well the answer matches the right one, `gold.answer`, or the best of `gold.aliases`.

    AnswerMatch = max over the right answers of match(answer, right answer), where match is
    1 or 0 for a right answer that is a value: whether the answer states it;
    1 for one of values and words, when the answer states all its values and has all its words;
    2PR / (P + R) otherwise, with P and R the shares of the answer's and of the right one's words in common

    A value is a number, a date, a time or a code. Units convert (1.5 km is 1500 m), a value without a unit fits any,
    and a value that is written rounded fits what rounds to it, on either side. Words are compared as SQuAD does: in
    lower case, without punctuation and the articles a, an, the (Rajpurkar et al., EMNLP 2016); scripts without blanks
    by character. Citation marks are no words. An empty `gold.answer` says that the question cannot be answered: then
    a refusal is 1 and an answer 0; a refusal of a question that can be is 0. Null without a right answer (`no_gold`).

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("a", answer="The mast is 31.4 metres tall.", gold_answer="31 m")
    >>> AnswerMatch().score(run, make_attribution(run)).value
    1.0
    >>> run = make_run("a", answer="The capital is Paris.", gold_answer="Paris")  # P = 1/3, R = 1
    >>> AnswerMatch().score(run, make_attribution(run)).value
    0.5
    """

    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"gold_answer"})
    use_when: ClassVar[str] = "Right answers are known and short: values, dates, names, phrases."
    avoid_when: ClassVar[str] = (
        "Right answers are long, or differ in words but not in meaning: then ask a judge. "
        "It does not see a negation, or a wrong value beside the right one."
    )

    labels: JudgedSource = "gold"
    """Whose right answer: that given by people, or a judge's."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the best match, or null with the reason."""
        given = given_labels(run, self.labels)
        if given is None or (given.answer is None and not given.aliases):
            return self.not_scored(no_labels(self.labels))
        if not run.answer_is_whole:
            return self.not_scored("incomplete_run")
        if not run.judged_answer.strip():
            return self.not_scored("no_answer")
        if attribution is None or attribution.answer_kind == "empty":
            return self.not_scored("no_answer" if attribution is not None else "no_attribution")
        right = [text for text in (given.answer, *given.aliases) if text is not None]
        if attribution.answer_kind == "refusal":
            return self.scored(1.0 if any(not text.strip() for text in right) else 0.0)
        answer = _Words(_without_marks(run.judged_answer[:MAX_TEXT], attribution))
        return self.scored(max(_match(answer, _Words(text[:MAX_TEXT])) if text.strip() else 0.0 for text in right))


def token_f1(answer: str, right: str) -> float:
    """Returns the F1 of two texts' words, as SQuAD counts them; 1 where neither has a word.

    >>> token_f1("The cat sat.", "a cat sat down")  # P = 2/2, R = 2/3
    0.8
    """
    mine, theirs = Counter(_tokens(answer)), Counter(_tokens(right))
    if not mine or not theirs:
        return float(mine == theirs)
    common = (mine & theirs).total()
    precision, recall = common / mine.total(), common / theirs.total()
    return 2 * precision * recall / (precision + recall) if common else 0.0


def states(text: str, right: str) -> bool:
    """Returns whether a text gives a right answer: all its values, and its words in a row.

    >>> states("The mast is 31.4 metres tall.", "31 m"), states("It lies in Paris.", "Paris"), states("Lyon", "Paris")
    (True, True, False)
    """
    mine, theirs = _Words(text[:MAX_TEXT]), _Words(right[:MAX_TEXT])
    if 0 < len(theirs.values) <= MAX_VALUES:
        stated = all(any(_same(one, value) for one in mine.values[:MAX_STATED]) for value in theirs.values)
        return stated and theirs.terms(without_values=True) <= mine.terms(without_values=False)
    words = " ".join(_tokens(right))
    return bool(words) and f" {words} " in f" {' '.join(_tokens(text))} "


class _Words:
    """A text with its values, and the stems of the words beside them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text).text
        self.values = find_anchors(self.folded)

    def terms(self, without_values: bool) -> frozenset[str]:
        text = self.folded
        if without_values:
            text = blank(text, [(value.start, value.end) for value in self.values])
        return frozenset(term for term, _, _ in terms(text))


def _match(answer: _Words, right: _Words) -> float:
    if 0 < len(right.values) <= MAX_VALUES:
        stated = all(any(_same(mine, value) for mine in answer.values[:MAX_STATED]) for value in right.values)
        beside = right.terms(without_values=True)
        if not beside or (stated and beside <= answer.terms(without_values=False)):
            return float(stated)
    return token_f1(answer.text, right.text)


def _same(mine: Anchor, right: Anchor) -> bool:
    """Whether two values agree, rounded as either of them is written."""
    return fits(mine, right) or fits(right, mine)


def _without_marks(answer: str, attribution: Attribution) -> str:
    return blank(answer, sorted({citation.span for citation in attribution.citations}))


def _tokens(text: str) -> list[str]:
    lowered = text.lower().translate(ASCII_PUNCTUATION)
    if not lowered.isascii():
        folded = unicodedata.normalize("NFKC", lowered).translate(ASCII_PUNCTUATION)
        kept = "".join(char for char in folded if not unicodedata.category(char).startswith("P"))
        lowered = LETTER.sub(r" \1 ", kept)
    return ARTICLE.sub(" ", lowered).split()
