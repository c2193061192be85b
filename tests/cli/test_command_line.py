"""The command as people run it: exit codes, one clear line for each fault, and nothing half-written."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_calls import COMMAND, call, short, write_log
from typer.testing import CliRunner

from rag_eval_hooks import Evaluation, evaluate, read_run
from rag_eval_hooks.cli import app
from rag_eval_hooks.metrics import metric_classes
from rag_eval_hooks.pipeline import package_version
from rag_eval_hooks.sinks import read_store


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "log.jsonl", short("r1"), short("r2"), short("r3"))


def test_version_and_help() -> None:
    assert call("--version").stdout == f"rag-eval-hooks {package_version()}\n"
    shown = call("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "\n    rag-eval-hooks replay log.jsonl evaluations.jsonl --store runs.db\n" in shown.stdout
    assert call().stdout == shown.stdout
    for command in ("replay", "show", "explain", "report", "metrics", "recalibrate", "schema", "demo"):
        assert f"\n  {command} " in shown.stdout
        assert call(command, "--help").returncode == 0


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["replay", "--help"], ["schema", "run"], ["metrics"]])
@pytest.mark.parametrize(
    ("shell", "why"),
    [
        pytest.param('"$@" >&-', "Bad file descriptor", id="closed"),
        pytest.param('ulimit -f 0; "$@" >out', "File too large", id="full"),
    ],
)
def test_output_that_takes_nothing_is_one_line(tmp_path: Path, arguments: list[str], shell: str, why: str) -> None:
    command = ["sh", "-c", shell, "sh", *COMMAND, *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith("rag-eval-hooks: ")
    assert done.stderr.count("\n") == 1
    assert why in done.stderr


def test_a_closed_output_that_is_not_needed_is_no_fault(tmp_path: Path, log: Path) -> None:
    command = ["sh", "-c", '"$@" >&- 2>&-', "sh", *COMMAND, "replay", str(log), str(tmp_path / "out.jsonl")]
    assert subprocess.run(command, timeout=120).returncode == 0
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 3


def test_version_of_a_bare_source_tree_is_unknown() -> None:
    code = (
        "from importlib import metadata\n"
        "def version(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = version\n"
        "from rag_eval_hooks.cli import main\n"
        "main(['--version'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "rag-eval-hooks unknown\n", "")


def test_starting_is_light() -> None:
    """What only some commands need is not imported to print the help."""
    code = (
        "import sys; from rag_eval_hooks.cli import app; "
        "print(sorted({'sqlalchemy', 'jinja2', 'langchain_core', 'rich.progress', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_replay_writes_evaluations_and_says_how_many(tmp_path: Path, log: Path) -> None:
    done = call("replay", log, tmp_path / "out.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "3 lines read, 3 evaluated, 0 bad\n"
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert [Evaluation.model_validate_json(line) for line in lines] == [
        evaluate(read_run(short(name))) for name in ("r1", "r2", "r3")
    ]


def test_replay_names_the_fields_that_it_ignored(tmp_path: Path) -> None:
    lines = [short(f"r{number}", context=[]) for number in range(12)]
    log = write_log(tmp_path / "log.jsonl", *lines, short("x", gold={"relevant": ["c2"]}))
    done = call("replay", log, tmp_path / "out.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "ignored fields: context (12 lines; did you mean contexts?), "
        "gold.relevant (1 line; did you mean gold.relevant_ids?)\n"
        "13 lines read, 13 evaluated, 0 bad\n"
    )
    assert call("replay", log, tmp_path / "out.jsonl", "--quiet").stderr == ""


def test_replay_says_that_gold_ids_fit_no_chunk(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"), short("b", gold={"relevant_ids": ["doc/c2"]}))
    done = call("replay", log, tmp_path / "out.jsonl")
    assert done.returncode == 0
    assert done.stderr == (
        "gold: in 1 of 2 labelled runs no gold id names a chunk, its page or its document: "
        "nothing relevant was found, or the ids are of another kind\n"
        "2 lines read, 2 evaluated, 0 bad\n"
    )


def test_replay_says_that_repeated_ids_overwrite_in_a_store(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", *(short(name) for name in ("a", "b", "a", "a")))
    done = call("replay", log, tmp_path / "out.jsonl", "--store", tmp_path / "runs.db")
    assert done.returncode == 0
    assert done.stderr == (
        "4 lines read, 4 evaluated, 0 bad; 1 run id repeated: the store holds 2 runs of this replay, "
        "the last of each id\n"
    )
    assert len(list(read_store(tmp_path / "runs.db"))) == 2


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("written", ["runs.db", "./runs.db", "link.db"])
def test_replay_does_not_write_its_output_over_its_store(
    tmp_path: Path, log: Path, written: str, existing: bool
) -> None:
    store = tmp_path / "runs.db"
    (tmp_path / "link.db").symlink_to(store)
    if existing:
        assert call("replay", log, "-", "--store", store).returncode == 0
    done = call("replay", log, f"{tmp_path}/{written}", "--store", store)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is the store itself; give another file" in done.stderr
    assert store.exists() == existing
    assert not existing or len(list(read_store(store))) == 3


@pytest.mark.parametrize("command", [["replay", "{log}", "{db}"], ["report", "{log}", "--format", "md", "-o", "{db}"]])
def test_no_output_replaces_a_store(tmp_path: Path, log: Path, command: list[str]) -> None:
    store = tmp_path / "runs.db"
    assert call("replay", log, "-", "--store", store).returncode == 0
    done = call(*(part.format(log=log, db=store) for part in command))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is an SQLite database, which this output would replace; give another file" in done.stderr
    assert len(list(read_store(store))) == 3


def test_a_report_with_another_ending_takes_the_format_given(tmp_path: Path, log: Path) -> None:
    assert call("report", log, "-o", tmp_path / "numbers.txt", "--format", "json").returncode == 0
    assert json.loads((tmp_path / "numbers.txt").read_text("utf-8"))["runs"] == 3


def test_replay_from_stdin_to_stdout_and_quiet(log: Path) -> None:
    done = call("replay", "-", "--quiet", stdin=log.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line)["run_id"] for line in done.stdout.splitlines()] == ["r1", "r2", "r3"]


def test_a_cut_off_line_ends_in_exit_code_1(tmp_path: Path) -> None:
    """Scenario replay-01."""
    log = write_log(tmp_path / "log.jsonl", short("r1"), short("r2"), short("r3"))
    log.write_text(log.read_text() + '{"id": "r4", "question": "How ta')
    done = call("replay", log, tmp_path / "out.jsonl")
    assert done.returncode == 1
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 3
    first, last = done.stderr.splitlines()
    assert first.startswith("line 4: cut_off: the last line is cut off; not JSON: Unterminated string")
    assert last == "4 lines read, 3 evaluated, 1 bad (cut_off 1)"


def test_lines_of_the_wrong_shape_each_have_their_reason(tmp_path: Path) -> None:
    """Scenario replay-02."""
    shapes = ["42", '"text"', "[]", "{}", '{"contexts": "not a list", "answer": 5}']
    log = write_log(tmp_path / "log.jsonl", *shapes, short("good"))
    done = call("replay", log)
    assert done.returncode == 1
    assert [json.loads(line)["run_id"] for line in done.stdout.splitlines()] == ["good"]
    *reasons, last = done.stderr.splitlines()
    assert [reason.split(":")[0] for reason in reasons] == [f"line {number}" for number in range(1, 6)]
    assert all(": wrong_shape: " in reason for reason in reasons)
    assert last == "6 lines read, 1 evaluated, 5 bad (wrong_shape 5)"


def test_after_twenty_bad_lines_only_their_number_is_said(tmp_path: Path) -> None:
    done = call("replay", write_log(tmp_path / "log.jsonl", *["bad"] * 1022), "--quiet")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 20 + 1
    assert lines[-1] == "... and 1,002 more bad lines"


@pytest.mark.parametrize("command", [["replay", "-q"], ["show", "--list"], ["report", "--format", "md", "-o", "-"]])
def test_lines_that_are_not_utf8_are_said_once(tmp_path: Path, command: list[str]) -> None:
    lines = [json.dumps(short(name, tags=["caf\xe9"]), ensure_ascii=False) for name in ("r1", "r2", "r3")]
    log = tmp_path / "log.jsonl"
    log.write_bytes("\n".join(lines[:1]).encode("utf-8") + "\n\n{}\n{}\n".format(*lines[1:]).encode("latin-1"))
    done = call(command[0], log, *command[1:])
    assert done.returncode == 0
    assert done.stderr == (
        "not UTF-8: 2 lines, the first is line 3; bytes that could not be read were replaced. "
        "Convert the input first, such as iconv -f LATIN1 -t UTF-8\n"
    )


def test_a_bad_line_that_is_not_utf8_counts_as_both(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(json.dumps(short("r1")).encode() + b'\n{"caf\xe9"}\n["\xe9"]\n')
    done = call("replay", log, "-q")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 2 + 1)
    assert "not UTF-8: 2 lines, the first is line 2;" in done.stderr.splitlines()[-1]


def test_compare_says_which_file_is_not_utf8(tmp_path: Path, log: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(json.dumps(short("r1", tags=["\xe9"]), ensure_ascii=False).encode("latin-1") + b"\n")
    done = call("compare", log, other)
    assert done.returncode == 0
    assert f"not UTF-8: 1 line of {other}, the first is line 1;" in done.stderr


def test_replay_with_measures_and_cutoff(log: Path) -> None:
    done = call("replay", log, "-m", "R", "--metric", "R@2", "-m", "Groundedness", "--k", "1", "-q")
    results = json.loads(done.stdout.splitlines()[0])["results"]
    assert [(result["metric"], result["value"]) for result in results][:2] == [("R@1", 0.0), ("R@2", 1.0)]
    assert results[2]["metric"] == "Groundedness"


def test_replay_into_a_store_and_out_again(tmp_path: Path, log: Path) -> None:
    store = tmp_path / "runs.db"
    assert call("replay", log, tmp_path / "direct.jsonl", "--store", store).returncode == 0
    assert [run for run, _ in read_store(store)] == [read_run(short(name)) for name in ("r1", "r2", "r3")]
    assert call("replay", store, tmp_path / "again.jsonl", "--store", store).returncode == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "direct.jsonl").read_bytes()


FAULTS = [
    pytest.param(["bogus"], "No such command 'bogus'", id="command"),
    pytest.param(["replay"], "Missing argument 'IN'", id="no input"),
    pytest.param(["replay", "{log}", "--bogus"], "No such option", id="option"),
    pytest.param(["replay", "{log}", "{out}", "--k", "many"], "Invalid value for '--k'", id="k is no number"),
    pytest.param(["replay", "{log}", "{out}", "--k", "0"], "k: expected a whole number from 1, got 0", id="k is 0"),
    pytest.param(
        ["replay", "{log}", "{out}", "--k", "99999999999"], "k must be a whole number from 1 to", id="k is huge"
    ),
    pytest.param(["replay", "{log}", "{out}", "-m", "ndgc"], "unknown metric 'ndgc'; did you mean", id="measure"),
    pytest.param(["replay", "{log}", "{out}", "-m", "R@0"], "k must be a whole number", id="cut-off"),
    pytest.param(["replay", "{tmp}/none", "{out}"], "there is no file", id="no such file"),
    pytest.param(["replay", "{tmp}/none", "{out}", "--store", "{db}"], "there is no file", id="no store made in vain"),
    pytest.param(["replay", "{tmp}", "{out}"], "is a folder; name a JSONL file", id="folder as input"),
    pytest.param(["replay", "{log}", "{tmp}"], "is a folder; name a file in it", id="folder as output"),
    pytest.param(["replay", "{log}", "{tmp}/no/out"], "does not exist; create it first", id="no such folder"),
    pytest.param(["replay", "{log}", "/proc/out.jsonl"], "cannot write /proc/out.jsonl", id="not writable"),
    pytest.param(["replay", "{log}", "{log}"], "is the input itself", id="output is input"),
    pytest.param(
        ["replay", "{log}", "{out}", "--store", "{db}", "--store", "x.db"], "--store can be given once", id="2"
    ),
    pytest.param(["replay", "{log}", "{out}", "--store", "mysql://h/d"], "unknown kind of store 'mysql'", id="scheme"),
    pytest.param(["replay", "{log}", "{out}", "--store", "{log}"], "is not an SQLite file", id="store is no store"),
    pytest.param(["replay", "{log}", "{out}", "--store", "postgresql://h:1/d"], "cannot open postgresql", id="server"),
    pytest.param(["show", "{tmp}/none"], "there is no file", id="show nothing"),
    pytest.param(["show", "{log}", "r9"], "holds no run 'r9'; `rag-eval-hooks show SOURCE --list` lists", id="run"),
    pytest.param(["show", "{empty}"], "holds no run that can be shown", id="empty file"),
    pytest.param(["show", "mysql://h/d"], "unknown kind of store 'mysql'", id="show a URL"),
    pytest.param(["report", "{tmp}/none", "-o", "{out}.html"], "there is no file", id="report nothing"),
    pytest.param(["replay", "{bin}", "{out}"], "data.bin: this is not a text file", id="replay a binary file"),
    pytest.param(["show", "{bin}"], "data.bin: this is not a text file", id="show a binary file"),
    pytest.param(["report", "{bin}", "-o", "{out}.md"], "data.bin: this is not a text file", id="report binary"),
    pytest.param(["report", "{log}", "-o", "{out}.pdf"], "use .html, .md or .json, or give --format", id="ending"),
    pytest.param(["report", "{log}", "-o", "{out}"], "out: its ending says no format", id="no ending"),
    pytest.param(["report", "{log}", "-o", "-", "--format", "html"], "the HTML page goes to a file", id="page to -"),
    pytest.param(["report", "{log}", "-o", "{tmp}"], "its ending says no format", id="report to a folder"),
    pytest.param(["report", "{log}", "-o", "{tmp}", "--format", "html"], "is a folder", id="HTML to a folder"),
    pytest.param(["report", "{log}", "-o", "{tmp}/no/r.html"], "does not exist; create it first", id="report nowhere"),
    pytest.param(["report", "{log}", "-o", "{log}", "--format", "md"], "is the source itself", id="over its source"),
    pytest.param(["metrics", "recal"], "unknown metric 'recal'", id="metrics name"),
    pytest.param(["metrics", "Recall"], "unknown metric 'Recall'; did you mean 'R'?", id="metrics synonym"),
    pytest.param(["schema", "chunk"], "'run', 'evaluation'", id="schema"),
    pytest.param(["demo", "-o", "{log}"], "is a file; name a folder", id="demo to a file"),
]


@pytest.mark.parametrize(("arguments", "message"), FAULTS)
def test_a_fault_is_one_line_with_exit_code_2(tmp_path: Path, log: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "data.bin").write_bytes(b"\x93\x00\x01\x1b[31m\x00")
    before = log.read_bytes()
    places = {"log": log, "tmp": tmp_path, "out": tmp_path / "out", "db": tmp_path / "runs.db"}
    places |= {"empty": tmp_path / "empty", "bin": tmp_path / "data.bin"}
    done = call(*(argument.format(**places) for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("rag-eval-hooks: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert sorted(item.name for item in tmp_path.iterdir()) == ["data.bin", "empty", "log.jsonl"]
    assert log.read_bytes() == before


def test_a_missing_extra_is_one_line(log: Path) -> None:
    code = "import sys; sys.modules['psycopg'] = None; from rag_eval_hooks.cli import main; main()"
    command = [sys.executable, "-c", code, "replay", str(log), "--store", "postgresql://h/d"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'rag-eval-hooks: psycopg is not installed; run: pip install "rag-eval-hooks[postgres]"\n'


@pytest.mark.parametrize(
    ("missing", "wanted"),
    [
        pytest.param(["langchain_core", "llama_index.core"], [], id="no framework"),
        pytest.param(["langchain_core"], ["--framework", "langchain"], id="not LangChain"),
        pytest.param(["llama_index.core"], ["--framework", "both"], id="not both"),
        pytest.param(["bm25s"], [], id="no search"),
    ],
)
def test_the_demo_names_the_extra_that_is_missing(tmp_path: Path, missing: list[str], wanted: list[str]) -> None:
    gone = f"sys.modules.update(dict.fromkeys({missing}))"
    code = f"import sys; {gone}; from rag_eval_hooks.cli import main; main()"
    command = [sys.executable, "-c", code, "demo", *wanted, "-o", str(tmp_path / "demo")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert 'pip install "rag-eval-hooks[demo]"' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_demo_asks_the_framework_that_is_named(tmp_path: Path) -> None:
    done = call("demo", "--framework", "llamaindex", "--questions", "2", "-o", tmp_path / "demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Asking LlamaIndex 2 questions about ")
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"demo.sqlite", "report.html"}


def test_exit_codes_through_typer(log: Path) -> None:
    """The app itself, as typer's own runner sees it, ends with the same codes."""
    runner = CliRunner()
    assert runner.invoke(app, ["replay", str(log)]).exit_code == 0
    assert runner.invoke(app, ["replay", str(log) + ".none"]).exit_code == 2
    assert runner.invoke(app, ["replay"]).exit_code == 2


