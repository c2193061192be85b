"""The README's Python blocks run in order, in one namespace, and its commands exist."""

import re
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from typer.testing import CliRunner

from rag_eval_hooks.cli import app
from rag_eval_hooks_langchain import attached as langchain_attached
from rag_eval_hooks_llamaindex import attached as llamaindex_attached

README = Path(__file__).resolve().parents[2] / "README.md"


class _Shelf(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(id_="rooms", text="Each room of the LlamaIndex hotel has a kettle."))]


class _Says(CustomLLM):
    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text="Each room of the LlamaIndex hotel has a kettle.")

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        raise NotImplementedError


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    # The page takes it for granted that its reader has a query engine: a whole one would hide what attaching takes.
    namespace: dict[str, object] = {"query_engine": RetrieverQueryEngine.from_args(_Shelf(), llm=_Says())}
    for number, block in enumerate(blocks("python"), 1):
        exec(compile(block, f"README block {number}", "exec"), namespace)  # noqa: S102  our own page
    out = capsys.readouterr().out
    assert "The warranty on kettles is 24 months" in out
    assert "ContextPrecision" in out
    assert "Each room of the LlamaIndex hotel has a kettle" in out.split("LlamaIndex hotel", 1)[1]  # asked, and shown
    assert (langchain_attached(), llamaindex_attached()) == (None, None)


def test_the_first_block_is_within_the_first_forty_lines() -> None:
    """A newcomer sees a result before scrolling."""
    head = README.read_text(encoding="utf-8").split("```python")[1].split("```")[0]
    last = README.read_text(encoding="utf-8").split(head)[0].count("\n") + head.count("\n")
    assert last <= 40


def test_commands_exist() -> None:
    named = set(re.findall(r"^rag-eval-hooks (\w+)|`rag-eval-hooks (\w+)", README.read_text(encoding="utf-8"), re.M))
    commands = {first or second for first, second in named}
    assert {"replay", "show", "report", "metrics", "schema", "demo"} <= commands
    for command in commands:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0, command
