"""Puts the sub-commands together, and turns every fault into one line and an exit code."""

import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rag_eval_hooks.cli.compare import compare
from rag_eval_hooks.cli.demo import demo
from rag_eval_hooks.cli.explain import explain
from rag_eval_hooks.cli.measure import measure
from rag_eval_hooks.cli.metrics import metrics
from rag_eval_hooks.cli.recalibrate import recalibrate
from rag_eval_hooks.cli.replay import replay
from rag_eval_hooks.cli.report import report
from rag_eval_hooks.cli.say import error_line
from rag_eval_hooks.cli.schema import schema
from rag_eval_hooks.cli.show import show
from rag_eval_hooks.errors import RagEvalHooksError
from rag_eval_hooks.pipeline import package_version

__all__ = ["app", "main"]

UNUSABLE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143

EXAMPLES = """\b
Examples:
  rag-eval-hooks replay log.jsonl evaluations.jsonl --store runs.db
  rag-eval-hooks show runs.db
  rag-eval-hooks explain runs.db
  rag-eval-hooks report runs.db -o report.html
  rag-eval-hooks compare before.db after.db
  rag-eval-hooks metrics ContextPrecision
  rag-eval-hooks measure --qrels qrels.txt --run bm25.run

\b
Exit codes: 0 done, 1 done but some lines were bad (or, with compare --fail-on-drop, a measure got worse),
2 not possible (the message says what to do).
"""


class _Group(TyperGroup):
    """Runs a sub-command; what it cannot do becomes one line on stderr, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except RagEvalHooksError as error:
            error_line(str(error))
        except BrokenPipeError:
            _let_go_of_stdout()
            raise typer.Exit(BROKEN_PIPE) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            error_line(f"{where}{error.strerror or error}")
        raise typer.Exit(UNUSABLE)


app = typer.Typer(
    cls=_Group,
    name="rag-eval-hooks",
    help="Which retrieved chunks did the answer use, was the evidence complete, and does each citation hold?",
    epilog=EXAMPLES,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (replay, show, explain, report, compare, measure, metrics, recalibrate, schema, demo):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rag-eval-hooks {package_version()}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  its callback has acted by then
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Takes the options that stand before the sub-command; without one, shows the help."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process with its exit code.

    Args:
        arguments: What follows the command's name; by default the process's own.

    Raises:
        SystemExit: Always; 0 done, 1 done with losses, 2 not possible, 130 after Ctrl-C, 141 where nobody reads on,
            143 when told to end.
    """
    # A stopped container must not leave half a file behind: ending by exception lets every block clean up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    # typer carries its own copy of click in newer versions, so its error classes are found from what it exports.
    usage_error: Any = typer.BadParameter.__mro__[1]
    _stand_in_for_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character is no fault
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
        return _flushed(code if isinstance(code, int) else 0)
    except usage_error as error:
        error_line(f"{str(error.format_message()).rstrip('.')}; `rag-eval-hooks --help` shows what can be given")
        return UNUSABLE
    except BrokenPipeError:
        _let_go_of_stdout()
        return BROKEN_PIPE
    except OSError as error:  # the help and the version are written before a sub-command runs
        error_line(f"cannot write to standard output: {error.strerror or error}")
        _let_go_of_stdout()
        return UNUSABLE
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED


def _flushed(code: int) -> int:
    """Writes out what is left for stdout; returns `code`, or raises where the output is lost and nobody said so."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        if code != UNUSABLE:
            raise
        _let_go_of_stdout()  # the line on stderr is there already
    return code


def _stand_in_for_closed_streams() -> None:
    """Puts a stream in place of each that the caller closed (`>&-`), for which Python has None.

    Writing to the one for stdout fails as to any stream that takes nothing; it also keeps the number of stdout from
    being given to the next file that is opened.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  until the process ends


def _let_go_of_stdout() -> None:
    """Points stdout to nowhere, or Python would complain about the pipe once more when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
