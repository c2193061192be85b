"""Reads JSONL as real logs hold it: a line that cannot be read costs that line, with its number and the reason."""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from rag_eval_hooks.errors import InputError
from rag_eval_hooks.record import RagRun, read_run
from rag_eval_hooks.reports.plain import one_line

__all__ = ["MAX_LINE_BYTES", "JsonLine", "Line", "Problem", "is_evaluation", "read_json_lines", "read_lines", "run_of"]

MAX_LINE_BYTES = 32 * 1024 * 1024
"""A longer line is a problem of its own: it is skipped without being held in memory."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

ProblemKind = Literal["not_json", "cut_off", "wrong_shape", "too_long", "damaged", "failed"]


@dataclass(frozen=True)
class Problem:
    """Why a line gave no run."""

    kind: ProblemKind
    """`not_json`; `cut_off`: the last line, not ended; `wrong_shape`: JSON, but no run; `too_long`; `damaged`: the
    rest of a compressed file or a stored record; `failed`: the evaluation itself."""
    message: str
    """What is wrong and where, fit to be printed."""
    excerpt: str = ""
    """The start of the line: printable, one line, at most 80 characters."""


@dataclass(frozen=True)
class Line:
    """One line of the input that is not blank: a run, or the problem with it."""

    number: int
    """The line's number, from 1; for a store, the record's."""
    run: RagRun | None = None
    """The run; None where there is a problem."""
    problem: Problem | None = None
    """Why there is no run."""
    valid_utf8: bool = True
    """False where bytes of the line are no UTF-8 and were replaced by U+FFFD."""


@dataclass(frozen=True)
class JsonLine:
    """One line that is not blank, parsed: any JSON value, or the problem with it."""

    number: int
    data: Any = None
    problem: Problem | None = None
    excerpt: str = ""
    valid_utf8: bool = True


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    r"""Yields each line of `stream` that is not blank, as a run or with the problem that it has.

    Only `\n` ends a line. A byte order mark before a line is skipped, bytes that are no UTF-8 become U+FFFD (the run
    then carries the flag `input:invalid_utf8`), and the words NaN and Infinity are read as null.
    Holds one line at a time, of at most `MAX_LINE_BYTES`.

    Raises:
        InputError: If the whole stream is in another encoding (UTF-16).
    """
    for line in read_json_lines(stream):
        found = run_of(line)
        if isinstance(found, Problem):
            yield Line(line.number, problem=found, valid_utf8=line.valid_utf8)
        else:
            yield Line(line.number, run=found, valid_utf8=line.valid_utf8)


def run_of(line: JsonLine) -> RagRun | Problem:
    """Returns the run in a parsed line, or the problem with it."""
    if line.problem is not None:
        return line.problem
    if is_evaluation(line.data):
        return _shape("this is an evaluation; to replay, give the runs", line)
    try:
        run = read_run(line.data)
    except InputError as error:
        return _shape(str(error), line)
    except RecursionError:
        return _shape("nested too deeply", line)
    if not line.valid_utf8:
        run = run.model_copy(update={"flags": (*run.flags, "input:invalid_utf8")})
    return run


def is_evaluation(data: Any) -> bool:
    """Whether a JSON value is a stored evaluation: it says what made it and has results."""
    return isinstance(data, dict) and "made_by" in data and "results" in data


def read_json_lines(stream: BinaryIO) -> Iterator[JsonLine]:
    """Yields each line that is not blank as a JSON value or a problem; see `read_lines` for what is accepted."""
    number = 0
    while True:
        number += 1
        try:
            raw, too_long = _next_line(stream)
        except (EOFError, OSError, zlib.error) as error:
            message = f"the input ends here, it cannot be read on: {one_line(str(error), 200)}"
            yield JsonLine(number, problem=Problem("damaged", message))
            return
        if not raw:
            return
        if number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError("the input is in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8")
        while raw.startswith(BYTE_ORDER_MARK):  # on later lines too, and repeated: joined files keep theirs
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        if too_long:
            message = f"the line is longer than {MAX_LINE_BYTES // 1024**2} MiB"
            yield JsonLine(number, problem=Problem("too_long", message, _excerpt(raw)))
        elif raw.strip():
            yield _parse(number, raw)


def _next_line(stream: BinaryIO) -> tuple[bytes, bool]:
    """The next line, or its start and True where it is too long."""
    raw = stream.readline(MAX_LINE_BYTES + 1)
    if len(raw) <= MAX_LINE_BYTES or raw.endswith(b"\n"):
        return raw, False
    while True:
        rest = stream.readline(1024 * 1024)
        if not rest or rest.endswith(b"\n"):
            return raw[:1024], True


def _parse(number: int, raw: bytes) -> JsonLine:
    try:
        text, valid = raw.decode("utf-8"), True
    except UnicodeDecodeError:
        text, valid = raw.decode("utf-8", "replace"), False
    excerpt = _excerpt(raw)
    try:
        # Raw control characters within texts are no reason to lose a line, so strict=False.
        data = json.loads(text, strict=False, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} at character {error.pos + 1}"
        if not raw.endswith(b"\n"):
            return JsonLine(
                number, problem=Problem("cut_off", f"the last line is cut off; {message}", excerpt), valid_utf8=valid
            )
        if raw.strip() in (b"[", b"{"):
            message += "; a document over several lines? Write one object a line, as `jq -c` does"
        return JsonLine(number, problem=Problem("not_json", message, excerpt), valid_utf8=valid)
    except RecursionError:
        return JsonLine(number, problem=Problem("not_json", "nested too deeply", excerpt), valid_utf8=valid)
    except ValueError:
        return JsonLine(number, problem=Problem("not_json", "a number with too many digits", excerpt), valid_utf8=valid)
    return JsonLine(number, data, None, excerpt, valid)


def _shape(message: str, line: JsonLine) -> Problem:
    # Messages of `read_run` may quote a value of the line.
    return Problem("wrong_shape", one_line(message, 200), line.excerpt)


def _excerpt(raw: bytes) -> str:
    return one_line(raw[:1024].decode("utf-8", "replace"), 80)
