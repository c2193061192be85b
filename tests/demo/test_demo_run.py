"""The demo from end to end: what it stores, writes, prints and leaves alone."""

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel
from llama_index.core.instrumentation import get_dispatcher
from rich.console import Console

from rag_eval_hooks.demo import run_demo
from rag_eval_hooks.demo.answering import REFUSAL, Extractive
from rag_eval_hooks.demo.corpus import build_corpus
from rag_eval_hooks.demo.gold import gold_for
from rag_eval_hooks.demo.questions import QUESTIONS
from rag_eval_hooks.demo.run import choose_questions
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.demo.show import question_table
from rag_eval_hooks.errors import ConfigError, MissingExtraError
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.sinks import read_store
from rag_eval_hooks_langchain.demo import chain as langchain_demo

FRAMEWORKS = ("langchain", "llamaindex")
BY_TEXT = {question.text: question for question in QUESTIONS}


@dataclass(frozen=True)
class Done:
    """One run of the demo and what came of it."""

    code: int
    folder: Path
    printed: str
    pairs: list[tuple[RagRun, Evaluation]]

    def of(self, framework: str) -> "Done":
        pairs = [(run, one) for run, one in self.pairs if run.metadata["framework"] == framework]
        return Done(self.code, self.folder, self.printed, pairs)


def _run(folder: Path, framework: str | None = None, *, model: str | None = None, limit: int | None = None) -> Done:
    printed = io.StringIO()
    code = run_demo(folder, framework=framework, model=model, limit=limit, console=Console(file=printed, width=150))
    return Done(code, folder, printed.getvalue(), list(read_store(folder / "demo.sqlite")))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Done:
    return _run(tmp_path_factory.mktemp("demo") / "made" / "for it")


@pytest.fixture(params=FRAMEWORKS)
def whole(both: Done, request: pytest.FixtureRequest) -> Done:
    """What one framework's pipeline left."""
    return both.of(request.param)


def _values(pairs: list[tuple[RagRun, Evaluation]], metric: str) -> dict[str, float | None]:
    return {run.question or "": one.value for run, e in pairs for one in e.results if one.metric == metric}


def test_every_question_is_recorded_once(whole: Done) -> None:
    """One record per question, whole, with labels, five chunks, and the context found in the prompt."""
    assert whole.code == 0
    assert sorted(run.question or "" for run, _ in whole.pairs) == sorted(BY_TEXT)
    corpus = build_corpus()
    for run, evaluation in whole.pairs:
        question = BY_TEXT[run.question or ""]
        assert (run.status, run.k) == ("ok", 5)
        assert run.captured_by.startswith(run.metadata["framework"])
        assert run.answer
        assert run.gold == gold_for(question, corpus)
        assert run.metadata["kind"] == question.kind
        assert run.context_source == "prompt"
        assert [chunk.id for chunk in run.context_chunks()] == list(run.retrieved_ids)
        assert evaluation.answer_kind == ("refusal" if run.answer == REFUSAL else "answer")


def test_evidence_measures_agree_with_the_search(whole: Done) -> None:
    """`CompleteEvidence@5` is 1 exactly where one alternative set is among the first five chunks."""
    index = Bm25Index(build_corpus(), k=5)
    measured = _values(whole.pairs, "CompleteEvidence@5")
    for question in QUESTIONS:
        sets = gold_for(question, build_corpus()).evidence_sets
        top = {chunk.id for chunk, _ in index.search(question.text)}
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


def test_files_and_next_steps(both: Done) -> None:
    """Store and reports are there and nothing else; the last lines say how to go on, with paths that can be pasted."""
    assert {path.name for path in both.folder.iterdir()} == {"demo.sqlite", "report.html", "report-llamaindex.html"}
    for name, framework in (("report.html", "LangChain"), ("report-llamaindex.html", "LlamaIndex")):
        page = (both.folder / name).read_text("utf-8")
        assert f"Questions about the Python language reference ({framework})" in page
        assert f"Report: {both.folder / name}  ({framework})" in both.printed
    assert f"rag-eval-hooks show '{both.folder / 'demo.sqlite'}' --list" in both.printed
    heads = [question.text[:30] for question in QUESTIONS]
    assert [both.printed.count(head) for head in heads] == [heads.count(head) for head in heads]
    assert "CompleteEvidence@5" in both.printed


def test_both_frameworks_are_evaluated_alike(both: Done) -> None:
    """One table, and beside it that the other's evaluations are equal; each framework's worst run can be looked at."""
    first, second = (both.of(framework) for framework in FRAMEWORKS)
    assert len(first.pairs) == len(second.pairs) == len(QUESTIONS)
    assert f"LlamaIndex: {len(QUESTIONS)} of {len(QUESTIONS)} evaluations equal.\n" in both.printed
    shown = [line.split()[-1] for line in both.printed.splitlines() if " show " in line and "--list" not in line]
    questions = [next(run.question for run, _ in both.pairs if run.run_id == run_id) for run_id in shown]
    assert len(questions) == 2
    assert len(set(questions)) == 1


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_one_framework_alone(tmp_path: Path, framework: str) -> None:
    """It is asked, and nothing is compared."""
    (tmp_path / "report-llamaindex.html").write_text("of an earlier run")
    done = _run(tmp_path, framework, limit=2)
    assert (done.code, len(done.pairs)) == (0, 2)
    assert done.pairs == done.of(framework).pairs
    assert {path.name for path in tmp_path.iterdir()} == {"demo.sqlite", "report.html"}
    assert "equal" not in done.printed


