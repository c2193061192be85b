"""`rag-eval-hooks demo`: a whole pipeline to look at, without network or key."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the results go.")] = Path(
        "rag-eval-demo"
    ),
    model: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER:NAME", help="A chat model of yours; else an extractive one, offline."),
    ] = None,
    questions: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many questions to ask; by default all.")
    ] = None,
) -> None:
    """Try it on a small pipeline, offline.

    Asks a small LangChain pipeline some questions, evaluates each answer and writes a store and a report.

    \b
    Examples:
      rag-eval-hooks demo
      rag-eval-hooks demo --model openai:gpt-5-mini --questions 5
    """
    from rich.console import Console

    from rag_eval_hooks.errors import ConfigError, MissingExtraError

    if output.exists() and not output.is_dir():
        raise ConfigError(f"{output} is a file; name a folder for the results")
    try:
        from rag_eval_hooks_langchain.demo import run_demo
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "langchain-core", "demo") from error
    raise typer.Exit(run_demo(output, model=model, limit=questions, console=Console()))
