"""`rag-eval-hooks schema`: the JSON Schema of what is stored and written."""

import json
from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["schema"]


class Record(StrEnum):
    """What can be described."""

    run = "run"
    evaluation = "evaluation"


def schema(record: Annotated[Record, typer.Argument(help="Which record.")]) -> None:
    """Print the JSON Schema of a run or an evaluation."""
    from rag_eval_hooks.record import Evaluation, RagRun

    model = RagRun if record is Record.run else Evaluation
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(mode="serialization"),
    }
    typer.echo(json.dumps(described, indent=2))
