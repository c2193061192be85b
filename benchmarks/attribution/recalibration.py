"""What 50 labels of a user do: `python benchmarks/attribution/recalibration.py`.

Draws questions of one corpus until they hold so many labels, fits a calibration to them, and compares the other
questions' probabilities before and after; mean over 20 draws. The heads were fitted to some of these corpora, so that
on data of another kind there is more to gain.
"""

import random
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence

from corpora import Judged, Used, begin, dureader, quotesum

from rag_eval_hooks.attribution import attribute
from rag_eval_hooks.attribution.calibration import HeadName
from rag_eval_hooks.attribution.recalibrate import Pairs, fit_head, quality

DRAWS = 20
LABELS = (50, 200)
Groups = dict[str, Pairs]


def main() -> None:
    for name, head, groups in (
        ("quotesum", "use", used(quotesum())),
        ("dureader", "use", used(dureader())),
        ("begin", "support", supported(begin())),
    ):
        for labels in LABELS:
            report(name, head, groups, labels)


def used(rows: Iterable[Used]) -> Groups:
    """Returns the use head's probabilities beside people's labels, by question."""
    groups: Groups = defaultdict(list)
    for row in rows:
        chunks = attribute(row.run).chunks
        groups[row.group] += [(one.use_probability or 0.0, label) for one, label in zip(chunks, row.used, strict=True)]
    return groups


def supported(rows: Iterable[Judged]) -> Groups:
    """Returns the support head's probability of each reply's weakest claim beside people's labels, by source."""
    groups: Groups = defaultdict(list)
    for row in rows:
        claims = attribute(row.run).claims
        found = [one.probability or 0.0 for one in claims if one.needs_evidence] or [
            one.probability or 0.0 for one in claims
        ]
        groups[row.group].append((min(found, default=0.0), bool(row.label)))
    return groups


def report(name: str, head: HeadName, groups: Groups, labels: int) -> None:
    """Prints one line: means over the draws, and in how many of them the calibration error fell."""
    draws = [_draw(head, groups, labels, seed) for seed in range(DRAWS)]
    columns = [statistics.mean(column) for column in zip(*draws, strict=True)]
    better = sum(one[1] < one[0] for one in draws)
    print(
        f"{name:9} {labels:3} labels: ECE {columns[0]:.3f} -> {columns[1]:.3f} (falls in {better} of {DRAWS}), "
        f"Brier {columns[2]:.3f} -> {columns[3]:.3f}, F1 {columns[4]:.3f} -> {columns[5]:.3f}"
    )


def _draw(head: HeadName, groups: Groups, labels: int, seed: int) -> Sequence[float]:
    order = sorted(groups)
    random.Random(seed).shuffle(order)
    train: list[Pairs] = []
    left = labels
    while left and order:
        train.append(groups[order.pop()][:left])
        left -= len(train[-1])
    test = [pair for group in order for pair in groups[group]]
    fit = fit_head(head, train)
    if fit is None:
        raise SystemExit(f"draw {seed} holds labels of one kind only")
    before, after = quality(head, test), quality(head, [(fit.scaling.apply(value), label) for value, label in test])
    return before.ece, after.ece, before.brier, after.brier, before.f1 or 0.0, after.f1 or 0.0


if __name__ == "__main__":
    main()
