"""The base of measures of the retrieved list: which labels, which cut-off, and what an empty gold set means."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rag_eval_hooks.metrics.base import Metric, Need
from rag_eval_hooks.metrics.labels import LabelSource, grades
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["RankingMetric", "first_ranks", "hit_ranks"]


@dataclass(frozen=True, kw_only=True)
class RankingMetric(Metric):
    """Base of measures over the ids in the order in which they were retrieved.

    Scores never re-sort the list. A repeated id counts at its first rank; the repeat keeps its rank and counts
    nothing. An id without a grade is not relevant. A run that retrieved nothing scores 0, as `trec_eval -c` has it.

    Without any relevant id there is no value: `no_gold` (or `nothing_used` with `labels="used"`).
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "labels"})

    labels: LabelSource = "gold"
    """`gold`: grades above 0; `used`: what the answer used; `judge`: a judge's grades."""
    k: int | None = None
    """How many ids to look at, from the top; None looks at all."""
    empty: Literal["null", "zero"] = "null"
    """Value where the labels are given and nothing is relevant: null, or 0 as in trec_eval."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the value over `run.retrieved_ids`, or null with the reason."""
        graded, reason = grades(run, attribution, self.labels)
        if reason is not None:
            return self.not_scored(reason)
        if not self._has_labels(graded):
            if self.empty == "zero":
                return self.scored(0.0)
            return self.not_scored("nothing_used" if self.labels == "used" else "no_gold")
        return self.scored(self.value(run.retrieved_ids, graded))

    def _has_labels(self, graded: Mapping[str, float]) -> bool:
        return any(grade > 0 for grade in graded.values())

    @abstractmethod
    def value(self, ranked: Sequence[str], graded: Mapping[str, float]) -> float:
        """Returns the value for the whole list `ranked`; at least one grade is above 0."""

    def depth(self, size: int) -> int:
        """Returns the cut-off for a list of `size` ids: `k`, or the size where there is none."""
        return size if self.k is None else self.k


def first_ranks(ranked: Sequence[str], k: int | None) -> dict[str, int]:
    """Returns the first rank, from 1, of each distinct id among the first `k`.

    >>> first_ranks(["a", "b", "a", "c"], 3)
    {'a': 1, 'b': 2}
    """
    ranks: dict[str, int] = {}
    for rank, identifier in enumerate(ranked[:k], 1):
        ranks.setdefault(identifier, rank)
    return ranks


def hit_ranks(ranked: Sequence[str], graded: Mapping[str, float], k: int | None) -> list[int]:
    """Returns the first ranks of the relevant ids among the first `k`, ascending.

    >>> hit_ranks(["a", "x", "a", "b"], {"a": 1, "b": 2, "x": 0}, None)
    [1, 4]
    """
    return [rank for identifier, rank in first_ranks(ranked, k).items() if graded.get(identifier, 0) > 0]
