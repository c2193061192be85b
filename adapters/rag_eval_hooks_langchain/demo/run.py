"""`run_demo`: asks all questions with the evaluation attached, and shows what it found."""

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import chain as joined
from itertools import zip_longest
from pathlib import Path

from langchain_core.runnables import Runnable
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from rag_eval_hooks.diagnosis.rules import GOOD
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.metrics import weight_of
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.reports import write_report
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.reports.terminal import print_averages
from rag_eval_hooks.reports.words import as_probability
from rag_eval_hooks.sinks import SqlSink, read_store
from rag_eval_hooks_langchain import RagEvalCallbackHandler
from rag_eval_hooks_langchain.demo.chain import build_chain, build_model
from rag_eval_hooks_langchain.demo.corpus import build_corpus
from rag_eval_hooks_langchain.demo.gold import GoldLookup
from rag_eval_hooks_langchain.demo.questions import QUESTIONS, Question
from rag_eval_hooks_langchain.demo.retriever import Bm25Retriever

__all__ = ["REPORT", "STORE", "K", "choose_questions", "run_demo"]

K = 5
"""Chunks retrieved, and the measures' cut-off."""
STORE = "demo.sqlite"
REPORT = "report.html"
EVALUATIONS = "evaluations.jsonl"

_FLUSH_S = 120.0
_GIVE_UP_AFTER = 3
"""Failed questions in a row after which the model is taken to be out of reach."""


def run_demo(output: Path, *, model: str | None = None, limit: int | None = None, console: Console) -> int:
    """Asks the demo's questions, evaluates each answer, prints the results and writes a store and a report.

    Args:
        output: Folder for `demo.sqlite` and `report.html`; made if missing. Earlier ones are replaced, the rest stays.
        model: As for `build_model`; None is the example's own model, which needs no network.
        limit: How many questions to ask, of all kinds in turn; None asks all.
        console: Where to print.

    Returns:
        The exit code: 0, or 1 if a question could not be asked or was not recorded.

    Raises:
        ConfigError: If the folder, the limit or the model cannot be used, or the model does not answer at all.
        MissingExtraError: If a package for it is not installed.
    """
    questions = choose_questions(limit)
    chat_model = build_model(model)
    documents = build_corpus()
    store = _fresh_store(output)
    chain = build_chain(Bm25Retriever.from_documents(documents, k=K), chat_model)
    console.print(
        f"Asking {len(questions)} questions about {len(documents)} chunks of the Python language reference; "
        f"retriever BM25 (k={K}), model {one_line(model or 'extractive: it quotes, no neural net', 80)}.",
        markup=False,
    )
    sink = SqlSink(store)
    handler = RagEvalCallbackHandler(sinks=[sink], k=K, gold=GoldLookup(documents))
    try:
        failures = _ask_all(chain, handler, questions, console)
        left = handler.flush(timeout=_FLUSH_S)
    finally:
        handler.close(timeout=_FLUSH_S)
        sink.close()
    pairs = list(read_store(store))
    report = output / REPORT
    write_report(pairs, report, title="Questions about the Python language reference")
    _show(console, pairs, failures, store=store, report=report)
    missing = len(questions) - len(pairs)
    if missing or left:
        console.print(f"{missing} of {len(questions)} questions were not recorded.", style="red", markup=False)
    return 1 if failures or missing or left else 0


def choose_questions(limit: int | None = None) -> tuple[Question, ...]:
    """Returns the questions to ask: all in order, or the first `limit` of all kinds taken in turn.

    Raises:
        ConfigError: If `limit` is below 1.
    """
    if limit is None or limit >= len(QUESTIONS):
        return QUESTIONS
    if limit < 1:
        raise ConfigError(f"limit is {limit}; ask at least one question")
    kinds = dict.fromkeys(one.kind for one in QUESTIONS)
    columns = [[one for one in QUESTIONS if one.kind == kind] for kind in kinds]
    in_turn = [one for one in joined.from_iterable(zip_longest(*columns)) if one is not None]
    return tuple(in_turn[:limit])


