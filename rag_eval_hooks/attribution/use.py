"""The use head: from what each statement owes to each text, the probability that the answer used it."""

from collections.abc import Collection, Sequence

from rag_eval_hooks.attribution.log_odds import log_odds, logistic
from rag_eval_hooks.attribution.match import Judgement
from rag_eval_hooks.attribution.weights import published_weights

__all__ = ["FEATURES", "use_features", "use_probabilities", "with_citations"]

FEATURES = ("pointed", "unique_most", "unique_mean", "divided_margin", "covered_margin")
UNTOUCHED = 0.02
CITED = 1.5
"""Log-odds that a citation adds where citations count; set by hand, no corpus has labels for it."""
COVERED_LEAST = 0.25
"""Share of a statement that a text has to state for its use to be as likely as the head says."""


def use_probabilities(judgements: Sequence[Judgement], texts: int) -> list[float]:
    """Returns, for each text, the probability that the answer used it, in [0, 1].

    A logistic model over `use_features`; its weights and what they rest on are in `weights.json` in this folder.

    Args:
        judgements: What the texts give for each statement of the answer.
        texts: How many texts there are.
    """
    model = published_weights()["use"]
    probabilities = []
    for features, covered in zip(use_features(judgements, texts), _covered(judgements, texts), strict=True):
        score = model["intercept"] + sum(model[name] * value for name, value in zip(FEATURES, features, strict=True))
        # Statements hardly share this little with a text by use; with a text on something else, they often do.
        enough = min(1.0, covered / COVERED_LEAST)
        probabilities.append(enough * enough * logistic(score))
    return probabilities


def with_citations(probabilities: Sequence[float], cited: Collection[int]) -> list[float]:
    """Returns the probabilities of use where a citation counts as a sign of it: cited texts gain `CITED` log-odds.

    Args:
        probabilities: One per text.
        cited: The texts that a citation points to.
    """
    return [
        logistic(log_odds(probability) + CITED) if place in cited else probability
        for place, probability in enumerate(probabilities)
    ]


def use_features(judgements: Sequence[Judgement], texts: int) -> list[tuple[float, ...]]:
    """Returns the features of each text, in the order of `FEATURES`.

    pointed: the largest log-odds with which a statement points to it; unique_most, unique_mean: the largest and mean
    share of a statement that it alone states; divided_margin: its mean divided share minus the best rival's;
    covered_margin: the largest share of a statement's terms that it states, minus the best rival's. Means weigh
    statements by their size.
    """
    size = sum(judgement.size for judgement in judgements) or 1
    pointed = [UNTOUCHED] * texts
    most, mean, divided = ([0.0] * texts for _ in range(3))
    for judgement in judgements:
        for backing in judgement.backings:
            place = backing.chunk
            pointed[place] = max(pointed[place], backing.use)
            most[place] = max(most[place], backing.unique)
            mean[place] += backing.unique * judgement.size / size
            divided[place] += backing.divided * judgement.size / size
    columns = (map(log_odds, pointed), most, mean, _margins(divided), _margins(_covered(judgements, texts)))
    return list(zip(*columns, strict=True))


def _covered(judgements: Sequence[Judgement], texts: int) -> list[float]:
    """Returns, for each text, the largest share of a statement's terms that it states."""
    covered = [0.0] * texts
    for judgement in judgements:
        for backing in judgement.backings:
            covered[backing.chunk] = max(covered[backing.chunk], len(backing.covered) / judgement.size)
    return covered


def _margins(values: Sequence[float]) -> list[float]:
    """Returns each value minus the best of the others, minus 0 where there is no other."""
    best = sorted(values, reverse=True)[:2]
    if len(best) < 2:
        return list(values)
    return [value - (best[1] if value == best[0] else best[0]) for value in values]
