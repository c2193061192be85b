"""`recalibrate`, and the settings of attribution that `replay` takes, as people run them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_calls import COMMAND, call, short, write_log

from rag_eval_hooks import Evaluation


def labelled_log(path: Path, count: int, **more: Any) -> Path:
    """Runs in which the second chunk is quoted, and people say that it was not used."""
    answer = "The mast is 31 metres tall. Tea is served at five."
    return write_log(
        path, *(short(f"r{number}", answer=answer, gold={"used": ["c1"], **more}) for number in range(count))
    )


def test_recalibrate_and_replay_with_what_it_wrote(tmp_path: Path) -> None:
    log = labelled_log(tmp_path / "labelled.jsonl", 30)
    fitted = tmp_path / "calibration.json"
    done = call("recalibrate", log, "--output", fitted)
    assert (done.returncode, done.stderr) == (0, f"written: {fitted}\n")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("use: 60 labels, 50.0% positive; slope ")
    assert [line.split()[0] for line in lines[2:]] == ["ECE", "before", "after", "support:"]
    before, after = (list(map(float, line.split()[1:])) for line in lines[3:5])
    assert after[0] < before[0]
    assert after[1] < before[1]
    call("replay", log, tmp_path / "plain.jsonl")
    done = call("replay", log, tmp_path / "fitted.jsonl", "--calibration", fitted)
    assert (done.returncode, done.stderr) == (0, "30 lines read, 30 evaluated, 0 bad\n")
    plain, calibrated = (
        Evaluation.model_validate_json((tmp_path / name).read_text("utf-8").splitlines()[0])
        for name in ("plain.jsonl", "fitted.jsonl")
    )
    assert (plain.made_by.attributor, calibrated.made_by.attributor) == ("tier0", "tier0+calibrated")
    was, now = plain.chunks[1].use_probability, calibrated.chunks[1].use_probability
    assert was is not None
    assert now is not None
    assert now < was


def test_recalibrate_shifts_to_the_traffic(tmp_path: Path) -> None:
    log = labelled_log(tmp_path / "labelled.jsonl", 30)
    traffic = write_log(tmp_path / "traffic.jsonl", *(short(f"t{number}") for number in range(20)))
    done = call("recalibrate", log, "-o", tmp_path / "c.json", "--traffic", traffic)
    assert done.returncode == 0
    assert "of the traffic is positive; of the labels 50.0%" in done.stdout
    without = call("recalibrate", log, "-o", "-")
    assert "positive" in without.stderr
    plain, shifted = json.loads(without.stdout)["use"], json.loads((tmp_path / "c.json").read_text("utf-8"))["use"]
    assert plain["slope"] == shifted["slope"]
    assert (shifted["share"] < 0.5) == (shifted["intercept"] < plain["intercept"])


def test_recalibrate_warns_of_labels_that_contradict_each_other(tmp_path: Path) -> None:
    log = labelled_log(tmp_path / "labelled.jsonl", 30)
    with log.open("a", encoding="utf-8") as file:
        answer = "The mast is 31 metres tall. Tea is served at five."
        file.write(json.dumps(short("other", answer=answer, gold={"used": ["c2"]})) + "\n")
    done = call("recalibrate", log, "-o", tmp_path / "c.json", "--quiet")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "warning: labels contradict each other: 2 of them say the opposite of an earlier label of the same chunk or "
        "claim of the same run; the first is in run other\n"
    )


def test_recalibrate_says_what_is_missing(tmp_path: Path) -> None:
    log = labelled_log(tmp_path / "labelled.jsonl", 3)
    done = call("recalibrate", log, "-o", tmp_path / "c.json")
    assert done.returncode == 2
    assert "at least 20 labels of a head are needed" in done.stderr
    assert "use 6 (3 positive), support none" in done.stderr
    assert not (tmp_path / "c.json").exists()
    many = labelled_log(tmp_path / "many.jsonl", 30)
    with many.open("a", encoding="utf-8") as file:
        file.write(json.dumps(short("bad", gold={"supported": [True] * 9})) + "\n{\n")
    done = call("recalibrate", many, "-o", tmp_path / "c.json")
    assert done.returncode == 1
    assert "line 31: wrong_shape: gold.supported has 9 verdicts" in done.stderr
    assert "line 32: not_json" in done.stderr
    assert (tmp_path / "c.json").exists()
    done = call("recalibrate", many, "-o", many)
    assert (done.returncode, "is one of the inputs" in done.stderr) == (2, True)


def test_the_same_background_gives_the_same_evaluations(tmp_path: Path) -> None:
    log = write_log(
        tmp_path / "log.jsonl",
        *(
            short(f"r{number}", contexts=[{"id": "c1", "text": f"The mast of ship {number} is {number} m tall."}])
            for number in range(30)
        ),
    )
    stored = tmp_path / "background.json"
    learned = call("replay", log, tmp_path / "1.jsonl", "--background", "learn", "--save-background", stored)
    assert learned.returncode == 0
    again = call("replay", log, tmp_path / "2.jsonl", "--background", stored)
    assert (again.returncode, again.stderr) == (0, learned.stderr)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    first = Evaluation.model_validate_json((tmp_path / "1.jsonl").read_text("utf-8").splitlines()[0])
    assert first.made_by.attributor == "tier0+background"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--background", "missing.json"], "cannot read the background file missing.json", id="missing"),
        pytest.param(["--calibration", "log.jsonl"], "log.jsonl is no calibration file", id="another kind"),
        pytest.param(["--save-background", "b.json"], "give both", id="nothing learned"),
        pytest.param(["--background", "learn", "--save-background", "log.jsonl"], "is the input itself", id="input"),
        pytest.param(
            ["--background", "learn", "--save-background", "out.jsonl"], "the file for the evalu", id="output"
        ),
    ],
)
def test_settings_that_cannot_be_used_are_one_line(tmp_path: Path, options: list[str], message: str) -> None:
    write_log(tmp_path / "log.jsonl", short("r1"))
    command = [*COMMAND, "replay", "log.jsonl", "out.jsonl", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()
    assert json.loads((tmp_path / "log.jsonl").read_text("utf-8"))["id"] == "r1"


def test_standard_input_cannot_be_learned_from() -> None:
    done = call("replay", "-", "--background", "learn", stdin=json.dumps(short("r1")))
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input can be read only once" in done.stderr
