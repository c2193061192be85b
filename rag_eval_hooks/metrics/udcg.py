"""UDCG: what a list does to the model that reads all of it."""

from dataclasses import dataclass
from math import exp, fsum
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import JudgedSource, given_labels, grades, no_labels
from rag_eval_hooks.metrics.levels import Level, ranked_units, roll_up
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["UDCG"]

DISTRACTS = -0.333
"""Weight of an item that is not relevant: one third, cut to the digits of the original code, so that values agree."""


@register
@dataclass(frozen=True, kw_only=True)
class UDCG(Metric):
    """Utility of the first `k` retrieved for a model that reads them all: help less distraction.

    UDCG@k = sigmoid(sum over the first K of w_i * u_i / K), with K = min(k, n), w_i = 1 if item i is relevant, else
    -0.333, and u_i = 1 - P(model abstains | question, item i alone)

    The utilities u_i are given, by id, as `gold.utility` (`judge.utility` with `labels="judge"`); where one of the
    first `k` has none there is no value (`no_utility`). Relevant are ids with a grade above 0, as everywhere. A page
    or document has the best utility of its chunks. Of values from sigmoid(-0.333) = 0.418 to sigmoid(1) = 0.731; an
    empty list is 0. The order within the first `k` changes nothing. Source: arXiv 2510.21440, as its code computes it.

    >>> from rag_eval_hooks.record import Gold
    >>> from rag_eval_hooks.testing import make_run
    >>> gold = Gold(relevance={"a": 1}, utility={"a": 1.0, "b": 0.6})  # (1.0 - 0.333 * 0.6) / 2 = 0.4001
    >>> round(UDCG(k=2).score(make_run("ab", gold=gold)).value, 4)  # 1 / (1 + e^-0.4001)
    0.5987
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "labels", "utility"})
    use_when: ClassVar[str] = (
        "A model reads the whole prompt, and you know, from asking it about each item alone, how much each tempts it."
    )
    avoid_when: ClassVar[str] = "There are no utilities: they take a model call for each item; see `Distraction`."

    labels: JudgedSource = "gold"
    """Whose relevance and utilities: those given by people, or a judge's."""
    k: int | None = None
    """How many ids to look at, from the top; None looks at all."""
    level: Level = "chunk"
    """What an item is: the chunk, or the page or document that its metadata names."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:  # noqa: ARG002  gold decides
        """Returns the utility, or null with the reason."""
        given = given_labels(run, self.labels)
        graded, reason = grades(run, None, self.labels, self.level)
        if reason is not None or given is None or not graded:
            return self.not_scored(reason or no_labels(self.labels))
        if not given.utility:
            return self.not_scored("no_utility")
        top = ranked_units(run, self.level)[: self.k]
        if not top:
            return self.scored(0.0)
        utility: dict[str, float] = {}
        for identifier, units in roll_up(run, given.utility, self.level).items():
            for unit in units:
                utility[unit] = max(utility.get(unit, 0.0), given.utility[identifier])
        if any(unit not in utility for unit in top):
            return self.not_scored("no_utility")
        total = fsum(utility[unit] * (1.0 if graded.get(unit, 0.0) > 0 else DISTRACTS) for unit in dict.fromkeys(top))
        return self.scored(1 / (1 + exp(-total / len(top))))
