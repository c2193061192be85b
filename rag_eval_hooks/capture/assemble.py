"""Makes the record of one question from its finished trace. Runs on the worker, never on the host's thread."""

from collections.abc import Iterable, Mapping, Sequence

from rag_eval_hooks.capture.context import Context, context_of
from rag_eval_hooks.capture.ending import attempts_of, error_of, status_of
from rag_eval_hooks.capture.generation import answering_call, candidates, texts_by_turn
from rag_eval_hooks.capture.ledger import Ledger, build_ledger
from rag_eval_hooks.capture.lineage import Lineage
from rag_eval_hooks.capture.media import media_of
from rag_eval_hooks.capture.private import kept_metadata, kept_tags
from rag_eval_hooks.capture.provided import provided_by
from rag_eval_hooks.capture.texts import answer_in, call_text, delivered_text, question_in
from rag_eval_hooks.capture.trace import Delivered, Items, Reply, Resume, Step, Trace
from rag_eval_hooks.capture.usage import cached_calls, sum_usage
from rag_eval_hooks.record import ItemKeys, RagRun
from rag_eval_hooks.record.run import Status

__all__ = ["assemble"]

STATE_KEYS = ("question", "query", "input", "messages")
"""Where a graph's state keeps its question; other keys of a state hold what was made on the way."""
USUAL_KEYS = ItemKeys()


def assemble(trace: Trace, keys: ItemKeys = USUAL_KEYS) -> RagRun:
    """Returns the record of a finished trace; pure, and safe on any input the collector can hold.

    Args:
        trace: The question's runs.
        keys: Where items keep their id, score, document and page.
    """
    lineage = Lineage(trace)
    ledger = build_ledger(trace, lineage, keys)
    calls = [step for step in trace.steps if step.kind == "model"]
    found = candidates(trace, ledger, lineage)
    status = status_of(trace)
    question = _question(trace)
    output = trace.root.output
    # Only in a mapping the answer may have to be known by what the calls said, and comparing them all takes time.
    answer = answer_in(output, texts_by_turn(trace, found) if isinstance(output, Mapping) else (), question)
    if answer is None and trace.writer is not None:
        # Who writes a stream knows what it came to, also where no model did: nothing was found.
        answer = next((str(step.output) for step in trace.steps if step.run_id == trace.writer and step.output), None)
    call = answering_call(found, answer, has_failed=bool(trace.root.error))
    if call is not None and answer is not None and trace.is_cut and not _said_here(answer, [call]):
        call = None  # who wrote the answer is among what was not kept
    text = call_text(call) if call is not None else None
    if status == "interrupted" and answer is not None and not _said_here(answer, found):
        answer = None
    if call is not None:
        answer = _answer(trace, status, call, answer)
    if isinstance(output, Delivered) and not output and status != "ok":
        answer = None  # nobody read any of it
    # A call that was cut off after its last word wrote the answer, so it is no attempt.
    wrote = trace.id_text(call.run_id) if call is not None and text and text == answer else None
    context = context_of(ledger, call, found, trace, lineage, answer)
    first = None if call is None else call.first_token
    return RagRun(
        run_id=trace.id_text(trace.root_id),
        status=status,
        question=question,
        answer=answer,
        llm_text=text if text and text != answer else None,
        llm_complete=call is not None and _is_whole(call) and status not in ("ok", "partial"),
        chunks=ledger.chunks,
        stages=ledger.stages,
        context=context.items,
        context_source=context.source,
        citations=context.numbering.model_copy(update={"provided": provided_by(call, text or "", answer)}),
        started_at=trace.started_at,
        duration_ms=None if trace.root_ended is None else max(trace.seconds * 1_000, 0.0),
        time_to_first_token_ms=None if first is None else max((first - trace.root.started) * 1_000, 0.0),
        usage=sum_usage(calls),
        answer_usage=None if call is None else sum_usage([call]),
        attempts=tuple(one for one in attempts_of(trace, lineage) if one.run_id != wrote),
        media=media_of(call),
        error=error_of(trace, status),
        tags=kept_tags(trace.tags),
        metadata=kept_metadata(trace.metadata),
        flags=tuple(_flags(trace, ledger, calls, answer, context)),
        captured_by=trace.captured_by,
    )


def _question(trace: Trace) -> str | None:
    root = trace.root
    asked = root.input.value if isinstance(root.input, Resume) else root.input
    found = question_in(list(asked) if root.kind == "model" and asked else asked)
    if isinstance(root.input, Resume) or (found is None and isinstance(root.output, Mapping)):
        # A graph that is resumed gets what it was waiting for; its question is in the state that it returns.
        state = root.output if isinstance(root.output, Mapping) else {}
        found = question_in({key: state[key] for key in STATE_KEYS if key in state}) or found
    if found is not None:
        return found
    queries = (step.input for step in trace.steps if step.kind == "retriever")
    return next((query for query in queries if isinstance(query, str) and query.strip()), None)


def _answer(trace: Trace, status: Status, call: Step, answer: str | None) -> str | None:
    """Returns what the user got, given what the root returned and the answering call."""
    if status in ("ok", "partial", "interrupted"):
        if answer is not None or isinstance(trace.root.output, Items):
            return answer
        return None if isinstance(call.output, Reply) and call.output.calls_tools else call_text(call)
    if isinstance(trace.root.output, Delivered):
        return answer
    # A run that broke off: what had been streamed by then reached the user; a text that came at once did not.
    if not call.tokens:
        return answer
    delivered = delivered_text(call, trace.read.get(call.run_id))
    # LangChain reports the output of an abandoned root without the token that was delivered last.
    return delivered if answer is None or (status == "abandoned" and delivered.startswith(answer)) else answer


def _said_here(answer: str, found: Sequence[Step]) -> bool:
    """Whether an answer may come from one of these calls; the state of a graph also holds that of an earlier question.

    An answer given by way of a tool call has no text to compare.
    """
    texts = [call_text(step).strip() for step in found]
    return any(not text or text in answer or answer.strip() in text for text in texts)


def _is_whole(call: Step) -> bool:
    reply = call.output
    return isinstance(reply, Reply) and not reply.calls_tools and bool(call_text(call).strip())


def _flags(trace: Trace, ledger: Ledger, calls: Sequence[Step], answer: str | None, context: Context) -> Iterable[str]:
    if trace.parent_unknown:
        yield "parent_unknown"
    if any(step.ended is None for step in trace.steps):
        yield "open_children"
    if ledger.attempts:
        yield "failed_attempts"
    if trace.is_cut:
        yield "too_many_steps"
    if context.joined:
        yield "several_prompts"
    if trace.resumed_at is not None:
        yield "resumed"
    if answer and not calls:
        yield "no_model_events"
    if cached_calls(calls):
        yield "cached"
