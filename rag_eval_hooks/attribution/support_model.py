"""What a model must do to be asked whether a text backs a claim."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

__all__ = ["SupportModel"]


@runtime_checkable
class SupportModel(Protocol):
    """Says how likely one text backs another; asked only where the lexical heads are unsure.

    `score` is called on the thread that evaluates, and may be called from several threads at once. It has to keep its
    own time limit. What it raises is counted and costs only its answer. A `name` that it may have is
    put into `made_by.attributor_version`, so that answers of two models are not taken for the same.
    """

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Returns, for each pair of premise and hypothesis, the probability in [0, 1] that the first backs the second.

        The result has the order of `pairs`; NaN, or the end of the result, says that there is no probability.
        """
