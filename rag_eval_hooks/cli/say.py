"""Lines on stderr: untrusted text made printable, bad lines counted after the first few."""

import sys
from collections.abc import Callable

from rag_eval_hooks.replay.lines import Line
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.reports.words import counted

__all__ = ["BadLines", "error_line", "say"]

SHOWN = 20
MAX_MESSAGE = 1_000


def say(text: str) -> None:
    """Prints one line on stderr."""
    sys.stderr.write(one_line(text, MAX_MESSAGE) + "\n")
    sys.stderr.flush()


def error_line(text: str) -> None:
    """Prints the line that says why the command ends."""
    say(f"rag-eval-hooks: {text}")


class BadLines:
    """Reports lines that gave no run: the first 20 one by one, the others as a number.

    Args:
        printer: Prints one line; `say` where no progress bar is in the way.
    """

    def __init__(self, printer: Callable[[str], None] = say) -> None:
        self.count = 0
        self._print = printer

    def __call__(self, line: Line) -> None:
        """Counts and perhaps prints one line's problem."""
        self.count += 1
        if self.count > SHOWN or line.problem is None:
            return
        excerpt = f": {line.problem.excerpt}" if line.problem.excerpt else ""
        self._print(f"line {line.number}: {line.problem.kind}: {line.problem.message}{excerpt}")

    def finish(self) -> None:
        """Says how many lines were not shown."""
        if self.count > SHOWN:
            self._print(f"... and {counted(self.count - SHOWN, 'more bad line')}")
