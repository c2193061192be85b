"""AnswerMatch: whether the answer is the right one, by its kind: yes or no, a list, a value, else words."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import JudgedSource, given_labels, no_labels
from rag_eval_hooks.metrics.matching import match, token_f1, without_marks
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["AnswerMatch", "token_f1"]

MAX_TEXT = 50_000
"""Characters of an answer, a right answer and a question that are compared."""


@register
@dataclass(frozen=True, kw_only=True)
class AnswerMatch(Metric):
    """How well the answer matches the right one, `gold.answer`, or the best of `gold.aliases`.

    AnswerMatch = max over the right answers of match(answer, right answer), where match is, by the right answer's kind:
    yes or no: 1 where the answer says the same, else 0;
    a list: 2PR / (P + R), with R the share of its items that the answer has, and P that of the answer's that are right;
    a value: 1 / n where the answer states it, with n the values it gives for it, else 0;
    values and words: the same, where the answer states all values and has all words;
    any other: 2PR / (P + R), with P and R the shares of the answer's and of the right one's words in common

    Yes or no is what the answer opens with (`Yes, because ...`), or its first sentence where that repeats the question.
    A list is parted by semicolons, line breaks or `、`, or has three parts with commas and `and`; order does not count.
    A value is a number, a date, a time or a code, in digits or words, Chinese numerals among them. Units convert
    (1.5 km is 1500 m), a value without a unit fits any, and a value that is written rounded fits what rounds to it, on
    either side. An answer gives two values for one thing where it joins them by `or` or says the same sentence of both;
    a value or word right behind a negation (`not Paris`) is not stated. Words are compared as SQuAD does: in lower
    case, without punctuation and the articles a, an, the (Rajpurkar et al., EMNLP 2016); scripts without blanks by
    character. Citation marks are no words. An empty `gold.answer` says that the question cannot be answered: then a
    refusal is 1 and an answer 0; a refusal of a question that can be is 0. Null without a right answer (`no_gold`).

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("a", answer="The mast is 31.4 metres tall.", gold_answer="31 m")
    >>> AnswerMatch().score(run, make_attribution(run)).value
    1.0
    >>> run = make_run("a", answer="The capital is Paris.", gold_answer="Paris")  # P = 1/3, R = 1
    >>> AnswerMatch().score(run, make_attribution(run)).value
    0.5
    >>> run = make_run("a", answer="Oslo and Lyon.", gold_answer="Bergen; Oslo")  # P = 1/2, R = 1/2
    >>> AnswerMatch().score(run, make_attribution(run)).value
    0.5
    >>> run = make_run("a", answer="It is 31 m or 45 m.", gold_answer="31 m")
    >>> AnswerMatch().score(run, make_attribution(run)).value
    0.5
    """

    version: ClassVar[int] = 3
    needs: ClassVar[frozenset[Need]] = frozenset({"gold_answer"})
    use_when: ClassVar[str] = "Right answers are known and short: yes or no, values, dates, names, lists, phrases."
    avoid_when: ClassVar[str] = (
        "Right answers are long, or differ in words but not in meaning: then ask a judge. "
        "Of negations it sees only `no` and `not` right before the right words."
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
        answer, question = without_marks(run.judged_answer[:MAX_TEXT], attribution), (run.question or "")[:MAX_TEXT]
        return self.scored(max(match(answer, text[:MAX_TEXT], question) if text.strip() else 0.0 for text in right))
