"""`run_demo`: asks all questions with the evaluation attached, and shows what it found."""

import time
from collections.abc import Mapping, Sequence
from itertools import chain as joined
from itertools import zip_longest
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from rag_eval_hooks.demo.answering import MODELS
from rag_eval_hooks.demo.corpus import build_corpus
from rag_eval_hooks.demo.gold import GoldLookup
from rag_eval_hooks.demo.pipelines import FRAMEWORKS, Ask, Build, Pipeline, pipelines
from rag_eval_hooks.demo.questions import QUESTIONS, Question
from rag_eval_hooks.demo.search import Bm25Index
from rag_eval_hooks.demo.show import Done, K, show
from rag_eval_hooks.errors import ConfigError
from rag_eval_hooks.hooks import Hooks
from rag_eval_hooks.record import Evaluation, RagRun
from rag_eval_hooks.reports import write_report
from rag_eval_hooks.reports.plain import one_line
from rag_eval_hooks.sinks import SqlSink, read_store

__all__ = ["REPORT", "SECOND_REPORT", "STORE", "choose_questions", "run_demo"]

STORE = "demo.sqlite"
REPORT = "report.html"
SECOND_REPORT = "report-llamaindex.html"
"""A page of its own: with every question twice on one page, each average would look surer than it is."""

_FLUSH_S = 120.0
_GIVE_UP_AFTER = 3
"""Failed questions in a row after which the model is taken to be out of reach."""


def run_demo(
    output: Path,
    *,
    framework: str | None = None,
    model: str | None = None,
    limit: int | None = None,
    console: Console,
) -> int:
    """Asks the demo's questions, evaluates each answer, prints the results and writes a store and reports.

    Each framework's pipeline is asked the same; what it did is stored with `framework` in the metadata. The results of
    the first are printed, and whether the other's are equal.

    Args:
        output: Folder for `demo.sqlite` and the reports; made if missing. Earlier ones are replaced, the rest stays.
        framework: `langchain`, `llamaindex` or `both`; None asks all that are installed.
        model: One of `answering.MODELS` by name, or `provider:name`, which only LangChain knows how to build; None is
            the example's own model, which needs no network.
        limit: How many questions to ask, of all kinds in turn; None asks all.
        console: Where to print.

    Returns:
        The exit code: 0, or 1 if a question could not be asked or was not recorded, or if evaluations differ.

    Raises:
        ConfigError: If the folder, the limit or the model cannot be used, or the model does not answer at all.
        MissingExtraError: If a package for it is not installed.
    """
    began = time.perf_counter()
    questions = choose_questions(limit)
    builds = _builds(framework, model, console)
    chunks = build_corpus()
    index = Bm25Index(chunks, k=K)
    asked = {name: build(index, model) for name, build in builds.items()}
    store = _fresh_store(output)
    console.print(
        f"Asking {' and '.join(map(FRAMEWORKS.__getitem__, asked))} {len(questions)} questions about {len(chunks)} "
        f"chunks of the Python language reference; retriever BM25 (k={K}), model "
        f"{one_line(model or 'extractive: it quotes, no neural net', 80)}.",
        markup=False,
    )
    sink = SqlSink(store)
    hooks = Hooks(sink, k=K, gold=GoldLookup(chunks))
    failures: list[str] = []
    try:
        for name, pipeline in asked.items():
            with pipeline.attached(hooks) as ask:
                failures += _ask_all(name, ask, questions, console)
        left = hooks.flush(_FLUSH_S)
    finally:
        hooks.close(_FLUSH_S)
        sink.close()
    pairs = _by_framework(asked, store)
    reports = dict(zip(asked, (output / REPORT, output / SECOND_REPORT), strict=False))
    for name, report in reports.items():
        write_report(pairs[name], report, title=f"Questions about the Python language reference ({FRAMEWORKS[name]})")
    missing = sum(len(questions) - len(own) for own in pairs.values())
    agree = show(console, Done(pairs, tuple(failures), store, reports, time.perf_counter() - began))
    if missing or left:
        console.print(f"{missing} questions were not recorded.", style="red", markup=False)
    return 0 if agree and not failures and not missing and not left else 1


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


def _builds(framework: str | None, model: str | None, console: Console) -> dict[str, Build]:
    """The ways to build what is asked; says which framework is left out and why."""
    provider = model is not None and model not in MODELS
    if provider and framework not in (None, "langchain"):
        raise ConfigError(
            f"the model {model!r} is asked through LangChain; leave --framework out, or give {' or '.join(MODELS)}"
        )
    found, missing = pipelines("langchain" if provider else framework)
    for error in missing:
        console.print(f"Left out: {error}", style="yellow", markup=False, soft_wrap=True)
    if provider and framework is None:
        console.print("LlamaIndex is left out: a provider's model is asked through LangChain.", markup=False)
    return found


def _fresh_store(output: Path) -> Path:
    """The store's path, with the folder made and what an earlier run left removed."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name in (STORE, f"{STORE}-wal", f"{STORE}-shm", REPORT, SECOND_REPORT):
            (output / name).unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write to {output}: {error.strerror or error}; name another folder") from error
    return output / STORE


def _ask_all(framework: str, ask: Ask, questions: Sequence[Question], console: Console) -> list[str]:
    """Asks each question; returns what went wrong, one line for each that failed."""
    failures: list[str] = []
    in_a_row = 0
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for question in progress.track(questions, description=f"asking {FRAMEWORKS[framework]}"):
            topic = question.evidence[0].topics[0] if question.evidence else "none"
            try:
                ask(question.text, {"framework": framework, "kind": question.kind, "topic": topic})
            except Exception as error:
                failures.append(one_line(f"{FRAMEWORKS[framework]}: {type(error).__name__}: {error}", 300))
                in_a_row += 1
                if in_a_row == _GIVE_UP_AFTER:
                    raise ConfigError(f"the model failed {in_a_row} times in a row; {failures[-1]}") from error
            else:
                in_a_row = 0
    return failures


def _by_framework(frameworks: Mapping[str, Pipeline], store: Path) -> dict[str, list[tuple[RagRun, Evaluation]]]:
    pairs: dict[str, list[tuple[RagRun, Evaluation]]] = {name: [] for name in frameworks}
    for run, evaluation in read_store(store):
        pairs[run.metadata["framework"]].append((run, evaluation))
    return pairs
