"""`compare`: what changed between two versions of a pipeline, question by question, and whether it may be chance."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from rag_eval_hooks.errors import ConfigError, MetricSpecError
from rag_eval_hooks.metrics import Metric, parse_metric
from rag_eval_hooks.metrics.average import Reasons
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.record.clean import OptionalText, Text
from rag_eval_hooks.record.run import Model
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.summary.distribution import Distribution
from rag_eval_hooks.summary.measures import bounds_of, lower_is_better
from rag_eval_hooks.summary.models import Concentration, Count, Finite, Interval, Share, Slice
from rag_eval_hooks.summary.pairs import PairBy, Side, Unit
from rag_eval_hooks.summary.randomisation import concentration, holm, sign_flip
from rag_eval_hooks.summary.slices import NONE, check_slice_key

__all__ = ["ALPHA", "Comparison", "MeasureComparison", "Moved", "VersionCounts", "compare", "compare_sides"]

ALPHA = 0.05
MOVED = 5
SAME = 1e-12

Pairs = Iterable[tuple[RagRun | None, Evaluation]]


class Moved(Model):
    """A question whose value changed much."""

    question: OptionalText
    """The start of the question."""
    run_a: Text
    """Id of its (first) run in A."""
    run_b: Text
    """Id of its (first) run in B."""
    a: Finite
    """Value in A."""
    b: Finite
    """Value in B."""


class MeasureComparison(Model):
    """One measure in two versions, over the pairs in which both have a value."""

    metric: Text
    """The measure's name."""
    slice: Slice | None
    """The slice; null for all pairs."""
    lower_is_better: bool
    """Whether a small value is good."""
    pairs: Count
    """Pairs in which both versions have a value; all below rests on them."""
    left_out: dict[str, Count]
    """Other pairs by which side lacks a value and why, such as `b:refusal`; `both:` where the reason is the same."""
    mean_a: Finite | None
    """Mean in A, weighted by 1 / the pair's inclusion probability (A's times B's)."""
    mean_b: Finite | None
    """Mean in B."""
    difference: Finite | None
    """Mean of B - A."""
    interval: Interval
    """95 % interval of the difference, from the pairs' differences."""
    p_value: Share | None
    """Two-sided p value of the sign-flip test; null without pairs."""
    p_method: Literal["exact", "monte_carlo"] | None
    """How it was found."""
    p_holm: Share | None
    """The p value corrected by Holm for all tests of this comparison."""
    verdict: Literal["better", "worse", "unclear"]
    """`better` or `worse` where p_holm is at most 0.05; else `unclear`, which does not mean that nothing changed."""
    wins: Count
    """Pairs in which B is better."""
    ties: Count
    """Pairs in which both are equal."""
    losses: Count
    """Pairs in which B is worse."""
    concentration: Concentration | None
    """Whether few questions carry the change; null where nothing changed."""
    moved: tuple[Moved, ...]
    """The questions with the largest change, largest first."""


class VersionCounts(Model):
    """One side of a comparison."""

    name: Text
    """What was compared."""
    runs: Count
    """Runs read."""
    questions: Count
    """Different questions (or run ids) among them."""
    repeated: Count
    """Runs beyond the first of their question; a question's value is the mean over its runs."""
    without_key: Count
    """Runs without a question, which cannot be paired."""
    unpaired: Count
    """Questions that the other side does not have."""


class Comparison(Model):
    """Two versions compared. `Comparison.model_json_schema()` describes its JSON."""

    schema_version: Literal[1] = 1
    """Version of this layout."""
    a: VersionCounts
    """The version before."""
    b: VersionCounts
    """The version after."""
    pair_by: PairBy
    """What makes two runs a pair."""
    paired: Count
    """Questions that both versions have."""
    tests: Count
    """Tests that the p values are corrected for: every measure, over all pairs and in each slice."""
    alpha: Share = ALPHA
    """The chance of even one false `better` or `worse` among them."""
    notes: tuple[str, ...]
    """What limits the comparison."""
    measures: tuple[MeasureComparison, ...]
    """Over all pairs."""
    slices: tuple[MeasureComparison, ...] = Field(default=())
    """Within each slice of `--by`; a pair's slice is A's, or B's where A does not know."""

    @property
    def dropped(self) -> tuple[MeasureComparison, ...]:
        """What got significantly worse, over all pairs or in a slice."""
        return tuple(one for one in (*self.measures, *self.slices) if one.verdict == "worse")


