"""Makes the record of one question from its finished trace. Runs on the worker, never on the host's thread."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rag_eval_hooks.capture.foreign import fields_of
from rag_eval_hooks.capture.ledger import Ledger, Lineage, build_ledger
from rag_eval_hooks.capture.numbering import numbering_in
from rag_eval_hooks.capture.packing import Hit, find_in_prompt
from rag_eval_hooks.capture.provided import provided_by
from rag_eval_hooks.capture.texts import answer_in, call_text, delivered_text, prompt_text, question_in, sum_usage
from rag_eval_hooks.capture.trace import Items, Reply, Step, Trace
from rag_eval_hooks.record import CitationStyle, ContextItem, RagRun
from rag_eval_hooks.record.run import ContextSource, Status

__all__ = ["assemble"]

STATE_KEYS = ("question", "query", "input", "messages")
INTERRUPTS = frozenset({"GraphInterrupt", "GraphBubbleUp", "NodeInterrupt"})
NOT_ERRORS = INTERRUPTS | {"ParentCommand", "WorkflowDone"}
FRAMEWORK_PREFIXES = ("ls_", "langgraph_", "lc_", "__", "checkpoint_")
FRAMEWORK_TAGS = ("seq:", "map:", "graph:", "retry:", "branch:", "condition:", "langsmith:", "retriever_", "rag_eval:")
SECRET_WORDS = ("authorization", "api_key", "apikey", "api-key", "secret", "password", "passwd", "credential", "cookie")
SECRET_ENDS = ("token", "bearer", "private_key", "access_key")


def assemble(trace: Trace) -> RagRun:
    """Returns the record of a finished trace; pure, and safe on any input the collector can hold."""
    lineage = Lineage(trace)
    ledger = build_ledger(trace, lineage)
    calls = [step for step in trace.steps if step.kind == "model"]
    answering_calls = _candidates(trace, ledger, lineage, calls)
    status = _status(trace)
    output = trace.root.output
    said = [text for text in (call_text(step) for step in reversed(calls)) if text.strip()]
    question = _question(trace)
    answer = answer_in(output, said, question)
    call = _answering_call(answering_calls, answer)
    text = call_text(call) if call is not None else None
    if call is not None:
        answer = _answer(trace, status, call, answer)
    whole = call is not None and _is_whole(call)
    context, source, numbering = _context(ledger, call, answering_calls)
    first = None if call is None else call.first_token
    return RagRun(
        run_id=trace.id_text(trace.root.run_id),
        status=status,
        question=question,
        answer=answer,
        llm_text=text if text and text != answer else None,
        llm_complete=whole and status not in ("ok", "partial"),
        chunks=ledger.chunks,
        stages=ledger.stages,
        context=context,
        context_source=source,
        citations=numbering.model_copy(update={"provided": provided_by(call, text or "", answer)}),
        started_at=trace.started_at,
        duration_ms=None if trace.root_ended is None else max((trace.root_ended - trace.root.started) * 1_000, 0.0),
        time_to_first_token_ms=None if first is None else max((first - trace.root.started) * 1_000, 0.0),
        usage=sum_usage(calls),
        error=_error(trace, status),
        tags=tuple(tag for tag in trace.tags if isinstance(tag, str) and not tag.startswith(FRAMEWORK_TAGS)),
        metadata=_metadata(trace.metadata),
        flags=tuple(_flags(trace, ledger, calls, answer)),
        captured_by=trace.captured_by,
    )


def _status(trace: Trace) -> Status:
    root = trace.root
    if trace.forced is not None:
        return trace.forced
    errors = frozenset(root.error or ())
    if "GeneratorExit" in errors or trace.left_early:
        return "abandoned"
    if "CancelledError" in errors:
        return "cancelled"
    if errors and not errors & NOT_ERRORS:
        return "error"
    if any(step.error is not None and INTERRUPTS.intersection(step.error) for step in trace.steps):
        return "interrupted"
    if trace.parent_unknown and root.kind != "chain":
        return "partial"
    return "ok"


def _error(trace: Trace, status: Status) -> str | None:
    if trace.root.error and status in ("error", "cancelled"):
        return trace.root.error[0]
    return None


def _question(trace: Trace) -> str | None:
    root = trace.root
    found = question_in(list(root.input) if root.kind == "model" and root.input else root.input)
    if found is None and isinstance(root.output, Mapping):
        # A graph that is resumed gets a command; its question is in the state that it returns.
        found = question_in({key: root.output[key] for key in STATE_KEYS if key in root.output})
    if found is not None:
        return found
    queries = (step.input for step in trace.steps if step.kind == "retriever")
    return next((query for query in queries if isinstance(query, str) and query.strip()), None)


def _candidates(trace: Trace, ledger: Ledger, lineage: Lineage, calls: Sequence[Step]) -> list[Step]:
    """Returns the calls that may have written the answer, in order of start.

    Calls inside a retriever rewrite, rank or extract; calls inside a tool answer to the agent; calls before the first
    search, or whose text became a query, condense the question.
    """
    outside = [step for step in calls if not lineage.below(step, "retriever")]
    top = [step for step in outside if not lineage.below(step, "tool")] or outside
    searches = [step.started for step in trace.steps if step.kind == "retriever"]
    after = ledger.retrieval_ended if ledger.retrieval_ended is not None else max(searches, default=None)
    late = [step for step in top if after is None or step.started >= after]
    if not late and trace.root.error is None:
        late = top  # a graph that goes on with documents from its state shows them only at its end
    return [step for step in late if call_text(step).strip() not in ledger.queries]


def _answering_call(candidates: Sequence[Step], answer: str | None) -> Step | None:
    newest = [step for step in reversed(candidates) if step.error is None] or list(reversed(candidates))
    if answer is not None and answer.strip():
        wanted = answer.strip()
        texts = [(step, call_text(step).strip()) for step in newest]
        for step, text in texts:
            if text == wanted:
                return step
        for step, text in texts:
            if text and (text in wanted or wanted in text):
                return step
    for step in newest:
        if isinstance(step.output, Reply) and not step.output.calls_tools:
            return step
    return newest[0] if newest else None


def _answer(trace: Trace, status: Status, call: Step, answer: str | None) -> str | None:
    """Returns what the user got, given what the root returned and the answering call."""
    if status in ("ok", "partial", "interrupted"):
        if answer is not None or isinstance(trace.root.output, Items):
            return answer
        return None if isinstance(call.output, Reply) and call.output.calls_tools else call_text(call)
    # A run that broke off: what had been streamed by then reached the user; a text that came at once did not.
    if not call.tokens:
        return answer
    delivered = delivered_text(call, trace.read.get(call.run_id))
    # LangChain reports the output of an abandoned root without the token that was delivered last.
    return delivered if answer is None or (status == "abandoned" and delivered.startswith(answer)) else answer


def _is_whole(call: Step) -> bool:
    reply = call.output
    return isinstance(reply, Reply) and not reply.calls_tools and bool(call_text(call).strip())


def _context(
    ledger: Ledger, call: Step | None, candidates: Sequence[Step]
) -> tuple[tuple[ContextItem, ...], ContextSource, CitationStyle]:
    """Returns what the generator got, from the answering call's prompt, else from all of them together.

    The numbers of the items are those of the answering call's prompt; what several prompts show has no common ones.
    """
    wanted = [item.chunk for stage in ledger.stages if stage.final for item in stage.items]
    if call is None:
        return tuple(ContextItem(chunk=place) for place in wanted), "last_stage", CitationStyle()
    if not ledger.chunks:
        return (), "prompt", CitationStyle()
    inner = [place for place in range(len(ledger.chunks)) if place not in set(wanted)]
    for places in (wanted, inner):
        prompt = prompt_text(call)
        hits = _pack(ledger, places, prompt)
        if hits:
            texts = [ledger.chunks[places[hit.item]].text for hit in hits]
            return _items(hits, places), "prompt", numbering_in(prompt, hits, texts)
        union: dict[int, ContextItem] = {}
        for other in candidates:
            if other is not call:
                for item in _items(_pack(ledger, places, prompt_text(other)), places):
                    union.setdefault(item.chunk, item)
        if union:
            return tuple(union.values()), "prompt", CitationStyle()
    return (), "prompt", CitationStyle()


def _pack(ledger: Ledger, places: Sequence[int], prompt: str) -> list[Hit]:
    if not places or not prompt:
        return []
    return find_in_prompt([ledger.chunks[place].text for place in places], prompt)


def _items(hits: Sequence[Hit], places: Sequence[int]) -> tuple[ContextItem, ...]:
    return tuple(
        ContextItem(chunk=places[hit.item], match=hit.match, coverage=min(max(hit.coverage, 0.0), 1.0)) for hit in hits
    )


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metadata without the framework's own entries and without anything that looks like a secret."""
    return {
        key: _without_secrets(value)
        for key, value in fields_of(metadata).items()
        if not key.startswith(FRAMEWORK_PREFIXES) and not _is_secret(key)
    }


def _without_secrets(value: Any) -> Any:
    """Returns a plain value without the entries that look like secrets; its depth is bounded."""
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in value.items() if not _is_secret(key)}
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    return value


def _is_secret(key: str) -> bool:
    name = key.lower()
    return any(word in name for word in SECRET_WORDS) or name.endswith(SECRET_ENDS)


def _flags(trace: Trace, ledger: Ledger, calls: Sequence[Step], answer: str | None) -> Iterable[str]:
    if trace.parent_unknown:
        yield "parent_unknown"
    if any(step.ended is None for step in trace.steps):
        yield "open_children"
    if ledger.attempts:
        yield "failed_attempts"
    if answer and not calls:
        yield "no_model_events"
    if any(isinstance(step.output, Reply) and (step.output.usage or {}).get("total_cost") == 0 for step in calls):
        yield "cached"
