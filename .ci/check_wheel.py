"""Builds the wheel and checks that it holds the packages and nothing else, then installs it alone and starts it."""

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "rag_eval_hooks": ROOT / "rag_eval_hooks",
    "rag_eval_hooks_langchain": ROOT / "adapters" / "rag_eval_hooks_langchain",
    "rag_eval_hooks_llamaindex": ROOT / "adapters" / "rag_eval_hooks_llamaindex",
}


def main() -> int:
    """Returns 0 when the wheel is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "dist")
        run(sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT))
        (wheel,) = out.glob("*.whl")
        problems = check_names(zipfile.ZipFile(wheel).namelist())
        if problems:
            print("\n".join(problems), file=sys.stderr)
            return 1
        environment = Path(folder, "venv")
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        run(str(environment / "bin" / "rag-eval-hooks"), "--version")
        run(str(python), "-c", "from rag_eval_hooks import evaluate, read_run; evaluate(read_run({'answer': 'x'}))")
        for framework in ("langchain", "llamaindex"):
            refused = subprocess.run(
                [str(python), "-c", f"import rag_eval_hooks_{framework}"], capture_output=True, text=True, check=False
            )
            if f'pip install "rag-eval-hooks[{framework}]"' not in refused.stderr:
                print(
                    f"without {framework} the adapter must name its extra, but said:", refused.stderr, file=sys.stderr
                )
                return 1
        demo = [str(environment / "bin" / "rag-eval-hooks"), "demo", "-o", str(Path(folder, "demo"))]
        refused = subprocess.run(demo, capture_output=True, text=True, check=False)
        if 'pip install "rag-eval-hooks[demo]"' not in refused.stderr:
            print("without its extra the demo must name it, but said:", refused.stderr, file=sys.stderr)
            return 1
    print(f"wheel ok: {wheel.name}")
    return 0


def check_names(names: list[str]) -> list[str]:
    """Returns what is wrong with the wheel's file list."""
    held = {name for name in names if ".dist-info/" not in name}
    wanted = {
        f"{package}/{path.relative_to(source)}"
        for package, source in PACKAGES.items()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    problems = [f"missing from the wheel: {name}" for name in sorted(wanted - held)]
    problems += [f"does not belong into the wheel: {name}" for name in sorted(held - wanted)]
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        problems.append("the licence is missing from the wheel")
    return problems


def run(*command: str) -> None:
    """Runs a command that must succeed."""
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
