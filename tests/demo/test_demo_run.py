"""The demo from end to end: what it stores, writes, prints and leaves alone."""

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel
from rich.console import Console

from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.sinks import read_store
from rag_eval_hooks_langchain.demo import run as demo_run
from rag_eval_hooks_langchain.demo import run_demo
from rag_eval_hooks_langchain.demo.chain import build_model
from rag_eval_hooks_langchain.demo.corpus import build_corpus
from rag_eval_hooks_langchain.demo.gold import gold_for
from rag_eval_hooks_langchain.demo.model import REFUSAL
from rag_eval_hooks_langchain.demo.questions import QUESTIONS
from rag_eval_hooks_langchain.demo.retriever import Bm25Retriever
from rag_eval_hooks_langchain.demo.run import choose_questions

BY_TEXT = {question.text: question for question in QUESTIONS}


@dataclass(frozen=True)
class Done:
    """One run of the demo and what came of it."""

    code: int
    folder: Path
    printed: str
    pairs: list[tuple[RagRun, Evaluation]]


def _run(folder: Path, *, model: str | None = None, limit: int | None = None) -> Done:
    printed = io.StringIO()
    code = run_demo(folder, model=model, limit=limit, console=Console(file=printed, width=150))
    return Done(code, folder, printed.getvalue(), list(read_store(folder / "demo.sqlite")))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Done:
    return _run(tmp_path_factory.mktemp("demo") / "made" / "for it")


def _values(pairs: list[tuple[RagRun, Evaluation]], metric: str) -> dict[str, float | None]:
    return {run.question or "": one.value for run, e in pairs for one in e.results if one.metric == metric}


def test_every_question_is_recorded_once(whole: Done) -> None:
    """One record per question, whole, with labels, five chunks, and the context found in the prompt."""
    assert whole.code == 0
    assert sorted(run.question or "" for run, _ in whole.pairs) == sorted(BY_TEXT)
    corpus = build_corpus()
    for run, evaluation in whole.pairs:
        question = BY_TEXT[run.question or ""]
        assert (run.status, run.k, run.tags) == ("ok", 5, ("demo",))
        assert run.answer
        assert run.gold == gold_for(question, corpus)
        assert run.metadata["kind"] == question.kind
        assert run.context_source == "prompt"
        assert [chunk.id for chunk in run.context_chunks()] == list(run.retrieved_ids)
        assert evaluation.answer_kind == ("refusal" if run.answer == REFUSAL else "answer")


def test_evidence_measures_agree_with_the_retriever(whole: Done) -> None:
    """`CompleteEvidence@5` is 1 exactly where one alternative set is among the first five chunks."""
    retriever = Bm25Retriever.from_documents(build_corpus(), k=5)
    measured = _values(whole.pairs, "CompleteEvidence@5")
    for question in QUESTIONS:
        sets = gold_for(question, build_corpus()).evidence_sets
        top = {document.id for document in retriever.invoke(question.text)}
        expected = None if sets is None else float(any(top.issuperset(one) for one in sets))
        assert measured[question.text] == expected, question.text


def test_answers_are_attributed(whole: Done) -> None:
    """The measures have values, and most quotes are found in the chunks they were taken from."""
    grounded = [value for value in _values(whole.pairs, "Groundedness").values() if value is not None]
    assert len(grounded) > 30
    # Every sentence is a quote, so 1 is right; the floor is a guard against falling behind.
    assert sum(grounded) / len(grounded) >= 0.95
    for run, evaluation in whole.pairs:
        if evaluation.answer_kind == "answer":
            assert any(chunk.use == "used" for chunk in evaluation.chunks), run.question


def test_files_and_next_steps(whole: Done) -> None:
    """Store and report are there and nothing else; the last lines say how to go on, with paths that can be pasted."""
    assert {path.name for path in whole.folder.iterdir()} == {"demo.sqlite", "report.html"}
    assert "Questions about the Python language reference" in (whole.folder / "report.html").read_text("utf-8")
    assert f"rag-eval-hooks show '{whole.folder / 'demo.sqlite'}' --list" in whole.printed
    assert f"Report: {whole.folder / 'report.html'}" in whole.printed
    for question in QUESTIONS:
        assert question.text[:30] in whole.printed
    assert "CompleteEvidence@5" in whole.printed