def test_show_takes_the_newest_the_first_or_the_named(tmp_path: Path, log: Path) -> None:
    call("replay", log, tmp_path / "out.jsonl", "--store", tmp_path / "runs.db")
    for source, run_id, expected in (
        (log, [], "r1"),
        (tmp_path / "runs.db", [], "r3"),
        (tmp_path / "runs.db", ["r2"], "r2"),
        (tmp_path / "out.jsonl", ["r2"], "r2"),
    ):
        done = call("show", source, *run_id)
        assert (done.returncode, done.stderr) == (0, "")
        assert expected in done.stdout
        assert not {"r1", "r2", "r3"} - {expected} & set(done.stdout.split())


def test_show_lists_runs_one_a_line(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("r1"), "bad", short("r2", question="Two\nlines?", answer=None))
    done = call("show", log, "--list")
    assert done.returncode == 1
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["r1", "ok", "answer", "How", "tall?"],
        ["r2", "ok", "empty", "Two", "lines?"],
    ]
    assert done.stderr.startswith("line 2: not_json: ")


def test_report_writes_one_page(tmp_path: Path, log: Path) -> None:
    done = call("report", log, "-o", tmp_path / "page.html")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"{tmp_path / 'page.html'}: 3 runs\n"
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "RAG evaluation of log.jsonl" in page
    assert "The mast is 31 metres tall." in page


