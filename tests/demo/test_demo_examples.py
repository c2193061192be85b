"""The examples run as they stand: in a process of their own, without network or key, and say what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(
            "01_attach_to_a_chain.py",
            ["question: How long is the warranty on a kettle?", "chunk 2 warranty: used", "claim: supported: "],
            id="attach",
        ),
        pytest.param(
            "02_streaming.py",
            ["ok: When does the museum open?", "abandoned: Is it open on Mondays?", "first token after"],
            id="streaming",
        ),
        pytest.param(
            "03_replay_a_log.py",
            ["3 lines read, 3 evaluated", "q1 answer: nothing to report", "q3 refusal:", "RR@2 0.7500 (2 scored, "],
            id="replay",
        ),
        pytest.param(
            "04_agent.py",
            [
                "round 1: 'ferry' found ferry, ticket\nround 2: 'hotel' found hotel\nmodel calls: 3\n",
                "claim: conflict: A ticket costs 24 euros.",
            ],
            id="agent",
        ),
        pytest.param(
            "05_langgraph.py",
            [
                "retrieve retrieve: lid, pot, care\npostprocess choose: lid, pot\nin the prompt: lid, pot\n",
                "claim: unsupported: Clean it by hand.",
            ],
            id="langgraph",
        ),
        pytest.param(
            "06_fastapi_streaming.py",
            [
                "read: The pool is open from 7 to 21 [1] ... and left\n",
                "ok: When is the pool open?",
                "cancelled: And on Sundays?\n  sent: The pool is open from 7 to 21 [1]\n",
            ],
            id="fastapi",
        ),
        pytest.param(
            "07_llamaindex_query_engine.py",
            [
                "retrieve VectorIndexRetriever: warranty, descaling, jobs\n",
                "postprocess SimilarityPostprocessor: warranty, descaling\nin the prompt: warranty, descaling\n",
                "chunk 1 warranty: used\nchunk 2 descaling: unused\n",
                "claim: unsupported: Kettles are shipped from Hamburg.",
            ],
            id="llamaindex query engine",
        ),
        pytest.param(
            "08_llamaindex_chat_engine.py",
            [
                "ok: And what does it cost for students?\n  searched for: What does a ticket to the museum cost",
                "for students?\n  found: prices\n  first token after",
                "  model calls: 2\n  conflict: A ticket costs 9 euros for students.",
            ],
            id="llamaindex chat engine",
        ),
        pytest.param(
            "09_llamaindex_citations.py",
            [
                "source 2, from pot: Its lid is made of glass",
                "[1] -> pot: holds\n[2] -> pot: misplaced\n[4] -> nothing: dangling\n",
            ],
            id="llamaindex citations",
        ),
        pytest.param(
            "10_llamaindex_agent.py",
            [
                "round 1: 'ferry' found ferry, ticket\nround 2: 'hotel' found hotel\nmodel calls: 3\n",
                "claim: conflict: A ticket costs 24 euros.",
            ],
            id="llamaindex agent",
        ),
        pytest.param(
            "11_llamaindex_workflow.py",
            [
                "retrieve Answering.find: lid, pot, care\n",
                "postprocess Answering.choose: lid, pot\nin the prompt: lid, pot\n",
                "claim: unsupported: Clean it by hand.",
            ],
            id="llamaindex workflow",
        ),
    ],
)
def test_example(name: str, expected: list[str], tmp_path: Path) -> None:
    """Exit code 0, nothing on stderr, the promised lines on stdout, and nothing left behind in the folder."""
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "adapters")])
    kept = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", str(EXAMPLES / name)],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for line in expected:
        assert line in done.stdout, done.stdout
    assert list(tmp_path.iterdir()) == []


def test_every_example_is_tested() -> None:
    """A new example needs a line above; what has no number is what several of them use."""
    tested = {mark.values[0] for mark in test_example.pytestmark[0].args[1]}
    assert {path.name for path in EXAMPLES.glob("[0-9]*.py")} == tested
