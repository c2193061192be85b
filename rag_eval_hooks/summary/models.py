"""The shapes of summaries: what the JSON of `compare` and of `report` holds."""

from typing import Annotated, Literal

from pydantic import Field

from rag_eval_hooks.record.clean import OptionalText, Text
from rag_eval_hooks.record.evaluation import Labels
from rag_eval_hooks.record.run import Model

__all__ = [
    "Concentration",
    "Count",
    "Finite",
    "Interval",
    "MeasureSummary",
    "NumberSummary",
    "RunRef",
    "Share",
    "Slice",
]

Finite = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
IntervalMethod = Literal["bca", "anderson", "identical", "normal"]
IntervalGap = Literal["no_values", "too_few", "all_equal"]


class Interval(Model):
    """Where the mean over all such questions is likely to lie, if the runs are an independent random part of them."""

    low: Finite | None
    """Lower end; null where there is no honest interval, with the reason."""
    high: Finite | None
    """Upper end."""
    confidence: Share = 0.95
    """How often intervals made this way hold the true mean."""
    method: IntervalMethod | None
    """`bca`: bias-corrected and accelerated bootstrap; `anderson`: for few values of a bounded measure, never too
    narrow; `identical`: all values equal, so others may merely be unseen; `normal`: more different values than are
    kept, by the central limit theorem."""
    reason: IntervalGap | None = None
    """`too_few` values of an unbounded measure or with unequal weights; `all_equal` values of an unbounded one."""


class NumberSummary(Model):
    """How one kind of number spreads over the runs. Weighted by 1 / inclusion probability throughout."""

    scored: Count
    """Runs with a value."""
    effective: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """How many equally weighted runs say as much (Kish)."""
    mean: Finite | None
    """Weighted (Hajek) mean; null where no run has a value."""
    interval: Interval
    """Its 95 % interval."""
    p10: Finite | None
    """The value that 10 % of the runs do not exceed."""
    p50: Finite | None
    """The median."""
    p90: Finite | None
    """The value that 90 % of the runs do not exceed."""
    sampled: bool = False
    """Whether the quantiles rest on a seeded random part of the values, because too many differ to keep all."""


class RunRef(Model):
    """A run to look at."""

    run_id: Text
    """Its id."""
    question: OptionalText
    """The start of its question: one line, at most 200 characters."""
    value: Finite | None = None
    """The value that makes it worth a look."""


class MeasureSummary(NumberSummary):
    """One measure over many runs: never a mean without what it rests on."""

    metric: Text
    """The measure's name."""
    labels: tuple[Labels, ...]
    """Which labels the values rest on; several where runs differ in it."""
    not_scored: dict[str, Count]
    """Runs without a value by reason, most frequent first; failures are not among them."""
    failed: Count
    """Runs in which the measure raised."""
    at_zero: Share | None
    """Share of the scored runs at exactly 0."""
    at_one: Share | None
    """Share of the scored runs at exactly 1."""
    lower_is_better: bool
    """Whether a small value is good."""
    worst: tuple[RunRef, ...]
    """At most five runs with the worst values, all worse than the mean, worst first."""


class Slice(Model):
    """Runs that have something in common, such as `metadata.topic=tables` or `answer_kind=refusal`."""

    key: Text
    """What they are cut by."""
    value: Text
    """What they have in common."""

    def __str__(self) -> str:
        return f"{self.key}={self.value}"


class Concentration(Model):
    """Whether a change between two versions comes from few questions or from many."""

    top_1: Share
    """Share of the total absolute change that the 1 % of questions with the largest change carry (at least one)."""
    top_5: Share
    """The same for 5 %."""
    top_10: Share
    """The same for 10 %."""
    gini: Share
    """Gini coefficient of the absolute changes, unchanged questions included: 0 when each question changed by as much,
    1 - 1/n when a single one of n did."""
