"""Fits the heads to people's labels: `python benchmarks/attribution/fit.py [--write]`.

Prints the weights' number, and with --write stores them with a card in the package. How good they are, on questions
they have not seen, says `measure.py`. Needs the extra `fit` (scikit-learn); nothing of it is needed to use the weights.
RGB and WiCE are never fitted, and no row of a corpus is written.
"""

import argparse
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from rows import SupportRow, UseRow, support_rows, use_rows
from sklearn.linear_model import LogisticRegression

from rag_eval_hooks.attribution import support, use

# DuReader's annotators named one of several pages that say the same.
USE_WEIGHTS = {"quotesum": 1.0, "dureader": 0.6}
# How much each corpus counts in all, whatever its size.
SUPPORT_SHARES = {"begin": 4.0, "fever": 2.0, "mtrag": 1.0, "swapped": 0.7, "quotesum": 0.5, "bare": 0.5}
CONFLICT_SHARES = {"fever": 2.0, "begin": 0.5, "mtrag": 0.5, "quotesum": 0.5, "bare": 0.5}
# Log-odds of support set by hand, and how much of them goes into the head: on long answers, of which few are labelled,
# they rank better than what short replies teach.
PRIOR = {"intercept": -5.85, "covered": 9.0, "lost_names": -2.0}
PRIOR_SHARE = 0.3
SPARSE = 0.05
SMALLEST = 0.03
ROUNDS = 3
Array = Any
Weights = dict[str, float]

WHAT = {
    "use": "Logistic regression over features of a text (use.py): the probability that the answer used it.",
    "support": "Logistic regression over features of a statement and the sentences nearest to it (support.py) and over "
    "products of two of them, kept few by an L1 penalty, mixed by log-odds with 30 % of a rule set by hand: the "
    "probability that the sentences back the statement.",
    "conflict": "Logistic regression over the same features: the probability that the sentences contradict it.",
}
DATA = {
    "quotesum": "QuoteSum dev, English, CC BY-SA 4.0; sources a writer used",
    "dureader": "DuReader 2.0 demo (search), Chinese, Apache-2.0; pages an annotator selected",
    "begin": "BEGIN (wow, cmu-dog), English, CC BY 4.0; replies attributable to a text or not, generic ones left out",
    "fever": "FEVER Symmetric dev, English, CC BY-SA 3.0; claims a text supports or refutes",
    "mtrag": "MTRAG human evaluation, English, Apache-2.0; answers graded faithful by all, or unfaithful",
    "swapped": "QuoteSum answers with one number changed",
    "bare": "Bare answers of QuoteSum and of CMRC 2018 dev (Chinese, CC BY-SA 4.0) against their passage and another",
}
FITTED_ON = {"use": ("quotesum", "dureader"), "support": tuple(SUPPORT_SHARES), "conflict": tuple(CONFLICT_SHARES)}
LIMITS = {
    "use": "Two corpora of written answers; English and Chinese. Answers that paraphrase every word look unused.",
    "support": "Single sentences and short replies, mostly English. Who did what to whom is not seen.",
    "conflict": "Learned from claims written to be refuted; finds about a fifth of them.",
}


def main() -> None:
    """Fits on all rows, and with --write stores the weights."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--write", action="store_true", help="write the weights into the package")
    write = options.parse_args().write
    heads = fit(use_rows(), support_rows())
    for name, weights in heads.items():
        print(f"{name}: {len(weights)} weights")
    if write:
        data = {name: {"card": card(name), "weights": weights} for name, weights in heads.items()}
        path = Path(use.__file__).with_name("weights.json")
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        print(f"written: {path.name}")


def card(head: str) -> dict[str, Any]:
    """Returns what to know about a head's weights."""
    return {
        "what": WHAT[head],
        "made_by": "python benchmarks/attribution/fit.py --write",
        "data": {corpus: DATA[corpus] for corpus in FITTED_ON[head]},
        "limits": LIMITS[head],
        "figures": "python benchmarks/attribution/measure.py; those of this date are in the README",
        "date": date.today().isoformat(),
    }


