"""How well attribution agrees with people: `python benchmarks/attribution/measure.py` (or `make accuracy`).

Prints, per corpus, ours beside trivial baselines, with 95 % bootstrap intervals over answers. The use head is fitted
on the two corpora of used chunks: there the cross-validated figures that `fit.py` prints are the fair ones. RGB is
measured only.
"""

import random
import statistics
from collections.abc import Callable, Sequence

from corpora import Judged, Used, begin, dureader, fever, mtrag, quotesum, rgb
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from rag_eval_hooks import evaluate
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.terms import plain_terms
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

RESAMPLES = 300
Pairs = Sequence[tuple[float, float]]


def main() -> None:
    """Prints one block per corpus."""
    for name, use_rows in (("quotesum", list(quotesum())), ("dureader", list(dureader()))):
        used_chunks(name, use_rows)
    judged("begin", list(begin()), {"AUROC": auroc, "macro F1": macro_f1})
    judged("fever_symmetric", list(fever()), {"AUROC": auroc, "accuracy": accuracy})
    conflicts(list(fever()))
    judged("mtrag", list(mtrag()), {"Spearman": spearman})
    for language in ("en", "zh"):
        judged(f"rgb {language}", list(rgb(language)), {"accuracy": accuracy, "false support": false_support})


def used_chunks(name: str, rows: Sequence[Used]) -> None:
    """Prints AUROC, F1, the error of Context Precision and the calibration error of chunk use."""
    runs = [(row, evaluate(row.run, metrics=())) for row in rows]
    print(f"\n{name}: {len(rows)} answers, {sum(len(row.used) for row in rows)} chunks")
    ours = [
        [(float(u), c.use_probability or 0.0) for u, c in zip(row.used, ev.chunks, strict=True)] for row, ev in runs
    ]
    report("ours AUROC", ours, auroc)
    decided = [
        [(float(u), float(c.use == "used")) for u, c in zip(row.used, ev.chunks, strict=True)] for row, ev in runs
    ]
    report("ours F1", decided, plain_f1)
    report("ours Context Precision error", decided, precision_error)
    report("ours calibration error", ours, calibration_error)
    for baseline, score in (("word overlap", overlap), ("all used", lambda *_: 1.0), ("first used", None)):
        scored = [
            [
                (float(u), float(place == 0) if score is None else score(row.run.answer or "", chunk.text))
                for place, (u, chunk) in enumerate(zip(row.used, row.run.context_chunks(), strict=True))
            ]
            for row, _ in runs
        ]
        report(f"{baseline} AUROC", scored, auroc)
        if score is not overlap:
            report(f"{baseline} F1", scored, plain_f1)


def judged(name: str, rows: Sequence[Judged], measures: dict[str, Callable[[Sequence[Pairs]], float]]) -> None:
    """Prints the measures of support: the answer's weakest claim, or for grades its claims' mean."""
    graded = any(row.label not in (0.0, 1.0) for row in rows)
    ours, words, rivals = [], [], []
    for row in rows:
        ev = evaluate(row.run, metrics=())
        found = [claim.probability or 0.0 for claim in ev.claims if claim.needs_evidence]
        found = found or [claim.probability or 0.0 for claim in ev.claims]
        if graded and (ev.answer_kind != "answer" or not found):
            continue  # a refusal has nothing to be faithful to
        ours.append([(row.label, (statistics.mean(found) if graded else min(found)) if found else 0.0)])
        text = " ".join(chunk.text for chunk in row.run.context_chunks())
        words.append([(row.label, overlap(row.run.answer or "", text))])
        rivals.append([(row.label, row.rival or 0.0)])
    print(f"\n{name}: {len(ours)} answers")
    for measure, value in measures.items():
        report(f"ours {measure}", ours, value)
        if measure in ("AUROC", "Spearman"):
            report(f"word overlap {measure}", words, value)
            if any(row.rival is not None for row in rows):
                report(f"stored model judge {measure}", rivals, value)


