"""The base of measures of the retrieved list: which labels, which cut-off, and what an empty gold set means."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal
from weakref import ref

from rag_eval_hooks.metrics.base import Metric, Need
from rag_eval_hooks.metrics.labels import LabelSource, grades, no_labels
from rag_eval_hooks.metrics.levels import Level, ranked_units
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["RankingMetric"]


@dataclass(frozen=True, kw_only=True)
class RankingMetric(Metric):
    """Base of measures over the ids in the order in which they were retrieved.

    Scores never re-sort the list. A repeated id counts at its first rank; the repeat keeps its rank and counts
    nothing. An id without a grade is not relevant. A run that retrieved nothing scores 0, as `trec_eval -c` has it.

    Without any relevant id there is no value: `no_gold` (`nothing_used` with `labels="used"`, `no_judge` with
    `labels="judge"`).

    With `level="page"` or `"document"` each retrieved chunk stands for its page or document, by its metadata; `k`
    still counts chunks, and a second chunk of a page or document is a repeat.

    A subclass defines `value`, or `value_of` where it can share work with the other measures of the same list.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "labels"})

    labels: LabelSource = "gold"
    """`gold`: grades above 0; `used`: what the answer used; `judge`: a judge's grades."""
    k: int | None = None
    """How many ids to look at, from the top; None looks at all."""
    empty: Literal["null", "zero"] = "null"
    """Value where the labels are given and nothing is relevant: null, or 0 as in trec_eval."""
    level: Level = "chunk"
    """What an item of the list is: the chunk, or the page or document that its metadata names."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the value over `run.retrieved_ids`, or null with the reason."""
        listed, reason = _ranked_list(run, attribution, self.labels, self.level)
        if reason is not None:
            return self.not_scored(reason)
        if not self.has_value(listed):
            if self.empty == "zero":
                return self.scored(0.0)
            return self.not_scored(no_labels(self.labels))
        return self.scored(self.value_of(listed))

    def value(self, ranked: Sequence[str], graded: Mapping[str, float]) -> float:
        """Returns the value for the whole list `ranked`; at least one grade is above 0."""
        return self.value_of(RankedList(ranked, graded))

    def value_of(self, listed: RankedList) -> float:
        """Returns the value for a prepared list that `has_value`: that of `value`, cheaper for many measures."""
        if type(self).value is RankingMetric.value:
            raise NotImplementedError(f"{type(self).__name__} defines neither value nor value_of")
        return self.value(listed.ids, listed.binary_grades())

    def has_value(self, listed: RankedList) -> bool:
        """Whether anything is labelled that a value can rest on: by default, whether any id is relevant."""
        return listed.relevant > 0

    def depth(self, size: int) -> int:
        """Returns the cut-off for a list of `size` ids: `k`, or the size where there is none."""
        return size if self.k is None else self.k


class _Last(threading.local):
    """The list prepared last in this thread, for the other measures of the same run; it keeps no run alive."""

    run: Callable[[], RagRun | None] = staticmethod(lambda: None)
    attribution: Callable[[], Attribution | None] | None = None
    labels: LabelSource | None = None
    level: Level | None = None
    found: tuple[RankedList, str | None]

    def is_of(self, run: RagRun, attribution: Attribution | None, labels: LabelSource, level: Level) -> bool:
        if self.run() is not run or self.labels != labels or self.level != level:
            return False
        # The reference to an attribution that is gone gives None, which must not pass for having none.
        return self.attribution is None if attribution is None else (self.attribution or _gone)() is attribution


def _gone() -> None:
    """Stands for a reference to nothing."""


_last = _Last()


def _ranked_list(
    run: RagRun, attribution: Attribution | None, labels: LabelSource, level: Level
) -> tuple[RankedList, str | None]:
    """The retrieved units against their grades, or the reason why there are no grades."""
    if _last.is_of(run, attribution, labels, level):
        return _last.found
    graded, reason = grades(run, attribution, labels, level)
    _last.run = _gone  # whatever fails below, the old list is not taken for the new one
    _last.found = RankedList(ranked_units(run, level), graded), reason
    _last.labels = labels
    _last.level = level
    _last.attribution = None if attribution is None else ref(attribution)
    _last.run = ref(run)
    return _last.found
