"""Fits the heads to people's labels and writes their weights: `python benchmarks/attribution/fit.py [--write]`.

Prints what cross-validation by question, or by document, gives first; those are the fair figures. Needs the extra
`fit` (scikit-learn); nothing of it is needed to use the weights. RGB and WiCE are never fitted, and no row of a corpus
is written.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from corpora import dureader, quotesum
from rows import Row, support_rows
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from rag_eval_hooks.attribution import support, use
from rag_eval_hooks.attribution.attribute import USED_FROM, use_features_by_position
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

FOLDS = 8
STRENGTH = 1.0
# How much each corpus counts in all, whatever its size.
SUPPORT_SHARES = {"begin": 4.0, "fever": 2.0, "quotesum": 0.5, "swapped": 0.7, "bare": 0.5, "mtrag": 1.0}
CONFLICT_SHARES = {"begin": 0.5, "fever": 2.0, "quotesum": 0.5, "bare": 0.5, "mtrag": 0.5}
# Log-odds of support set by hand, and how much of them goes into the head: on long answers, of which few are labelled,
# they rank better than what short replies teach.
PRIOR = {"intercept": -5.85, "covered": 9.0, "lost_names": -2.0}
PRIOR_SHARE = 0.2
SPARSE = 0.05
SMALLEST = 0.03
ROUNDS = 3
Array = Any

WHAT = {
    "use": "Logistic regression over features of a text (use.py): the probability that the answer used it.",
    "support": "Logistic regression over features of a statement and the sentences nearest to it (support.py) and over "
    "products of two of them, kept few by an L1 penalty: the probability that the sentences back the statement.",
    "conflict": "The same features: the probability that the sentences contradict the statement.",
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
LIMITS = {
    "use": "Two corpora of written answers; English and Chinese. Answers that paraphrase every word look unused.",
    "support": "Single sentences and short replies, mostly English. Who did what to whom is not seen.",
    "conflict": "Learned from claims written to be refuted; about one claim in three that a person would call refuted.",
}


def main() -> None:
    """Fits, prints, and with --write stores the weights."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--write", action="store_true", help="write the weights into the package")
    write = options.parse_args().write
    rows = support_rows()
    heads = {"use": fit_use(), "support": fit_support(rows), "conflict": fit_conflict(rows)}
    if write:
        data = {
            name: {
                "card": {
                    "what": WHAT[name],
                    "made_by": "python benchmarks/attribution/fit.py --write",
                    "data": {corpus: DATA[corpus] for corpus in corpora},
                    "limits": LIMITS[name],
                    "date": date.today().isoformat(),
                    "cross_validated": figures,
                },
                "weights": weights,
            }
            for name, (weights, figures, corpora) in heads.items()
        }
        path = Path(use.__file__).with_name("weights.json")
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        print(f"written: {path.name}")


def fit_use() -> tuple[dict[str, float], dict[str, Any], Sequence[str]]:
    """Fits the use head."""
    corpora = {"quotesum": list(quotesum()), "dureader": list(dureader())}
    features, labels, groups, names = [], [], [], []
    for name, runs in corpora.items():
        for one in runs:
            found = use_features_by_position(one.run)
            features.extend(found)
            labels.extend(one.used)
            groups.extend([f"{name}:{one.group}"] * len(found))
            names.extend([name] * len(found))
    x, y, which = np.array(features), np.array(labels), np.array(names)
    probability = np.zeros(len(y))
    for train, test in GroupKFold(FOLDS).split(x, y, groups):
        model = LogisticRegression(C=STRENGTH, max_iter=5_000).fit(x[train], y[train])
        probability[test] = model.predict_proba(x[test])[:, 1]
    figures = {}
    for name in corpora:
        mine = which == name
        auc = roc_auc_score(y[mine], probability[mine])
        f1 = f1_score(y[mine], probability[mine] >= USED_FROM)
        figures[name] = {"chunks": int(mine.sum()), "auroc": round(float(auc), 4), "f1": round(float(f1), 4)}
        print(f"use      {name:9} {figures[name]}")
    model = LogisticRegression(C=STRENGTH, max_iter=5_000).fit(x, y)
    weights = {"intercept": model.intercept_[0], **dict(zip(use.FEATURES, model.coef_[0], strict=True))}
    return {name: round(float(value), 4) for name, value in weights.items()}, figures, tuple(corpora)


class Sparse:
    """Logistic regression over standardised features and their products, kept few by an L1 penalty."""

    def __init__(self, x: Array, y: Array, weight: Array) -> None:
        wide = products(x)
        self.mean, self.spread = wide.mean(axis=0), wide.std(axis=0) + 1e-9
        model = LogisticRegression(C=SPARSE, l1_ratio=1, solver="liblinear", max_iter=500, random_state=0)
        model.fit((wide - self.mean) / self.spread, y, sample_weight=weight)
        self.weights = np.where(np.abs(model.coef_[0]) < SMALLEST, 0.0, model.coef_[0])
        self.intercept = float(model.intercept_[0])

    def probability(self, x: Array) -> Array:
        """Returns the probability of each row."""
        score = (products(x) - self.mean) / self.spread @ self.weights + self.intercept
        return 1 / (1 + np.exp(-score))

    def raw(self) -> dict[str, float]:
        """Returns the weights of the features as they are, by name; products as `one*other`."""
        raw = self.weights / self.spread
        named = {"intercept": self.intercept - float(raw @ self.mean)}
        return named | {name: float(value) for name, value in zip(product_names(), raw, strict=True) if value}


