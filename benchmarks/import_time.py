"""How long `import rag_eval_hooks` takes, in fresh interpreters: `python benchmarks/import_time.py`.

Each round starts one interpreter per case, in turn, so that a noisy machine hits all alike. Files are warm in the page
cache and byte code is compiled; what differs from a first start after installation is the disk.
"""

import statistics
import subprocess
import sys

ROUNDS = 15
SCRIPT = "import time; t = time.perf_counter(); {}; print((time.perf_counter() - t) * 1000)"
CASES = {
    "pydantic alone": "import pydantic; pydantic.BaseModel",
    "rag_eval_hooks": "import rag_eval_hooks",
    "... and `evaluate` loaded": "from rag_eval_hooks import evaluate",
    "... and a first evaluation": "import rag_eval_hooks as r; r.evaluate(r.read_run({'answer': 'x'}))",
}


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(ROUNDS):
        for name, statement in CASES.items():
            command = [sys.executable, "-c", SCRIPT.format(statement)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  our own script
            times[name].append(float(done.stdout))
    for name, values in times.items():
        print(f"{name:28} median {statistics.median(values):6.1f} ms   min {min(values):6.1f}   max {max(values):6.1f}")
    print("target: rag_eval_hooks <= 150 ms")


if __name__ == "__main__":
    main()
