"""ContextUse and FirstUse: how much of the context the answer used, and how early."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import UseSource, use_flags
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["ContextUse", "FirstUse"]


@register
@dataclass(frozen=True, kw_only=True)
class ContextUse(Metric):
    """Share of the first `k` items of the context that the answer used.

    ContextUse@k = used among the first k / items among the first k

    An exact repeat (same id, same text) is an item that is not used. Where `gold.used` is given, it decides.

    >>> from rag_eval_hooks.testing import make_run
    >>> ContextUse(k=4).score(make_run("abcde", used="ae")).value
    0.25
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "labels"})
    use_when: ClassVar[str] = "You pay for every item of the prompt and want to know how many were of use."
    avoid_when: ClassVar[str] = "Evidence is repeated on purpose: of several items that say the same, few are needed."

    labels: UseSource = "used"
    """Who says what was used: `gold.used` or else attribution, or a judge."""
    k: int | None = None
    """How many items of the context to look at, from the top; None looks at all."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason; that nothing was used is a true 0."""
        flags, reason = use_flags(run, attribution, self.labels)
        if reason is not None:
            return self.not_scored(reason)
        top = flags[: self.k]
        return self.scored(sum(top) / len(top))


@register
@dataclass(frozen=True, kw_only=True)
class FirstUse(Metric):
    """Position in the prompt of the first item the answer used, from 1; smaller is better.

    FirstUse = min of i with u_i = 1

    >>> from rag_eval_hooks.testing import make_run
    >>> FirstUse().score(make_run("abc", used="cb")).value
    2.0
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "labels"})
    bounds: ClassVar[tuple[float, float]] = (1.0, inf)
    lower_is_better: ClassVar[bool] = True
    use_when: ClassVar[str] = "You choose a cut-off: how far down the prompt the first useful item stands."
    avoid_when: ClassVar[str] = (
        "As an average over questions with prompts of different length; `ContextPrecision` is bounded."
    )

    labels: UseSource = "used"
    """Who says what was used: `gold.used` or else attribution, or a judge."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the position, or null with the reason: `nothing_used` where there is none."""
        flags, reason = use_flags(run, attribution, self.labels)
        if reason is not None:
            return self.not_scored(reason)
        if not any(flags):
            return self.not_scored("nothing_used")
        return self.scored(flags.index(True) + 1)
