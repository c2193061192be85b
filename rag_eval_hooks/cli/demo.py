"""`rag-eval-hooks demo`: a whole pipeline to look at, without network or key."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]


class Framework(StrEnum):
    """Whose pipeline to ask."""

    LANGCHAIN = "langchain"
    LLAMAINDEX = "llamaindex"
    BOTH = "both"


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the results go.")] = Path(
        "rag-eval-demo"
    ),
    framework: Annotated[
        Framework | None, typer.Option(help="Whose pipeline to ask; by default all that are installed.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER:NAME", help="A chat model of yours, through LangChain; else an extractive one, offline."
        ),
    ] = None,
    questions: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many questions to ask; by default all.")
    ] = None,
) -> None:
    """Try it on a small pipeline, offline.

    Asks the same small pipeline in LangChain and in LlamaIndex some questions, evaluates each answer, says whether the
    evaluations are equal, and writes a store and reports.

    \b
    Examples:
      rag-eval-hooks demo
      rag-eval-hooks demo --framework llamaindex
      rag-eval-hooks demo --model openai:gpt-5-mini --questions 5
    """
    from rich.console import Console

    from rag_eval_hooks.demo import run_demo
    from rag_eval_hooks.errors import ConfigError

    if output.exists() and not output.is_dir():
        raise ConfigError(f"{output} is a file; name a folder for the results")
    chosen = None if framework is None else framework.value
    raise typer.Exit(run_demo(output, framework=chosen, model=model, limit=questions, console=Console()))
