"""Fits a calibration to a user's own labels, and estimates the share of positives where there are none."""

import hashlib
import json
import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from rag_eval_hooks.attribution.attribute import USED_FROM, attribute
from rag_eval_hooks.attribution.attributor import Attributor
from rag_eval_hooks.attribution.calibration import Calibration, HeadName, Scaling, expected_calibration_error
from rag_eval_hooks.attribution.log_odds import log_odds, logistic
from rag_eval_hooks.errors import ConfigError, InputError
from rag_eval_hooks.record import RagRun
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

__all__ = [
    "MIN_LABELS",
    "SLOPE_FROM",
    "THRESHOLDS",
    "ContradictingLabels",
    "Fit",
    "Pairs",
    "Quality",
    "fit_head",
    "labelled_pairs",
    "prior_shift",
    "recalibrate",
]

MIN_LABELS = 20
"""Fewer labels of a head are refused."""
SLOPE_FROM = 50
"""With fewer labels, or fewer than `SLOPE_EACH` of a kind, only the intercept is fitted."""
SLOPE_EACH = 10
SLOPE_SPREAD = 0.2
INTERCEPT_SPREAD = 1.0
"""Standard deviations of the prior, which is the identity: what few labels say is believed only in part."""
MIN_SLOPE = 0.1
FOLDS = 5
STEPS = 50
CLOSE = 1e-9
THRESHOLDS: dict[HeadName, float] = {"use": USED_FROM, "support": SUPPORTED_FROM}
"""From which probability a head says yes."""

Pairs = list[tuple[float, bool]]
"""A head's probabilities beside a person's verdicts."""


class Quality(NamedTuple):
    """How good probabilities are on labels."""

    ece: float
    """Expected calibration error."""
    brier: float
    """Mean squared distance to the label: G. Brier (1950)."""
    f1: float | None
    """At the head's threshold; None where nothing is positive, neither by label nor by verdict."""


@dataclass(frozen=True)
class Fit:
    """One head fitted to labels."""

    scaling: Scaling
    before: Quality
    after: Quality
    """By cross-validation: each run's labels are judged by a fit to the other runs'."""


def recalibrate(labelled: Iterable[RagRun], attributor: Attributor | None = None) -> Calibration:
    """Returns the calibration that fits the labels of a user's own runs.

    For the use head `gold.used` counts (the ids of the chunks the answer used; every other chunk of the prompt was not
    used), for the support head `gold.supported` (a verdict for each claim, in order). From 20 labels of a head its
    intercept is fitted, from 50 with at least 10 of each kind the slope, too (Platt scaling), by penalised likelihood
    around the identity. A head with fewer labels, or with labels of one kind only, stays as it is. Where labels of the
    same thing contradict each other, a warning says so; all of them count.

    Args:
        labelled: Runs with labels; others are skipped. They are read once.
        attributor: What the runs will be evaluated with; its own calibration is left out.

    Raises:
        InputError: If no head has enough labels, or a run's `gold.supported` does not fit its claims.
    """
    groups: dict[HeadName, list[Pairs]] = {"use": [], "support": []}
    contradicting = ContradictingLabels()
    for run in labelled:
        contradicting.note(run)
        for head, pairs in labelled_pairs(run, attributor).items():
            if pairs:
                groups[head].append(pairs)
    if contradicting.warning:
        warnings.warn(contradicting.warning, UserWarning, stacklevel=2)
    fits = {head: fit_head(head, found) for head, found in groups.items()}
    return calibration_of(fits, groups)


def calibration_of(fits: dict[HeadName, Fit | None], groups: dict[HeadName, list[Pairs]]) -> Calibration:
    """Returns the calibration made of the heads' fits.

    Raises:
        InputError: If there is none; the message says how many labels were found.
    """
    if not any(fits.values()):
        found = ", ".join(f"{head} {_counted(pairs)}" for head, pairs in groups.items())
        raise InputError(
            f"at least {MIN_LABELS} labels of a head are needed, of both kinds; found: {found}. Label more runs: "
            "gold.used holds the ids of the used chunks, gold.supported true or false for each claim"
        )
    scalings = {head: fit.scaling for head, fit in fits.items() if fit is not None}
    today = datetime.now(UTC).date().isoformat()
    return Calibration(use=scalings.get("use"), support=scalings.get("support"), date=today)


