"""A line that cannot be read costs that line, with its number and the reason; everything else is read."""

import gzip
import io
import json
from typing import Any

import pytest

from rag_eval_hooks import evaluate, read_run
from rag_eval_hooks.errors import InputError
from rag_eval_hooks.replay import Line, read_lines
from rag_eval_hooks.replay import lines as lines_module

GOOD = b'{"id": "g", "question": "q", "contexts": ["text"], "answer": "a"}'


def read(data: bytes) -> list[Line]:
    return list(read_lines(io.BytesIO(data)))


def one(data: bytes) -> Line:
    (line,) = read(data)
    return line


def problem(data: bytes) -> tuple[str, str]:
    line = one(data)
    assert line.run is None
    assert line.problem is not None
    return line.problem.kind, line.problem.message


def test_numbers_count_blank_lines() -> None:
    lines = read(b"\n" + GOOD + b"\n \t\r\n" + GOOD + b"\r\n\n")
    assert [(line.number, line.run is not None) for line in lines] == [(2, True), (4, True)]


def test_the_last_line_needs_no_newline() -> None:
    assert one(GOOD).run == read_run(json.loads(GOOD))


def test_a_last_line_that_is_cut_off_costs_only_itself() -> None:
    """Scenario replay-01: three records, and one line with its number and kind of fault."""
    lines = read(GOOD + b"\n" + GOOD + b"\n" + GOOD + b"\n" + b'{"id": "r4", "question": "How ta')
    assert [line.run is not None for line in lines] == [True, True, True, False]
    last = lines[-1].problem
    assert last is not None
    assert lines[-1].number == 4
    assert last.kind == "cut_off"
    assert last.message == "the last line is cut off; not JSON: Unterminated string starting at at character 26"
    assert last.excerpt == '{"id": "r4", "question": "How ta'


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        pytest.param(b"42", "wrong_shape", "expected a JSON object, got a number", id="number"),
        pytest.param(b'"text"', "wrong_shape", "expected a JSON object, got a text", id="text"),
        pytest.param(b"[]", "wrong_shape", "expected a JSON object, got a list", id="list"),
        pytest.param(b"null", "wrong_shape", "expected a JSON object, got null", id="null"),
        pytest.param(b"NaN", "wrong_shape", "expected a JSON object, got null", id="the word NaN alone"),
        pytest.param(b"{}", "wrong_shape", "the object has none of question, contexts, answer", id="empty object"),
        pytest.param(
            b'{"contexts": "no list", "answer": 5}', "wrong_shape", "contexts: expected a list", id="contexts"
        ),
        pytest.param(b'{"question": "q", "k": 0}', "wrong_shape", "k: expected a whole number from 1", id="k"),
        pytest.param(b'{"question": "q", "k": 1e999}', "wrong_shape", "k: expected a whole number", id="huge k"),
        pytest.param(b'{"question" "q"}', "not_json", "Expecting ':' delimiter at character 13", id="colon missing"),
        pytest.param(b"{'question': 'q'}", "not_json", "at character 2", id="Python's quotes"),
        pytest.param(GOOD + GOOD, "not_json", "Extra data at character 66", id="two objects in one line"),
        pytest.param(b"\x00\x00", "not_json", "at character 1", id="NUL bytes"),
        pytest.param(b"[" * 100_000, "not_json", "nested too deeply", id="deep nesting"),
        pytest.param(b'{"question": ' + b"9" * 5000 + b"}", "not_json", "too many digits", id="long number"),
        pytest.param(b"{", "not_json", "Write one object a line, as `jq -c` does", id="a document over several lines"),
    ],
)
def test_a_line_that_is_no_run(text: bytes, kind: str, message: str) -> None:
    found = problem(text + b"\n")
    assert found[0] == kind
    assert message in found[1]


def test_an_evaluation_is_no_run() -> None:
    text = evaluate(read_run(json.loads(GOOD))).model_dump_json().encode() + b"\n"
    assert problem(text) == ("wrong_shape", "this is an evaluation; to replay, give the runs")


