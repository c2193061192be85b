"""ContextPrecision: whether what the answer used came first in the prompt."""

from dataclasses import dataclass
from math import fsum
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import UseSource, use_flags
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["ContextPrecision"]


@register
@dataclass(frozen=True, kw_only=True)
class ContextPrecision(Metric):
    """Rank-aware share of the context that the answer used.

    ContextPrecision@k = sum over i <= k of P@i * u_i / sum over i <= k of u_i,
    with u_i = 1 if item i was used, else 0, and P@i = used among the first i / i

    Items are positions in the prompt: two items with one id but different text are two, an exact repeat keeps its
    place and counts as unused. No used item among the first `k`: null, `nothing_used`. What follows the last used
    item changes nothing, so read it beside `ContextUse`. Where `gold.used` is given, it decides, whatever the answer.

    >>> from rag_eval_hooks.testing import make_run
    >>> ContextPrecision().score(make_run("abcde", used="cd")).value == (1 / 3 + 2 / 4) / 2
    True
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"context", "labels"})
    use_when: ClassVar[str] = "The order of the prompt is yours to choose, and what the answer used should stand first."
    avoid_when: ClassVar[str] = (
        "Alone: it is blind to what follows the last used item, so `ContextUse` belongs beside it."
    )

    labels: UseSource = "used"
    """Who says what was used: `gold.used` or else attribution, or a judge."""
    k: int | None = None
    """How many items of the context to look at, from the top; None looks at all."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the value over the context in prompt order, or null with the reason."""
        flags, reason = use_flags(run, attribution, self.labels)
        if reason is not None:
            return self.not_scored(reason)
        ranks = [rank for rank, used in enumerate(flags[: self.k], 1) if used]
        if not ranks:
            return self.not_scored("nothing_used")
        return self.scored(fsum(count / rank for count, rank in enumerate(ranks, 1)) / len(ranks))