def conflicts(rows: Sequence[Judged]) -> None:
    """Prints precision and recall of the verdict `conflict` for refuted claims."""
    said = [any(claim.verdict == "conflict" for claim in evaluate(row.run, metrics=()).claims) for row in rows]
    right = sum(flag and row.label == 0 for flag, row in zip(said, rows, strict=True))
    refuted = sum(row.label == 0 for row in rows)
    print(f"  conflict: precision {right / max(1, sum(said)):.3f}, recall {right / refuted:.3f} ({sum(said)} said)")


def report(name: str, groups: Sequence[Pairs], measure: Callable[[Sequence[Pairs]], float]) -> None:
    """Prints a measure over all answers, with a percentile interval from resampled answers."""
    value = measure(groups)
    chance = random.Random(0)  # noqa: S311  resampling, seeded
    resampled = sorted(measure(chance.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    low, high = resampled[int(0.025 * RESAMPLES)], resampled[int(0.975 * RESAMPLES)]
    print(f"  {name:32} {value:.3f}  [{low:.3f}, {high:.3f}]")


def _flat(groups: Sequence[Pairs]) -> list[tuple[float, float]]:
    return [pair for group in groups for pair in group]


def auroc(groups: Sequence[Pairs]) -> float:
    """Area under the ROC curve; 0.5 where one class is missing."""
    pairs = _flat(groups)
    labels = [label for label, _ in pairs]
    return float(roc_auc_score(labels, [score for _, score in pairs])) if len(set(labels)) > 1 else 0.5


def plain_f1(groups: Sequence[Pairs]) -> float:
    """F1 of decisions that are 0 or 1."""
    pairs = _flat(groups)
    return float(f1_score([label for label, _ in pairs], [score >= 0.5 for _, score in pairs]))


def macro_f1(groups: Sequence[Pairs]) -> float:
    """Mean F1 of both classes at the package's threshold."""
    pairs = _flat(groups)
    decided = [score >= SUPPORTED_FROM for _, score in pairs]
    return float(f1_score([label for label, _ in pairs], decided, average="macro"))


def accuracy(groups: Sequence[Pairs]) -> float:
    """Accuracy at the package's threshold."""
    pairs = _flat(groups)
    return float(accuracy_score([label for label, _ in pairs], [score >= SUPPORTED_FROM for _, score in pairs]))


def false_support(groups: Sequence[Pairs]) -> float:
    """Share of the false ones that are called supported."""
    pairs = _flat(groups)
    false = [score for label, score in pairs if label == 0]
    return sum(score >= SUPPORTED_FROM for score in false) / max(1, len(false))


def spearman(groups: Sequence[Pairs]) -> float:
    """Spearman's rank correlation."""
    pairs = _flat(groups)
    return float(spearmanr([a for a, _ in pairs], [b for _, b in pairs]).statistic)


def precision_error(groups: Sequence[Pairs]) -> float:
    """Mean absolute difference, over answers, of Context Precision by people's labels and by ours."""
    return statistics.mean(
        abs(context_precision([a for a, _ in pairs]) - context_precision([b for _, b in pairs])) for pairs in groups
    )


def context_precision(flags: Sequence[float]) -> float:
    """Context Precision of used flags; 0 where nothing is used."""
    hits, total = 0, 0.0
    for rank, flag in enumerate(flags, 1):
        if flag:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def calibration_error(groups: Sequence[Pairs]) -> float:
    """Expected calibration error over ten equal bins."""
    pairs = _flat(groups)
    error = 0.0
    for number in range(10):
        inside = [
            pair for pair in pairs if number / 10 <= pair[1] < (number + 1) / 10 or (number == 9 and pair[1] == 1)
        ]
        error += abs(sum(label for label, _ in inside) - sum(score for _, score in inside))
    return error / max(1, len(pairs))


def overlap(answer: str, text: str) -> float:
    """Share of the answer's words that the text holds: the baseline to beat."""
    said = fold(answer).text
    words = plain_terms(said, 0, len(said))
    source = fold(text).text
    held = set(plain_terms(source, 0, len(source)))
    return sum(word in held for word in words) / max(1, len(words))


if __name__ == "__main__":
    main()
