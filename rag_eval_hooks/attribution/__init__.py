"""Which chunks the answer used, which claims the context backs, and whether each citation holds."""

from rag_eval_hooks.attribution.attribute import ATTRIBUTOR, ATTRIBUTOR_VERSION, attribute
from rag_eval_hooks.attribution.attributor import Attributor
from rag_eval_hooks.attribution.background import Background, RollingBackground
from rag_eval_hooks.attribution.calibration import Calibration, Scaling
from rag_eval_hooks.attribution.recalibrate import prior_shift, recalibrate
from rag_eval_hooks.attribution.support_model import SupportModel

__all__ = [
    "ATTRIBUTOR",
    "ATTRIBUTOR_VERSION",
    "Attributor",
    "Background",
    "Calibration",
    "RollingBackground",
    "Scaling",
    "SupportModel",
    "attribute",
    "prior_shift",
    "recalibrate",
]
