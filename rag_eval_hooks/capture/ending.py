"""How a question ended, and which tries failed before it did."""

from collections.abc import Hashable

from rag_eval_hooks.capture.ledger import Lineage
from rag_eval_hooks.capture.trace import Step, Trace
from rag_eval_hooks.record import Attempt
from rag_eval_hooks.record.run import Status

__all__ = ["attempts_of", "error_of", "status_of"]

INTERRUPTS = frozenset({"GraphInterrupt", "GraphBubbleUp", "NodeInterrupt"})
NOT_ERRORS = INTERRUPTS | {"ParentCommand", "WorkflowDone"}
"""How frameworks steer; raised as exceptions, but no failures."""


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
    if is_interrupted(trace):
        return "interrupted"
    if trace.parent_unknown and root.kind != "chain":
        return "partial"
    return "ok"


def is_interrupted(trace: Trace) -> bool:
    """Whether a graph stopped to wait for somebody, and has not gone on since."""
    since = trace.resumed_at
    return any(
        step.error is not None and INTERRUPTS.intersection(step.error) and (since is None or step.started >= since)
        for step in trace.steps
    )


def error_of(trace: Trace, status: Status) -> str | None:
    """Returns the type of the error that ended the run, if one did."""
    if trace.root.error and status in ("error", "cancelled"):
        return trace.root.error[0]
    return None


def attempts_of(trace: Trace, lineage: Lineage) -> tuple[Attempt, ...]:
    """Returns the failed steps that the question outlived, in order of start; of nested ones the outermost.

    Where the question itself failed, the last failure is what ended it, and no attempt.
    """
    failed: dict[Hashable, Step] = {}
    for step in trace.steps:  # a step comes after those around it
        if trace.is_root(step) or not step.error or NOT_ERRORS.intersection(step.error):
            continue
        if not any(above.run_id in failed for above in lineage.ancestors(step)):
            failed[step.run_id] = step
    found = list(failed.values())
    ended_by = trace.root.error
    while ended_by and len(found) == 1 and (deeper := _below(found[0], trace, lineage)):
        found = deeper  # the failure climbed to the root; the tries are below it
    if found and (ended_by or trace.root_ended is None):
        last = found.pop()
        # Who hands on the configuration it was given stands beside what it calls, and fails along with it.
        found = [step for step in found if not _encloses(step, last)]
    return tuple(_attempt(step, trace) for step in found)


def _below(failed: Step, trace: Trace, lineage: Lineage) -> list[Step]:
    """Returns the failed steps directly below a failed one."""
    return [
        step
        for step in trace.steps
        if step.error
        and not NOT_ERRORS.intersection(step.error)
        and next(iter(lineage.ancestors(step)), None) is failed
    ]


def _encloses(step: Step, other: Step) -> bool:
    """Whether the other step ran while this one did."""
    return step.started <= other.started and (step.ended or 0.0) >= (other.ended or 0.0)


def _attempt(step: Step, trace: Trace) -> Attempt:
    return Attempt(
        kind=step.kind,
        name=step.name if isinstance(step.name, str) else None,
        error=step.error[0] if step.error else "",
        run_id=trace.id_text(step.run_id),
        duration_ms=None if step.ended is None else max((step.ended - step.started) * 1_000, 0.0),
    )
