"""A whole record in a form that can be read and compared: everything but ids and times, which are checked instead."""

from collections.abc import Mapping
from typing import Any, Protocol
from uuid import UUID

from support_texts import TEXTS

from rag_eval_hooks.capture import Collector
from rag_eval_hooks.hooks import Captured
from rag_eval_hooks.record import RagRun, Stage, Usage

__all__ = ["Recorder", "measured", "only_run", "runs_of", "whole"]

LEFT_OUT = {"schema_version", "run_id", "started_at", "duration_ms", "time_to_first_token_ms", "captured_by"}


class Recorder(Protocol):
    """What both adapters attach: LangChain's handler, LlamaIndex's attachment."""

    @property
    def last(self) -> Captured | None: ...
    @property
    def records(self) -> tuple[Captured, ...]: ...
    @property
    def collector(self) -> Collector: ...
    def stats(self) -> dict[str, int]: ...


def runs_of(handler: Recorder) -> list[RagRun]:
    """Every record, in order of delivery, when nothing is open any more and no id is left."""
    runs = [record.run for record in handler.records]
    stats = handler.stats()
    assert stats["open"] == 0
    assert stats["opened"] == len(runs) + stats["discarded"]
    assert handler.collector.open_ids == 0
    return runs


def only_run(handler: Recorder) -> RagRun:
    (run,) = runs_of(handler)
    return run


def measured(handler: Recorder) -> dict[str, float | str]:
    """What the measures of use say of the last record, by name: the value, or the word for why there is none."""
    last = handler.last
    assert last is not None
    return {
        one.metric: str(one.reason) if one.value is None else one.value
        for one in last.evaluation.results
        if one.labels == "used"
    }


def whole(run: RagRun) -> dict[str, Any]:
    """What the record says, fields with their default values left out.

    - stages: `round kind name(query): id=score id ...`, with `(inner)` where the list does not count as retrieved;
    - context: ids, with how they were found and how much of them where that is not `exact` and all;
    - chunks: ids; in `texts` those whose text is not the fakes' of that id (`support_texts.TEXTS`);
    - usage: `calls input>output cost`.
    """
    assert UUID(_uuid(run.run_id))
    assert run.captured_by.startswith(("langchain ", "llamaindex "))
    assert run.started_at is not None
    assert run.duration_ms is None or run.duration_ms >= 0
    assert run.time_to_first_token_ms is None or run.time_to_first_token_ms >= 0
    shown = run.model_dump(exclude_defaults=True, exclude=LEFT_OUT)
    names = [chunk.id for chunk in run.chunks]
    if run.chunks:
        shown["chunks"] = " ".join(names)
        shown |= _about_chunks(run)
    if run.stages:
        shown["stages"] = [_stage(stage, names) for stage in run.stages]
    if run.context:
        shown["context"] = " ".join(
            names[item.chunk] + ("" if item.match == "exact" else f":{item.match}:{item.coverage:.2f}")
            for item in run.context
        )
    shown["usage"] = _usage(run.usage)
    if run.answer_usage is not None:
        shown["answer_usage"] = _usage(run.answer_usage)
    if run.attempts:
        shown["attempts"] = [f"{tried.kind} {tried.name}: {tried.error}" for tried in run.attempts]
    return shown


def _about_chunks(run: RagRun) -> Mapping[str, Any]:
    about = {
        "texts": {chunk.id: chunk.text for chunk in run.chunks if chunk.text != TEXTS.get(chunk.id)},
        "metadata_of": {chunk.id: dict(chunk.metadata) for chunk in run.chunks if chunk.metadata},
        "sources": " ".join(chunk.source for chunk in run.chunks if chunk.source),
        "pages": " ".join(chunk.page for chunk in run.chunks if chunk.page),
        "derived": {chunk.id: chunk.derived_from for chunk in run.chunks if chunk.derived_from},
    }
    usual = {chunk.id: {"source": f"{chunk.id}.txt"} for chunk in run.chunks}
    if about["metadata_of"] == usual:  # what the fakes give
        del about["metadata_of"], about["sources"]
    return {key: value for key, value in about.items() if value}


def _stage(stage: Stage, names: list[str]) -> str:
    assert stage.run_id is None or UUID(_uuid(stage.run_id))
    items = " ".join(names[item.chunk] + ("" if item.score is None else f"={item.score:g}") for item in stage.items)
    query = "" if stage.query is None else f"({stage.query})"
    inner = "" if stage.final else " (inner)"
    return f"{stage.round} {stage.kind} {stage.name}{query}: {items}{inner}"


def _uuid(run_id: str) -> str:
    """The framework's random part of an id; LlamaIndex puts the method's name before it."""
    return run_id.partition("/")[0][-36:]


def _usage(usage: Usage) -> str:
    counts = f"{usage.model_calls} {usage.input_tokens}>{usage.output_tokens}"
    return counts if usage.cost is None else f"{counts} {usage.cost:g}"