class ContradictingLabels:
    """Notices labels that say the opposite of one before: of the same chunk or claim of the same question and answer.

    Runs are told apart by what they say, not by their ids. Remembered is a hash of what each label is of.
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: str | None = None
        """Id of the first run with such a label."""
        self._labels: dict[bytes, bool] = {}

    def note(self, run: RagRun) -> None:
        """Compares a run's labels with those of the runs before."""
        gold = run.gold
        if gold is None:
            return
        texts = [chunk.text for chunk in run.context_chunks()]
        about = hashlib.sha256(json.dumps([run.question, run.judged_answer, texts]).encode("ascii")).digest()
        labels: dict[str, bool] = {}
        if gold.used is not None:
            for chunk in run.context_chunks():
                key = f"use {chunk.text}"  # one of two equal chunks is enough
                labels[key] = labels.get(key, False) or chunk.id in gold.used
        for index, label in enumerate(gold.supported or ()):
            if label is not None:
                labels[f"support {index}"] = label
        for key, label in labels.items():
            whole = hashlib.sha256(about + key.encode("utf-8", "surrogatepass")).digest()
            if self._labels.setdefault(whole, label) != label:
                self.count += 1
                self.first = self.first or run.run_id

    @property
    def warning(self) -> str | None:
        """What to say of them; None where there are none."""
        if not self.count:
            return None
        return (
            f"labels contradict each other: {self.count} of them say the opposite of an earlier label of the same "
            f"chunk or claim of the same run; the first is in run {self.first}"
        )


def labelled_pairs(run: RagRun, attributor: Attributor | None = None) -> dict[HeadName, Pairs]:
    """Returns each head's probabilities for what a run's labels speak of; nothing where it has none.

    Raises:
        InputError: If `gold.supported` has another length than the run has claims.
    """
    gold = run.gold
    found: dict[HeadName, Pairs] = {"use": [], "support": []}
    if gold is None or (gold.used is None and gold.supported is None):
        return found
    attribution = attribute(run, replace(attributor or Attributor(), calibration=None))
    if gold.used is not None and attribution.answer_kind == "answer":
        used = frozenset(gold.used)
        found["use"] = [
            (chunk.use_probability, chunk.id in used)
            for chunk in attribution.chunks
            if chunk.in_prompt and chunk.use_probability is not None
        ]
    if gold.supported is not None:
        if len(gold.supported) != len(attribution.claims):
            raise InputError(
                f"gold.supported has {len(gold.supported)} verdicts, the answer {len(attribution.claims)} claims; "
                "give one for each of the evaluation's claims, or null"
            )
        found["support"] = [
            (claim.probability, label)
            for claim, label in zip(attribution.claims, gold.supported, strict=True)
            if claim.probability is not None and label is not None
        ]
    return found


def fit_head(head: HeadName, groups: Sequence[Pairs]) -> Fit | None:
    """Returns what fits one head's labels; None where there are too few, or all are alike.

    Args:
        head: Whose threshold F1 is taken at.
        groups: The labels of each run, which stay together in cross-validation.
    """
    pairs = [pair for group in groups for pair in group]
    positive = sum(label for _, label in pairs)
    if len(pairs) < MIN_LABELS or positive in (0, len(pairs)):
        return None
    with_slope = len(pairs) >= SLOPE_FROM and min(positive, len(pairs) - positive) >= SLOPE_EACH
    slope, intercept = fit_scaling(pairs, with_slope=with_slope)
    folds = min(FOLDS, len(groups))
    judged = pairs if folds < 2 else []
    for fold in range(folds if folds > 1 else 0):
        train = [pair for place, group in enumerate(groups) if place % folds != fold for pair in group]
        fitted = Scaling(*fit_scaling(train, with_slope=with_slope))
        judged += [(fitted.apply(value), label) for group in groups[fold::folds] for value, label in group]
    before, after = quality(head, pairs), quality(head, judged)
    scaling = Scaling(
        slope=round(slope, 4),
        intercept=round(intercept, 4),
        labels=len(pairs),
        share=round(positive / len(pairs), 4),
        ece_before=round(before.ece, 4),
        ece_after=round(after.ece, 4),
    )
    return Fit(scaling, before, after)