def compare(
    a: Pairs,
    b: Pairs,
    *,
    metrics: Sequence[Metric] = (),
    by: Sequence[str] = (),
    pair_by: PairBy = "question",
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Returns what changed from version A to version B.

    Both are read once, A first. Memory grows with the number of different questions, not with the size of the runs.

    Args:
        a: Runs with their evaluations of the version before, as `replay.load` yields them.
        b: The same of the version after.
        metrics: The measures to compare, computed from the run where they are not stored; by default all stored ones.
        by: Keys to cut by: `metadata.KEY`, `tag`, or a derived one (`slices.DERIVED`).
        pair_by: What makes two runs a pair: the question's text without regard to case and spaces, or the run's id.
        names: What to call the two.

    Raises:
        ConfigError: If a slice key cannot be used, or one side has no run.
    """
    keys = tuple(dict.fromkeys(check_slice_key(key) for key in by))
    before = Side(pair_by, metrics, only=bool(metrics), by=keys)
    for run, evaluation in a:
        before.add(run, evaluation)
    # What A has stored is computed for B, where B's runs allow it.
    after = Side(pair_by, metrics or _readable(before.metrics), only=bool(metrics), by=keys)
    for run, evaluation in b:
        after.add(run, evaluation)
    for side, name in ((before, names[0]), (after, names[1])):
        if not side.runs:
            raise ConfigError(f"{name} holds no run; there is nothing to compare")
    return compare_sides(before, after, pair_by=pair_by, names=names)


def compare_sides(a: Side, b: Side, *, pair_by: PairBy, names: tuple[str, str]) -> Comparison:
    """Returns what changed between two sides that have been read; see `compare`."""
    tallies: dict[tuple[Slice | None, str], _Tally] = {}
    metrics = tuple(dict.fromkeys((*a.metrics, *b.metrics)))
    paired = 0
    for key, one in a.units.items():
        other = b.units.get(key)
        if other is None:
            continue
        paired += 1
        for place in (None, *_pair_slices(one, other)):
            for metric in metrics:
                tally = tallies.get((place, metric))
                if tally is None:
                    tally = tallies[(place, metric)] = _Tally()
                tally.add(one, other, metric)
    found = [tally.result(metric, place) for (place, metric), tally in tallies.items() if place is None or tally.pairs]
    corrected = _corrected(found)
    return Comparison(
        a=_counts(a, names[0], paired),
        b=_counts(b, names[1], paired),
        pair_by=pair_by,
        paired=paired,
        tests=sum(one.p_value is not None for one in corrected),
        notes=tuple(_notes(a, b, paired, corrected)),
        measures=tuple(one for one in corrected if one.slice is None),
        slices=tuple(
            sorted(
                (one for one in corrected if one.slice is not None),
                key=lambda one: (str(one.slice), metrics.index(one.metric)),
            )
        ),
    )


def _readable(names: Iterable[str]) -> tuple[Metric, ...]:
    metrics = []
    for name in names:
        try:
            metrics.append(parse_metric(name))
        except MetricSpecError:
            continue  # a measure of the user's own, or of another version
    return tuple(metrics)


def _pair_slices(a: Unit, b: Unit) -> tuple[Slice, ...]:
    """A's slices; for a key that A says nothing about, B's."""
    unknown = {one.key for one in a.slices if one.value == NONE}
    known = [one for one in a.slices if one.key not in unknown]
    return tuple(dict.fromkeys((*known, *(one for one in b.slices if one.key in unknown))))


class _Tally:
    """The pairs of one measure."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Unit, Unit, float]] = []
        self.values: list[tuple[float, float]] = []
        self.left_out = Reasons()

    def add(self, a: Unit, b: Unit, metric: str) -> None:
        before, after = a.values.get(metric, "not_stored"), b.values.get(metric, "not_stored")
        if not isinstance(before, str) and not isinstance(after, str):
            self.pairs.append((a, b, a.weight * b.weight))
            self.values.append((before, after))
            return
        if before == after:
            reason = f"both:{before}"
        else:
            sides = (("a", before), ("b", after))
            reason = "+".join(f"{side}:{value}" for side, value in sides if isinstance(value, str))
        self.left_out.add(reason)

    def result(self, metric: str, place: Slice | None) -> MeasureComparison:
        bounds = bounds_of(metric)
        means = Distribution(bounds), Distribution(bounds)
        change = Distribution(None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0]))
        better = -1 if lower_is_better(metric) else 1
        differences = [after - before if abs(after - before) > SAME else 0.0 for before, after in self.values]
        for (before, after), difference, (_, _, weight) in zip(self.values, differences, self.pairs, strict=True):
            means[0].add(before, weight)
            means[1].add(after, weight)
            change.add(difference, weight)
        weighted = [difference * weight for difference, (_, _, weight) in zip(differences, self.pairs, strict=True)]
        test = sign_flip(weighted) if weighted else None
        largest = sorted(range(len(differences)), key=lambda index: -abs(differences[index]))[:MOVED]
        return MeasureComparison(
            metric=metric,
            slice=place,
            lower_is_better=better < 0,
            pairs=len(self.pairs),
            left_out=self.left_out.counts(),
            mean_a=means[0].mean,
            mean_b=means[1].mean,
            difference=change.mean,
            interval=change.interval(),
            p_value=test.p_value if test else None,
            p_method=test.method if test else None,
            p_holm=None,
            verdict="unclear",
            wins=sum(better * one > 0 for one in differences),
            ties=sum(one == 0 for one in differences),
            losses=sum(better * one < 0 for one in differences),
            concentration=concentration(weighted),
            moved=tuple(self._moved(index) for index in largest if differences[index]),
        )

    def _moved(self, index: int) -> Moved:
        (a, b, _), (before, after) = self.pairs[index], self.values[index]
        question = a.ref.question if a.ref.question is not None else b.ref.question
        return Moved(question=question, run_a=a.ref.run_id, run_b=b.ref.run_id, a=before, b=after)


