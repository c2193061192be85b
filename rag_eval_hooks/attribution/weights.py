"""The weights fitted to people's labels: `weights.json`, read once, and the models they make."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from operator import itemgetter, mul
from typing import NamedTuple

from rag_eval_hooks.attribution.log_odds import logistic

__all__ = ["LogisticModel", "Weights", "compile_model", "published_weights"]

Weights = Mapping[str, float]
"""By feature or product of two (`one*other`), and `intercept`."""


@cache
def published_weights() -> dict[str, Weights]:
    """Returns the weights of each head (`use`, `support`, `conflict`) that come with the package."""
    text = resources.files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    return {name: head["weights"] for name, head in json.loads(text).items()}


class LogisticModel(NamedTuple):
    """A logistic model over products of two features; a constant 1 behind the features stands for none."""

    intercept: float
    weights: tuple[float, ...]
    firsts: Callable[[Sequence[float]], Iterable[float]]
    """Takes the first feature of each product from all features."""
    seconds: Callable[[Sequence[float]], Iterable[float]]
    """Takes the second ones."""

    def probability(self, features: Sequence[float]) -> float:
        """Returns the probability for features in the order the model was compiled for."""
        with_one = (*features, 1.0)
        products = map(mul, self.firsts(with_one), self.seconds(with_one))
        return logistic(self.intercept + sum(map(mul, self.weights, products)))


def compile_model(weights: Weights, features: Sequence[str]) -> LogisticModel:
    """Returns the model with these weights over features in this order."""
    place = {**{name: number for number, name in enumerate(features)}, "": len(features)}
    parts = {tuple(key.partition("*")[::2]): weight for key, weight in weights.items() if key != "intercept"}
    firsts, seconds = [place[one] for one, _ in parts], [place[other] for _, other in parts]
    return LogisticModel(weights["intercept"], tuple(parts.values()), itemgetter(*firsts), itemgetter(*seconds))
