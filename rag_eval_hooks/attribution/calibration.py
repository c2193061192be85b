"""Calibration of probabilities to a user's own labels: what is stored, and applied to every evaluation."""

import hashlib
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal

from rag_eval_hooks.attribution.files import number, read_settings, settings_text, write_text
from rag_eval_hooks.attribution.log_odds import log_odds, logistic
from rag_eval_hooks.errors import ConfigError

__all__ = ["BINS", "Calibration", "HeadName", "Scaling", "expected_calibration_error"]

HeadName = Literal["use", "support"]

BINS = 10
SLOPES = (0.01, 20.0)
MOST_INTERCEPT = 100.0
"""No labels give more: `recalibrate` ties slopes to 1. Beyond, a file is damaged, or was written by hand amiss."""


@dataclass(frozen=True)
class Scaling:
    """A map of probabilities that is linear in the log-odds: logit(p') = slope * logit(p) + intercept.

    J. Platt (1999), "Probabilistic outputs for support vector machines and comparisons to regularized likelihood
    methods".

    >>> round(Scaling(slope=1.0, intercept=0.5).apply(0.5), 4)
    0.6225

    Raises:
        ConfigError: If the slope is not from 0.01 to 20, or the intercept is beyond 100.
    """

    slope: float = 1.0
    """Above 0, so that the order of probabilities stays."""
    intercept: float = 0.0
    labels: int = 0
    """How many labels it was fitted to."""
    share: float | None = None
    """Share of them that were positive."""
    ece_before: float | None = None
    """Expected calibration error on the labels without it."""
    ece_after: float | None = None
    """The same with it, by cross-validation."""

    def __post_init__(self) -> None:
        low, high = SLOPES
        if not low <= self.slope <= high:
            raise ConfigError(f"slope: expected a number from {low:g} to {high:g}, got {self.slope:g}")
        if not abs(self.intercept) <= MOST_INTERCEPT:
            most = f"{MOST_INTERCEPT:g}"
            raise ConfigError(f"intercept: expected a number from -{most} to {most}, got {self.intercept:g}")

    def apply(self, probability: float) -> float:
        """Returns the calibrated probability, in [0, 1]; the identity returns it unchanged."""
        if self.slope == 1.0 and self.intercept == 0.0:
            return probability
        return logistic(self.slope * log_odds(probability) + self.intercept)

    def undo(self, probability: float) -> float:
        """Returns the probability that `apply` makes this one of: where a published threshold was before."""
        return logistic((log_odds(probability) - self.intercept) / self.slope)


@dataclass(frozen=True)
class Calibration:
    """How each head's probabilities become those of a user's own data; the published thresholds stay.

    `recalibrate` makes it from labels. The same runs give the same evaluations with the same calibration.
    """

    use: Scaling | None = None
    """For `use_probability` of the chunks in the prompt."""
    support: Scaling | None = None
    """For the probability that texts back a claim, alone and together."""
    date: str | None = None
    """When it was made (ISO 8601)."""

    def with_prior(self, share: float, *, head: HeadName = "use", fitted_at: float | None = None) -> "Calibration":
        """Returns a calibration for traffic in which another share is positive: the intercept is shifted.

        By Bayes' rule, if what positives look like stays the same and only their share changes, all log-odds move by
        logit(share) - logit(fitted_at). `prior_shift` estimates the share from probabilities without labels.

        Args:
            share: Share of positives in the traffic, between 0 and 1.
            head: Whose probabilities.
            fitted_at: Share at which they were right; by default that of the labels of this calibration.

        Raises:
            ConfigError: If a share is not between 0 and 1, or it is not known at which share the head was right.
        """
        scaling = getattr(self, head) or Scaling()
        known = scaling.share if fitted_at is None else fitted_at
        if known is None:
            raise ConfigError(f"fitted_at: this calibration holds no labels of the {head} head; give their share")
        for name, value in (("share", share), ("fitted_at", known)):
            if not 0.0 < value < 1.0:
                raise ConfigError(f"{name}: expected a number between 0 and 1, got {value}")
        shift = log_odds(share) - log_odds(known)
        shifted = replace(scaling, intercept=scaling.intercept + shift, share=share)
        return replace(self, use=shifted) if head == "use" else replace(self, support=shifted)

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that differ where the maps differ."""
        maps = [None if one is None else (one.slope, one.intercept) for one in (self.use, self.support)]
        return hashlib.sha256(repr(maps).encode("ascii")).hexdigest()[:8]

    def to_json(self) -> str:
        """Returns what `save` writes."""
        return settings_text("calibration", asdict(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a small JSON file.

        Raises:
            ConfigError: If the file cannot be written.
        """
        write_text(path, self.to_json())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Calibration":
        """Reads what `save` wrote.

        Raises:
            ConfigError: If it cannot be read or is no calibration.
        """
        data = read_settings(path, "calibration")
        date = data.get("date")
        return Calibration(
            use=_scaling(data.get("use"), "use", path),
            support=_scaling(data.get("support"), "support", path),
            date=date if isinstance(date, str) else None,
        )


def expected_calibration_error(pairs: Iterable[tuple[float, bool]]) -> float:
    """Returns how far probabilities are from the shares that come true: over ten equal bins, weighed by their number.

    ECE = sum over bins of |bin| / n * |mean probability - share of positives|: M. Pakdaman Naeini, G. Cooper and
    M. Hauskrecht (2015), "Obtaining well calibrated probabilities using Bayesian binning". 0.0 without pairs.

    >>> round(expected_calibration_error([(0.9, True), (0.9, True), (0.2, True), (0.3, False)]), 3)
    0.325
    """
    gaps = [0.0] * BINS
    count = 0
    for probability, label in pairs:
        gaps[min(BINS - 1, int(probability * BINS))] += probability - label
        count += 1
    return sum(map(abs, gaps)) / count if count else 0.0


def _scaling(data: Any, name: str, path: str | os.PathLike[str]) -> Scaling | None:
    if data is None:
        return None
    if not isinstance(data, dict) or data.get("slope") is None or data.get("intercept") is None:
        raise ConfigError(f"{os.fspath(path)}: {name} must be null or an object with slope and intercept")
    known = {one.name: data[one.name] for one in fields(Scaling) if data.get(one.name) is not None}
    values = {key: number(value, f"{name}.{key}", path, low=-math.inf) for key, value in known.items()}
    try:
        return Scaling(**{**values, "labels": int(values.get("labels", 0))})  # type: ignore[arg-type]
    except ConfigError as error:
        raise ConfigError(f"{os.fspath(path)}: {name}.{error}") from error
