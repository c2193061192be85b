"""Runs in, evaluations out: same order, whole files only, and the same evaluation whichever way a run is read."""

import errno
import gzip
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag_eval_hooks import Evaluation, evaluate, read_run
from rag_eval_hooks.errors import ConfigError, InputError
from rag_eval_hooks.metrics import parse_metric
from rag_eval_hooks.replay import Line, load, load_one, replay
from rag_eval_hooks.replay import evaluated as evaluated_module
from rag_eval_hooks.replay.source import source_name
from rag_eval_hooks.sinks import FunctionSink, JsonlSink, MemorySink, SinkError, SqlSink, read_store


def short(name: str, **more: Any) -> dict[str, Any]:
    contexts = [{"id": "c1", "text": "The mast is 31 metres tall."}, {"id": "c2", "text": "Tea is served at five."}]
    return {"id": name, "question": "How tall?", "contexts": contexts, "answer": "31 metres. [1]"} | more


def write_log(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts), "utf-8")
    return path


def evaluations(path: Path) -> list[Evaluation]:
    lines = path.read_text("utf-8").split("\n")
    assert lines.pop() == ""
    return [Evaluation.model_validate_json(line) for line in lines]


def test_order_counts_and_equality(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("b"), "nonsense", short("a"), 42, "", short("c"))
    bad: list[Line] = []
    summary = replay(log, tmp_path / "out.jsonl", on_problem=bad.append)
    assert evaluations(tmp_path / "out.jsonl") == [evaluate(read_run(short(name))) for name in "bac"]
    assert (summary.read, summary.evaluated, dict(summary.bad)) == (5, 3, {"not_json": 1, "wrong_shape": 1})
    assert [line.number for line in bad] == [2, 4]
    assert sorted(item.name for item in tmp_path.iterdir()) == ["log.jsonl", "out.jsonl"]


def test_output_is_strict_json_in_utf8(tmp_path: Path) -> None:
    awkward = '{"id": "x", "question": "\\ud83d NaN \\u0000", "contexts": [{"text": "t", "score": NaN}], "answer": "ü"}'
    replay(write_log(tmp_path / "log.jsonl", awkward), tmp_path / "out.jsonl")

    def refuse(word: str) -> None:
        raise AssertionError(word)

    (line,) = (tmp_path / "out.jsonl").read_bytes().decode("utf-8").splitlines()
    assert json.loads(line, parse_constant=refuse)["question"] == "\ufffd NaN \x00"


def test_k_and_metrics_are_taken_over(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a", k=2, gold={"relevant_ids": ["c2"]}))
    replay(log, tmp_path / "out.jsonl", metrics=[parse_metric("R@1"), parse_metric("R@2")])
    (evaluation,) = evaluations(tmp_path / "out.jsonl")
    assert [(result.metric, result.value) for result in evaluation.results] == [("R@1", 0.0), ("R@2", 1.0)]
    replay(log, tmp_path / "out.jsonl", k=1)
    assert evaluations(tmp_path / "out.jsonl") == [evaluate(read_run(short("a", k=1, gold={"relevant_ids": ["c2"]})))]
    with pytest.raises(ConfigError, match="k: expected a whole number from 1, got 0"):
        replay(log, tmp_path / "out.jsonl", k=0)


def test_run_to_store_to_evaluation_is_the_same_as_directly(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", *(short(f"r{number}") for number in range(5)))
    with SqlSink(tmp_path / "runs.db") as sink, JsonlSink(tmp_path / "runs.jsonl", what="runs") as runs:
        replay(log, tmp_path / "direct.jsonl", sink=sink)
        replay(log, tmp_path / "direct.jsonl", sink=runs)
    for source in ("runs.db", "runs.jsonl"):
        summary = replay(tmp_path / source, tmp_path / "again.jsonl")
        assert (summary.read, summary.evaluated) == (5, 5)
        assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "direct.jsonl").read_bytes()


def test_a_store_can_be_evaluated_anew_into_itself(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", *(short(f"r{number}") for number in range(3)))
    with SqlSink(tmp_path / "runs.db") as sink:
        replay(log, tmp_path / "out.jsonl", metrics=[parse_metric("R@1")], sink=sink)
        replay(tmp_path / "runs.db", tmp_path / "out.jsonl", metrics=[parse_metric("R@2")], sink=sink)
    stored = list(read_store(tmp_path / "runs.db"))
    assert [(run.run_id, evaluation.results[0].metric) for run, evaluation in stored] == [
        (f"r{number}", "R@2") for number in range(3)
    ]


def test_gzip_is_read_whatever_the_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(gzip.compress(json.dumps(short("a")).encode() + b"\n"))
    assert replay(tmp_path / "log", tmp_path / "out.jsonl").evaluated == 1


def test_progress_ends_at_the_files_size(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"), short("b"))
    seen: list[tuple[int, int | None]] = []
    replay(log, tmp_path / "out.jsonl", on_progress=lambda done, size: seen.append((done, size)))
    assert len(seen) == 2
    assert seen[-1] == (log.stat().st_size, log.stat().st_size)


def test_a_run_that_cannot_be_evaluated_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_on_b(run: Any, metrics: Any, attributor: Any) -> Evaluation:
        if run.run_id == "b":
            raise ZeroDivisionError("secret text")
        return evaluate(run, metrics, attributor)

    monkeypatch.setattr(evaluated_module, "evaluate", fail_on_b)
    log = write_log(tmp_path / "log.jsonl", short("a"), short("b"), short("c"))
    bad: list[Line] = []
    summary = replay(log, tmp_path / "out.jsonl", on_problem=bad.append)
    assert (summary.evaluated, dict(summary.bad)) == (2, {"failed": 1})
    assert bad[0].problem is not None
    assert bad[0].problem.message == "the evaluation failed with ZeroDivisionError"


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), SinkError("the store is full")])
def test_an_interrupted_replay_leaves_the_old_file(tmp_path: Path, failure: BaseException) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"), short("b"))
    (tmp_path / "out.jsonl").write_text("old\n")

    def stop(run: Any, evaluation: Any) -> None:
        raise failure

    with pytest.raises(type(failure)):
        replay(log, tmp_path / "out.jsonl", sink=FunctionSink(stop))
    assert (tmp_path / "out.jsonl").read_text() == "old\n"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["log.jsonl", "out.jsonl"]


