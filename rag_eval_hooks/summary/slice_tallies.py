"""`SliceTallies`: every measure within every slice, as runs pass by."""

from collections.abc import Mapping, Sequence

from rag_eval_hooks.record import Evaluation, MetricResult, RagRun
from rag_eval_hooks.summary.measures import MeasureTally
from rag_eval_hooks.summary.models import Slice
from rag_eval_hooks.summary.slices import DERIVED, NONE, OTHER, metadata_keys, slices_of
from rag_eval_hooks.summary.version_models import SliceSummary

__all__ = ["SliceTallies"]

NAMED_VALUES = 50
FOUND_VALUES = 20
FOUND_KEYS = 20
KEPT = 512


class SliceTallies:
    """Tallies by slice, in bounded memory: at most 50 values a key and 512 different values a measure.

    Args:
        by: The keys to cut by; where none are given, all derived keys, tags, and the metadata keys that are found,
            except those with more than 20 values (ids, times) or with only one.
    """

    def __init__(self, by: Sequence[str] = ()) -> None:
        self._found = not by
        self._keys: dict[str, None] = dict.fromkeys(by or DERIVED)
        self._tallies: dict[str, dict[str, tuple[Slice, list[int], dict[str, MeasureTally]]]] = {}
        self.dropped: list[str] = []
        """Keys that were left out for having too many values."""
        self.runs = 0

    def add(
        self, run: RagRun | None, evaluation: Evaluation, results: Mapping[str, MetricResult], weight: float
    ) -> None:
        """Counts one run."""
        self.runs += 1
        if self._found:
            self._look(run)
        for key in tuple(self._keys):
            for one in slices_of(key, run, evaluation):
                self._add(one, results, weight)

    def _look(self, run: RagRun | None) -> None:
        tags = ("tag",) if run is not None and run.tags else ()
        for key in (*tags, *metadata_keys(run)):
            if key not in self._keys and key not in self.dropped and len(self._keys) < len(DERIVED) + FOUND_KEYS:
                self._keys[key] = None

    def _add(self, one: Slice, results: Mapping[str, MetricResult], weight: float) -> None:
        values = self._tallies.setdefault(one.key, {})
        if one.value not in values:
            limit = FOUND_VALUES if self._found and one.key not in DERIVED else NAMED_VALUES
            if len(values) >= limit and one.value != NONE:
                if self._found and one.key not in DERIVED:
                    del self._keys[one.key], self._tallies[one.key]
                    self.dropped.append(one.key)
                    return
                one = Slice(key=one.key, value=OTHER)
        _, runs, tallies = values.setdefault(one.value, (one, [0], {}))
        runs[0] += 1
        for name, result in results.items():
            tally = tallies.get(name)
            if tally is None:
                tally = tallies[name] = MeasureTally(name, kept=KEPT)
            tally.add(result, weight, None)

    def summaries(self) -> tuple[SliceSummary, ...]:
        """Returns the slices by key, the largest first; a key with one value only says nothing and is left out."""
        found = []
        for key in self._keys:
            values = self._tallies.get(key, {})
            if self._found and len(values) < 2:
                continue
            for one, runs, tallies in sorted(values.values(), key=lambda entry: (-entry[1][0], entry[0].value)):
                measures = tuple(tally.summary() for tally in tallies.values())
                found.append(SliceSummary(slice=one, runs=runs[0], measures=measures))
        return tuple(found)