def test_a_report_about_a_file_with_bad_lines_says_so(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("r1"), "bad")
    done = call("report", log, "-o", tmp_path / "page.html")
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["line 2", str(tmp_path / "page.html")]
    assert (tmp_path / "page.html").exists()


def test_metrics_lists_every_measure_and_explains_one() -> None:
    table = call("metrics").stdout
    for name in metric_classes():
        assert f"\n{name} " in table
    explained = call("metrics", "nDCG@5").stdout
    assert explained == call("metrics", "nDCG").stdout
    assert explained.startswith("nDCG\n\n")
    assert "Parameters:\n" in explained
    assert "  k (written @k): " in explained
    assert ">>>" not in explained


@pytest.mark.parametrize("record", ["run", "evaluation"])
def test_schema_describes_every_field(record: str) -> None:
    schema = json.loads(call("schema", record).stdout)
    record_fields = json.loads(
        (read_run(short("r")) if record == "run" else evaluate(read_run(short("r")))).model_dump_json()
    )
    assert set(schema["properties"]) == set(record_fields)
    assert all("description" in part for part in schema["properties"].values())


STEER = "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\x00\x07[bold]x[/bold]"


def steered() -> dict[str, Any]:
    """A run with escape sequences and markup in every text."""
    contexts = [
        {"id": f"{STEER}c1", "text": f"{STEER}The mast is 31 metres tall.", "metadata": {f"{STEER}k": f"{STEER}v"}},
        {"id": f"{STEER}c2", "text": f"{STEER}Tea is served at five."},
    ]
    return {
        "id": f"{STEER}r1",
        "question": f"{STEER}How tall is the mast?",
        "contexts": contexts,
        "answer": f"{STEER}The mast is 31 metres tall. [1] {STEER}Coffee is at nine. [7]",
        "gold": {"relevance": {f"{STEER}c1": 1}, "answer": STEER},
        "tags": [STEER],
        "metadata": {STEER: STEER},
        "k": 2,
    }


