"""Averages that cannot mislead: intervals, gaps, slices, paired comparison of versions, and the report of one version.

Stands above the stages, as `reports` does; nothing below imports it.
"""

from rag_eval_hooks.summary.compare import Comparison, MeasureComparison, compare
from rag_eval_hooks.summary.distribution import Distribution
from rag_eval_hooks.summary.measures import MeasureTally
from rag_eval_hooks.summary.models import Concentration, Interval, MeasureSummary, NumberSummary, RunRef, Slice
from rag_eval_hooks.summary.randomisation import concentration, holm, sign_flip
from rag_eval_hooks.summary.slices import slices_of
from rag_eval_hooks.summary.version import version_report
from rag_eval_hooks.summary.version_models import VersionReport

__all__ = [
    "Comparison",
    "Concentration",
    "Distribution",
    "Interval",
    "MeasureComparison",
    "MeasureSummary",
    "MeasureTally",
    "NumberSummary",
    "RunRef",
    "Slice",
    "VersionReport",
    "compare",
    "concentration",
    "holm",
    "sign_flip",
    "slices_of",
    "version_report",
]