def test_answers_nested_too_deeply_cost_their_line() -> None:
    depth = 900
    line = one(b'{"question": "q", "answer": ' + b"[" * depth + b"]" * depth + b"}\n")
    assert line.run is not None or (line.problem is not None and line.problem.message == "nested too deeply")


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        pytest.param(b"\xef\xbb\xbf" + GOOD, "question", "q", id="byte order mark"),
        pytest.param('{"question": "a\u2028b\u2029c\x85d"}'.encode(), "question", "a\u2028b\u2029c\x85d", id="U+2028"),
        pytest.param(b'{"question": "a\tb\x0b\x0cc"}', "question", "a\tb\x0b\x0cc", id="raw control characters"),
        pytest.param(b'{"question": "a\rb"}', "question", "a\rb", id="a carriage return ends no line"),
        pytest.param(rb'{"question": "\ud83d\ude00 \ud83d"}', "question", "\U0001f600 \ufffd", id="surrogates"),
        pytest.param(rb'{"question": "a\u0000b"}', "question", "a\x00b", id="NUL"),
        pytest.param(b'{"question": "a", "question": "b"}', "question", "b", id="a key twice: the last counts"),
    ],
)
def test_a_line_that_is_accepted_all_the_same(text: bytes, field: str, expected: str) -> None:
    assert getattr(one(text + b"\n").run, field) == expected


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "null"])
def test_numbers_that_are_none(word: str) -> None:
    text = f'{{"question": "q", "contexts": [{{"text": "t", "score": {word}}}], "metadata": {{"x": {word}}}}}\n'
    run = one(text.encode()).run
    assert run is not None
    assert run.stages[0].items[0].score is None
    assert run.metadata == {"x": None}


def test_joined_files_keep_their_byte_order_marks_and_lose_no_line() -> None:
    mark = b"\xef\xbb\xbf"
    lines = read(mark + GOOD + b"\n" + mark + GOOD + b"\n" + mark + mark + GOOD + b"\n" + mark)
    assert [(line.number, line.run) for line in lines] == [(n, read_run(json.loads(GOOD))) for n in (1, 2, 3)]


def test_bytes_that_are_no_utf8_are_replaced_and_said() -> None:
    run = one(b'{"question": "caf\xe9 \xff", "answer": "a"}\n').run
    assert run is not None
    assert run.question == "caf\ufffd \ufffd"
    assert run.flags == ("input:invalid_utf8",)


def test_utf16_is_refused_as_a_whole() -> None:
    with pytest.raises(InputError, match="UTF-16; convert it first"):
        read(GOOD.decode().encode("utf-16"))


def test_a_line_that_is_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", 100)
    long = b'{"question": "' + b"x" * 3_000_000 + b'"}'
    lines = read(GOOD + b"\n" + long + b"\n" + GOOD + b"\n" + long)
    assert [line.number for line in lines] == [1, 2, 3, 4]
    assert [line.problem.kind if line.problem else "" for line in lines] == ["", "too_long", "", "too_long"]


def test_a_line_of_just_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", len(GOOD))
    assert [line.run is not None for line in read(GOOD + b"\n" + GOOD)] == [True, True]
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", len(GOOD) - 1)
    assert [line.run is not None for line in read(GOOD + b"\n" + GOOD)] == [False, False]


def test_only_one_line_is_taken_at_a_time() -> None:
    """Constant memory: after the first run, no more than one buffer of the stream has been read."""
    stream = io.BytesIO((GOOD + b"\n") * 1000)
    lines = read_lines(stream)
    assert next(lines).number == 1
    assert stream.tell() == len(GOOD) + 1


def test_a_compressed_file_that_ends_early_is_reported() -> None:
    whole = gzip.compress(b"".join(b'{"question": "%d"}\n' % number for number in range(5000)))
    lines = list(read_lines(gzip.GzipFile(fileobj=io.BytesIO(whole[: len(whole) // 2]))))  # type: ignore[arg-type]
    assert len(lines) > 1
    assert all(line.run is not None for line in lines[:-1])
    last = lines[-1].problem
    assert last is not None
    assert last.kind == "damaged"


def test_stored_runs_are_read_back_equal() -> None:
    run = read_run(json.loads(GOOD))
    assert one(run.model_dump_json().encode()).run == run


def test_a_run_of_a_newer_schema_says_so() -> None:
    data: dict[str, Any] = read_run(json.loads(GOOD)).model_dump(mode="json") | {"schema_version": 2}
    assert "this package reads 1; upgrade rag-eval-hooks" in problem(json.dumps(data).encode() + b"\n")[1]


@pytest.mark.parametrize(
    "text",
    [
        b'{"question": "\x1b[31m\x1b]0;title\x07 ' + "\u202e".encode() + b"x" * 500,
        b'{"question": "q", "gold": {"relevance": {"a": "' + b"\\u001b[2J" * 100 + b'"}}}',
        b'{"question": "q", "k": "\\u001b[2J' + b"y" * 5000 + b'"}',
    ],
)
def test_excerpt_and_message_are_short_and_printable(text: bytes) -> None:
    found = one(text + b"\n").problem
    assert found is not None
    assert len(found.excerpt) <= 80
    assert len(found.message) <= 250
    assert (found.excerpt + found.message).isprintable()
