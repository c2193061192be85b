"""From probabilities to log-odds and back."""

import math

__all__ = ["log_odds", "logistic"]

CERTAIN = 1e-4
"""How close to 0 and 1 a probability comes where log-odds are taken of it."""


def log_odds(probability: float) -> float:
    """Returns ln(p / (1 - p)), with p kept away from 0 and 1."""
    bounded = min(max(probability, CERTAIN), 1.0 - CERTAIN)
    return math.log(bounded / (1.0 - bounded))


def logistic(score: float) -> float:
    """Returns 1 / (1 + e^-score), safe for any finite score."""
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, score))))