@pytest.mark.parametrize(
    ("missing", "other", "package"),
    [
        pytest.param("rag_eval_hooks_llamaindex", "LangChain", "llama-index-core", id="LlamaIndex"),
        pytest.param("rag_eval_hooks_langchain", "LlamaIndex", "langchain-core", id="LangChain"),
    ],
)
def test_what_is_not_installed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, other: str, package: str
) -> None:
    """By default, and the demo says so; if it was asked for, that is an error."""
    _without(monkeypatch, missing)
    done = _run(tmp_path, limit=2)
    assert (done.code, len(done.pairs)) == (0, 2)
    assert f'Left out: {package} is not installed; run: pip install "rag-eval-hooks[' in done.printed
    assert f"Asking {other} 2 questions" in done.printed
    for wanted in ("both", missing.rpartition("_")[2]):
        with pytest.raises(MissingExtraError, match=f"{package} is not installed"):
            _run(tmp_path, wanted, limit=2)


def test_without_any_framework_there_is_nothing_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "rag_eval_hooks_langchain")
    _without(monkeypatch, "rag_eval_hooks_llamaindex")
    with pytest.raises(MissingExtraError, match=r'run: pip install "rag-eval-hooks\[demo\]"'):
        _run(tmp_path, limit=2)


def _without(monkeypatch: pytest.MonkeyPatch, adapter: str) -> None:
    """Makes an adapter be imported anew, without its framework."""
    for name in [name for name in sys.modules if name.partition(".")[0] == adapter]:
        monkeypatch.delitem(sys.modules, name)
    core = {"rag_eval_hooks_langchain": "langchain_core", "rag_eval_hooks_llamaindex": "llama_index.core"}[adapter]
    monkeypatch.setitem(sys.modules, core, None)


def test_the_table_names_its_measures_and_cuts_no_question(whole: Done) -> None:
    """On 80 columns: each question is there with all its words, the titles are names of the list of averages."""
    printed = io.StringIO()
    console = Console(file=printed, width=80)
    console.print(question_table(whole.pairs))
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
    assert (len(first.pairs), len(second.pairs)) == (2 * 3, 2 * 2)
    assert {run.run_id for run, _ in first.pairs}.isdisjoint(run.run_id for run, _ in second.pairs)
    written = {"demo.sqlite", "report.html", "report-llamaindex.html"}
    assert {path.name for path in tmp_path.iterdir()} == {*written, "mine.txt"}
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_the_careless_model_raises_alarms(tmp_path: Path, both: Done) -> None:
    """The same questions, with bad habits: more findings about the answer and its citations, alike in both."""
    careless = _run(tmp_path, model="extractive-careless")
    assert careless.code == 0
    assert f"LlamaIndex: {len(QUESTIONS)} of {len(QUESTIONS)} evaluations equal.\n" in careless.printed

    def alarms(done: Done) -> int:
        return sum(finding.stage in ("answer", "citation") for _, one in done.pairs for finding in one.findings)

    kinds = {finding.kind for _, one in careless.pairs for finding in one.findings}
    assert alarms(careless) > alarms(both) + 2 * 20
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


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", ["gpt", "nobody:nothing"])
def test_unknown_model(tmp_path: Path, framework: str, name: str) -> None:
    """The message names the model, and what an earlier run left is still there."""
    (tmp_path / "report.html").write_text("of an earlier run")
    with pytest.raises(ConfigError, match=name):
        _run(tmp_path, framework, model=name)
    assert (tmp_path / "report.html").read_text() == "of an earlier run"


def test_a_provider_is_asked_through_langchain_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the other framework is left out, and the demo says so; both cannot be asked for."""
    monkeypatch.setattr(langchain_demo, "build_model", lambda _: FakeListChatModel(responses=[REFUSAL]))
    done = _run(tmp_path, model="openai:gpt-5-mini", limit=2)
    assert [run.metadata["framework"] for run, _ in done.pairs] == ["langchain", "langchain"]
    assert "LlamaIndex is left out: a provider's model is asked through LangChain." in done.printed
    with pytest.raises(ConfigError, match="'openai:gpt-5-mini' is asked through LangChain; leave --framework out"):
        _run(tmp_path, "both", model="openai:gpt-5-mini", limit=2)


def test_provider_models_need_langchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the message says what to install."""
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(MissingExtraError, match="langchain is not installed"):
        _run(tmp_path, model="openai:gpt-5-mini", limit=1)


def _fails(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Lets the model fail for so many calls."""
    left = iter(range(times))
    answer = Extractive.answer

    def failing(self: Extractive, prompt: str) -> str:
        if next(left, None) is not None:
            raise ConnectionError("no route to host")
        return answer(self, prompt)

    monkeypatch.setattr(Extractive, "answer", failing)


@pytest.mark.parametrize(("framework", "called"), [("langchain", "LangChain"), ("llamaindex", "LlamaIndex")])
def test_a_model_out_of_reach_ends_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, framework: str, called: str
) -> None:
    """Three failures in a row are enough to say so; nothing stays attached."""
    before = list(get_dispatcher().span_handlers)
    _fails(monkeypatch, times=3)
    with pytest.raises(ConfigError, match=f"failed 3 times in a row; {called}: ConnectionError: no route to host"):
        _run(tmp_path, framework)
    assert get_dispatcher().span_handlers == before


def test_one_failed_call_does_not_end_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failed question is recorded as an error, the others are answered, and the exit code says it."""
    _fails(monkeypatch, times=1)
    done = _run(tmp_path, limit=4)
    assert done.code == 1
    assert sorted(run.status for run, _ in done.of("langchain").pairs) == ["error", "ok", "ok", "ok"]
    assert [run.status for run, _ in done.of("llamaindex").pairs] == ["ok"] * 4
    assert "failed: LangChain: ConnectionError: no route to host" in done.printed
    assert "LlamaIndex: 3 of 4 evaluations equal." in done.printed
    assert f"differs: {choose_questions(1)[0].text} (status, " in done.printed
