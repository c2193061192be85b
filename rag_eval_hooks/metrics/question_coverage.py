"""QuestionCoverage: whether the used evidence is about what the question names."""

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import UseSource, use_flags
from rag_eval_hooks.metrics.question_anchors import AnchorText, question_anchors
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["QuestionCoverage"]


@register
@dataclass(frozen=True, kw_only=True)
class QuestionCoverage(Metric):
    """Share of what the question names (years, numbers, names, quoted terms) that the used evidence names, too.

    QuestionCoverage@k = anchors of the question that a used item among the first k contains / anchors of the question

    Anchors are numbers, years, dates and codes (units and rounding as in attribution), runs of capitalised words and
    quoted terms; each counts once. Together the used items must contain them, not each item. A question without
    anchors has no value (`no_anchors`), nor has an answer that used nothing (`nothing_used`).

    >>> from rag_eval_hooks.testing import make_run
    >>> run = make_run([("a", "Acme sold 12 masts in 2021."), ("b", "Globex sold 9.")], used="a",
    ...                question="Did Acme or Globex sell more in 2021?")
    >>> QuestionCoverage().score(run).value == 2 / 3
    True
    """

    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"question", "context", "labels"})
    use_when: ClassVar[str] = (
        "Questions name years, products or people, and evidence about the wrong one looks much the same."
    )
    avoid_when: ClassVar[str] = (
        "Questions are in everyday words, or in a script without capitals: few of them name anything it can see."
    )

    labels: UseSource = "used"
    """Who says what was used: `gold.used` or else attribution, or a judge."""
    k: int | None = None
    """How many items of the context to look at, from the top; None looks at all."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        flags, reason = use_flags(run, attribution, self.labels)
        if reason is not None:
            return self.not_scored(reason)
        anchors = question_anchors(run.question or "")
        if not anchors:
            return self.not_scored("no_anchors")
        if not any(flags):
            return self.not_scored("nothing_used")
        left = anchors
        for item, used in islice(zip(run.context, flags, strict=True), self.k):
            if used and left:
                text = AnchorText(run.chunks[item.chunk].text)
                left = [anchor for anchor in left if not text.states(anchor)]
        return self.scored((len(anchors) - len(left)) / len(anchors))
