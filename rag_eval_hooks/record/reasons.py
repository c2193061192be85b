"""Why there is no value: every word that results and summaries use, with what it means."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["FAILED", "MEASURE_REASONS", "REASONS"]

FAILED: Final = "failed:"
"""Begins the reason of a measure that raised; the error's type follows."""

MEASURE_REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "incomplete_run": "the run did not finish, so its answer is not judged",
        "no_answer": "there is no answer",
        "refusal": "the answer declines to answer",
        "no_context": "no chunk was retrieved",
        "no_prompt": "no prompt was seen, so nobody knows what reached the generator",
        "no_claims": "the answer states nothing checkable",
        "no_citations": "the answer cites nothing",
        "nothing_used": "the answer used no chunk",
        "no_attribution": "nobody looked at which chunks the answer used",
        "no_gold": "no gold labels were given",
        "no_judge": "no judge's labels were given",
        "no_utility": "a retrieved item has no utility label",
        "no_position": "the chunks do not say where in their document they stand",
        "no_anchors": "the question names no number, date, name or quoted term",
        f"{FAILED}<Type>": "the measure raised an error of this type",
    }
)
"""By reason of a measure: what it means, as the rest of a sentence."""

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **MEASURE_REASONS,
        "no_results": "the run file has no results for the query",
        "not_stored": "the result was not stored, and there is no run to compute it from",
        "out_of_range": "the value is too large to count",
        "other": "another reason; there were too many to keep apart",
        "unknown": "no reason was recorded",
    }
)
"""The same with the reasons that only summaries over many runs give."""