@pytest.mark.parametrize("stored", [False, True], ids=["log", "store"])
def test_nothing_of_a_run_steers_the_terminal(tmp_path: Path, stored: bool) -> None:
    log = write_log(
        tmp_path / "log.jsonl", steered(), f'{STEER}{{"question": "bad"', json.dumps({"k": STEER, "question": ""})
    )
    source = tmp_path / "runs.db" if stored else log
    if stored:
        call("replay", log, "--store", source)
    outputs = [
        call("show", source),
        call("show", source, "--list"),
        call("show", source, STEER.replace("\x00", "")),
        call("replay", log, tmp_path / "out.jsonl"),
        call("report", source, "-o", tmp_path / "page.html"),
        call("replay", f"{tmp_path}/\x1b[31mnone"),
        call("replay", log, "-m", "\x1b[31mR"),
        call("metrics", "\x1b[31mR"),
    ]
    for done in outputs:
        for text in (done.stdout, done.stderr):
            assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert "[bold]x[/bold]" in outputs[0].stdout  # shown as it is, not taken as markup
    assert json.loads((tmp_path / "out.jsonl").read_text("utf-8"))["question"] == f"{STEER}How tall is the mast?"


def test_a_terminal_that_cannot_show_a_character_is_no_fault(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("r1", question="Größe? 高"))
    for arguments in (["show", log], ["show", log, "--list"]):
        done = call(*arguments, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert (done.returncode, done.stderr) == (0, "")


@contextmanager
def streaming(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [*COMMAND, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def feed(process: subprocess.Popen[str], *names: str) -> None:
    assert process.stdin is not None
    for name in names:
        process.stdin.write(json.dumps(short(name)) + "\n")
    process.stdin.flush()


def test_lines_come_as_they_are_read_and_ctrl_c_ends_quietly() -> None:
    with streaming("replay", "-") as process:
        feed(process, "r1")
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["run_id"] == "r1"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_file_is_not_left_behind(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with streaming("replay", "-", str(tmp_path / "out.jsonl")) as process:
        feed(process, "r1")
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("bad\n")
        process.stdin.flush()
        assert process.stderr.readline().startswith("line 2: ")  # so it is in the middle of its work
        assert [item.suffix for item in tmp_path.iterdir()] == [".part"]
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (code, "")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    with streaming("replay", "-") as process:
        feed(process, "r1")
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        feed(process, "r2")
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) == 141


def test_on_a_terminal_there_is_a_bar_and_bad_lines_above_it(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("r1"), "bad\x1b[31m [bold]", short("r2"))
    main_end, other_end = pty.openpty()
    done = subprocess.run(
        [*COMMAND, "replay", str(log), str(tmp_path / "out.jsonl")],
        stderr=other_end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        check=False,
    )
    os.close(other_end)
    shown = b""
    try:
        while part := os.read(main_end, 65536):
            shown += part
    except OSError:  # Linux says EIO where the other end is closed
        pass
    os.close(main_end)
    text = shown.decode("utf-8")
    assert done.returncode == 1
    assert "3 lines" in text
    assert "line 2: not_json: " in text
    assert "bad [bold]" in text
    assert text.rstrip().endswith("3 lines read, 2 evaluated, 1 bad (not_json 1)")
    assert "\x1b[31m [bold]" not in text


def test_no_bar_where_stderr_is_no_terminal(log: Path, tmp_path: Path) -> None:
    done = call("replay", log, tmp_path / "out.jsonl", FORCE_COLOR="1")
    assert done.stderr == "3 lines read, 3 evaluated, 0 bad\n"
