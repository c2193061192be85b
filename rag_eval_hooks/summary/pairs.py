"""`Side`: one version's results by question, ready to be paired with another's."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from sys import intern
from typing import Literal

from rag_eval_hooks.metrics import Metric, weight_of
from rag_eval_hooks.record import Evaluation, MetricResult, RagRun
from rag_eval_hooks.summary.measures import LARGEST, results_of, run_ref
from rag_eval_hooks.summary.models import RunRef, Slice
from rag_eval_hooks.summary.slices import NONE, OTHER, slices_of

__all__ = ["MAX_VALUES", "PairBy", "Side", "Unit", "question_key"]

PairBy = Literal["question", "run_id"]

MAX_VALUES = 50
"""Values kept apart per slice key; the rest is `(other)`."""


def question_key(question: str | None) -> str | None:
    """Returns what two questions must share to be one: the text without regard to case, spaces and letter width.

    >>> question_key("  How TALL is it？ ") == question_key("how tall is it?")
    True
    """
    if question is None:
        return None
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", question).casefold()).split()) or None


class Unit:
    """One question in one version: the mean of its runs, where it was asked more than once."""

    __slots__ = ("counts", "ref", "runs", "slices", "values", "weight")

    def __init__(self, ref: RunRef, slices: tuple[Slice, ...]) -> None:
        self.ref = ref
        self.slices = slices
        self.runs = 0
        self.weight = 0.0
        self.values: dict[str, float | str] = {}
        """By measure: the value, or the reason why there is none."""
        self.counts: dict[str, int] | None = None

    def add(self, results: Iterable[MetricResult], weight: float) -> None:
        """Counts one run of the question."""
        self.runs += 1
        self.weight += (weight - self.weight) / self.runs
        if self.runs > 1 and self.counts is None:
            self.counts = {name: 1 for name, value in self.values.items() if not isinstance(value, str)}
        for result in results:
            name = intern(result.metric)
            value = result.value
            if value is None or abs(value) > LARGEST:
                reason = result.reason or "unknown" if value is None else "out_of_range"
                self.values.setdefault(name, intern(reason[:100]))
                continue
            before = self.values.get(name)
            if self.counts is None or not isinstance(before, float):
                self.values[name] = value
                if self.counts is not None:
                    self.counts[name] = 1
            else:
                self.counts[name] += 1
                self.values[name] = before + (value - before) / self.counts[name]


class Side:
    """All runs of one version by question.

    Holds the values of every question (about a kilobyte each), never a run: comparing needs both versions of each.

    Args:
        pair_by: What makes two runs a pair.
        wanted: Measures to compute where they are not stored.
        only: Whether to keep the wanted measures alone.
        by: Slice keys.
    """

    def __init__(
        self, pair_by: PairBy = "question", wanted: Sequence[Metric] = (), *, only: bool = False, by: Sequence[str] = ()
    ) -> None:
        self.units: dict[bytes, Unit] = {}
        self.runs = 0
        self.without_key = 0
        self.metrics: dict[str, None] = {}
        self.labels: dict[str, set[str]] = {}
        self.makers: Counter[str] = Counter()
        self.versions: dict[str, set[int]] = {}
        self._pair_by = pair_by
        self._wanted = tuple(wanted)
        self._only = frozenset(str(metric) for metric in wanted) if only else None
        self._by = tuple(by)
        self._known: dict[str, dict[str, Slice]] = {key: {} for key in self._by}

    def add(self, run: RagRun | None, evaluation: Evaluation) -> None:
        """Counts one run."""
        self.runs += 1
        question = run.question if run is not None and run.question is not None else evaluation.question
        key = question_key(question) if self._pair_by == "question" else evaluation.run_id
        if key is None:
            self.without_key += 1
            return
        made = evaluation.made_by
        maker = f"attribution {made.attributor} {made.attributor_version}"
        if maker in self.makers or len(self.makers) < MAX_VALUES:
            self.makers[maker] += 1
        results = [
            result
            for name, result in results_of(run, evaluation, self._wanted).items()
            if self._only is None or name in self._only
        ]
        for result in results:
            self.metrics.setdefault(result.metric)
            self.versions.setdefault(result.metric, set()).add(made.metrics.get(result.metric, 0))
            if result.labels is not None:
                self.labels.setdefault(result.metric, set()).add(result.labels)
        digest = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=16).digest()
        unit = self.units.get(digest)
        if unit is None:
            unit = self.units[digest] = Unit(run_ref(evaluation), self._slices(run, evaluation))
        unit.add(results, weight_of(run))

    @property
    def repeated(self) -> int:
        """Runs beyond the first of their question."""
        return self.runs - self.without_key - len(self.units)

    def _slices(self, run: RagRun | None, evaluation: Evaluation) -> tuple[Slice, ...]:
        found: dict[Slice, None] = {}
        for key in self._by:
            known = self._known[key]
            for one in slices_of(key, run, evaluation):
                if one.value not in known and len(known) >= MAX_VALUES and one.value != NONE:
                    one = Slice(key=key, value=OTHER)
                found.setdefault(known.setdefault(one.value, one))
        return tuple(found)
