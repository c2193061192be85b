"""`Attributor`: what attribution goes by beside the run itself. One object for all ways in."""

from dataclasses import dataclass
from typing import Any

from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.calibration import Calibration
from rag_eval_hooks.attribution.support_model import SupportModel
from rag_eval_hooks.errors import ConfigError

__all__ = ["INCOMPLETE", "Attributor"]

INCOMPLETE = ":incomplete"
"""Stands behind the support model's name where it did not answer for all claims it should have judged."""
MAX_NAME = 40


@dataclass(frozen=True)
class Attributor:
    """Settings of attribution, for `evaluate`, `Hooks` and `replay` alike. Every part is optional.

    The same run with the same settings gives the same evaluation. May be used from any thread.

    Raises:
        ConfigError: If a part is of another type.
    """

    background: Background | None = None
    """How common terms are; by default the frozen background of the package."""
    calibration: Calibration | None = None
    """Fits probabilities to a user's own labels; by default they stay as published."""
    support_model: SupportModel | None = None
    """Asked whether a text backs a claim where the lexical head is unsure; by default nothing is asked."""

    def __post_init__(self) -> None:
        _check("background", self.background, Background, 'Background.load("background.json")')
        _check("calibration", self.calibration, Calibration, 'Calibration.load("calibration.json")')
        _check("support_model", self.support_model, SupportModel, "an object with score(pairs)")

    @property
    def terms(self) -> Background:
        """The background that counts: the given one, else the package's."""
        return self.background if self.background is not None else Background.default()

    def stamp(self, name: str, version: str, unanswered: int = 0) -> tuple[str, str]:
        """Returns what evaluations say they were made by, given the plain attributor's name and version.

        Args:
            name: The plain attributor's name.
            version: Its version.
            unanswered: Claims of the run that the support model should have judged and did not.

        >>> Attributor(calibration=Calibration()).stamp("tier0", "2")
        ('tier0+calibrated', '2')
        """
        parts = [name]
        if self.background is not None:
            parts.append("background")
        if self.support_model is not None:
            parts.append(str(getattr(self.support_model, "name", "model"))[:MAX_NAME] + INCOMPLETE * (unanswered > 0))
        if self.calibration is not None:
            parts.append("calibrated")
        return "+".join(parts), version


def _check(name: str, value: Any, kind: type, example: str) -> None:
    if value is not None and (isinstance(value, type) or not isinstance(value, kind)):
        raise ConfigError(f"{name}: expected {example}, got {value!r}")
