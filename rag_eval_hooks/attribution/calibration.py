"""Calibration of probabilities to a user's own labels: what is applied to every evaluation."""

import math
from dataclasses import dataclass

__all__ = ["Calibration", "Scaling"]

CERTAIN = 1e-6
"""Probabilities are kept this far from 0 and 1: their log-odds must stay finite."""


@dataclass(frozen=True)
class Scaling:
    """A map of probabilities that is linear in the log-odds (J. Platt, 1999): logit(p') = slope * logit(p) + intercept.

    >>> round(Scaling(slope=1.0, intercept=0.5).apply(0.5), 4)
    0.6225
    """

    slope: float = 1.0
    """Above 0, so that the order of probabilities stays."""
    intercept: float = 0.0

    def apply(self, probability: float) -> float:
        """Returns the calibrated probability, in [0, 1]; the identity returns it unchanged."""
        if self.slope == 1.0 and self.intercept == 0.0:
            return probability
        bounded = min(max(probability, CERTAIN), 1.0 - CERTAIN)
        score = self.slope * math.log(bounded / (1.0 - bounded)) + self.intercept
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, score))))


@dataclass(frozen=True)
class Calibration:
    """How each head's probabilities become those of a user's own data; the published thresholds stay."""

    use: Scaling | None = None
    """For `use_probability` of chunks."""
    support: Scaling | None = None
    """For the probability that texts back a claim, alone and together."""
