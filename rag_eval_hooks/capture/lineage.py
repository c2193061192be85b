"""Who runs below whom in one trace."""

from collections.abc import Hashable, Iterable

from rag_eval_hooks.capture.framework_names import FORKS
from rag_eval_hooks.capture.trace import Step, Trace

__all__ = ["Lineage"]


class Lineage:
    """Who runs below whom in one trace."""

    def __init__(self, trace: Trace) -> None:
        self._steps = {step.run_id: step for step in trace.steps}

    def ancestors(self, step: Step) -> Iterable[Step]:
        """Yields the steps around a step, innermost first."""
        seen: set[Hashable] = {step.run_id}
        above = self._steps.get(step.parent_id) if step.parent_id is not None else None
        while above is not None and above.run_id not in seen:
            seen.add(above.run_id)
            yield above
            above = self._steps.get(above.parent_id) if above.parent_id is not None else None

    def parallel(self, one: Step, other: Step) -> bool:
        """Whether two steps run in different branches of a step that runs its branches side by side."""
        around = {above.run_id for above in (one, *self.ancestors(one))}
        meet = next((above for above in (other, *self.ancestors(other)) if above.run_id in around), None)
        return meet is not None and meet not in (one, other) and _forks(meet)

    def is_branch(self, step: Step) -> bool:
        """Whether a step is one of several that run side by side."""
        above = next(iter(self.ancestors(step)), None)
        return above is not None and _forks(above)

    def below(self, step: Step, *kinds: str) -> bool:
        """Whether a step runs inside one of the given kinds."""
        return any(above.kind in kinds for above in self.ancestors(step))


def _forks(step: Step) -> bool:
    return step.name is not None and step.name.startswith(FORKS)
