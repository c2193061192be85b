"""AnyEvidence, CompleteEvidence, EvidenceRecall: whether the evidence was retrieved, by alternative sets."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import evidence_sets
from rag_eval_hooks.record import Attribution, MetricResult, RagRun
from rag_eval_hooks.record.evaluation import Labels

__all__ = ["AnyEvidence", "CompleteEvidence", "EvidenceMetric", "EvidenceRecall"]


@dataclass(frozen=True, kw_only=True)
class EvidenceMetric(Metric):
    """Base of measures that compare the first `k` retrieved ids with the alternative evidence sets.

    Each set alone suffices to answer. Where no sets are given, the relevant ids are the one set; where there are none
    either, the measure has no value (`no_gold`).
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "labels"})
    labels: ClassVar[Labels] = "gold"

    k: int | None = None
    """How many ids to look at, from the top; None looks at all."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:  # noqa: ARG002  gold decides
        """Returns the value over `run.retrieved_ids`, or null with the reason."""
        sets = evidence_sets(run.gold)
        if not sets:
            return self.not_scored("no_gold")
        top = frozenset(run.retrieved_ids[: self.k])
        return self.scored(self.value([len(one & top) / len(one) for one in sets]))

    @abstractmethod
    def value(self, found: Sequence[float]) -> float:
        """Returns the value from the share of each set that was found; there is at least one."""


@register
@dataclass(frozen=True, kw_only=True)
class AnyEvidence(EvidenceMetric):
    """Whether any id of any evidence set is among the first `k` retrieved.

    AnyEvidence@k = 1 if |G and top k| > 0 for some set G, else 0

    >>> from rag_eval_hooks.testing import make_run
    >>> AnyEvidence().score(make_run("xa", evidence_sets=["abc"])).value
    1.0
    """

    def value(self, found: Sequence[float]) -> float:
        """Returns 1 or 0."""
        return 1.0 if any(found) else 0.0


@register
@dataclass(frozen=True, kw_only=True)
class CompleteEvidence(EvidenceMetric):
    """Whether one evidence set is wholly among the first `k` retrieved.

    CompleteEvidence@k = 1 if G is a subset of the top k for some set G, else 0

    >>> from rag_eval_hooks.testing import make_run
    >>> [CompleteEvidence().score(make_run("ab", evidence_sets=sets)).value for sets in (["abc"], ["abc", "b"])]
    [0.0, 1.0]
    """

    def value(self, found: Sequence[float]) -> float:
        """Returns 1 or 0."""
        return 1.0 if max(found) == 1 else 0.0


@register
@dataclass(frozen=True, kw_only=True)
class EvidenceRecall(EvidenceMetric):
    """Share of the best-covered evidence set that is among the first `k` retrieved.

    EvidenceRecall@k = max over sets G of |G and top k| / |G|

    >>> from rag_eval_hooks.testing import make_run
    >>> EvidenceRecall().score(make_run("ab", evidence_sets=["abc"])).value == 2 / 3
    True
    """

    def value(self, found: Sequence[float]) -> float:
        """Returns the best share."""
        return max(found)
