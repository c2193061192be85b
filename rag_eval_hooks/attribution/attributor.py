"""`Attributor`: what attribution goes by beside the run itself. One object for all ways in."""

from dataclasses import dataclass
from typing import Any

from rag_eval_hooks.attribution.background import Background, RollingBackground
from rag_eval_hooks.attribution.calibration import Calibration
from rag_eval_hooks.attribution.support_model import SupportModel
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.record import RagRun

__all__ = ["INCOMPLETE", "Attributor"]

INCOMPLETE = ":incomplete"
"""Stands behind `model` where it did not answer for all claims it should have judged."""
MAX_NAME = 40


@dataclass(frozen=True)
class Attributor:
    """Settings of attribution, for `evaluate`, `Hooks` and `replay` alike. Every part is optional.

    The same run with the same settings gives the same evaluation; a rolling background changes between runs, its
    `freeze()` does not. May be used from any thread.

    Raises:
        ConfigError: If a part is of another type.
    """

    background: Background | None = None
    """How common terms are; by default the frozen background of the package."""
    calibration: Calibration | None = None
    """Fits probabilities to a user's own labels; by default they stay as published."""
    support_model: SupportModel | None = None
    """Asked whether a text backs a claim where the lexical head is unsure; by default nothing is asked."""

    count_citations: bool = False
    """Whether a citation counts as a sign that its chunk was used. Off: so that use does not follow from what citations
    claim, and a citation can be checked against it."""

    def __post_init__(self) -> None:
        if not isinstance(self.count_citations, bool):
            raise ConfigError(f"count_citations: expected True or False, got {self.count_citations!r}")
        _check("background", self.background, Background, 'Background.load("background.json")')
        _check("calibration", self.calibration, Calibration, 'Calibration.load("calibration.json")')
        _check("support_model", self.support_model, SupportModel, "an object with score(pairs)")

    @property
    def effective_background(self) -> Background:
        """The background that counts: the given one, else the package's."""
        return self.background if self.background is not None else Background.default()

    def stamp(self, name: str, version: str, unanswered: int = 0) -> tuple[str, str]:
        """Returns what evaluations say they were made by, given the plain attributor's name and version.

        The name tells what differs from the default, the version which background, model and calibration exactly.

        Args:
            name: The plain attributor's name.
            version: Its version.
            unanswered: Claims of the run that the support model should have judged and did not.

        >>> Attributor(background=Background.rolling()).stamp("tier0", "2")
        ('tier0+rolling', '2')
        >>> Attributor(calibration=Calibration()).stamp("tier0", "2")
        ('tier0+calibrated', '2+48c6c995')
        """
        names, versions = [name], [version]
        if self.background is not None:
            names.append("background" if self.background.digest else "rolling")
            versions.append(self.background.digest or "")
        if self.support_model is not None:
            names.append("model" + INCOMPLETE * (unanswered > 0))
            versions.append(str(getattr(self.support_model, "name", ""))[:MAX_NAME])
        if self.count_citations:
            names.append("citations")
        if self.calibration is not None:
            names.append("calibrated")
            versions.append(self.calibration.digest)
        return "+".join(names), "+".join(filter(None, versions))

    def observe(self, run: RagRun) -> None:
        """Shows a rolling background the run's chunks; call it when the run has been evaluated."""
        if isinstance(self.background, RollingBackground):
            self.background.observe(chunk.text for chunk in run.chunks)


def _check(name: str, value: Any, kind: type, example: str) -> None:
    if value is not None and (isinstance(value, type) or not isinstance(value, kind)):
        raise ConfigError(f"{name}: expected {example}, got {value!r}")
