"""The command `rag-eval-hooks`: one file per sub-command, each importing what it needs when it runs."""

from rag_eval_hooks.cli.app import app, main

__all__ = ["app", "main"]
