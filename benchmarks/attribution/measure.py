"""How well attribution agrees with people: `python benchmarks/attribution/measure.py` (or `make accuracy`).

Prints, per corpus, ours beside trivial baselines, with 95 % bootstrap intervals over answers, then what should make no
difference or all of it (ablations), then the figures against their targets. Corpora that the heads are fitted on are
measured by heads fitted to other questions and documents (5 folds, `folds.py`); RGB and WiCE, never fitted, by the
weights in the package.
"""

import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from corpora import Judged, Used, as_run, begin, dureader, fever, mtrag, quotesum, rgb, wice
from folds import cross_validated
from rows import texts_of
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from rag_eval_hooks import Evaluation, RagRun, evaluate
from rag_eval_hooks.attribution.background import Background
from rag_eval_hooks.attribution.calibration import expected_calibration_error
from rag_eval_hooks.attribution.fold import fold
from rag_eval_hooks.attribution.terms import STOPWORDS, plain_terms
from rag_eval_hooks.record import ChunkVerdict
from rag_eval_hooks.record.evaluation import SUPPORTED_FROM

RESAMPLES = 300
Pairs = Sequence[tuple[float, float]]
Seen = Sequence[tuple[Used, Evaluation]]
SeenJudged = Sequence[tuple[Judged, Evaluation]]
reached: list[tuple[str, str, float]] = []


def main() -> None:
    """Prints one block per corpus, the ablations and the table."""
    use = cross_validated({"quotesum": list(quotesum()), "dureader": list(dureader())})
    judged = cross_validated({"begin": list(begin()), "fever": list(fever()), "mtrag": list(mtrag())})
    used_chunks("quotesum", use["quotesum"], (0.99, 0.97, 0.03))
    used_chunks("dureader", use["dureader"], (0.95, 0.86, 0.06))
    supported("begin", judged["begin"], {"AUROC >= .955": auroc, "macro F1 >= .86": macro_f1})
    supported("fever", judged["fever"], {"AUROC": auroc, "accuracy >= .70": accuracy})
    conflicts(judged["fever"], judged["begin"])
    supported("mtrag", judged["mtrag"], {"Spearman >= .66": spearman})
    evidence_sentences()
    for language in ("en", "zh"):
        rows = [(row, evaluate(row.run, metrics=())) for row in rgb(language)]
        supported(f"rgb {language}", rows, {"accuracy >= .90": accuracy, "false support <= .03": false_support})
    ablations(use["quotesum"], judged["begin"])
    print("\nfigure against target")
    for corpus, figure, value in reached:
        print(f"  {corpus:10} {figure:32} {value:.3f}")


def used_chunks(name: str, seen: Seen, targets: tuple[float, float, float]) -> None:
    """Prints AUROC, F1, the error of Context Precision and the calibration error of chunk use."""
    print(f"\n{name}: {len(seen)} answers, {sum(len(row.used) for row, _ in seen)} chunks")
    ours = use_pairs(seen)
    decided = [[(float(u), float(c.use == "used")) for u, c in _chunks(row, ev)] for row, ev in seen]
    auc, f1, error = targets
    report(name, f"AUROC >= {auc}", ours, auroc)
    report(name, f"F1 >= {f1}", decided, plain_f1)
    report(name, f"Context Precision error <= {error}", decided, precision_error)
    report(name, "calibration error <= .08", ours, calibration_error)
    for baseline, score in (
        ("word overlap", overlap),
        ("idf overlap", idf_overlap),
        ("all used", lambda *_: 1.0),
        ("first used", None),
    ):
        scored = [
            [
                (float(u), float(place == 0) if score is None else score(row.run.answer or "", chunk.text))
                for place, (u, chunk) in enumerate(zip(row.used, row.run.context_chunks(), strict=True))
            ]
            for row, _ in seen
        ]
        report(None, f"{baseline} AUROC", scored, auroc)
        if not baseline.endswith("overlap"):
            report(None, f"{baseline} F1", scored, plain_f1)
            report(None, f"{baseline} Context Precision error", scored, precision_error)