def fit(uses: Sequence[UseRow], supports: Sequence[SupportRow]) -> dict[str, Weights]:
    """Returns the weights of the three heads by name, rounded as they are stored."""
    heads = {"use": fit_use(uses), "support": fit_support(supports), "conflict": fit_conflict(supports)}
    return {head: {name: float(f"{value:.4g}") for name, value in weights.items()} for head, weights in heads.items()}


def fit_use(rows: Sequence[UseRow]) -> Weights:
    """Returns the weights of the use head."""
    x, y = features_of(rows), np.array([row.used for row in rows])
    weight = np.array([USE_WEIGHTS[row.group.partition(":")[0]] for row in rows])
    model = LogisticRegression(C=1.0, max_iter=5_000).fit(x, y, sample_weight=weight)
    return {"intercept": float(model.intercept_[0]), **dict(zip(use.FEATURES, map(float, model.coef_[0]), strict=True))}


def fit_support(rows: Sequence[SupportRow]) -> Weights:
    """Returns the weights of the support head; where a label is of a whole answer, its weakest statement carries it."""
    full = [row for row in rows if row.features]
    x, y = features_of(full), np.array([row.supported for row in full])
    answer = np.array([row.answer for row in full])
    weight = _counts(full, SUPPORT_SHARES)
    wide = products(x)
    weakness = x[:, 0]
    weights: Weights = {}
    for _ in range(ROUNDS):
        order = np.argsort(weakness, kind="stable")
        weakest = order[np.unique(answer[order], return_index=True)[1]]
        weights = sparse(wide[weakest], y[weakest], weight[weakest])
        weakness = wide @ np.array([weights.get(name, 0.0) for name in product_names()])
    weights = {name: (1 - PRIOR_SHARE) * value for name, value in weights.items()}
    for name, value in PRIOR.items():
        weights[name] = weights.get(name, 0.0) + PRIOR_SHARE * value
    return weights


def fit_conflict(rows: Sequence[SupportRow]) -> Weights:
    """Returns the weights of the conflict head; what only is not backed counts as not contradicted."""
    full = [row for row in rows if row.features and row.corpus in CONFLICT_SHARES]
    x, y = features_of(full), np.array([bool(row.refuted) for row in full])
    return sparse(products(x), y, _counts(full, CONFLICT_SHARES))


def features_of(rows: Sequence[UseRow] | Sequence[SupportRow]) -> Array:
    """Returns the features as a matrix, rounded: sums over sets end in other last digits in every process."""
    return np.array([row.features for row in rows]).round(9)


def sparse(wide: Array, y: Array, weight: Array) -> Weights:
    """Returns the weights of a logistic regression over the columns of `products`, kept few by an L1 penalty."""
    mean, spread = wide.mean(axis=0), wide.std(axis=0) + 1e-9
    model = LogisticRegression(C=SPARSE, l1_ratio=1, solver="liblinear", max_iter=5_000, tol=1e-5, random_state=0)
    model.fit((wide - mean) / spread, y, sample_weight=weight)
    raw = np.where(np.abs(model.coef_[0]) < SMALLEST, 0.0, model.coef_[0]) / spread
    named = {"intercept": float(model.intercept_[0] - raw @ mean)}
    return named | {name: float(value) for name, value in zip(product_names(), raw, strict=True) if value}


def products(x: Array) -> Array:
    """Returns the features and the products of two of them as columns."""
    return np.column_stack([x, *(x[:, one] * x[:, other] for one, other in _pairs())])


def product_names() -> list[str]:
    """Returns the names of the columns of `products`; a product is `one*other`."""
    names = support.FEATURES
    return [*names, *(f"{names[one]}*{names[other]}" for one, other in _pairs())]


def _pairs() -> list[tuple[int, int]]:
    size = len(support.FEATURES)
    return [(one, other) for one in range(size) for other in range(one, size)]


def _counts(rows: Sequence[SupportRow], shares: dict[str, float]) -> Array:
    """Returns how much each row counts."""
    answers = {corpus: len({row.answer for row in rows if row.corpus == corpus}) for corpus in shares}
    return np.array([1_000 * shares[row.corpus] / answers[row.corpus] for row in rows])


if __name__ == "__main__":
    main()
