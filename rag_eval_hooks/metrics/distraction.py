"""Distraction: how much of the list leads the answer astray."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import grades, judged_attribution, needed_items
from rag_eval_hooks.metrics.levels import Level, unit_of
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["Distraction"]


@register
@dataclass(frozen=True, kw_only=True)
class Distraction(Metric):
    """Share of the first `k` retrieved that distracts; smaller is better.

    Distraction@k = distinct distracting items among the first k / items among the first k

    An item distracts when the answer did not use it and it states another value than the answer, or, where gold says
    what is relevant, when the answer used it and it is not. Where `gold.used` is given, it says what was used. The
    name is this package's own; it is no part of `UDCG`.

    >>> from rag_eval_hooks.testing import make_attribution, make_run
    >>> run = make_run("abcd", relevant={"a"})
    >>> Distraction(k=4).score(run, make_attribution(run, used=[1, 2], conflict=[1, 3])).value  # b and c
    0.5
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "context", "labels"})
    labels: ClassVar[Labels] = "used"
    lower_is_better: ClassVar[bool] = True
    use_when: ClassVar[str] = "Near misses (last year's figure, the sister product) get into the prompt."
    avoid_when: ClassVar[str] = "The corpus repeats or corrects itself on purpose: a rival value is then no error."

    k: int | None = None
    """How many retrieved items to look at, from the top; None looks at all."""
    level: Level = "chunk"
    """What an item is: the chunk, or the page or document that its metadata names."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:
        """Returns the share, or null with the reason."""
        by_person = frozenset(run.gold.used) if run.gold is not None and run.gold.used is not None else None
        found = judged_attribution(run, attribution)
        if isinstance(found, str) and (by_person is None or attribution is None):
            return self.not_scored(found)
        if attribution is None or len(attribution.chunks) != len(run.ledger):
            return self.not_scored("no_attribution")
        listed = run.retrieved_places[: self.k]
        if not listed:
            return self.not_scored("no_context")
        gold = self._gold(run)
        distracting: set[str] = set()
        for index, verdict in zip(run.ledger, attribution.chunks, strict=True):
            used = verdict.use == "used" if by_person is None else verdict.id in by_person
            unused = verdict.use == "unused" if by_person is None else not used
            unit = unit_of(run.chunks[index], self.level)
            if (unused and verdict.conflict) or (used and gold and unit not in gold):
                distracting.add(unit)
        return self.scored(
            len(distracting.intersection(unit_of(run.chunks[i], self.level) for i in listed)) / len(listed)
        )

    def _gold(self, run: RagRun) -> frozenset[str]:
        """The units that gold calls relevant or names as evidence; none where it does not say."""
        if run.gold is None:
            return frozenset()
        graded, _ = grades(run, None, "gold", self.level)
        sets, _ = needed_items(run, "gold", self.level)
        relevant = {unit for unit, grade in graded.items() if grade > 0}
        return frozenset(relevant.union(*(item for one in sets for item in one)))
