"""Scores measures over the lists of a run file; no record is built for a query."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import Metric, parse_metric
from rag_eval_hooks.metrics.average import Average, Reasons, Total
from rag_eval_hooks.metrics.ranked import RankedList
from rag_eval_hooks.metrics.ranking import RankingMetric
from rag_eval_hooks.trec.pairs import JudgedList

__all__ = ["DEFAULT_MEASURES", "QueryScores", "Tally", "score_lists", "trec_metrics"]

DEFAULT_MEASURES = ("nDCG(gain=linear)@10", "AP", "RR", "P@10", "R@100", "Hit@10", "Judged@10")
"""The measures where none are named; the gain is trec_eval's."""

Value = float | str
"""A value, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class QueryScores:
    """One query's values, in the order of the measures."""

    query: str
    """The query's id."""
    values: tuple[Value, ...]
    """A value, or the reason why there is none."""
    evaluated: bool = True
    """False for a query that trec_eval leaves out too: it has no results, or no judgements."""
    repeats: int = 0
    """Results that count nothing because their document stands higher in the same list."""


def trec_metrics(names: Iterable[str]) -> tuple[RankingMetric, ...]:
    """Returns the measures by name, each once.

    Raises:
        MetricSpecError: If there is no such measure, or it needs more than a list and its judgements.
    """
    return tuple(_ranking(parse_metric(name)) for name in dict.fromkeys(names))


def _ranking(metric: Metric) -> RankingMetric:
    name = str(metric)
    if not isinstance(metric, RankingMetric) or type(metric).score is not RankingMetric.score:
        known = ", ".join(one.partition("(")[0].partition("@")[0] for one in DEFAULT_MEASURES)
        raise MetricSpecError(f"{name} needs more than ranked ids and their grades; measures such as {known} do not")
    if metric.labels != "gold":
        raise MetricSpecError(f"{name}: the labels of a qrels file are gold; leave labels={metric.labels} out")
    level = getattr(metric, "level", "chunk")
    if level != "chunk":
        raise MetricSpecError(f"{name}: a run file says nothing about levels; leave level={level} out")
    return metric


def score_lists(
    lists: Iterable[JudgedList],
    metrics: Sequence[RankingMetric],
    *,
    complete: bool = False,
    min_rel: float | None = None,
    empty: Literal["zero", "null"] = "zero",
) -> Iterator[QueryScores]:
    """Yields the scores of each query.

    Args:
        lists: The queries.
        metrics: The measures.
        complete: Whether a judged query without results counts as an empty list (trec_eval -c) or is left out.
        min_rel: The lowest grade that counts as relevant (trec_eval -l); None takes everything above 0.
        empty: What a query without any relevant document gets: `zero`, as in trec_eval, or `null`.
    """
    for one in lists:
        if one.grades is None:
            yield QueryScores(one.query, ("no_gold",) * len(metrics), evaluated=False)
        elif one.ranked is None and not complete:
            yield QueryScores(one.query, ("no_results",) * len(metrics), evaluated=False)
        else:
            ids = one.ranked or ()
            listed = RankedList(ids, one.grades, min_rel)
            values = tuple([_value(metric, listed, empty) for metric in metrics])
            yield QueryScores(one.query, values, repeats=len(ids) - len(set(ids)))


def _value(metric: RankingMetric, listed: RankedList, empty: str) -> Value:
    if metric.has_value(listed):
        return metric.value_of(listed)
    return 0.0 if empty == "zero" or metric.empty == "zero" else "no_gold"


@dataclass
class Tally:
    """Sums over queries, in memory that does not grow with their number."""

    metrics: Sequence[RankingMetric]
    """The measures, in the order of the values."""
    evaluated: int = 0
    """Queries that were scored."""
    repeats: int = 0
    """Results of scored queries that counted nothing because their document stands higher in the same list."""

    def __post_init__(self) -> None:
        self._left_out = Reasons()
        self._sums = [_Sum() for _ in self.metrics]

    @property
    def left_out(self) -> dict[str, int]:
        """Queries that were not, by reason: `no_results`, `no_gold`."""
        return self._left_out.counts()

    def add(self, scores: QueryScores) -> None:
        """Counts one query."""
        self.repeats += scores.repeats
        if scores.evaluated:
            self.evaluated += 1
        elif scores.values:
            self._left_out.add(str(scores.values[0]))
        for one, value in zip(self._sums, scores.values, strict=True):
            if isinstance(value, str):
                one.reasons.add(value)
            else:
                one.values.add(value)
                one.scored += 1

    def averages(self) -> tuple[Average, ...]:
        """Returns the mean of each measure over the queries that have a value."""
        return tuple(
            Average(
                metric=str(metric),
                labels="gold",
                mean=one.values.sum / one.scored if one.scored else None,
                scored=one.scored,
                not_scored=one.reasons.counts(),
            )
            for metric, one in zip(self.metrics, self._sums, strict=True)
        )


@dataclass
class _Sum:
    """The running sum of one measure."""

    values: Total = field(default_factory=Total)
    reasons: Reasons = field(default_factory=Reasons)
    scored: int = 0