def _corrected(found: Sequence[MeasureComparison]) -> list[MeasureComparison]:
    tested = [one.p_value for one in found if one.p_value is not None]
    adjusted = iter(holm(tested))
    result = []
    for one in found:
        p_holm = next(adjusted) if one.p_value is not None else None
        verdict = "unclear"
        if p_holm is not None and p_holm <= ALPHA and one.difference:
            verdict = "better" if (one.difference < 0) == one.lower_is_better else "worse"
        result.append(one.model_copy(update={"p_holm": p_holm, "verdict": verdict}))
    return result


def _counts(side: Side, name: str, paired: int) -> VersionCounts:
    return VersionCounts(
        name=one_line(name, 200),
        runs=side.runs,
        questions=len(side.units),
        repeated=side.repeated,
        without_key=side.without_key,
        unpaired=len(side.units) - paired,
    )


def _notes(a: Side, b: Side, paired: int, found: Sequence[MeasureComparison]) -> Iterable[str]:
    if not paired:
        yield "no question is in both versions, so nothing can be compared; pair by run id if the ids agree"
    elif (lost := len(a.units) + len(b.units) - 2 * paired) > 0:
        yield f"in one version only, and in no number below: {lost:,} of the questions"
    if a.repeated or b.repeated:
        yield "questions asked several times in one version count once, with the mean over their runs"
    if set(a.makers) != set(b.makers):
        makers = [one_line(", ".join(sorted(side.makers)), 200) for side in (a, b)]
        yield f"A was made by {makers[0]}, B by {makers[1]}: that alone may make a difference; replay both with one"
    for name in (one.metric for one in found if one.slice is None):
        if a.labels.get(name, set()) != b.labels.get(name, set()) and name in a.labels and name in b.labels:
            yield f"{one_line(name)} rests on other labels in A than in B"
        versions = {*a.versions.get(name, ()), *b.versions.get(name, ())} - {0}  # 0: computed here, or not said
        if len(versions) > 1:
            yield f"{one_line(name)} was computed by different versions of the measure"
    if any(one.interval.reason == "too_few" and one.pairs for one in found):
        yield "where the pairs are too few for an honest interval, none is given"
