"""R and Hit: how much of what is relevant was retrieved."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import register
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric

__all__ = ["Hit", "R"]


@register
@dataclass(frozen=True, kw_only=True)
class R(RankingMetric):
    """Share of the relevant ids that are among the first `k` retrieved.

    R@k = |relevant and among the first k| / |relevant|

    Both sides count distinct ids. Where no relevance is given but evidence sets are, their union is relevant.

    >>> from rag_eval_hooks.testing import make_run
    >>> R(k=10).score(make_run("axbyc", relevant={"a", "b", "c", "d"})).value
    0.75
    """

    name: ClassVar[str] = "R"
    use_when: ClassVar[str] = "All relevant items are known, and a missed one is what hurts."
    avoid_when: ClassVar[str] = (
        "Not all relevant items are known: the total is then too small and the value too high; `T` and `Fe` need no "
        "total."
    )

    def value_of(self, listed: RankedList) -> float:
        """Returns the share of the relevant ids found."""
        return listed.hits_among(self.k) / listed.relevant


@register
@dataclass(frozen=True, kw_only=True)
class Hit(RankingMetric):
    """Whether any relevant id is among the first `k` retrieved (success at k).

    Hit@k = 1 if hits among the first k > 0, else 0

    >>> from rag_eval_hooks.testing import make_run
    >>> [Hit(k=k).score(make_run("xya", relevant={"a"})).value for k in (2, 3)]
    [0.0, 1.0]
    """

    name: ClassVar[str] = "Hit"
    use_when: ClassVar[str] = "One relevant item suffices, and its place does not matter."
    avoid_when: ClassVar[str] = "Several items are needed together (`CompleteEvidence`), or the place matters (`RR`)."

    def value_of(self, listed: RankedList) -> float:
        """Returns 1 or 0."""
        return 1.0 if listed.hits_among(self.k) else 0.0
