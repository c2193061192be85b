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
    """Reports lines that gave no run, the first 20 one by one, and how many lines were read with replaced bytes.

    Args:
        printer: Prints one line; `say` where no progress bar is in the way.
    """

    def __init__(self, printer: Callable[[str], None] = say) -> None:
        self.count = 0
        self._replaced: dict[str, list[int]] = {}
        self._print = printer

    def __call__(self, line: Line) -> None:
        """Counts and perhaps prints one line's problem."""
        self.count += 1
        if self.count > SHOWN or line.problem is None:
            return
        excerpt = f": {line.problem.excerpt}" if line.problem.excerpt else ""
        self._print(f"line {line.number}: {line.problem.kind}: {line.problem.message}{excerpt}")

    def replaced(self, number: int, source: str = "") -> None:
        """Notes a line that is not UTF-8; `source` names the input where there are two."""
        count_and_first = self._replaced.setdefault(source, [0, number])
        count_and_first[0] += 1

    def finish(self) -> None:
        """Says how many lines were not shown, and how many are not UTF-8."""
        if self.count > SHOWN:
            self._print(f"... and {counted(self.count - SHOWN, 'more bad line')}")
        for source, (count, first) in self._replaced.items():
            where = f" of {source}" if source else ""
            self._print(
                f"not UTF-8: {counted(count, 'line')}{where}, the first is line {first}; bytes that could not be read "
                "were replaced. Convert the input first, such as iconv -f LATIN1 -t UTF-8"
            )
