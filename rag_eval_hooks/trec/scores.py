"""Scores measures over the lists of a run file; no record is built for a query."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag_eval_hooks.errors import MetricSpecError
from rag_eval_hooks.metrics import Metric, parse_metric
from rag_eval_hooks.metrics.average import Average
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
    least: float | None = None,
    empty: Literal["zero", "null"] = "zero",
) -> Iterator[QueryScores]:
    """Yields the scores of each query.

    Args:
        lists: The queries.
        metrics: The measures.
        complete: Whether a judged query without results counts as an empty list (trec_eval -c) or is left out.
        least: The lowest grade that counts as relevant (trec_eval -l); None takes everything above 0.
        empty: What a query without any relevant document gets: `zero`, as in trec_eval, or `null`.
    """
    for one in lists:
        if one.grades is None:
            yield QueryScores(one.query, ("no_gold",) * len(metrics), evaluated=False)
        elif one.ranked is None and not complete:
            yield QueryScores(one.query, ("no_results",) * len(metrics), evaluated=False)
        else:
            ids = one.ranked or ()
            listed = RankedList(ids, one.grades, least)
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
    left_out: dict[str, int] = field(default_factory=dict)
    """Queries that were not, by reason: `no_results`, `no_gold`."""

    def __post_init__(self) -> None:
        self._sums = [0.0] * len(self.metrics)
        self._lost = [0.0] * len(self.metrics)
        self._scored = [0] * len(self.metrics)
        self._reasons: list[dict[str, int]] = [{} for _ in self.metrics]

    def add(self, scores: QueryScores) -> None:
        """Counts one query."""
        self.repeats += scores.repeats
        if scores.evaluated:
            self.evaluated += 1
        elif scores.values:
            reason = str(scores.values[0])
            self.left_out[reason] = self.left_out.get(reason, 0) + 1
        for place, value in enumerate(scores.values):
            if isinstance(value, str):
                self._reasons[place][value] = self._reasons[place].get(value, 0) + 1
            else:
                # Kahan's sum: what the addition rounds away is added with the next value.
                term = value - self._lost[place]
                total = self._sums[place] + term
                self._lost[place] = (total - self._sums[place]) - term
                self._sums[place] = total
                self._scored[place] += 1

    def averages(self) -> tuple[Average, ...]:
        """Returns the mean of each measure over the queries that have a value."""
        return tuple(
            Average(
                metric=str(metric),
                labels="gold",
                mean=total / scored if scored else None,
                scored=scored,
                not_scored=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
            )
            for metric, total, scored, reasons in zip(
                self.metrics, self._sums, self._scored, self._reasons, strict=True
            )
        )