def test_the_table_names_its_measures_and_cuts_no_question(whole: Done) -> None:
    """On 80 columns: each question is there with all its words, the titles are names of the list of averages."""
    printed = io.StringIO()
    console = Console(file=printed, width=80)
    console.print(demo_run._table(whole.pairs))
    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["Context", "Complete"]
    assert lines[1].split() == ["question", "Precision@5", "Groundedness", "Evidence@5", "first", "finding"]
    width = lines[1].index("Precision@5")
    words = " ".join(" ".join(line[:width] for line in lines[2:]).split())
    for question in QUESTIONS:
        assert question.text in words


def test_running_again_replaces_its_own_files_only(tmp_path: Path) -> None:
    """The second run's store holds the second run alone; a file beside it stays."""
    (tmp_path / "mine.txt").write_text("keep")
    (tmp_path / "demo.sqlite-wal").write_text("left by a crash")
    first = _run(tmp_path, limit=3)
    second = _run(tmp_path, limit=2)
    assert (len(first.pairs), len(second.pairs)) == (3, 2)
    assert {run.run_id for run, _ in first.pairs}.isdisjoint(run.run_id for run, _ in second.pairs)
    assert {path.name for path in tmp_path.iterdir()} == {"demo.sqlite", "report.html", "mine.txt"}
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_the_careless_model_raises_alarms(tmp_path: Path, whole: Done) -> None:
    """The same questions, with bad habits: more findings about the answer and its citations."""
    careless = _run(tmp_path, model="extractive-careless")

    def alarms(done: Done) -> int:
        return sum(finding.stage in ("answer", "citation") for _, one in done.pairs for finding in one.findings)

    kinds = {finding.kind for _, one in careless.pairs for finding in one.findings}
    assert alarms(careless) > alarms(whole) + 20
    assert kinds & {"misplaced_citation", "unsupported_citation", "dangling_citation"}
    assert kinds & {"unsupported_claim", "conflicting_claim", "missing_citation"}


def test_limit_takes_all_kinds_in_turn() -> None:
    """The first four questions are of four kinds; the order within a kind is kept."""
    assert [one.kind for one in choose_questions(5)] == ["single", "decoy", "two_facts", "unanswerable", "single"]
    assert choose_questions(None) == choose_questions(1000) == QUESTIONS
    assert len(choose_questions(50)) == len(set(choose_questions(50))) == 50
    with pytest.raises(ConfigError, match="at least one"):
        choose_questions(0)


def test_an_unusable_folder_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    """A file where the folder should be."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="name another folder"):
        _run(tmp_path / "file" / "below", limit=1)


@pytest.mark.parametrize("name", ["gpt", "nobody:nothing"])
def test_unknown_model(name: str) -> None:
    """The message names the model."""
    with pytest.raises(ConfigError, match=name):
        build_model(name)


def test_provider_models_need_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the message says what to install."""
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(MissingExtraError, match="langchain is not installed"):
        build_model("openai:gpt-5-mini")


class _Unreachable(FakeListChatModel):
    def _call(self, *args: object, **kwargs: object) -> str:
        raise ConnectionError("no route to host")


class _FailsOnce(FakeListChatModel):
    def _call(self, *args: object, **kwargs: object) -> str:
        self.i += 1
        if self.i == 1:
            raise ConnectionError("no route to host")
        return REFUSAL


def test_a_model_out_of_reach_ends_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three failures in a row are enough to say so."""
    monkeypatch.setattr(demo_run, "build_model", lambda _: _Unreachable(responses=[]))
    with pytest.raises(ConfigError, match="failed 3 times in a row; ConnectionError: no route to host"):
        _run(tmp_path)


def test_one_failed_call_does_not_end_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failed question is recorded as an error, the others are answered, and the exit code says it."""
    monkeypatch.setattr(demo_run, "build_model", lambda _: _FailsOnce(responses=[]))
    done = _run(tmp_path, limit=4)
    assert done.code == 1
    assert sorted(run.status for run, _ in done.pairs) == ["error", "ok", "ok", "ok"]
    assert "failed: ConnectionError: no route to host" in done.printed