def _fresh_store(output: Path) -> Path:
    """The store's path, with the folder made and an earlier store removed."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name in (STORE, f"{STORE}-wal", f"{STORE}-shm", REPORT):
            (output / name).unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write to {output}: {error.strerror or error}; name another folder") from error
    return output / STORE


def _ask_all(
    chain: Runnable[str, str], handler: RagEvalCallbackHandler, questions: Sequence[Question], console: Console
) -> list[str]:
    """Asks each question; returns what went wrong, one line for each that failed."""
    failures: list[str] = []
    in_a_row = 0
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for question in progress.track(questions, description="asking"):
            metadata = {"kind": question.kind, "topic": question.evidence[0].topics[0] if question.evidence else "none"}
            try:
                chain.invoke(question.text, config={"callbacks": [handler], "metadata": metadata, "tags": ["demo"]})
            except Exception as error:
                failures.append(one_line(f"{type(error).__name__}: {error}", 300))
                in_a_row += 1
                if in_a_row == _GIVE_UP_AFTER:
                    raise ConfigError(f"the model failed {in_a_row} times in a row; {failures[-1]}") from error
            else:
                in_a_row = 0
    return failures


def _show(
    console: Console, pairs: Sequence[tuple[RagRun, Evaluation]], failures: Sequence[str], *, store: Path, report: Path
) -> None:
    console.print(_table(pairs))
    print_averages(console, ((one.results, weight_of(run)) for run, one in pairs))
    for failure in failures:
        console.print(f"failed: {failure}", style="red", markup=False)
    console.print()
    for line in _next_steps(pairs, store=store, report=report):
        # Not wrapped, so that the lines can be copied.
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _command() -> str:
    """How to call the command line from here: by name where the shell finds it, else by its place."""
    if shutil.which("rag-eval-hooks"):
        return "rag-eval-hooks"
    beside = Path(sys.executable).with_name("rag-eval-hooks")
    inside = beside.is_relative_to(Path.cwd())
    return shlex.quote(str(beside.relative_to(Path.cwd()) if inside else beside))


def _next_steps(pairs: Sequence[tuple[RagRun, Evaluation]], *, store: Path, report: Path) -> Iterator[str]:
    yield f"Report: {report}"
    yield f"Store:  {store}"
    yield ""
    source = shlex.quote(str(store))
    yield "Next:"
    command = _command()
    yield f"  {command} show {source} --list"
    worst = next((one for _, one in pairs if any(finding.kind not in GOOD for finding in one.findings)), None)
    if worst is not None:
        yield f"  {command} show {source} {one_line(worst.run_id, 80)}"
    yield f"  {command} replay {source} {shlex.quote(str(store.with_name(EVALUATIONS)))}"


def _table(pairs: Sequence[tuple[RagRun, Evaluation]]) -> Table:
    """A row for each question, which wraps where the terminal is narrow; the titles are the measures' names."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("question", overflow="fold", min_width=20)
    table.add_column(f"Context\nPrecision@{K}", justify="right", no_wrap=True)
    table.add_column("Groundedness", justify="right", no_wrap=True)
    table.add_column(f"Complete\nEvidence@{K}", no_wrap=True)
    table.add_column("first finding", overflow="fold")
    for run, evaluation in pairs:
        values = {result.metric: result.value for result in evaluation.results}
        complete = values.get(f"CompleteEvidence@{K}")
        finding = evaluation.findings[0].kind if evaluation.findings else ""
        table.add_row(
            Text(one_line(run.question or "", 200)),
            _share(values.get(f"ContextPrecision@{K}")),
            _share(values.get("Groundedness")),
            "-" if complete is None else "yes" if complete == 1 else "no",
            Text(finding, style="green" if finding in GOOD else "yellow"),
        )
    return table


def _share(value: float | None) -> str:
    return "-" if value is None else as_probability(value)
