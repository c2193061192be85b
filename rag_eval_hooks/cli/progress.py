"""The bar that shows how far a log has been read."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rag_eval_hooks.cli.say import say

__all__ = ["Move", "Printer", "line_progress"]

Printer = Callable[[str], None]
Move = Callable[[int, int | None], None]


@contextmanager
def line_progress(what: str, *, quiet: bool = False) -> Iterator[tuple[Printer, Move | None]]:
    """Shows a bar on stderr where that is a terminal; gives how to print a line above it and how to move it.

    Args:
        what: What is being done to the lines, such as `evaluated`.
        quiet: No bar.
    """
    if quiet or not sys.stderr.isatty():
        yield say, None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    console = Console(stderr=True)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.fields[lines]} lines {task.description}", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(what, total=None, lines=0)
        count = 0

        def move(done: int, size: int | None) -> None:
            nonlocal count
            count += 1
            progress.update(task, completed=done, total=size, lines=f"{count:,}")

        yield (lambda text: console.print(Text(text), soft_wrap=True)), move
