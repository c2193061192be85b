"""The measures: values with a name you can type, over one run, and their averages over many."""

from rag_eval_hooks.metrics.answer_match import AnswerMatch
from rag_eval_hooks.metrics.average import Average, AverageAccumulator, averages, weight_of
from rag_eval_hooks.metrics.average_precision import AP
from rag_eval_hooks.metrics.base import Metric, metric_classes, parse_metric, register
from rag_eval_hooks.metrics.citations import CitationCoverage, CitationPrecision, CitationRecall
from rag_eval_hooks.metrics.claims import EvidenceCompleteness, Groundedness
from rag_eval_hooks.metrics.context_precision import ContextPrecision
from rag_eval_hooks.metrics.context_use import ContextUse, FirstUse
from rag_eval_hooks.metrics.defaults import default_metrics
from rag_eval_hooks.metrics.distraction import Distraction
from rag_eval_hooks.metrics.evidence import AnyEvidence, CompleteEvidence, EvidenceRecall
from rag_eval_hooks.metrics.evidence_conflict import EvidenceConflict
from rag_eval_hooks.metrics.f_measure import F, Fe
from rag_eval_hooks.metrics.judged import Judged
from rag_eval_hooks.metrics.ndcg import NDCG
from rag_eval_hooks.metrics.notes import notes
from rag_eval_hooks.metrics.packed import Packed
from rag_eval_hooks.metrics.precision import P
from rag_eval_hooks.metrics.provenance import Provenance
from rag_eval_hooks.metrics.question_coverage import QuestionCoverage
from rag_eval_hooks.metrics.recall import Hit, R
from rag_eval_hooks.metrics.reciprocal_rank import RR
from rag_eval_hooks.metrics.scoring import measure
from rag_eval_hooks.metrics.t_measure import T
from rag_eval_hooks.metrics.token_use import TokenUse
from rag_eval_hooks.metrics.udcg import UDCG

__all__ = [
    "AP",
    "NDCG",
    "RR",
    "UDCG",
    "AnswerMatch",
    "AnyEvidence",
    "Average",
    "AverageAccumulator",
    "CitationCoverage",
    "CitationPrecision",
    "CitationRecall",
    "CompleteEvidence",
    "ContextPrecision",
    "ContextUse",
    "Distraction",
    "EvidenceCompleteness",
    "EvidenceConflict",
    "EvidenceRecall",
    "F",
    "Fe",
    "FirstUse",
    "Groundedness",
    "Hit",
    "Judged",
    "Metric",
    "P",
    "Packed",
    "Provenance",
    "QuestionCoverage",
    "R",
    "T",
    "TokenUse",
    "averages",
    "default_metrics",
    "measure",
    "metric_classes",
    "notes",
    "parse_metric",
    "register",
    "weight_of",
]