def quality(head: HeadName, pairs: Pairs) -> Quality:
    """Returns how good probabilities are on labels."""
    decided = [(value >= THRESHOLDS[head], label) for value, label in pairs]
    hits = sum(said and label for said, label in decided)
    named = sum(said + label for said, label in decided)
    return Quality(
        expected_calibration_error(pairs),
        sum((value - label) ** 2 for value, label in pairs) / len(pairs),
        2 * hits / named if named else None,
    )


def fit_scaling(pairs: Pairs, *, with_slope: bool) -> tuple[float, float]:
    """Returns slope and intercept that maximise the likelihood of the labels times the prior, by Newton's method."""
    points = [(log_odds(value), float(label)) for value, label in pairs]
    slope, intercept = _newton(points, 1.0, with_slope=with_slope)
    if slope < MIN_SLOPE:  # the labels contradict the scores: their order stays, but they say little
        slope, intercept = _newton(points, MIN_SLOPE, with_slope=False)
    return slope, intercept


def _newton(points: Sequence[tuple[float, float]], slope: float, *, with_slope: bool) -> tuple[float, float]:
    tie_slope, tie_intercept = 1.0 / SLOPE_SPREAD**2, 1.0 / INTERCEPT_SPREAD**2

    def loss(a: float, b: float) -> float:
        fit = sum(_softplus(a * x + b) - y * (a * x + b) for x, y in points)
        return fit + 0.5 * (tie_slope * (a - 1.0) ** 2 + tie_intercept * b**2)

    intercept, best = 0.0, loss(slope, 0.0)
    for _ in range(STEPS):
        g_a, g_b = tie_slope * (slope - 1.0), tie_intercept * intercept
        h_aa, h_ab, h_bb = tie_slope, 0.0, tie_intercept
        for x, y in points:
            p = logistic(slope * x + intercept)
            weight = p * (1.0 - p)
            g_a, g_b = g_a + (p - y) * x, g_b + p - y
            h_aa, h_ab, h_bb = h_aa + weight * x * x, h_ab + weight * x, h_bb + weight
        if with_slope:
            determinant = h_aa * h_bb - h_ab * h_ab
            step_a, step_b = (h_bb * g_a - h_ab * g_b) / determinant, (h_aa * g_b - h_ab * g_a) / determinant
        else:
            step_a, step_b = 0.0, g_b / h_bb
        size = 1.0
        while loss(slope - size * step_a, intercept - size * step_b) > best and size > CLOSE:
            size /= 2
        slope, intercept = slope - size * step_a, intercept - size * step_b
        best = loss(slope, intercept)
        if size * max(abs(step_a), abs(step_b)) < CLOSE:
            break
    return slope, intercept


def prior_shift(probabilities: Sequence[float], prior: float) -> float:
    """Returns the share of positives among what these probabilities speak of, without any label.

    Expectation maximisation: M. Saerens, P. Latinne and C. Decaestecker (2002), "Adjusting the outputs of a classifier
    to new a priori probabilities". It holds where positives look as they did, only are more or fewer; what is
    estimated from few or badly calibrated probabilities goes too far.

    Args:
        probabilities: What a head says of the new traffic.
        prior: Share of positives at which the head is right, between 0 and 1.

    Returns:
        The share, between 0 and 1; `prior` itself where the probabilities' mean is the prior.

    Raises:
        ConfigError: If there are no probabilities, or the prior is not between 0 and 1.
    """
    if not 0.0 < prior < 1.0:
        raise ConfigError(f"prior: expected a number between 0 and 1, got {prior}")
    if not probabilities:
        raise ConfigError("probabilities: at least one is needed")
    least = 0.5 / len(probabilities)
    share = prior
    for _ in range(1_000):
        up, down = share / prior, (1.0 - share) / (1.0 - prior)
        mean = sum(up * p / (up * p + down * (1.0 - p)) for p in probabilities) / len(probabilities)
        mean = min(max(mean, least), 1.0 - least)
        if abs(mean - share) < CLOSE:
            break
        share = mean
    return share


def _softplus(score: float) -> float:
    return max(score, 0.0) + math.log1p(math.exp(-abs(score)))


def _counted(groups: Sequence[Pairs]) -> str:
    labels = [label for group in groups for _, label in group]
    return f"{len(labels)} ({sum(labels)} positive)" if labels else "none"