class Blended:
    """A fitted head mixed with `PRIOR`, by log-odds."""

    def __init__(self, fitted: Sparse) -> None:
        weights = {name: (1 - PRIOR_SHARE) * value for name, value in fitted.raw().items()}
        for name, value in PRIOR.items():
            weights[name] = weights.get(name, 0.0) + PRIOR_SHARE * value
        self._weights = weights

    def probability(self, x: Array) -> Array:
        """Returns the probability of each row."""
        names = product_names()
        vector = np.array([self._weights.get(name, 0.0) for name in names])
        return 1 / (1 + np.exp(-(products(x) @ vector + self._weights["intercept"])))

    def raw(self) -> dict[str, float]:
        """Returns the weights by name."""
        return self._weights


def rounded(weights: dict[str, float]) -> dict[str, float]:
    """Returns the weights with four significant digits."""
    return {name: float(f"{value:.4g}") for name, value in weights.items()}


def product_pairs() -> list[tuple[int, int]]:
    """Returns the pairs of features whose products are tried."""
    size = len(support.FEATURES)
    return [(one, other) for one in range(size) for other in range(one, size)]


def product_names() -> list[str]:
    """Returns the names of the columns of `products`."""
    names = support.FEATURES
    return [*names, *(f"{names[one]}*{names[other]}" for one, other in product_pairs())]


def products(x: Array) -> Array:
    """Returns the features and their products as columns."""
    return np.column_stack([x, *(x[:, one] * x[:, other] for one, other in product_pairs())])


def fit_support(rows: Sequence[Row]) -> tuple[dict[str, float], dict[str, Any], Sequence[str]]:
    """Fits the support head; where a label is of a whole answer, its weakest statement carries it."""
    full = [row for row in rows if row.features]
    x, y = np.array([row.features for row in full]), np.array([row.supported for row in full])
    answer = np.array([row.answer for row in full])
    weight = _weights(full, SUPPORT_SHARES)

    def fit(train: Array) -> Blended:
        weakness = x[train][:, 0]
        for _ in range(ROUNDS):
            order = train[np.argsort(weakness, kind="stable")]
            weakest = order[np.unique(answer[order], return_index=True)[1]]
            model = Sparse(x[weakest], y[weakest], weight[weakest])
            weakness = model.probability(x[train])
        return Blended(model)

    probability = _cross_validated(full, x, fit)
    lowest: dict[int, float] = {row.answer: 1.0 for row in rows}
    for row, value in zip(full, probability, strict=True):
        lowest[row.answer] = min(lowest[row.answer], value)
    for row in rows:
        if not row.features:
            lowest[row.answer] = 0.0
    labels = {row.answer: (row.corpus, row.supported) for row in rows}
    figures: dict[str, Any] = {}
    for corpus in SUPPORT_SHARES:
        mine = [number for number in lowest if labels[number][0] == corpus]
        truth, found = [labels[number][1] for number in mine], np.array([lowest[number] for number in mine])
        figures[corpus] = {
            "answers": len(mine),
            "accuracy": round(float(accuracy_score(truth, found >= SUPPORTED_FROM)), 4),
            "macro_f1": round(float(f1_score(truth, found >= SUPPORTED_FROM, average="macro")), 4),
        }
        if len(set(truth)) > 1:
            figures[corpus]["auroc"] = round(float(roc_auc_score(truth, found)), 4)
        print(f"support  {corpus:9} {figures[corpus]}")
    model = fit(np.arange(len(y)))
    print(f"support  {len(model.raw())} weights")
    return rounded(model.raw()), figures, tuple(SUPPORT_SHARES)


def fit_conflict(rows: Sequence[Row]) -> tuple[dict[str, float], dict[str, Any], Sequence[str]]:
    """Fits the conflict head; what only is not backed counts as not contradicted."""
    full = [row for row in rows if row.features and row.corpus in CONFLICT_SHARES]
    x, y = np.array([row.features for row in full]), np.array([bool(row.refuted) for row in full])
    weight = _weights(full, CONFLICT_SHARES)
    probability = _cross_validated(full, x, lambda train: Sparse(x[train], y[train], weight[train]))
    said = probability >= support.CONFLICT_FROM
    figures: dict[str, Any] = {}
    for corpus in CONFLICT_SHARES:
        mine = np.array([row.corpus == corpus for row in full])
        figures[corpus] = {
            "statements": int(mine.sum()),
            "refuted": int(y[mine].sum()),
            "said": int(said[mine].sum()),
            "right": int((said & y)[mine].sum()),
        }
        print(f"conflict {corpus:9} {figures[corpus]}")
    model = Sparse(x, y, weight)
    print(f"conflict {len(model.raw())} weights")
    return rounded(model.raw()), figures, tuple(CONFLICT_SHARES)


def _weights(rows: Sequence[Row], shares: dict[str, float]) -> Array:
    answers = {corpus: len({row.answer for row in rows if row.corpus == corpus}) for corpus in shares}
    return np.array([1_000 * shares[row.corpus] / answers[row.corpus] for row in rows])


def _cross_validated(rows: Sequence[Row], x: Array, fit: Callable[[Array], Sparse | Blended]) -> Array:
    """Returns each row's probability by a model that has not seen its group; the rows of one document are a group."""
    source = {"swapped": "quotesum", "bare": "quotesum"}
    groups = [f"{source.get(row.corpus, row.corpus)}:{row.group}" for row in rows]
    probability = np.zeros(len(rows))
    for train, test in GroupKFold(FOLDS).split(x, groups=groups):
        probability[test] = fit(train).probability(x[test])
    return probability


if __name__ == "__main__":
    main()
