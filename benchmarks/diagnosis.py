"""Does the diagnosis name the fault? `python benchmarks/diagnosis.py`.

Takes runs without a fault (people's answers of QuoteSum, DuReader, CMRC 2018 and RGB, which lie outside the repository,
and hand-written ones with tables and several pieces of evidence), injects one fault at a time, and prints what the
diagnosis calls the first cause of each. Labels are at hand (evidence sets and the right answer), except where the
answer comes from memory: then the right answer alone.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "attribution"))

from faults.inject import INJECTIONS, Injection
from faults.runs import GoodRun, good_runs, has_corpora

from rag_eval_hooks import RagRun, evaluate
from rag_eval_hooks.record import Evaluation

SEED = 7


def first_cause(evaluation: Evaluation) -> str:
    """Returns the kind of the finding that is marked as the first cause, or `none`."""
    return next((one.kind for one in evaluation.findings if one.first_cause), "none")


def injected(run: GoodRun, injection: Injection, runs: list[GoodRun]) -> RagRun | None:
    """Returns the run with the fault; the choice of value or mark is the same each time."""
    return injection.make(run, runs, random.Random(f"{SEED}{injection.name}{run.corpus}{run.question}"))


def main() -> None:
    """Prints the confusion matrix, and the figures by corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=100, help="most runs of each source (default 100)")
    parser.add_argument("--corpus", help="only this one")
    parser.add_argument("--show", help="print the cases of this injection that are named otherwise")
    chosen = parser.parse_args()
    if not has_corpora():
        print("The labelled corpora are not at hand (REH_SHARED): hand-written runs only.\n")
    runs = [run for run in good_runs(chosen.most) if chosen.corpus in (None, run.corpus)]
    matrix: dict[str, Counter[str]] = defaultdict(Counter)
    by_corpus: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for run in runs:
        for injection in INJECTIONS:
            faulty = injected(run, injection, runs)
            if faulty is None:
                continue
            evaluation = evaluate(faulty, [])
            cause = first_cause(evaluation)
            named = cause in (injection.expected or {"none"})
            matrix[injection.name][cause] += 1
            by_corpus[injection.name, run.corpus].append(named)
            if injection.name == chosen.show and not named:
                print("----", run.corpus, cause, "|", run.question, "|", faulty.judged_answer)
                for finding in evaluation.findings:
                    print("     ", finding.kind, round(finding.confidence, 2), finding.why, finding.refs)
    print_matrix(matrix)
    print_corpora(by_corpus)


def print_matrix(matrix: dict[str, Counter[str]]) -> None:
    """One line an injection: how often its kind is the first cause, and what else is."""
    print("injected                  runs  first cause   what is named")
    good = total = 0
    for injection in INJECTIONS:
        causes = matrix[injection.name]
        count = causes.total()
        if not count:
            continue
        right = sum(causes[kind] for kind in (injection.expected or {"none"}))
        if injection.expected:
            good, total = good + right, total + count
        named = ", ".join(f"{kind} {number}" for kind, number in causes.most_common())
        print(f"{injection.name:<24} {count:>5}  {right / count:>10.1%}   {named}")
    print(f"{'all injections':<24} {total:>5}  {good / max(total, 1):>10.1%}   (target 90 %, each kind 80 %)")
    clean = matrix["none"]
    if clean:
        alarms = clean.total() - clean["none"]
        print(f"{'false alarms':<24} {clean.total():>5}  {alarms / clean.total():>10.1%}   (target at most 3 %)")


def print_corpora(by_corpus: dict[tuple[str, str], list[bool]]) -> None:
    """The same by corpus."""
    corpora = list(dict.fromkeys(corpus for _, corpus in by_corpus))
    print("\n" + "named rightly, by corpus".ljust(26) + "".join(f"{corpus:>16}" for corpus in corpora))
    for injection in INJECTIONS:
        cells: list[str] = []
        for corpus in corpora:
            named = by_corpus.get((injection.name, corpus), [])
            cells.append(f"{sum(named)}/{len(named)}" if named else "-")
        print(injection.name.ljust(26) + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
