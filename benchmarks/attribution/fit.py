"""Fits the use head to people's labels and writes its weights: `python benchmarks/attribution/fit.py [--write]`.

Prints what cross-validation by question gives first. Needs the extra `fit` (scikit-learn); nothing of it is needed to
use the weights. RGB is never fitted, and no row of a corpus is written.
"""

import argparse
import json
from datetime import date
from pathlib import Path

import numpy as np
from corpora import dureader, quotesum
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from rag_eval_hooks.attribution import use
from rag_eval_hooks.attribution.attribute import USED_FROM, features_by_position

FOLDS = 8
STRENGTH = 1.0
CARD = {
    "what": "Logistic regression over four features of a text (use.py): the probability that the answer used it.",
    "made_by": "python benchmarks/attribution/fit.py --write",
    "data": {
        "quotesum": "QuoteSum dev, English, CC BY-SA 4.0; labels: the sources the writer used",
        "dureader": "DuReader 2.0 demo (search), Chinese, Apache-2.0; labels: the pages the annotator selected",
    },
    "limits": "Two corpora of written answers; English and Chinese. Answers that paraphrase every word look unused.",
}


def main() -> None:
    """Fits, prints, and with --write stores the weights."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--write", action="store_true", help="write the weights into the package")
    write = options.parse_args().write
    corpora = {"quotesum": list(quotesum()), "dureader": list(dureader())}
    features, labels, groups, names = [], [], [], []
    for name, runs in corpora.items():
        for one in runs:
            found = features_by_position(one.run)
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
        print(
            f"{name:10} {int(mine.sum())} chunks, {FOLDS}-fold by question: AUROC {auc:.4f}  F1 at {USED_FROM} {f1:.4f}"
        )
    model = LogisticRegression(C=STRENGTH, max_iter=5_000).fit(x, y)
    weights = {"intercept": model.intercept_[0], **dict(zip(use.FEATURES, model.coef_[0], strict=True))}
    weights = {name: round(float(value), 4) for name, value in weights.items()}
    print(weights)
    if write:
        path = Path(use.__file__).with_name("weights.json")
        card = {**CARD, "date": date.today().isoformat(), "cross_validated": figures}
        path.write_text(json.dumps({"use": {"card": card, "weights": weights}}, indent=1) + "\n", encoding="utf-8")
        print(f"written: {path.name}")


if __name__ == "__main__":
    main()
