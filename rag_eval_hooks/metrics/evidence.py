"""AnyEvidence, CompleteEvidence, EvidenceRecall: whether the evidence was retrieved, by alternative sets."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.metrics.labels import JudgedSource, needed_items
from rag_eval_hooks.metrics.levels import Level, ranked_units
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["AnyEvidence", "CompleteEvidence", "EvidenceMetric", "EvidenceRecall"]


@dataclass(frozen=True, kw_only=True)
class EvidenceMetric(Metric):
    """Base of measures that compare the first `k` retrieved ids with the alternative evidence sets.

    Each set alone suffices to answer. Where no sets are given, the gold spans are the one set, each span an item that
    any chunk with at least half of it provides; where there are no spans, the relevant ids are; where there are none
    either, the measure has no value (`no_gold`, or `no_judge` with `labels="judge"`).
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "labels"})

    labels: JudgedSource = "gold"
    """Whose evidence sets: those given by people, or a judge's."""
    k: int | None = None
    """How many ids to look at, from the top; None looks at all."""
    level: Level = "chunk"
    """What an item is: the chunk, or the page or document that its metadata names."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:  # noqa: ARG002  gold decides
        """Returns the value over `run.retrieved_ids`, or null with the reason."""
        sets, reason = needed_items(run, self.labels, self.level)
        if reason is not None:
            return self.not_scored(reason)
        top = frozenset(ranked_units(run, self.level)[: self.k])
        return self.scored(self.value([sum(not top.isdisjoint(item) for item in one) / len(one) for one in sets]))

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

    use_when: ClassVar[str] = (
        "One piece of evidence is a start, and you want to know whether retrieval found the right place at all."
    )
    avoid_when: ClassVar[str] = "The answer needs several pieces together; take `CompleteEvidence`."

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

    use_when: ClassVar[str] = "An answer needs several pieces together, and part of them is not enough."
    avoid_when: ClassVar[str] = (
        "You compare two retrievers that both rarely find everything: `EvidenceRecall` tells them apart."
    )

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

    use_when: ClassVar[str] = "An answer needs several pieces, and each further one helps."
    avoid_when: ClassVar[str] = (
        "Evidence sets are unknown and relevant ids repeat each other: not all of them are needed; take `Hit` or `RR`."
    )

    def value(self, found: Sequence[float]) -> float:
        """Returns the best share."""
        return max(found)
