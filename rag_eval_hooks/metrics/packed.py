"""Packed: how much of what was retrieved reached the prompt."""

from dataclasses import dataclass
from typing import ClassVar

from rag_eval_hooks.metrics.base import Metric, Need, register
from rag_eval_hooks.record import Attribution, MetricResult, RagRun

__all__ = ["Packed"]


@register
@dataclass(frozen=True, kw_only=True)
class Packed(Metric):
    """Share of the first `k` retrieved items that reached the generator.

    Packed@k = distinct items among the first k that are in the context / distinct items among the first k

    A chunk that was cut or rewritten reached the prompt where its `derived_from` names the retrieved one. Null where
    no prompt was seen (`no_prompt`: the context was assumed to be the last list), where nothing was retrieved
    (`no_context`) and where the run ended before a prompt was made (`incomplete_run`).

    >>> from rag_eval_hooks.testing import make_run
    >>> Packed(k=4).score(make_run("abcd", context="ca")).value
    0.5
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"retrieved", "context"})
    use_when: ClassVar[str] = "A budget, a filter or a reranker stands between retrieval and the prompt."
    avoid_when: ClassVar[str] = "The prompt was not seen: then there is no value."

    k: int | None = None
    """How many retrieved items to look at, from the top; None looks at all."""

    def score(self, run: RagRun, attribution: Attribution | None = None) -> MetricResult:  # noqa: ARG002  the run says it
        """Returns the share, or null with the reason."""
        if not run.context and not run.answer_is_whole:
            return self.not_scored("incomplete_run")
        if run.context_source == "last_stage":
            return self.not_scored("no_prompt")
        top = set(run.retrieved_places[: self.k])
        if not top:
            return self.not_scored("no_context")
        packed = {item.chunk for item in run.context}
        sources = {run.chunks[index].derived_from for index in packed}
        reached = sum(index in packed or run.chunks[index].id in sources for index in top)
        return self.scored(reached / len(top))
