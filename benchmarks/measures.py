"""What the measures cost: per query against pytrec_eval, per live run, by length of the list, and memory by queries.

Run: python benchmarks/measures.py [--queries 5000] [--rounds 5]

Everything takes turns in one process, so that a slow moment of the machine hits all of it; the median counts. Memory is
that of the Python heap (tracemalloc), above what was there before.
"""

import argparse
import os
import platform
import random
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from rag_eval_hooks.metrics import default_metrics, measure, metric_classes
from rag_eval_hooks.testing import make_attribution, make_run
from rag_eval_hooks.trec import JudgedList, Tally, TrecFile, judged_lists, score_lists, trec_metrics
from rag_eval_hooks.trec.pairs import in_order

SIX = {
    "P@10": "P.10",
    "R@100": "recall.100",
    "RR": "recip_rank",
    "AP": "map",
    "nDCG(gain=linear)@10": "ndcg_cut.10",
    "Hit@10": "success.10",
}
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def generated(queries: int, results: int) -> tuple[Qrels, Run]:
    """Judgements of 50 documents a query, half of them retrieved."""
    chance = random.Random(20)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(queries):
        names = [f"doc-{chance.randrange(10**9)}" for _ in range(results + 25)]
        qrels[f"q{number}"] = {name: chance.choice((0, 0, 0, 1, 2)) for name in names[-50:]}
        run[f"q{number}"] = {name: chance.random() for name in names[:results]}
    return qrels, run


def timed(work: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each, taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, call in work.items():
            start = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in taken.items()}


def against_pytrec_eval(queries: int, rounds: int) -> None:
    """The same dictionaries, ordered and scored; both give each query's values."""
    import pytrec_eval

    qrels, run = generated(queries, 100)
    grades = {query: {name: float(grade) for name, grade in row.items()} for query, row in qrels.items()}
    metrics = trec_metrics(SIX)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(SIX.values()))

    def lists() -> Iterator[JudgedList]:
        for query, row in run.items():
            yield JudgedList(query, in_order([(score, name) for name, score in row.items()], "trec"), grades[query])

    def ours() -> list[tuple[object, ...]]:
        return [one.values for one in score_lists(lists(), metrics)]

    theirs = evaluator.evaluate(run)
    for one in score_lists(lists(), metrics):
        for value, name in zip(one.values, SIX.values(), strict=True):
            assert abs(float(value) - theirs[one.query][name.replace(".", "_")]) < 1e-9
    taken = timed({"ours": ours, "pytrec_eval": lambda: evaluator.evaluate(run)}, rounds)
    each = {name: value / queries * 1e6 for name, value in taken.items()}
    print(f"six measures, {queries:,} queries x 100 results, equal values, per query:")
    print(
        f"  ours {each['ours']:.1f} us, pytrec_eval {version('pytrec-eval-terrier')} {each['pytrec_eval']:.1f} us,",
        end="",
    )
    print(f" ratio {each['ours'] / each['pytrec_eval']:.2f}")


def live_run(rounds: int) -> None:
    """One run of ten chunks, as the worker scores it."""
    gold = make_run("abcdefghij", relevance={"a": 2, "c": 1, "x": 1, "d": 0}, used="ac")
    bare = make_run("abcdefghij")
    found = make_attribution(gold, used=[1, 3], claims=["+1", "-", "+3"], citations=[(0, 1), (2, 3)])
    every = tuple(kind() for kind in metric_classes().values())
    repeats = 200

    def repeated(run: object, metrics: object) -> Callable[[], None]:
        def call() -> None:
            for _ in range(repeats):
                measure(run, found, metrics)  # type: ignore[arg-type]

        return call

    cases = {
        f"the {len(default_metrics())} of an evaluation, no gold": repeated(bare, default_metrics(10)),
        f"the {len(default_metrics())} of an evaluation, gold": repeated(gold, default_metrics(10)),
        f"all {len(every)} there are, gold": repeated(gold, every),
    }
    print("one live run of 10 chunks:")
    for name, value in timed(cases, max(rounds, 9)).items():
        print(f"  {name}: {value / repeats * 1e3:.3f} ms")


def growth(rounds: int) -> None:
    """The six measures and the order, by length of the list."""
    metrics = trec_metrics(SIX)
    work = {}
    for size in (100, 1_000, 10_000, 100_000):
        qrels, run = generated(1, size)
        rows = [(score, name) for name, score in run["q0"].items()]
        graded = {name: float(grade) for name, grade in qrels["q0"].items()}
        work[f"{size}"] = lambda rows=rows, graded=graded: list(
            score_lists([JudgedList("q", in_order(rows, "file"), graded)], metrics)
        )
    print("growth with the length of the list, scoring alone:")
    for name, value in timed(work, max(rounds, 9)).items():
        print(f"  {int(name):>7,} results: {value * 1e6:>9.1f} us, {value / int(name) * 1e9:.0f} ns a result")


def memory(folder: Path) -> None:
    """Whole files, read, ordered, scored and averaged; 100 results and 20 judgements a query."""
    print("streaming whole files, six measures:")
    peaks = []
    metrics = trec_metrics(SIX)
    for queries in (1_000, 20_000):
        qrels_path, run_path = folder / f"{queries}.qrels", folder / f"{queries}.run"
        chance = random.Random(3)
        with qrels_path.open("w") as qrels_file, run_path.open("w") as run_file:
            for query in range(queries):
                names = [f"doc-{chance.randrange(10**9)}" for _ in range(100)]
                qrels_file.writelines(f"{query} 0 {name} {chance.choice((0, 1, 2))}\n" for name in names[::5])
                run_file.writelines(f"{query} Q0 {name} {r} {1 / r:.6f} t\n" for r, name in enumerate(names, 1))

        def scored(qrels_path: Path = qrels_path, run_path: Path = run_path) -> int:
            tally = Tally(metrics)
            with TrecFile(qrels_path) as qrels, TrecFile(run_path) as run:
                for one in score_lists(judged_lists(qrels, run), metrics):
                    tally.add(one)
            return tally.evaluated

        start = time.perf_counter()
        assert scored() == queries
        seconds = time.perf_counter() - start
        tracemalloc.start()
        scored()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        size = run_path.stat().st_size / 1e6
        print(f"  {queries:>6,} queries ({size:.0f} MB): {seconds:.2f} s, peak {peaks[-1] / 1024:.0f} KiB")
    print(f"  {(peaks[1] - peaks[0]) / 19_000:.0f} bytes for each further query")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    against_pytrec_eval(chosen.queries, chosen.rounds)
    live_run(chosen.rounds)
    growth(chosen.rounds)
    with tempfile.TemporaryDirectory() as folder:
        memory(Path(folder))


if __name__ == "__main__":
    main()
