"""The rules of the folders: what each may import, what `import rag_eval_hooks` loads, what is public."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "rag_eval_hooks"
ADAPTERS = ROOT / "adapters"
# A stage may import `record` and the stages before it.
STAGES = ["record", "capture", "attribution", "metrics", "diagnosis", "sinks"]
# What stands on top of the stages: none of them imports it, nor does what joins them.
ABOVE = {"summary", "trec", "reports", "replay", "support_models", "demo", "cli"}
FRAMEWORKS = {"langchain", "langchain_core", "langchain_classic", "langgraph", "llama_index", "ragas"}
HEAVY = {"numpy", "pandas", "pyarrow", "sqlalchemy", "typer", "rich", "jinja2", "bm25s", "scipy", "torch"} | {
    "onnxruntime",
    "tokenizers",
}


def imports(path: Path) -> set[str]:
    """Returns the dotted names a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_record_and_earlier_stages(stage: str) -> None:
    allowed = {"_give_way", "errors", "record", *STAGES[: STAGES.index(stage) + 1]}
    for path in (CORE / stage).rglob("*.py"):
        used = {name.split(".")[1] for name in imports(path) if name.startswith("rag_eval_hooks.")}
        assert used <= allowed, f"{path.relative_to(ROOT)} imports {sorted(used - allowed)}"


def test_record_knows_no_other_stage() -> None:
    for path in (CORE / "record").rglob("*.py"):
        used = {name.split(".")[1] for name in imports(path) if name.startswith("rag_eval_hooks.")}
        assert used <= {"errors", "record"}


def test_nothing_below_imports_what_stands_on_top() -> None:
    assert not ABOVE & set(STAGES)
    assert all((CORE / name).is_dir() for name in ABOVE)
    stages = [path for stage in STAGES for path in (CORE / stage).rglob("*.py")]
    for path in [CORE / "errors.py", CORE / "pipeline.py", *stages]:
        used = {name.split(".")[1] for name in imports(path) if name.startswith("rag_eval_hooks.")}
        assert not used & ABOVE, f"{path.relative_to(ROOT)} imports {sorted(used & ABOVE)}"


def test_only_the_command_line_and_the_demos_pipelines_import_the_demo() -> None:
    """It stands on top of everything: who attaches an adapter loads none of it."""
    allowed = [CORE / "demo", CORE / "cli" / "demo.py", *ADAPTERS.glob("*/demo")]
    for folder in (CORE, ADAPTERS):
        for path in folder.rglob("*.py"):
            used = {name for name in imports(path) if "demo" in name.split(".")[1:2]}
            assert not used or any(path.is_relative_to(one) for one in allowed), path.relative_to(ROOT)


def test_no_constant_is_written_over_by_another() -> None:
    """Of two constants of one name in a file the first would never apply, and no linter says so."""
    for path in CORE.rglob("*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        twice = {name for name in names if names.count(name) > 1}
        assert not twice, f"{path.relative_to(ROOT)} sets {sorted(twice)} twice"


def test_the_core_imports_no_framework_and_no_numpy() -> None:
    for path in CORE.rglob("*.py"):
        roots = {name.split(".")[0] for name in imports(path)}
        assert not roots & (FRAMEWORKS | {"numpy", "pandas"}), path.relative_to(ROOT)


@pytest.mark.parametrize(("adapter", "core"), [("langchain", "langchain_core"), ("llamaindex", "llama_index.core")])
def test_an_adapter_imports_only_its_frameworks_core(adapter: str, core: str) -> None:
    for path in (ADAPTERS / f"rag_eval_hooks_{adapter}").glob("*.py"):
        used = {name for name in imports(path) if name.split(".")[0] in FRAMEWORKS}
        assert all(name == core or name.startswith(f"{core}.") for name in used), path.relative_to(ROOT)


def test_adapters_is_no_package() -> None:
    """PyPI has a package named `adapters`; shipping ours deleted theirs on uninstall."""
    assert not (ADAPTERS / "__init__.py").exists()


def test_import_loads_nothing_heavy_and_leaves_asyncio_alone() -> None:
    script = (
        "import asyncio, sys\n"
        "policy = asyncio.get_event_loop_policy() if sys.version_info < (3, 14) else None\n"
        "import rag_eval_hooks\n"
        "rag_eval_hooks.evaluate\n"
        "assert policy is None or asyncio.get_event_loop_policy() is policy\n"
        "import threading\n"
        "assert threading.active_count() == 1\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & (FRAMEWORKS | HEAVY), sorted(loaded & (FRAMEWORKS | HEAVY))


def test_every_module_says_what_it_is_for_and_what_it_gives() -> None:
    for folder in (CORE, ADAPTERS):
        for path in folder.rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert ast.get_docstring(tree), f"{path.relative_to(ROOT)} has no docstring"
            named = any(
                isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)
                for node in tree.body
            )
            assert named or path.name == "__main__.py", f"{path.relative_to(ROOT)} has no __all__"


def test_public_names() -> None:
    """Adding a name to a public list is a decision: it is made here, too."""
    import rag_eval_hooks
    import rag_eval_hooks.metrics
    import rag_eval_hooks.record
    import rag_eval_hooks.sinks
    import rag_eval_hooks_langchain
    import rag_eval_hooks_llamaindex

    assert (
        " ".join(sorted(rag_eval_hooks.__all__)) == "Attributor Evaluation RagEvalHooksError RagRun evaluate read_run"
    )
    assert " ".join(sorted(rag_eval_hooks_langchain.__all__)) == (
        "Captured Hooks ItemKeys RagEvalCallbackHandler attach attached detach question suppress_capture"
    )
    assert " ".join(sorted(rag_eval_hooks_llamaindex.__all__)) == (
        "Attachment Captured Hooks ItemKeys attach attached question suppress_capture"
    )
    assert " ".join(sorted(rag_eval_hooks.record.__all__)) == (
        "Attempt Attribution Chunk ChunkVerdict Citation CitationStyle Claim ContextItem Derived DerivedOperand "
        "Evaluation Finding Gold GoldSpan ItemKeys MadeBy Media MetricResult RagRun Stage StageItem Support Usage "
        "chunk_id message_text pool_chunks read_run"
    )
    assert " ".join(sorted(rag_eval_hooks.metrics.__all__)) == (
        "AP AnswerMatch AnyEvidence Average AverageAccumulator CitationCoverage CitationPrecision CitationRecall "
        "CompleteEvidence ContextPrecision ContextUse Distraction EvidenceCompleteness EvidenceConflict EvidenceRecall "
        "F Fe FirstUse Groundedness Hit Judged Metric NDCG P Packed Provenance QuestionCoverage R RR T TokenUse UDCG "
        "averages default_metrics measure metric_classes notes parse_metric register weight_of"
    )
    assert " ".join(sorted(rag_eval_hooks.sinks.__all__)) == (
        "FunctionSink JsonlSink MemorySink Sink SinkError SqlSink read_newest read_one read_store"
    )
    for module in (rag_eval_hooks, rag_eval_hooks.record, rag_eval_hooks.metrics, rag_eval_hooks.sinks):
        assert all(hasattr(module, name) for name in module.__all__)