def supported(name: str, seen: SeenJudged, measures: dict[str, Callable[[Sequence[Pairs]], float]]) -> None:
    """Prints the measures of support: the answer's weakest claim, or for grades its claims' mean."""
    graded = any(row.label not in (0.0, 1.0) for row, _ in seen)
    scored = [(row, ev, score) for row, ev in seen if (score := answer_score(ev, graded)) is not None]
    ours = [[(row.label, score)] for row, _, score in scored]
    print(f"\n{name}: {len(ours)} answers")
    for measure, value in measures.items():
        report(name, measure, ours, value)
        kind = measure.split()[0]
        if kind in ("AUROC", "Spearman"):
            for baseline, score in (("word overlap", overlap), ("idf overlap", idf_overlap)):
                pairs = [[(row.label, score(row.run.answer or "", _context(row.run)))] for row, _, _ in scored]
                report(None, f"{baseline} {kind}", pairs, value)
            if any(row.rival is not None for row, _, _ in scored):
                report(None, f"stored model judge {kind}", [[(r.label, r.rival or 0.0)] for r, _, _ in scored], value)
    if not graded:
        report(name, "calibration error <= .08", ours, calibration_error)


def answer_score(ev: Evaluation, graded: bool) -> float | None:
    """Returns the probability of an answer: of its weakest claim, for grades the claims' mean; None for a refusal."""
    found = [claim.probability or 0.0 for claim in ev.claims if claim.needs_evidence]
    found = found or [claim.probability or 0.0 for claim in ev.claims]
    if graded:
        # A refusal has nothing to be faithful to.
        return statistics.mean(found) if found and ev.answer_kind == "answer" else None
    return min(found, default=0.0)


def conflicts(refutable: SeenJudged, neutral: SeenJudged) -> None:
    """Prints precision and recall of the verdict `conflict` for refuted claims, and how often it is said elsewhere."""
    said = [[(1.0 - row.label, float(any(c.verdict == "conflict" for c in ev.claims)))] for row, ev in refutable]
    report("fever", "conflict precision >= .85", said, precision)
    report("fever", "conflict recall >= .5", said, recall)
    for name, label in (("attributable", 1.0), ("not attributable", 0.0)):
        flags = [any(c.verdict == "conflict" for c in ev.claims) for row, ev in neutral if row.label == label]
        print(f"    BEGIN replies that are {name}: conflict said of {sum(flags) / len(flags):.3f}")


def evidence_sentences() -> None:
    """Prints mean average precision of the sentences that back a claim, ranked by the probability of use."""
    ours: list[float] = []
    words: list[float] = []
    for run, sets in wice():
        wanted = frozenset().union(*sets)
        ev = evaluate(run, metrics=())
        ours.append(average_precision(wanted, [chunk.use_probability or 0.0 for chunk in ev.chunks]))
        texts = texts_of(run)
        words.append(average_precision(wanted, [shared_idf(run.answer or "", text) for text in texts]))
    print(f"\nwice: {len(ours)} claims")
    report("wice", "mAP >= .68", [[(0.0, value)] for value in ours], mean_score)
    report(None, "shared idf mAP", [[(0.0, value)] for value in words], mean_score)


