"""How a question ended, and which tries failed before it did."""

from collections.abc import Hashable

from rag_eval_hooks.capture.framework_names import NOT_ERRORS
from rag_eval_hooks.capture.lineage import Lineage
from rag_eval_hooks.capture.trace import Step, Trace, stops
from rag_eval_hooks.record import Attempt
from rag_eval_hooks.record.run import Status

__all__ = ["attempts_of", "error_of", "given_up", "status_of"]


def status_of(trace: Trace) -> Status:
    """Returns the record's status; what the timer did comes first, then what the root's end says."""
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
    if trace.is_interrupted:
        return "interrupted"
    if trace.parent_unknown and root.kind != "chain":
        return "partial"
    return "ok"


def error_of(trace: Trace, status: Status) -> str | None:
    """Returns the type of the error that ended the run, if one did."""
    if trace.root.error and status in ("error", "cancelled"):
        return trace.root.error[0]
    return None


def attempts_of(trace: Trace, lineage: Lineage) -> tuple[Attempt, ...]:
    """Returns the failed steps that the question outlived, in order of start; of nested ones the outermost.

    Where the question itself failed, the last failure is what ended it, and no attempt.
    """
    return tuple(_attempt(step, trace) for step in _failed(trace, lineage))


def given_up(trace: Trace, lineage: Lineage) -> list[Step]:
    """Returns the steps that did not come to their end and were tried again: attempts, and what was interrupted.

    A graph that goes on runs the interrupted step once more, but takes the results of finished tasks in it from its
    checkpoint: what was found in a step that does not search again still counts.
    """
    since = trace.resumed_at
    if since is None:
        return _failed(trace, lineage)
    searches = [step for step in trace.steps if step.started >= since and (step.kind == "retriever" or step.lists)]
    again = {above.name for step in searches for above in lineage.ancestors(step)}
    stopped = [step for step in trace.steps if step.started < since and stops(step.error) and step.name in again]
    return [*_failed(trace, lineage), *(step for step in stopped if not trace.is_root(step))]


def _failed(trace: Trace, lineage: Lineage) -> list[Step]:
    is_outlived = trace.root_ended is not None and not trace.root.error
    latest: dict[Hashable, float] = {}
    """By run: when the last of the steps directly below it started."""
    for step in trace.steps:
        latest[step.parent_id] = max(step.started, latest.get(step.parent_id, step.started))
    failed: dict[Hashable, Step] = {}
    for step in trace.steps:  # a step comes after those around it
        if trace.is_root(step) or not step.error or NOT_ERRORS.intersection(step.error) or step.ended is None:
            continue
        # Where the question failed, a step was a try if another came after it; of branches, some only start late.
        if not is_outlived and (latest[step.parent_id] < step.ended or lineage.is_branch(step)):
            continue
        if not any(above.run_id in failed for above in lineage.ancestors(step)):
            failed[step.run_id] = step
    return list(failed.values())


def _attempt(step: Step, trace: Trace) -> Attempt:
    return Attempt(
        kind=step.kind,
        name=step.name,
        error=step.error[0] if step.error else "",
        run_id=trace.id_text(step.run_id),
        duration_ms=step.duration_ms,
    )
