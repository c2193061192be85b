"""The run that SOURCE and RUN_ID name, for the commands that show one."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_eval_hooks.cli.say import BadLines

if TYPE_CHECKING:
    from rag_eval_hooks.replay.load import Pair

__all__ = ["RunId", "Source", "one_run"]

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A store, or JSONL of runs or evaluations; - is standard input.")
]
RunId = Annotated[
    str | None,
    typer.Argument(metavar="RUN_ID", help="Which run; else the newest of a store, the first of a file."),
]


def one_run(source: str, run_id: str | None) -> "Pair":
    """Returns the named run and its evaluation, without a name the newest of a store and the first of a file.

    Raises:
        InputError: If there is none.
    """
    from rag_eval_hooks.errors import InputError
    from rag_eval_hooks.replay import load_one

    bad = BadLines()
    pair = load_one(source, run_id, on_problem=bad, on_replaced=bad.replaced)
    bad.finish()
    if pair is not None:
        return pair
    if run_id is None:
        raise InputError(f"{source} holds no run that can be shown")
    raise InputError(f"{source} holds no run {run_id!r}; `rag-eval-hooks show SOURCE --list` lists them")