def ablations(use: Seen, judged: SeenJudged) -> None:
    """Prints what happens to texts of other runs, to long texts and to reworded answers."""
    print("\nablations")
    rows = [row for row, _ in use]
    others = rows[len(rows) // 2 :] + rows[: len(rows) // 2]
    foreign = [
        as_run(row.group, texts_of(other.run), row.run.answer or "") for row, other in zip(rows, others, strict=True)
    ]
    flags = [chunk.use == "used" for run in foreign for chunk in evaluate(run, metrics=()).chunks]
    print(f"  quotesum, chunks of other questions: used {sum(flags) / len(flags):.3f}")
    swapped = [
        (row, as_run(row.group, texts_of(row.run), other.run.answer or ""))
        for row, other in zip(rows, others, strict=True)
    ]
    scored = [(Used(row.group, run, row.used), evaluate(run, metrics=())) for row, run in swapped]
    report(None, "quotesum, answers of other questions: AUROC", use_pairs(scored), auroc)
    answers = [row for row, _ in judged if row.label == 1.0]
    strangers = answers[len(answers) // 2 :] + answers[: len(answers) // 2]
    backed = [
        answer_score(evaluate(as_run("", texts_of(other.run), row.run.answer or ""), metrics=()), False) or 0.0
        for row, other in zip(answers, strangers, strict=True)
    ]
    print(f"  begin, texts of other replies: supported {sum(p >= SUPPORTED_FROM for p in backed) / len(backed):.3f}")
    lengths = [len(text) for row, _ in use for text in texts_of(row.run)]
    middle = statistics.median(lengths)
    for name, wanted in (("shorter", True), ("longer", False)):
        half = [
            [pair for pair, text in zip(pairs, texts_of(row.run), strict=True) if (len(text) <= middle) == wanted]
            for (row, _), pairs in zip(use, use_pairs(use), strict=True)
        ]
        report(None, f"quotesum, the {name} half of the chunks: AUROC", [pairs for pairs in half if pairs], auroc)
    positive = [(row, ev) for row, ev in judged if row.label == 1.0]
    order = sorted(positive, key=lambda one: pair_overlap(one[0].run.answer or "", _context(one[0].run)))
    third = len(order) // 3
    for name, part in (("most reworded", order[:third]), ("most verbatim", order[-third:])):
        share = sum((answer_score(ev, False) or 0.0) >= SUPPORTED_FROM for _, ev in part) / len(part)
        print(f"  begin, the {name} third of the attributable replies: supported {share:.3f}")


def report(corpus: str | None, name: str, groups: Sequence[Pairs], measure: Callable[[Sequence[Pairs]], float]) -> None:
    """Prints a measure over all answers, with a percentile interval from resampled answers; notes it for the table."""
    value = measure(groups)
    chance = random.Random(0)
    resampled = sorted(measure(chance.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    low, high = resampled[int(0.025 * RESAMPLES)], resampled[int(0.975 * RESAMPLES)]
    print(f"  {'  ' if corpus is None else ''}{name:44} {value:.3f}  [{low:.3f}, {high:.3f}]")
    if corpus is not None:
        reached.append((corpus, name, value))


def use_pairs(seen: Seen) -> list[Pairs]:
    """Returns, for each answer, its chunks' labels beside our probabilities."""
    return [[(float(u), chunk.use_probability or 0.0) for u, chunk in _chunks(row, ev)] for row, ev in seen]


def _chunks(row: Used, ev: Evaluation) -> Iterator[tuple[bool, ChunkVerdict]]:
    return zip(row.used, ev.chunks, strict=True)


def _context(run: RagRun) -> str:
    return " ".join(texts_of(run))


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
    false = [score for label, score in _flat(groups) if label == 0]
    return sum(score >= SUPPORTED_FROM for score in false) / max(1, len(false))


def precision(groups: Sequence[Pairs]) -> float:
    """Share of what was said that is true; 0 where nothing was said."""
    said = [label for label, decided in _flat(groups) if decided]
    return sum(said) / max(1, len(said))


def recall(groups: Sequence[Pairs]) -> float:
    """Share of what is true that was said."""
    true = [decided for label, decided in _flat(groups) if label]
    return sum(true) / max(1, len(true))


def spearman(groups: Sequence[Pairs]) -> float:
    """Spearman's rank correlation."""
    pairs = _flat(groups)
    return float(spearmanr([a for a, _ in pairs], [b for _, b in pairs]).statistic)


def mean_score(groups: Sequence[Pairs]) -> float:
    """Mean of values that need no label."""
    return statistics.mean(score for _, score in _flat(groups))


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


def average_precision(wanted: frozenset[int], scores: Sequence[float]) -> float:
    """Average precision of a ranking by score; ties keep their order."""
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    flags = [place in wanted for place in order]
    return context_precision([float(flag) for flag in flags]) * sum(flags) / len(wanted)


def calibration_error(groups: Sequence[Pairs]) -> float:
    """Expected calibration error over ten equal bins."""
    return expected_calibration_error((score, label == 1.0) for label, score in _flat(groups))


def overlap(answer: str, text: str) -> float:
    """Share of the answer's words that the text holds: the baseline to beat."""
    words, held = _words(answer), set(_words(text))
    return sum(word in held for word in words) / max(1, len(words))


def idf_overlap(answer: str, text: str) -> float:
    """The same, each word by its idf in the package's background."""
    idf = Background.default().idf
    words, held = _words(answer), set(_words(text))
    return sum(idf(word) for word in words if word in held) / max(1e-9, sum(map(idf, words)))


def shared_idf(answer: str, text: str) -> float:
    """Sum of the idf of the words that both have."""
    return sum(map(Background.default().idf, (set(_words(answer)) & set(_words(text))) - STOPWORDS))


def pair_overlap(answer: str, text: str) -> float:
    """Share of the answer's neighbouring words that are neighbours in the text."""
    words, source = _words(answer), _words(text)
    held, pairs = set(pairwise(source)), list(pairwise(words))
    return sum(pair in held for pair in pairs) / max(1, len(pairs))


def _words(text: str) -> list[str]:
    folded = fold(text).text
    return plain_terms(folded, 0, len(folded))


if __name__ == "__main__":
    main()