FULL_DISK = """
import resource, sys
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.replay import replay
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    replay(sys.argv[1], sys.argv[2])
except ConfigError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("gold", "labelled", "unmatched"),
    [
        pytest.param({"relevant_ids": ["c2", "elsewhere"]}, 1, 0, id="one id fits"),
        pytest.param({"relevant_ids": ["C2"]}, 1, 1, id="no id fits"),
        pytest.param({"relevance": {"c1": 0}}, 1, 0, id="judged as not relevant fits, too"),
        pytest.param({"evidence_sets": [["x"], ["c1", "y"]]}, 1, 0, id="of an evidence set"),
        pytest.param({"relevant_ids": ["guide.pdf"]}, 1, 0, id="a document"),
        pytest.param({"relevant_ids": ["guide.pdf#page=7"]}, 1, 0, id="a page"),
        pytest.param({"answer": "31 metres"}, 0, 0, id="no ids"),
        pytest.param(None, 0, 0, id="no gold"),
    ],
)
def test_gold_ids_that_fit_no_chunk_are_counted(tmp_path: Path, gold: Any, labelled: int, unmatched: int) -> None:
    contexts = [{"id": "c1", "text": "Tea."}, {"id": "c2", "metadata": {"source": "guide.pdf", "page": 7}}]
    log = write_log(tmp_path / "log.jsonl", short("a", gold=gold, contexts=contexts))
    done = replay(log, tmp_path / "out.jsonl")
    assert (done.labelled, done.unmatched) == (labelled, unmatched)


def test_a_run_without_chunks_tells_nothing_of_its_gold_ids(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a", gold={"relevant_ids": ["c1"]}, contexts=[]))
    assert replay(log, tmp_path / "out.jsonl").labelled == 0


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", *(short(f"r{number}") for number in range(50)))
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-c", FULL_DISK, str(log), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {out}: {os.strerror(errno.EFBIG)}; nothing was written\n"
    assert [item.name for item in tmp_path.iterdir()] == ["log.jsonl"]


def test_the_new_file_has_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"))
    old = os.umask(0o027)
    try:
        replay(log, tmp_path / "out.jsonl")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o640
    (tmp_path / "out.jsonl").chmod(0o604)
    replay(log, tmp_path / "out.jsonl")
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o604


def test_of_a_link_the_file_behind_it_is_written(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"))
    (tmp_path / "link").symlink_to(tmp_path / "real.jsonl")
    replay(log, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert len(evaluations(tmp_path / "real.jsonl")) == 1


@pytest.mark.parametrize(
    ("source", "target", "error", "message"),
    [
        ("none.jsonl", "out.jsonl", InputError, "there is no file"),
        (".", "out.jsonl", InputError, "is a folder; name a JSONL file"),
        ("log.jsonl", ".", ConfigError, "is a folder; name a file in it"),
        ("log.jsonl", "no/out.jsonl", ConfigError, "does not exist; create it first"),
        ("log.jsonl", "./log.jsonl", ConfigError, "is the input itself"),
    ],
)
def test_places_that_cannot_be_used(
    tmp_path: Path, source: str, target: str, error: type[Exception], message: str
) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"))
    before = log.read_bytes()
    with pytest.raises(error, match=message):
        replay(tmp_path / source, tmp_path / target)
    assert [item.name for item in tmp_path.iterdir()] == ["log.jsonl"]
    assert log.read_bytes() == before


def test_load_gives_the_same_pairs_from_every_source(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"), short("b"))
    memory = MemorySink()
    replay(log, tmp_path / "evaluations.jsonl", sink=memory)
    with SqlSink(tmp_path / "runs.db") as sql, JsonlSink(tmp_path / "runs.jsonl", what="runs") as runs:
        for record in memory.records:
            sql.write(*record)
            runs.write(*record)
    for source in ("log.jsonl", "runs.db", "runs.jsonl"):
        assert list(load(tmp_path / source)) == memory.records
    assert list(load(tmp_path / "evaluations.jsonl")) == [(None, evaluation) for _, evaluation in memory.records]


def test_load_raises_at_a_bad_line_or_reports_it(tmp_path: Path) -> None:
    broken = {"made_by": {}, "results": []}
    log = write_log(tmp_path / "log.jsonl", short("a"), "nonsense", broken, short("b"))
    with pytest.raises(InputError, match="line 2: not JSON"):
        list(load(log))
    bad: list[Line] = []
    assert [evaluation.run_id for _, evaluation in load(log, on_problem=bad.append)] == ["a", "b"]
    assert [(line.number, line.problem.kind) for line in bad if line.problem] == [(2, "not_json"), (3, "wrong_shape")]


def test_load_one_is_the_first_of_a_file_and_the_newest_of_a_store(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"), short("b"))
    with SqlSink(tmp_path / "runs.db") as sink:
        replay(log, tmp_path / "out.jsonl", sink=sink)

    def name(source: str, run_id: str | None = None) -> str | None:
        pair = load_one(tmp_path / source, run_id)
        return pair[1].run_id if pair else None

    assert [name("log.jsonl"), name("log.jsonl", "b"), name("log.jsonl", "c")] == ["a", "b", None]
    assert [name("runs.db"), name("runs.db", "a"), name("runs.db", "c")] == ["b", "a", None]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("-", "standard input"),
        ("/data/log.jsonl", "log.jsonl"),
        ("postgresql+psycopg://ada:p@ss@h:5/rag?sslmode=require", "postgresql://h:5/rag"),
    ],
)
def test_a_source_is_named_without_its_password(source: str, expected: str) -> None:
    assert source_name(source) == expected


def test_ignored_fields_are_counted_by_name(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a", context=[]), short("b", context=[], gold={"relevant": []}), "{}")
    assert replay(log, tmp_path / "out.jsonl").ignored == {"context": 2, "gold.relevant": 1}


def test_keys_that_all_differ_do_not_fill_the_memory(tmp_path: Path) -> None:
    """210 lines of five keys each are 1,050 names; 1,000 are kept, and a name that is kept counts on."""
    lines = [short(f"r{line}", **{f"key{line}_{key}": 1 for key in range(5)}) for line in range(210)]
    summary = replay(write_log(tmp_path / "log.jsonl", *lines, short("z", key0_0=1)), tmp_path / "out.jsonl")
    assert len(summary.ignored) == 1000
    assert summary.ignored["key0_0"] == 2


def test_repeated_ids_are_counted_where_they_overwrite(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", *(short(name) for name in ("a", "b", "a", "a", "c", "c")))
    with SqlSink(tmp_path / "runs.db") as sink:
        summary = replay(log, tmp_path / "out.jsonl", sink=sink)
    assert (summary.evaluated, summary.stored, summary.repeated_ids) == (6, 3, 2)
    assert [run.run_id for run, _ in read_store(tmp_path / "runs.db")] == ["b", "a", "c"]
    plain = replay(log, tmp_path / "out.jsonl")
    assert (plain.stored, plain.repeated_ids) == (None, 0), "a file keeps each line"


@pytest.mark.parametrize("start", [b"\x00\x01", b"\n\x00{", b"\x7fELF\x02\x01\x00"])
def test_a_binary_file_is_no_text(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "data.bin").write_bytes(start + b"\xff\xfe more")
    with pytest.raises(InputError, match=r"data\.bin: this is not a text file; name JSONL"):
        replay(tmp_path / "data.bin", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_a_log_with_a_damaged_line_is_still_read(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", short("a"), "\x00\x00\x00", short("b"))
    summary = replay(log, tmp_path / "out.jsonl")
    assert (summary.evaluated, summary.bad) == (2, {"not_json": 1})


def test_utf16_is_still_told_how_to_convert(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("{}\n", "utf-16")
    with pytest.raises(InputError, match="iconv -f UTF-16"):
        replay(tmp_path / "log.jsonl", tmp_path / "out.jsonl")
